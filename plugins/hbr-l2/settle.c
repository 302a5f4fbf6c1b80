// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/settle.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/address.h"
#include "shared/kernel/bridge_vlan.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/sysctl.h"
#include "shared/node/node_mtu.h"
#include "shared/node/vlan.h"
#include "shared/node/vrf.h"

#define AT(member) offsetof(struct l2, member)

/* Equal on all nodes: a pod that moves keeps its gateway. */
static struct mac derive_gateway_mac(const struct l2 *l2)
{
	char vni[16];
	const char *const parts[] = { "gateway", vni };

	snprintf(vni, sizeof(vni), "%u", l2->vni);

	return mac_from_hash(hash_parts(parts, COUNT(parts)));
}

/* The node's VRF is where gateways are that name none. */
static int settle_gateways(const struct site *site, const struct network *network,
			   struct error *err)
{
	struct l2 *l2 = network->values;
	bool names_mac = field_given(&l2_fields, *network->given, AT(gateway_mac));

	if (l2->gateways.n && !field_given(&l2_fields, *network->given, AT(vrf))) {
		memcpy(l2->vrf.name, site->node->vrf, sizeof(l2->vrf.name));
		l2->vrf.given = 1; /* the name is the first row */
	}
	if (l2->gateways.n && !l2->vrf.name[0])
		return error_set(err, ERROR_INVALID_CONFIG,
				 "gateway: not possible without a VRF: wanted vrf to name one");
	if (names_mac && !l2->gateways.n)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "gatewayMac: not possible without gateway: wanted both or none");
	if (l2->gateways.n && !names_mac)
		l2->gateway_mac = derive_gateway_mac(l2);
	if (!field_given(&l2_fields, *network->given, AT(neigh_suppress)))
		l2->neigh_suppress = l2->gateways.n > 0;

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

/* A bridge of somebody else's is used as it is: then it has the gateways already. */
static int check_gateways(const struct site *site, const struct l2 *l2, struct error *err)
{
	struct link bridge = { .kind = LINK_BRIDGE, .place = PLACE_HBR };
	struct link_state state = { 0 };
	char text[IP_TEXT_SIZE];
	int r;

	snprintf(bridge.name, sizeof(bridge.name), "br.%u", l2->vni);
	r = l2->gateways.n ? link_find(&site->nl[PLACE_HBR], &bridge, &state, err) : 0;
	if (r <= 0 || strcmp(state.kind, "bridge") != 0 ||
	    state.link.group == (LINK_GROUP_MARK | l2->vni))
		return r < 0 ? -1 : 0;
	for (size_t i = 0; i < l2->gateways.n; i++) {
		const struct ip *ip = &l2->gateways.ips[i];

		r = address_find(&site->nl[PLACE_HBR], state.index, ip, NULL, err);
		ip_print_cidr(ip, text);
		if (r <= 0)
			return r < 0 ? -1
				     : error_set(err, ERROR_CONFLICT,
						 "gateway: %s was asked for, but %s in the HBR "
						 "netns, which is not ours, does not have it",
						 text, bridge.name);
	}

	return 0;
}

int l2_settle_domain(const struct site *site, struct network *network, struct error *err)
{
	struct l2 *l2 = network->values;
	char domain[STORE_NAME_SIZE];

	snprintf(domain, sizeof(domain), "l2-%u", l2->vni);
	if (settle_gateways(site, network, err) < 0 || check_gateways(site, l2, err) < 0 ||
	    vrf_refuse_vni(site, l2->vni, domain, err) < 0 ||
	    node_find_vtep(site->node, &site->nl[PLACE_HBR], &l2->local, err) < 0 ||
	    settle_mtu(site, l2, err) < 0)
		return -1;
	l2->vxlan_port = site->node->vxlan_port;

	/* What nobody said is as fixed as what somebody did. */
	field_give(&l2_fields, network->given, AT(vrf));
	field_give(&l2_fields, network->given, AT(gateways));
	if (l2->gateways.n)
		field_give(&l2_fields, network->given, AT(gateway_mac));
	field_give(&l2_fields, network->given, AT(neigh_suppress));
	field_give(&l2_fields, network->given, AT(local));
	field_give(&l2_fields, network->given, AT(vxlan_port));
	field_give(&l2_fields, network->given, AT(interface.mtu));

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
	if (check_trunk_mtu(site, l2, err) < 0 || vlan_choose(site, domain, &l2->vlan, err) < 0 ||
	    settle_own_vlan(site, l2, err) < 0)
		return -1;
	field_give(&l2_fields, network->given, AT(vlan));
	field_give(&l2_fields, network->given, AT(own_vlan));

	return 0;
}

/* 1 and what it is when the link is ours: one that somebody else made is as they want. */
static int find_own(const struct site *site, const struct link *link, const struct l2 *l2,
		    struct link_state *state, struct error *err)
{
	int r = link_find(&site->nl[link->place], link, state, err);

	return r == 1 ? state->link.group == (LINK_GROUP_MARK | l2->vni) : r;
}

static int find_own_bridge(const struct site *site, enum link_place place, const struct l2 *l2,
			   struct link_state *state, struct error *err)
{
	struct link bridge = { .kind = LINK_BRIDGE, .place = place };

	snprintf(bridge.name, sizeof(bridge.name), "br.%u", l2->vni);

	return find_own(site, &bridge, l2, state, err);
}

int l2_recover_domain(const struct site *site, void *values, struct error *err)
{
	struct l2 *l2 = values;
	struct link_state state;
	int r = 0;

	if (site->nl[PLACE_HBR].sock)
		r = find_own_bridge(site, PLACE_HBR, l2, &state, err);
	if (r == 1)
		vrf_recover(site, &state, &l2->vrf);

	return r < 0 ? -1 : 0;
}

/* A bridge without an address wants no IPv6 either: it would take neighbours from what pods say,
 * and EVPN would tell the VRF of them. */
static const struct sysctl_of_link silent[] = { { "ipv6", "disable_ipv6", "1", false } };

/* Neighbours are learned from what pods announce, or FRR has nothing to tell before they are asked
 * for; untracked ones from Linux 5.19 on, which wants forwarding for it. */
static const struct sysctl_of_link gateway[] = {
	{ "ipv4", "forwarding", "1", true },
	{ "ipv4", "arp_accept", "1", true },
	{ "ipv4", "rp_filter", "0", false },
};
static const struct sysctl_of_link gateway6[] = {
	{ "ipv6", "disable_ipv6", "0", true },         { "ipv6", "accept_dad", "0", false },
	{ "ipv6", "keep_addr_on_down", "1", false },   { "ipv6", "forwarding", "1", true },
	{ "ipv6", "accept_untracked_na", "1", false },
};

const struct ip l2_link_local = { AF_INET6, 64, { 0xfe, 0x80, [15] = 1 } };

static int assign(const struct site *site, const struct l2 *l2, int index, struct error *err)
{
	struct netlink *hbr = &site->nl[PLACE_HBR];

	for (size_t i = 0; i < l2->gateways.n; i++) {
		if (address_add(hbr, index, &l2->gateways.ips[i], false, err) < 0)
			return -1;
	}

	return l2_has_gateway(l2, AF_INET6) ? address_add(hbr, index, &l2_link_local, false, err)
					    : 0;
}

int l2_finish_domain(const struct site *site, void *values, struct error *err)
{
	const struct l2 *l2 = values;
	struct link_state state = { 0 };
	struct sysctl_link settings = { state.link.name, gateway, COUNT(gateway) };
	struct sysctl_link settings6 = { state.link.name, silent, COUNT(silent) };
	int r = find_own_bridge(site, PLACE_HBR, l2, &state, err);

	if (r <= 0)
		return r;
	if (l2_has_gateway(l2, AF_INET6))
		settings6 = (struct sysctl_link){ state.link.name, gateway6, COUNT(gateway6) };
	if ((l2_has_gateway(l2, AF_INET) &&
	     netns_call(site->hbr, sysctl_apply, &settings, err) < 0) ||
	    netns_call(site->hbr, sysctl_apply, &settings6, err) < 0)
		return -1;

	return assign(site, l2, state.index, err);
}

/*
 * In the host nothing has an address: no IPv6 on the bridge, nor on a VLAN that is in none, but
 * below macvlans: it hears what pods hear, and would take a router's word for the node.
 */
static int silence_host(const struct site *site, const struct l2 *l2, struct error *err)
{
	struct link vlan = { .kind = LINK_VLAN, .place = PLACE_HOST };
	struct link_state state = { 0 };
	struct sysctl_link settings = { state.link.name, silent, COUNT(silent) };
	int r;

	snprintf(vlan.name, sizeof(vlan.name), "tr.%u", l2->vlan);
	r = l2->attach == ATTACH_BRIDGE ? find_own_bridge(site, PLACE_HOST, l2, &state, err)
					: find_own(site, &vlan, l2, &state, err);

	return r <= 0 ? r : sysctl_apply(&settings, err);
}

int l2_finish_trunk(const struct site *site, void *values, struct error *err)
{
	const struct l2 *l2 = values;
	int bridge;

	if (silence_host(site, l2, err) < 0)
		return -1;
	if (!l2->own_vlan)
		return 0;
	if (link_get_index(&site->nl[PLACE_HOST], site->node->host_trunk, &bridge, err) < 0)
		return -1;

	return bridge_vlan_add(&site->nl[PLACE_HOST], bridge, (uint16_t)l2->vlan, err);
}

int l2_undo_trunk(const struct site *site, void *values, struct error *err)
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
