// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/ipam.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "test/unit/unit.h"

static char home[PATH_MAX]; /* of this test; also the second directory in CNI_PATH */
static char search[2 * PATH_MAX];
static struct error err;

static const char *in_home(const char *name)
{
	static char path[PATH_MAX];

	check(snprintf(path, sizeof(path), "%s/%s", home, name) < (int)sizeof(path));

	return path;
}

/* A file in this test's directory: an executable one is a script. */
static void put_file(const char *name, const char *text, mode_t mode)
{
	auto_file FILE *file = fopen(in_home(name), "w");

	check(file != NULL && fputs(text, file) >= 0 && fchmod(fileno(file), mode) == 0);
}

static void get_file(const char *name, char *text, size_t size)
{
	auto_file FILE *file = fopen(in_home(name), "r");

	check(file != NULL);
	text[fread(text, 1, size - 1, file)] = '\0';
}

static struct request plain_request(void)
{
	return (struct request){ .verb = VERB_ADD,
				 .version = CNI_1_0_0,
				 .container_id = "c1",
				 .netns = "/run/netns/pod",
				 .ifname = "net1",
				 .path = search,
				 .args = "",
				 .umask = 022 };
}

/* Run a plugin that does what the script says. */
static int run_in(enum version version, enum verb verb, const char *script, json_t **result)
{
	char text[PATH_MAX + 1024];
	struct request request = plain_request();

	request.version = version;
	check(snprintf(text, sizeof(text), "#!/bin/sh\ncd %s\n%s\n", home, script) <
	      (int)sizeof(text));
	put_file("fake", text, 0755);
	err = (struct error){ 0 };

	return ipam_run(&request, verb, "fake", "{\"x\": 1}\n", result, &err);
}

static int run(enum verb verb, const char *script)
{
	return run_in(CNI_1_0_0, verb, script, NULL);
}

static void type_of(const char *config, const char *wanted)
{
	auto_json json_t *document = json_loads(config, JSON_ALLOW_NUL, NULL);
	const char *type = "untouched";

	check(document && ipam_type(document, &type, &err) == 0);
	check(wanted ? type && strcmp(type, wanted) == 0 : type == NULL);
}

static void type_refused(const char *config, const char *msg)
{
	auto_json json_t *document = json_loads(config, JSON_ALLOW_NUL, NULL);
	const char *type;

	check_error(ipam_type(document, &type, &err), &err, ERROR_INVALID_CONFIG, msg);
}

static void types(void)
{
	static const char rule[] =
		" is not allowed: wanted the name of a plugin in CNI_PATH, without '/'";
	char msg[256];

	type_of("{}", NULL);
	type_of("{\"ipam\":null}", NULL);
	type_of("{\"ipam\":{}}", NULL);
	type_of("{\"ipam\":{\"type\":\"\"}}", NULL);
	type_of("{\"ipam\":{\"type\":null}}", NULL);
	type_of("{\"ipam\":{\"type\":\"host-local\"}}", "host-local");

	type_refused("{\"ipam\":[]}", "ipam: [] is not allowed: wanted an object");
	type_refused("{\"ipam\":\"dhcp\"}", "ipam: \"dhcp\" is not allowed: wanted an object");
	snprintf(msg, sizeof(msg), "ipam.type: 5%s", rule);
	type_refused("{\"ipam\":{\"type\":5}}", msg);
	snprintf(msg, sizeof(msg), "ipam.type: \"../evil\"%s", rule);
	type_refused("{\"ipam\":{\"type\":\"../evil\"}}", msg);
	snprintf(msg, sizeof(msg), "ipam.type: \"a\\u0000\"%s", rule);
	type_refused("{\"ipam\":{\"type\":\"a\\u0000\"}}", msg);
}

static void search_refused(const char *type, const char *path, int code, const char *msg)
{
	struct request request = plain_request();

	request.path = path;
	check_error(ipam_run(&request, VERB_DEL, type, "", NULL, &err), &err, code, msg);
}

static void looks_in_cni_path(void)
{
	char path[PATH_MAX], msg[2 * PATH_MAX + 128];
	struct request request = plain_request();

	/* In the first directory the name is a directory's; empty elements are not this one. */
	put_file("real", "#!/bin/sh\nexit 0\n", 0755);
	check(symlink("real", in_home("link")) == 0);
	check(mkdir(in_home("first"), 0755) == 0 && mkdir(in_home("first/link"), 0755) == 0);
	snprintf(search, sizeof(search), ":/nonexistent:%s:%s", in_home("first"), home);
	check(ipam_run(&request, VERB_DEL, "link", "", NULL, &err) == 0);

	check(chdir(home) == 0);
	search_refused("real", ":/nonexistent::", ERROR_DELEGATE_EXEC,
		       "ipam.type: there is no IPAM plugin \"real\" in CNI_PATH "
		       "\":/nonexistent::\"");
	check(chdir("/") == 0);
	search_refused("real", "", ERROR_INVALID_ENVIRONMENT,
		       "required env variables [CNI_PATH] missing: the IPAM plugin \"real\" is "
		       "looked for there");

	put_file("plain", "#!/bin/sh\nexit 0\n", 0644);
	snprintf(path, sizeof(path), "%s", in_home("plain"));
	snprintf(msg, sizeof(msg), "IPAM plugin plain: running %s: Permission denied", path);
	search_refused("plain", home, ERROR_DELEGATE_EXEC, msg);
	snprintf(search, sizeof(search), "%s", home);
}

static void same_environment(void)
{
	char text[2 * PATH_MAX], wanted[sizeof(search) + 256];
	mode_t ours;

	clearenv();
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("CNI_COMMAND", "ADD", 1);
	setenv("CNI_NETNS", "/another", 1);
	setenv("CNI_NETNS_OVERRIDE", "1", 1);
	setenv("TRACEPARENT", "00-1", 1);
	unsetenv("CNI_ARGS");
	ours = umask(077);
	check(run(VERB_DEL, "cat >stdin; env | grep -E 'CNI_|TRACE' | sort >env; umask >umask; "
			    "echo noise") == 0);
	check(umask(ours) == 077);

	get_file("stdin", text, sizeof(text));
	check_str(text, "{\"x\": 1}\n");
	get_file("umask", text, sizeof(text));
	check_str(text, "0022\n");
	/* The request's; what was not set stays so. */
	get_file("env", text, sizeof(text));
	snprintf(wanted, sizeof(wanted),
		 "CNI_COMMAND=DEL\nCNI_CONTAINERID=c1\nCNI_IFNAME=net1\nCNI_NETNS=/run/netns/pod\n"
		 "CNI_NETNS_OVERRIDE=1\nCNI_PATH=%s\nTRACEPARENT=00-1\n",
		 search);
	check_str(text, wanted);

	setenv("CNI_ARGS", "", 1);
	check(run(VERB_GC, "env | grep -E '^CNI_(COMMAND|ARGS)' | sort >env") == 0);
	get_file("env", text, sizeof(text));
	check_str(text, "CNI_ARGS=\nCNI_COMMAND=GC\n");
}

static void gives(enum version version, const char *printed, const char *wanted)
{
	auto_json json_t *result = NULL;
	auto_free char *text = NULL;
	char script[512];

	snprintf(script, sizeof(script), "echo '%s'", printed);
	if (run_in(version, VERB_ADD, script, &result) < 0)
		fprintf(stderr, "%s: %s\n", printed, err.msg);
	check(result != NULL);
	text = json_dumps(json_object_get(result, "ips"), JSON_COMPACT);
	check_str(text, wanted);
}

static void results(void)
{
	gives(CNI_0_2_0, "{\"ip4\":{\"ip\":\"10.1.0.5/24\"}}", "[{\"address\":\"10.1.0.5/24\"}]");
	gives(CNI_1_0_0, "{\"cniVersion\":\"0.1.0\",\"ip6\":{\"ip\":\"fd00::5/64\"}}",
	      "[{\"address\":\"fd00::5/64\"}]");
	gives(CNI_0_4_0,
	      "{\"ips\":[{\"version\":\"4\",\"address\":\"10.1.0.5/24\",\"interface\":0}]}",
	      "[{\"address\":\"10.1.0.5/24\"}]");
	gives(CNI_1_1_0, "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.0.5/24\"}]}",
	      "[{\"address\":\"10.1.0.5/24\"}]");
}

static void result_refused(const char *script, const char *msg)
{
	json_t *result = NULL;

	check_error(run_in(CNI_1_0_0, VERB_ADD, script, &result), &err, ERROR_DELEGATE_RESULT, msg);
	check(result == NULL);
}

static void bad_results(void)
{
	result_refused("exit 0", "IPAM plugin fake: its result is empty");
	result_refused("echo hello", "IPAM plugin fake: its result is no JSON: line 1, column 5: "
				     "'[' or '{' expected near 'hello'");
	result_refused("echo []", "IPAM plugin fake: its result is no JSON object");
	result_refused("echo '{}'", "IPAM plugin returned missing IP config: fake gave no address");
	result_refused("echo '{\"cniVersion\":\"2.0.0\"}'",
		       "IPAM plugin fake: cniVersion: \"2.0.0\" is not allowed: wanted 0.1.0 to "
		       "1.1.0");
	result_refused("echo '{\"ips\":[{\"address\":\"10.1.0.5\"}]}'",
		       "IPAM plugin fake: ips[0].address: \"10.1.0.5\" is not allowed: wanted "
		       "address/prefix");
}

static void fails(const char *printed, int code, const char *msg, const char *details)
{
	char script[512];

	snprintf(script, sizeof(script), "echo '%s'; exit 1", printed);
	check_error(run(VERB_DEL, script), &err, code, msg);
	check_str(err.details, details);
}

static void errors(void)
{
	fails("{\"code\":11,\"msg\":\"m\",\"details\":\"d\"}", 11, "m", "d");
	fails("{\"code\":999,\"msg\":\"m\"}", 999, "m", "");
	fails("{\"msg\":\"m\",\"details\":[]}", ERROR_DELEGATE_RESULT, "m", "");
	fails("{\"code\":0,\"msg\":\"m\"}", ERROR_DELEGATE_RESULT, "m", "");
	fails("{\"code\":-1,\"msg\":\"m\"}", ERROR_DELEGATE_RESULT, "m", "");
	fails("{\"code\":\"7\",\"msg\":\"m\"}", ERROR_DELEGATE_RESULT, "m", "");
	fails("{\"code\":4294967297,\"msg\":\"m\"}", ERROR_DELEGATE_RESULT, "m", "");
	fails("{\"code\":7}", 7,
	      "IPAM plugin fake: exit status 1, and an error without a message: {\"code\":7}\n",
	      "");
	fails("oops", ERROR_DELEGATE_RESULT,
	      "IPAM plugin fake: exit status 1, and no CNI error on its standard output: oops\n",
	      "");
	check_error(run(VERB_CHECK, "exit 2"), &err, ERROR_DELEGATE_RESULT,
		    "IPAM plugin fake: exit status 2, and no CNI error on its standard output: "
		    "(nothing)");
	/* Verbs without a result: whatever it prints, its status is the answer. */
	check(run(VERB_STATUS, "echo garbage") == 0);
}

static void clean_up(void)
{
	static const char *const files[] = { "fake", "real",  "link", "plain",
					     "env",  "stdin", "umask" };

	for (size_t i = 0; i < COUNT(files); i++)
		check(unlink(in_home(files[i])) == 0);
	check(rmdir(in_home("first/link")) == 0 && rmdir(in_home("first")) == 0);
	check(rmdir(home) == 0);
}

int main(void)
{
	alarm(60); /* a hang is a failure too */
	unit_dir(home);
	types();
	looks_in_cni_path();
	same_environment();
	results();
	bad_results();
	errors();
	clean_up();

	return 0;
}
