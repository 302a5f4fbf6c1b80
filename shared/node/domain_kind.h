// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What a domain is, for those who write a kind of them (an L2 domain, its leg on the trunk, a VRF):
 * choices and links as data, and what links alone do not say. domain.h brings one to life.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/field.h"
#include "shared/kernel/links.h"
#include "shared/node/site.h"
#include "shared/node/store_lock.h"

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

/* Write down what it has fixed. */
int domain_remember(const struct domain *domain, const struct site *site, struct error *err);
