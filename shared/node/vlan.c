// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "shared/node/domain.h"

#define VLAN_IDS 4096

/* Which VLANs are taken, and by what. */
struct taken {
	const char *domain; /* whose VLAN is being chosen: it does not stand in its own way */
	bool ids[VLAN_IDS];
	uint32_t wanted;
	char owner[STORE_NAME_SIZE]; /* the domain that has the one that is wanted */
	int trunk;                   /* index of the trunk, in the namespace being looked at */
};

static int on_domain(const char *name, json_t *values, void *arg, struct error *err)
{
	struct taken *taken = arg;
	json_int_t vlan = json_integer_value(json_object_get(values, "vlan"));

	(void)err;
	if (strcmp(name, taken->domain) == 0 || vlan <= 0 || vlan >= VLAN_IDS)
		return 0;
	taken->ids[vlan] = true;
	if ((uint32_t)vlan == taken->wanted)
		snprintf(taken->owner, sizeof(taken->owner), "%s", name);

	return 0;
}

static int on_vlan(const struct link_state *state, void *arg)
{
	struct taken *taken = arg;

	if (strcmp(state->kind, "vlan") == 0 && state->lower == taken->trunk)
		taken->ids[state->link.vlan.id % VLAN_IDS] = true;

	return 0;
}

static int look_at_trunk(struct netlink *nl, const char *trunk, struct taken *taken,
			 struct error *err)
{
	struct link like = { .kind = LINK_VLAN };
	int r = link_find_index(nl, trunk, &taken->trunk, err);

	return r <= 0 ? r : links_each(nl, &like, on_vlan, taken, err);
}

int domain_choose_vlan(const struct site *site, const char *domain, uint32_t *vlan,
		       struct error *err)
{
	const struct node *node = site->node;
	struct taken taken = { .domain = domain, .wanted = *vlan };

	if (store_each_domain(site->store, on_domain, &taken, err) < 0)
		return -1;
	if (taken.owner[0])
		return error_set(
			err, ERROR_CONFLICT,
			"vlan: %u is taken on this node by the domain %s: wanted another one "
			"(or none, then one is chosen)",
			*vlan, taken.owner);
	if (*vlan)
		return 0;

	if (look_at_trunk(&site->nl[PLACE_HBR], node->trunk, &taken, err) < 0 ||
	    look_at_trunk(&site->nl[PLACE_HOST], node->host_trunk, &taken, err) < 0)
		return -1;
	for (uint32_t id = node->vlan_range[0]; id <= node->vlan_range[1] && id < VLAN_IDS; id++) {
		if (!taken.ids[id]) {
			*vlan = id;
			return 0;
		}
	}

	return error_set(err, ERROR_CONFLICT,
			 "no VLAN is free on this node: the range %u-%u (vlanRange) is used up",
			 node->vlan_range[0], node->vlan_range[1]);
}
