// SPDX-License-Identifier: Apache-2.0
#include "shared/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "shared/base/cleanup.h"
#include "shared/base/patience.h"

/* A child on its way, seen from us. */
struct run {
	const struct child *child;
	pid_t pid;      /* 0: not started, or reaped */
	int ended;      /* pidfd: readable once it has ended */
	int input;      /* -1: all written, or nobody reads any more */
	int output;     /* -1: closed by the other side */
	size_t written; /* of the child's input */
	char *text;
	size_t size, capacity;
};

/* What the child needs between fork and execve. */
struct child_end {
	int input, output;
	int report; /* takes an errno when execve fails; closed by it when not */
	pid_t parent;
};

static void stop(struct run *run)
{
	if (run->pid > 0) {
		/* It leads a process group: what it started itself dies with it. */
		kill(-run->pid, SIGKILL);
		kill(run->pid, SIGKILL);
		while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	cleanup_close(&run->ended);
	cleanup_close(&run->input);
	cleanup_close(&run->output);
	free(run->text);
}

#define auto_run CLEANUP(stop)

static void forget_signals(void)
{
	sigset_t none;

	/* Handlers end with execve, "ignore" and the mask do not. */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become(const struct child *child, const struct child_end *end)
{
	int errnum;

	forget_signals();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != end->parent) /* it died before the line above */
		_exit(127);

	if (dup2(end->input, STDIN_FILENO) >= 0 && dup2(end->output, STDOUT_FILENO) >= 0 &&
	    (!child->with_errors || dup2(end->output, STDERR_FILENO) >= 0)) {
		/* Ours are O_CLOEXEC all of them; this is for what our parent left open. */
		close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
		execve(child->path, child->argv, child->envp);
	}

	errnum = errno;
	if (write(end->report, &errnum, sizeof(errnum)) < 0)
		_exit(126);
	_exit(127);
}

/* The errno of a failed execve; 0: the program runs. */
static int exec_errno(int report)
{
	int errnum = 0;
	ssize_t n;

	do {
		n = read(report, &errnum, sizeof(errnum));
	} while (n < 0 && errno == EINTR);

	return n == (ssize_t)sizeof(errnum) ? errnum : 0;
}

static int failed(const struct run *run, int errnum, struct error *err)
{
	return error_errno(err, ERROR_DELEGATE_EXEC, errnum, "running %s", run->child->path);
}

/* Descriptors 0 to 2 are open in this process, so no pipe end has one of those numbers. */
static int start(struct run *run, struct error *err)
{
	auto_close int child_input = -1, child_output = -1, report = -1, child_report = -1;
	int in[2], out[2], rep[2], errnum;
	pid_t parent = getpid();

	if (pipe2(in, O_CLOEXEC) < 0)
		return failed(run, errno, err);
	child_input = in[0];
	run->input = in[1];
	if (pipe2(out, O_CLOEXEC) < 0)
		return failed(run, errno, err);
	run->output = out[0];
	child_output = out[1];
	if (pipe2(rep, O_CLOEXEC) < 0)
		return failed(run, errno, err);
	report = rep[0];
	child_report = rep[1];

	run->pid = fork();
	if (run->pid == 0)
		become(run->child,
		       &(struct child_end){ child_input, child_output, child_report, parent });
	if (run->pid < 0)
		return failed(run, errno, err);

	/* With our copy open too, the end of the report would never come. */
	close(take_fd(&child_report));
	errnum = exec_errno(report);
	if (errnum != 0)
		return failed(run, errnum, err);
	run->ended = pidfd_open(run->pid, 0);
	/* poll() says that there is room in a pipe, not how much: writing must not block. */
	if (run->ended < 0 || fcntl(run->input, F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(run->output, F_SETFL, O_NONBLOCK) < 0)
		return failed(run, errno, err);

	return 0;
}

static void feed(struct run *run)
{
	const struct child *child = run->child;
	ssize_t n = 0;

	if (run->written < child->input_size)
		n = write(run->input, child->input + run->written,
			  child->input_size - run->written);
	if (n > 0)
		run->written += (size_t)n;

	/* EPIPE: a program need not read all that it is offered. */
	if (run->written == child->input_size || (n < 0 && errno != EAGAIN && errno != EINTR))
		close(take_fd(&run->input));
}

/* Room for one more byte and the NUL behind the text. */
static int make_room(struct run *run, struct error *err)
{
	size_t capacity = run->capacity ? run->capacity * 2 : 4096;
	char *text;

	if (run->size > CHILD_OUTPUT_MAX)
		return error_set(err, ERROR_DELEGATE_RESULT, "%s printed more than %u MiB",
				 run->child->path, CHILD_OUTPUT_MAX >> 20);
	if (run->size + 1 < run->capacity)
		return 0;

	text = realloc(run->text, capacity);
	if (!text)
		return error_set(err, ERROR_INTERNAL, "out of memory for what %s prints",
				 run->child->path);
	run->text = text;
	run->capacity = capacity;

	return 0;
}

/* Take what is there now, without waiting for more. */
static int drain(struct run *run, struct error *err)
{
	ssize_t n;

	while (run->output >= 0) {
		if (make_room(run, err) < 0)
			return -1;
		n = read(run->output, run->text + run->size, run->capacity - run->size - 1);
		if (n > 0) {
			run->size += (size_t)n;
			run->text[run->size] = '\0';
		} else if (n < 0 && errno == EAGAIN) {
			break;
		} else if (n == 0 || errno != EINTR) {
			close(take_fd(&run->output));
		}
	}

	return 0;
}

/* Until the program itself has ended: what it left behind may keep its output open for ever. */
static int pump(struct run *run, struct error *err)
{
	struct patience patience = patience_begin(run->child->timeout_ms, 0, 0);

	for (;;) {
		struct pollfd fds[] = { { .fd = run->ended, .events = POLLIN },
					{ .fd = run->output, .events = POLLIN },
					{ .fd = run->input, .events = POLLOUT } };
		int left = patience_left_ms(&patience);
		int n = left > 0 ? poll(fds, COUNT(fds), left) : 0;

		if (n == 0)
			return error_set(err, ERROR_TRY_AGAIN,
					 "%s has not ended after %u ms and was killed",
					 run->child->path, run->child->timeout_ms);
		if (n < 0 && errno != EINTR)
			return failed(run, errno, err);
		if (n < 0)
			continue;
		if (fds[2].revents)
			feed(run);
		if ((fds[0].revents || fds[1].revents) && drain(run, err) < 0)
			return -1;
		if (fds[0].revents)
			return 0;
	}
}

/* The status is there already: the pidfd said so. */
static int reap(struct run *run, int *status, struct error *err)
{
	int wait_status;

	while (waitpid(run->pid, &wait_status, 0) < 0) {
		if (errno != EINTR)
			return failed(run, errno, err);
	}
	run->pid = 0;
	*status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);

	return 0;
}

static int run_to_end(const struct child *child, struct child_output *output, struct error *err)
{
	auto_run struct run run = { .child = child, .ended = -1, .input = -1, .output = -1 };
	int status = 0;

	if (start(&run, err) < 0 || pump(&run, err) < 0 || reap(&run, &status, err) < 0)
		return -1;

	output->size = run.size;
	output->status = status;
	if (run.size == 0)
		output->text = NULL;
	else
		output->text = take_ptr(&run.text);

	return 0;
}

int child_run(const struct child *child, struct child_output *output, struct error *err)
{
	/* A child that does not read must not kill us; an ignored SIGCHLD loses exit statuses. */
	void (*on_pipe)(int) = signal(SIGPIPE, SIG_IGN);
	void (*on_child)(int) = signal(SIGCHLD, SIG_DFL);
	int r = run_to_end(child, output, err);

	signal(SIGPIPE, on_pipe);
	signal(SIGCHLD, on_child);

	return r;
}
