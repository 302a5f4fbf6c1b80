// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Addresses, routes and neighbours of one link, put there and looked for. Putting what is there
 * already is no error; taking away what is gone is none either. Nothing here dumps a table, except
 * address_first(), which a domain needs once, when it is made.
 */

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

/* IPv6 addresses come without duplicate address detection (IFA_F_NODAD) unless dad is true. */
int address_add(struct netlink *nl, int ifindex, const struct ip *address, bool dad,
		struct error *err);

/* Have the kernel tell of an address that is there once more, for listeners that missed it. */
int address_repeat(struct netlink *nl, int ifindex, const struct ip *address, struct error *err);

/* 1 when the link has the address, 0 when not; *tentative (may be NULL): DAD is not done;
 * a DAD that failed is an error. */
int address_find(struct netlink *nl, int ifindex, const struct ip *address, bool *tentative,
		 struct error *err);

/* The first address of global scope and that family on the link. 1 found, 0 none. Dumps. */
int address_first(struct netlink *nl, int ifindex, int family, struct ip *address,
		  struct error *err);

/* 1 when the address is one of the namespace's own (the kernel's local route for it), else 0. */
int address_is_local(struct netlink *nl, const struct ip *address, struct error *err);

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

/*
 * A permanent neighbour (NUD_PERMANENT: no packet moves it, and it never ages): FRR announces its
 * address with its MAC at once. One that was learned gives way. -1: ERROR_CONFLICT when another MAC
 * has the address for good. remove: only when the address is that MAC's; remove_all: whatever is
 * that MAC's, for when nobody knows its addresses any more (dumps). find: 1 there, 0 not.
 */
int neighbor_add(struct netlink *nl, int ifindex, const struct ip *address, const struct mac *mac,
		 struct error *err);
int neighbor_remove(struct netlink *nl, int ifindex, const struct ip *address,
		    const struct mac *mac, struct error *err);
int neighbor_remove_all(struct netlink *nl, int ifindex, const struct mac *mac, struct error *err);
int neighbor_find(struct netlink *nl, int ifindex, const struct ip *address, const struct mac *mac,
		  struct error *err);

/*
 * A static entry of the forwarding database for a MAC behind a bridge port (facts of the kernel:
 * NTF_MASTER, NUD_NOARP): never ages, and FRR announces it at once; one that was learned gives way.
 * 1 added, 0 it is there already. -1: ERROR_CONFLICT when another port of the bridge has the MAC as
 * its own.
 */
int fdb_add(struct netlink *nl, int port, const struct mac *mac, struct error *err);
int fdb_remove(struct netlink *nl, int port, const struct mac *mac, struct error *err);
/* 1 when a link in whatever namespace stands on this one and is up: its MAC is one that this link
 * listens for (a macvlan's), else 0. Dumps what all links listen for. */
int fdb_has_guest(struct netlink *nl, int ifindex, struct error *err);
/* 1 there, 0 not. */
int fdb_find(struct netlink *nl, int port, const struct mac *mac, struct error *err);
