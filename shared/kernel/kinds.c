// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/kinds.h"

#include <arpa/inet.h>
#include <assert.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"

#define AT(member) offsetof(struct link, member)

/* clang-format off */
static const struct attr common_attrs[] = {
	{ "group",       ATTR_U32,  NEST_LINK,  IFLA_GROUP,               AT(group),       0 },
	{ "alias",       ATTR_TEXT, NEST_LINK,  IFLA_IFALIAS,             AT(alias),       ATTR_LATER | ATTR_OPTIONAL },
	{ "address",     ATTR_MAC,  NEST_LINK,  IFLA_ADDRESS,             AT(mac),         ATTR_OPTIONAL },
	{ "mtu",         ATTR_U32,  NEST_LINK,  IFLA_MTU,                 AT(mtu),         ATTR_OPTIONAL | ATTR_FIT },
	{ "addrgenmode", ATTR_U8,   NEST_INET6, IFLA_INET6_ADDR_GEN_MODE, AT(addrgenmode), ATTR_LATER | ATTR_OPTIONAL },
};

/* The kernel sets these back at every enslavement. */
static const struct attr port_attrs[] = {
	{ "learning",       ATTR_U8, NEST_PORT, IFLA_BRPORT_LEARNING,       AT(port.learning),       ATTR_LATER_ON },
	{ "neigh_suppress", ATTR_U8, NEST_PORT, IFLA_BRPORT_NEIGH_SUPPRESS, AT(port.neigh_suppress), ATTR_LATER },
	{ "isolated",       ATTR_U8, NEST_PORT, IFLA_BRPORT_ISOLATED,       AT(port.isolated),       ATTR_LATER },
	{ "hairpin",        ATTR_U8, NEST_PORT, IFLA_BRPORT_MODE,           AT(port.hairpin),        ATTR_LATER },
	{ "locked",         ATTR_U8, NEST_PORT, IFLA_BRPORT_LOCKED,         AT(port.locked),         ATTR_LATER | ATTR_PROVE },
};

static const struct attr bridge_attrs[] = {
	{ "stp_state",      ATTR_U32, NEST_DATA, IFLA_BR_STP_STATE,      AT(bridge.stp),            0 },
	{ "mcast_snooping", ATTR_U8,  NEST_DATA, IFLA_BR_MCAST_SNOOPING, AT(bridge.mcast_snooping), 0 },
	{ "vlan_filtering", ATTR_U8,  NEST_DATA, IFLA_BR_VLAN_FILTERING, AT(bridge.vlan_filtering), ATTR_LATER | ATTR_FIT },
};

static const struct attr macvlan_attrs[] = {
	{ "mode", ATTR_U32, NEST_DATA, IFLA_MACVLAN_MODE, AT(macvlan.mode), ATTR_FIXED | ATTR_FIT },
};

static const struct attr vlan_attrs[] = {
	{ "id", ATTR_U16, NEST_DATA, IFLA_VLAN_ID, AT(vlan.id), ATTR_FIXED | ATTR_FIT | ATTR_IDENTITY },
};

static const struct attr vrf_attrs[] = {
	{ "table", ATTR_U32, NEST_DATA, IFLA_VRF_TABLE, AT(vrf.table), ATTR_FIXED | ATTR_FIT | ATTR_IDENTITY },
};

static const struct attr vxlan_attrs[] = {
	{ "id",       ATTR_U32,  NEST_DATA, IFLA_VXLAN_ID,       AT(vxlan.id),       ATTR_FIXED | ATTR_FIT | ATTR_IDENTITY },
	{ "local",    ATTR_IP,   NEST_DATA, IFLA_VXLAN_LOCAL,    AT(vxlan.local),    ATTR_FIXED | ATTR_FIT },
	{ "dstport",  ATTR_BE16, NEST_DATA, IFLA_VXLAN_PORT,     AT(vxlan.dstport),  ATTR_FIXED | ATTR_FIT },
	{ "learning", ATTR_U8,   NEST_DATA, IFLA_VXLAN_LEARNING, AT(vxlan.learning), 0 },
};

const struct kind link_common = { "link", common_attrs, COUNT(common_attrs), false };
const struct kind link_port   = { "port", port_attrs,   COUNT(port_attrs),   false };

const struct kind link_kinds[] = {
	[LINK_BRIDGE]  = { "bridge",  bridge_attrs,  COUNT(bridge_attrs),  false },
	[LINK_MACVLAN] = { "macvlan", macvlan_attrs, COUNT(macvlan_attrs), false },
	[LINK_VETH]    = { "veth",    NULL,          0,                    true  },
	[LINK_VLAN]    = { "vlan",    vlan_attrs,    COUNT(vlan_attrs),    false },
	[LINK_VRF]     = { "vrf",     vrf_attrs,     COUNT(vrf_attrs),     false },
	[LINK_VXLAN]   = { "vxlan",   vxlan_attrs,   COUNT(vxlan_attrs),   false },
};
static_assert(COUNT(link_kinds) == LINK_KINDS, "a kind is missing");

static const size_t value_sizes[] = {
	[ATTR_U8]  = sizeof(uint8_t),    [ATTR_U16] = sizeof(uint16_t), [ATTR_BE16] = sizeof(uint16_t),
	[ATTR_U32] = sizeof(uint32_t),   [ATTR_MAC] = sizeof(struct mac), [ATTR_IP] = sizeof(struct ip),
	[ATTR_TEXT] = LINK_ALIAS_SIZE,
};
/* clang-format on */

const struct kind *attrs_of(const struct link *link, size_t i)
{
	const struct kind *tables[] = {
		&link_kinds[link->kind],
		&link_common,
		link->is_port ? &link_port : NULL,
	};

	return i < COUNT(tables) ? tables[i] : NULL;
}

static const void *value_at(const struct attr *attr, const struct link *link)
{
	return (const char *)link + attr->offset;
}

/* Of the numbers only. */
static uint32_t number_of(const struct attr *attr, const struct link *link)
{
	uint16_t u16;
	uint32_t u32;

	switch (value_sizes[attr->type]) {
	case sizeof(uint8_t):
		return *(const uint8_t *)value_at(attr, link);
	case sizeof(uint16_t):
		memcpy(&u16, value_at(attr, link), sizeof(u16));
		return u16;
	default:
		memcpy(&u32, value_at(attr, link), sizeof(u32));
		return u32;
	}
}

bool attr_is_set(const struct attr *attr, const struct link *link)
{
	static const char zero[LINK_ALIAS_SIZE];

	return !(attr->flags & ATTR_OPTIONAL) ||
	       memcmp(value_at(attr, link), zero, value_sizes[attr->type]) != 0;
}

bool attr_equal(const struct attr *attr, const struct link *a, const struct link *b)
{
	const void *x = value_at(attr, a), *y = value_at(attr, b);

	return attr->type == ATTR_TEXT ? strcmp(x, y) == 0
				       : memcmp(x, y, value_sizes[attr->type]) == 0;
}

void attr_copy(const struct attr *attr, struct link *to, const struct link *from)
{
	memcpy((char *)to + attr->offset, value_at(attr, from), value_sizes[attr->type]);
}

void attr_reset(const struct attr *attr, struct link *link)
{
	char *at = (char *)link + attr->offset;

	memset(at, 0, value_sizes[attr->type]);
	if (attr->flags & ATTR_LATER_ON)
		*at = 1;
}

void attr_print(const struct attr *attr, const struct link *link, char *text, size_t size)
{
	char ip[IP_TEXT_SIZE], mac[MAC_TEXT_SIZE];

	switch (attr->type) {
	case ATTR_U8:
	case ATTR_U16:
	case ATTR_BE16:
	case ATTR_U32:
		snprintf(text, size, "%u", number_of(attr, link));
		break;
	case ATTR_MAC:
		mac_print(value_at(attr, link), mac);
		snprintf(text, size, "%s", mac);
		break;
	case ATTR_IP:
		ip_print(value_at(attr, link), ip);
		snprintf(text, size, "%s", ip);
		break;
	case ATTR_TEXT:
		snprintf(text, size, "\"%s\"", (const char *)value_at(attr, link));
		break;
	}
}

int attr_put(struct nl_msg *msg, const struct attr *attr, const struct link *link)
{
	const struct ip *ip;

	switch (attr->type) {
	case ATTR_U8:
		return nla_put_u8(msg, attr->id, (uint8_t)number_of(attr, link));
	case ATTR_U16:
		return nla_put_u16(msg, attr->id, (uint16_t)number_of(attr, link));
	case ATTR_BE16:
		return nla_put_u16(msg, attr->id, htons((uint16_t)number_of(attr, link)));
	case ATTR_U32:
		return nla_put_u32(msg, attr->id, number_of(attr, link));
	case ATTR_MAC:
		return nla_put(msg, attr->id, sizeof(struct mac), value_at(attr, link));
	case ATTR_IP: /* the only one, a vxlan's local address, has an attribute per family */
		ip = value_at(attr, link);
		return nla_put(msg, ip->family == AF_INET6 ? IFLA_VXLAN_LOCAL6 : attr->id,
			       (int)ip_size(ip), ip->bytes);
	case ATTR_TEXT:
		return nla_put_string(msg, attr->id, value_at(attr, link));
	}

	return -1;
}

static void read_ip(const struct nlattr *nla, struct ip *ip)
{
	int len = nla_len(nla);

	if (len != 4 && len != 16)
		return;
	*ip = (struct ip){ .family = len == 4 ? AF_INET : AF_INET6, .prefix = (uint8_t)(len * 8) };
	memcpy(ip->bytes, nla_data(nla), (size_t)len);
}

void attr_read(const struct attr *attr, struct nlattr *head, int len, struct link *link)
{
	char *at = (char *)link + attr->offset;
	const struct nlattr *nla = nla_find(head, len, attr->id);
	uint16_t port;

	if (!nla && attr->type == ATTR_IP)
		nla = nla_find(head, len, IFLA_VXLAN_LOCAL6);
	if (!nla)
		return;

	if (attr->type == ATTR_TEXT) {
		nla_strlcpy(at, nla, LINK_ALIAS_SIZE);
	} else if (attr->type == ATTR_IP) {
		read_ip(nla, (struct ip *)(void *)at);
	} else if (nla_len(nla) >= (int)value_sizes[attr->type]) {
		memcpy(at, nla_data(nla), value_sizes[attr->type]);
		if (attr->type == ATTR_BE16) {
			memcpy(&port, at, sizeof(port));
			port = ntohs(port);
			memcpy(at, &port, sizeof(port));
		}
	}
}
