// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "hbrctl/command.h"
#include "hbrctl/inventory.h"
#include "hbrctl/table.h"
#include "shared/base/cleanup.h"
#include "shared/cni/document.h"

#define CELL_SIZE 256
#define ID_SHOWN  "%.12s" /* of a container ID of 64 digits, as other tools do */
#define ID_MIN    4       /* bytes that say which container is meant */

/* A number, a text, or texts with commas. */
static const char *cell(json_t *value, char text[static CELL_SIZE])
{
	size_t n = 0, i;
	json_t *entry;

	text[0] = '\0';
	if (json_is_integer(value))
		snprintf(text, CELL_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (document_text(value))
		snprintf(text, CELL_SIZE, "%s", document_text(value));
	json_array_foreach(value, i, entry) {
		if (n < CELL_SIZE)
			n += (size_t)snprintf(text + n, CELL_SIZE - n, "%s%s", n ? "," : "",
					      json_string_value(entry));
	}

	return text;
}

/* A domain's VRF: what it is, or what it is in. */
static const char *vrf_of(json_t *fixed)
{
	const char *vrf = inventory_text(fixed, "vrf");

	return vrf[0] ? vrf : inventory_text(fixed, "name");
}

static void add_domain(json_t *table, json_t *domain)
{
	json_t *fixed = json_object_get(domain, "fixed");
	char vni[CELL_SIZE], vlan[CELL_SIZE], mtu[CELL_SIZE], routes[CELL_SIZE], held[32];
	const char *const row[] = {
		inventory_text(domain, "name"),
		cell(json_object_get(fixed, "vni"), vni),
		cell(json_object_get(fixed, "vlan"), vlan),
		vrf_of(fixed),
		cell(json_object_get(fixed, "table"), routes),
		cell(json_object_get(fixed, "mtu"), mtu),
		inventory_text(fixed, "attach"),
		held,
		inventory_text(domain, "state"),
	};

	snprintf(held, sizeof(held), "%zu", json_array_size(json_object_get(domain, "held")));
	table_add(table, row, COUNT(row));
}

/* A table with a row for each entry. */
static json_t *list(json_t *entries, void (*add)(json_t *table, json_t *entry),
		    const char *const *head, size_t n)
{
	json_t *table = json_array(), *entry;
	size_t i;

	table_add(table, head, n);
	json_array_foreach(entries, i, entry)
		add(table, entry);

	return table;
}

static void print_domains(json_t *inventory, bool is_colored)
{
	static const char *const head[] = { "DOMAIN", "VNI",    "VLAN",    "VRF",  "TABLE",
					    "MTU",    "ATTACH", "HOLDERS", "STATE" };
	auto_json json_t *table =
		list(json_object_get(inventory, "domains"), add_domain, head, COUNT(head));

	table_print(table, is_colored);
}

/* "namespace/name", where the runtime has told them. */
static void print_pod(json_t *pod, char name[static CELL_SIZE])
{
	name[0] = '\0';
	if (inventory_text(pod, "name")[0])
		snprintf(name, CELL_SIZE, "%s/%s", inventory_text(pod, "namespace"),
			 inventory_text(pod, "name"));
}

static void add_attachment(json_t *table, json_t *attachment)
{
	char name[CELL_SIZE], id[16], addresses[CELL_SIZE], domain[CELL_SIZE];
	const char *const row[] = {
		name,
		id,
		inventory_text(attachment, "interface"),
		inventory_text(attachment, "network"),
		cell(json_array_get(json_object_get(attachment, "domains"), 0), domain),
		inventory_text(attachment, "mac"),
		cell(json_object_get(attachment, "addresses"), addresses),
		inventory_text(attachment, "state"),
	};

	print_pod(json_object_get(attachment, "pod"), name);
	snprintf(id, sizeof(id), ID_SHOWN, inventory_text(attachment, "container"));
	table_add(table, row, COUNT(row));
}

/* With a line before it, where there is anything to print. */
static void print_below(json_t *table, bool is_colored)
{
	if (json_array_size(table) > 1)
		putchar('\n');
	table_print(table, is_colored);
}

static void print_attachments(json_t *inventory, bool is_colored)
{
	static const char *const head[] = { "POD",    "CONTAINER", "INTERFACE", "NETWORK",
					    "DOMAIN", "MAC",       "ADDRESSES", "STATE" };
	auto_json json_t *table =
		list(json_object_get(inventory, "attachments"), add_attachment, head, COUNT(head));

	print_below(table, is_colored);
}

static void add_link(json_t *table, json_t *link)
{
	static const char *const keys[] = { "name", "kind", "in", "on", "master", "state" };
	const char *row[COUNT(keys)];

	for (size_t i = 0; i < COUNT(keys); i++)
		row[i] = inventory_text(link, keys[i]);
	table_add(table, row, COUNT(row));
}

static void print_links(json_t *inventory, bool is_colored)
{
	static const char *const head[] = { "LINK", "KIND", "IN", "ON", "MASTER", "STATE" };
	auto_json json_t *table = json_array();
	json_t *domain, *link;
	size_t i, k;

	table_add(table, head, COUNT(head));
	json_array_foreach(json_object_get(inventory, "domains"), i, domain) {
		json_array_foreach(json_object_get(domain, "links"), k, link)
			add_link(table, link);
	}
	print_below(table, is_colored);
}

/* What is wrong with a domain is wrong with each of its pods: it is told once. */
static void print_wrong(json_t *inventory)
{
	auto_json json_t *told = json_object();
	json_t *domain, *entry;
	const char *text;
	size_t i, k;

	json_array_foreach(json_object_get(inventory, "domains"), i, domain) {
		json_array_foreach(json_object_get(domain, "links"), k, entry)
			(void)json_object_set(told, inventory_text(entry, "wrong"), entry);
	}
	json_array_foreach(json_object_get(inventory, "attachments"), i, entry)
		(void)json_object_set(told, inventory_text(entry, "wrong"), entry);
	(void)json_object_del(told, "");

	if (json_object_size(told))
		puts("\nDRIFT");
	json_object_foreach(told, text, entry)
		printf("  %s\n", text);
}

static void print_leftovers(json_t *inventory)
{
	json_t *list = json_object_get(inventory, "leftovers"), *link;
	size_t i;

	if (json_array_size(list))
		puts("\nLEFTOVERS");
	json_array_foreach(list, i, link)
		printf("  %s %s in the %s\n", inventory_text(link, "kind"),
		       inventory_text(link, "name"), inventory_text(link, "in"));
}

static bool is_about(json_t *domain, const char *name)
{
	json_t *fixed = json_object_get(domain, "fixed");
	char vni[CELL_SIZE];

	return strcmp(inventory_text(domain, "name"), name) == 0 ||
	       strcmp(cell(json_object_get(fixed, "vni"), vni), name) == 0 ||
	       strcmp(vrf_of(fixed), name) == 0;
}

static bool is_of(json_t *attachment, const char *name)
{
	const char *container = inventory_text(attachment, "container");

	return strcmp(container, name) == 0 ||
	       (strlen(name) >= ID_MIN && strncmp(container, name, strlen(name)) == 0);
}

/* Is one of the attachments a holder of the domain? */
static bool is_held_by(json_t *domain, json_t *attachments)
{
	json_t *attachment;
	size_t i;

	json_array_foreach(attachments, i, attachment) {
		if (inventory_has_text(json_object_get(domain, "held"),
				       inventory_text(attachment, "id")))
			return true;
	}

	return false;
}

/* Leave what has to do with a name: the containers of that ID and their domains, else the domains
 * of that name and what holds them. */
static void narrow(json_t *inventory, const char *name)
{
	json_t *domains = json_object_get(inventory, "domains");
	json_t *attachments = json_object_get(inventory, "attachments");
	auto_json json_t *chosen = json_array();
	bool by_container;

	for (size_t i = 0; i < json_array_size(attachments); i++) {
		if (is_of(json_array_get(attachments, i), name))
			(void)json_array_append(chosen, json_array_get(attachments, i));
	}
	by_container = json_array_size(chosen) > 0;
	for (size_t i = json_array_size(domains); i-- > 0;) {
		json_t *domain = json_array_get(domains, i);

		if (by_container ? !is_held_by(domain, chosen) : !is_about(domain, name))
			(void)json_array_remove(domains, i);
	}
	for (size_t i = 0; !by_container && i < json_array_size(attachments); i++) {
		json_t *attachment = json_array_get(attachments, i), *domain;
		size_t k;

		json_array_foreach(domains, k, domain) {
			if (inventory_has_text(json_object_get(domain, "held"),
					       inventory_text(attachment, "id"))) {
				(void)json_array_append(chosen, attachment);
				break;
			}
		}
	}
	(void)json_object_set(inventory, "attachments", chosen);
	(void)json_array_clear(json_object_get(inventory, "leftovers"));
}

static bool is_empty(json_t *inventory)
{
	return json_array_size(json_object_get(inventory, "domains")) +
		       json_array_size(json_object_get(inventory, "attachments")) ==
	       0;
}

int show_run(const struct options *options, struct error *err)
{
	const char *name = options->n_args ? options->args[0] : NULL;
	auto_json json_t *inventory = NULL;

	if (inventory_take(&inventory, err) < 0)
		return -1;
	if (name)
		narrow(inventory, name);
	if (options->given & OPTION_JSON)
		return command_print_json(inventory, err) < 0 ? -1 : name && is_empty(inventory);
	if (name && is_empty(inventory)) {
		fprintf(stderr, "hbrctl: no domain, VNI, VRF or container \"%s\" is known\n", name);
		return COMMAND_FOUND;
	}
	if (!json_is_true(json_object_get(inventory, "hbrThere")))
		printf("The HBR netns %s is not there.\n", inventory_text(inventory, "hbrNetns"));
	print_domains(inventory, options->is_colored);
	print_attachments(inventory, options->is_colored);
	if (name)
		print_links(inventory, options->is_colored);
	print_wrong(inventory);
	print_leftovers(inventory);

	return COMMAND_FINE;
}
