// SPDX-License-Identifier: Apache-2.0

/* What the attributes are called. */

#include <linux/fib_rules.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <string.h>

#include "test/snapshot/attributes.h"

/* { name, form } by number; a table that only its neighbours use is static. */
#define ROWS(name, ...) static const struct row name##_rows[] = { __VA_ARGS__ }
#define TABLE(name, ...)         \
	ROWS(name, __VA_ARGS__); \
	const struct table name = { sizeof(name##_rows) / sizeof(name##_rows[0]), name##_rows }
#define STATIC_TABLE(name, ...)                                                          \
	ROWS(name, __VA_ARGS__);                                                         \
	static const struct table name = { sizeof(name##_rows) / sizeof(name##_rows[0]), \
					   name##_rows }
// clang-format off
#define SKIPPED { "", SKIP, NULL }

STATIC_TABLE(vxlan,
	[IFLA_VXLAN_ID] = { "id", NUMBER, NULL }, [IFLA_VXLAN_GROUP] = { "group", ADDRESS, NULL },
	[IFLA_VXLAN_LINK] = { "dev", LINK, NULL }, [IFLA_VXLAN_LOCAL] = { "local", ADDRESS, NULL },
	[IFLA_VXLAN_TTL] = { "ttl", NUMBER, NULL }, [IFLA_VXLAN_TOS] = { "tos", NUMBER, NULL },
	[IFLA_VXLAN_LEARNING] = { "learning", NUMBER, NULL }, [IFLA_VXLAN_AGEING] = { "ageing", NUMBER, NULL },
	[IFLA_VXLAN_LIMIT] = { "limit", NUMBER, NULL }, [IFLA_VXLAN_PROXY] = { "proxy", NUMBER, NULL },
	[IFLA_VXLAN_RSC] = { "rsc", NUMBER, NULL }, [IFLA_VXLAN_PORT] = { "dstport", PORT, NULL },
	[IFLA_VXLAN_GROUP6] = { "group6", ADDRESS, NULL }, [IFLA_VXLAN_LOCAL6] = { "local6", ADDRESS, NULL },
	[IFLA_VXLAN_DF] = { "df", NUMBER, NULL });

STATIC_TABLE(bridge,
	[IFLA_BR_AGEING_TIME] = { "ageing_time", NUMBER, NULL }, [IFLA_BR_STP_STATE] = { "stp_state", NUMBER, NULL },
	[IFLA_BR_PRIORITY] = { "priority", NUMBER, NULL }, [IFLA_BR_VLAN_FILTERING] = { "vlan_filtering", NUMBER, NULL },
	[IFLA_BR_GROUP_FWD_MASK] = { "group_fwd_mask", NUMBER, NULL },
	[IFLA_BR_HELLO_TIMER] = SKIPPED, [IFLA_BR_TCN_TIMER] = SKIPPED,
	[IFLA_BR_TOPOLOGY_CHANGE_TIMER] = SKIPPED, [IFLA_BR_GC_TIMER] = SKIPPED,
	[IFLA_BR_MCAST_SNOOPING] = { "mcast_snooping", NUMBER, NULL }, [IFLA_BR_MCAST_QUERIER] = { "mcast_querier", NUMBER, NULL },
	[IFLA_BR_VLAN_DEFAULT_PVID] = { "vlan_default_pvid", NUMBER, NULL }, [IFLA_BR_PAD] = SKIPPED,
	[IFLA_BR_MCAST_QUERIER_STATE] = SKIPPED, SKIPPED /* learned entries */);

TABLE(bridge_port,
	[IFLA_BRPORT_STATE] = { "state", NUMBER, NULL }, [IFLA_BRPORT_COST] = { "cost", NUMBER, NULL },
	[IFLA_BRPORT_MODE] = { "hairpin", NUMBER, NULL }, [IFLA_BRPORT_GUARD] = { "guard", NUMBER, NULL },
	[IFLA_BRPORT_LEARNING] = { "learning", NUMBER, NULL }, [IFLA_BRPORT_UNICAST_FLOOD] = { "flood", NUMBER, NULL },
	[IFLA_BRPORT_MCAST_FLOOD] = { "mcast_flood", NUMBER, NULL }, [IFLA_BRPORT_BCAST_FLOOD] = { "bcast_flood", NUMBER, NULL },
	[IFLA_BRPORT_NEIGH_SUPPRESS] = { "neigh_suppress", NUMBER, NULL }, [IFLA_BRPORT_ISOLATED] = { "isolated", NUMBER, NULL },
	[IFLA_BRPORT_LOCKED] = { "locked", NUMBER, NULL }, [IFLA_BRPORT_PAD] = SKIPPED,
	[IFLA_BRPORT_MESSAGE_AGE_TIMER] = SKIPPED, [IFLA_BRPORT_FORWARD_DELAY_TIMER] = SKIPPED,
	[IFLA_BRPORT_HOLD_TIMER] = SKIPPED);

STATIC_TABLE(vlan, [IFLA_VLAN_ID] = { "id", NUMBER, NULL }, [IFLA_VLAN_FLAGS] = { "flags", NUMBER, NULL },
	[IFLA_VLAN_PROTOCOL] = { "protocol", PORT, NULL });
STATIC_TABLE(vrf, [IFLA_VRF_TABLE] = { "table", NUMBER, NULL });
STATIC_TABLE(macvlan, [IFLA_MACVLAN_MODE] = { "mode", NUMBER, NULL }, [IFLA_MACVLAN_BC_QUEUE_LEN_USED] = SKIPPED);
TABLE(no_table, SKIPPED);

STATIC_TABLE(inet6, [IFLA_INET6_FLAGS] = SKIPPED, [IFLA_INET6_CONF] = SKIPPED,
	[IFLA_INET6_STATS] = SKIPPED, [IFLA_INET6_MCAST] = SKIPPED,
	[IFLA_INET6_CACHEINFO] = SKIPPED, [IFLA_INET6_ICMP6STATS] = SKIPPED,
	[IFLA_INET6_TOKEN] = { "token", ADDRESS, NULL }, [IFLA_INET6_ADDR_GEN_MODE] = { "addrgenmode", NUMBER, NULL });
/* The values of AF_INET, and of the rest of AF_INET6, come by name from /proc/sys. */
STATIC_TABLE(families, [AF_INET] = SKIPPED, [AF_INET6] = { "inet6", NEST, &inet6 });
STATIC_TABLE(altnames, [IFLA_ALT_IFNAME] = { "altname", TEXT, NULL });

TABLE(link_table,
	[IFLA_ADDRESS] = { "address", ADDRESS, NULL }, [IFLA_BROADCAST] = { "broadcast", ADDRESS, NULL },
	[IFLA_IFNAME] = SKIPPED, [IFLA_MTU] = { "mtu", NUMBER, NULL }, [IFLA_LINK] = SKIPPED,
	[IFLA_QDISC] = { "qdisc", TEXT, NULL }, [IFLA_STATS] = SKIPPED, [IFLA_STATS64] = SKIPPED,
	[IFLA_MASTER] = { "master", LINK, NULL }, [IFLA_TXQLEN] = { "txqlen", NUMBER, NULL },
	[IFLA_MAP] = SKIPPED, [IFLA_OPERSTATE] = { "operstate", NUMBER, NULL },
	[IFLA_PAD] = SKIPPED /* it comes and goes with the message's alignment */,
	[IFLA_LINKMODE] = { "linkmode", NUMBER, NULL }, [IFLA_LINKINFO] = SKIPPED,
	[IFLA_IFALIAS] = { "alias", TEXT, NULL }, [IFLA_AF_SPEC] = { "af", NEST, &families },
	[IFLA_GROUP] = { "group", NUMBER, NULL }, [IFLA_PROMISCUITY] = { "promiscuity", NUMBER, NULL },
	[IFLA_CARRIER] = { "carrier", NUMBER, NULL }, [IFLA_CARRIER_CHANGES] = SKIPPED,
	[IFLA_LINK_NETNSID] = SKIPPED, [IFLA_PROTO_DOWN] = { "proto_down", NUMBER, NULL },
	[IFLA_CARRIER_UP_COUNT] = SKIPPED, [IFLA_CARRIER_DOWN_COUNT] = SKIPPED,
	[IFLA_MIN_MTU] = { "min_mtu", NUMBER, NULL }, [IFLA_MAX_MTU] = { "max_mtu", NUMBER, NULL },
	[IFLA_PROP_LIST] = { "prop", NEST, &altnames }, [IFLA_PERM_ADDRESS] = { "perm_address", ADDRESS, NULL });

TABLE(bridge_af, [IFLA_BRIDGE_VLAN_INFO] = { "vlan", NUMBER, NULL });

TABLE(address_table,
	[IFA_ADDRESS] = { "address", ADDRESS, NULL }, [IFA_LOCAL] = { "local", ADDRESS, NULL },
	[IFA_LABEL] = { "label", TEXT, NULL }, [IFA_BROADCAST] = { "broadcast", ADDRESS, NULL },
	[IFA_CACHEINFO] = SKIPPED, [IFA_FLAGS] = { "flags", NUMBER, NULL },
	[IFA_RT_PRIORITY] = { "metric", NUMBER, NULL });

TABLE(route_table,
	[RTA_DST] = { "to", ADDRESS, NULL }, [RTA_SRC] = { "from", ADDRESS, NULL }, [RTA_IIF] = { "iif", LINK, NULL },
	[RTA_OIF] = { "dev", LINK, NULL }, [RTA_GATEWAY] = { "via", ADDRESS, NULL },
	[RTA_PRIORITY] = { "metric", NUMBER, NULL }, [RTA_PREFSRC] = { "src", ADDRESS, NULL },
	[RTA_MULTIPATH] = SKIPPED, [RTA_METRICS] = { "metrics", NEST, &no_table }, [RTA_CACHEINFO] = SKIPPED,
	[RTA_TABLE] = { "table", NUMBER, NULL }, [RTA_PREF] = { "pref", NUMBER, NULL });

TABLE(rule_table,
	[FRA_DST] = { "to", ADDRESS, NULL }, [FRA_SRC] = { "from", ADDRESS, NULL }, [FRA_IIFNAME] = { "iif", TEXT, NULL },
	[FRA_PRIORITY] = { "priority", NUMBER, NULL }, [FRA_FWMARK] = { "fwmark", NUMBER, NULL },
	[FRA_TABLE] = { "table", NUMBER, NULL }, [FRA_OIFNAME] = { "oif", TEXT, NULL },
	[FRA_L3MDEV] = { "l3mdev", NUMBER, NULL }, [FRA_PROTOCOL] = { "proto", NUMBER, NULL });

TABLE(neigh_table,
	[NDA_DST] = { "dst", ADDRESS, NULL }, [NDA_LLADDR] = { "lladdr", ADDRESS, NULL }, [NDA_CACHEINFO] = SKIPPED,
	[NDA_PROBES] = SKIPPED, [NDA_VLAN] = { "vlan", NUMBER, NULL }, [NDA_PORT] = { "port", PORT, NULL },
	[NDA_VNI] = { "vni", NUMBER, NULL }, [NDA_IFINDEX] = { "via", LINK, NULL }, [NDA_MASTER] = { "master", LINK, NULL },
	[NDA_LINK_NETNSID] = SKIPPED, [NDA_FLAGS_EXT] = { "ext_flags", NUMBER, NULL });

static const struct {
	const char *kind;
	const struct table *table, *slave; /* of the link's own data, of what its slaves have */
} kinds[] = {
	{ "vxlan", &vxlan, &no_table }, { "bridge", &bridge, &bridge_port }, { "vlan", &vlan, &no_table },
	{ "vrf", &vrf, &vrf }, { "macvlan", &macvlan, &no_table },
};
// clang-format on

const struct table *kind_table(const struct rtattr *kind, bool slave)
{
	for (size_t i = 0; kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(attr_data(kind), kinds[i].kind, RTA_PAYLOAD(kind)) == 0)
			return slave ? kinds[i].slave : kinds[i].table;

	return &no_table;
}
