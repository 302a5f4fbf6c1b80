// SPDX-License-Identifier: Apache-2.0
/*
 * The keys of the node file (node.h), and the types of value that only it has.
 */
#include <assert.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/base/cleanup.h"
#include "shared/node/node.h"

#define VLAN_MAX 4094
#define VNI_MAX  16777215 /* tableBase + VNI must be a table */

const char *const attach_words[] = { "bridge", "macvlan", "direct", NULL };
static const char *const bridge_netfilter_words[] = { "warn", "refuse", "ignore", NULL };

static int parse_path(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || text[0] != '/' || strlen(text) >= (size_t)field->max)
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "an absolute path of at most %d bytes", (int)field->max - 1);
	memcpy(at, text, strlen(text) + 1);

	return 0;
}

static json_t *dump_text(const struct field *field, const void *at)
{
	(void)field;

	return json_string(at);
}

static int parse_device(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || !parse_ifname(text))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "the name of a network device: 1 to 15 ASCII characters "
				    "without blanks, '/', ':' and '%%'");
	memcpy(at, text, strlen(text) + 1);

	return 0;
}

/* The usual place of a VTEP is the loopback device, which is no name for anything else. */
static int parse_vtep_device(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || strcmp(text, "lo") != 0)
		return parse_device(field, value, at, err);
	memcpy(at, "lo", sizeof("lo"));

	return 0;
}

static int parse_family(const struct field *field, json_t *value, void *at, struct error *err)
{
	const struct field any = { .key = field->key, .max = UINT32_MAX };
	struct error ignored;
	uint32_t number;
	uint8_t family;

	if (field_u32.parse(&any, value, &number, &ignored) < 0 || (number != 4 && number != 6))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err, "4 or 6");
	family = number == 4 ? AF_INET : AF_INET6;
	memcpy(at, &family, sizeof(family));

	return 0;
}

static json_t *dump_family(const struct field *field, const void *at)
{
	const uint8_t *family = at;

	(void)field;

	return json_integer(*family == AF_INET6 ? 6 : 4);
}

/* clang-format off */
static const struct field_type field_path = {
	"absolute path of at most $size bytes", 0, parse_path, dump_text,
	"{'$ref': '#/$defs/path', 'maxLength': '$size'}", NULL };
static const struct field_type field_device = {
	"device name", IFNAMSIZ, parse_device, dump_text,
	"{'$ref': '#/$defs/device'}", NULL };
static const struct field_type field_vtep_device = {
	"device name, or `lo`", IFNAMSIZ, parse_vtep_device, dump_text,
	"{'anyOf': [{'const': 'lo'}, {'$ref': '#/$defs/device'}]}", NULL };
static const struct field_type field_family = {
	"4 or 6", sizeof(uint8_t), parse_family, dump_family,
	"{'enum': [4, 6, '4', '6']}", NULL };
/* clang-format on */

#define AT(member) offsetof(struct node_vtep, member)

/* clang-format off */
static const struct field vtep_rows[] = {
	{ .key = "dev", .type = &field_vtep_device, .offset = AT(dev),
	  .doc = "Device of the HBR netns whose first global address is the VTEP; absent: lo." },
	{ .key = "family", .type = &field_family, .offset = AT(family),
	  .doc = "Which of its addresses: IPv4 or IPv6; absent: 4." },
	{ .key = "address", .type = &field_ip, .offset = AT(address),
	  .doc = "The VTEP itself, instead of a device." },
};
/* clang-format on */

static const struct field_table vtep_fields = { vtep_rows, COUNT(vtep_rows) };

static int parse_vtep(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct node_vtep vtep = { .dev = "lo", .family = AF_INET };
	uint64_t given;

	if (!json_is_object(value))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "an object with \"dev\" and \"family\", or with \"address\"");
	if (fields_parse(&vtep_fields, value, &vtep, &given, err) < 0)
		return error_wrap(err, "%s", field->key);

	if (vtep.address.family) {
		if (field_given(&vtep_fields, given, AT(dev)) ||
		    field_given(&vtep_fields, given, AT(family)))
			return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
					    "either \"dev\" and \"family\" or \"address\"");
		vtep.dev[0] = '\0';
		vtep.family = vtep.address.family;
	}
	memcpy(at, &vtep, sizeof(vtep));

	return 0;
}

static json_t *dump_vtep(const struct field *field, const void *at)
{
	const struct node_vtep *vtep = at;

	(void)field;

	return fields_dump(&vtep_fields, 0, vtep, vtep->address.family ? 4 : 3);
}

static int parse_uplinks(const struct field *field, json_t *value, void *at, struct error *err)
{
	char names[NODE_UPLINKS_MAX][IFNAMSIZ] = { "" };
	json_t *item;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) > COUNT(names))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a list of at most %zu names of network devices", COUNT(names));
	json_array_foreach(value, i, item) {
		if (parse_device(field, item, names[i], err) < 0)
			return -1;
	}
	memcpy(at, names, sizeof(names));

	return 0;
}

static json_t *dump_uplinks(const struct field *field, const void *at)
{
	auto_json json_t *list = json_array();
	const char *name = at;

	(void)field;
	for (size_t i = 0; i < NODE_UPLINKS_MAX && *name; i++, name += IFNAMSIZ) {
		if (json_array_append_new(list, json_string(name)) < 0)
			return NULL;
	}

	return take_ptr(&list);
}

#undef AT
#define AT(member)   offsetof(struct node_frr, member)
#define SIZE(member) sizeof(((struct node_frr *)NULL)->member)

/* clang-format off */
static const struct field frr_rows[] = {
	{ .key = "vtysh", .type = &field_path, .offset = AT(vtysh), .max = SIZE(vtysh),
	  .doc = "Path of vtysh; absent: /usr/bin/vtysh." },
	{ .key = "vtySocketDir", .type = &field_path, .offset = AT(socket_dir),
	  .max = SIZE(socket_dir), .doc = "Directory of the daemons' sockets, as it is seen here; absent: /var/run/frr." },
	{ .key = "template", .type = &field_path, .offset = AT(template), .max = SIZE(template),
	  .doc = "File with the text that FRR is told of a VRF, instead of our own." },
};
/* clang-format on */

static const struct field_table frr_fields = { frr_rows, COUNT(frr_rows) };

static int parse_frr(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct node_frr frr = { .is_ours = true,
				.vtysh = "/usr/bin/vtysh",
				.socket_dir = "/var/run/frr" };
	uint64_t given;

	if (!json_is_object(value))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "an object with \"vtysh\", \"vtySocketDir\" and \"template\"");
	if (fields_parse(&frr_fields, value, &frr, &given, err) < 0)
		return error_wrap(err, "%s", field->key);
	memcpy(at, &frr, sizeof(frr));

	return 0;
}

static json_t *dump_frr(const struct field *field, const void *at)
{
	const struct node_frr *frr = at;

	(void)field;

	return fields_dump(&frr_fields, 0, frr, frr->template[0] ? 7 : 3);
}

/* The keys that a network may bring, as bits of their rows. */
static int parse_overridable(const struct field *field, json_t *value, void *at, struct error *err)
{
	const struct field *row;
	uint64_t bits = 0;
	json_t *item;
	size_t i;

	if (!json_is_array(value))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a list of keys of this file");
	json_array_foreach(value, i, item) {
		row = field_string(item) ? field_find(&node_fields, field_string(item)) : NULL;
		if (!row || (row->flags & FIELD_NODE_ONLY))
			return field_refuse(field, item, ERROR_INVALID_CONFIG, err,
					    "keys of this file other than stateDir, frr, policy "
					    "and overridable");
		bits |= UINT64_C(1) << (row - node_fields.rows);
	}
	memcpy(at, &bits, sizeof(bits));

	return 0;
}

static json_t *dump_overridable(const struct field *field, const void *at)
{
	auto_json json_t *list = json_array();
	const uint64_t *bits = at;

	(void)field;
	for (size_t i = 0; i < node_fields.n; i++) {
		if ((*bits >> i & 1) &&
		    json_array_append_new(list, json_string(node_fields.rows[i].key)) < 0)
			return NULL;
	}

	return take_ptr(&list);
}

#undef SIZE
#define SIZE(member) sizeof(((struct node *)NULL)->member)

/* clang-format off */
static const struct field_type field_vtep = {
	"object", sizeof(struct node_vtep), parse_vtep, dump_vtep,
	"{'if': {'required': ['address'], 'properties': {'address': {'type': 'string'}}}, "
	" 'then': {'properties': {'dev': {'type': 'null'}, 'family': {'type': 'null'}}}}", &vtep_fields };
static const struct field_type field_uplinks = {
	"list of at most $max device names", SIZE(uplinks), parse_uplinks, dump_uplinks,
	"{'type': 'array', 'maxItems': '$max', 'items': {'$ref': '#/$defs/device'}}", NULL };
static const struct field_type field_frr = {
	"object", sizeof(struct node_frr), parse_frr, dump_frr, "{}", &frr_fields };
static const struct field_type field_keys = {
	"list of keys of this file", sizeof(uint64_t), parse_overridable, dump_overridable,
	"{'type': 'array', 'items': {'$ref': '#/$defs/overridableKey'}}", NULL };
/* clang-format on */

#undef AT
#define AT(member) offsetof(struct node, member)

/* clang-format off */
static const struct field rows[] = {
	{ .key = "hbrNetns", .type = &field_path, .offset = AT(hbr_netns), .max = SIZE(hbr_netns),
	  .doc = "Path of the HBR netns." },
	{ .key = "trunk", .type = &field_device, .offset = AT(trunk),
	  .doc = "The trunk's end in the HBR netns." },
	{ .key = "hostTrunk", .type = &field_device, .offset = AT(host_trunk),
	  .doc = "The trunk's end in the host, or a bridge that it is a port of; a VLAN-aware one gets "
		 "the VLAN added to itself." },
	{ .key = "vrf", .type = &field_ifname, .offset = AT(vrf),
	  .doc = "VRF of L2 domains that have a gateway and name none; empty: none." },
	{ .key = "attach", .type = &field_choice, .offset = AT(attach), .choices = attach_words,
	  .doc = "How pods are wired where a network does not say." },
	{ .key = "vtep", .type = &field_vtep, .offset = AT(vtep),
	  .doc = "The local tunnel address: {\"dev\", \"family\"} or {\"address\"}. For an IPv6 one EVPN needs FRR 10.6." },
	{ .key = "vxlanPort", .type = &field_u32, .offset = AT(vxlan_port), .min = 1, .max = 65535,
	  .doc = "UDP port of VXLAN." },
	{ .key = "mtu", .type = &field_u32, .offset = AT(mtu), .min = 68, .max = 65535,
	  .doc = "MTU of pods where a network does not say; absent: what trunk and uplinks carry." },
	{ .key = "uplinks", .type = &field_uplinks, .offset = AT(uplinks), .max = NODE_UPLINKS_MAX,
	  .doc = "Underlay devices of the HBR netns, for the MTU; none: every link there that is up, has "
		 "no master and is neither loopback, dummy, VRF, trunk, ours nor a br.<vni>." },
	{ .key = "vlanRange", .type = &field_range, .offset = AT(vlan_range), .min = 1,
	  .max = VLAN_MAX, .doc = "Where a VLAN is taken from when a network names none." },
	{ .key = "tableBase", .type = &field_u32, .offset = AT(table_base), .min = 0,
	  .max = (int64_t)UINT32_MAX - VNI_MAX,
	  .doc = "Table of a VRF that names none: this and its VNI." },
	{ .key = "tableRange", .type = &field_range, .offset = AT(table_range), .min = 256,
	  .max = UINT32_MAX, .doc = "Where the table of a VRF without VNI is taken from; smaller ones are the kernel's and people's." },
	{ .key = "bridgeNetfilter", .type = &field_choice, .offset = AT(bridge_netfilter),
	  .choices = bridge_netfilter_words,
	  .doc = "What ADD does when bridge-nf-call-iptables is on in the host, and pods' frames pass its "
		 "FORWARD chain." },
	{ .key = "stateDir", .type = &field_path, .offset = AT(state_dir), .max = SIZE(state_dir),
	  .flags = FIELD_NODE_ONLY, .doc = "Directory of records and locks; on tmpfs, so that it goes with the links at a reboot." },
	{ .key = "frr", .type = &field_frr, .offset = AT(frr), .flags = FIELD_NODE_ONLY,
	  .doc = "How to tell FRR of VRFs; absent: it is somebody else's." },
	{ .key = "policy", .type = &field_refused, .flags = FIELD_NODE_ONLY,
	  .doc = "Which pods may use which VLANs, VNIs and VRFs." },
	{ .key = "overridable", .type = &field_keys, .offset = AT(overridable), .flags = FIELD_NODE_ONLY,
	  .doc = "Keys that a network may override in its object \"hbr\"; never stateDir, frr, policy, "
		 "overridable." },
};
/* clang-format on */

static_assert(COUNT(rows) <= 64, "a row has a bit");

const struct field_table node_fields = { rows, COUNT(rows) };
