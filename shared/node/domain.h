// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Domains: what pods share on this node. The first holder makes a domain, the last one's release
 * removes it. Its domain.json decides: what the first holder fixed is taken over by those who do
 * not say, and refused to those who say otherwise. A holder is put before the links are touched and
 * taken off before they are removed, both under the domain's lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/fields.h"
#include "shared/kernel/links.h"
#include "shared/node/node.h"
#include "shared/node/store.h"

#define DOMAIN_LOCK_MS 20000 /* how long to wait for a lock */

/* Where all this happens. */
struct site {
	const struct node *node;
	const struct store *store;
	struct netlink *nl;      /* by place */
	const struct netns *hbr; /* the HBR netns itself, for what is no netlink's to do */
	bool is_certain; /* an operator's word: no pod has an unseen link (a macvlan) on what is
			    left */
	bool doubts_frr; /* FRR may have lost what it was told without a new start */
};

/* What a network says of a domain, as its plugin keeps it. */
struct network {
	const struct field_table *table;
	void *values;
	uint64_t *given; /* which rows have a value; with the values */
};

struct domain;

struct domain_kind {
	unsigned flag; /* of the rows that the first holder fixes */
	/* Choose what nobody gave, and mark it as given, for a domain that is new; under the node's
	 * lock. */
	int (*settle)(const struct site *site, struct network *network, struct error *err);
	/* The links it is made of, parents first; how many. Pure. */
	size_t (*links)(const struct node *node, const void *values, struct link *links);
	/* What links alone do not say: done when they were made or mended, before those that are
	 * late go up; undone before they go, and the rest of it after they went. All idempotent.
	 * NULL: nothing. */
	int (*finish)(const struct site *site, void *values, struct error *err);
	int (*undo)(const struct site *site, void *values, struct error *err);
	int (*clear)(const struct site *site, void *values, struct error *err);
	/* For others to notice, when links were made or mended: without the lock, it may take time,
	 * and a failure is a warning. NULL: nothing. */
	void (*publish)(const struct site *site, const void *values);
	/* May what finish did have been lost though the links are as they were? 1: it is done
	 * again, with those that are late down. Asked at each ADD, so a look at most. NULL: never.
	 */
	int (*has_lost)(const struct site *site, void *values, struct error *err);
	/* For one that nobody remembers any more: what the kernel still tells of it. NULL: nothing.
	 */
	int (*recover)(const struct site *site, void *values, struct error *err);
	/* The domain that this one holds as long as it is there (a VRF); false: none. NULL: never.
	 */
	bool (*parent)(void *values, struct domain *parent);
	/* What stands on it, and may be there without a holder (a link of somebody else's needed
	 * it when the last one left): it goes first. NULL: nothing. */
	void (*leg)(const struct network *network, struct domain *leg);
};

struct domain {
	const struct domain_kind *kind;
	char name[STORE_NAME_SIZE]; /* "l2-10100" */
	char title[64];             /* "the L2 domain of VNI 10100" */
	struct network network;     /* whose values it fixes */
	struct lock lock, parent_lock;
	bool is_missed; /* an ADD ended before it got here: there is nothing of it to release */
};

/* A domain of that kind, name and network, which nobody has looked at yet. */
#define DOMAIN(kind_, table_, values_, given_)                                            \
	((struct domain){                                                                 \
		.kind = (kind_),                                                          \
		.network = { .table = (table_), .values = (values_), .given = (given_) }, \
		.lock = LOCK_NONE,                                                        \
		.parent_lock = LOCK_NONE })

/*
 * Become a holder: lock the domain (it stays locked), settle what is open in the network's values,
 * put the holder; then the same for its parent, which the domain itself holds. -1: ERROR_CONFLICT
 * with both values, ERROR_TRY_AGAIN, ERROR_STATE.
 */
int domain_hold(struct domain *domain, const struct site *site, const char *id, json_t *holder,
		struct error *err);

/* Write down what it has fixed; for its kind. */
int domain_remember(const struct domain *domain, const struct site *site, struct error *err);

/*
 * Make its links so, its parent's first; they are appended to the *n there are. *changed is set
 * when something was sent.
 */
int domain_converge(const struct domain *domain, const struct site *site, struct link *links,
		    size_t *n, bool *changed, struct error *err);

/* For its kind: what was made is there for others to notice. Not under a lock. */
void domain_publish(const struct domain *domain, const struct site *site);

/*
 * Make one that is remembered so again, with its parent and its leg, for those who hold it; as much
 * as *changed tells. Locks and unlocks. 1 it is so; 0 nothing can be read of it. -1: what
 * domain_converge() says; ERROR_TRY_AGAIN.
 */
int domain_restore(struct domain *domain, const struct site *site, bool *changed,
		   struct error *err);

/* Does anybody hold it? 1, 0. */
int domain_is_held(const struct domain *domain, const struct site *site, struct error *err);

/* What an ADD would find or fix, without doing it: settles what is open in the network's values and
 * its parent's. 1 the domain is there, 0 it would be made. -1: what domain_hold() would say. */
int domain_foresee(const struct domain *domain, const struct site *site, struct error *err);

/* The same links, as they should be; how many. */
size_t domain_list_links(const struct domain *domain, const struct node *node, struct link *links);

/* Take what the domain has fixed into the network's values, and its parent's. 0: there is no such
 * domain, or no such parent. */
int domain_recall(const struct domain *domain, const struct site *site, struct error *err);

/* The same, whatever the network asks for: what is remembered is what counts. No parent's. */
int domain_recall_as_is(const struct domain *domain, const struct site *site, struct error *err);

/*
 * Stop being a holder; remove the domain when that was the last one, and let its parent go. Locks
 * unless it is locked, and unlocks. A domain that a link of somebody else's needs is left as it
 * is.
 */
int domain_release(struct domain *domain, const struct site *site, const char *id,
		   struct error *err);

/* Remove it if nobody holds it: what a call that was killed has left, or what had to stay for a
 * guest that has gone by now. Whatever is needed stays. */
int domain_sweep(struct domain *domain, const struct site *site, struct error *err);

/* Release what a domain that is gone held. It may have come back meanwhile: then nothing. */
int domain_release_child(struct domain *domain, const struct site *site, const char *child,
			 struct error *err);

void domain_unlock(struct domain *domain);

/* Its parent, as far as the values tell; its leg, which need not be there. */
bool domain_parent(const struct domain *domain, struct domain *parent);
bool domain_leg(const struct domain *domain, struct domain *leg);

/*
 * Choose the lowest VLAN of the node's range that no domain and no link on the trunk has, or see
 * that no other domain has the one that was asked for (*vlan, when it is not 0). Dumps. What the
 * VLAN is for is the domain of this name.
 */
int domain_choose_vlan(const struct site *site, const char *domain, uint32_t *vlan,
		       struct error *err);
