// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Addresses of a link, put there and looked for. As with routes, neighbours and forwarding entries,
 * putting what is there already is no error; taking away what is gone is none either. Nothing here
 * dumps a table, except address_first(), which a domain needs once, when it is made.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/kernel/netlink.h"

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
