// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-vrf/type.h"

#include <stddef.h>

#include "plugins/hbr-vrf/routing.h"
#include "plugins/hbr-vrf/topology.h"
#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/node/vrf.h"

/* The VRF's is the largest MTU; pods may have less. */
static int hold(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct l3 *l3 = attachment->values;

	if (attach_hold(ctx, err) < 0)
		return -1;
	l3->interface.mtu = l3_mtu(&attachment->node, l3);
	if (l3->interface.mtu <= l3->vrf.mtu)
		return 0;

	return error_set(err, ERROR_INVALID_CONFIG,
			 "mtu: %u is more than the VRF %s can carry: wanted at most %u",
			 l3->interface.mtu, l3->vrf.name, l3->vrf.mtu);
}

static int recover(const struct site *site, const struct link_state *port, void *values,
		   struct error *err)
{
	(void)err;
	vrf_recover(site, port, &((struct l3 *)values)->vrf);

	return 0;
}

static const struct step steps[] = {
	{ "record", attach_remember, attach_forget, NULL, true },
	{ "ipam", routing_ask_ipam, attach_return_ipam, NULL, false },
	{ "domain", hold, attach_release, hold, false },
	{ "port", attach_plug, attach_unplug, attach_replug, false },
	{ "routing", routing_connect, NULL, routing_reconnect, false },
	{ "unlock", attach_unlock, NULL, attach_unlock, false },
	{ "pod", attach_configure, NULL, attach_reconfigure, false },
	{ "announcement", attach_announce, NULL, attach_reannounce, false },
	{ "HBR netns", attach_confirm, NULL, attach_confirm, false },
};

const struct attachment_type l3_type = {
	.name = "hbr-vrf",
	.fields = &l3_fields,
	.values_size = sizeof(struct l3),
	.interface_offset = offsetof(struct l3, interface),
	.settle = l3_settle,
	.domains = l3_domains,
	.find_domain = l3_find_domain,
	.recover = recover,
	.port = l3_port,
	.verify = routing_verify,
	.next_hop = &l3_hop,
	.kinds = 1u << LINK_VETH | 1u << LINK_VRF,
	.steps = steps,
	.n_steps = COUNT(steps),
};
