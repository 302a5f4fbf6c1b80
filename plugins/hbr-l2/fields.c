// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/fields.h"

#include <stddef.h>

#include "shared/node/node.h"

#define AT(member) offsetof(struct l2, member)

/* The name of a VRF that is there, or "" for none. */
static int parse_vrf(const struct field *field, json_t *value, void *at, struct error *err)
{
	if (json_is_object(value))
		return field_refuse(field, value, ERROR_UNSUPPORTED, err,
				    "the name of a VRF that is there: hbr-l2 makes none");

	return field_ifname.parse(field, value, at, err);
}

static json_t *dump_vrf(const struct field *field, const void *at)
{
	return field_ifname.dump(field, at);
}

/* clang-format off */
static const struct field_type field_vrf = {
	"name of a VRF, or empty", IFNAMSIZ, parse_vrf, dump_vrf,
	"{'anyOf': [{'const': ''}, {'$ref': '#/$defs/device'}]}", NULL };

static const struct field rows[] = {
	{ "vni", NULL, &field_u32, AT(vni), 1, 16777215, NULL, FIELD_REQUIRED | FIELD_L2,
	  "VXLAN network identifier of the L2 domain." },
	{ "vlan", NULL, &field_u32, AT(vlan), 1, 4094, NULL, FIELD_TRUNK,
	  "VLAN on the trunk; absent: the lowest free one of the node's vlanRange." },
	{ "vrf", NULL, &field_vrf, AT(vrf), 0, IFNAMSIZ, NULL, FIELD_L2,
	  "VRF that the HBR bridge joins; it has to exist. Absent or \"\": none." },
	{ "gateway", NULL, &field_refused, 0, 0, 0, NULL, 0,
	  "Anycast gateway addresses; not offered." },
	{ "gatewayMac", NULL, &field_refused, 0, 0, 0, NULL, 0,
	  "MAC of the gateway; not offered." },
	{ "attach", NULL, &field_choice, AT(attach), 0, 0, attach_words, FIELD_TRUNK | FIELD_SETTLED,
	  "How pods are wired on this node; absent: the node's attach." },
	{ "mobile", NULL, &field_bool, AT(mobile), 0, 0, NULL, 0,
	  "Pods (virtual machines) may move: no static forwarding entries in the HBR netns." },
	{ "isolated", "portIsolation", &field_bool, AT(isolated), 0, 0, NULL, 0,
	  "Isolated pods of one node do not reach each other." },
	{ "hairpin", "hairpinMode", &field_bool, AT(hairpin), 0, 0, NULL, 0,
	  "Frames may leave by the port they came from." },
	{ "macspoofchk", NULL, &field_bool, AT(macspoofchk), 0, 0, NULL, 0,
	  "Only frames from the pod's own MAC pass; needs Linux 5.18, refused before (code 2)." },
	{ "neighSuppress", NULL, &field_bool, AT(neigh_suppress), 0, 0, NULL, FIELD_L2,
	  "Answer ARP and ND for the other side from what EVPN knows." },
	INTERFACE_ROWS(struct l2, interface, FIELD_L2),

	{ "local", NULL, &field_ip, AT(local), 0, 0, NULL, FIELD_INTERNAL | FIELD_L2,
	  "VTEP address that the domain was made with." },
	{ "vxlanPort", NULL, &field_u32, AT(vxlan_port), 1, 65535, NULL, FIELD_INTERNAL | FIELD_L2,
	  "UDP port that the domain was made with." },
	{ "ownVlan", NULL, &field_bool, AT(own_vlan), 0, 0, NULL, FIELD_INTERNAL | FIELD_TRUNK,
	  "The VLAN on the trunk's bridge was added for the domain." },
};
/* clang-format on */

const struct field_table l2_fields = { rows, sizeof(rows) / sizeof(rows[0]) };

void l2_give(uint64_t *given, size_t offset)
{
	for (size_t i = 0; i < l2_fields.n; i++) {
		if (rows[i].offset == offset && rows[i].type != &field_refused)
			*given |= UINT64_C(1) << i;
	}
}

static void ungive_mtu(uint64_t *given)
{
	for (size_t i = 0; i < l2_fields.n; i++) {
		if (rows[i].offset == AT(interface.mtu))
			*given &= ~(UINT64_C(1) << i);
	}
}

/* A macvlan is no port of a bridge: what is a port's to do cannot be asked of it. */
static int refuse_with_macvlan(const struct l2 *l2, struct error *err)
{
	const char *key = l2->isolated      ? "isolated"
			  : l2->hairpin     ? "hairpin"
			  : l2->macspoofchk ? "macspoofchk"
					    : NULL;

	if (l2->attach != ATTACH_MACVLAN || !key)
		return 0;

	return error_set(err, ERROR_UNSUPPORTED,
			 "%s: true is not possible with attach \"macvlan\": wanted \"bridge\" or "
			 "\"direct\"",
			 key);
}

int l2_settle(const struct node *node, void *values, uint64_t *given, struct error *err)
{
	struct l2 *l2 = values;

	if (!field_given(&l2_fields, *given, AT(attach)))
		l2->attach = node->attach;
	l2_give(given, AT(attach));
	if (refuse_with_macvlan(l2, err) < 0)
		return -1;

	/* 0 is "what the underlay allows", which is the node's or the domain's to say. */
	if (l2->interface.mtu == 0)
		ungive_mtu(given);
	/* An address that the node file names is as good as asked for: a domain with another one,
	 * of a node that has moved, must not be used in silence. */
	if (node->vtep.address.family) {
		l2->local = node->vtep.address;
		l2_give(given, AT(local));
	}

	return 0;
}
