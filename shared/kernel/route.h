// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Routes through a link, and where look-ups in a VRF's table end. Nothing here dumps a table. */

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/kernel/netlink.h"

/* A route, as the CNI specification 1.1 has it. Members that are 0 were not given. */
struct route {
	struct ip dst;
	struct ip gw; /* family 0: none, on-link */
	uint32_t mtu;
	uint32_t advmss;
	uint32_t priority;
	uint32_t table;
	int vrf; /* index of the VRF whose table that is; 0: of none */
	uint8_t scope;
	bool has_scope;
	uint8_t protocol; /* 0: static */
};

#define ROUTE_PROTOCOL 104 /* of the routes that we put into a VRF's table: nobody else's */

/*
 * Add a route through the link. An equal route there already is fine; another link's route to the
 * same destination with the same metric is an ERROR_CONFLICT.
 */
int route_add(struct netlink *nl, int ifindex, const struct route *route, struct error *err);

/* 1 when the kernel has that route through the link, 0 when not. Routes of a table of their own
 * (route->table) cannot be asked for and count as there. */
int route_find(struct netlink *nl, int ifindex, const struct route *route, struct error *err);

/*
 * Let a look-up in a VRF's table end there: an unreachable default route of the worst metric, for
 * both families; and its removal. is_closed: 1 when packets from the VRF (an index) end in the
 * table, 0 when they go on to others.
 */
int route_close_table(struct netlink *nl, uint32_t table, struct error *err);
int route_open_table(struct netlink *nl, uint32_t table, struct error *err);
int route_table_is_closed(struct netlink *nl, uint32_t table, int vrf, struct error *err);

/* "10.0.0.0/8 via 10.1.0.1" */
void route_print(const struct route *route, char *text, size_t size);
