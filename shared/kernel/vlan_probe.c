// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/vlan_probe.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "shared/kernel/link_find.h"

/* A flag that there is not: the kernel looks for it after it has looked for the VLAN, and before it
 * makes anything. */
static const struct ifla_vlan_flags impossible = { .flags = 0, .mask = 1u << 31 };

static struct nl_msg *build(int lower, uint16_t id, const char *name)
{
	auto_nl_msg struct nl_msg *msg =
		link_message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 0, 0, 0);
	struct nlattr *info, *data;

	if (!msg || nla_put_string(msg, IFLA_IFNAME, name) < 0 ||
	    nla_put_s32(msg, IFLA_LINK, lower) < 0)
		return NULL;
	info = nla_nest_start(msg, IFLA_LINKINFO);
	if (!info || nla_put_string(msg, IFLA_INFO_KIND, "vlan") < 0)
		return NULL;
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	if (!data || nla_put_u16(msg, IFLA_VLAN_ID, id) < 0 ||
	    nla_put(msg, IFLA_VLAN_FLAGS, sizeof(impossible), &impossible) < 0)
		return NULL;
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);

	return take_ptr(&msg);
}

int vlan_probe(struct netlink *nl, int lower, uint16_t id, const char *name, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(lower, id, name);
	int r = msg ? netlink_request(nl, msg, NULL, NULL) : -ENOMEM;

	switch (r) {
	case -EEXIST:
		return 0;
	case -EINVAL: /* that flag */
	case -EOPNOTSUPP:
	case -EPERM: /* whoever makes it will say so */
		return 1;
	default:
		return netlink_error(nl, r, err, "look for the VLAN %s", name);
	}
}
