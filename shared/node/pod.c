// SPDX-License-Identifier: Apache-2.0
#include "shared/node/pod.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/patience.h"
#include "shared/kernel/address.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/sysctl.h"

#define DAD_MS       5000
#define DAD_PAUSE_US 10000

static bool has_family(const struct addressing *addressing, uint8_t family)
{
	for (size_t i = 0; i < addressing->n_ips; i++) {
		if (addressing->ips[i].address.family == family)
			return true;
	}

	return false;
}

static struct link like(const struct pod *pod)
{
	struct link link = { .kind = LINK_VETH, .place = PLACE_POD };

	snprintf(link.name, sizeof(link.name), "%s", pod->ifname);

	return link;
}

int pod_has_interface(const struct pod *pod, struct error *err)
{
	struct link link = like(pod);
	struct link_state state;
	int r = link_find(pod->nl, &link, &state, err);

	return r < 0 ? -1 : r == 1 || state.other[0];
}

/* Inside the pod's namespace. */
static int set_sysctls(void *arg, struct error *err)
{
	const struct pod *pod = arg;
	const struct sysctl_of_link always[] = {
		/* The pod's own later changes of MAC and state announce themselves. */
		{ "ipv4", "arp_notify", "1", false },
		{ "ipv6", "ndisc_notify", "1", false },
	};
	const struct sysctl_of_link ipv6[] = {
		{ "ipv6", "disable_ipv6", "0", true },
		{ "ipv6", "keep_addr_on_down", "1", false },
		{ "ipv6", "accept_dad", pod->dad ? "1" : "0", false },
	};
	/* Whose addresses are given wants no others from a router. */
	const struct sysctl_of_link given[] = {
		{ "ipv6", "accept_ra", "0", false },
		{ "ipv6", "autoconf", "0", false },
	};

	if (sysctl_set_link(pod->ifname, always, COUNT(always), err) < 0 ||
	    (has_family(pod->addressing, AF_INET6) &&
	     sysctl_set_link(pod->ifname, ipv6, COUNT(ipv6), err) < 0) ||
	    (pod->addressing->n_ips && sysctl_set_link(pod->ifname, given, COUNT(given), err) < 0))
		return -1;

	/* Asked here, inside, by an ioctl: it costs no netlink request. */
	return (int)if_nametoindex(pod->ifname);
}

static int set_flags(const struct pod *pod, int index, struct error *err)
{
	unsigned flags = (pod->stay_down ? 0 : (unsigned)IFF_UP) |
			 (pod->promisc ? (unsigned)IFF_PROMISC : 0) |
			 (pod->allmulti ? (unsigned)IFF_ALLMULTI : 0);
	auto_nl_msg struct nl_msg *msg = link_message(RTM_NEWLINK, 0, index, flags, flags);
	char text[MAC_TEXT_SIZE];
	int r;

	if (!flags)
		return 0;
	if (!msg)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "set up %s", pod->ifname);

	r = netlink_request(pod->nl, msg, NULL, NULL);
	if (r == -EADDRINUSE) {
		/* Only here a macvlan is told that another one on the same VLAN has its MAC. */
		mac_print(&pod->mac, text);
		return error_set(err, ERROR_CONFLICT,
				 "the MAC address %s is taken: another pod on the VLAN has it",
				 text);
	}

	return r < 0 ? netlink_error(pod->nl, r, err, "set up %s", pod->ifname) : 0;
}

/* A pod that brings its own addresses may be given routes all the same. */
static bool needs_next_hop(const struct pod *pod)
{
	const struct addressing *addressing = pod->addressing;

	for (size_t i = 0; i < addressing->n_routes; i++) {
		if (addressing->routes[i].gw.family == AF_INET)
			return true;
	}

	return has_family(addressing, AF_INET);
}

/* The way to it, of a metric that no other interface of the pod has: each may have the same hop. */
static int reach_next_hop(const struct pod *pod, int index, struct error *err)
{
	struct route route = { .priority = (uint32_t)index };

	if (!pod->next_hop || !needs_next_hop(pod))
		return 0;
	route.dst = *pod->next_hop;

	return route_add(pod->nl, index, &route, err);
}

int pod_configure(const struct pod *pod, struct error *err)
{
	const struct addressing *addressing = pod->addressing;
	struct pod copy = *pod;
	int index = netns_call(pod->netns, set_sysctls, &copy, err);

	if (index < 0)
		return -1;
	if (index == 0)
		return error_set(err, ERROR_UNKNOWN_CONTAINER, "%s went away from the pod",
				 pod->ifname);

	for (size_t i = 0; i < addressing->n_ips; i++) {
		if (address_add(pod->nl, index, &addressing->ips[i].address, pod->dad, err) < 0)
			return -1;
	}
	if (set_flags(pod, index, err) < 0 || reach_next_hop(pod, index, err) < 0)
		return -1;
	for (size_t i = 0; i < addressing->n_routes; i++) {
		if (route_add(pod->nl, index, &addressing->routes[i], err) < 0)
			return -1;
	}

	return 0;
}

static int find_address(const struct pod *pod, int index, const struct ip *address, bool *tentative,
			int code, struct error *err)
{
	char text[IP_TEXT_SIZE];
	int r = address_find(pod->nl, index, address, tentative, err);

	ip_print_cidr(address, text);
	if (r == 0)
		return error_set(err, code, "%s in the pod has lost its address %s", pod->ifname,
				 text);

	return r < 0 ? -1 : 0;
}

int pod_await_addresses(const struct pod *pod, struct error *err)
{
	struct patience patience = patience_begin(DAD_MS, DAD_PAUSE_US, DAD_PAUSE_US);
	int index;

	if (!pod->dad || pod->stay_down || !has_family(pod->addressing, AF_INET6))
		return 0;
	if (link_get_index(pod->nl, pod->ifname, &index, err) < 0)
		return -1;

	for (size_t i = 0; i < pod->addressing->n_ips;) {
		bool tentative = false;

		if (find_address(pod, index, &pod->addressing->ips[i].address, &tentative,
				 ERROR_UNKNOWN_CONTAINER, err) < 0)
			return -1;
		if (!tentative)
			i++;
		else if (!patience_pause(&patience))
			return error_set(err, ERROR_TRY_AGAIN,
					 "duplicate address detection on %s did not end in 5 s",
					 pod->ifname);
	}

	return 0;
}

static int verify_link(const struct pod *pod, struct link_state *state, struct error *err)
{
	struct link link = like(pod);
	char is[MAC_TEXT_SIZE], wanted[MAC_TEXT_SIZE];
	int r = link_find(pod->nl, &link, state, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return error_set(err, ERROR_CHECK, "%s in the pod is missing", pod->ifname);
	/* What has taken over the interface may stand there under its name, with its MAC. */
	if (pod->port && pod->port != state->lower)
		return error_set(err, ERROR_CHECK,
				 "%s in the pod is another link, wanted the one that ADD made",
				 pod->ifname);
	if (!pod->stay_down && !state->up)
		return error_set(err, ERROR_CHECK, "%s in the pod is down, wanted up", pod->ifname);
	if (mac_is_set(&pod->mac) && !mac_equal(&pod->mac, &state->link.mac)) {
		mac_print(&state->link.mac, is);
		mac_print(&pod->mac, wanted);
		return error_set(err, ERROR_CHECK, "%s in the pod has address %s, wanted %s",
				 pod->ifname, is, wanted);
	}
	if (pod->mtu && pod->mtu != state->link.mtu)
		return error_set(err, ERROR_CHECK, "%s in the pod has mtu %u, wanted %u",
				 pod->ifname, state->link.mtu, pod->mtu);

	return 0;
}

int pod_verify(const struct pod *pod, struct error *err)
{
	const struct addressing *addressing = pod->addressing;
	struct link_state state;
	char text[2 * IP_TEXT_SIZE + 8];

	if (verify_link(pod, &state, err) < 0)
		return -1;

	for (size_t i = 0; i < addressing->n_ips; i++) {
		if (find_address(pod, state.index, &addressing->ips[i].address, NULL, ERROR_CHECK,
				 err) < 0)
			return -1;
	}
	for (size_t i = 0; i < addressing->n_routes; i++) {
		int r = route_find(pod->nl, state.index, &addressing->routes[i], err);

		route_print(&addressing->routes[i], text, sizeof(text));
		if (r < 0)
			return -1;
		if (r == 0)
			return error_set(err, ERROR_CHECK, "%s in the pod has lost its route %s",
					 pod->ifname, text);
	}

	return 0;
}
