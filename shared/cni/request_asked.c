// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/request.h"

/* Where the document can ask for something, most binding first; CNI_ARGS come after these. */
static const struct {
	const char *object, *member; /* NULL: the object itself */
} channels[] = {
	{ "runtimeConfig", NULL },
	{ "args", "cni" },
};

/* What channel i has under the key: NULL when that is nothing, or empty. */
static json_t *asked_there(const struct request *request, size_t i, const char *key)
{
	json_t *object = document_member(request->config, channels[i].object);
	json_t *value;

	if (channels[i].member)
		object = document_member(object, channels[i].member);
	value = document_member(object, key);
	if (json_is_string(value) && json_string_length(value) == 0)
		return NULL;
	if (json_is_array(value) && json_array_size(value) == 0)
		return NULL;

	return value;
}

/* Multus sends "MAC=" when nobody asked. */
static const char *arg(const struct request *request, const char *key)
{
	const char *value = json_string_value(json_object_get(request->pairs, key));

	return value && *value ? value : NULL;
}

/* Whether they are addresses is for the caller to say, who knows if a prefix is needed. */
static bool is_list_of_texts(json_t *value)
{
	json_t *entry;
	size_t i;

	if (!json_is_array(value))
		return false;
	json_array_foreach(value, i, entry) {
		if (!document_text(entry))
			return false;
	}

	return true;
}

static int refuse(size_t i, const char *key, json_t *value, const char *wanted, struct error *err)
{
	const char *member = channels[i].member;
	char text[80];

	document_print(value, text, sizeof(text));

	return error_set(err, ERROR_INVALID_CONFIG, "%s%s%s.%s: %s is not allowed: wanted %s",
			 channels[i].object, member ? "." : "", member ? member : "", key, text,
			 wanted);
}

/* What is asked for is done or refused: a MAC that is silently ignored is found out late. */
int request_check_asked(const struct request *request, struct error *err)
{
	for (size_t i = 0; i < COUNT(channels); i++) {
		json_t *mac = asked_there(request, i, "mac");
		json_t *ips = asked_there(request, i, "ips");

		if (mac && !document_text(mac))
			return refuse(i, "mac", mac, "a MAC address", err);
		if (ips && !is_list_of_texts(ips))
			return refuse(i, "ips", ips, "a list of address/prefix", err);
	}

	return 0;
}

const char *request_mac(const struct request *request)
{
	for (size_t i = 0; i < COUNT(channels); i++) {
		const char *mac = document_text(asked_there(request, i, "mac"));

		if (mac)
			return mac;
	}

	return arg(request, "MAC");
}

/* IP=10.0.0.5/24,fd00::5/64 */
static json_t *split_list(const char *list)
{
	auto_json json_t *entries = json_array();
	size_t len;

	for (const char *entry = list; *entry; entry += len + (entry[len] == ',')) {
		len = strcspn(entry, ",");
		if (len > 0 && json_array_append_new(entries, json_stringn(entry, len)) < 0)
			return NULL;
	}

	return json_array_size(entries) > 0 ? take_ptr(&entries) : NULL;
}

json_t *request_ips(const struct request *request)
{
	const char *list = arg(request, "IP");

	for (size_t i = 0; i < COUNT(channels); i++) {
		json_t *ips = asked_there(request, i, "ips");

		if (is_list_of_texts(ips))
			return json_deep_copy(ips);
	}

	return list ? split_list(list) : NULL;
}

bool request_arg(const struct request *request, const char *key, char *value, size_t size)
{
	json_t *text = json_object_get(request->pairs, key);

	if (!json_is_string(text) || json_string_length(text) >= size)
		return false;
	memcpy(value, json_string_value(text), json_string_length(text) + 1);

	return true;
}
