// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * VLANs of a VLAN-aware bridge's own port ("bridge vlan ... self"): without one, a VLAN link on top
 * of the bridge gets no frames.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/error.h"
#include "shared/kernel/netlink.h"

/* 1 when the link is a bridge that filters VLANs, else 0; its index. */
int bridge_vlan_is_aware(struct netlink *nl, const char *name, int *index, struct error *err);

/* Of each VLAN that the bridge itself has, or that a port of it has untagged: its flag is set.
 * Dumps the bridges of the namespace. */
#define BRIDGE_VLANS 4096
int bridge_vlan_mark(struct netlink *nl, int bridge, bool used[static BRIDGE_VLANS],
		     struct error *err);

/* 1 when the bridge's own port has the VLAN, else 0. Dumps them, too. */
int bridge_vlan_find(struct netlink *nl, int bridge, uint16_t id, struct error *err);

int bridge_vlan_add(struct netlink *nl, int bridge, uint16_t id, struct error *err);
int bridge_vlan_remove(struct netlink *nl, int bridge, uint16_t id, struct error *err);
