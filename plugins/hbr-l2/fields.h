// SPDX-License-Identifier: Apache-2.0
#pragma once

/* The keys of an hbr-l2 network, and where they land. */

#include <net/if.h>

#include "shared/base/field.h"
#include "shared/cni/interface.h"
#include "shared/node/node.h"
#include "shared/node/vrf_fields.h"

/* The rows that the first pod of a domain fixes for all: of the L2 domain, of its leg on the trunk.
 */
#define FIELD_L2    FIELD_USER
#define FIELD_TRUNK (FIELD_USER << 1)

#define GATEWAYS_MAX 16

struct gateways {
	struct ip ips[GATEWAYS_MAX];
	size_t n;
};

struct l2 {
	struct interface interface;
	uint32_t vni;
	uint32_t vlan;
	struct vrf vrf; /* name "": none */
	struct gateways gateways;
	struct mac gateway_mac;
	unsigned attach; /* enum attach */
	bool mobile, isolated, hairpin, macspoofchk, neigh_suppress;

	/* Not the network's to say: from the node, remembered by the domain. */
	struct ip local; /* VTEP */
	uint32_t vxlan_port;
	bool own_vlan; /* the VLAN on a host trunk that is a VLAN-aware bridge was added for it */

	/* Of this call only: the MAC's entry on the VLAN was there before, and stays when it fails.
	 */
	bool is_others_entry;
};

extern const struct field_table l2_fields;

/* Keys that the fields alone cannot judge. */
int l2_settle(const struct node *node, void *values, uint64_t *given, struct error *err);

/* Is there a gateway of that family? */
bool l2_has_gateway(const struct l2 *l2, uint8_t family);
