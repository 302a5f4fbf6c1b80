// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/route.h"

/*
 * Routes of one link (address.h). IPv4 has no request for one route, and a dump costs as much as
 * the node has routes: a route is looked for by asking where packets into its network would go.
 */

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/fib.h"
#include "shared/kernel/link_find.h"

DEFINE_AUTO(struct nl_addr *, cleanup_nl_addr, nl_addr_put);
DEFINE_AUTO(struct rtnl_route *, cleanup_route, rtnl_route_put);

#define auto_nl_addr CLEANUP(cleanup_nl_addr)
#define auto_route   CLEANUP(cleanup_route)

void route_print(const struct route *route, char *text, size_t size)
{
	char dst[IP_TEXT_SIZE], gw[IP_TEXT_SIZE] = "";

	ip_print_cidr(&route->dst, dst);
	if (route->gw.family)
		ip_print(&route->gw, gw);
	snprintf(text, size, "%s%s%s", dst, gw[0] ? " via " : "", gw);
}

/* An address of the network, with the host's bits all taken from a pattern (0: its base). */
static struct ip network_address(const struct ip *net, uint8_t pattern)
{
	struct ip ip = *net;
	uint8_t mask;

	for (size_t i = 0; i < ip_size(net); i++) {
		mask = (uint8_t)(net->prefix >= 8 * i + 8 ? 0
				 : net->prefix <= 8 * i   ? 0xff
							  : 0xff >> (net->prefix - 8 * i));
		ip.bytes[i] = (uint8_t)((net->bytes[i] & ~mask) | (pattern & mask));
	}

	return ip;
}

static int set_dst(struct rtnl_route *to, const struct route *route)
{
	struct ip base = network_address(&route->dst, 0); /* the kernel refuses host bits */
	auto_nl_addr struct nl_addr *dst = nl_addr_build(base.family, base.bytes, ip_size(&base));

	if (!dst)
		return -1;
	nl_addr_set_prefixlen(dst, base.prefix);

	return rtnl_route_set_dst(to, dst);
}

static int set_hop(struct rtnl_route *to, const struct route *route, int ifindex)
{
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
	auto_nl_addr struct nl_addr *gw = NULL;

	if (!hop)
		return -1;
	rtnl_route_nh_set_ifindex(hop, ifindex);
	rtnl_route_add_nexthop(to, hop); /* takes it over */
	if (!route->gw.family)
		return 0;

	gw = nl_addr_build(route->gw.family, route->gw.bytes, ip_size(&route->gw));
	if (!gw)
		return -1;
	rtnl_route_nh_set_gateway(hop, gw);

	return 0;
}

static uint8_t scope_of(const struct route *route)
{
	if (route->has_scope)
		return route->scope;

	return route->dst.family == AF_INET && !route->gw.family ? RT_SCOPE_LINK
								 : RT_SCOPE_UNIVERSE;
}

static struct nl_msg *build_add(int ifindex, const struct route *route)
{
	auto_route struct rtnl_route *to = rtnl_route_alloc();
	struct nl_msg *msg = NULL;

	if (!to || set_dst(to, route) < 0 || set_hop(to, route, ifindex) < 0)
		return NULL;

	rtnl_route_set_protocol(to, route->protocol ? route->protocol : RTPROT_STATIC);
	rtnl_route_set_scope(to, scope_of(route));
	rtnl_route_set_table(to, route->table ? route->table : RT_TABLE_MAIN);
	if (route->priority)
		rtnl_route_set_priority(to, route->priority);
	if ((route->mtu && rtnl_route_set_metric(to, RTAX_MTU, route->mtu) < 0) ||
	    (route->advmss && rtnl_route_set_metric(to, RTAX_ADVMSS, route->advmss) < 0))
		return NULL;

	return rtnl_route_build_add_request(to, NLM_F_CREATE | NLM_F_EXCL, &msg) < 0 ? NULL : msg;
}

static int on_name(struct nl_msg *msg, void *name)
{
	struct nlattr *nla = nlmsg_find_attr(nlmsg_hdr(msg), sizeof(struct ifinfomsg), IFLA_IFNAME);

	if (nla)
		nla_strlcpy(name, nla, IFNAMSIZ);

	return NL_OK;
}

/* Whose route is in the way? Not always to be had: then it is another link's. */
static void name_owner(struct netlink *nl, const struct route *route, char *owner, size_t size)
{
	struct ip to = network_address(&route->dst, 0x55);
	auto_nl_msg struct nl_msg *msg = NULL;
	char name[IFNAMSIZ] = "another link";
	struct fib_entry entry;
	struct error ignored;

	if (fib_find(nl, &to, route->vrf, &entry, &ignored) == 1 &&
	    entry.dst.prefix == route->dst.prefix) {
		msg = link_message(RTM_GETLINK, 0, entry.oif, 0, 0);
		if (msg)
			(void)netlink_request(nl, msg, on_name, name);
	}
	snprintf(owner, size, "through %s", name);
}

static int conflict(struct netlink *nl, const struct route *route, struct error *err)
{
	char text[2 * IP_TEXT_SIZE], owner[IFNAMSIZ + 32];

	if (route->table && !route->vrf)
		snprintf(owner, sizeof(owner), "in the table %u", route->table);
	else
		name_owner(nl, route, owner, sizeof(owner));
	route_print(route, text, sizeof(text));

	return error_set(err, ERROR_CONFLICT,
			 "add the route %s%s%s: there is another one %s to the same destination "
			 "with the same metric",
			 text, nl->place ? " in the " : "", nl->place ? nl->place : "", owner);
}

int route_add(struct netlink *nl, int ifindex, const struct route *route, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build_add(ifindex, route);
	char text[2 * IP_TEXT_SIZE];
	int r;

	route_print(route, text, sizeof(text));
	if (!msg)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "add the route %s", text);

	r = netlink_request(nl, msg, NULL, NULL);
	if (r == 0)
		return 0;
	if (r != -EEXIST)
		return netlink_error(nl, r, err, "add the route %s", text);

	/* Look-ups go through the rules, so a table of its own cannot be asked whose route it has.
	 */
	r = route->table ? 0 : route_find(nl, ifindex, route, err);

	return r == 0 ? conflict(nl, route, err) : r < 0 ? -1 : 0;
}

static bool is_same(const struct fib_entry *entry, const struct route *route, int ifindex)
{
	struct ip base = network_address(&route->dst, 0);

	if (entry->oif != ifindex || !ip_equal(&entry->dst, &base))
		return false;

	/* One with a lower metric hides ours from every look-up: it cannot be said to be absent. */
	if (route->priority && entry->priority < route->priority)
		return true;

	return (!route->priority || entry->priority == route->priority) &&
	       entry->gw.family == route->gw.family &&
	       (!entry->gw.family || ip_equal(&entry->gw, &route->gw));
}

int route_find(struct netlink *nl, int ifindex, const struct route *route, struct error *err)
{
	/* Smaller networks inside this one hide it from some addresses, hardly from all of these.
	 */
	static const uint8_t patterns[] = { 0x00, 0x55, 0xaa, 0xff };
	struct fib_entry entry;
	struct ip to;
	int r;

	if (route->table)
		return 1;

	for (size_t i = 0; i < COUNT(patterns); i++) {
		to = network_address(&route->dst, patterns[i]);
		r = fib_find(nl, &to, ifindex, &entry, err);
		if (r < 0)
			return -1;
		if (r == 1 && is_same(&entry, route, ifindex))
			return 1;
	}

	return 0;
}
