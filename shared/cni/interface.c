// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/interface.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/entry.h"
#include "shared/cni/ipam.h"
#include "shared/cni/result.h"

static int parse_mtu(const struct field *field, json_t *value, void *at, struct error *err)
{
	const struct field any = { .key = field->key, .max = UINT32_MAX };
	struct error ignored;
	uint32_t mtu;

	if (field_u32.parse(&any, value, &mtu, &ignored) < 0 || mtu > field->max ||
	    (mtu > 0 && mtu < field->min))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a number from %" PRId64 " to %" PRId64
				    ", or 0 for the default",
				    field->min, field->max);
	memcpy(at, &mtu, sizeof(mtu));

	return 0;
}

static json_t *dump_mtu(const struct field *field, const void *at)
{
	return field_u32.dump(field, at);
}

/* Entries have the form that a CNI result gives them: the same code reads them. */
typedef int read_fn(json_t *entry, const struct place *place, struct addressing *addressing,
		    struct error *err);

static int parse_list(const struct field *field, json_t *value, read_fn *read_entry,
		      struct addressing *addressing, struct error *err)
{
	struct place place = { field->key, 0, ERROR_INVALID_CONFIG };
	json_t *entry;

	if (!json_is_array(value))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err, "a list");
	if (json_array_size(value) > (size_t)field->max)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "%s: %zu entries: wanted at most %" PRId64, field->key,
				 json_array_size(value), field->max);
	json_array_foreach(value, place.i, entry) {
		if (read_entry(entry, &place, addressing, err) < 0)
			return -1;
	}

	return 0;
}

static int read_address(json_t *entry, const struct place *place, struct addressing *addressing,
			struct error *err)
{
	struct ip *address = &addressing->ips[place->i].address;
	struct ip *gateway = &addressing->ips[place->i].gateway;

	*gateway = (struct ip){ 0 };
	if (entry_read_ip(entry, place, address, gateway, err) < 0)
		return -1;
	if (gateway->family && !ip_contains(address, gateway))
		return entry_refuse(place, "gateway", json_object_get(entry, "gateway"),
				    "an address of the same network", err);

	return 0;
}

static int parse_addresses(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct addressing *addressing = at;

	if (parse_list(field, value, read_address, addressing, err) < 0)
		return -1;
	addressing->n_ips = json_array_size(value);

	return 0;
}

static int read_route(json_t *entry, const struct place *place, struct addressing *addressing,
		      struct error *err)
{
	addressing->routes[place->i] = (struct route){ 0 };

	return entry_read_route(entry, place, &addressing->routes[place->i], err);
}

static int parse_routes(const struct field *field, json_t *value, void *at, struct error *err)
{
	struct addressing *addressing = at;

	if (parse_list(field, value, read_route, addressing, err) < 0)
		return -1;
	addressing->n_routes = json_array_size(value);

	return 0;
}

/* Addresses and routes are never remembered as a domain's: nobody asks for them back. */
static json_t *dump_nothing(const struct field *field, const void *at)
{
	(void)field;
	(void)at;

	return json_null();
}

/* clang-format off */
const struct field_type field_mtu = {
	"number from $min to $max, or 0", sizeof(uint32_t), parse_mtu, dump_mtu,
	"{'anyOf': [{'enum': [0, '0']}, " FIELD_SCHEMA_NUMBER "]}", NULL };
const struct field_type field_addresses = {
	"list of at most $max addresses", sizeof(struct addressing), parse_addresses, dump_nothing,
	"{'type': 'array', 'maxItems': '$max', 'items': {'$ref': '#/$defs/address'}}", NULL };
const struct field_type field_routes = {
	"list of at most $max routes", sizeof(struct addressing), parse_routes, dump_nothing,
	"{'type': 'array', 'maxItems': '$max', 'items': {'$ref': '#/$defs/route'}}", NULL };
/* clang-format on */

static int take_mac(struct interface *interface, const struct request *request, struct error *err)
{
	const char *text = request_mac(request);

	if (text && !parse_mac(text, &interface->mac))
		return error_set(
			err, ERROR_INVALID_CONFIG,
			"mac: \"%.64s\" was asked for this pod: wanted a unicast MAC address "
			"such as 02:00:5e:10:00:01",
			text);

	return 0;
}

static int take_ips(struct interface *interface, const struct request *request, struct error *err)
{
	auto_json json_t *ips = request_ips(request);
	struct addressing *addressing = &interface->addressing;
	json_t *value;
	size_t i;

	json_array_foreach(ips, i, value) {
		if (i >= RESULT_IPS_MAX)
			return error_set(
				err, ERROR_INVALID_CONFIG,
				"ips: %zu addresses were asked for this pod: at most %d are "
				"possible",
				json_array_size(ips), RESULT_IPS_MAX);
		addressing->ips[i].gateway = (struct ip){ 0 };
		if (!json_is_string(value) ||
		    !parse_cidr(json_string_value(value), &addressing->ips[i].address))
			return error_set(err, ERROR_INVALID_CONFIG,
					 "ips: \"%.64s\" was asked for this pod: wanted an address "
					 "with its prefix length such as 10.0.0.1/24",
					 json_is_string(value) ? json_string_value(value) : "");
	}
	if (i > 0)
		addressing->n_ips = i;

	return 0;
}

int interface_settle(struct interface *interface, const struct request *request, struct error *err)
{
	struct addressing *addressing = &interface->addressing;
	const char *ipam;

	if (ipam_type(request->config, &ipam, err) < 0 || take_mac(interface, request, err) < 0)
		return -1;
	if (!ipam && take_ips(interface, request, err) < 0)
		return -1;
	if (ipam && (addressing->n_ips || addressing->n_routes))
		return error_set(err, ERROR_INVALID_CONFIG,
				 "%s: not together with ipam: wanted one of the two",
				 addressing->n_ips ? "addresses" : "routes");
	if (interface->stay_down && (ipam || addressing->n_ips || addressing->n_routes))
		return error_set(
			err, ERROR_INVALID_CONFIG,
			"disableContainerInterface: not together with %s: an interface that "
			"is down has no use for them",
			ipam ? "ipam" : "addresses or routes");
	addressing_fill_in_gateways(addressing);

	return 0;
}
