// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/link.h"

#include <arpa/inet.h>
#include <linux/if_link.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/kinds.h"
#include "test/unit/unit.h"

static void described(const struct link *link, const char *wanted)
{
	char text[512];

	link_describe(link, text, sizeof(text));
	check_str(text, wanted);
}

static struct ip ip_of(const char *text)
{
	struct ip ip;

	check(parse_ip(text, &ip));

	return ip;
}

static void test_describe(void)
{
	struct link vxlan = {
		.kind = LINK_VXLAN,
		.name = "vx.7",
		.master = "br.7",
		.is_port = true,
		.group = LINK_GROUP_MARK | 7,
		.alias = "hbr-cni:x:vxlan:7",
		.mac = { { 2, 0, 0, 0, 0, 7 } },
		.mtu = 1450,
		.addrgenmode = IN6_ADDR_GEN_MODE_NONE,
		.vxlan = { .id = 7, .local = ip_of("192.0.2.1"), .dstport = 4789 },
		.port = { .neigh_suppress = 1 },
	};
	struct link vlan = { .kind = LINK_VLAN, .name = "tr.9", .lower = "tr", .vlan.id = 9 };
	struct link vrf = { .kind = LINK_VRF, .name = "red", .vrf.table = 4294967295 };

	described(&vxlan, "vx.7 type vxlan id 7 local 192.0.2.1 dstport 4789 learning 0 "
			  "group 1744830471 alias \"hbr-cni:x:vxlan:7\" address 02:00:00:00:00:07 "
			  "mtu 1450 addrgenmode 1 learning 0 neigh_suppress 1 isolated 0 hairpin 0 "
			  "locked 0 master br.7");
	vxlan.vxlan.local = ip_of("fd00::1");
	vxlan.is_port = false;
	vxlan.mtu = 0;
	described(&vxlan, "vx.7 type vxlan id 7 local fd00::1 dstport 4789 learning 0 "
			  "group 1744830471 alias \"hbr-cni:x:vxlan:7\" address 02:00:00:00:00:07 "
			  "addrgenmode 1 master br.7");
	/* What is the kernel's choice is not in it. */
	described(&vlan, "tr.9 type vlan id 9 group 0 link tr");
	described(&vrf, "red type vrf table 4294967295 group 0");
}

/* A text that does not fit is cut, and ends. */
static void test_describe_short(void)
{
	struct link vlan = { .kind = LINK_VLAN, .name = "tr.9", .lower = "tr", .vlan.id = 9 };
	char text[16] = "", after[16];

	memset(after, 'x', sizeof(after));
	link_describe(&vlan, text, sizeof(text));
	check(memchr(text, '\0', sizeof(text)));
	check(strncmp(text, "tr.9 type vlan", 12) == 0);
	check(after[0] == 'x');
}

/* Every row goes into a message as it is, and comes out again. */
static void round_trip(const struct attr *attr, const struct link *link)
{
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct link back = { .kind = link->kind };

	check(msg && attr_put(msg, attr, link) == 0);
	attr_read(attr, nlmsg_attrdata(nlmsg_hdr(msg), 0), nlmsg_attrlen(nlmsg_hdr(msg), 0), &back);
	if (!attr_equal(attr, link, &back)) {
		fprintf(stderr, "%s of a %s does not come back\n", attr->name,
			link_kinds[link->kind].name);
		exit(1);
	}
}

static void test_rows(void)
{
	for (enum link_kind kind = 0; kind < LINK_KINDS; kind++) {
		struct link link = { .kind = kind, .is_port = true }, blank = link;
		size_t n = 0;

		/* A pattern in every value: no two attributes share a place, none is zero. */
		for_each_attr(attr, &link) {
			check(attr_equal(attr, &link, &blank));
			if (attr->type == ATTR_TEXT)
				memcpy((char *)&link + attr->offset, "text", sizeof("text"));
			else if (attr->type == ATTR_IP)
				link.vxlan.local = ip_of("fd00::1");
			else
				*((char *)&link + attr->offset) = (char)(1 + n);
			check(attr_is_set(attr, &link) && !attr_equal(attr, &link, &blank));
			n++;
		}
		for_each_attr(attr, &link)
			round_trip(attr, &link);
		check(n >= link_common.n_attrs + link_port.n_attrs);
	}
}

static void test_optional(void)
{
	struct link link = { .kind = LINK_BRIDGE, .is_port = true };
	size_t optional = 0;

	for_each_attr(attr, &link) {
		check(attr_is_set(attr, &link) == !(attr->flags & ATTR_OPTIONAL));
		optional += attr->flags & ATTR_OPTIONAL ? 1 : 0;
	}
	check(optional == 4); /* alias, address, mtu, addrgenmode */
}

/* What a new link has of attributes that come later: learning is on, all else off. */
static void test_reset(void)
{
	struct link link = { .kind = LINK_BRIDGE,
			     .is_port = true,
			     .addrgenmode = 1,
			     .port = { .locked = 1, .isolated = 1 } };

	for_each_attr(attr, &link) {
		if (attr->flags & (ATTR_LATER | ATTR_LATER_ON))
			attr_reset(attr, &link);
	}
	check(link.port.learning == 1 && !link.port.locked && !link.port.isolated);
	check(link.addrgenmode == 0);
}

static void test_ours(void)
{
	const struct link wanted = { .name = "br.7",
				     .group = LINK_GROUP_MARK | 7,
				     .alias = "hbr-cni:a:b" };
	struct link_state state = { .link = wanted };
	struct error err = { 0 };

	check(link_is_ours(&wanted, &state, &err) == 1);
	state.link.group = 0;
	check(link_is_ours(&wanted, &state, &err) == 1);
	state.link.alias[0] = '\0';
	check(link_is_ours(&wanted, &state, &err) == 0);
	/* As after a crash between creation and alias. */
	state.link.group = wanted.group;
	check(link_is_ours(&wanted, &state, &err) == 1);
	snprintf(state.link.alias, sizeof(state.link.alias), "hbr-cni:other:b");
	check_error(
		link_is_ours(&wanted, &state, &err), &err, ERROR_CONFLICT,
		"br.7 belongs to somebody else: it is \"hbr-cni:other:b\", wanted \"hbr-cni:a:b\"");
	state.link.group = LINK_GROUP_MARK | 8;
	check(link_is_ours(&wanted, &state, &err) == 0);
}

int main(void)
{
	test_describe();
	test_describe_short();
	test_rows();
	test_optional();
	test_reset();
	test_ours();

	return 0;
}
