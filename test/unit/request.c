// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "test/unit/call.h"

static void refuses_variable(const char *name, const char *value, const char *msg)
{
	plain_call("ADD");
	setenv(name, value, 1);
	check_error(read_config(MINIMAL), &err, ERROR_INVALID_ENVIRONMENT, msg);
}

static void verbs(void)
{
	for (unsigned i = 0; i < VERB_VERSION; i++) {
		plain_call(verb_words[i]);
		check(read_config("{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":{}}") ==
		      0);
		check(request.verb == (enum verb)i && request.version == CNI_1_1_0);
		check_str(request.name, "n");
		check_str(request.path, "");
		check(json_is_object(request.prev_result));
	}
	refuses_variable("CNI_COMMAND", "add",
			 "unknown CNI_COMMAND: add: wanted ADD, CHECK, DEL, GC, STATUS or VERSION");
	refuses_variable("CNI_COMMAND", "", "required env variables [CNI_COMMAND] missing");
}

static void missing_variables(void)
{
	static const char *const wanted[VERBS] = {
		[VERB_ADD] =
			"required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing",
		[VERB_CHECK] =
			"required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing",
		[VERB_DEL] = "required env variables [CNI_CONTAINERID,CNI_IFNAME] missing",
	};

	for (unsigned i = 0; i < VERB_VERSION; i++) {
		clearenv();
		setenv("CNI_COMMAND", verb_words[i], 1);
		if (wanted[i])
			check_error(read_config(MINIMAL), &err, ERROR_INVALID_ENVIRONMENT,
				    wanted[i]);
		else
			check(read_config(MINIMAL) == 0);
	}
	refuses_variable("CNI_NETNS", "", "required env variables [CNI_NETNS] missing");

	/* A value that is wrong comes before those that are missing. */
	plain_call("DEL");
	unsetenv("CNI_CONTAINERID");
	setenv("CNI_IFNAME", "a/b", 1);
	check(read_config(MINIMAL) == -1 && strncmp(err.msg, "CNI_IFNAME: \"a/b\"", 17) == 0);
	unsetenv("CNI_NETNS");
	plain_call("DEL");
	unsetenv("CNI_NETNS");
	check(read_config(MINIMAL) == 0);
	check_str(request.netns, "");
}

static void forms_of_variables(void)
{
	static const char *const ids[] = { "-a",  ".a",  "_a",       "a/b", "a b",
					   "a%b", "a\n", "\xc3\xa9", ".." };
	static const char *const names[] = {
		"1234567890123456", ".",   "..", "a/b", "a:b",    "a b", "a\t",
		"a\u00a0",          "a%d", "lo", "all", "default"
	};
	char id[257];

	for (size_t i = 0; i < COUNT(ids); i++) {
		plain_call("ADD");
		setenv("CNI_CONTAINERID", ids[i], 1);
		check(read_config(MINIMAL) == -1 && err.code == ERROR_INVALID_ENVIRONMENT);
		check(strstr(err.msg, "CNI_CONTAINERID"));
		setenv("CNI_COMMAND", "GC", 1); /* does not look at it */
		check(read_config(MINIMAL) == 0);
	}
	for (size_t i = 0; i < COUNT(names); i++) {
		plain_call("DEL");
		setenv("CNI_IFNAME", names[i], 1);
		check(read_config(MINIMAL) == -1 && err.code == ERROR_INVALID_ENVIRONMENT);
		check(strstr(err.msg, "CNI_IFNAME"));
		setenv("CNI_COMMAND", "STATUS", 1);
		check(read_config(MINIMAL) == 0);
	}

	memset(id, 'a', sizeof(id) - 1);
	id[256] = '\0';
	plain_call("ADD");
	setenv("CNI_CONTAINERID", id, 1);
	check(read_config(MINIMAL) == -1 && err.code == ERROR_INVALID_ENVIRONMENT);
	setenv("CNI_CONTAINERID", id + 1, 1);
	check(read_config(MINIMAL) == 0);
	refuses_variable("CNI_CONTAINERID", "a b",
			 "CNI_CONTAINERID: \"a b\" is not allowed: wanted 1 to 255 of A-Z, a-z, "
			 "0-9, '_', '.', '-', the first a letter or a digit");
	refuses_variable("CNI_NETNS", "/run/\xff",
			 "CNI_NETNS: \"/run/\xff\" is not allowed: wanted a path in UTF-8");
}

static void documents(void)
{
	static const char *const broken[] = { "{",
					      "{} x",
					      "{}{}",
					      "\"x\"",
					      "null",
					      "5",
					      "\xef\xbb\xbf{}",
					      "{\"name\":\"\xff\"}",
					      "{\"a\":1e400}" };

	plain_call("DEL");
	for (size_t i = 0; i < COUNT(broken); i++) {
		check(read_config(broken[i]) == -1 && err.code == ERROR_DECODE);
		check(strncmp(err.msg, "the configuration is no JSON: line 1, column ", 45) == 0);
	}
	refuses_config("", ERROR_DECODE, "the configuration is empty");
	refuses_config("[]", ERROR_DECODE, "the configuration is no JSON object");
	check(read_text(MINIMAL "\0", sizeof(MINIMAL)) == -1 && err.code == ERROR_DECODE);

	check(read_config(MINIMAL "\n\n \t") == 0);
	check(request.size == strlen(MINIMAL) + 4);
	check_str(request.text, MINIMAL "\n\n \t"); /* byte for byte, for the IPAM plugin */

	/* A NUL in a value that nobody uses, a number beyond 64 bits, duplicates, unknown keys. */
	check(read_config(
		      "{\"name\":\"a\",\"name\":\"n\",\"x\":\"\\u0000\",\"big\":"
		      "12345678901234567890,\"list\":[{\"vni\":10100}],\"r\":1.5,\"deviceID\":[]}") ==
	      0);
	check_str(request.name, "n");
	check(json_is_integer(json_object_get(
		json_array_get(json_object_get(request.config, "list"), 0), "vni")));
	check(json_is_real(json_object_get(request.config, "r")));
	check(json_is_real(json_object_get(request.config, "big")));
}

static void names(void)
{
	static const char rule[] = " is not allowed: wanted 1 to 255 of A-Z, a-z, 0-9, '_', '.', "
				   "'-', the first a letter or a digit";
	char msg[256];

	for (unsigned i = 0; i < VERB_VERSION; i++) {
		plain_call(verb_words[i]);
		refuses_config("{}", ERROR_INVALID_CONFIG, "missing network name");
		refuses_config("{\"name\":\"\"}", ERROR_INVALID_CONFIG, "missing network name");
		refuses_config("{\"name\":null}", ERROR_INVALID_CONFIG, "missing network name");
		refuses_config("{\"name\":5}", ERROR_DECODE,
			       "name: 5 is not allowed: wanted a text");
		snprintf(msg, sizeof(msg), "name: \"a/b\"%s", rule);
		refuses_config("{\"name\":\"a/b\"}", ERROR_INVALID_CONFIG, msg);
		snprintf(msg, sizeof(msg), "name: \"a\\u0000\"%s", rule);
		refuses_config("{\"name\":\"a\\u0000\"}", ERROR_INVALID_CONFIG, msg);
	}
	/* An error about the name is told in the version that was asked. */
	check(read_config("{\"cniVersion\":\"0.4.0\"}") == -1 && request.version == CNI_0_4_0);
}

static void versions(void)
{
	static const char *const unknown[] = { "1.0", "1.2.0", "foo", "0.1.0 ", "v1.0.0" };
	char config[64], msg[128];

	plain_call("ADD");
	for (unsigned i = 0; i < VERSIONS; i++) {
		snprintf(config, sizeof(config), "{\"name\":\"n\",\"cniVersion\":\"%s\"}",
			 version_words[i]);
		check(read_config(config) == 0 && request.version == (enum version)i);
	}
	check(read_config("{\"name\":\"n\"}") == 0 && request.version == CNI_0_1_0);
	check(read_config("{\"name\":\"n\",\"cniVersion\":\"\"}") == 0);
	check(request.version == CNI_0_1_0);
	check(read_config("{\"name\":\"n\",\"cniVersion\":null}") == 0);
	check(request.version == CNI_0_1_0);

	for (unsigned verb = 0; verb < VERB_VERSION; verb++) {
		plain_call(verb_words[verb]);
		for (size_t i = 0; i < COUNT(unknown); i++) {
			snprintf(config, sizeof(config), "{\"name\":\"n\",\"cniVersion\":\"%s\"}",
				 unknown[i]);
			snprintf(msg, sizeof(msg),
				 "incompatible CNI versions: cniVersion \"%s\" is not supported",
				 unknown[i]);
			refuses_config(config, ERROR_INCOMPATIBLE_VERSION, msg);
			check(request.version == CNI_1_1_0);
		}
		refuses_config("{\"name\":\"n\",\"cniVersion\":1}", ERROR_DECODE,
			       "cniVersion: 1 is not allowed: wanted a text");
	}
	refuses_config("{\"name\":\"n\",\"cniVersion\":\"1.2.0\"}", ERROR_INCOMPATIBLE_VERSION,
		       "incompatible CNI versions: cniVersion \"1.2.0\" is not supported");
	check_str(err.details, "config is \"1.2.0\", plugin supports [\"0.1.0\" \"0.2.0\" "
			       "\"0.3.0\" \"0.3.1\" \"0.4.0\" \"1.0.0\" \"1.1.0\"]");
}

/* Which version has which verb. */
static void gate(void)
{
	static const enum version since[VERBS] = {
		[VERB_CHECK] = CNI_0_4_0, [VERB_GC] = CNI_1_1_0, [VERB_STATUS] = CNI_1_1_0
	};
	char config[96];

	for (unsigned verb = 0; verb < VERB_VERSION; verb++) {
		for (unsigned i = 0; i < VERSIONS; i++) {
			plain_call(verb_words[verb]);
			snprintf(config, sizeof(config),
				 "{\"name\":\"n\",\"cniVersion\":\"%s\",\"prevResult\":{}}",
				 version_words[i]);
			check((read_config(config) == 0) == (i >= since[verb]));
			check(err.code == (i >= since[verb] ? 0 : ERROR_INCOMPATIBLE_VERSION));
		}
	}
	plain_call("CHECK");
	refuses_config("{\"name\":\"n\",\"cniVersion\":\"0.3.1\"}", ERROR_INCOMPATIBLE_VERSION,
		       "config version does not allow CHECK: cniVersion is 0.3.1, wanted 0.4.0 or "
		       "later");
	plain_call("GC");
	refuses_config("{\"name\":\"n\",\"cniVersion\":\"1.0.0\"}", ERROR_INCOMPATIBLE_VERSION,
		       "config version does not allow GC: cniVersion is 1.0.0, wanted 1.1.0 or "
		       "later");
	plain_call("STATUS");
	refuses_config("{\"name\":\"n\"}", ERROR_INCOMPATIBLE_VERSION,
		       "config version does not allow STATUS: cniVersion is 0.1.0, wanted 1.1.0 or "
		       "later");
}

static void previous_results(void)
{
	static const char wrong[] = "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":[1]}";
	static const char null[] = "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":null}";

	plain_call("CHECK");
	refuses_config(MINIMAL, ERROR_INVALID_CONFIG, "required prevResult missing");
	refuses_config(null, ERROR_INVALID_CONFIG, "required prevResult missing");
	refuses_config(wrong, ERROR_INVALID_CONFIG,
		       "prevResult: [1] is not allowed: wanted an object");
	plain_call("ADD");
	refuses_config(wrong, ERROR_INVALID_CONFIG,
		       "prevResult: [1] is not allowed: wanted an object");
	check(read_config(null) == 0 && request.prev_result == NULL);
	plain_call("DEL");
	check(read_config(wrong) == 0 && request.prev_result == NULL);
	check(read_config(null) == 0 && request.prev_result == NULL);
}

static void standard_input(void)
{
	static char large[REQUEST_SIZE_MAX + 2];
	auto_close int dir = open("/tmp", O_RDONLY | O_CLOEXEC);
	int fds[2];

	check(dir >= 0);
	memset(large, ' ', REQUEST_SIZE_MAX + 1);
	memcpy(large, MINIMAL, strlen(MINIMAL));
	plain_call("DEL");
	check(read_text(large, REQUEST_SIZE_MAX) == 0);
	check_error(read_text(large, REQUEST_SIZE_MAX + 1), &err, ERROR_INVALID_CONFIG,
		    "configuration is larger than 4 MiB");

	request_free(&request);
	check_error(request_read(&request, dir, &err), &err, ERROR_IO,
		    "reading standard input: Is a directory");
	request_free(&request);
	check_error(request_read(&request, -1, &err), &err, ERROR_IO,
		    "reading standard input: Bad file descriptor");

	/* In pieces, the object whole before the end of the file. */
	check(pipe(fds) == 0);
	if (fork() == 0) {
		for (const char *c = MINIMAL " "; *c; c++) {
			usleep(1000);
			check(write(fds[1], c, 1) == 1);
		}
		usleep(50000);
		_exit(write(fds[1], "\n", 1) != 1);
	}
	close(fds[1]);
	request_free(&request);
	check(request_read(&request, fds[0], &err) == 0);
	check(request.size == strlen(MINIMAL) + 2);
	close(fds[0]);
	check(wait(NULL) > 0);
}

/* VERSION takes what is there and does not wait for more. */
static void version_verb(void)
{
	struct timespec start, end;
	int fds[2];

	clearenv();
	setenv("CNI_COMMAND", "VERSION", 1);
	setenv("CNI_CONTAINERID", "%%", 1);
	check(read_config("") == 0 && request.config == NULL);
	check(read_config("garbage") == 0 && request.config == NULL);
	check(read_config("{\"cniVersion\":\"9.9.9\"}") == 0 && request.verb == VERB_VERSION);
	check_str(json_string_value(json_object_get(request.config, "cniVersion")), "9.9.9");
	request_free(&request);
	check(request_read(&request, -1, &err) == 0);
	request_free(&request);

	check(pipe(fds) == 0);
	check(write(fds[1], MINIMAL, strlen(MINIMAL)) == (ssize_t)strlen(MINIMAL));
	clock_gettime(CLOCK_MONOTONIC, &start);
	check(request_read(&request, fds[0], &err) == 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	check(end.tv_sec - start.tv_sec < 10); /* a quarter of a second on an idle machine */
	check_str(json_string_value(json_object_get(request.config, "cniVersion")), "1.1.0");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	alarm(60); /* a hang is a failure too */
	verbs();
	missing_variables();
	forms_of_variables();
	documents();
	names();
	versions();
	gate();
	previous_results();
	standard_input();
	version_verb();
	request_free(&request);

	return 0;
}
