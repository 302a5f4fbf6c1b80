// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* What the file behind a descriptor is instead of a network namespace; NULL when it is one. A bind
 * mount is of nsfs, an open /proc/PID/ns/net of nsfs or procfs; the ioctl tells the rest. */
static const char *find_fault(int fd)
{
	struct statfs fs;
	int type;

	if (fstatfs(fd, &fs) < 0)
		return "its file system cannot be asked";
	if (fs.f_type != NSFS_MAGIC && fs.f_type != PROC_SUPER_MAGIC)
		return "a plain file: is the mount missing here? check mount propagation";

	type = ioctl(fd, NS_GET_NSTYPE);
	if (type < 0)
		return "a file of /proc";

	return type == CLONE_NEWNET ? NULL : "a namespace of another kind";
}

int netns_open(struct netns *ns, const char *path, struct error *err)
{
	/* Not to wait for the writer of a FIFO that somebody put there. */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *fault;
	struct stat st;

	if (fd < 0)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "network namespace %s", path);

	fault = find_fault(fd);
	if (fault)
		return error_set(err, ERROR_INVALID_NETNS, "%s is not a network namespace (%s)",
				 path, fault);
	if (fstat(fd, &st) < 0)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "network namespace %s", path);

	*ns = (struct netns){ .fd = take_fd(&fd), .dev = st.st_dev, .ino = st.st_ino };

	return 0;
}

int netns_open_self(struct netns *ns, struct error *err)
{
	return netns_open(ns, "/proc/self/ns/net", err);
}

void netns_close(struct netns *ns)
{
	cleanup_close(&ns->fd);
	ns->fd = -1;
}

bool netns_same(const struct netns *a, const struct netns *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* Is the path's directory to be seen, and the path not in it? A dangling link proves nothing, nor
 * does a path that leads elsewhere from elsewhere, or none at all. */
static bool is_gone(const char *path)
{
	char copy[PATH_MAX];
	struct stat st;

	if (path[0] != '/' || snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return false;

	return lstat(path, &st) < 0 && errno == ENOENT && stat(dirname(copy), &st) == 0 &&
	       S_ISDIR(st.st_mode);
}

enum netns_presence netns_probe(struct netns *ns, const char *path)
{
	struct error ignored;

	*ns = NETNS_NONE;
	if (netns_open(ns, path, &ignored) == 0)
		return NETNS_THERE;

	return is_gone(path) ? NETNS_GONE : NETNS_UNKNOWN;
}

int netns_call(const struct netns *ns, int (*fn)(void *arg, struct error *err), void *arg,
	       struct error *err)
{
	auto_netns struct netns home = NETNS_NONE;
	int r;

	if (netns_open_self(&home, err) < 0)
		return -1;
	if (setns(ns->fd, CLONE_NEWNET) < 0)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "enter a network namespace%s",
				   errno == EPERM ? " (needs CAP_SYS_ADMIN)" : "");

	r = fn(arg, err);

	if (setns(home.fd, CLONE_NEWNET) < 0) {
		fprintf(stderr, "%s: cannot return to the own network namespace: %s\n",
			program_invocation_short_name, error_text(errno));
		_exit(1);
	}

	return r;
}

struct talk {
	struct netlink *nl;
	const char *place;
};

static int talk_inside(void *arg, struct error *err)
{
	const struct talk *talk = arg;

	return netlink_open(talk->nl, talk->place, err);
}

int netns_talk(const struct netns *ns, struct netlink *nl, const char *place, struct error *err)
{
	if (netns_call(ns, talk_inside, &(struct talk){ nl, place }, err) < 0)
		return error_wrap(err, "%s", place);

	return 0;
}
