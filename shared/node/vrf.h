// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A VRF on this node as a domain, with its L3VNI where it has one: what pods of both plugins and L2
 * domains share. One rule: a VRF that was there before us is used as it is; its table, its routes
 * and what FRR knows of it stay its owner's.
 */

#include <stdint.h>

#include "shared/node/domain_kind.h"
#include "shared/node/vrf_fields.h"

/* The domain of a VRF. */
struct domain vrf_domain(struct vrf *vrf);

/* Its link, and what its first holder fixes; for the domain. */
struct link vrf_link(const struct node *node, const struct vrf *vrf);
int vrf_settle(const struct site *site, struct network *network, struct error *err);

/* The lower 24 bits of the group of what belongs to it: its VNI, or its table's. */
uint32_t vrf_key(const struct vrf *vrf);

/* Refuse a VNI that a VRF or an L2 domain has, other than the domain of this name. Under the node's
 * lock. */
int vrf_refuse_vni(const struct site *site, uint32_t vni, const char *domain, struct error *err);

/* The name of the VRF that a link in the HBR netns is enslaved to; nothing when it is in none. */
void vrf_recover(const struct site *site, const struct link_state *slave, struct vrf *vrf);

/* ERROR_CHECK when a VRF of ours has lost what keeps its packets out of other tables, or FRR it. */
int vrf_verify(const struct site *site, const struct vrf *vrf, struct error *err);
