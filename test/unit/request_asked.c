// SPDX-License-Identifier: Apache-2.0
#include "test/unit/call.h"

static void cni_args(void)
{
	static const struct {
		const char *args;
		const char *msg; /* NULL: fine */
	} cases[] = {
		{ "", NULL },
		{ "K8S_POD_NAME=x;K8S_ANYTHING=y;", NULL },
		{ "IgnoreUnknown=1;FOO=BAR", NULL },
		{ "FOO=BAR;IgnoreUnknown=TRUE", NULL },
		{ "IgnoreUnknown=0;IgnoreUnknown=true;FOO=BAR", NULL },
		{ "IgnoreUnknown=1;K=a=b;", NULL },
		{ "IgnoreUnknown=true;MAC=", NULL },
		{ "FOO=BAR", "CNI_ARGS: unknown key \"FOO\": wanted MAC, IP or K8S_*; "
			     "IgnoreUnknown=1 lets others pass" },
		{ "mac=02:00:00:00:00:01", "CNI_ARGS: unknown key \"mac\": wanted MAC, IP or "
					   "K8S_*; IgnoreUnknown=1 lets others pass" },
		{ "ignoreunknown=true;K8S_POD_NAME=x",
		  "CNI_ARGS: unknown key \"ignoreunknown\": wanted MAC, IP or K8S_*; "
		  "IgnoreUnknown=1 lets others pass" },
		{ "IgnoreUnknown=yes", "CNI_ARGS: IgnoreUnknown: \"yes\" is not allowed: wanted 1, "
				       "0, true or false" },
		{ "FOO", "CNI_ARGS: \"FOO\" is not allowed: wanted KEY=VALUE" },
		{ "=x", "CNI_ARGS: \"=x\" is not allowed: wanted KEY=VALUE" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		plain_call("ADD");
		setenv("CNI_ARGS", cases[i].args, 1);
		if (cases[i].msg)
			check_error(read_config(MINIMAL), &err, ERROR_INVALID_ENVIRONMENT,
				    cases[i].msg);
		else
			check(read_config(MINIMAL) == 0);
		setenv("CNI_COMMAND", "DEL", 1);
		check(read_config(MINIMAL) == 0);
	}
}

static void values_of_args(void)
{
	char value[4];

	plain_call("ADD");
	setenv("CNI_ARGS", "K8S_POD_NAME=a=b;K8S_POD_UID=\xff;IP=1;K8S_POD_NAME=abc", 1);
	check(read_config(MINIMAL) == 0);
	check(request_arg(&request, "K8S_POD_NAME", value, sizeof(value)));
	check_str(value, "abc");
	check(request_arg(&request, "K8S_POD_UID", value, sizeof(value)));
	check_str(value, "?");
	check(!request_arg(&request, "K8S_POD_NAME", value, 3)); /* does not fit */
	check_str(value, "?");
	check(!request_arg(&request, "MAC", value, sizeof(value)));

	/* Only ADD acts on them. */
	setenv("CNI_COMMAND", "DEL", 1);
	setenv("CNI_ARGS", "broken;MAC=02:00:00:00:00:01", 1);
	check(read_config(MINIMAL) == 0);
	check(!request_mac(&request));
}

/* The three channels, and who wins. */
static void asked(const char *config, const char *args, const char *mac, const char *ips)
{
	auto_json json_t *list = NULL;
	auto_free char *text = NULL;

	plain_call("ADD");
	setenv("CNI_ARGS", args, 1);
	if (read_config(config) < 0)
		fprintf(stderr, "%s: %s\n", config, err.msg);
	check(request.config != NULL && err.code == 0);
	list = request_ips(&request);
	text = list ? json_dumps(list, JSON_COMPACT) : NULL;
	check_str(text ? text : "", ips);
	check(!request_mac(&request) == (*mac == '\0'));
	check_str(request_mac(&request) ? request_mac(&request) : "", mac);
}

#define RUNTIME "\"runtimeConfig\":{\"mac\":\"r\",\"ips\":[\"r1\",\"r2\"]}"
#define ARGS    "\"args\":{\"cni\":{\"mac\":\"a\",\"ips\":[\"a1\"]}}"

static void precedence(void)
{
	asked("{\"name\":\"n\"}", "", "", "");
	asked("{\"name\":\"n\"," RUNTIME "," ARGS "}", "MAC=e;IP=e1,e2", "r", "[\"r1\",\"r2\"]");
	asked("{\"name\":\"n\"," ARGS "}", "MAC=e;IP=e1,e2", "a", "[\"a1\"]");
	asked("{\"name\":\"n\"}", "MAC=e;IP=e1,,e2", "e", "[\"e1\",\"e2\"]");
	asked("{\"name\":\"n\"}", "MAC=;IP=", "", "");
	asked("{\"name\":\"n\"}", "IP=,", "", "");

	/* Empty and null ask for nothing; shapes that mean nothing to us are let be. */
	asked("{\"name\":\"n\",\"runtimeConfig\":{\"mac\":\"\",\"ips\":[]}," ARGS "}", "", "a",
	      "[\"a1\"]");
	asked("{\"name\":\"n\",\"runtimeConfig\":{\"mac\":null,\"ips\":null}}", "MAC=e", "e", "");
	asked("{\"name\":\"n\",\"runtimeConfig\":[1],\"args\":\"x\"}", "MAC=e", "e", "");
	asked("{\"name\":\"n\",\"args\":{\"cni\":[]}}", "MAC=e", "e", "");
}

static void asked_in_wrong_types(void)
{
	static const char mac[] = "{\"name\":\"n\",\"runtimeConfig\":{\"mac\":5}}";

	plain_call("ADD");
	refuses_config(mac, ERROR_INVALID_CONFIG,
		       "runtimeConfig.mac: 5 is not allowed: wanted a MAC address");
	refuses_config("{\"name\":\"n\",\"runtimeConfig\":{\"ips\":[\"10.0.0.1/8\",1]}}",
		       ERROR_INVALID_CONFIG,
		       "runtimeConfig.ips: [\"10.0.0.1/8\",1] is not allowed: wanted a list of "
		       "address/prefix");
	refuses_config("{\"name\":\"n\",\"args\":{\"cni\":{\"ips\":{}}}}", ERROR_INVALID_CONFIG,
		       "args.cni.ips: {} is not allowed: wanted a list of address/prefix");
	plain_call("DEL");
	check(read_config(mac) == 0 && request_mac(&request) == NULL);
}

int main(void)
{
	cni_args();
	values_of_args();
	precedence();
	asked_in_wrong_types();
	request_free(&request);

	return 0;
}
