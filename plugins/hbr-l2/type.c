// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/type.h"

#include <stddef.h>

#include "plugins/hbr-l2/forwarding.h"
#include "plugins/hbr-l2/topology.h"
#include "shared/cni/attach.h"
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
	((struct l2 *)values)->vni = port->link.group & ~LINK_GROUP_MASK;
	(void)site;
	(void)err;

	return 0;
}

/* A pod that moves is on two nodes for a moment, or twice on one. */
static bool claims(const void *values)
{
	return !((const struct l2 *)values)->mobile;
}

static const struct step steps[] = {
	{ "record", attach_remember, attach_forget, NULL, true },
	{ "ipam", attach_ask_ipam, attach_return_ipam, NULL, false },
	{ "domain", hold, attach_release, hold, false },
	{ "port", attach_plug, attach_unplug, attach_replug, false },
	{ "forwarding", forwarding_pin, forwarding_unpin, forwarding_pin, false },
	{ "unlock", attach_unlock, NULL, attach_unlock, false },
	{ "gateways", attach_publish, NULL, attach_publish, false },
	{ "pod", attach_configure, NULL, attach_reconfigure, false },
	{ "announcement", attach_announce, NULL, attach_reannounce, false },
	{ "HBR netns", attach_confirm, NULL, attach_confirm, false },
};

const struct attachment_type l2_type = {
	.name = "hbr-l2",
	.fields = &l2_fields,
	.values_size = sizeof(struct l2),
	.interface_offset = offsetof(struct l2, interface),
	.settle = l2_settle,
	.domains = l2_domains,
	.find_domain = l2_find_domain,
	.recover = recover,
	.port = l2_port,
	.claims = claims,
	.verify = forwarding_verify,
	.is_trunked = true,
	.kinds = 1u << LINK_BRIDGE | 1u << LINK_VETH | 1u << LINK_VXLAN,
	.steps = steps,
	.n_steps = COUNT(steps),
};
