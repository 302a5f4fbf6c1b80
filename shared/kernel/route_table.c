// SPDX-License-Identifier: Apache-2.0
/*
 * The end of a routing table (address.h): a look-up that finds nothing in a VRF's table goes on
 * in the main one, and a tenant's packet leaves by the underlay. This route is found last, before
 * that. The kernel keeps it when the VRF goes.
 */
#include <errno.h>
#include <linux/rtnetlink.h>

#include "shared/kernel/fib.h"
#include "shared/kernel/route.h"

#define WORST                                                                               \
	4278198272u /* the metric that nobody's real route has: 255 and 8192, as FRR counts \
		     */

static struct nl_msg *build(int type, int flags, uint8_t family, uint32_t table)
{
	struct rtmsg rtm = {
		.rtm_family = family,
		.rtm_table = RT_TABLE_UNSPEC,
		.rtm_protocol = ROUTE_PROTOCOL,
		.rtm_scope = RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_UNREACHABLE,
	};
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO) < 0 ||
	    nla_put_u32(msg, RTA_TABLE, table) < 0 || nla_put_u32(msg, RTA_PRIORITY, WORST) < 0)
		return NULL;

	return take_ptr(&msg);
}

static int request(struct netlink *nl, int type, int flags, uint8_t family, uint32_t table)
{
	auto_nl_msg struct nl_msg *msg = build(type, flags, family, table);

	return msg ? netlink_request(nl, msg, NULL, NULL) : -ENOMEM;
}

static const uint8_t families[] = { AF_INET, AF_INET6 };

int route_close_table(struct netlink *nl, uint32_t table, struct error *err)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		int r = request(nl, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, families[i], table);

		/* A kernel without IPv6 has nothing to close. */
		if (r < 0 && r != -EEXIST && r != -EAFNOSUPPORT && r != -EOPNOTSUPP)
			return netlink_error(nl, r, err, "add the unreachable default to table %u",
					     table);
	}

	return 0;
}

int route_open_table(struct netlink *nl, uint32_t table, struct error *err)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		int r = request(nl, RTM_DELROUTE, 0, families[i], table);

		if (r < 0 && r != -ESRCH && r != -ENOENT && r != -EAFNOSUPPORT && r != -EOPNOTSUPP)
			return netlink_error(nl, r, err,
					     "remove the unreachable default of table %u", table);
	}

	return 0;
}

/* Addresses that nobody routes: only a default can be meant for them. */
int route_table_is_closed(struct netlink *nl, uint32_t table, int vrf, struct error *err)
{
	static const char *const nobodys[] = { "240.0.0.1", "100::1" };
	struct fib_entry entry;
	struct ip to;

	for (size_t i = 0; i < COUNT(nobodys); i++) {
		if (!parse_ip(nobodys[i], &to) || fib_find(nl, &to, vrf, &entry, err) < 0)
			return -1;
		if (entry.type != RTN_UNREACHABLE && entry.table != table)
			return 0;
	}

	return 1;
}
