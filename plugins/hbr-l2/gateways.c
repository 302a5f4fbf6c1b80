// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/gateways.h"

#include <stdio.h>
#include <time.h>

#include "plugins/hbr-l2/fields.h"
#include "shared/kernel/address.h"
#include "shared/node/frr.h"

#define PUBLISH_TRIES    40
#define PUBLISH_PAUSE_NS 50000000

/* All of them, as far as zebra can be asked; each that it does not know is told again. 1 known. */
static int publish(const struct site *site, const struct l2 *l2, struct error *err)
{
	struct netlink *hbr = &site->nl[PLACE_HBR];
	const struct node *node = site->node;
	char bridge[IFNAMSIZ];
	int index, all = 1, r;

	snprintf(bridge, sizeof(bridge), "br.%u", l2->vni);
	r = link_get_index(hbr, bridge, &index, err);
	for (size_t i = 0; r == 0 && i < l2->gateways.n; i++) {
		const struct ip *ip = &l2->gateways.ips[i];
		int known = node->frr.is_ours ? frr_knows_address(node, bridge, ip, err) : 0;

		if (known < 0)
			return -1;
		all = all && known;
		if (!known)
			r = address_repeat(hbr, index, ip, err);
	}

	return r < 0 ? -1 : all;
}

void gateways_publish(const struct site *site, const void *values)
{
	const struct l2 *l2 = values;
	struct error err;
	int r = 0;

	if (!l2->gateways.n)
		return;
	for (size_t i = 0; i < PUBLISH_TRIES && r == 0; i++) {
		if (i > 0)
			nanosleep(&(struct timespec){ .tv_nsec = PUBLISH_PAUSE_NS }, NULL);
		r = publish(site, l2, &err);
		if (r < 0)
			error_warn("the gateways of VNI %u: %s", l2->vni, err.msg);
		if (!site->node->frr.is_ours)
			break;
	}
}
