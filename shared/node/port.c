// SPDX-License-Identifier: Apache-2.0
#include "shared/node/port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/patience.h"
#include "shared/kernel/link_find.h"

#define AWAIT_MS 1000

static uint64_t hash(const char *container_id, const char *ifname)
{
	return hash_parts((const char *const[]){ container_id, ifname }, 2);
}

void port_name(const char *container_id, const char *ifname, char name[static IFNAMSIZ])
{
	char digits[13];

	hash_print(hash(container_id, ifname), digits, sizeof(digits));
	snprintf(name, IFNAMSIZ, "pv%s", digits);
}

void port_alias(const char *slug, const char *container_id, const char *ifname,
		char alias[static LINK_ALIAS_SIZE])
{
	char digits[17];

	if (snprintf(alias, LINK_ALIAS_SIZE, "hbr-cni:%s:port:%s/%s", slug, container_id, ifname) <
	    LINK_ALIAS_SIZE)
		return;

	hash_print(hash(container_id, ifname), digits, sizeof(digits));
	snprintf(alias, LINK_ALIAS_SIZE, "hbr-cni:%s:port:%.20s...%s", slug, container_id, digits);
}

/* Who it is for stands behind the slug, which is another one when the node has changed its mind
 * about the HBR netns. Without an alias of ours it is one whose ADD was killed. */
static bool is_anothers(const char *is, const char *wanted)
{
	static const char before[] = ":port:";
	const char *its =
		strncmp(is, "hbr-cni:", strlen("hbr-cni:")) == 0 ? strstr(is, before) : NULL;
	const char *ours = strstr(wanted, before);

	return its && ours && strcmp(its, ours) != 0;
}

int port_find(const struct site *site, const char *name, const char *alias, struct link_state *port,
	      struct error *err)
{
	static const enum link_place places[] = { PLACE_HOST, PLACE_HBR };
	struct link wanted = { .kind = LINK_VETH };

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	for (size_t i = 0; i < COUNT(places); i++) {
		struct link_state state;
		int r;

		wanted.place = places[i];
		if (!site->nl[places[i]].sock)
			continue;
		r = link_find(&site->nl[places[i]], &wanted, &state, err);
		if (r < 0)
			return -1;
		if (r == 1 && strcmp(state.kind, "veth") == 0 &&
		    (state.link.group & LINK_GROUP_MASK) == LINK_GROUP_MARK &&
		    !is_anothers(state.link.alias, alias)) {
			*port = state;
			return 1;
		}
	}

	return 0;
}

int port_remove(const struct site *site, const char *name, const char *alias, struct error *err)
{
	struct link_state state;
	int r = port_find(site, name, alias, &state, err);

	return r <= 0 ? r : links_remove(site->nl, &state.link, 1, err);
}

struct search {
	const char *name, *alias;
	struct link found;
};

static int on_link(const struct link_state *state, void *arg)
{
	struct search *search = arg;

	if (strcmp(state->kind, "macvlan") != 0 ||
	    (state->link.group & LINK_GROUP_MASK) != LINK_GROUP_MARK ||
	    (strcmp(state->link.alias, search->alias) != 0 &&
	     strcmp(state->link.name, search->name) != 0))
		return 0;
	search->found = state->link;

	return 1;
}

int port_find_in_pod(struct netlink *pod, const char *name, const char *alias, struct link *port,
		     struct error *err)
{
	const struct link like = { .kind = LINK_MACVLAN, .place = PLACE_POD };
	struct search search = { .name = name, .alias = alias };
	int r = pod->sock ? links_each(pod, &like, on_link, &search, err) : 0;

	*port = search.found;

	return r;
}

int port_remove_in_pod(struct netlink *pod, const char *name, const char *alias, struct error *err)
{
	struct netlink nl[PLACES] = { [PLACE_POD] = *pod };
	struct link port;
	int r = port_find_in_pod(pod, name, alias, &port, err);

	return r <= 0 ? r : links_remove(nl, &port, 1, err);
}

int port_await(struct netlink *nl, const struct link *port, struct error *err)
{
	struct patience patience = patience_begin(AWAIT_MS, 200, 10000);
	struct link_state state;

	do {
		int r = link_find(nl, port, &state, err);

		if (r < 0)
			return -1;
		if (r == 1 && state.forwarding)
			return 0;
	} while (patience_pause(&patience));

	return error_set(err, ERROR_TRY_AGAIN,
			 "%s does not forward: the port of %s stays without carrier", port->name,
			 port->master);
}
