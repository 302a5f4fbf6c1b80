// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/unowned.h"

#include <stdio.h>
#include <string.h>

#include "hbrctl/inventory.h"
#include "shared/base/cleanup.h"

static bool has_state(json_t *entry, const char *state)
{
	return strcmp(inventory_text(entry, "state"), state) == 0;
}

bool unowned_is_port(json_t *link)
{
	return strcmp(inventory_text(link, "kind"), "veth") == 0 ||
	       strcmp(inventory_text(link, "kind"), "macvlan") == 0;
}

static void add(json_t *list, const char *what, const char *name, const char *of, const char *why)
{
	(void)json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "what", what, "name",
						    name, "of", of, "why", why));
}

/* Ids of the dead, and names of domains that nobody else holds. */
static void list_dead(json_t *inventory, json_t *list, json_t *dead)
{
	json_t *attachment;
	size_t i;

	json_array_foreach(json_object_get(inventory, "attachments"), i, attachment) {
		if (!has_state(attachment, "dead"))
			continue;
		(void)json_array_append(dead, json_object_get(attachment, "id"));
		add(list, "interface", inventory_text(attachment, "interface"),
		    inventory_text(attachment, "container"), "its pod is gone");
	}
}

static bool is_held(json_t *domain, json_t *dead)
{
	json_t *holder;
	size_t i;

	json_array_foreach(json_object_get(domain, "held"), i, holder) {
		if (!inventory_has_text(dead, json_string_value(holder)))
			return true;
	}

	return false;
}

/* A domain that goes may be what kept another one. */
static void list_domains(json_t *inventory, json_t *list, json_t *dead)
{
	json_t *domains = json_object_get(inventory, "domains"), *domain;
	size_t before, i;

	do {
		before = json_array_size(dead);
		json_array_foreach(domains, i, domain) {
			const char *name = inventory_text(domain, "name");

			if (inventory_has_text(dead, name) || is_held(domain, dead))
				continue;
			(void)json_array_append(dead, json_object_get(domain, "name"));
			add(list, "domain", name, "", "nobody holds it");
		}
	} while (json_array_size(dead) > before);
}

static void list_links(json_t *inventory, json_t *list, bool ports)
{
	json_t *link;
	size_t i;

	json_array_foreach(json_object_get(inventory, "leftovers"), i, link) {
		if (unowned_is_port(link) == ports)
			add(list, inventory_text(link, "kind"), inventory_text(link, "name"),
			    inventory_text(link, "in"),
			    ports ? "a pod may live behind it: DEL it, or end the pod"
				  : "nobody remembers it");
	}
}

static json_t *list_all(json_t *inventory)
{
	auto_json json_t *list = json_array(), *dead = json_array();

	list_dead(inventory, list, dead);
	list_domains(inventory, list, dead);
	list_links(inventory, list, false);

	return take_ptr(&list);
}

static bool has_entry(json_t *list, json_t *wanted)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		if (json_equal(entry, wanted))
			return true;
	}

	return false;
}

json_t *unowned_report(json_t *before, json_t *after)
{
	auto_json json_t *goes = list_all(before), *stays = after ? list_all(after) : json_array();

	for (size_t i = json_array_size(goes); i-- > 0;) {
		if (has_entry(stays, json_array_get(goes, i)))
			(void)json_array_remove(goes, i);
	}
	list_links(after ? after : before, stays, true);

	return json_pack("{s:O, s:O}", "goes", goes, "stays", stays);
}

static void print(json_t *list, const char *head)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		const char *of = inventory_text(entry, "of");
		const char *what = inventory_text(entry, "what");
		const char *join = strcmp(what, "interface") == 0 ? " of container " : " in the ";

		printf("%s %s %s%s%s: %s\n", head, what, inventory_text(entry, "name"),
		       of[0] ? join : "", of, inventory_text(entry, "why"));
	}
}

void unowned_print(json_t *report, bool is_dry)
{
	print(json_object_get(report, "goes"), is_dry ? "would remove" : "removed");
	print(json_object_get(report, "stays"), is_dry ? "would leave" : "stays:");
}
