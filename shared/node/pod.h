// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The pod's end: sysctls, addresses, up, routes, in this order, so that nothing is ever up that is
 * not yet as it should be. The interface itself was made by its port.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/kernel/link.h"
#include "shared/kernel/netns.h"
#include "shared/kernel/route.h"

#define RESULT_IPS_MAX    32
#define RESULT_ROUTES_MAX 128

/* What a pod's interface is to have. */
struct addressing {
	struct {
		struct ip address;
		struct ip gateway; /* family 0: none */
	} ips[RESULT_IPS_MAX];
	size_t n_ips;
	struct route routes[RESULT_ROUTES_MAX];
	size_t n_routes;
};

struct pod {
	const struct netns *netns;
	struct netlink *nl; /* a conversation inside it */
	const char *ifname;
	struct mac mac;
	uint32_t mtu;
	bool dad; /* IPv6 duplicate address detection */
	bool promisc, allmulti;
	bool stay_down; /* the pod sets it up itself */
	int port;       /* for pod_verify(): index of the veth's other end; 0: whatever it is */
	const struct addressing *addressing;
	const struct ip *next_hop; /* of an IPv4 route, in no network of the pod's; NULL: none */
};

/* 1 when the pod has a link of that name, as an alternative one too. */
int pod_has_interface(const struct pod *pod, struct error *err);

/* -1: ERROR_NETLINK, ERROR_CONFLICT (a route of another link is there), ERROR_IO (a sysctl). */
int pod_configure(const struct pod *pod, struct error *err);

/* Wait until no address is tentative any more; at once when there is no dad. */
int pod_await_addresses(const struct pod *pod, struct error *err);

/* -1, ERROR_CHECK, for the first thing that is not so: the interface with that MAC and MTU (each
 * unless zero), up, its addresses, its routes. More of them than these are the pod's business. */
int pod_verify(const struct pod *pod, struct error *err);
