// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/fib.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

static void read_ip(const struct nlattr *nla, uint8_t family, struct ip *ip)
{
	size_t size = family == AF_INET ? 4 : 16;

	if (nla && (size_t)nla_len(nla) == size) {
		ip->family = family;
		ip->prefix = (uint8_t)(8 * size);
		memcpy(ip->bytes, nla_data(nla), size);
	}
}

static int on_entry(struct nl_msg *msg, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[RTA_MAX + 1];
	struct fib_entry *entry = arg;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return NL_SKIP;

	entry->type = rtm->rtm_type;
	read_ip(tb[RTA_DST], rtm->rtm_family, &entry->dst); /* a default route has none */
	entry->dst.family = rtm->rtm_family;
	entry->dst.prefix = rtm->rtm_dst_len;
	read_ip(tb[RTA_GATEWAY], rtm->rtm_family, &entry->gw);
	entry->oif = tb[RTA_OIF] ? nla_get_s32(tb[RTA_OIF]) : 0;
	entry->priority = tb[RTA_PRIORITY] ? nla_get_u32(tb[RTA_PRIORITY]) : 0;
	entry->table = tb[RTA_TABLE] ? nla_get_u32(tb[RTA_TABLE]) : rtm->rtm_table;

	return NL_OK;
}

static struct nl_msg *build(const struct ip *to, int oif)
{
	struct rtmsg rtm = {
		.rtm_family = to->family,
		.rtm_dst_len = (unsigned char)(8 * ip_size(to)),
		.rtm_flags = RTM_F_FIB_MATCH, /* the table's entry, not the path made of it */
	};
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETROUTE, 0);

	if (!msg || nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO) < 0 ||
	    nla_put(msg, RTA_DST, (int)ip_size(to), to->bytes) < 0 ||
	    (oif && nla_put_s32(msg, RTA_OIF, oif) < 0))
		return NULL;

	return take_ptr(&msg);
}

/* The kernel's ways to say "nowhere": no route, one that refuses, the link down or without IP. */
static bool is_nowhere(int r)
{
	return r == -ENETUNREACH || r == -EHOSTUNREACH || r == -EACCES || r == -EINVAL ||
	       r == -ENODEV || r == -EOPNOTSUPP;
}

int fib_find(struct netlink *nl, const struct ip *to, int oif, struct fib_entry *entry,
	     struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(to, oif);
	struct fib_entry found = { 0 };
	char text[IP_TEXT_SIZE];
	int r;

	ip_print(to, text);
	if (!msg)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "look up the route to %s", text);

	r = netlink_request(nl, msg, on_entry, &found);
	if (r < 0 && !is_nowhere(r))
		return netlink_error(nl, r, err, "look up the route to %s", text);
	if (r == -EHOSTUNREACH || r == -EOPNOTSUPP)
		found.type = RTN_UNREACHABLE;
	*entry = found;
	if (r < 0)
		return 0;

	return 1;
}
