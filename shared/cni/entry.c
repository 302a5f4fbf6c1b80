// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/entry.h"

#include <inttypes.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"

/* The numbers that a route may have since 1.1.0, beside its scope. */
static const struct {
	const char *key;
	size_t offset; /* of a uint32_t in struct route */
} route_numbers[] = {
	{ "mtu", offsetof(struct route, mtu) },
	{ "advmss", offsetof(struct route, advmss) },
	{ "priority", offsetof(struct route, priority) },
	{ "table", offsetof(struct route, table) },
};

int entry_refuse(const struct place *place, const char *key, json_t *value, const char *wanted,
		 struct error *err)
{
	char text[80];

	if (!value)
		return error_set(err, place->code, "%s[%zu].%s is missing: wanted %s", place->list,
				 place->i, key, wanted);
	document_print(value, text, sizeof(text));

	return error_set(err, place->code, "%s[%zu].%s: %s is not allowed: wanted %s", place->list,
			 place->i, key, text, wanted);
}

/* Host bits are kept: in an address they are the host, in a route the kernel judges them. */
static int read_cidr(json_t *entry, const struct place *place, const char *key, struct ip *ip,
		     struct error *err)
{
	json_t *value = document_member(entry, key);
	const char *text = document_text(value);

	if (!text || !parse_cidr(text, ip))
		return entry_refuse(place, key, value, "address/prefix", err);

	return 0;
}

/* Absent and "" are no gateway. */
static int read_gateway(json_t *entry, const struct place *place, const char *key, struct ip *ip,
			struct error *err)
{
	json_t *value = document_member(entry, key);
	const char *text = document_text(value);

	if (!value || (text && *text == '\0'))
		return 0;
	if (!text || !parse_ip(text, ip))
		return entry_refuse(place, key, value, "an IP address", err);

	return 0;
}

/* 1 and the number, 0 when the key is absent. */
static int read_number(json_t *entry, const struct place *place, const char *key, uint32_t max,
		       uint32_t *number, struct error *err)
{
	json_t *value = document_member(entry, key);
	double read = json_number_value(value); /* exact up to 2^53: nothing is cut off here */
	char wanted[40];

	if (!value)
		return 0;
	/* Whole, however it is written: 100, 100.0, 1e2. */
	if (!json_is_number(value) || read < 0 || read > max || read != (double)(uint32_t)read) {
		snprintf(wanted, sizeof(wanted), "a number from 0 to %" PRIu32, max);
		return entry_refuse(place, key, value, wanted, err);
	}
	*number = (uint32_t)read;

	return 1;
}

int entry_read_route(json_t *entry, const struct place *place, struct route *route,
		     struct error *err)
{
	uint32_t scope = 0;
	int has_scope;

	if (read_cidr(entry, place, "dst", &route->dst, err) < 0 ||
	    read_gateway(entry, place, "gw", &route->gw, err) < 0)
		return -1;
	if (route->gw.family != 0 && route->gw.family != route->dst.family)
		return entry_refuse(place, "gw", document_member(entry, "gw"),
				    "an address of the family of dst", err);

	for (size_t i = 0; i < COUNT(route_numbers); i++) {
		uint32_t *at = (void *)((char *)route + route_numbers[i].offset);

		if (read_number(entry, place, route_numbers[i].key, UINT32_MAX, at, err) < 0)
			return -1;
	}
	has_scope = read_number(entry, place, "scope", UINT8_MAX, &scope, err);
	if (has_scope < 0)
		return -1;
	route->scope = (uint8_t)scope;
	route->has_scope = has_scope == 1;

	return 0;
}

int entry_read_ip(json_t *entry, const struct place *place, struct ip *address, struct ip *gateway,
		  struct error *err)
{
	if (read_cidr(entry, place, "address", address, err) < 0 ||
	    read_gateway(entry, place, "gateway", gateway, err) < 0)
		return -1;
	if (gateway->family != 0 && gateway->family != address->family)
		return entry_refuse(place, "gateway", document_member(entry, "gateway"),
				    "an address of the family of address", err);

	return 0;
}

/* The JSON library answers -1 to a NULL too: a want of memory is seen wherever it comes. */
int entry_append_interface(json_t *list, const struct result_interface *interface)
{
	auto_json json_t *entry = json_pack("{s:s}", "name", interface->name);
	char mac[MAC_TEXT_SIZE];
	int r = 0;

	if (mac_is_set(&interface->mac)) {
		mac_print(&interface->mac, mac);
		r |= json_object_set_new(entry, "mac", json_string(mac));
	}
	if (interface->mtu != 0)
		r |= json_object_set_new(entry, "mtu", json_integer(interface->mtu));
	if (interface->sandbox && *interface->sandbox)
		r |= json_object_set_new(entry, "sandbox", json_string(interface->sandbox));

	return r | json_array_append(list, entry);
}

/* The index first, as the reference plugins print it. */
int entry_append_ip(json_t *list, size_t index, const struct ip *address, const struct ip *gateway)
{
	auto_json json_t *entry = json_pack("{s:I}", "interface", (json_int_t)index);
	char text[IP_TEXT_SIZE];
	int r;

	ip_print_cidr(address, text);
	r = json_object_set_new(entry, "address", json_string(text));
	if (gateway->family != 0) {
		ip_print(gateway, text);
		r |= json_object_set_new(entry, "gateway", json_string(text));
	}

	return r | json_array_append(list, entry);
}

int entry_append_route(json_t *list, const struct route *route)
{
	auto_json json_t *entry = json_object();
	char text[IP_TEXT_SIZE];
	int r;

	ip_print_cidr(&route->dst, text);
	r = json_object_set_new(entry, "dst", json_string(text));
	if (route->gw.family != 0) {
		ip_print(&route->gw, text);
		r |= json_object_set_new(entry, "gw", json_string(text));
	}
	for (size_t i = 0; i < COUNT(route_numbers); i++) {
		const void *at = (const char *)route + route_numbers[i].offset;
		uint32_t number = *(const uint32_t *)at;

		if (number != 0) /* 0: was not given */
			r |= json_object_set_new(entry, route_numbers[i].key, json_integer(number));
	}
	if (route->has_scope)
		r |= json_object_set_new(entry, "scope", json_integer(route->scope));

	return r | json_array_append(list, entry);
}
