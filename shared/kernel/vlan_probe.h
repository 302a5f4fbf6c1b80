// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Is a VLAN of a link free? Who has it need not be seen: a VLAN link that was moved into another
 * network namespace keeps its number.
 */

#include <stdint.h>

#include "shared/base/error.h"
#include "shared/kernel/netlink.h"

/* 0 when the kernel would not make a VLAN link of that id and name on the link of that index, for
 * there is one already; 1 when nothing is known to be in its way. Nothing is made. */
int vlan_probe(struct netlink *nl, int lower, uint16_t id, const char *name, struct error *err);
