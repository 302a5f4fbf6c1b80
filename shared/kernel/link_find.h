// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Links asked for: by name, by index, all of a namespace; and the message that anything is asked
 * by. */

#include "shared/kernel/link.h"

/* 1 and *state when there is a link of that name, 0 when not (an alternative name is none). */
int link_find(struct netlink *nl, const struct link *wanted, struct link_state *state,
	      struct error *err);

/*
 * Does the kernel make links of a kind? 1, 0; -1 when we may not make any. It is asked for one with
 * an address that none can have: where the kind is known that is what is refused.
 */
int link_knows_kind(struct netlink *nl, enum link_kind kind, struct error *err);

/* 1 and its index, 0 when there is no link of that name. */
int link_find_index(struct netlink *nl, const char *name, int *index, struct error *err);

/* Its index; that there is none is an ERROR_CONFLICT. */
int link_get_index(struct netlink *nl, const char *name, int *index, struct error *err);

/* For messages: the name of the link of an index. */
void link_print_name(struct netlink *nl, int index, char name[static IFNAMSIZ]);

/* Call visit for every link of the namespace; other than 0 ends it. Dumps. */
typedef int link_visit_fn(const struct link_state *state, void *arg);
int links_each(struct netlink *nl, const struct link *like, link_visit_fn *visit, void *arg,
	       struct error *err);

/* The same where one link too many, or twice, does no harm: others may come and go so fast that no
 * dump is ever whole. Then visit is called for all that any of them had, the latest last. */
int links_survey(struct netlink *nl, const struct link *like, link_visit_fn *visit, void *arg,
		 struct error *err);

/* A message about the link of an index (0: of a name that follows), which sets those flags (IFF_*)
 * of the mask. NULL: no memory. */
struct nl_msg *link_message(int type, int nl_flags, int index, unsigned flags, unsigned mask);
