// SPDX-License-Identifier: Apache-2.0
#include "shared/node/vrf_fields.h"

#include <inttypes.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"

static int parse_vrf_name(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || !parse_ifname(text))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "the name of a VRF: 1 to 15 ASCII characters without blanks, "
				    "'/', ':' and '%%', and not \".\", \"..\", \"all\", "
				    "\"default\" or \"lo\"");
	memcpy(at, text, strlen(text) + 1);

	return 0;
}

static json_t *dump_vrf_name(const struct field *field, const void *at)
{
	(void)field;

	return json_string(at);
}

/* The kernel takes its own tables for a VRF, too, and mixes up what is in them. */
static int parse_table(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct error ignored;
	uint32_t table;

	if (field_u32.parse(field, value, &table, &ignored) < 0 ||
	    (table >= RT_TABLE_DEFAULT && table <= RT_TABLE_LOCAL))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a number from %" PRId64 " to %" PRId64
				    " except 253, 254 and 255, which are the kernel's",
				    field->min, field->max);
	memcpy(at, &table, sizeof(table));

	return 0;
}

static json_t *dump_table(const struct field *field, const void *at)
{
	return field_u32.dump(field, at);
}

/* A list of texts, each of which is_valid() accepts. */
static bool read_texts(json_t *value, bool (*is_valid)(const char *text), struct vrf_texts *texts)
{
	json_t *entry;
	size_t i;

	texts->n = 0;
	if (!value || json_is_null(value))
		return true;
	if (!json_is_array(value) || json_array_size(value) > VRF_TEXTS_MAX)
		return false;
	json_array_foreach(value, i, entry) {
		const char *text = field_string(entry);

		if (!text || strlen(text) >= sizeof(texts->text[i]) || !is_valid(text))
			return false;
		memcpy(texts->text[i], text, strlen(text) + 1);
	}
	texts->n = json_array_size(value);

	return true;
}

static json_t *dump_texts(const struct vrf_texts *texts)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; i < texts->n; i++) {
		if (json_array_append_new(list, json_string(texts->text[i])) < 0)
			return NULL;
	}

	return take_ptr(&list);
}

static int parse_names(const struct field *field, json_t *value, void *at, struct error *err)
{
	if (!json_is_array(value) || !read_texts(value, parse_ifname, at))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a list of at most %d names of VRFs", VRF_TEXTS_MAX);

	return 0;
}

static json_t *dump_names(const struct field *field, const void *at)
{
	(void)field;

	return dump_texts(at);
}

/* An address or a number, then a number: what RFC 4360 calls a route target. */
static bool is_route_target(const char *text)
{
	char head[32];
	const char *colon = strrchr(text, ':');
	uint64_t number;
	struct ip ip;

	if (!colon || !parse_number(colon + 1, &number) || number > UINT32_MAX)
		return false;
	snprintf(head, sizeof(head), "%.*s", (int)(colon - text), text);
	if (parse_number(head, &number))
		return number <= UINT32_MAX;

	return parse_ip(head, &ip) && ip_size(&ip) == 4;
}

static int parse_targets(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct vrf_targets targets;

	if (!json_is_object(value) ||
	    !read_texts(json_object_get(value, "import"), is_route_target, &targets.import) ||
	    !read_texts(json_object_get(value, "export"), is_route_target, &targets.export))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "{\"import\": [...], \"export\": [...]}, lists of at most %d "
				    "route targets such as \"65000:100\"",
				    VRF_TEXTS_MAX);
	memcpy(at, &targets, sizeof(targets));

	return 0;
}

static json_t *dump_targets(const struct field *field, const void *at)
{
	const struct vrf_targets *targets = at;

	(void)field;

	return json_pack("{s:o, s:o}", "import", dump_texts(&targets->import), "export",
			 dump_texts(&targets->export));
}

/* clang-format off */
const struct field_type field_vrf_name = {
	"name of a VRF", IFNAMSIZ, parse_vrf_name, dump_vrf_name,
	"{'$ref': '#/$defs/device'}", NULL };
const struct field_type field_table = {
	"number from $min to $max, but for 253 to 255", sizeof(uint32_t), parse_table, dump_table,
	"{'anyOf': [" FIELD_SCHEMA_NUMBER "], 'not': {'enum': [253, 254, 255, '253', '254', '255']}}", NULL };
const struct field_type field_route_targets = {
	"object with lists import and export of at most 8 route targets", sizeof(struct vrf_targets), parse_targets, dump_targets,
	"{'type': 'object', 'properties': {"
	" 'import': {'$ref': '#/$defs/routeTargets'}, 'export': {'$ref': '#/$defs/routeTargets'}}}", NULL };
const struct field_type field_vrf_names = {
	"list of at most $max names of VRFs", sizeof(struct vrf_texts), parse_names, dump_names,
	"{'type': 'array', 'maxItems': '$max', 'items': {'$ref': '#/$defs/device'}}", NULL };

static const struct field rows[] = {
	VRF_ROWS(struct vrf, , "name", 0, FIELD_USER),

	{ "local", NULL, &field_ip, offsetof(struct vrf, local), 0, 0, NULL, FIELD_INTERNAL | FIELD_USER,
	  "VTEP address that the L3VNI was made with." },
	{ "vxlanPort", NULL, &field_u32, offsetof(struct vrf, vxlan_port), 1, 65535, NULL, FIELD_INTERNAL | FIELD_USER,
	  "UDP port that the L3VNI was made with." },
	{ "mtu", NULL, &field_u32, offsetof(struct vrf, mtu), 0, UINT32_MAX, NULL, FIELD_INTERNAL | FIELD_USER,
	  "MTU of the L3VNI: the largest that a pod can have." },
	{ "adopted", NULL, &field_bool, offsetof(struct vrf, is_adopted), 0, 0, NULL, FIELD_INTERNAL | FIELD_USER,
	  "The VRF was there before its domain." },
	{ "told", NULL, &field_u32, offsetof(struct vrf, told), 0, UINT32_MAX, NULL, FIELD_INTERNAL | FIELD_USER,
	  "Which start of FRR has been told of the VRF." },
};
/* clang-format on */

const struct field_table vrf_fields = { rows, COUNT(rows) };
