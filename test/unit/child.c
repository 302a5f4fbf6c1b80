// SPDX-License-Identifier: Apache-2.0
#include "shared/base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "shared/base/cleanup.h"
#include "test/unit/unit.h"

static char *environment[] = { (char[]){ "PATH=/usr/bin:/bin" }, (char[]){ "GREETING=hello" },
			       NULL };
static char printed[4096]; /* by the last script */
static char text[4096];    /* of the last script */
static bool with_errors;   /* for the next one */

static int run(const char *script, const char *input, size_t size, unsigned timeout_ms,
	       struct error *err)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, text, NULL };
	struct child child = { "/bin/sh", argv, environment, input, size, timeout_ms, with_errors };
	struct child_output output = { .status = -1 };

	snprintf(text, sizeof(text), "%s", script);
	if (child_run(&child, &output, err) < 0) {
		check(output.text == NULL && output.status == -1);
		return -1;
	}
	check((output.text == NULL) == (output.size == 0));
	snprintf(printed, sizeof(printed), "%s", output.text ? output.text : "");
	free(output.text);

	return output.status;
}

static int run_script(const char *script)
{
	struct error err;

	return run(script, "", 0, 20000, &err);
}

static long ms_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static void gives_and_takes(void)
{
	struct error err;

	check(run("cat; echo \" $GREETING\"; exit 3", "abc", 3, 20000, &err) == 3);
	check_str(printed, "abc hello\n");
	check(run_script("exit 0") == 0);
	check_str(printed, "");
	check(run_script("kill -TERM $$") == 128 + SIGTERM);
	check(run_script("exec >&-; sleep 0.1; exit 5") == 5); /* closes its output early */
}

/* More than any pipe holds, both ways at once, and NULs in it. */
static void large_both_ways(void)
{
	static char input[3 << 20];
	char *argv[] = { (char[]){ "cat" }, NULL };
	struct child child = { "/bin/cat", argv, environment, input, sizeof(input), 20000, false };
	struct child_output output;
	struct error err;

	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (char)(i % 251);
	check(child_run(&child, &output, &err) == 0);
	check(output.size == sizeof(input) && memcmp(output.text, input, sizeof(input)) == 0);
	check(output.text[output.size] == '\0');
	free(output.text);

	/* One that reads nothing of it is no failure. */
	check(run("exit 4", input, sizeof(input), 20000, &err) == 4);
	check(run("exec <&-; sleep 0.1; exit 4", input, sizeof(input), 20000, &err) == 4);
}

static void too_much(void)
{
	struct error err;

	check(CHILD_OUTPUT_MAX == 4194304);
	check(run("head -c 4194304 /dev/zero", "", 0, 20000, &err) == 0);
	check_error(run("head -c 4194305 /dev/zero", "", 0, 20000, &err), &err,
		    ERROR_DELEGATE_RESULT, "/bin/sh printed more than 4 MiB");
	check_error(run("exec cat /dev/zero", "", 0, 20000, &err), &err, ERROR_DELEGATE_RESULT,
		    "/bin/sh printed more than 4 MiB");
}

static void both_outputs(void)
{
	with_errors = true;
	check(run_script("echo one; echo two >&2; echo three; exit 3") == 3);
	check_str(printed, "one\ntwo\nthree\n");
	with_errors = false;
}

static void cannot_run(void)
{
	char *argv[] = { (char[]){ "x" }, NULL };
	struct child child = { "/nonexistent/x", argv, environment, NULL, 0, 20000, false };
	struct child_output output;
	struct error err;

	check_error(child_run(&child, &output, &err), &err, ERROR_DELEGATE_EXEC,
		    "running /nonexistent/x: does not exist");
	child.path = "/etc/passwd";
	check_error(child_run(&child, &output, &err), &err, ERROR_DELEGATE_EXEC,
		    "running /etc/passwd: Permission denied");
	check_str(err.details, "EACCES");
	check(waitpid(-1, NULL, WNOHANG) == -1); /* all of them reaped */
}

/* What it started dies with it: the shell waits for its own child, which holds the pipe. */
static void too_long(void)
{
	char command[PATH_MAX + 64], dir[PATH_MAX], path[PATH_MAX + 16];
	struct timespec start;
	struct error err;

	unit_dir(dir);
	snprintf(path, sizeof(path), "%s/late", dir);
	snprintf(command, sizeof(command), "(sleep 1; touch %s) & wait", path);
	clock_gettime(CLOCK_MONOTONIC, &start);
	check_error(run(command, "", 0, 100, &err), &err, ERROR_TRY_AGAIN,
		    "/bin/sh has not ended after 100 ms and was killed");
	check(ms_since(&start) < 900);
	check(waitpid(-1, NULL, WNOHANG) == -1);
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 300000000 }, NULL);
	check(access(path, F_OK) < 0);
	check(rmdir(dir) == 0);
}

/* A grandchild with the pipe open outlives the child, and us: nobody waits for it. */
static void left_behind(void)
{
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	check(run_script("sleep 15 & echo $!; exit 6") == 6);
	check(ms_since(&start) < 10000);
	check(kill((pid_t)strtol(printed, NULL, 10), SIGKILL) == 0); /* it was alive */
}

static void nothing_inherited(void)
{
	int fd = open("/dev/null", O_RDONLY); /* not O_CLOEXEC, as a runtime might leave one */
	sigset_t set;

	check(fd > 2);
	check(run_script("ls /proc/self/fd | grep -v '^[012]$' | wc -l") == 0);
	check_str(printed, "1\n"); /* the one with which ls reads the directory */
	close(fd);

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, SIG_IGN);
	/* The two signals of the C library's own, 32 and 33, are nobody's to set: make ignores
	 * them. */
	check(run_script("while read -r key mask; do case $key in SigBlk:|SigIgn:) "
			 "echo $key$((0x$mask & 0x7fffffff));; esac; done </proc/self/status") ==
	      0);
	check_str(printed, "SigBlk:0\nSigIgn:0\n");
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);

	/* An ignored SIGCHLD would lose the status; ours are as before afterwards. */
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	check(run_script("exit 7") == 7);
	check(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
	check(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
}

/* A parent that is killed takes the child along. */
static void dies_with_us(void)
{
	int fds[2];
	char pid[16] = "";
	pid_t parent;

	check(pipe(fds) == 0);
	parent = fork();
	if (parent == 0) {
		char script[64];

		snprintf(script, sizeof(script), "echo $$ >&2; exec sleep 30");
		dup2(fds[1], STDERR_FILENO);
		close(fds[1]);
		_exit(run_script(script) == 0);
	}
	close(fds[1]);
	check(read(fds[0], pid, sizeof(pid) - 1) > 0);
	check(kill((pid_t)strtol(pid, NULL, 10), 0) == 0);
	check(kill(parent, SIGKILL) == 0);
	check(waitpid(parent, NULL, 0) == parent);

	/* Its standard error, the last that holds the pipe, closes when it is gone. */
	check(poll(&(struct pollfd){ .fd = fds[0] }, 1, 10000) == 1);
	check(read(fds[0], pid, sizeof(pid)) == 0);
	close(fds[0]);
}

int main(void)
{
	alarm(60); /* a hang is a failure too */
	gives_and_takes();
	large_both_ways();
	too_much();
	both_outputs();
	cannot_run();
	too_long();
	left_behind();
	nothing_inherited();
	dies_with_us();

	return 0;
}
