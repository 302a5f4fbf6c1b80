// SPDX-License-Identifier: Apache-2.0
#include "shared/node/node_mtu.h"

/*
 * How large a pod's packets can be (node.h). The kernel does not say: it takes any MTU for a VXLAN
 * without a lower device, and what does not fit the underlay then is lost without a word.
 */

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/kernel/link_find.h"
#include "shared/node/node.h"

#define ETHERNET_MTU 1500
#define POD_MTU_MIN  68 /* IPv4 asks for that much */

/* What is seen of the HBR netns. MTUs of 0: not seen. */
struct survey {
	const struct node *node;
	uint32_t trunk;
	bool trunk_up;
	uint32_t uplink;
	char uplink_name[IFNAMSIZ]; /* of the smallest */
	unsigned named;             /* a bit for each of node->uplinks that is there */
};

/* br.<vni>, which a domain may have found there instead of making it. */
static bool is_domains_bridge(const struct link_state *state)
{
	const char *vni = state->link.name + strlen("br.");

	return strcmp(state->kind, "bridge") == 0 && strncmp(state->link.name, "br.", 3) == 0 &&
	       vni[0] != '\0' && vni[strspn(vni, "0123456789")] == '\0';
}

/* With no uplinks named: what carries packets of its own and is not part of ours. */
static bool may_be_uplink(const struct survey *survey, const struct link_state *state)
{
	const struct link *link = &state->link;

	return state->up && !state->master && strcmp(link->name, "lo") != 0 &&
	       strcmp(state->kind, "dummy") != 0 && strcmp(state->kind, "vrf") != 0 &&
	       strcmp(link->name, survey->node->trunk) != 0 && !is_domains_bridge(state) &&
	       (link->group & LINK_GROUP_MASK) != LINK_GROUP_MARK;
}

static bool is_named(struct survey *survey, const char *name)
{
	for (size_t i = 0; i < survey->node->n_uplinks; i++) {
		if (strcmp(survey->node->uplinks[i], name) == 0) {
			survey->named |= 1u << i;
			return true;
		}
	}

	return false;
}

static int on_link(const struct link_state *state, void *arg)
{
	struct survey *survey = arg;
	const struct link *link = &state->link;

	if (strcmp(link->name, survey->node->trunk) == 0) {
		survey->trunk = link->mtu;
		survey->trunk_up = state->up;
	}
	if (survey->node->n_uplinks ? !is_named(survey, link->name) : !may_be_uplink(survey, state))
		return 0;

	if (!survey->uplink || link->mtu < survey->uplink) {
		survey->uplink = link->mtu;
		memcpy(survey->uplink_name, link->name, sizeof(survey->uplink_name));
	}

	return 0;
}

static int take_survey(struct survey *survey, struct netlink *hbr, struct error *err)
{
	const struct link like = { .kind = LINK_VETH };
	const struct node *node = survey->node;

	if (links_survey(hbr, &like, on_link, survey, err) < 0)
		return -1;
	for (size_t i = 0; i < node->n_uplinks; i++) {
		if (!(survey->named >> i & 1))
			return error_set(err, ERROR_INVALID_CONFIG,
					 "uplinks: the HBR netns has no link %s", node->uplinks[i]);
	}

	return 0;
}

static int limit_by_uplinks(const struct survey *survey, uint8_t vtep_family,
			    struct node_mtu *found, struct error *err)
{
	uint32_t overhead = vtep_family == AF_INET6 ? 70 : 50;
	uint32_t mtu = survey->uplink ? survey->uplink : ETHERNET_MTU;

	if (mtu < overhead + POD_MTU_MIN)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "mtu: the uplink %s of the HBR netns has %u: wanted at least %u",
				 survey->uplink_name, mtu, overhead + POD_MTU_MIN);

	found->mtu = mtu - overhead;
	if (survey->uplink)
		snprintf(found->limit, sizeof(found->limit),
			 "the uplink %s has %u, less %u for VXLAN", survey->uplink_name, mtu,
			 overhead);
	else
		snprintf(found->limit, sizeof(found->limit),
			 "no uplink is up: %u assumed, less %u for VXLAN", mtu, overhead);

	return 0;
}

/* A VLAN on a trunk that is down cannot be set up: say it before anything is made. */
static int check_trunk(const char *key, const char *name, const char *place, bool is_there, bool up,
		       struct error *err)
{
	if (!is_there)
		return error_set(err, ERROR_INVALID_CONFIG, "%s: there is no trunk %s in the %s",
				 key, name, place);
	if (!up)
		return error_set(err, ERROR_TRY_AGAIN,
				 "%s: the trunk %s in the %s is down: wanted it up", key, name,
				 place);

	return 0;
}

static int limit_by_trunk(const struct survey *survey, struct netlink *host, struct node_mtu *found,
			  struct error *err)
{
	const struct node *node = survey->node;
	struct link wanted = { .kind = LINK_VETH };
	struct link_state state = { 0 };
	int r;

	memcpy(wanted.name, node->host_trunk, sizeof(wanted.name));
	r = link_find(host, &wanted, &state, err);
	if (r < 0 ||
	    check_trunk("trunk", node->trunk, "HBR netns", survey->trunk, survey->trunk_up, err) <
		    0 ||
	    check_trunk("hostTrunk", wanted.name, "host", r == 1, state.up, err) < 0)
		return -1;

	if (survey->trunk < found->mtu) {
		found->mtu = survey->trunk;
		snprintf(found->limit, sizeof(found->limit), "the trunk %s has %u", node->trunk,
			 survey->trunk);
	}
	if (state.link.mtu < found->mtu) {
		found->mtu = state.link.mtu;
		snprintf(found->limit, sizeof(found->limit), "the trunk %s of the host has %u",
			 wanted.name, state.link.mtu);
	}

	return 0;
}

int node_find_mtu(const struct node *node, struct netlink *hbr, struct netlink *host,
		  uint8_t vtep_family, struct node_mtu *found, struct error *err)
{
	struct survey survey = { .node = node };
	struct node_mtu mtu = { 0 };

	if (take_survey(&survey, hbr, err) < 0 ||
	    limit_by_uplinks(&survey, vtep_family, &mtu, err) < 0 ||
	    (host && limit_by_trunk(&survey, host, &mtu, err) < 0))
		return -1;
	*found = mtu;

	return 0;
}
