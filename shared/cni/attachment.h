// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One (containerID, ifname) on its way in or out: who it is, where it happens, what it wants. ADD
 * applies the plugin's steps to one made from a request; DEL, GC and the reaping of the dead revert
 * them on one made from a record. Both hold the attachment's lock meanwhile.
 */

#include <jansson.h>
#include <stdbool.h>

#include "shared/cni/attachment_type.h"
#include "shared/cni/interface.h"
#include "shared/cni/request.h"
#include "shared/node/store_lock.h"

#define ATTACHMENT_DOMAINS_MAX 3
#define ATTACHMENT_LOCK_MS     20000

struct attachment {
	const struct attachment_type *type;
	struct request
		who;    /* CNI_* and the document; its strings belong to the caller or to record */
	json_t *record; /* owned; NULL: there is none (yet) */
	char id[STORE_NAME_SIZE];
	char port_name[IFNAMSIZ];

	struct node node;
	struct store store;
	struct lock lock;
	struct netns hbr, pod; /* not open when they are not there */
	struct netlink nl[PLACES];

	void *values; /* owned, of the type's size */
	uint64_t given;
	struct interface *interface; /* in values */
	struct domain domains[ATTACHMENT_DOMAINS_MAX];
	size_t n_domains;
	struct link links[LINKS_MAX]; /* of the domains, and the port behind them */
	size_t n_links;
	bool changed;        /* a link of a domain was made or mended */
	bool is_restored;    /* so may have been any of them, by another call */
	json_t *ipam_result; /* owned; NULL: no IPAM */
	bool ipam_refused;   /* it was asked, and gave nothing */
};

/* Can be closed: nothing is open, not even descriptor 0. */
#define ATTACHMENT_NONE                \
	((struct attachment){          \
		.store = { .fd = -1 }, \
		.lock = LOCK_NONE,     \
		.hbr = NETNS_NONE,     \
		.pod = NETNS_NONE,     \
	})

/*
 * For a request: read node file and state; the namespaces are opened by attachment_enter().
 * create: make the state's directories. Nothing is locked yet.
 */
int attachment_open(struct attachment *attachment, const struct attachment_type *type,
		    const struct request *request, bool create, struct error *err);
void attachment_close(struct attachment *attachment);

/* Lock it. 1; 0: somebody else has it (only with a timeout of 0). */
int attachment_lock(struct attachment *attachment, unsigned timeout_ms, struct error *err);

/*
 * Talk to the host and, if it is there, to the HBR netns; "needed" makes it an error when it is
 * not, or when it is no other than the host's.
 */
int attachment_enter(struct attachment *attachment, bool needed, struct error *err);

/* Open the pod's namespace; ERROR_INVALID_NETNS when it is the plugin's own or the HBR netns. */
int attachment_enter_pod(struct attachment *attachment, struct error *err);

/* The same for the way out: a namespace that is not there, or is another one now, is left alone. */
int attachment_visit_pod(struct attachment *attachment, struct error *err);

/* Read the node's file, and what the network overrides of it. */
int attachment_load_node(struct attachment *attachment, struct error *err);

struct site attachment_site(struct attachment *attachment);

/* The pod's end as the steps want it. */
struct pod attachment_pod(struct attachment *attachment);

#define auto_attachment CLEANUP(attachment_close)
