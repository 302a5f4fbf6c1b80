// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/forwarding.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "plugins/hbr-l2/fields.h"
#include "plugins/hbr-l2/settle.h"
#include "shared/cni/claim.h"
#include "shared/cni/document.h"
#include "shared/cni/result.h"
#include "shared/kernel/address.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/neighbor.h"
#include "shared/node/domain.h"
#include "shared/node/vrf.h"

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

/* The bridge in the HBR netns, which has the gateways. */
static const struct link *find_bridge(const struct attachment *attachment)
{
	char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "br.%u", ((const struct l2 *)attachment->values)->vni);
	for (size_t i = 0; i < attachment->n_links; i++) {
		const struct link *link = &attachment->links[i];

		if (link->place == PLACE_HBR && strcmp(link->name, name) == 0)
			return link;
	}

	return NULL;
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

/* Without a gateway the VRF would tell other nodes where the pod's addresses are. */
static int pin_addresses(struct attachment *attachment, struct error *err)
{
	const struct l2 *l2 = attachment->values;
	const struct addressing *addressing = &l2->interface.addressing;
	const struct link *bridge = find_bridge(attachment);

	for (size_t i = 0; bridge && i < addressing->n_ips; i++) {
		const struct ip *address = &addressing->ips[i].address;

		if (l2_has_gateway(l2, address->family) &&
		    neighbor_add(&attachment->nl[PLACE_HBR], bridge->index, address,
				 &l2->interface.mac, err) < 0)
			return -1;
	}

	return 0;
}

/* A pod whose addresses are known is announced by EVPN before it says a word, and stays so. */
int forwarding_pin(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct l2 *l2 = attachment->values;
	const struct link *leg = find_leg(attachment);
	int r;

	if (is_on_port(attachment) && pin_to_port(attachment, err) < 0)
		return -1;
	if (!is_static(attachment))
		return 0;
	if (pin_addresses(attachment, err) < 0)
		return -1;
	if (!leg)
		return 0;

	r = fdb_add(&attachment->nl[PLACE_HBR], leg->index, &l2->interface.mac, err);
	l2->is_others_entry = r == 0;

	return r < 0 ? -1 : 0;
}

/* The addresses that ADD gave it: with an IPAM plugin only its result tells. */
static int unpin_addresses(struct attachment *attachment, int bridge, struct error *err)
{
	const struct l2 *l2 = attachment->values;
	struct netlink *hbr = &attachment->nl[PLACE_HBR];
	json_t *result = document_member(attachment->record, "result");
	struct addressing had = l2->interface.addressing;

	if (result && result_addressing(result, ERROR_STATE, &had, err) < 0)
		return -1;
	if (!result && !had.n_ips && l2->interface.ipam) /* the ADD did not end */
		return neighbor_remove_all(hbr, bridge, &l2->interface.mac, err);
	for (size_t i = 0; i < had.n_ips; i++) {
		if (neighbor_remove(hbr, bridge, &had.ips[i].address, &l2->interface.mac, err) < 0)
			return -1;
	}

	return 0;
}

static int unpin_neighbors(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	const struct l2 *l2 = attachment->values;
	char bridge[IFNAMSIZ];
	int index, r = domain_recall_as_is(&attachment->domains[0], &site, err);

	if (r <= 0 || !l2->gateways.n || l2->mobile)
		return r < 0 ? -1 : 0;
	snprintf(bridge, sizeof(bridge), "br.%u", l2->vni);
	r = link_find_index(&attachment->nl[PLACE_HBR], bridge, &index, err);

	return r <= 0 ? r : unpin_addresses(attachment, index, err);
}

static int unpin_entry(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	const struct l2 *l2 = attachment->values;
	char leg[IFNAMSIZ];
	int index, r;

	if (l2->attach == ATTACH_DIRECT || l2->is_others_entry)
		return 0;
	r = domain_recall_as_is(&attachment->domains[1], &site, err);
	if (r <= 0)
		return r;
	snprintf(leg, sizeof(leg), "tr.%u", l2->vlan);
	r = link_find_index(&attachment->nl[PLACE_HBR], leg, &index, err);

	return r <= 0 ? r : fdb_remove(&attachment->nl[PLACE_HBR], index, &l2->interface.mac, err);
}

/* The entry on the pod's own port goes with the port; what a MAC has that is another pod's is that
 * one's. */
int forwarding_unpin(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	char rival[STORE_NAME_SIZE];
	int r;

	if (!attachment->nl[PLACE_HBR].sock)
		return 0;
	r = claim_find_rival(attachment, rival, err);
	if (r != 0)
		return r < 0 ? -1 : 0;

	return unpin_neighbors(attachment, err) < 0 ? -1 : unpin_entry(attachment, err);
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

static int verify_gateway(struct netlink *hbr, const struct link *bridge, const struct ip *ip,
			  struct error *err)
{
	char text[IP_TEXT_SIZE];
	int r = address_find(hbr, bridge->index, ip, NULL, err);

	ip_print_cidr(ip, text);
	if (r == 0)
		return error_set(err, ERROR_CHECK, "%s in the %s has lost its gateway address %s",
				 bridge->name, hbr->place, text);

	return r < 0 ? -1 : 0;
}

/* The kernel takes the link-local one when the bridge goes down, and silent pods need it. */
static int verify_gateways(struct attachment *attachment, const struct link *bridge,
			   struct error *err)
{
	const struct l2 *l2 = attachment->values;
	struct netlink *hbr = &attachment->nl[PLACE_HBR];

	for (size_t i = 0; i < l2->gateways.n; i++) {
		if (verify_gateway(hbr, bridge, &l2->gateways.ips[i], err) < 0)
			return -1;
	}

	return l2_has_gateway(l2, AF_INET6) ? verify_gateway(hbr, bridge, &l2_link_local, err) : 0;
}

static int verify_neighbors(struct attachment *attachment, const struct link *bridge,
			    struct error *err)
{
	const struct l2 *l2 = attachment->values;
	const struct addressing *addressing = &l2->interface.addressing;
	struct netlink *hbr = &attachment->nl[PLACE_HBR];
	char text[IP_TEXT_SIZE];

	for (size_t i = 0; is_static(attachment) && i < addressing->n_ips; i++) {
		const struct ip *ip = &addressing->ips[i].address;
		int r = l2_has_gateway(l2, ip->family)
				? neighbor_find(hbr, bridge->index, ip, &l2->interface.mac, err)
				: 1;

		ip_print(ip, text);
		if (r < 0)
			return -1;
		if (r == 0)
			return error_set(err, ERROR_CHECK,
					 "the permanent neighbour %s on %s in the %s is missing",
					 text, bridge->name, hbr->place);
	}

	return 0;
}

/* What a domain with gateways has beside its links. */
static int verify_routing(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	const struct l2 *l2 = attachment->values;
	const struct link *bridge = find_bridge(attachment);

	if (l2->vrf.name[0] && vrf_verify(&site, &l2->vrf, err) < 0)
		return -1;
	if (!l2->gateways.n || !bridge)
		return 0;

	return verify_gateways(attachment, bridge, err) < 0
		       ? -1
		       : verify_neighbors(attachment, bridge, err);
}

int forwarding_verify(struct attachment *attachment, struct error *err)
{
	const struct l2 *l2 = attachment->values;
	const struct link *port = &attachment->links[attachment->n_links - 1];
	const struct link *leg = find_leg(attachment);
	const struct mac *mac = &l2->interface.mac;

	if (verify_routing(attachment, err) < 0)
		return -1;
	if (is_on_port(attachment) &&
	    verify_entry(&attachment->nl[port->place], port, mac, err) < 0)
		return -1;
	if (!is_static(attachment) || !leg)
		return 0;

	return verify_entry(&attachment->nl[PLACE_HBR], leg, mac, err);
}
