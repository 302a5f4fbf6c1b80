// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A list of links made so, compared, or taken away.
 *
 * links_converge() goes through the list in the order given and sends nothing for what is right
 * already. Links are shared between pods, so it never deletes one, and those of others are used as
 * they are or refused: only a link that carries our mark is changed or removed.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"
#include "shared/kernel/link.h"

#define LINKS_MAX        12 /* of one attachment: those of its domains, and its port */
#define LINKS_GUEST_SIZE 64

/*
 * Make links[first..n) so; they may refer to those before them. *changed (may be NULL) is set to
 * true when something was sent; it is not set to false. -1: ERROR_CONFLICT with what is and what
 * was wanted; ERROR_EXISTS when the other end of a veth is there already; ERROR_NETLINK.
 */
int links_converge(struct netlink nl[static PLACES], struct link *links, size_t first, size_t n,
		   bool *changed, struct error *err);

/* Set up those that are late and were converged, or lowered, just now. */
int links_raise(struct netlink nl[static PLACES], const struct link *links, size_t n,
		struct error *err);

/* Set down those that are late, so that what must be ready before they are seen can be done anew.
 */
int links_lower(struct netlink nl[static PLACES], struct link *links, size_t n, struct error *err);

/* The same for those that are there and ours, whatever is known of them, before they are removed.
 */
int links_stop(struct netlink nl[static PLACES], const struct link *links, size_t n,
	       struct error *err);

/* The same walk without permission to change: -1, ERROR_CHECK, for the first difference. */
int links_verify(struct netlink nl[static PLACES], struct link *links, size_t n, struct error *err);

/*
 * What converging links[i] would do, those before it having been looked at: nothing is changed.
 * LINK_CHANGE: err says what differs. -1: the error that links_converge() would end with, as far as
 * it can be foreseen.
 */
enum link_fate { LINK_KEEP, LINK_ADOPT, LINK_CREATE, LINK_CHANGE };
int links_foresee(struct netlink nl[static PLACES], struct link *links, size_t n, size_t i,
		  enum link_fate *fate, struct error *err);

/* Remove those that are ours, last first; goes on after a failure and reports the first. */
int links_remove(struct netlink nl[static PLACES], const struct link *links, size_t n,
		 struct error *err);

/*
 * For when nobody knows any more what exactly was made: whatever has the group, the kind and the
 * place of one of these links, and no alias or that of one. used: 1 when there is a port that needs
 * them, else 0. A VLAN of the host's in no bridge may have macvlans in pods, unseen: it counts as
 * used, but for somebody who is certain that it has none. Both dump.
 */
int links_marked_are_used(struct netlink nl[static PLACES], const struct link *links, size_t n,
			  bool is_certain, struct error *err);
int links_remove_marked(struct netlink nl[static PLACES], const struct link *links, size_t n,
			bool is_certain, struct error *err);

/*
 * A link that goes takes those on it along (macvlans, VLANs), and a bridge or VRF lets its ports
 * go: 1 and whose these are ("theirs is still a port of br.7"), when they are in sight and not of
 * the list, else 0. Only what is ours is looked at: links of others are not removed anyway. Dumps.
 */
int links_find_guest(struct netlink nl[static PLACES], const struct link *links, size_t n,
		     char guest[static LINKS_GUEST_SIZE], struct error *err);
