// SPDX-License-Identifier: Apache-2.0
#include "shared/node/vrf.h"

#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/netns.h"
#include "shared/kernel/route.h"
#include "shared/kernel/sysctl.h"
#include "shared/node/frr.h"

struct link vrf_link(const struct node *node, const struct vrf *vrf)
{
	struct link link = {
		.kind = LINK_VRF,
		.place = PLACE_HBR,
		.group = LINK_GROUP_MARK | vrf_key(vrf),
		.vrf = { .table = vrf->table },
		.is_foreign = vrf->is_adopted,
	};

	memcpy(link.name, vrf->name, sizeof(link.name));
	snprintf(link.alias, sizeof(link.alias), "hbr-cni:%s:vrf:%s", node->slug, vrf->name);

	return link;
}

uint32_t vrf_key(const struct vrf *vrf)
{
	return (vrf->vni ? vrf->vni : vrf->table) & ~LINK_GROUP_MASK;
}

/* Of a node, for all its L3VNIs: other nodes keep it per VTEP, and one that changes loses packets.
 */
static struct mac router_mac(const struct vrf *vrf)
{
	char local[IP_TEXT_SIZE];
	const char *const parts[] = { "router", local };

	ip_print(&vrf->local, local);

	return mac_from_hash(hash_parts(parts, COUNT(parts)));
}

/* Not the router's: FRR takes a vxlan that has the same as its bridge for another router. */
static struct mac vxlan_mac(const struct vrf *vrf)
{
	char vni[16], local[IP_TEXT_SIZE];
	const char *const parts[] = { "l3-vxlan", vni, local };

	snprintf(vni, sizeof(vni), "%u", vrf->vni);
	ip_print(&vrf->local, local);

	return mac_from_hash(hash_parts(parts, COUNT(parts)));
}

static struct link tunnel_link(const struct node *node, const struct vrf *vrf, enum link_kind kind,
			       const char *role)
{
	struct link link = {
		.kind = kind,
		.place = PLACE_HBR,
		.group = LINK_GROUP_MARK | vrf_key(vrf),
		.mtu = vrf->mtu,
		.addrgenmode = IN6_ADDR_GEN_MODE_NONE,
		.is_late = true,
	};

	snprintf(link.alias, sizeof(link.alias), "hbr-cni:%s:%s:%u", node->slug, role, vrf->vni);

	return link;
}

static size_t list_links(const struct node *node, const void *values, struct link *links)
{
	const struct vrf *vrf = values;
	struct link *bridge = &links[1], *vxlan = &links[2];

	links[0] = vrf_link(node, vrf);
	if (!vrf->vni)
		return 1;

	*bridge = tunnel_link(node, vrf, LINK_BRIDGE, "l3-bridge");
	snprintf(bridge->name, sizeof(bridge->name), "br.%u", vrf->vni);
	memcpy(bridge->master, vrf->name, sizeof(bridge->master));
	bridge->mac = router_mac(vrf);
	bridge->mac_counts = true;

	*vxlan = tunnel_link(node, vrf, LINK_VXLAN, "l3-vxlan");
	snprintf(vxlan->name, sizeof(vxlan->name), "vx.%u", vrf->vni);
	memcpy(vxlan->master, bridge->name, sizeof(vxlan->master));
	vxlan->is_port = true;
	vxlan->mac = vxlan_mac(vrf);
	vxlan->vxlan.id = vrf->vni;
	vxlan->vxlan.local = vrf->local;
	vxlan->vxlan.dstport = (uint16_t)vrf->vxlan_port;

	return 3;
}

/* What FRR is told of it; the lists belong to the caller. */
struct told {
	struct frr_vrf frr;
	json_t *targets, *imports;
};

static void told_free(struct told *told)
{
	json_decref(told->targets);
	json_decref(told->imports);
}

static json_t *dump(const struct field_type *type, const void *at)
{
	return type->dump(NULL, at);
}

static int tell(const struct vrf *vrf, struct told *told, struct error *err)
{
	*told = (struct told){
		.frr = { .name = vrf->name, .vni = vrf->vni, .router_id = vrf->local },
		.targets = dump(&field_route_targets, &vrf->targets),
		.imports = dump(&field_vrf_names, &vrf->imports),
	};
	if (!told->targets || !told->imports)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe the VRF %s", vrf->name);
	told->frr.route_targets = told->targets;
	told->frr.import_vrfs = told->imports;

	return 0;
}

typedef int frr_fn(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
		   struct error *err);

static int call_frr(const struct site *site, const struct vrf *vrf, frr_fn *call, struct error *err)
{
	CLEANUP(told_free) struct told told = { 0 };

	if (!site->node->frr.is_ours || vrf->is_untouched)
		return 0;

	return tell(vrf, &told, err) < 0 ? -1 : call(site->node, site->store, &told.frr, err);
}

static int remember_told(const struct site *site, struct vrf *vrf, uint32_t start,
			 struct error *err)
{
	const struct domain domain = vrf_domain(vrf);

	if (vrf->told == start)
		return 0;
	vrf->told = start;
	field_give(&vrf_fields, &vrf->given, offsetof(struct vrf, told));

	return domain_remember(&domain, site, err);
}

/* What other nodes send comes in by the L3VNI, whatever way leads back. */
static int open_tunnel(const struct site *site, const struct vrf *vrf, struct error *err)
{
	static const struct sysctl_of_link settings[] = {
		{ "ipv4", "forwarding", "1", true },
		{ "ipv4", "rp_filter", "0", false },
		{ "ipv6", "accept_ra", "0", false },
	};
	char bridge[IFNAMSIZ];
	struct sysctl_link link = { bridge, settings, COUNT(settings) };

	if (!vrf->vni)
		return 0;
	snprintf(bridge, sizeof(bridge), "br.%u", vrf->vni);

	return netns_call(site->hbr, sysctl_apply, &link, err);
}

/* Which FRR there is to be told of it; 0: none. Taken before it is asked or told: one that starts
 * meanwhile is another one. */
static uint32_t start_of_frr(const struct site *site, const struct vrf *vrf)
{
	return site->node->frr.is_ours && !vrf->is_adopted ? frr_start_id(site->node) : 0;
}

static int finish(const struct site *site, void *values, struct error *err)
{
	struct vrf *vrf = values;
	CLEANUP(told_free) struct told told = { 0 };
	uint32_t start = start_of_frr(site, vrf);
	bool touched = false;
	int r;

	if (vrf->is_adopted)
		return 0;
	if (open_tunnel(site, vrf, err) < 0 ||
	    route_close_table(&site->nl[PLACE_HBR], vrf->table, err) < 0)
		return -1;
	if (!site->node->frr.is_ours)
		return 0;
	if (tell(vrf, &told, err) < 0)
		return -1;
	r = frr_provision(site->node, site->store, &told.frr, &touched, err);
	vrf->is_untouched = !touched;

	return r < 0 ? -1 : remember_told(site, vrf, start, err);
}

/* Is FRR to be asked? One that is not running cannot be told, but whoever doubts wants to know. */
static bool is_doubtful(const struct site *site, const struct vrf *vrf, uint32_t start)
{
	if (site->doubts_frr)
		return site->node->frr.is_ours && !vrf->is_adopted;

	return start && start != vrf->told;
}

/* 1: FRR started anew and does not have it any more; one that was started with its own memory of it
 * has it. */
static int is_forgotten(const struct site *site, const struct vrf *vrf, uint32_t start,
			struct error *err)
{
	CLEANUP(told_free) struct told told = { 0 };
	int r;

	if (!is_doubtful(site, vrf, start))
		return 0;
	if (tell(vrf, &told, err) < 0)
		return -1;
	r = frr_has(site->node, &told.frr, err);

	return r < 0 ? -1 : !r;
}

/* FRR then takes its L3VNI for that of an L2 domain, unless the links are down. */
static int has_lost(const struct site *site, void *values, struct error *err)
{
	struct vrf *vrf = values;
	uint32_t start = start_of_frr(site, vrf);
	int r = is_forgotten(site, vrf, start, err);

	return r != 0 || !start ? r : remember_told(site, vrf, start, err);
}

/*
 * Is it ours to take back what FRR and the table were given for it? By its mark as long as it is
 * there, by what is remembered when not.
 */
static int is_ours(const struct site *site, const struct vrf *vrf, struct error *err)
{
	struct link wanted = vrf_link(site->node, vrf);
	struct link_state state;
	struct error foreign;
	int r;

	if (vrf->is_adopted || !site->nl[PLACE_HBR].sock)
		return 0;
	r = link_find(&site->nl[PLACE_HBR], &wanted, &state, err);
	if (r == 1)
		return link_is_ours(&wanted, &state, &foreign) == 1;

	return r < 0 ? -1 : vrf->mtu != 0;
}

/* Without its VRF a VNI is an L2 domain's for FRR, which announces it if it is up. */
static int withdraw(const struct site *site, const struct vrf *vrf, struct error *err)
{
	struct link links[LINKS_MAX];

	if (!site->node->frr.is_ours || vrf->is_untouched)
		return 0;
	if (links_stop(site->nl, links, list_links(site->node, vrf, links), err) < 0)
		return -1;

	return call_frr(site, vrf, frr_withdraw, err);
}

static int undo(const struct site *site, void *values, struct error *err)
{
	struct vrf *vrf = values;
	int r = is_ours(site, vrf, err);

	vrf->is_going = r == 1;

	return r == 1 ? withdraw(site, vrf, err) : r;
}

static int clear(const struct site *site, void *values, struct error *err)
{
	const struct vrf *vrf = values;

	if (!vrf->is_going)
		return 0;
	if (vrf->table && route_open_table(&site->nl[PLACE_HBR], vrf->table, err) < 0)
		return -1;

	return call_frr(site, vrf, frr_forget, err);
}

static int recover(const struct site *site, void *values, struct error *err)
{
	struct vrf *vrf = values;
	struct link wanted = vrf_link(site->node, vrf);
	struct link_state state;
	int r;

	if (!site->nl[PLACE_HBR].sock)
		return 0;
	r = link_find(&site->nl[PLACE_HBR], &wanted, &state, err);
	if (r <= 0 || strcmp(state.kind, "vrf") != 0)
		return r < 0 ? -1 : 0;
	vrf->table = state.link.vrf.table;
	/* Without a VNI the mark has the table's lower bits. Which of the two it is does not matter
	 * here: what it may have had, links and words in FRR, is looked for, and is known as ours.
	 */
	if ((state.link.group & LINK_GROUP_MASK) == LINK_GROUP_MARK)
		vrf->vni = state.link.group & ~LINK_GROUP_MASK;

	return 0;
}

static const struct domain_kind kind = {
	.flag = FIELD_USER,
	.settle = vrf_settle,
	.links = list_links,
	.finish = finish,
	.undo = undo,
	.clear = clear,
	.has_lost = has_lost,
	.recover = recover,
};

struct domain vrf_domain(struct vrf *vrf)
{
	struct domain domain = DOMAIN(&kind, &vrf_fields, vrf, &vrf->given);

	snprintf(domain.name, sizeof(domain.name), "vrf-%s", vrf->name);
	snprintf(domain.title, sizeof(domain.title), "the VRF %s", vrf->name);

	return domain;
}

void vrf_recover(const struct site *site, const struct link_state *slave, struct vrf *vrf)
{
	if (site->nl[PLACE_HBR].sock && slave->master)
		link_print_name(&site->nl[PLACE_HBR], slave->master, vrf->name);
}

int vrf_verify(const struct site *site, const struct vrf *vrf, struct error *err)
{
	struct netlink *hbr = &site->nl[PLACE_HBR];
	int index, r;

	if (vrf->is_adopted)
		return 0;
	if (link_get_index(hbr, vrf->name, &index, err) < 0)
		return -1;
	r = route_table_is_closed(hbr, vrf->table, index, err);
	if (r == 0)
		return error_set(err, ERROR_CHECK,
				 "the VRF %s in the HBR netns has lost its unreachable default: "
				 "what table %u does not know leaves by the main one",
				 vrf->name, vrf->table);
	if (r < 0)
		return -1;
	r = is_forgotten(site, vrf, start_of_frr(site, vrf), err);
	if (r == 1)
		return error_set(err, ERROR_CHECK,
				 "FRR was started anew and has lost the VRF %s: the next ADD to it "
				 "tells FRR again",
				 vrf->name);

	return r;
}
