// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * VRFs in FRR, by vtysh: what a VRF with an L3VNI needs there before its links may be up, and its
 * way back. Only where the node file has "frr"; without it FRR is somebody else's and never
 * touched. One lock per HBR netns is held around vtysh, which FRR does not bear twice at once.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/node/node.h"
#include "shared/node/store.h"

#define FRR_TIMEOUT_MS 10000 /* of one vtysh */

struct frr_vrf {
	const char *name;
	uint32_t vni;          /* 0: none */
	struct ip router_id;   /* the VTEP; family AF_INET6 or 0: FRR's own choice */
	json_t *route_targets; /* {"import": [...], "export": [...]}; NULL: automatic */
	json_t *import_vrfs;   /* names; NULL: none */
};

/*
 * Tell FRR of the VRF and wait until it knows: the links of the L3VNI are there, and down. Telling
 * it twice is no error; a VRF that the site has declared itself is left as it is. *touched is set
 * as soon as something of ours may be there. -1: ERROR_FRR with the line that was refused and what
 * FRR said of it; ERROR_TRY_AGAIN (vtysh hangs); ERROR_CONFLICT (half a declaration of the site's);
 * ERROR_INVALID_CONFIG (the template).
 */
int frr_provision(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
		  bool *touched, struct error *err);

/* Does FRR have the VRF, its VNI and a BGP instance, whoever told it? 1, 0; -1: vtysh cannot be
 * run, or FRR does not. Changes nothing, and needs no lock. */
int frr_has(const struct node *node, const struct frr_vrf *vrf, struct error *err);

/* Another number after each start of zebra or bgpd, with which all that they were told is gone. For
 * the price of two stat(): their sockets are made anew. 0: they have none. */
uint32_t frr_start_id(const struct node *node);

/* Does zebra know that address of a link? It may miss one that comes together with its link. 1, 0;
 * -1: vtysh cannot be run, or FRR does not. Changes nothing, and needs no lock. */
int frr_knows_address(const struct node *node, const char *link, const struct ip *address,
		      struct error *err);

/* Before the links go: its VNI and its BGP instance. What FRR does not know is gone already, and so
 * is everything when FRR is not running. */
int frr_withdraw(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
		 struct error *err);

/* After the links went: the rest of it. */
int frr_forget(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
	       struct error *err);
