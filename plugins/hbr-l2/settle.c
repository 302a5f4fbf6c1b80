// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/settle.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/bridge_vlan.h"
#include "shared/kernel/sysctl.h"

#define AT(member) offsetof(struct l2, member)

static int settle_vrf(const struct site *site, const struct l2 *l2, struct error *err)
{
	struct link vrf = { .kind = LINK_VRF, .place = PLACE_HBR };
	struct link_state state;
	int r;

	if (!l2->vrf[0])
		return 0;
	memcpy(vrf.name, l2->vrf, sizeof(vrf.name));
	r = link_find(&site->nl[PLACE_HBR], &vrf, &state, err);
	if (r < 0)
		return -1;
	if (r == 0 || strcmp(state.kind, "vrf") != 0)
		return error_set(
			err, ERROR_INVALID_CONFIG,
			"vrf: \"%s\" is no VRF in the HBR netns: wanted one that is there, or "
			"none",
			l2->vrf);

	return 0;
}

static int settle_mtu(const struct site *site, struct l2 *l2, struct error *err)
{
	uint32_t wanted = l2->interface.mtu ? l2->interface.mtu : site->node->mtu;
	struct node_mtu possible;

	if (node_find_mtu(site->node, &site->nl[PLACE_HBR],
			  l2->attach == ATTACH_DIRECT ? NULL : &site->nl[PLACE_HOST],
			  l2->local.family, &possible, err) < 0)
		return -1;
	if (wanted > possible.mtu)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "mtu: %u is more than the path can carry: wanted at most %u (%s)",
				 wanted, possible.mtu, possible.limit);
	l2->interface.mtu = wanted ? wanted : possible.mtu;

	return 0;
}

int l2_settle_domain(const struct site *site, struct network *network, struct error *err)
{
	struct l2 *l2 = network->values;

	if (settle_vrf(site, l2, err) < 0 ||
	    node_find_vtep(site->node, &site->nl[PLACE_HBR], &l2->local, err) < 0 ||
	    settle_mtu(site, l2, err) < 0)
		return -1;
	l2->vxlan_port = site->node->vxlan_port;

	/* What nobody said is as fixed as what somebody did. */
	l2_give(&network->given, AT(vrf));
	l2_give(&network->given, AT(neigh_suppress));
	l2_give(&network->given, AT(local));
	l2_give(&network->given, AT(vxlan_port));
	l2_give(&network->given, AT(interface.mtu));

	return 0;
}

/* Was it somebody else's VLAN before? Then it is not for us to take away. */
static int settle_own_vlan(const struct site *site, struct l2 *l2, struct error *err)
{
	struct netlink *host = &site->nl[PLACE_HOST];
	int bridge, r = bridge_vlan_is_aware(host, site->node->host_trunk, &bridge, err);

	l2->own_vlan = false;
	if (r <= 0)
		return r;
	r = bridge_vlan_find(host, bridge, (uint16_t)l2->vlan, err);
	if (r < 0)
		return -1;
	l2->own_vlan = r == 0;

	return 0;
}

/* A domain that was made for direct pods need not fit through the trunk. */
static int check_trunk_mtu(const struct site *site, const struct l2 *l2, struct error *err)
{
	struct node_mtu possible;

	if (node_find_mtu(site->node, &site->nl[PLACE_HBR], &site->nl[PLACE_HOST], l2->local.family,
			  &possible, err) < 0)
		return -1;
	if (l2->interface.mtu > possible.mtu)
		return error_set(
			err, ERROR_CONFLICT,
			"mtu: the L2 domain of VNI %u has %u, but attach \"%s\" needs at most "
			"%u (%s)",
			l2->vni, l2->interface.mtu, attach_words[l2->attach], possible.mtu,
			possible.limit);

	return 0;
}

int l2_settle_trunk(const struct site *site, struct network *network, struct error *err)
{
	struct l2 *l2 = network->values;
	char domain[STORE_NAME_SIZE];

	snprintf(domain, sizeof(domain), "trunk-%u", l2->vni);
	if (check_trunk_mtu(site, l2, err) < 0 ||
	    domain_choose_vlan(site, domain, &l2->vlan, err) < 0 ||
	    settle_own_vlan(site, l2, err) < 0)
		return -1;
	l2_give(&network->given, AT(vlan));
	l2_give(&network->given, AT(own_vlan));

	return 0;
}

static int disable_ipv6(void *arg, struct error *err)
{
	const struct link *bridge = arg;
	char path[64];

	snprintf(path, sizeof(path), "ipv6/conf/%s/disable_ipv6", bridge->name);

	return sysctl_set(path, "1", false, err);
}

/*
 * A bridge without an address wants no IPv6 either: it would take neighbours from what pods say,
 * and EVPN would tell the VRF of them. One that somebody else made is as they want.
 */
static int silence_bridge(const struct site *site, enum link_place place, const struct l2 *l2,
			  struct error *err)
{
	struct link bridge = { .kind = LINK_BRIDGE, .place = place };
	struct link_state state;
	int r;

	snprintf(bridge.name, sizeof(bridge.name), "br.%u", l2->vni);
	r = link_find(&site->nl[place], &bridge, &state, err);
	if (r <= 0 || state.link.group != (LINK_GROUP_MARK | l2->vni))
		return r < 0 ? -1 : 0;
	if (place == PLACE_HBR)
		return netns_call(site->hbr, disable_ipv6, &bridge, err);

	return disable_ipv6(&bridge, err);
}

int l2_finish_domain(const struct site *site, const void *values, struct error *err)
{
	return silence_bridge(site, PLACE_HBR, values, err);
}

int l2_finish_trunk(const struct site *site, const void *values, struct error *err)
{
	const struct l2 *l2 = values;
	int bridge;

	if (silence_bridge(site, PLACE_HOST, l2, err) < 0)
		return -1;
	if (!l2->own_vlan)
		return 0;
	if (link_get_index(&site->nl[PLACE_HOST], site->node->host_trunk, &bridge, err) < 0)
		return -1;

	return bridge_vlan_add(&site->nl[PLACE_HOST], bridge, (uint16_t)l2->vlan, err);
}

int l2_undo_trunk(const struct site *site, const void *values, struct error *err)
{
	const struct l2 *l2 = values;
	int bridge, r;

	if (!l2->own_vlan)
		return 0;
	r = bridge_vlan_is_aware(&site->nl[PLACE_HOST], site->node->host_trunk, &bridge, err);
	if (r <= 0)
		return r;
	r = bridge_vlan_find(&site->nl[PLACE_HOST], bridge, (uint16_t)l2->vlan, err);

	return r <= 0 ? r
		      : bridge_vlan_remove(&site->nl[PLACE_HOST], bridge, (uint16_t)l2->vlan, err);
}
