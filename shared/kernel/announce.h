// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Tell the neighbourhood whose an address is: one gratuitous ARP request for each IPv4 address,
 * one unsolicited neighbour advertisement (override set, to all nodes) for each IPv6 address.
 * Sent from raw frames, so it needs no route and no finished DAD.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/kernel/netns.h"

/*
 * From inside the namespace, out of the link of that name and MAC; waits (at most 1 s, polling
 * IFF_RUNNING) until the link has carrier; without one, and where a queue on the way drops them,
 * there is a warning, and no error. Sources: RFC 5227 section 3, RFC 4861 section 7.2.6.
 */
int announce_addresses(const struct netns *ns, const char *ifname, const struct mac *mac,
		       const struct ip *addresses, size_t n, struct error *err);

/* The frames themselves. */
struct announce_frame {
	uint8_t bytes[96];
	size_t size;
};

void announce_arp_frame(struct announce_frame *frame, const struct mac *mac, const struct ip *ip);
void announce_na_frame(struct announce_frame *frame, const struct mac *mac, const struct ip *ip);
