// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/agreement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hbrctl/inventory.h"
#include "shared/base/cleanup.h"
#include "shared/node/domain.h"

/* What no two domains of a node can have in common; a VNI is an L2 domain's or a VRF's. */
static const struct exclusive {
	const char *key, *kinds[2]; /* how the names of such domains begin */
} exclusives[] = {
	{ "vni", { "l2-", "vrf-" } },
	{ "vlan", { "trunk-", "trunk-" } },
	{ "table", { "vrf-", "vrf-" } },
};

static bool is_kind(const struct exclusive *exclusive, const char *name)
{
	return strncmp(name, exclusive->kinds[0], strlen(exclusive->kinds[0])) == 0 ||
	       strncmp(name, exclusive->kinds[1], strlen(exclusive->kinds[1])) == 0;
}

static int compare(json_t *known, const struct exclusive *exclusive, const struct domain *domain,
		   json_t *values, struct error *err)
{
	json_t *mine = json_object_get(values, exclusive->key), *other;
	const char *name;

	if (!mine || !is_kind(exclusive, domain->name))
		return 0;
	json_object_foreach(known, name, other) {
		json_t *theirs = json_object_get(json_object_get(other, "values"), exclusive->key);

		if (strcmp(name, domain->name) != 0 && is_kind(exclusive, name) &&
		    json_equal(mine, theirs))
			return error_set(err, ERROR_CONFLICT,
					 "%s: %" JSON_INTEGER_FORMAT " is that of the domain %s in "
					 "%s: no two domains of a node can have the same",
					 exclusive->key, json_integer_value(mine), name,
					 inventory_text(other, "file"));
	}

	return 0;
}

static int no_memory(const struct domain *domain, struct error *err)
{
	return error_errno(err, ERROR_INTERNAL, ENOMEM, "compare %s", domain->title);
}

static int remember(json_t *known, const char *file, const struct domain *domain, json_t *values)
{
	return json_object_set_new(known, domain->name,
				   json_pack("{s:s, s:O}", "file", file, "values", values));
}

static bool is_last(const char *files, const char *file)
{
	const char *last = strrchr(files, ',');

	return strcmp(last ? last + 2 : files, file) == 0;
}

/* What this file is the first to say; it is named from now on. */
static int learn(json_t *before, const char *file, json_t *values)
{
	json_t *all = json_object_get(before, "values");
	size_t n = json_object_size(all);

	if (json_object_update_missing(all, values) < 0)
		return -1;
	if (json_object_size(all) > n && !is_last(inventory_text(before, "file"), file))
		return json_object_set_new(
			before, "file",
			json_sprintf("%s, %s", inventory_text(before, "file"), file));

	return 0;
}

static int check(json_t *known, const char *file, const struct domain *domain, struct error *err)
{
	const struct network *network = &domain->network;
	json_t *before = json_object_get(known, domain->name);
	auto_json json_t *values =
		fields_dump(network->table, domain->kind->flag, network->values, *network->given);
	char what[512];
	const struct fields_fixed fixed = { json_object_get(before, "values"), what,
					    domain->kind->flag };

	if (!values)
		return no_memory(domain, err);
	for (size_t i = 0; i < COUNT(exclusives); i++) {
		if (compare(known, &exclusives[i], domain, values, err) < 0)
			return -1;
	}
	if (!before)
		return remember(known, file, domain, values) < 0 ? no_memory(domain, err) : 0;
	snprintf(what, sizeof(what), "%s in %s", domain->title, inventory_text(before, "file"));
	if (fields_inherit(network->table, &fixed, network->values, network->given, err) < 0)
		return -1;

	return learn(before, file, values) < 0 ? no_memory(domain, err) : 0;
}

int agreement_check(json_t *known, const char *file, const struct attachment *attachment,
		    struct error *err)
{
	for (size_t i = 0; i < attachment->n_domains; i++) {
		const struct domain *domain = &attachment->domains[i];
		struct domain parent;

		/* Inheriting may fill in the parent: it is looked at behind its child. */
		if (check(known, file, domain, err) < 0 ||
		    (domain_parent(domain, &parent) && check(known, file, &parent, err) < 0))
			return -1;
	}

	return 0;
}
