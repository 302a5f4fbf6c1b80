// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/socket.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/entry.h"
#include "shared/cni/result.h"

typedef int check_fn(json_t *form, json_t *entry, const struct place *place, struct error *err);

static check_fn check_interface, check_ip, check_route;

/* The lists of a result, in the order in which they are printed. */
static const struct list {
	const char *key;
	check_fn *check;
	bool has_version;             /* 0.3.0 to 0.4.0 say "version": "4" or "6" in each entry */
	const char *const *since_1_1; /* members of an entry that older versions lack */
} lists[] = {
	{ "interfaces", check_interface, false,
	  (const char *const[]){ "mtu", "socketPath", "pciID", NULL } },
	{ "ips", check_ip, true, (const char *const[]){ NULL } },
	{ "routes", check_route, false,
	  (const char *const[]){ "mtu", "advmss", "priority", "table", "scope", NULL } },
};

/* What 0.1.0 and 0.2.0 have in place of lists. */
static const struct family {
	const char *key;
	uint8_t number;
} families[] = {
	{ "ip4", AF_INET },
	{ "ip6", AF_INET6 },
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_INTERNAL, "out of memory for a result");
}

static int read_version(json_t *document, int code, enum version *version, struct error *err)
{
	json_t *value = document_member(document, "cniVersion");
	const char *word;
	char text[80];

	if (!value) /* as the Go library writes it into a prevResult */
		value = document_member(document, "CNIVersion");
	word = value ? document_text(value) : "";
	if (word && *word == '\0')
		return 0;

	for (unsigned i = 0; word && i < VERSIONS; i++) {
		if (strcmp(version_words[i], word) == 0) {
			*version = (enum version)i;
			return 0;
		}
	}
	document_print(value, text, sizeof(text));

	return error_set(err, code, "cniVersion: %s is not allowed: wanted 0.1.0 to 1.1.0", text);
}

static int check_interface(json_t *form, json_t *entry, const struct place *place,
			   struct error *err)
{
	static const char *const texts[] = { "name", "mac", "sandbox" };
	json_t *mtu = document_member(entry, "mtu");

	(void)form;
	for (size_t i = 0; i < COUNT(texts); i++) {
		json_t *value = document_member(entry, texts[i]);

		if (value && !document_text(value))
			return entry_refuse(place, texts[i], value, "a text", err);
	}
	if (mtu && !json_is_integer(mtu))
		return entry_refuse(place, "mtu", mtu, "a number", err);

	return 0;
}

static int check_ip(json_t *form, json_t *entry, const struct place *place, struct error *err)
{
	size_t n_interfaces = json_array_size(document_member(form, "interfaces"));
	json_t *index = document_member(entry, "interface");
	struct ip address, gateway = { 0 };

	if (entry_read_ip(entry, place, &address, &gateway, err) < 0)
		return -1;

	if (n_interfaces == 0) /* IPAM plugins say 0 of a list they do not have */
		json_object_del(entry, "interface");
	else if (index && (!json_is_integer(index) || json_integer_value(index) < 0 ||
			   (size_t)json_integer_value(index) >= n_interfaces))
		return entry_refuse(place, "interface", index, "an index into interfaces", err);

	return 0;
}

/* Read to be judged only: what others put in passes through as it came. */
static int check_route(json_t *form, json_t *entry, const struct place *place, struct error *err)
{
	struct route route = { 0 };

	(void)form;

	return entry_read_route(entry, place, &route, err);
}

static int check_list(json_t *form, const struct list *list, int code, struct error *err)
{
	struct place place = { list->key, 0, code };
	json_t *entries = json_object_get(form, list->key);
	json_t *entry;

	if (entries && !json_is_array(entries))
		return error_set(err, code, "%s: wanted a list", list->key);

	json_array_foreach(entries, place.i, entry) {
		if (!json_is_object(entry))
			return error_set(err, code, "%s[%zu]: wanted an object", list->key,
					 place.i);
		document_drop_nulls(entry);
		if (list->check(form, entry, &place, err) < 0)
			return -1;
	}

	return 0;
}

static int check_form(json_t *form, int code, struct error *err)
{
	json_t *dns = json_object_get(form, "dns");

	for (size_t i = 0; i < COUNT(lists); i++) {
		if (check_list(form, &lists[i], code, err) < 0)
			return -1;
	}
	if (dns && !json_is_object(dns))
		return error_set(err, code, "dns: wanted an object");

	return 0;
}

/* 0.3.0 and later: drop what later versions do not have. */
static int from_lists(json_t *document, json_t *form, struct error *err)
{
	json_t *entry;
	size_t i;

	if (json_object_update(form, document) < 0)
		return no_memory(err);
	json_object_del(form, "CNIVersion");
	document_drop_nulls(form);
	/* The text of 0.3.0 calls the list "ip" in one place; all code says "ips". */
	if (!json_object_get(form, "ips") && json_is_array(json_object_get(form, "ip")) &&
	    json_object_set(form, "ips", json_object_get(form, "ip")) < 0)
		return no_memory(err);
	json_object_del(form, "ip");

	json_array_foreach(json_object_get(form, "ips"), i, entry)
		json_object_del(entry, "version");

	return 0;
}

/* An object with ip, gateway and routes becomes one entry of ips and some of routes. */
static int take_family(json_t *document, const char *key, int code, json_t *form, struct error *err)
{
	json_t *family = document_member(document, key);
	json_t *routes = document_member(family, "routes");
	auto_json json_t *entry = NULL;
	int r = 0;

	if (!family)
		return 0;
	if (!json_is_object(family) || (routes && !json_is_array(routes)))
		return error_set(err, code, "%s: wanted an object with ip, gateway and routes",
				 key);

	entry = json_pack("{s:O*, s:O*}", "address", document_member(family, "ip"), "gateway",
			  document_member(family, "gateway"));
	r |= json_array_append(json_object_get(form, "ips"), entry);
	if (routes)
		r |= json_array_extend(json_object_get(form, "routes"), routes);

	return r == 0 ? 0 : no_memory(err);
}

static int from_families(json_t *document, int code, json_t *form, struct error *err)
{
	json_t *dns = document_member(document, "dns");

	if (json_object_set_new(form, "ips", json_array()) < 0 ||
	    json_object_set_new(form, "routes", json_array()) < 0 ||
	    (dns && json_object_set(form, "dns", dns) < 0))
		return no_memory(err);
	for (size_t i = 0; i < COUNT(families); i++) {
		if (take_family(document, families[i].key, code, form, err) < 0)
			return -1;
	}

	return 0;
}

int result_parse(json_t *document, enum version assumed, int code, json_t **result,
		 struct error *err)
{
	auto_json json_t *copy = json_deep_copy(document);
	auto_json json_t *form = json_object();
	enum version version = assumed;
	int r;

	if (!json_is_object(document))
		return error_set(err, code, "wanted an object");
	if (!copy || !form)
		return no_memory(err);
	if (read_version(document, code, &version, err) < 0)
		return -1;
	r = version < CNI_0_3_0 ? from_families(copy, code, form, err)
				: from_lists(copy, form, err);
	if (r < 0 || check_form(form, code, err) < 0)
		return -1;
	if (json_object_set_new(form, "cniVersion", json_string(version_words[CNI_1_1_0])) < 0)
		return no_memory(err);
	*result = take_ptr(&form);

	return 0;
}

/* The family of an address or a prefix; 0: it is neither. */
static uint8_t family_of(json_t *entry, const char *key)
{
	const char *text = document_text(json_object_get(entry, key));
	struct ip ip = { 0 };

	return text && parse_cidr(text, &ip) ? ip.family : 0;
}

/* 0.1.0 and 0.2.0 have room for one of each family. */
static json_t *first_ip(json_t *result, uint8_t family)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(result, "ips"), i, entry) {
		if (family_of(entry, "address") == family)
			return entry;
	}

	return NULL;
}

static int put_family(json_t *out, json_t *result, const struct family *family)
{
	json_t *ip = first_ip(result, family->number);
	auto_json json_t *routes = json_array();
	auto_json json_t *value = NULL;
	json_t *route;
	size_t i;
	int r = 0;

	if (!ip)
		return 0;

	json_array_foreach(json_object_get(result, "routes"), i, route) {
		if (family_of(route, "dst") == family->number)
			r |= json_array_append_new(routes,
						   json_pack("{s:O, s:O*}", "dst",
							     json_object_get(route, "dst"), "gw",
							     json_object_get(route, "gw")));
	}
	value = json_pack("{s:O, s:O*}", "ip", json_object_get(ip, "address"), "gateway",
			  json_object_get(ip, "gateway"));
	if (json_array_size(routes) > 0)
		r |= json_object_set(value, "routes", routes);

	return r | json_object_set(out, family->key, value);
}

static int put_families(json_t *out, json_t *result)
{
	json_t *dns = json_object_get(result, "dns");
	int r = 0;

	for (size_t i = 0; i < COUNT(families); i++)
		r |= put_family(out, result, &families[i]);
	/* Without addresses the "dns" is what makes it a document of these versions. */
	if (json_object_size(dns) > 0)
		r |= json_object_set(out, "dns", dns);
	else if (json_object_size(out) == 1)
		r |= json_object_set_new(out, "dns", json_object());

	return r;
}

/* "version" comes first, as in the specification's examples. */
static int put_entry(json_t *out, json_t *entry, const struct list *list, enum version version)
{
	auto_json json_t *copy = json_object();
	int r = 0;

	if (version < CNI_1_0_0 && list->has_version)
		r |= json_object_set_new(
			copy, "version",
			json_string(family_of(entry, "address") == AF_INET ? "4" : "6"));
	r |= json_object_update(copy, entry);
	for (size_t i = 0; version < CNI_1_1_0 && list->since_1_1[i]; i++)
		json_object_del(copy, list->since_1_1[i]);

	return r | json_array_append(out, copy);
}

static int put_list(json_t *out, json_t *result, const struct list *list, enum version version)
{
	json_t *entries = json_object_get(result, list->key);
	auto_json json_t *copies = json_array();
	json_t *entry;
	size_t i;
	int r = 0;

	if (json_array_size(entries) == 0)
		return 0;

	json_array_foreach(entries, i, entry)
		r |= put_entry(copies, entry, list, version);

	return r | json_object_set(out, list->key, copies);
}

static bool is_ours(const char *key)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		if (strcmp(key, lists[i].key) == 0)
			return true;
	}

	return strcmp(key, "cniVersion") == 0 || strcmp(key, "dns") == 0;
}

static int put_lists(json_t *out, json_t *result, enum version version)
{
	json_t *dns = json_object_get(result, "dns");
	const char *key;
	json_t *value;
	int r = 0;

	for (size_t i = 0; i < COUNT(lists); i++)
		r |= put_list(out, result, &lists[i], version);
	if (json_object_size(dns) > 0)
		r |= json_object_set(out, "dns", dns);
	/* What a plugin before us put in and no version knows goes last. */
	json_object_foreach(result, key, value) {
		if (!is_ours(key))
			r |= json_object_set(out, key, value);
	}

	return r;
}

json_t *result_export(json_t *result, enum version version)
{
	auto_json json_t *out = json_object();
	int r = json_object_set_new(out, "cniVersion", json_string(version_words[version]));

	r |= version < CNI_0_3_0 ? put_families(out, result) : put_lists(out, result, version);

	return r == 0 && result ? take_ptr(&out) : NULL;
}
