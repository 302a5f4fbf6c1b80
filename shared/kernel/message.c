// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/message.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <string.h>
#include <sys/socket.h>

bool message_has(const struct attr *attr, const struct link *link, const struct link *differs)
{
	if (!attr_is_set(attr, link))
		return false;

	return differs ? !attr_equal(attr, link, differs)
		       : !(attr->flags & (ATTR_LATER | ATTR_LATER_ON));
}

static int put_peer(struct nl_msg *msg, const struct link *link)
{
	struct ifinfomsg ifi = { 0 };
	struct nlattr *peer = nla_nest_start(msg, VETH_INFO_PEER);

	if (!peer || nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO) < 0 ||
	    nla_put_string(msg, IFLA_IFNAME, link->peer.name) < 0 ||
	    nla_put_u32(msg, IFLA_GROUP, link->group) < 0 ||
	    nla_put_s32(msg, IFLA_NET_NS_FD, link->netns) < 0 ||
	    (mac_is_set(&link->peer.mac) &&
	     nla_put(msg, IFLA_ADDRESS, sizeof(link->peer.mac), &link->peer.mac) < 0) ||
	    (link->mtu && nla_put_u32(msg, IFLA_MTU, link->mtu) < 0))
		return -1;

	return nla_nest_end(msg, peer);
}

static int put_attrs(struct nl_msg *msg, enum attr_nest nest, const struct link *link,
		     const struct link *differs)
{
	for_each_attr(attr, link) {
		if (attr->nest == nest && message_has(attr, link, differs) &&
		    attr_put(msg, attr, link) < 0)
			return -1;
	}

	return 0;
}

static bool any(enum attr_nest nest, const struct link *link, const struct link *differs)
{
	for_each_attr(attr, link) {
		if (attr->nest == nest && message_has(attr, link, differs))
			return true;
	}

	return false;
}

/* IFLA_LINKINFO: the kind with its attributes, and those of a bridge's port. */
static int put_info(struct nl_msg *msg, const struct link *link, const struct link *differs)
{
	bool data = !differs || any(NEST_DATA, link, differs);
	bool port = any(NEST_PORT, link, differs);
	struct nlattr *info, *nest;

	if (!data && !port)
		return 0;

	info = nla_nest_start(msg, IFLA_LINKINFO);
	if (!info)
		return -1;
	if (data) {
		/* A kind without its attributes is refused: not even named when none changes. */
		if (nla_put_string(msg, IFLA_INFO_KIND, link_kinds[link->kind].name) < 0)
			return -1;
		nest = nla_nest_start(msg, IFLA_INFO_DATA);
		if (!nest || put_attrs(msg, NEST_DATA, link, differs) < 0 ||
		    (!differs && link->kind == LINK_VETH && put_peer(msg, link) < 0))
			return -1;
		nla_nest_end(msg, nest);
	}
	if (port) {
		if (nla_put_string(msg, IFLA_INFO_SLAVE_KIND, "bridge") < 0)
			return -1;
		nest = nla_nest_start(msg, IFLA_INFO_SLAVE_DATA);
		if (!nest || put_attrs(msg, NEST_PORT, link, differs) < 0)
			return -1;
		nla_nest_end(msg, nest);
	}
	nla_nest_end(msg, info);

	return 0;
}

static int put_inet6(struct nl_msg *msg, const struct link *link, const struct link *differs)
{
	struct nlattr *spec, *inet6;

	if (!any(NEST_INET6, link, differs))
		return 0;

	spec = nla_nest_start(msg, IFLA_AF_SPEC);
	inet6 = spec ? nla_nest_start(msg, AF_INET6) : NULL;
	if (!inet6 || put_attrs(msg, NEST_INET6, link, differs) < 0)
		return -1;
	nla_nest_end(msg, inet6);
	nla_nest_end(msg, spec);

	return 0;
}

int message_put_new(struct nl_msg *msg, const struct link *link, int lower, int master)
{
	const char *name = link->made_as[0] ? link->made_as : link->name;

	if (nla_put_string(msg, IFLA_IFNAME, name) < 0 ||
	    (link->made_as[0] && nla_put_s32(msg, IFLA_NET_NS_FD, link->netns) < 0) ||
	    (lower && nla_put_s32(msg, IFLA_LINK, lower) < 0) ||
	    (master && nla_put_s32(msg, IFLA_MASTER, master) < 0) ||
	    put_attrs(msg, NEST_LINK, link, NULL) < 0)
		return -1;

	return put_info(msg, link, NULL);
}

static bool is_renamed(const struct link *link, const struct link *differs)
{
	return strcmp(link->name, differs->name) != 0;
}

bool message_is_needed(const struct link *link, const struct link *differs)
{
	if (is_renamed(link, differs))
		return true;
	for (enum attr_nest nest = 0; nest < NESTS; nest++) {
		if (any(nest, link, differs))
			return true;
	}

	return false;
}

int message_put_change(struct nl_msg *msg, const struct link *link, const struct link *differs)
{
	if ((is_renamed(link, differs) && nla_put_string(msg, IFLA_IFNAME, link->name) < 0) ||
	    put_attrs(msg, NEST_LINK, link, differs) < 0 || put_info(msg, link, differs) < 0)
		return -1;

	return put_inet6(msg, link, differs);
}
