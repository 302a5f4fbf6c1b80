// SPDX-License-Identifier: Apache-2.0
#pragma once

/* From keys to links: the VRF that a network's pods hold, and the port behind which a pod is. Pure
 * functions. */

#include "plugins/hbr-vrf/fields.h"
#include "shared/node/domain_kind.h"

size_t l3_domains(void *values, uint64_t *given, struct domain *domains);

/* The VRF that a name in the store ("vrf-red") is of, if it is of one. */
bool l3_find_domain(const char *name, void *values, uint64_t *given, struct domain *domain);

/* Of the pod's interface: the network's, the node's, or the largest that the VRF can carry. */
uint32_t l3_mtu(const struct node *node, const struct l3 *l3);

/* The node's end of a pod's interface: a link of the VRF's. */
void l3_port(const struct node *node, const void *values, struct link *port);

/* The port's own addresses, the same on all ports: 169.254.1.1, fe80::1. */
extern const struct ip l3_hop, l3_hop6;
const struct ip *l3_next_hop(uint8_t family);
