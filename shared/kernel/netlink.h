// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One rtnetlink conversation. A socket stays in the network namespace that it was opened in, so
 * a plugin holds one of these for each namespace it works in and never enters one again.
 */

#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdint.h>

#include "shared/base/cleanup.h"
#include "shared/base/error.h"

struct netlink {
	struct nl_sock *sock;            /* NULL: closed, the namespace is not there */
	const char *place;               /* "host", "HBR netns", "pod", for messages; not owned */
	char reason[ERROR_DETAILS_SIZE]; /* what the kernel said of the last refusal */
};

typedef int netlink_reply_fn(struct nl_msg *reply, void *arg);

/* Open a conversation with the namespace that this process is in. */
int netlink_open(struct netlink *nl, const char *place, struct error *err);
void netlink_close(struct netlink *nl);

/* SO_NETNS_COOKIE of the socket's namespace: never used twice. 0 where the kernel has none. */
uint64_t netlink_cookie(const struct netlink *nl);

/*
 * Send a request and wait for its answer, handing each reply to on_reply, which may be NULL.
 * Returns 0, or a negative errno: the kernel's own, not libnl's rougher translation of it.
 * -EAGAIN: no answer within 5 s. -EINTR: a dump was interrupted by a change, what came is not
 * whole.
 */
int netlink_request(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *on_reply, void *arg);

/*
 * A dump (NLM_F_DUMP), repeated a few times when changes interrupt it; reset(arg) forgets what
 * came before each try. Never answers 0 with a partial list.
 */
int netlink_dump(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *on_reply,
		 void (*reset)(void *arg), void *arg);

/* Turn a negative errno of netlink_request into an error, the kernel's reason in its details. */
int netlink_error(const struct netlink *nl, int r, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

DEFINE_AUTO(struct nl_msg *, cleanup_nl_msg, nlmsg_free);
DEFINE_AUTO(struct nl_cb *, cleanup_nl_cb, nl_cb_put);

#define auto_nl_msg  CLEANUP(cleanup_nl_msg)
#define auto_nl_cb   CLEANUP(cleanup_nl_cb)
#define auto_netlink CLEANUP(netlink_close)
