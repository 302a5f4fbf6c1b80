// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What the kernel would do with a packet: one look-up in its routing tables. IPv4 can ask neither
 * for one address nor for one route; the table entry that a look-up ends at says as much.
 */

#include <stdint.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/kernel/netlink.h"

/* An entry of a routing table. */
struct fib_entry {
	uint8_t type; /* RTN_* */
	struct ip dst;
	struct ip gw; /* family 0: none */
	int oif;
	uint32_t priority;
	uint32_t table;
};

/* 1 and the entry that packets to an address out of a link (0: any) go by, 0 when there is none:
 * its type then says whether that is because of an unreachable route, or for lack of any. */
int fib_find(struct netlink *nl, const struct ip *to, int oif, struct fib_entry *entry,
	     struct error *err);
