// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-vrf/routing.h"

#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "plugins/hbr-vrf/topology.h"
#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/kernel/address.h"
#include "shared/kernel/fib.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/sysctl.h"
#include "shared/node/vrf.h"

int routing_ask_ipam(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	if (attach_ask_ipam(ctx, err) < 0)
		return -1;

	return attachment->ipam_result ? l3_route_addressing(&attachment->interface->addressing,
							     ERROR_DELEGATE_RESULT, err)
				       : 0;
}

static const struct link *port_of(const struct attachment *attachment)
{
	return &attachment->links[attachment->n_links - 1];
}

/* A host's route to an address of the pod. */
static struct route route_to(const struct attachment *attachment, const struct ip *address)
{
	const struct l3 *l3 = attachment->values;

	return (struct route){
		.dst = *address,
		.table = l3->vrf.table,
		.vrf = attachment->links[0].index,
		.protocol = ROUTE_PROTOCOL,
	};
}

/* A tenant's packets have a tenant's source: others get no answer, and are dropped (IPv4). */
static int guard(struct attachment *attachment, struct error *err)
{
	static const struct sysctl_of_link settings[] = {
		{ "ipv4", "rp_filter", "1", true },   { "ipv4", "forwarding", "1", true },
		{ "ipv6", "accept_ra", "0", false },  { "ipv6", "accept_dad", "0", false },
		{ "ipv6", "forwarding", "1", false },
	};
	struct sysctl_link link = { attachment->port_name, settings, COUNT(settings) };

	return netns_call(&attachment->hbr, sysctl_apply, &link, err) < 0 ? -1 : 0;
}

/* Both families, whatever the pod has by now: it may bring its own addresses. */
static int assign(struct netlink *hbr, int port, struct error *err)
{
	struct ip link_local = *l3_next_hop(AF_INET6);
	struct error refused;

	link_local.prefix = 64;
	if (address_add(hbr, port, l3_next_hop(AF_INET), false, err) < 0)
		return -1;
	if (address_add(hbr, port, &link_local, false, &refused) == 0)
		return 0;
	if (sysctl_get("ipv6/conf/all/forwarding", &(long){ 0 }, err) == 0)
		return 0; /* a kernel without IPv6 */
	*err = refused;

	return -1;
}

typedef int route_fn(struct attachment *attachment, int port, const struct ip *address,
		     struct error *err);

static int add_route(struct attachment *attachment, int port, const struct ip *address,
		     struct error *err)
{
	struct route route = route_to(attachment, address);

	return route_add(&attachment->nl[PLACE_HBR], port, &route, err);
}

/* 1 it is there. */
static int has_route(struct attachment *attachment, int port, const struct ip *address,
		     struct error *err)
{
	int vrf = attachment->links[0].index;
	struct fib_entry entry;
	int r = fib_find(&attachment->nl[PLACE_HBR], address, vrf, &entry, err);

	return r == 1 ? entry.oif == port && entry.dst.prefix == address->prefix : r;
}

static int ensure_route(struct attachment *attachment, int port, const struct ip *address,
			struct error *err)
{
	int r = has_route(attachment, port, address, err);

	return r == 0 ? add_route(attachment, port, address, err) : r < 0 ? -1 : 0;
}

static int connect_port(struct attachment *attachment, route_fn *put, struct error *err)
{
	const struct l3 *l3 = attachment->values;
	const struct addressing *addressing = &l3->interface.addressing;
	struct netlink *hbr = &attachment->nl[PLACE_HBR];
	int port;

	if (link_get_index(hbr, attachment->port_name, &port, err) < 0 ||
	    guard(attachment, err) < 0 || assign(hbr, port, err) < 0)
		return -1;
	for (size_t i = 0; i < addressing->n_ips; i++) {
		if (put(attachment, port, &addressing->ips[i].address, err) < 0)
			return -1;
	}

	return 0;
}

int routing_connect(void *ctx, struct error *err)
{
	return connect_port(ctx, add_route, err);
}

int routing_reconnect(void *ctx, struct error *err)
{
	return connect_port(ctx, ensure_route, err);
}

static int verify_route(struct attachment *attachment, const struct ip *address, struct error *err)
{
	const struct link *port = port_of(attachment);
	char text[IP_TEXT_SIZE];
	int r = has_route(attachment, port->index, address, err);

	if (r != 0)
		return r < 0 ? -1 : 0;
	ip_print_cidr(address, text);

	return error_set(err, ERROR_CHECK, "the route to %s through %s in the %s is missing", text,
			 port->name, attachment->nl[PLACE_HBR].place);
}

static int verify_hop(struct attachment *attachment, const struct ip *hop, struct error *err)
{
	struct netlink *hbr = &attachment->nl[PLACE_HBR];
	const struct link *port = port_of(attachment);
	char text[IP_TEXT_SIZE];
	int r = address_find(hbr, port->index, hop, NULL, err);

	ip_print(hop, text);
	if (r == 0)
		return error_set(err, ERROR_CHECK, "%s in the %s has lost its address %s",
				 port->name, hbr->place, text);

	return r < 0 ? -1 : 0;
}

int routing_verify(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	const struct l3 *l3 = attachment->values;
	const struct addressing *addressing = &l3->interface.addressing;
	struct ip link_local = *l3_next_hop(AF_INET6);

	link_local.prefix = 64;
	if (vrf_verify(&site, &l3->vrf, err) < 0 ||
	    verify_hop(attachment, l3_next_hop(AF_INET), err) < 0 ||
	    verify_hop(attachment, &link_local, err) < 0)
		return -1;
	for (size_t i = 0; i < addressing->n_ips; i++) {
		if (verify_route(attachment, &addressing->ips[i].address, err) < 0)
			return -1;
	}

	return 0;
}
