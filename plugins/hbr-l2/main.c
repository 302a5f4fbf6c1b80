// SPDX-License-Identifier: Apache-2.0

/* hbr-l2: a pod on an on-demand L2 domain. The steps of an attachment; nothing else. */

#include <stddef.h>
#include <stdio.h>

#include "plugins/hbr-l2/forwarding.h"
#include "plugins/hbr-l2/topology.h"
#include "shared/cni/attach.h"
#include "shared/cni/verbs.h"
#include "shared/node/port.h"

static int hold(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	const struct l2 *l2 = attachment->values;

	if (l2->attach == ATTACH_BRIDGE && node_check_bridge_netfilter(&attachment->node, err) < 0)
		return -1;

	return attach_hold(ctx, err);
}

static int recover(const struct site *site, const struct link_state *port, void *values,
		   struct error *err)
{
	struct l2 *l2 = values;
	struct link bridge = { .kind = LINK_BRIDGE, .place = PLACE_HBR };
	struct link_state state;
	int r;

	l2->vni = port->link.group & ~LINK_GROUP_MASK;
	if (!site->nl[PLACE_HBR].sock)
		return 0;
	snprintf(bridge.name, sizeof(bridge.name), "br.%u", l2->vni);
	r = link_find(&site->nl[PLACE_HBR], &bridge, &state, err);
	if (r == 1)
		vrf_recover(site, &state, &l2->vrf);

	return r < 0 ? -1 : 0;
}

/* A pod that moves is on two nodes for a moment, or twice on one. */
static bool claims(const void *values)
{
	return !((const struct l2 *)values)->mobile;
}

static const struct step steps[] = {
	{ "record", attach_remember, attach_forget, .holds_on = true },
	{ "ipam", attach_ask_ipam, attach_return_ipam, false },
	{ "domain", hold, attach_release, false },
	{ "port", attach_plug, attach_unplug, false },
	{ "forwarding", forwarding_pin, forwarding_unpin, false },
	{ "unlock", attach_unlock, NULL, false },
	{ "gateways", forwarding_publish, NULL, false },
	{ "pod", attach_configure, NULL, false },
	{ "announcement", attach_announce, NULL, false },
	{ "HBR netns", attach_confirm, NULL, false },
};

static const struct attachment_type type = {
	.name = "hbr-l2",
	.fields = &l2_fields,
	.values_size = sizeof(struct l2),
	.interface_offset = offsetof(struct l2, interface),
	.takes_trunk = true,
	.settle = l2_settle,
	.domains = l2_domains,
	.recover = recover,
	.port = l2_port,
	.claims = claims,
	.verify = forwarding_verify,
	.steps = steps,
	.n_steps = COUNT(steps),
};

int main(void)
{
	return verbs_main(&type);
}
