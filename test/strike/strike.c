// SPDX-License-Identifier: Apache-2.0
/*
 * strike [-n N] [-o FILE] COMMAND [ARG...]: run it, and kill it (SIGKILL) before its N-th change of
 * anything: a netlink request that is none for reading, a change of a directory or file, something
 * written, a child that begins and that ends. The changes, a line each, go to FILE. Without N it
 * lives. The status is the command's, 137 when it was killed; its children die as it made them.
 *
 * A seccomp filter stops it at those calls alone: the others cost nothing, which in a guest kernel
 * is most of the time that strace takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                                   \
	(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_EXITKILL)
#define CHILDREN_MAX 64

struct call {
	unsigned long nr, args[6];
};

struct run {
	pid_t pid;
	pid_t children[CHILDREN_MAX];
	size_t n_children;
	unsigned long changes, fatal;
	FILE *out;
};

#define STOP_AT(nr)                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

/* clang-format off */
static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	STOP_AT(SYS_sendmsg),
	STOP_AT(SYS_renameat),
	STOP_AT(SYS_unlinkat),
	STOP_AT(SYS_mkdirat),
	STOP_AT(SYS_write),
	STOP_AT(SYS_fsync),
	STOP_AT(SYS_execve),
	STOP_AT(SYS_exit_group),
#ifdef SYS_rename
	STOP_AT(SYS_rename),
	STOP_AT(SYS_unlink),
	STOP_AT(SYS_rmdir),
	STOP_AT(SYS_mkdir),
#endif
	/* Only what makes a file, or empties one. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
/* clang-format on */

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "strike: %s: %s\n", what, strerror(errno));
	exit(125);
}

static _Noreturn void become(char **argv)
{
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		die("ptrace");
	raise(SIGSTOP);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
		die("seccomp");
	execvp(argv[0], argv);
	die(argv[0]);
}

#ifdef __x86_64__
static void get_call(pid_t pid, struct call *call)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs) < 0)
		die("read registers");
	*call = (struct call){ regs.orig_rax,
			       { regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9 } };
}
#else
#include <linux/ptrace.h>
static void get_call(pid_t pid, struct call *call)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) < 0)
		die("read the call");
	call->nr = info.seccomp.nr;
	for (int i = 0; i < 6; i++)
		call->args[i] = info.seccomp.args[i];
}
#endif

/* What is beyond what can be read stays zero. */
static void get_bytes(pid_t pid, unsigned long at, void *to, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(long)) {
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, pid, at + i, 0);
		if (errno != 0)
			return;
		memcpy((char *)to + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
	}
}

/* The type of the netlink request; 0: it is another message, or asks only. */
static unsigned changing_request(pid_t pid, unsigned long at)
{
	struct msghdr message = { 0 };
	struct iovec first = { 0 };
	struct nlmsghdr request = { 0 };
	unsigned short family = 0;

	get_bytes(pid, at, &message, sizeof(message));
	if (message.msg_name)
		get_bytes(pid, (unsigned long)message.msg_name, &family, sizeof(family));
	if (family != AF_NETLINK || message.msg_iovlen == 0)
		return 0;
	get_bytes(pid, (unsigned long)message.msg_iov, &first, sizeof(first));
	get_bytes(pid, (unsigned long)first.iov_base, &request, sizeof(request));

	/* new, del, get, set */
	return request.nlmsg_type >= RTM_BASE && request.nlmsg_type % 4 != 2 ? request.nlmsg_type
									     : 0;
}

/* Is something of that name there, as the process sees it? */
static bool is_there(pid_t pid, int dir, const char *name)
{
	char path[256];

	if (name[0] == '/')
		snprintf(path, sizeof(path), "/proc/%d/root%s", pid, name);
	else if (dir == AT_FDCWD)
		snprintf(path, sizeof(path), "/proc/%d/cwd/%s", pid, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/fd/%d/%s", pid, dir, name);

	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* What removes what is not there, or makes what is there, changes nothing. */
static bool changes_entry(const struct run *run, pid_t pid, const char *what, int dir,
			  unsigned long at, bool makes)
{
	char name[128] = "";

	get_bytes(pid, at, name, sizeof(name) - 1);
	if (is_there(pid, dir, name) == makes)
		return false;
	fprintf(run->out, "%s %s\n", what, name);

	return true;
}

static bool is_child(const struct run *run, pid_t pid)
{
	for (size_t i = 0; i < run->n_children; i++) {
		if (run->children[i] == pid)
			return true;
	}

	return false;
}

/* What a child does is its own; that it begins and that it ends are steps of the one that we run.
 */
static bool child_changes(const struct run *run, pid_t pid, const struct call *call)
{
	if (!is_child(run, pid))
		return false;
	if (call->nr == SYS_execve)
		fprintf(run->out, "child begins\n");
	else if (call->nr == SYS_exit_group)
		fprintf(run->out, "child ends\n");

	return call->nr == SYS_execve || call->nr == SYS_exit_group;
}

static bool writes(const struct run *run, const struct call *call)
{
	if (call->args[0] == STDERR_FILENO)
		return false;
	fprintf(run->out, "write %lu %lu bytes\n", call->args[0], call->args[2]);

	return true;
}

static bool file_changes(const struct run *run, pid_t pid, const struct call *call)
{
	const unsigned long *args = call->args;

	switch (call->nr) {
	case SYS_openat:
		if (args[2] & O_TRUNC) {
			fprintf(run->out, "truncate\n");
			return true;
		}
		return changes_entry(run, pid, "openat", (int)args[0], args[1], true);
	case SYS_mkdirat:
		return changes_entry(run, pid, "mkdirat", (int)args[0], args[1], true);
	case SYS_renameat:
		return changes_entry(run, pid, "renameat", (int)args[0], args[1], false);
	case SYS_unlinkat:
		return changes_entry(run, pid, "unlinkat", (int)args[0], args[1], false);
#ifdef SYS_rename
	case SYS_mkdir:
		return changes_entry(run, pid, "mkdir", AT_FDCWD, args[0], true);
	case SYS_rename:
	case SYS_unlink:
	case SYS_rmdir:
		return changes_entry(run, pid, "path", AT_FDCWD, args[0], false);
#endif
	default:
		return false;
	}
}

static bool own_changes(const struct run *run, pid_t pid, const struct call *call)
{
	unsigned type;

	switch (call->nr) {
	case SYS_sendmsg:
		type = changing_request(pid, call->args[1]);
		if (type != 0)
			fprintf(run->out, "request %u\n", type);
		return type != 0;
	case SYS_write:
		return writes(run, call);
	case SYS_fsync:
		fprintf(run->out, "fsync\n");
		return true;
	default:
		return file_changes(run, pid, call);
	}
}

static void on_call(struct run *run, pid_t pid)
{
	struct call call;

	get_call(pid, &call);
	if (pid == run->pid ? own_changes(run, pid, &call) : child_changes(run, pid, &call)) {
		run->changes++;
		if (run->changes == run->fatal)
			kill(run->pid, SIGKILL);
	}
}

static void on_fork(struct run *run, pid_t pid)
{
	unsigned long child = 0;

	if (pid == run->pid && run->n_children < CHILDREN_MAX &&
	    ptrace(PTRACE_GETEVENTMSG, pid, 0, &child) == 0)
		run->children[run->n_children++] = (pid_t)child;
}

/* The signal to go on with. */
static int on_stop(struct run *run, pid_t pid, int status)
{
	int signal = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_SECCOMP:
		on_call(run, pid);
		return 0;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_fork(run, pid);
		return 0;
	default:
		/* New tracees begin with SIGSTOP, execve says SIGTRAP. */
		return signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
	}
}

static int follow(struct run *run)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			die("wait");
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, 0, on_stop(run, pid, status));
		else if (pid == run->pid)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

int main(int argc, char **argv)
{
	struct run run = { .out = NULL };
	const char *path = "/dev/null";
	int option, status;

	while ((option = getopt(argc, argv, "+n:o:")) != -1) {
		if (option == 'n')
			run.fatal = strtoul(optarg, NULL, 10);
		else if (option == 'o')
			path = optarg;
		else
			return 125;
	}
	if (optind == argc)
		return 125;
	run.out = fopen(path, "we");
	if (!run.out)
		die(path);
	run.pid = fork();
	if (run.pid == 0)
		become(&argv[optind]);
	if (run.pid < 0 || waitpid(run.pid, &status, 0) != run.pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, run.pid, 0, OPTIONS) < 0)
		die("start");
	ptrace(PTRACE_CONT, run.pid, 0, 0);
	status = follow(&run);
	fclose(run.out);

	return status;
}
