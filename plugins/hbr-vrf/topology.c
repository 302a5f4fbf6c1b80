// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-vrf/topology.h"

#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/node/vrf.h"

size_t l3_domains(void *values, uint64_t *given, struct domain *domains)
{
	struct l3 *l3 = values;

	(void)given; /* what the VRF is asked for stands with it */
	domains[0] = vrf_domain(&l3->vrf);

	return 1;
}

bool l3_find_domain(const char *name, void *values, uint64_t *given, struct domain *domain)
{
	static const char kind[] = "vrf-";
	struct l3 *l3 = values;

	(void)given;
	if (strncmp(name, kind, sizeof(kind) - 1) != 0 || !parse_ifname(name + sizeof(kind) - 1))
		return false;
	snprintf(l3->vrf.name, sizeof(l3->vrf.name), "%s", name + sizeof(kind) - 1);
	*domain = vrf_domain(&l3->vrf);

	return true;
}

uint32_t l3_mtu(const struct node *node, const struct l3 *l3)
{
	uint32_t wanted = l3->interface.mtu ? l3->interface.mtu : node->mtu;

	return wanted ? wanted : l3->vrf.mtu;
}

void l3_port(const struct node *node, const void *values, struct link *port)
{
	const struct l3 *l3 = values;

	port->place = PLACE_HBR;
	port->group = LINK_GROUP_MARK | vrf_key(&l3->vrf);
	port->mtu = l3_mtu(node, l3);
	port->addrgenmode = IN6_ADDR_GEN_MODE_NONE;
	memcpy(port->master, l3->vrf.name, sizeof(port->master));
}

const struct ip l3_hop = { AF_INET, 32, { 169, 254, 1, 1 } };
const struct ip l3_hop6 = { AF_INET6, 128, { 0xfe, 0x80, [15] = 1 } };

const struct ip *l3_next_hop(uint8_t family)
{
	return family == AF_INET6 ? &l3_hop6 : &l3_hop;
}
