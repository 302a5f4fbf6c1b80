// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Network namespaces: open one by its path, tell whether two are the same, do something inside.
 * This is the only module that calls setns(), and it always comes back: a process that cannot
 * return to its own namespace ends at once, since nothing it does afterwards could be right.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/base/cleanup.h"
#include "shared/base/error.h"
#include "shared/kernel/netlink.h"

struct netns {
	int fd; /* O_CLOEXEC; -1: not open */
	dev_t dev;
	ino_t ino; /* reused by the kernel at once: two namespaces in time can share it */
};

#define NETNS_NONE ((struct netns){ .fd = -1 })

/* What a path leads to. A path that is not to be seen proves nothing. */
enum netns_presence {
	NETNS_THERE,   /* a network namespace */
	NETNS_GONE,    /* nothing of that name in a directory that is there */
	NETNS_UNKNOWN, /* a plain file, no such directory, no permission */
};

/*
 * Open the network namespace at a path. -1: ERROR_INVALID_NETNS, with the path and what it is
 * instead ("is not a network namespace: check mount propagation", "does not exist").
 */
int netns_open(struct netns *ns, const char *path, struct error *err);
int netns_open_self(struct netns *ns, struct error *err);
void netns_close(struct netns *ns);

/* Take it out of a variable that would close it. */
static inline struct netns netns_take(struct netns *ns)
{
	struct netns taken = *ns;

	ns->fd = -1;

	return taken;
}

/* The same one now: device and inode. */
bool netns_same(const struct netns *a, const struct netns *b);

/* Never fails; *ns is open only with NETNS_THERE. */
enum netns_presence netns_probe(struct netns *ns, const char *path);

/* Run fn inside the namespace; its return value and error are passed on. */
int netns_call(const struct netns *ns, int (*fn)(void *arg, struct error *err), void *arg,
	       struct error *err);

/* A conversation that lives in the namespace (place as in struct netlink). */
int netns_talk(const struct netns *ns, struct netlink *nl, const char *place, struct error *err);

#define auto_netns CLEANUP(netns_close)
