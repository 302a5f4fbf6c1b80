// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/links.h"

#define MARKED_MAX 8 /* of one kind in one place; a domain makes one */

static int delete_link(struct netlink *nl, const struct link *link, int index, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = link_message(RTM_DELLINK, 0, index, 0, 0);
	int r = msg ? netlink_request(nl, msg, NULL, NULL) : -ENOMEM;

	if (r < 0 && r != -ENODEV)
		return netlink_error(nl, r, err, "remove %s", link->name);

	return 0;
}

/* Only what is there under that name, of that kind, and ours. */
static int remove_link(struct netlink *nl, const struct link *link, struct error *err)
{
	struct link_state state;
	struct error foreign;

	if (!nl->sock) /* the namespace is gone, and the link with it */
		return 0;

	switch (link_find(nl, link, &state, err)) {
	case 0:
		return 0;
	case 1:
		break;
	default:
		return -1;
	}
	if (strcmp(state.kind, link_kinds[link->kind].name) != 0 ||
	    link_is_ours(link, &state, &foreign) != 1)
		return 0;

	return delete_link(nl, link, state.index, err);
}

int links_remove(struct netlink nl[static PLACES], const struct link *links, size_t n,
		 struct error *err)
{
	struct error failure;
	int r = 0;

	while (n-- > 0) {
		if (remove_link(&nl[links[n].place], &links[n], &failure) == 0)
			continue;
		if (r == 0)
			*err = failure;
		r = -1;
	}

	return r;
}

/* For a link of somebody else's that needs one of ours, in one place. */
struct search {
	const struct link *links;
	size_t n;
	enum link_place place;
	int index[LINKS_MAX]; /* of those that are there and ours, else 0 */
	char *guest;
};

static bool is_listed(const struct search *search, const char *name)
{
	for (size_t i = 0; i < search->n; i++) {
		if (search->links[i].place == search->place &&
		    strcmp(search->links[i].name, name) == 0)
			return true;
	}

	return false;
}

static bool is_master(enum link_kind kind)
{
	return kind == LINK_BRIDGE || kind == LINK_VRF;
}

static int on_guest(const struct link_state *state, void *arg)
{
	struct search *search = arg;

	if (is_listed(search, state->link.name))
		return 0;
	for (size_t i = 0; i < search->n; i++) {
		const struct link *link = &search->links[i];
		bool is_port = is_master(link->kind) && state->master == search->index[i];

		if (!search->index[i] ||
		    (!is_port && (state->is_apart || state->lower != search->index[i])))
			continue;
		snprintf(search->guest, LINKS_GUEST_SIZE, "%s is still %s %s", state->link.name,
			 is_port ? "a port of" : "on top of", link->name);
		return 1;
	}

	return 0;
}

/* The index of a link that is there and ours, else 0. */
static int find_own(struct netlink *nl, const struct link *link, int *index, struct error *err)
{
	struct link_state state;
	struct error foreign;
	int r = link_find(nl, link, &state, err);

	if (r < 0)
		return -1;
	if (r == 1 && strcmp(state.kind, link_kinds[link->kind].name) == 0 &&
	    link_is_ours(link, &state, &foreign) == 1)
		*index = state.index;

	return 0;
}

static int stop_link(struct netlink *nl, const struct link *link, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = NULL;
	int index = 0, r;

	if (find_own(nl, link, &index, err) < 0)
		return -1;
	if (!index)
		return 0;
	msg = link_message(RTM_NEWLINK, 0, index, 0, IFF_UP);
	r = msg ? netlink_request(nl, msg, NULL, NULL) : -ENOMEM;

	return r < 0 && r != -ENODEV ? netlink_error(nl, r, err, "set down %s", link->name) : 0;
}

int links_stop(struct netlink nl[static PLACES], const struct link *links, size_t n,
	       struct error *err)
{
	while (n-- > 0) {
		if (links[n].is_late && stop_link(&nl[links[n].place], &links[n], err) < 0)
			return -1;
	}

	return 0;
}

static int find_guest(struct netlink *nl, struct search *search, struct error *err)
{
	bool any = false;

	for (size_t i = 0; i < search->n; i++) {
		if (search->links[i].place == search->place &&
		    find_own(nl, &search->links[i], &search->index[i], err) < 0)
			return -1;
		any = any || search->index[i];
	}

	return any ? links_survey(nl, &search->links[0], on_guest, search, err) : 0;
}

int links_find_guest(struct netlink nl[static PLACES], const struct link *links, size_t n,
		     char guest[static LINKS_GUEST_SIZE], struct error *err)
{
	for (enum link_place place = 0; place < PLACES; place++) {
		struct search search = { links, n, place, { 0 }, guest };
		int r = nl[place].sock ? find_guest(&nl[place], &search, err) : 0;

		if (r != 0)
			return r;
	}

	return 0;
}

/* The links of a list in one place, by their marks alone. */
struct marked {
	const struct link *links;
	size_t n_links;
	enum link_place place;
	int index[LINK_KINDS][MARKED_MAX];
	size_t n[LINK_KINDS];
	int others[MARKED_MAX]; /* a VRF beside an L2 domain, or a bridge beside a VRF's */
	size_t n_others;
	bool is_certain; /* nothing unseen is on top */
	bool port;       /* there is one: the rest has to stay */
};

/* A VRF without VNI has its table's number in its mark, which may be an L2 domain's VNI: of the
 * two, whose list is it? */
static bool is_of_vrf(const struct marked *marked)
{
	for (size_t i = 0; i < marked->n_links; i++) {
		if (marked->links[i].kind == LINK_VRF)
			return true;
	}

	return false;
}

static bool is_of_list(const struct marked *marked, const struct link_state *state)
{
	for (size_t i = 0; i < marked->n_links; i++) {
		const struct link *link = &marked->links[i];

		if (link->place == marked->place && link->group == state->link.group &&
		    strcmp(state->kind, link_kinds[link->kind].name) == 0 &&
		    (!state->link.alias[0] || strcmp(state->link.alias, link->alias) == 0))
			return true;
	}

	return false;
}

/* A VLAN of the host's that is in no bridge may have macvlans in pods, unseen. */
static bool may_have_guests(const struct marked *marked, enum link_kind kind,
			    const struct link_state *state)
{
	return kind == LINK_VLAN && marked->place == PLACE_HOST && !state->master &&
	       !marked->is_certain && !is_of_vrf(marked);
}

static int on_marked(const struct link_state *state, void *arg)
{
	struct marked *marked = arg;

	if (state->link.group != marked->links[0].group)
		return 0;
	for (enum link_kind kind = 0; kind < LINK_KINDS; kind++) {
		if (strcmp(state->kind, link_kinds[kind].name) != 0)
			continue;
		if (may_have_guests(marked, kind, state))
			marked->port = true;
		else if (is_of_list(marked, state) && marked->n[kind] < MARKED_MAX)
			marked->index[kind][marked->n[kind]++] = state->index;
		else if (kind == (is_of_vrf(marked) ? LINK_BRIDGE : LINK_VRF) &&
			 marked->n_others < MARKED_MAX)
			marked->others[marked->n_others++] = state->index;
	}

	return 0;
}

/* Ports of pods are marked too: all but those of the others. */
static bool is_port(const struct marked *marked, const struct link_state *state)
{
	for (size_t i = 0; i < marked->n_others; i++) {
		if (state->master == marked->others[i])
			return false;
	}

	return state->link.group == marked->links[0].group &&
	       (strcmp(state->kind, link_kinds[LINK_VETH].name) == 0 ||
		strcmp(state->kind, link_kinds[LINK_MACVLAN].name) == 0);
}

static bool is_marked(const struct marked *marked, enum link_kind kind, int index)
{
	for (size_t i = 0; i < marked->n[kind]; i++) {
		if (marked->index[kind][i] == index)
			return true;
	}

	return false;
}

/* What is in one of them, or on top of one. */
static int on_needing(const struct link_state *state, void *arg)
{
	struct marked *marked = arg;

	if (is_of_list(marked, state))
		return 0;
	marked->port = marked->port || is_port(marked, state);
	for (enum link_kind kind = 0; kind < LINK_KINDS; kind++)
		marked->port = marked->port ||
			       (is_master(kind) && is_marked(marked, kind, state->master)) ||
			       (!state->is_apart && is_marked(marked, kind, state->lower));

	return 0;
}

static int remove_marked(struct netlink *nl, const struct marked *marked, struct error *err)
{
	/* What is below goes first, a VRF last: see the kernel's side effects of deleting a master.
	 */
	static const enum link_kind order[] = { LINK_VLAN, LINK_VXLAN, LINK_BRIDGE, LINK_VRF };

	for (size_t k = 0; k < COUNT(order); k++) {
		struct link link = { .kind = order[k] };

		snprintf(link.name, sizeof(link.name), "a %s", link_kinds[order[k]].name);
		for (size_t i = 0; i < marked->n[order[k]]; i++) {
			if (delete_link(nl, &link, marked->index[order[k]][i], err) < 0)
				return -1;
		}
	}

	return 0;
}

static const enum link_place places[] = { PLACE_HBR, PLACE_HOST };

/* By place. */
static int find_marked(struct netlink nl[static PLACES], const struct link *links, size_t n,
		       bool is_certain, struct marked marked[static COUNT(places)],
		       struct error *err)
{
	for (size_t i = 0; i < COUNT(places); i++) {
		struct netlink *talk = &nl[places[i]];

		marked[i] = (struct marked){
			.links = links, .n_links = n, .place = places[i], .is_certain = is_certain
		};
		if (!talk->sock)
			continue;
		if (links_each(talk, &links[0], on_marked, &marked[i], err) < 0 ||
		    links_each(talk, &links[0], on_needing, &marked[i], err) < 0)
			return -1;
	}

	return 0;
}

int links_marked_are_used(struct netlink nl[static PLACES], const struct link *links, size_t n,
			  bool is_certain, struct error *err)
{
	struct marked marked[COUNT(places)];

	if (find_marked(nl, links, n, is_certain, marked, err) < 0)
		return -1;

	return marked[0].port || marked[1].port;
}

int links_remove_marked(struct netlink nl[static PLACES], const struct link *links, size_t n,
			bool is_certain, struct error *err)
{
	struct marked marked[COUNT(places)];

	if (find_marked(nl, links, n, is_certain, marked, err) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(places); i++) {
		if (nl[places[i]].sock && remove_marked(&nl[places[i]], &marked[i], err) < 0)
			return -1;
	}

	return 0;
}
