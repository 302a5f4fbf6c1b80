// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/bridge_vlan.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/link_find.h"

/* Of <linux/if_bridge.h>, which clashes with libc. */
enum { AF_SPEC_FLAGS = 0, AF_SPEC_VLAN_INFO = 2, FLAG_SELF = 2, VLAN_UNTAGGED = 2 | 4 };
struct vlan_info {
	uint16_t flags, id;
};

int bridge_vlan_is_aware(struct netlink *nl, const char *name, int *index, struct error *err)
{
	struct link wanted = { .kind = LINK_BRIDGE };
	struct link_state state;
	int r;

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	r = link_find(nl, &wanted, &state, err);
	if (r <= 0)
		return r;
	*index = state.index;

	return strcmp(state.kind, "bridge") == 0 && state.link.bridge.vlan_filtering;
}

static struct nl_msg *message(int type, int flags, int index)
{
	struct ifinfomsg ifi = { .ifi_family = AF_BRIDGE, .ifi_index = index };
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (msg && nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}

	return msg;
}

struct search {
	int bridge;
	bool own[BRIDGE_VLANS], used[BRIDGE_VLANS];
};

static int on_bridge(struct nl_msg *msg, void *arg)
{
	const struct ifinfomsg *ifi = nlmsg_data(nlmsg_hdr(msg));
	struct search *search = arg;
	struct nlattr *spec, *master, *nla;
	struct vlan_info info;
	bool own = ifi->ifi_index == search->bridge;
	int rest;

	spec = nlmsg_find_attr(nlmsg_hdr(msg), sizeof(*ifi), IFLA_AF_SPEC);
	master = nlmsg_find_attr(nlmsg_hdr(msg), sizeof(*ifi), IFLA_MASTER);
	if (!spec || (!own && (!master || nla_get_s32(master) != search->bridge)))
		return NL_OK;
	nla_for_each_nested(nla, spec, rest) {
		if (nla_type(nla) != AF_SPEC_VLAN_INFO || nla_len(nla) < (int)sizeof(info))
			continue;
		memcpy(&info, nla_data(nla), sizeof(info));
		search->own[info.id % BRIDGE_VLANS] |= own;
		search->used[info.id % BRIDGE_VLANS] |= own || (info.flags & VLAN_UNTAGGED);
	}

	return NL_OK;
}

static void forget(void *arg)
{
	struct search *search = arg;

	*search = (struct search){ .bridge = search->bridge };
}

static int look(struct netlink *nl, struct search *search, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = message(RTM_GETLINK, NLM_F_DUMP, 0);
	int r = -ENOMEM;

	if (msg && nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_BRVLAN) == 0)
		r = netlink_dump(nl, msg, on_bridge, forget, search);

	return r < 0 ? netlink_error(nl, r, err, "list the VLANs of bridges") : 0;
}

int bridge_vlan_mark(struct netlink *nl, int bridge, bool used[static BRIDGE_VLANS],
		     struct error *err)
{
	struct search search = { .bridge = bridge };

	if (look(nl, &search, err) < 0)
		return -1;
	for (size_t i = 0; i < BRIDGE_VLANS; i++)
		used[i] |= search.used[i];

	return 0;
}

int bridge_vlan_find(struct netlink *nl, int bridge, uint16_t id, struct error *err)
{
	struct search search = { .bridge = bridge };

	return look(nl, &search, err) < 0 ? -1 : search.own[id % BRIDGE_VLANS];
}

static int change(struct netlink *nl, int type, int bridge, uint16_t id, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = message(type, 0, bridge);
	const struct vlan_info info = { .id = id };
	struct nlattr *spec = msg ? nla_nest_start(msg, IFLA_AF_SPEC) : NULL;
	int r = -ENOMEM;

	if (spec && nla_put_u16(msg, AF_SPEC_FLAGS, FLAG_SELF) == 0 &&
	    nla_put(msg, AF_SPEC_VLAN_INFO, sizeof(info), &info) == 0) {
		nla_nest_end(msg, spec);
		r = netlink_request(nl, msg, NULL, NULL);
	}
	if (r < 0)
		return netlink_error(nl, r, err, "%s VLAN %u of the trunk's bridge",
				     type == RTM_SETLINK ? "add" : "remove", id);

	return 0;
}

int bridge_vlan_add(struct netlink *nl, int bridge, uint16_t id, struct error *err)
{
	return change(nl, RTM_SETLINK, bridge, id, err);
}

int bridge_vlan_remove(struct netlink *nl, int bridge, uint16_t id, struct error *err)
{
	return change(nl, RTM_DELLINK, bridge, id, err);
}
