// SPDX-License-Identifier: Apache-2.0

/* In place of the kernel, with answers that tell something; fuzz.mk says what is in whose place. */

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/address.h"
#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/netns.h"
#include "shared/kernel/sysctl.h"
#include "test/fuzz/fuzz.h"

OURS(link_find);
OURS(link_find_index);
OURS(links_each);
OURS(links_survey);
OURS(address_first);
OURS(netns_call);
OURS(netns_probe);
OURS(sysctl_get);

#define MTU   9000
#define TABLE 10 /* of the VRF hbr */

/* Either namespace: a trunk with a VLAN on it, an uplink, a VRF of somebody else's. */
static const struct link_state there[] = {
	{ .index = 1, .up = true, .kind = "veth", .link = { .name = "tr", .mtu = MTU } },
	{ .index = 2, .up = true, .link = { .name = "eth0", .mtu = MTU } },
	{ .index = 3, .lower = 1, .kind = "vlan", .link = { .name = "tr.7", .vlan = { .id = 7 } } },
	{ .index = 4, .kind = "vrf", .link = { .name = "hbr", .vrf = { .table = TABLE } } },
};

int our_links_each(struct netlink *nl, const struct link *like, link_visit_fn *visit, void *arg,
		   struct error *err)
{
	(void)nl;
	(void)like;
	(void)err;
	for (size_t i = 0; i < COUNT(there); i++) {
		int r = visit(&there[i], arg);

		if (r != 0)
			return r;
	}

	return 0;
}

int our_links_survey(struct netlink *nl, const struct link *like, link_visit_fn *visit, void *arg,
		     struct error *err)
{
	return our_links_each(nl, like, visit, arg, err);
}

/* Whatever is looked for is there, as it should be, but for other VRFs. */
int our_link_find(struct netlink *nl, const struct link *wanted, struct link_state *state,
		  struct error *err)
{
	(void)nl;
	(void)err;
	if (wanted->kind == LINK_VRF && strcmp(wanted->name, "hbr") != 0)
		return 0;
	*state = wanted->kind == LINK_VRF ? there[3]
					  : (struct link_state){ .up = true, .link = *wanted };
	snprintf(state->kind, sizeof(state->kind), "%s", link_kinds[wanted->kind].name);
	state->link.mtu = MTU;

	return 1;
}

int our_link_find_index(struct netlink *nl, const char *name, int *index, struct error *err)
{
	(void)nl;
	(void)name;
	(void)err;
	*index = 1;

	return 1;
}

int our_address_first(struct netlink *nl, int ifindex, int family, struct ip *address,
		      struct error *err)
{
	(void)nl;
	(void)ifindex;
	(void)err;
	*address = (struct ip){ .family = (uint8_t)family,
				.prefix = family == AF_INET ? 32 : 128,
				.bytes = { 10 } };

	return 1;
}

int our_netns_call(const struct netns *ns, int (*fn)(void *arg, struct error *err), void *arg,
		   struct error *err)
{
	(void)ns;

	return fn(arg, err);
}

/* No pod lives any more; what is no whole path proves nothing. */
enum netns_presence our_netns_probe(struct netns *ns, const char *path)
{
	*ns = NETNS_NONE;

	return path[0] == '/' ? NETNS_GONE : NETNS_UNKNOWN;
}

/* Whatever can be on is on. */
int our_sysctl_get(const char *path, long *value, struct error *err)
{
	(void)path;
	(void)err;
	*value = 1;

	return 0;
}

/* Whatever it was called with. */
int fuzz_done(void)
{
	return 0;
}

int fuzz_yes(void)
{
	return 1;
}

/* There is no other way to the kernel. */
#define NEVER(name)                                                 \
	int never_##name(void) __asm__("__wrap_" #name);            \
	int never_##name(void)                                      \
	{                                                           \
		fuzz_expect(false, "nothing of the kernel", #name); \
                                                                    \
		return -1;                                          \
	}

NEVER(netns_open)
NEVER(netlink_open)
NEVER(netlink_request)
NEVER(sysctl_apply)
NEVER(sysctl_set)
