// SPDX-License-Identifier: Apache-2.0

/* hbr-l2: a pod on an on-demand L2 domain. The steps of an attachment; nothing else. */

#include <stddef.h>
#include <stdio.h>

#include "plugins/hbr-l2/topology.h"
#include "shared/cni/attach.h"
#include "shared/cni/verbs.h"
#include "shared/node/port.h"

/* The leg of the domain on the HBR netns' side of the trunk: what is behind it is on this node. */
static const struct link *find_leg(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->n_links; i++) {
		const struct link *link = &attachment->links[i];

		if (link->kind == LINK_VLAN && link->place == PLACE_HBR)
			return link;
	}

	return NULL;
}

static int hold(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	const struct l2 *l2 = attachment->values;

	if (l2->attach == ATTACH_BRIDGE && node_check_bridge_netfilter(&attachment->node, err) < 0)
		return -1;

	return attach_hold(ctx, err);
}

static bool is_static(const struct attachment *attachment)
{
	const struct l2 *l2 = attachment->values;

	return !l2->mobile && l2->interface.addressing.n_ips > 0;
}

/* On its own port: nothing else passes a locked one, and where that is in the HBR netns, EVPN
 * looks. */
static bool is_on_port(const struct attachment *attachment)
{
	const struct l2 *l2 = attachment->values;

	return l2->macspoofchk || (l2->attach == ATTACH_DIRECT && is_static(attachment));
}

static int pin_to_port(struct attachment *attachment, struct error *err)
{
	const struct l2 *l2 = attachment->values;
	struct netlink *nl = &attachment->nl[l2->attach == ATTACH_DIRECT ? PLACE_HBR : PLACE_HOST];
	int port;

	if (link_get_index(nl, attachment->port_name, &port, err) < 0)
		return -1;

	return fdb_add(nl, port, &l2->interface.mac, err) < 0 ? -1 : 0;
}

/* A pod whose addresses are known is announced by EVPN before it says a word, and stays so. */
static int pin(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct l2 *l2 = attachment->values;
	const struct link *leg = find_leg(attachment);
	int r;

	if (is_on_port(attachment) && pin_to_port(attachment, err) < 0)
		return -1;
	if (!is_static(attachment) || !leg)
		return 0;

	r = fdb_add(&attachment->nl[PLACE_HBR], leg->index, &l2->interface.mac, err);
	l2->is_others_entry = r == 0;

	return r < 0 ? -1 : 0;
}

/* The entry on the pod's own port goes with the port. */
static int unpin(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct site site = attachment_site(attachment);
	const struct l2 *l2 = attachment->values;
	struct network network = { &l2_fields, attachment->values, 0 };
	char leg[IFNAMSIZ];
	int index, r;

	if (!attachment->nl[PLACE_HBR].sock || l2->attach == ATTACH_DIRECT || l2->is_others_entry)
		return 0;
	r = domain_recall(&attachment->domains[1], &site, &network, err);
	if (r <= 0)
		return r;
	snprintf(leg, sizeof(leg), "tr.%u", l2->vlan);
	r = link_find_index(&attachment->nl[PLACE_HBR], leg, &index, err);

	return r <= 0 ? r : fdb_remove(&attachment->nl[PLACE_HBR], index, &l2->interface.mac, err);
}

static int verify_entry(struct netlink *nl, const struct link *port, const struct mac *mac,
			struct error *err)
{
	char text[MAC_TEXT_SIZE];
	int r = fdb_find(nl, port->index, mac, err);

	mac_print(mac, text);
	if (r == 0)
		return error_set(err, ERROR_CHECK,
				 "the static forwarding entry of %s on %s in the %s is missing",
				 text, port->name, nl->place);

	return r < 0 ? -1 : 0;
}

static int verify(struct attachment *attachment, struct error *err)
{
	const struct l2 *l2 = attachment->values;
	const struct link *port = &attachment->links[attachment->n_links - 1];
	const struct link *leg = find_leg(attachment);
	const struct mac *mac = &l2->interface.mac;

	if (is_on_port(attachment) &&
	    verify_entry(&attachment->nl[port->place], port, mac, err) < 0)
		return -1;
	if (!is_static(attachment) || !leg)
		return 0;

	return verify_entry(&attachment->nl[PLACE_HBR], leg, mac, err);
}

static void recover(uint32_t vni, void *values)
{
	((struct l2 *)values)->vni = vni;
}

static const struct step steps[] = {
	{ "record", attach_remember, attach_forget, .holds_on = true },
	{ "ipam", attach_ask_ipam, attach_return_ipam, false },
	{ "domain", hold, attach_release, false },
	{ "port", attach_plug, attach_unplug, false },
	{ "forwarding", pin, unpin, false },
	{ "unlock", attach_unlock, NULL, false },
	{ "pod", attach_configure, NULL, false },
	{ "announcement", attach_announce, NULL, false },
	{ "HBR netns", attach_confirm, NULL, false },
};

static const struct attachment_type type = {
	.name = "hbr-l2",
	.fields = &l2_fields,
	.values_size = sizeof(struct l2),
	.interface_offset = offsetof(struct l2, interface),
	.settle = l2_settle,
	.domains = l2_domains,
	.recover = recover,
	.port = l2_port,
	.verify = verify,
	.steps = steps,
	.n_steps = COUNT(steps),
};

int main(void)
{
	return verbs_main(&type);
}
