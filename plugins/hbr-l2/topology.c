// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/topology.h"

#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "plugins/hbr-l2/gateways.h"
#include "plugins/hbr-l2/settle.h"
#include "shared/node/vrf.h"

/* The VRF is held by the domain, not by its pods. */
static bool find_vrf(void *values, struct domain *parent)
{
	struct l2 *l2 = values;

	if (!l2->vrf.name[0])
		return false;
	*parent = vrf_domain(&l2->vrf);

	return true;
}

static const struct domain_kind trunk_kind = {
	.flag = FIELD_TRUNK,
	.settle = l2_settle_trunk,
	.links = l2_trunk_links,
	.finish = l2_finish_trunk,
	.undo = l2_undo_trunk,
};

static void trunk_domain(const struct network *network, struct domain *trunk)
{
	const struct l2 *l2 = network->values;

	*trunk = DOMAIN(&trunk_kind, &l2_fields, network->values, network->given);
	snprintf(trunk->name, sizeof(trunk->name), "trunk-%u", l2->vni);
	snprintf(trunk->title, sizeof(trunk->title), "the VLAN of VNI %u", l2->vni);
}

static const struct domain_kind l2_kind = {
	.flag = FIELD_L2,
	.settle = l2_settle_domain,
	.links = l2_links,
	.finish = l2_finish_domain,
	.publish = gateways_publish,
	.recover = l2_recover_domain,
	.parent = find_vrf,
	.leg = trunk_domain,
};

size_t l2_domains(void *values, uint64_t *given, struct domain *domains)
{
	struct l2 *l2 = values;
	struct domain *domain = &domains[0];

	*domain = DOMAIN(&l2_kind, &l2_fields, l2, given);
	snprintf(domain->name, sizeof(domain->name), "l2-%u", l2->vni);
	snprintf(domain->title, sizeof(domain->title), "the L2 domain of VNI %u", l2->vni);

	if (l2->attach == ATTACH_DIRECT)
		return 1;
	trunk_domain(&domain->network, &domains[1]);

	return 2;
}

bool l2_find_domain(const char *name, void *values, uint64_t *given, struct domain *domain)
{
	struct l2 *l2 = values;
	struct domain domains[2], trunk;
	const char *key = strchr(name, '-');
	uint64_t vni;

	if (!key || !parse_number(key + 1, &vni) || vni > UINT32_MAX)
		return false;
	l2->vni = (uint32_t)vni;
	(void)l2_domains(values, given, domains);
	trunk_domain(&domains[0].network, &trunk);
	if (strcmp(name, domains[0].name) != 0 && strcmp(name, trunk.name) != 0)
		return false;
	*domain = domains[0];

	return true;
}

/* The same on this node whenever it is made again, another one on every other node. */
static struct mac derive_mac(const struct l2 *l2, const char *role)
{
	char vni[16], local[IP_TEXT_SIZE];
	const char *const parts[] = { role, vni, local };

	snprintf(vni, sizeof(vni), "%u", l2->vni);
	ip_print(&l2->local, local);

	return mac_from_hash(hash_parts(parts, sizeof(parts) / sizeof(parts[0])));
}

/* What all links of an L2 domain have in common. */
static struct link domain_link(const struct node *node, const struct l2 *l2, enum link_kind kind,
			       enum link_place place, const char *role)
{
	struct link link = {
		.kind = kind,
		.place = place,
		.group = LINK_GROUP_MARK | l2->vni,
		.mac = derive_mac(l2, role),
		.mtu = l2->interface.mtu,
		.addrgenmode = IN6_ADDR_GEN_MODE_NONE,
	};

	snprintf(link.alias, sizeof(link.alias), "hbr-cni:%s:%s:%u", node->slug, role, l2->vni);

	return link;
}

static void name_bridge(char name[static IFNAMSIZ], const struct l2 *l2)
{
	snprintf(name, IFNAMSIZ, "br.%u", l2->vni);
}

size_t l2_links(const struct node *node, const void *values, struct link *links)
{
	const struct l2 *l2 = values;
	struct link *bridge = &links[0], *vxlan = &links[1];

	*bridge = domain_link(node, l2, LINK_BRIDGE, PLACE_HBR, "bridge");
	name_bridge(bridge->name, l2);
	memcpy(bridge->master, l2->vrf.name, sizeof(bridge->master));
	if (l2->gateways.n) {
		bridge->mac = l2->gateway_mac;
		bridge->mac_counts = true;
		bridge->is_late = true; /* up only with its addresses */
	}

	*vxlan = domain_link(node, l2, LINK_VXLAN, PLACE_HBR, "vxlan");
	snprintf(vxlan->name, sizeof(vxlan->name), "vx.%u", l2->vni);
	name_bridge(vxlan->master, l2);
	vxlan->is_port = true;
	/* EVPN tells where MACs are: neither the tunnel nor its port learns by itself. */
	vxlan->port.neigh_suppress = l2->neigh_suppress;
	vxlan->vxlan.id = l2->vni;
	vxlan->vxlan.local = l2->local;
	vxlan->vxlan.dstport = (uint16_t)l2->vxlan_port;

	return 2;
}

static struct link vlan_leg(const struct node *node, const struct l2 *l2, enum link_place place,
			    const char *trunk, const char *role)
{
	struct link leg = domain_link(node, l2, LINK_VLAN, place, role);

	snprintf(leg.name, sizeof(leg.name), "tr.%u", l2->vlan);
	snprintf(leg.lower, sizeof(leg.lower), "%s", trunk);
	name_bridge(leg.master, l2);
	leg.is_port = true;
	leg.port.learning = 1;
	leg.vlan.id = (uint16_t)l2->vlan;

	return leg;
}

size_t l2_trunk_links(const struct node *node, const void *values, struct link *links)
{
	const struct l2 *l2 = values;
	size_t n = 0;

	if (l2->attach == ATTACH_BRIDGE) {
		links[n] = domain_link(node, l2, LINK_BRIDGE, PLACE_HOST, "host-bridge");
		name_bridge(links[n++].name, l2);
	}
	links[n] = vlan_leg(node, l2, PLACE_HOST, node->host_trunk, "host-vlan");
	if (l2->attach != ATTACH_BRIDGE) { /* pods' macvlans are on it, and not beside a bridge */
		links[n].master[0] = '\0';
		links[n].is_port = false;
	}
	links[n++].is_late = l2->own_vlan; /* the VLAN below it is added first */
	links[n++] = vlan_leg(node, l2, PLACE_HBR, node->trunk, "vlan");

	return n;
}

/* A link of the pod's on the VLAN, made from the host. */
static void macvlan_port(const struct l2 *l2, struct link *port)
{
	port->kind = LINK_MACVLAN;
	port->place = PLACE_POD;
	memcpy(port->made_as, port->name, sizeof(port->made_as));
	memcpy(port->name, port->peer.name, sizeof(port->name));
	port->mac = port->peer.mac;
	port->stays_down = true;
	port->macvlan.mode = MACVLAN_MODE_BRIDGE;
	snprintf(port->lower, sizeof(port->lower), "tr.%u", l2->vlan);
}

/* A veth whose node end is a port of the bridge in the host or, directly, in the HBR netns. */
static void veth_port(const struct l2 *l2, struct link *port)
{
	port->place = l2->attach == ATTACH_DIRECT ? PLACE_HBR : PLACE_HOST;
	port->addrgenmode = IN6_ADDR_GEN_MODE_NONE;
	name_bridge(port->master, l2);
	port->is_port = true;
	/* Locked, a port lets only those MACs in that are in the table already: the pod's own. */
	port->port.learning = !l2->macspoofchk;
	port->port.locked = l2->macspoofchk;
	port->port.isolated = l2->isolated;
	port->port.hairpin = l2->hairpin;
}

void l2_port(const struct node *node, const void *values, struct link *port)
{
	const struct l2 *l2 = values;

	(void)node;
	port->group = LINK_GROUP_MARK | l2->vni;
	port->mtu = l2->interface.mtu;
	if (l2->attach == ATTACH_MACVLAN)
		macvlan_port(l2, port);
	else
		veth_port(l2, port);
}
