// SPDX-License-Identifier: Apache-2.0
#pragma once

/* The keys of an hbr-vrf network, and where they land. */

#include "shared/base/field.h"
#include "shared/cni/interface.h"
#include "shared/node/node.h"
#include "shared/node/vrf_fields.h"

struct l3 {
	struct interface interface;
	struct vrf vrf;
};

extern const struct field_table l3_fields;

/*
 * Keys that the fields alone cannot judge, and what a routed port makes of addresses: each as a
 * host's (/32, /128), every route by way of the port's own address.
 */
int l3_settle(const struct node *node, void *values, uint64_t *given, struct error *err);

/* The same for addresses that an IPAM plugin gave. -1: ERROR_DELEGATE_RESULT. */
int l3_route_addressing(struct addressing *addressing, int code, struct error *err);
