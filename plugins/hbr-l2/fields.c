// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/fields.h"

#include <stddef.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/node/node.h"

#define AT(member) offsetof(struct l2, member)

/* clang-format off */
static const struct field vrf_rows[] = { VRF_ROWS(struct vrf, , "name", 1, 0) };
/* clang-format on */
static const struct field_table vrf_object = { vrf_rows, COUNT(vrf_rows) };

/* The name of a VRF that is there, "" for none, or an object, of one that may be made. */
static int parse_vrf(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct vrf vrf = { .may_be_made = json_is_object(value) };
	const char *text = field_string(value);

	if (vrf.may_be_made) {
		if (fields_parse(&vrf_object, value, &vrf, &vrf.given, err) < 0)
			return error_wrap(err, "%s", field->key);
	} else if (!text) {
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "the name of a VRF that is there, \"\" for none, or an object "
				    "with name, vni, table, routeTargets, importVrfs");
	} else if (text[0]) {
		if (field_vrf_name.parse(field, value, vrf.name, err) < 0)
			return -1;
		vrf.given = 1; /* the name is the first row */
	}
	/* A recall of the domain is not to forget what this call knows of it. */
	vrf.is_untouched = ((const struct vrf *)at)->is_untouched;
	memcpy(at, &vrf, sizeof(vrf));

	return 0;
}

/* All else of it is the VRF's own domain's to remember. */
static json_t *dump_vrf(const struct field *field, const void *at)
{
	const struct vrf *vrf = at;

	(void)field;

	return json_string(vrf->name);
}

/* What one machine can have: no group's, nobody's, no loopback address, no link-local one. */
static bool is_gateway(const struct ip *ip)
{
	static const char *const others[] = { "224.0.0.0/3",    "0.0.0.0/8", "127.0.0.0/8",
					      "169.254.0.0/16", "::/127",    "ff00::/8",
					      "fe80::/10" };
	struct ip net, machine = *ip;

	machine.prefix = (uint8_t)(8 * ip_size(ip));
	for (size_t i = 0; i < COUNT(others); i++) {
		if (parse_cidr(others[i], &net) && ip_contains(&net, &machine))
			return false;
	}

	return true;
}

static int parse_gateways(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct gateways gateways = { .n = json_array_size(value) };
	json_t *entry;
	size_t i;

	if (!json_is_array(value) || gateways.n > GATEWAYS_MAX)
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a list of at most %d addresses with prefix length",
				    GATEWAYS_MAX);
	json_array_foreach(value, i, entry) {
		const char *text = field_string(entry);

		if (!text || !parse_cidr(text, &gateways.ips[i]) || !is_gateway(&gateways.ips[i]))
			return field_refuse(field, entry, ERROR_INVALID_CONFIG, err,
					    "unicast addresses with prefix length, such as "
					    "10.0.0.1/24 or fd00::1/64");
	}
	memcpy(at, &gateways, sizeof(gateways));

	return 0;
}

static json_t *dump_gateways(const struct field *field, const void *at)
{
	const struct gateways *gateways = at;
	auto_json json_t *list = json_array();
	char text[IP_TEXT_SIZE];

	(void)field;
	for (size_t i = 0; i < gateways->n; i++) {
		ip_print_cidr(&gateways->ips[i], text);
		if (json_array_append_new(list, json_string(text)) < 0)
			return NULL;
	}

	return take_ptr(&list);
}

/* clang-format off */
static const struct field_type field_vrf = {
	"name of a VRF, empty, or object", sizeof(struct vrf), parse_vrf, dump_vrf,
	"{'anyOf': [{'const': ''}, {'$ref': '#/$defs/device'}]}", &vrf_object };
static const struct field_type field_gateways = {
	"list of at most $max addresses with prefix length", sizeof(struct gateways), parse_gateways, dump_gateways,
	"{'type': 'array', 'maxItems': '$max', 'items': {'$ref': '#/$defs/gateway'}}", NULL };

static const struct field rows[] = {
	{ "vni", NULL, &field_u32, AT(vni), 1, 16777215, NULL, FIELD_REQUIRED | FIELD_L2,
	  "VXLAN network identifier of the L2 domain." },
	{ "vlan", NULL, &field_u32, AT(vlan), 1, 4094, NULL, FIELD_TRUNK,
	  "VLAN on the trunk; absent: the lowest free one of the node's vlanRange." },
	{ "vrf", NULL, &field_vrf, AT(vrf), 0, 0, NULL, FIELD_L2 | FIELD_DERIVED,
	  "VRF that the HBR bridge joins: the name of one that is there, or an object, which makes one that is not. Absent: the node's vrf with a gateway, else none." },
	{ "gateway", NULL, &field_gateways, AT(gateways), 0, GATEWAYS_MAX, NULL, FIELD_L2,
	  "Anycast gateway addresses, the same on all nodes; they need a VRF." },
	{ "gatewayMac", NULL, &field_mac, AT(gateway_mac), 0, 0, NULL, FIELD_L2,
	  "MAC address of the gateway; absent: derived from the VNI, equal on all nodes." },
	{ "attach", NULL, &field_choice, AT(attach), 0, 0, attach_words, FIELD_TRUNK | FIELD_SETTLED,
	  "How pods are wired on this node; absent: the node's attach." },
	{ "mobile", NULL, &field_bool, AT(mobile), 0, 0, NULL, 0,
	  "Pods (virtual machines) may move: no static forwarding entries in the HBR netns, and two "
	  "pods of a node may have one MAC." },
	{ "isolated", "portIsolation", &field_bool, AT(isolated), 0, 0, NULL, 0,
	  "Isolated pods of one node do not reach each other." },
	{ "hairpin", "hairpinMode", &field_bool, AT(hairpin), 0, 0, NULL, 0,
	  "Frames may leave by the port they came from." },
	{ "macspoofchk", NULL, &field_bool, AT(macspoofchk), 0, 0, NULL, 0,
	  "Only frames from the pod's own MAC pass; needs Linux 5.18, refused before (code 2)." },
	{ "neighSuppress", NULL, &field_bool, AT(neigh_suppress), 0, 0, NULL, FIELD_L2 | FIELD_DERIVED,
	  "Answer ARP and ND for the other side from what EVPN knows; absent: true with a gateway, else false." },
	INTERFACE_ROWS(struct l2, interface, FIELD_L2),

	{ "local", NULL, &field_ip, AT(local), 0, 0, NULL, FIELD_INTERNAL | FIELD_L2,
	  "VTEP address that the domain was made with." },
	{ "vxlanPort", NULL, &field_u32, AT(vxlan_port), 1, 65535, NULL, FIELD_INTERNAL | FIELD_L2,
	  "UDP port that the domain was made with." },
	{ "ownVlan", NULL, &field_bool, AT(own_vlan), 0, 0, NULL, FIELD_INTERNAL | FIELD_TRUNK,
	  "The VLAN on the trunk's bridge was added for the domain." },
};
/* clang-format on */

const struct field_table l2_fields = { rows, COUNT(rows) };

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

bool l2_has_gateway(const struct l2 *l2, uint8_t family)
{
	for (size_t i = 0; i < l2->gateways.n; i++) {
		if (l2->gateways.ips[i].family == family)
			return true;
	}

	return false;
}

int l2_settle(const struct node *node, void *values, uint64_t *given, struct error *err)
{
	struct l2 *l2 = values;

	if (!field_given(&l2_fields, *given, AT(attach)))
		l2->attach = node->attach;
	field_give(&l2_fields, given, AT(attach));
	if (refuse_with_macvlan(l2, err) < 0)
		return -1;

	/* 0 is "what the underlay allows", which is the node's or the domain's to say. */
	if (l2->interface.mtu == 0)
		ungive_mtu(given);
	/* An address that the node file names is as good as asked for: a domain with another one,
	 * of a node that has moved, must not be used in silence. */
	if (node->vtep.address.family) {
		l2->local = node->vtep.address;
		field_give(&l2_fields, given, AT(local));
	}

	return 0;
}
