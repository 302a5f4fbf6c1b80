// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-vrf/fields.h"

#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "plugins/hbr-vrf/topology.h"
#include "shared/base/cleanup.h"

/* clang-format off */
static const struct field rows[] = {
	VRF_ROWS(struct l3, vrf., "vrf", 1, 0),
	INTERFACE_ROWS(struct l3, interface, 0),
};
/* clang-format on */

const struct field_table l3_fields = { rows, COUNT(rows) };

/* The subnet's gateway, as an IPAM plugin sees it, is the port. */
static bool is_next_hop(const struct addressing *addressing, const struct ip *gateway)
{
	for (size_t i = 0; i < addressing->n_ips; i++) {
		if (ip_equal(&addressing->ips[i].gateway, gateway))
			return true;
	}

	return ip_equal(gateway, l3_next_hop(gateway->family));
}

/* One next hop is all there is behind a routed port. */
static int settle_route(const struct addressing *addressing, struct route *route, int code,
			struct error *err)
{
	char text[2 * IP_TEXT_SIZE], wanted[IP_TEXT_SIZE];

	if (route->has_scope && route->scope >= RT_SCOPE_LINK)
		return 0;
	route_print(route, text, sizeof(text));
	ip_print(l3_next_hop(route->dst.family), wanted);
	if (route->gw.family && !is_next_hop(addressing, &route->gw))
		return error_set(err, code,
				 "routes: %s is not possible: the next hop of every route of a "
				 "routed port is %s: wanted that one, or none",
				 text, wanted);
	route->gw = *l3_next_hop(route->dst.family);

	return 0;
}

int l3_route_addressing(struct addressing *addressing, int code, struct error *err)
{
	for (size_t i = 0; i < addressing->n_routes; i++) {
		if (settle_route(addressing, &addressing->routes[i], code, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < addressing->n_ips; i++) {
		struct ip *address = &addressing->ips[i].address;

		address->prefix = (uint8_t)(8 * ip_size(address));
		addressing->ips[i].gateway = *l3_next_hop(address->family);
	}

	return 0;
}

// cppcheck-suppress constParameter ; others write to it
int l3_settle(const struct node *node, void *values, uint64_t *given, struct error *err)
{
	struct l3 *l3 = values;

	(void)node;
	l3->vrf.given = VRF_GIVEN(*given);
	l3->vrf.may_be_made = true;

	return l3_route_addressing(&l3->interface.addressing, ERROR_INVALID_CONFIG, err);
}
