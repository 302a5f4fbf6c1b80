// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The node: /etc/hbr-cni/node.json (or the file that HBR_CNI_NODE names), what a network may
 * override of it, and what it says about the HBR netns: the trunk, the VTEP, the MTU of the
 * underlay. One rule: nothing of a tenant's gets in here but the keys that "overridable" lists.
 */

#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/base/fields.h"
#include "shared/base/parse.h"
#include "shared/kernel/netlink.h"

#define NODE_FILE        "/etc/hbr-cni/node.json"
#define NODE_UPLINKS_MAX 16

enum attach { ATTACH_BRIDGE, ATTACH_MACVLAN, ATTACH_DIRECT };
extern const char *const attach_words[];

enum bridge_netfilter { BRIDGE_NETFILTER_WARN, BRIDGE_NETFILTER_REFUSE, BRIDGE_NETFILTER_IGNORE };

struct node_vtep {
	char dev[IFNAMSIZ]; /* "" when an address is given */
	uint8_t family;     /* AF_INET, AF_INET6 */
	struct ip address;
};

/* FRR, where the VRFs in it are ours to make. */
struct node_frr {
	bool is_ours;
	char vtysh[256];
	char socket_dir[256];
	char template[256]; /* "": our own text */
};

struct node {
	char hbr_netns[256];
	char trunk[IFNAMSIZ];
	char host_trunk[IFNAMSIZ];
	char vrf[IFNAMSIZ];
	unsigned attach; /* enum attach */
	struct node_vtep vtep;
	uint32_t vxlan_port;
	uint32_t mtu; /* 0: found from the underlay */
	char uplinks[NODE_UPLINKS_MAX][IFNAMSIZ];
	size_t n_uplinks; /* 0: found */
	uint32_t vlan_range[2];
	uint32_t table_base;
	uint32_t table_range[2];
	unsigned bridge_netfilter; /* enum bridge_netfilter */
	char state_dir[256];
	struct node_frr frr;
	uint64_t overridable; /* a bit for each row of node_fields */
	char slug[64];        /* of the canonical hbr_netns, see store_slug() */
};

#define FIELD_NODE_ONLY FIELD_USER /* a row of node_fields that no network may override */

extern const struct field_table node_fields;

/*
 * Read the node file (absent: all defaults) and lay the network's "hbr" object over it (NULL:
 * none). -1: ERROR_INVALID_CONFIG; the message names the file, or says that the key is not
 * overridable and who could make it so.
 */
int node_load(struct node *node, json_t *hbr, struct error *err);

/* Its slug is that of this path, whatever hbr_netns is. */
void node_name_hbr(struct node *node, const char *path);

/* The VTEP address of this node, from an address of the HBR netns. Dumps its addresses. */
int node_find_vtep(const struct node *node, struct netlink *hbr, struct ip *vtep,
		   struct error *err);

/*
 * For pods on a bridge of the host's: when bridge-nf-call-iptables is on there, their frames pass
 * the host's FORWARD chain and its connection tracking. Warns, fails (ERROR_CONFLICT) or does
 * nothing, as bridgeNetfilter says.
 */
int node_check_bridge_netfilter(const struct node *node, struct error *err);
