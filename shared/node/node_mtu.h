// SPDX-License-Identifier: Apache-2.0
#pragma once

/* How large a packet of a pod can be: what trunk and uplinks carry. */

#include <stdint.h>

#include "shared/node/node.h"

struct node_mtu {
	uint32_t mtu;
	char limit[64]; /* what it comes from: "the trunk tr has 1500" */
};

/*
 * The largest MTU a pod can have: the smaller of the trunk's (both ends; not looked at when host is
 * NULL) and the uplinks' less what VXLAN over that family takes (50, 70). Without any uplink the
 * underlay is taken for an Ethernet of 1500. Dumps the links of the HBR netns.
 */
int node_find_mtu(const struct node *node, struct netlink *hbr, struct netlink *host,
		  uint8_t vtep_family, struct node_mtu *found, struct error *err);
