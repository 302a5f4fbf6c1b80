// SPDX-License-Identifier: Apache-2.0
#pragma once

/* VLANs on the trunk: which are free on this node. */

#include <stdint.h>

#include "shared/node/site.h"

/*
 * Choose the lowest VLAN of the node's range that no domain and no link on the trunk has, or see
 * that no other domain has the one that was asked for (*vlan, when it is not 0). Dumps. What the
 * VLAN is for is the domain of this name.
 */
int vlan_choose(const struct site *site, const char *domain, uint32_t *vlan, struct error *err);
