// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/address.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/route/addr.h>
#include <string.h>

#include "shared/kernel/fib.h"

DEFINE_AUTO(struct nl_addr *, cleanup_nl_addr, nl_addr_put);
DEFINE_AUTO(struct rtnl_addr *, cleanup_rtnl_addr, rtnl_addr_put);

#define auto_nl_addr   CLEANUP(cleanup_nl_addr)
#define auto_rtnl_addr CLEANUP(cleanup_rtnl_addr)

static bool has_broadcast(const struct ip *address)
{
	return address->family == AF_INET && address->prefix < 31;
}

/* The last address of an IPv4 network: the kernel has a route to it as long as the network is on
 * a link, with this very prefix length. */
static struct ip broadcast_of(const struct ip *address)
{
	struct ip last = *address;

	for (unsigned bit = address->prefix; bit < 32; bit++)
		last.bytes[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
	last.prefix = 32;

	return last;
}

static int set_ip(struct rtnl_addr *addr, const struct ip *ip,
		  int (*set)(struct rtnl_addr *, struct nl_addr *))
{
	auto_nl_addr struct nl_addr *nl_addr = nl_addr_build(ip->family, ip->bytes, ip_size(ip));

	if (!nl_addr)
		return -ENOMEM;
	nl_addr_set_prefixlen(nl_addr, ip->prefix);

	return set(addr, nl_addr);
}

static struct nl_msg *build_add(int ifindex, const struct ip *address, bool dad, int flags)
{
	auto_rtnl_addr struct rtnl_addr *addr = rtnl_addr_alloc();
	struct nl_msg *msg = NULL;
	struct ip broadcast;

	if (!addr || set_ip(addr, address, rtnl_addr_set_local) < 0)
		return NULL;
	if (has_broadcast(address)) {
		broadcast = broadcast_of(address);
		if (set_ip(addr, &broadcast, rtnl_addr_set_broadcast) < 0)
			return NULL;
	}
	rtnl_addr_set_ifindex(addr, ifindex);
	if (address->family == AF_INET6 && !dad)
		rtnl_addr_set_flags(addr, IFA_F_NODAD);

	return rtnl_addr_build_add_request(addr, NLM_F_CREATE | flags, &msg) < 0 ? NULL : msg;
}

int address_add(struct netlink *nl, int ifindex, const struct ip *address, bool dad,
		struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build_add(ifindex, address, dad, NLM_F_EXCL);
	struct error ignored;
	char text[IP_TEXT_SIZE];
	int r;

	ip_print_cidr(address, text);
	if (!msg)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "add the address %s", text);

	/* The kernel says EEXIST for an IPv6 address with another prefix length, too: look. */
	r = netlink_request(nl, msg, NULL, NULL);
	if (r == 0 || (r == -EEXIST && address_find(nl, ifindex, address, NULL, &ignored) == 1))
		return 0;

	return netlink_error(nl, r, err, "add the address %s", text);
}

int address_repeat(struct netlink *nl, int ifindex, const struct ip *address, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build_add(ifindex, address, false, NLM_F_REPLACE);
	int r = msg ? netlink_request(nl, msg, NULL, NULL) : -ENOMEM;
	char text[IP_TEXT_SIZE];

	ip_print_cidr(address, text);

	return r < 0 ? netlink_error(nl, r, err, "repeat the address %s", text) : 0;
}

/* An address as RTM_NEWADDR tells it. */
struct told {
	int ifindex;
	uint8_t scope;
	uint32_t flags;
	struct ip ip;
};

static bool read_address(struct nl_msg *msg, struct told *told)
{
	const struct ifaddrmsg *ifa = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[IFA_MAX + 1], *nla;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*ifa), tb, IFA_MAX, NULL) < 0)
		return false;

	nla = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS]; /* IFA_ADDRESS can be the peer's */
	if (!nla || nla_len(nla) != (ifa->ifa_family == AF_INET ? 4 : 16))
		return false;

	*told = (struct told){
		.ifindex = (int)ifa->ifa_index,
		.scope = ifa->ifa_scope,
		.flags = tb[IFA_FLAGS] ? nla_get_u32(tb[IFA_FLAGS]) : ifa->ifa_flags,
		.ip = { .family = ifa->ifa_family, .prefix = ifa->ifa_prefixlen },
	};
	memcpy(told->ip.bytes, nla_data(nla), (size_t)nla_len(nla));

	return true;
}

static int on_address(struct nl_msg *msg, void *arg)
{
	return read_address(msg, arg) ? NL_OK : NL_SKIP;
}

static struct nl_msg *build_get(int ifindex, int family, int flags)
{
	struct ifaddrmsg ifa = { .ifa_family = (uint8_t)family, .ifa_index = (uint32_t)ifindex };
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETADDR, flags);

	if (!msg || nlmsg_append(msg, &ifa, sizeof(ifa), NLMSG_ALIGNTO) < 0)
		return NULL;

	return take_ptr(&msg);
}

static int find_ipv6(struct netlink *nl, int ifindex, const struct ip *address, bool *tentative,
		     struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build_get(ifindex, AF_INET6, 0);
	struct told told = { 0 };
	char text[IP_TEXT_SIZE];
	int r;

	ip_print_cidr(address, text);
	if (!msg || nla_put(msg, IFA_ADDRESS, (int)ip_size(address), address->bytes) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "look up the address %s", text);

	r = netlink_request(nl, msg, on_address, &told);
	if (r == -EADDRNOTAVAIL || r == -ENODEV || r == -EOPNOTSUPP) /* the last: no IPv6 */
		return 0;
	if (r < 0)
		return netlink_error(nl, r, err, "look up the address %s", text);
	if (told.flags & IFA_F_DADFAILED)
		return error_set(err, ERROR_CONFLICT,
				 "address %s: another station has it already (duplicate address "
				 "detection failed)",
				 text);
	if (tentative)
		*tentative = told.flags & IFA_F_TENTATIVE;

	return told.ifindex == ifindex && ip_equal(&told.ip, address);
}

/* IPv4 cannot be asked for one address: the routes that come with it are looked for. */
static int find_ipv4(struct netlink *nl, int ifindex, const struct ip *address, struct error *err)
{
	struct ip broadcast = broadcast_of(address);
	struct fib_entry entry;
	int r;

	r = fib_find(nl, address, ifindex, &entry, err);
	if (r != 1 || entry.type != RTN_LOCAL || entry.oif != ifindex)
		return r < 0 ? r : 0;
	if (!has_broadcast(address))
		return 1;

	r = fib_find(nl, &broadcast, ifindex, &entry, err);
	if (r != 1)
		return r;

	return entry.type == RTN_BROADCAST && entry.oif == ifindex;
}

int address_find(struct netlink *nl, int ifindex, const struct ip *address, bool *tentative,
		 struct error *err)
{
	if (address->family == AF_INET6)
		return find_ipv6(nl, ifindex, address, tentative, err);

	if (tentative)
		*tentative = false;

	return find_ipv4(nl, ifindex, address, err);
}

struct first {
	int ifindex;
	struct ip address; /* family 0: none yet */
};

static void forget(void *arg)
{
	struct first *first = arg;

	first->address = (struct ip){ 0 };
}

static int on_first(struct nl_msg *msg, void *arg)
{
	struct first *first = arg;
	struct told told;

	if (first->address.family || !read_address(msg, &told) || told.ifindex != first->ifindex ||
	    told.scope != RT_SCOPE_UNIVERSE || (told.flags & IFA_F_DADFAILED))
		return NL_SKIP;

	first->address = told.ip;
	first->address.prefix = (uint8_t)(8 * ip_size(&told.ip));

	return NL_OK;
}

int address_first(struct netlink *nl, int ifindex, int family, struct ip *address,
		  struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build_get(ifindex, family, NLM_F_DUMP);
	struct first first = { .ifindex = ifindex };
	int r;

	if (!msg)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "list addresses");

	r = netlink_dump(nl, msg, on_first, forget, &first);
	if (r < 0)
		return netlink_error(nl, r, err, "list addresses");
	if (!first.address.family)
		return 0;
	*address = first.address;

	return 1;
}

int address_is_local(struct netlink *nl, const struct ip *address, struct error *err)
{
	struct fib_entry entry;
	int r = fib_find(nl, address, 0, &entry, err);

	return r == 1 ? entry.type == RTN_LOCAL : r;
}
