// SPDX-License-Identifier: Apache-2.0
/*
 * What the first holder of a VRF fixes (vrf.h): whether it is there already, its table, and what
 * its L3VNI needs of the node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/netns.h"
#include "shared/kernel/sysctl.h"
#include "shared/node/node_mtu.h"
#include "shared/node/vrf.h"

#define AT(member) offsetof(struct vrf, member)

static bool is_given(const struct vrf *vrf, size_t offset)
{
	return field_given(&vrf_fields, vrf->given, offset);
}

/* Whose a VNI is. */
struct claim {
	const char *domain; /* who asks: it does not stand in its own way */
	uint32_t vni;
};

static int on_vni(const char *name, json_t *values, void *arg, struct error *err)
{
	const struct claim *claim = arg;
	bool is_l2 = strncmp(name, "l2-", 3) == 0, is_vrf = strncmp(name, "vrf-", 4) == 0;

	if (strcmp(name, claim->domain) == 0 || (!is_l2 && !is_vrf) ||
	    json_integer_value(json_object_get(values, "vni")) != claim->vni)
		return 0;

	return error_set(err, ERROR_CONFLICT,
			 "vni: %u is in use on this node by the %s %s: wanted another one",
			 claim->vni, is_l2 ? "L2 domain" : "VRF", name + (is_l2 ? 3 : 4));
}

int vrf_refuse_vni(const struct site *site, uint32_t vni, const char *domain, struct error *err)
{
	struct claim claim = { domain, vni };

	return store_each_domain(site->store, on_vni, &claim, err) < 0 ? -1 : 0;
}

/* The tables of other VRFs: of those that are remembered and of those that are there. */
struct tables {
	const char *name; /* of the VRF that looks for one */
	struct owned {
		uint32_t table;
		char vrf[IFNAMSIZ];
	} * owned;
	size_t n, room;
};

static void tables_free(struct tables *tables)
{
	free(tables->owned);
}

/* 0, -1: no memory. */
static int note(struct tables *tables, const char *vrf, uint32_t table)
{
	struct owned *grown;

	if (strcmp(vrf, tables->name) == 0)
		return 0;
	if (tables->n == tables->room) {
		grown = reallocarray(tables->owned, tables->room + 64, sizeof(*grown));
		if (!grown)
			return -1;
		tables->owned = grown;
		tables->room += 64;
	}
	tables->owned[tables->n].table = table;
	snprintf(tables->owned[tables->n++].vrf, IFNAMSIZ, "%s", vrf);

	return 0;
}

static int on_remembered(const char *name, json_t *values, void *arg, struct error *err)
{
	if (strncmp(name, "vrf-", 4) != 0 ||
	    note(arg, name + 4, (uint32_t)json_integer_value(json_object_get(values, "table"))) ==
		    0)
		return 0;

	return error_set(err, ERROR_INTERNAL, "out of memory for the tables of VRFs");
}

static int on_link(const struct link_state *state, void *arg)
{
	return strcmp(state->kind, "vrf") == 0 &&
	       note(arg, state->link.name, state->link.vrf.table) < 0;
}

static int list_tables(const struct site *site, struct tables *tables, struct error *err)
{
	struct link like = { .kind = LINK_VRF };
	int r;

	if (store_each_domain(site->store, on_remembered, tables, err) < 0)
		return -1;
	r = links_survey(&site->nl[PLACE_HBR], &like, on_link, tables, err);

	return r == 1 ? error_set(err, ERROR_INTERNAL, "out of memory for the tables of VRFs") : r;
}

/* The VRF that has a table; NULL: nobody. */
static const char *owner_of(const struct tables *tables, uint32_t table)
{
	for (size_t i = 0; i < tables->n; i++) {
		if (tables->owned[i].table == table)
			return tables->owned[i].vrf;
	}

	return NULL;
}

/* The kernel lets two VRFs have one table, and mixes their routes. */
static int refuse_taken(const struct tables *tables, uint32_t table, struct error *err)
{
	const char *owner = owner_of(tables, table);

	return owner ? error_set(err, ERROR_CONFLICT,
				 "table: %u is the table of the VRF %s on this node: wanted "
				 "another one (or none, then one is chosen)",
				 table, owner)
		     : 0;
}

/* For a VRF without VNI: the lowest of the node's range that nobody has. */
static int choose_table(const struct node *node, const struct tables *tables, struct vrf *vrf,
			struct error *err)
{
	const uint32_t *range = node->table_range;

	for (uint64_t table = range[0]; table <= range[1]; table++) {
		if (owner_of(tables, (uint32_t)table))
			continue;
		vrf->table = (uint32_t)table;
		return 0;
	}

	return error_set(err, ERROR_CONFLICT,
			 "no routing table is free for the VRF %s: the range %u-%u (tableRange) is "
			 "used up",
			 vrf->name, range[0], range[1]);
}

static int settle_table(const struct site *site, struct vrf *vrf, struct error *err)
{
	CLEANUP(tables_free) struct tables tables = { .name = vrf->name };
	uint64_t table = (uint64_t)site->node->table_base + vrf->vni;

	if (list_tables(site, &tables, err) < 0)
		return -1;
	if (is_given(vrf, AT(table)))
		return refuse_taken(&tables, vrf->table, err);
	field_give(&vrf_fields, &vrf->given, AT(table));
	if (!vrf->vni)
		return choose_table(site->node, &tables, vrf, err);
	if (table > UINT32_MAX || (table >= 253 && table <= 255))
		return error_set(err, ERROR_INVALID_CONFIG,
				 "table: %u (tableBase) and VNI %u make %llu, which is no table "
				 "for a VRF: wanted a table that is named",
				 site->node->table_base, vrf->vni, (unsigned long long)table);
	vrf->table = (uint32_t)table;

	return refuse_taken(&tables, vrf->table, err);
}

/* One that is there tells its table. 1: there, 0: not. */
static int settle_found(const struct site *site, struct vrf *vrf, struct error *err)
{
	struct link wanted = vrf_link(site->node, vrf);
	struct link_state state;
	struct error foreign;
	int r = link_find(&site->nl[PLACE_HBR], &wanted, &state, err);

	if (r < 0)
		return -1;
	if (r == 0 && !vrf->may_be_made)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "vrf: \"%s\" is no VRF in the HBR netns: wanted one that is "
				 "there, or {\"name\": \"%s\", ...}, which makes it",
				 vrf->name, vrf->name);
	if (r == 0)
		return 0;
	if (strcmp(state.kind, "vrf") != 0)
		return error_set(err, ERROR_CONFLICT,
				 "vrf: \"%s\" in the HBR netns is a %s: wanted a VRF", vrf->name,
				 state.kind[0] ? state.kind : "physical link");
	if (is_given(vrf, AT(table)) && vrf->table != state.link.vrf.table)
		return error_set(err, ERROR_CONFLICT,
				 "table: %u was asked for, but the VRF %s in the HBR netns has %u",
				 vrf->table, vrf->name, state.link.vrf.table);
	vrf->table = state.link.vrf.table;
	field_give(&vrf_fields, &vrf->given, AT(table));
	vrf->is_adopted = link_is_ours(&wanted, &state, &foreign) == 0;

	return 1;
}

/* What the L3VNI needs of the node. */
static int settle_tunnel(const struct site *site, struct vrf *vrf, struct error *err)
{
	if (node_find_vtep(site->node, &site->nl[PLACE_HBR], &vrf->local, err) < 0)
		return -1;
	vrf->vxlan_port = site->node->vxlan_port;
	field_give(&vrf_fields, &vrf->given, AT(local));
	field_give(&vrf_fields, &vrf->given, AT(vxlan_port));

	return 0;
}

static int settle_mtu(const struct site *site, struct vrf *vrf, struct error *err)
{
	struct node_mtu possible;

	if (node_find_mtu(site->node, &site->nl[PLACE_HBR], NULL,
			  vrf->local.family ? vrf->local.family : AF_INET, &possible, err) < 0)
		return -1;
	vrf->mtu = possible.mtu;
	field_give(&vrf_fields, &vrf->given, AT(mtu));

	return 0;
}

static int get_filter(void *value, struct error *err)
{
	return sysctl_get("ipv4/conf/all/rp_filter", value, err);
}

/* The stricter of this and a link's own value counts, and 2 for more than 1. */
static int look_at_filter(const struct site *site, const struct vrf *vrf, struct error *err)
{
	long value = 0;

	if (netns_call(site->hbr, get_filter, &value, err) < 0)
		return -1;
	if (value != 0)
		error_warn(
			"the VRF %s: net.ipv4.conf.all.rp_filter is %ld in the HBR netns: wanted 0: "
			"%s",
			vrf->name, value,
			value == 1 ? "packets that do not come in by the way back are dropped"
				   : "pods may send from each other's addresses");

	return 0;
}

int vrf_settle(const struct site *site, struct network *network, struct error *err)
{
	struct vrf *vrf = network->values;
	struct domain domain = vrf_domain(vrf);
	int r;

	vrf->is_adopted = false;
	r = settle_found(site, vrf, err);
	if (r < 0 || (vrf->vni && vrf_refuse_vni(site, vrf->vni, domain.name, err) < 0) ||
	    (r == 0 && settle_table(site, vrf, err) < 0) ||
	    (vrf->vni && settle_tunnel(site, vrf, err) < 0))
		return -1;

	/* What nobody said is as fixed as what somebody did. */
	field_give(&vrf_fields, &vrf->given, AT(vni));
	field_give(&vrf_fields, &vrf->given, AT(targets));
	field_give(&vrf_fields, &vrf->given, AT(imports));
	field_give(&vrf_fields, &vrf->given, AT(is_adopted));

	return settle_mtu(site, vrf, err) < 0 ? -1 : look_at_filter(site, vrf, err);
}
