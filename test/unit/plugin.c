// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/plugin.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "test/unit/unit.h"

/* What the plugin under test does, and where it notes that it was undone. */
static int status_fd = -1;

static int add(const void *type, const struct request *request, json_t **result, struct error *err)
{
	auto_close int fd = open("/", O_PATH | O_CLOEXEC);

	(void)err;
	check(fd > STDERR_FILENO); /* whichever of the three was closed */
	check_str(type, "the type");
	*result = json_pack("{s:[{s:s}]}", "interfaces", "name", request->ifname);

	return 0;
}

static int fail(const void *type, const struct request *request, json_t **result, struct error *err)
{
	(void)type;
	(void)request;
	(void)result;
	error_set(err, ERROR_CONFLICT, "br.\xff is \"odd\"");

	return error_details(err, "\xc3\xa9\xc3");
}

static int succeed(const void *type, const struct request *request, json_t **result,
		   struct error *err)
{
	(void)type;
	(void)result;
	(void)err;
	check(umask(0) == 077 && request->umask == 027);

	return 0;
}

static int undo(const void *type, const struct request *request, json_t **result, struct error *err)
{
	check_str(type, "the type");
	(void)request;
	(void)result;
	(void)err;
	check(write(status_fd, "undone", 6) == 6);

	return 0;
}

/* SIGTERM waits until the verb is done. */
static int interrupted(const void *type, const struct request *request, json_t **result,
		       struct error *err)
{
	raise(SIGTERM);
	raise(SIGINT);

	return add(type, request, result, err);
}

static struct plugin plugin = {
	.name = "hbr-test",
	.type = "the type",
	.verbs = { [VERB_ADD] = add,
		   [VERB_CHECK] = fail,
		   [VERB_DEL] = succeed,
		   [VERB_GC] = succeed,
		   [VERB_STATUS] = succeed },
	.undo = undo,
};

struct outcome {
	int status;
	char out[1024], err[1024], note[16];
};

static int temporary(void)
{
	int fd = memfd_create("plugin", 0);

	check(fd >= 0 && (fd = fcntl(fd, F_DUPFD, 10)) >= 10);

	return fd;
}

static void slurp(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	check(n >= 0);
	text[n] = '\0';
	close(fd);
}

/* stdout_path: NULL is a file, "" is closed. */
static struct outcome run(const char *verb, const char *config, const char *stdout_path)
{
	struct outcome outcome = { 0 };
	int in = temporary(), out = temporary(), err = temporary();
	pid_t pid;

	status_fd = temporary();
	check(write(in, config, strlen(config)) == (ssize_t)strlen(config));
	lseek(in, 0, SEEK_SET);
	pid = fork();
	if (pid == 0) {
		dup2(in, 0);
		dup2(stdout_path && *stdout_path ? open(stdout_path, O_WRONLY) : out, 1);
		dup2(err, 2);
		if (stdout_path && *stdout_path == '\0')
			close(1);
		setenv("CNI_COMMAND", verb, 1);
		umask(027);
		exit(plugin_main(&plugin));
	}
	check(waitpid(pid, &outcome.status, 0) == pid);
	slurp(out, outcome.out, sizeof(outcome.out));
	slurp(err, outcome.err, sizeof(outcome.err));
	slurp(status_fd, outcome.note, sizeof(outcome.note));
	close(in);

	return outcome;
}

static void check_outcome(struct outcome is, int exit_status, const char *out)
{
	check_str(is.out, out);
	check(WIFEXITED(is.status) && WEXITSTATUS(is.status) == exit_status);
}

#define CONFIG "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"prevResult\":{}}"

static void prints_one_document(void)
{
	struct outcome is = run("ADD", CONFIG, NULL);

	check_outcome(is, 0, "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net1\"}]}\n");
	check_str(is.err, "");
	check_str(is.note, "");
	check_outcome(run("ADD", "{\"name\":\"n\"}", NULL), 0,
		      "{\"cniVersion\":\"0.1.0\",\"dns\":{}}\n");
	check_outcome(run("DEL", CONFIG, NULL), 0, "");
	check_outcome(run("GC", CONFIG, NULL), 0, "");
	check_outcome(run("STATUS", CONFIG, NULL), 0, "");
}

static void prints_errors(void)
{
	check_outcome(run("CHECK", CONFIG, NULL), 1,
		      "{\"cniVersion\":\"1.1.0\",\"code\":103,\"msg\":\"br.? is \\\"odd\\\"\","
		      "\"details\":\"\xc3\xa9?\"}\n");
	check_outcome(run("DEL", "{\"cniVersion\":\"0.4.0\"}", NULL), 1,
		      "{\"cniVersion\":\"0.4.0\",\"code\":7,\"msg\":\"missing network name\","
		      "\"details\":\"\"}\n");
}

/* Nobody got the result: there must be no attachment, and an exit status that says so. */
static void undoes(void)
{
	static const char *const places[] = { "/dev/full", "" };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct outcome is = run("ADD", CONFIG, places[i]);

		check_outcome(is, 1, "");
		check_str(is.note, "undone");
		check(strstr(is.err, "writing the result to standard output"));
	}
	check_outcome(run("DEL", CONFIG, ""), 0, "");
	check_outcome(run("CHECK", CONFIG, "/dev/full"), 1, "");
}

static void finishes_what_it_began(void)
{
	plugin.verbs[VERB_ADD] = interrupted;
	check_outcome(run("ADD", CONFIG, NULL), 0,
		      "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net1\"}]}\n");
	plugin.verbs[VERB_ADD] = add;
}

static void tells_versions(void)
{
	static const struct {
		const char *config, *version;
	} cases[] = {
		{ "", "1.1.0" },
		{ "{\"cniVersion\":\"0.4.0\"}", "0.4.0" },
		{ "{\"cniVersion\":\"9.9.9\"}", "9.9.9" },
		{ "{\"cniVersion\":\"1.2\"}", "1.1.0" },
		{ "{\"cniVersion\":\"1.2.\"}", "1.1.0" },
		{ "{\"cniVersion\":\"1.2.3.4\"}", "1.1.0" },
		{ "{\"cniVersion\":7}", "1.1.0" },
	};
	char wanted[256];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(wanted, sizeof(wanted),
			 "{\"cniVersion\":\"%s\",\"supportedVersions\":[\"0.1.0\",\"0.2.0\","
			 "\"0.3.0\",\"0.3.1\",\"0.4.0\",\"1.0.0\",\"1.1.0\"]}\n",
			 cases[i].version);
		check_outcome(run("VERSION", cases[i].config, NULL), 0, wanted);
	}
}

static void says_what_it_is(void)
{
	struct outcome is = run("", "", NULL);

	check_outcome(is, 0, "");
	check(strncmp(is.err, "CNI hbr-test plugin ", 20) == 0);
	check_str(strchr(is.err, '\n'), "\nCNI protocol versions supported: 0.1.0, 0.2.0, 0.3.0, "
					"0.3.1, 0.4.0, 1.0.0, 1.1.0\n");
}

int main(void)
{
	alarm(60); /* a hang is a failure too */
	clearenv();
	setenv("CNI_CONTAINERID", "c1", 1);
	setenv("CNI_NETNS", "/run/netns/pod", 1);
	setenv("CNI_IFNAME", "net1", 1);
	prints_one_document();
	prints_errors();
	undoes();
	finishes_what_it_began();
	tells_versions();
	says_what_it_is();

	return 0;
}
