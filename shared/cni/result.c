// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/result.h"

#include <linux/rtnetlink.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/entry.h"

/* *list NULL: absent. */
static int get_list(json_t *result, const char *key, size_t max, int code, json_t **list,
		    struct error *err)
{
	json_t *value = document_member(result, key);

	if (value && !json_is_array(value))
		return error_set(err, code, "%s: wanted a list", key);
	if (json_array_size(value) > max)
		return error_set(err, code, "%s: %zu entries, at most %zu are possible", key,
				 json_array_size(value), max);
	*list = value;

	return 0;
}

/* An index in "interface" is not looked at: all of them go on one interface. */
static int read_ips(json_t *list, int code, struct addressing *addressing, struct error *err)
{
	struct place place = { "ips", 0, code };
	json_t *entry;

	json_array_foreach(list, place.i, entry) {
		if (entry_read_ip(entry, &place, &addressing->ips[place.i].address,
				  &addressing->ips[place.i].gateway, err) < 0)
			return -1;
	}
	addressing->n_ips = json_array_size(list);

	return 0;
}

/* The kernel wants a next hop in a wider scope than the route's: these have none. */
static bool is_on_link(const struct route *route)
{
	return route->has_scope && route->scope >= RT_SCOPE_LINK;
}

void addressing_fill_in_gateways(struct addressing *addressing)
{
	for (size_t r = 0; r < addressing->n_routes; r++) {
		struct route *route = &addressing->routes[r];

		for (size_t i = 0; i < addressing->n_ips; i++) {
			const struct ip *gateway = &addressing->ips[i].gateway;

			if (route->gw.family == 0 && !is_on_link(route) &&
			    gateway->family == route->dst.family)
				route->gw = *gateway;
		}
	}
}

static int read_routes(json_t *list, int code, struct addressing *addressing, struct error *err)
{
	struct place place = { "routes", 0, code };
	json_t *entry;

	json_array_foreach(list, place.i, entry) {
		struct route *route = &addressing->routes[place.i];

		if (entry_read_route(entry, &place, route, err) < 0)
			return -1;
	}
	addressing->n_routes = json_array_size(list);

	return 0;
}

int result_addressing(json_t *result, int code, struct addressing *addressing, struct error *err)
{
	struct addressing read = { 0 };
	json_t *ips = NULL, *routes = NULL;

	if (get_list(result, "ips", RESULT_IPS_MAX, code, &ips, err) < 0 ||
	    get_list(result, "routes", RESULT_ROUTES_MAX, code, &routes, err) < 0 ||
	    read_ips(ips, code, &read, err) < 0 || read_routes(routes, code, &read, err) < 0)
		return -1;
	addressing_fill_in_gateways(&read);
	*addressing = read;

	return 0;
}

/* The list of that key, made when it is absent; NULL: no memory. */
static json_t *open_list(json_t *form, const char *key)
{
	json_t *list = document_member(form, key);

	if (!list && json_object_set_new(form, key, json_array()) == 0)
		list = json_object_get(form, key);

	return list;
}

/* Copies throughout: the previous result belongs to the configuration, which others still read. */
int result_build(json_t *previous, const struct result_interface *interface,
		 const struct addressing *addressing, json_t *dns, json_t **result,
		 struct error *err)
{
	auto_json json_t *form = previous ? json_deep_copy(previous) : json_object();
	json_t *interfaces = open_list(form, "interfaces");
	json_t *ips = open_list(form, "ips");
	json_t *routes = open_list(form, "routes");
	size_t index = json_array_size(interfaces);
	int r = entry_append_interface(interfaces, interface);

	for (size_t i = 0; i < addressing->n_ips; i++)
		r |= entry_append_ip(ips, index, &addressing->ips[i].address,
				     &addressing->ips[i].gateway);
	for (size_t i = 0; i < addressing->n_routes; i++)
		r |= entry_append_route(routes, &addressing->routes[i]);
	if (json_object_size(dns) > 0)
		r |= json_object_set_new(form, "dns", json_deep_copy(dns));
	r |= json_object_set_new(form, "cniVersion", json_string(version_words[CNI_1_1_0]));
	if (r != 0)
		return error_set(err, ERROR_INTERNAL, "out of memory for the result");
	*result = take_ptr(&form);

	return 0;
}
