// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What no key says and no link shows: VTEP, MTU and VLAN, which the first pod of a domain fixes
 * from what the kernel tells, and what a domain needs beside its links.
 */

#include "plugins/hbr-l2/fields.h"
#include "shared/node/domain_kind.h"

extern const struct ip l2_link_local; /* of a bridge with an IPv6 gateway, on all nodes */

int l2_settle_domain(const struct site *site, struct network *network, struct error *err);
int l2_settle_trunk(const struct site *site, struct network *network, struct error *err);

/* The gateways on the HBR netns' bridge, and no IPv6 there without one. */
int l2_finish_domain(const struct site *site, void *values, struct error *err);

/* The VRF that the domain holds, by the bridge in it, for one that nobody remembers. */
int l2_recover_domain(const struct site *site, void *values, struct error *err);

/* No IPv6 on the host's bridge, or on the VLAN below macvlans, which have no address; the VLAN on a
 * trunk that is a VLAN-aware bridge. */
int l2_finish_trunk(const struct site *site, void *values, struct error *err);
int l2_undo_trunk(const struct site *site, void *values, struct error *err);
