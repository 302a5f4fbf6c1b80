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
	uint8_t scope;
	bool has_scope;
};

/* IPv6 addresses come without duplicate address detection (IFA_F_NODAD) unless dad is true. */
int address_add(struct netlink *nl, int ifindex, const struct ip *address, bool dad,
		struct error *err);

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

/* "10.0.0.0/8 via 10.1.0.1" */
void route_print(const struct route *route, char *text, size_t size);

/*
 * A static entry of the forwarding database for a MAC behind a bridge port (facts of the kernel:
 * NTF_MASTER, NUD_NOARP): never ages, and FRR announces it at once; one that was learned gives way.
 * 1 added, 0 it is there already. -1: ERROR_CONFLICT when another port of the bridge has the MAC as
 * its own.
 */
int fdb_add(struct netlink *nl, int port, const struct mac *mac, struct error *err);
int fdb_remove(struct netlink *nl, int port, const struct mac *mac, struct error *err);
/* 1 there, 0 not. */
int fdb_find(struct netlink *nl, int port, const struct mac *mac, struct error *err);
