// SPDX-License-Identifier: Apache-2.0
#include "shared/node/holder.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/link_find.h"

json_t *holder_describe(const char *container_id, const char *ifname, const char *netns_path,
			const struct netns *netns, uint64_t cookie, const char *port)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:s}", "containerID", container_id, "ifname",
			 ifname, "netns", netns_path, "inode", (json_int_t)netns->ino, "cookie",
			 (json_int_t)cookie, "port", port);
}

json_t *holder_copy(json_t *record)
{
	static const char *const keys[] = { "containerID", "ifname", "netns",
					    "inode",       "cookie", "port" };
	auto_json json_t *holder = json_object();

	for (size_t i = 0; i < COUNT(keys); i++) {
		json_t *value = json_object_get(record, keys[i]);

		if (value && json_object_set(holder, keys[i], value) < 0)
			return NULL;
	}

	return take_ptr(&holder);
}

static json_int_t number(json_t *holder, const char *key)
{
	return json_integer_value(json_object_get(holder, key));
}

static const char *text(json_t *holder, const char *key)
{
	const char *value = json_string_value(json_object_get(holder, key));

	return value ? value : "";
}

/* Is it the namespace that the holder was put for? Inodes are used again at once, cookies never. */
static bool is_its_netns(json_t *holder, const struct netns *ns)
{
	auto_netlink struct netlink nl = { 0 };
	struct error ignored;

	if ((json_int_t)ns->ino != number(holder, "inode"))
		return false;
	if (netns_talk(ns, &nl, "pod", &ignored) < 0)
		return true;

	return (json_int_t)netlink_cookie(&nl) == number(holder, "cookie");
}

static int has_port(const struct site *site, const char *port, struct error *err)
{
	static const enum link_place places[] = { PLACE_HOST, PLACE_HBR };
	int index, r = 0;

	for (size_t i = 0; i < COUNT(places) && r == 0; i++) {
		if (port[0] && site->nl[places[i]].sock)
			r = link_find_index(&site->nl[places[i]], port, &index, err);
	}

	return r;
}

/* Attachments have 16 hex digits. */
bool holder_is_domain(const char *id)
{
	return strchr(id, '-') != NULL;
}

int holder_is_dead(const struct site *site, json_t *holder, struct error *err)
{
	auto_netns struct netns ns = NETNS_NONE;
	const char *domain = text(holder, "domain");
	int r;

	if (domain[0]) {
		r = store_has_domain(site->store, domain, err);
		return r < 0 ? -1 : !r;
	}

	switch (netns_probe(&ns, text(holder, "netns"))) {
	case NETNS_UNKNOWN:
		return 0;
	case NETNS_THERE:
		if (is_its_netns(holder, &ns))
			return 0;
		break;
	case NETNS_GONE:
		break;
	}

	r = has_port(site, text(holder, "port"), err);

	return r < 0 ? -1 : !r;
}
