// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What links.c knows while it goes through a list: names that it has met need no look-up, and every
 * difference between what is and what was wanted is worded here.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/kernel/kinds.h"
#include "shared/kernel/link.h"

struct walk {
	struct netlink *nl; /* by place */
	struct link *links;
	size_t n;
	bool *changed;
};

struct netlink *walk_talk(const struct walk *walk, const struct link *link);

/* Where a link is made, and where its lower link is: a macvlan is made from the host into a pod. */
enum link_place walk_origin(const struct link *link);

/* The index of a link by its name, 0 for a name that is nowhere. -1 only when the kernel refuses.
 */
int walk_resolve(const struct walk *walk, enum link_place place, const char *name, int *index,
		 struct error *err);

/* The lower link and the master (0: none); a name that is nowhere is an ERROR_CONFLICT. */
int walk_need_lower(const struct walk *walk, const struct link *link, int *index,
		    struct error *err);
int walk_need_master(const struct walk *walk, const struct link *link, int *index,
		     struct error *err);

/* The first attribute with one of these flags (0: any) that is not as wanted is an error of that
 * code; so is another kind. */
int walk_compare(const struct walk *walk, const struct link *link, const struct link_state *state,
		 unsigned flags, int code, struct error *err);

/* Is it enslaved to its master, over its lower link, and up? */
int walk_compare_place(const struct walk *walk, const struct link *link,
		       const struct link_state *state, int code, struct error *err);

/* A link that is not there: is it ours to make, and its name nobody's? -1: ERROR_CONFLICT. */
int walk_may_make(const struct walk *walk, const struct link *link, const struct link_state *state,
		  struct error *err);

/* 1 when a link that can be seen has what only one link can have, else 0. Dumps. */
int walk_has_rival(const struct walk *walk, const struct link *link, struct error *err);

/* EEXIST says that something is in the way, not what. Always -1; names it where that is possible.
 */
int walk_explain(const struct walk *walk, const struct link *link, struct error *err);
