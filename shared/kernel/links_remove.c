// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/kinds.h"
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

struct search {
	const struct link *links;
	size_t n;
	enum link_place place;
	int master;
	char *guest;
};

static int on_port(const struct link_state *state, void *arg)
{
	struct search *search = arg;

	if (state->master != search->master)
		return 0;
	for (size_t i = 0; i < search->n; i++) {
		if (search->links[i].place == search->place &&
		    strcmp(search->links[i].name, state->link.name) == 0)
			return 0;
	}
	memcpy(search->guest, state->link.name, IFNAMSIZ);

	return 1;
}

/* 1 and the index of a master that is there and ours: one of others is not removed anyway. */
static int find_own(struct netlink *nl, const struct link *master, int *index, struct error *err)
{
	struct link_state state;
	struct error foreign;
	int r = link_find(nl, master, &state, err);

	if (r <= 0)
		return r;
	*index = state.index;

	return link_is_ours(master, &state, &foreign) == 1;
}

static bool is_master(const struct link *link)
{
	return link->kind == LINK_BRIDGE || link->kind == LINK_VRF;
}

int links_find_guest(struct netlink nl[static PLACES], const struct link *links, size_t n,
		     char guest[static IFNAMSIZ], struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct netlink *talk = &nl[links[i].place];
		struct search search = { links, n, links[i].place, 0, guest };
		int r;

		if (!is_master(&links[i]) || !talk->sock)
			continue;
		r = find_own(talk, &links[i], &search.master, err);
		if (r == 1)
			r = links_each(talk, &links[i], on_port, &search, err);
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
	bool port; /* there is one: the rest has to stay */
};

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

static int on_marked(const struct link_state *state, void *arg)
{
	struct marked *marked = arg;

	if (state->link.group != marked->links[0].group)
		return 0;
	for (enum link_kind kind = 0; kind < LINK_KINDS; kind++) {
		if (strcmp(state->kind, link_kinds[kind].name) != 0)
			continue;
		/* Ports of pods are marked too. A VLAN of the host's that is in no bridge may have
		 * macvlans in pods, unseen. */
		if (kind == LINK_VETH || kind == LINK_MACVLAN ||
		    (kind == LINK_VLAN && marked->place == PLACE_HOST && !state->master))
			marked->port = true;
		else if (is_of_list(marked, state) && marked->n[kind] < MARKED_MAX)
			marked->index[kind][marked->n[kind]++] = state->index;
	}

	return 0;
}

static int on_slave(const struct link_state *state, void *arg)
{
	struct marked *marked = arg;

	if (!state->master || is_of_list(marked, state))
		return 0;
	for (size_t i = 0; i < marked->n[LINK_BRIDGE]; i++)
		marked->port = marked->port || state->master == marked->index[LINK_BRIDGE][i];
	for (size_t i = 0; i < marked->n[LINK_VRF]; i++)
		marked->port = marked->port || state->master == marked->index[LINK_VRF][i];

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
		       struct marked marked[static COUNT(places)], struct error *err)
{
	for (size_t i = 0; i < COUNT(places); i++) {
		struct netlink *talk = &nl[places[i]];

		marked[i] = (struct marked){ .links = links, .n_links = n, .place = places[i] };
		if (!talk->sock)
			continue;
		if (links_each(talk, &links[0], on_marked, &marked[i], err) < 0 ||
		    links_each(talk, &links[0], on_slave, &marked[i], err) < 0)
			return -1;
	}

	return 0;
}

int links_marked_are_used(struct netlink nl[static PLACES], const struct link *links, size_t n,
			  struct error *err)
{
	struct marked marked[COUNT(places)];

	if (find_marked(nl, links, n, marked, err) < 0)
		return -1;

	return marked[0].port || marked[1].port;
}

int links_remove_marked(struct netlink nl[static PLACES], const struct link *links, size_t n,
			struct error *err)
{
	struct marked marked[COUNT(places)];

	if (find_marked(nl, links, n, marked, err) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(places); i++) {
		if (nl[places[i]].sock && remove_marked(&nl[places[i]], &marked[i], err) < 0)
			return -1;
	}

	return 0;
}
