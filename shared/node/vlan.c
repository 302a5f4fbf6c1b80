// SPDX-License-Identifier: Apache-2.0
#include "shared/node/vlan.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/bridge_vlan.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/links.h"
#include "shared/kernel/vlan_probe.h"

#define VLAN_IDS BRIDGE_VLANS

/* Which VLANs are taken, and by what. */
struct taken {
	const char *domain; /* whose VLAN is being chosen: it does not stand in its own way */
	bool ids[VLAN_IDS];
	uint32_t wanted;
	char owner[STORE_NAME_SIZE]; /* the domain that has the one that is wanted */
	int trunk;                   /* index of the trunk, in the namespace being looked at */
	int trunks[PLACES];          /* and in each; 0: not there */
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

/* What is in sight needs no probe. */
static int on_vlan(const struct link_state *state, void *arg)
{
	struct taken *taken = arg;

	if (strcmp(state->kind, "vlan") == 0 && state->lower == taken->trunk)
		taken->ids[state->link.vlan.id % VLAN_IDS] = true;

	return 0;
}

static int look_at_trunk(const struct site *site, enum link_place place, const char *trunk,
			 struct taken *taken, struct error *err)
{
	struct netlink *nl = &site->nl[place];
	struct link like = { .kind = LINK_VLAN };
	int bridge, r = link_find_index(nl, trunk, &taken->trunk, err);

	if (r <= 0)
		return r;
	taken->trunks[place] = taken->trunk;
	if (links_survey(nl, &like, on_vlan, taken, err) < 0)
		return -1;
	r = bridge_vlan_is_aware(nl, trunk, &bridge, err);

	return r <= 0 ? r : bridge_vlan_mark(nl, bridge, taken->ids, err);
}

/* 1: nobody has it, not even out of sight. */
static int is_free(const struct site *site, const struct taken *taken, uint32_t id,
		   struct error *err)
{
	char name[IFNAMSIZ];
	int r = !taken->ids[id];

	snprintf(name, sizeof(name), "tr.%u", id);
	for (enum link_place place = 0; place < PLACES && r == 1; place++) {
		if (taken->trunks[place])
			r = vlan_probe(&site->nl[place], taken->trunks[place], (uint16_t)id, name,
				       err);
	}

	return r;
}

int vlan_choose(const struct site *site, const char *domain, uint32_t *vlan, struct error *err)
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

	if (look_at_trunk(site, PLACE_HBR, node->trunk, &taken, err) < 0 ||
	    look_at_trunk(site, PLACE_HOST, node->host_trunk, &taken, err) < 0)
		return -1;
	for (uint32_t id = node->vlan_range[0]; id <= node->vlan_range[1] && id < VLAN_IDS; id++) {
		int r = is_free(site, &taken, id, err);

		if (r == 1)
			*vlan = id;
		if (r != 0)
			return r < 0 ? -1 : 0;
	}

	return error_set(err, ERROR_CONFLICT,
			 "no VLAN is free on this node: the range %u-%u (vlanRange) is used up",
			 node->vlan_range[0], node->vlan_range[1]);
}
