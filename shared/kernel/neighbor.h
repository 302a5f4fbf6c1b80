// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Which MAC has an address on a link (neighbours), and behind which port of a bridge a MAC is (the
 * forwarding database): both for good, for EVPN to announce. */

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/kernel/netlink.h"

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
