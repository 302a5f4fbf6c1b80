// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/gateways.h"

#include <stdio.h>

#include "plugins/hbr-l2/fields.h"
#include "shared/base/patience.h"
#include "shared/kernel/address.h"
#include "shared/kernel/link_find.h"
#include "shared/node/frr.h"

#define PUBLISH_MS       3000
#define PUBLISH_PAUSE_US 50000

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
	struct patience patience = patience_begin(PUBLISH_MS, PUBLISH_PAUSE_US, PUBLISH_PAUSE_US);
	struct error err;
	int r;

	if (!l2->gateways.n)
		return;
	do
		r = publish(site, l2, &err);
	while (r == 0 && site->node->frr.is_ours && patience_pause(&patience));
	if (r < 0)
		error_warn("the gateways of VNI %u: %s", l2->vni, err.msg);
}
