// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One (containerID, ifname) on its way in or out: who it is, where it happens, what it wants. ADD
 * applies the plugin's steps to one made from a request; DEL, GC and the reaping of the dead revert
 * them on one made from a record. Both hold the attachment's lock meanwhile.
 */

#include <jansson.h>
#include <stdbool.h>

#include "shared/base/steps.h"
#include "shared/cni/interface.h"
#include "shared/cni/request.h"
#include "shared/node/domain.h"

#define ATTACHMENT_DOMAINS_MAX 3
#define ATTACHMENT_LOCK_MS     20000

struct attachment;

/* What makes a plugin: its keys, its topology, its steps. */
struct attachment_type {
	const char *name; /* "hbr-l2" */
	const struct field_table *fields;
	size_t values_size;      /* of the struct that the fields land in */
	size_t interface_offset; /* of the struct interface in it */

	/* Fill in what follows from node and keys, and see that they fit together. */
	int (*settle)(const struct node *node, void *values, uint64_t *given, struct error *err);
	/* The domains it holds, in the order in which they are locked; how many. */
	size_t (*domains)(void *values, uint64_t *given, struct domain *domains);
	/* The first of them, by the name of one in the store, with what that name tells; false: it
	 * is not of this type. For those who look at domains and not at pods. */
	bool (*find_domain)(const char *name, void *values, uint64_t *given, struct domain *domain);
	/* The keys that a port on the node tells, when nothing else is known any more. */
	int (*recover)(const struct site *site, const struct link_state *port, void *values,
		       struct error *err);
	/* The port, but for names and MACs of the attachment, which are filled in already. Pure. */
	void (*port)(const struct node *node, const void *values, struct link *port);
	/* Is the pod's MAC its own alone in the first domain? NULL: there is no such rule. */
	bool (*claims)(const void *values);
	/* For CHECK: what links and the pod's end do not tell. The links' indexes are known. */
	int (*verify)(struct attachment *attachment, struct error *err);

	bool is_trunked; /* its pods come by the trunk, unless wired direct; it has tunnels */
	unsigned kinds;  /* of links that every ADD makes: a bit for each enum link_kind */
	const struct ip *next_hop; /* struct pod; NULL: none */
	const struct step *steps;  /* on a struct attachment */
	size_t n_steps;
};

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

/* Read the keys of the network, and what follows from them. */
int attachment_read_values(struct attachment *attachment, struct error *err);

/* Take over a record: from here on the attachment is what ADD was asked for. */
int attachment_take_record(struct attachment *attachment, json_t *record, struct error *err);

/* The request that reverts or looks at the attachment of a record; "caller" has what a record has
 * not (CNI_PATH). Its strings are the record's. */
struct request attachment_request(json_t *record, const struct request *caller);

/*
 * On the node it is as ADD left it: its domains are known, their links and its port are as they
 * should be. Lists the links; their indexes are known then. -1, ERROR_CHECK, for the first
 * difference.
 */
int attachment_verify(struct attachment *attachment, struct error *err);

/* What ADD gave it, without what plugins before it in the chain had: the result as its record has
 * it, a new object; and as the steps want it. -1: ERROR_CHECK, the ADD did not end; ERROR_STATE. */
int attachment_copy_result(const struct attachment *attachment, json_t **result, struct error *err);
int attachment_recall_addressing(struct attachment *attachment, struct error *err);

/* All of that, for those who have no result of the runtime's to compare with; of the pod's end only
 * a port that is in the pod. */
int attachment_compare(struct attachment *attachment, struct error *err);

/* What holds a domain, and, with more in it, the record of the attachment (result: NULL while it is
 * on its way). New objects, NULL without memory. */
json_t *attachment_describe_holder(const struct attachment *attachment);
json_t *attachment_describe(const struct attachment *attachment, json_t *result);

struct site attachment_site(struct attachment *attachment);

/* The pod's end as the steps want it. */
struct pod attachment_pod(struct attachment *attachment);

/* The alias of its port, in which its name stands in full. */
void attachment_alias(const struct attachment *attachment, char alias[static LINK_ALIAS_SIZE]);

/* Is there nothing of it on the node (a macvlan), so that it can be found in the pod only? */
bool attachment_is_in_pod(const struct attachment *attachment);

/* The links of all its domains (whose values are known), and its port as the last one; or the port
 * alone, behind the links of the domains. */
void attachment_list_links(struct attachment *attachment);
void attachment_list_port(struct attachment *attachment);

#define auto_attachment CLEANUP(attachment_close)
