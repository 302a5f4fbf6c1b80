// SPDX-License-Identifier: Apache-2.0

/* What rtnetlink tells of a namespace. */

#include <err.h>
#include <linux/fib_rules.h>
#include <linux/if_bridge.h>
#include <linux/neighbour.h>
#include <linux/net_namespace.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "test/snapshot/attributes.h"

#define BUFFER_SIZE (256u << 10)
#define LOWER_UP    0x10000 /* IFF_LOWER_UP, in a header that cannot stand beside net/if.h */

/* Dumps. The body of each message of rtnetlink is a header of some size, then attributes. */
typedef void visit_fn(struct place *place, const void *header, const struct rtattr *attrs,
		      size_t size);

struct request {
	struct nlmsghdr nlh;
	char body[64];
};

static void send_request(const struct place *place, struct request *request, int type, int flags,
			 size_t size)
{
	request->nlh.nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
	request->nlh.nlmsg_type = (uint16_t)type;
	request->nlh.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	if (send(place->sock, request, request->nlh.nlmsg_len, 0) < 0)
		err(1, "%s: send", place->name);
}

static const struct nlmsghdr *message_next(const struct nlmsghdr *nlh, unsigned *left)
{
	unsigned size = NLMSG_ALIGN(nlh->nlmsg_len);

	*left -= size < *left ? size : *left;

	return (const void *)((const char *)nlh + size);
}

/* header: its size, aligned. 0 at the end, 1 when a change meanwhile made it worthless. */
static int receive_dump(struct place *place, size_t header, visit_fn *visit)
{
	static char buffer[BUFFER_SIZE] __attribute__((aligned(8)));
	int interrupted = 0;

	for (;;) {
		ssize_t got = recv(place->sock, buffer, sizeof(buffer), 0);
		unsigned left = (unsigned)got;

		if (got < 0)
			err(1, "%s: receive", place->name);
		for (const struct nlmsghdr *nlh = (const void *)buffer; NLMSG_OK(nlh, left);
		     nlh = message_next(nlh, &left)) {
			const char *body = (const char *)(nlh + 1);

			interrupted |= (nlh->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
			/* A family that the kernel was built without has nothing to tell. */
			if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR)
				return interrupted;
			visit(place, body, (const void *)(body + header),
			      NLMSG_PAYLOAD(nlh, header));
		}
	}
}

static void dump(struct place *place, int type, const void *body, size_t size, size_t header,
		 visit_fn *visit)
{
	size_t mark = lines_mark(), n_links = place->n_links;
	struct request request;

	do {
		lines_reset(mark);
		place->n_links = n_links;
		memset(&request, 0, sizeof(request));
		memcpy(request.body, body, size);
		send_request(place, &request, type, NLM_F_DUMP, size);
	} while (receive_dump(place, NLMSG_ALIGN(header), visit));
}

static void on_index(struct place *place, const void *header, const struct rtattr *attrs,
		     size_t size)
{
	const struct ifinfomsg *info = header;
	const struct rtattr *name = attr_find(attrs, size, IFLA_IFNAME);

	if (place->n_links == LINKS_MAX)
		errx(1, "%s: more than %d links", place->name, LINKS_MAX);
	place->links[place->n_links].index = info->ifi_index;
	place->links[place->n_links].flags = info->ifi_flags;
	snprintf(place->links[place->n_links++].name, IFNAMSIZ, "%s",
		 (const char *)attr_data(name));
}

int read_nsid(const struct place *place, int fd)
{
	const size_t header = NLMSG_ALIGN(sizeof(struct rtgenmsg));
	struct request request = { 0 };
	struct rtattr *attr = (void *)(request.body + header);
	char reply[512] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh = (const void *)reply;
	const struct rtattr *found;

	attr->rta_type = NETNSA_FD;
	attr->rta_len = RTA_LENGTH(sizeof(fd));
	memcpy(attr + 1, &fd, sizeof(fd));
	send_request(place, &request, RTM_GETNSID, 0, header + attr->rta_len);
	if (recv(place->sock, reply, sizeof(reply), 0) < 0)
		err(1, "%s: receive", place->name);
	if (nlh->nlmsg_type == NLMSG_ERROR)
		return -1;
	found = attr_find((const void *)(reply + NLMSG_LENGTH(header)), NLMSG_PAYLOAD(nlh, header),
			  NETNSA_NSID);

	return found ? attr_int(found) : -1;
}

/* Peers and lower links may be in another namespace; the numbers are the other one's. */
static void put_lower(struct sink *sink, const struct rtattr *attrs, size_t size)
{
	const struct rtattr *lower = attr_find(attrs, size, IFLA_LINK);
	const struct rtattr *nsid = attr_find(attrs, size, IFLA_LINK_NETNSID);
	const struct place *place = sink->place;
	char value[128];

	if (!lower)
		return;
	if (nsid)
		place = place_by_nsid(place, attr_int(nsid));
	snprintf(value, sizeof(value), "%s/%s", place ? place->name : "elsewhere",
		 place ? link_name(place, attr_int(lower)) : "");
	sink_put(sink, "", "lower", value);
}

static void put_info(struct sink *sink, const struct rtattr *info, bool slave)
{
	const struct rtattr *attrs = attr_data(info);
	size_t size = RTA_PAYLOAD(info);
	const struct rtattr *kind =
		attr_find(attrs, size, slave ? IFLA_INFO_SLAVE_KIND : IFLA_INFO_KIND);
	const struct rtattr *data =
		attr_find(attrs, size, slave ? IFLA_INFO_SLAVE_DATA : IFLA_INFO_DATA);
	const struct table *table = kind_table(kind, slave);

	if (kind)
		sink_put(sink, slave ? "port." : "", "kind", attr_data(kind));
	if (kind && data)
		sink_put_attrs(sink, slave ? "port." : "data.", attr_data(data), RTA_PAYLOAD(data),
			       table);
}

static void on_link(struct place *place, const void *header, const struct rtattr *attrs,
		    size_t size)
{
	const struct ifinfomsg *info = header;
	const struct rtattr *linkinfo = attr_find(attrs, size, IFLA_LINKINFO);
	struct sink sink = { .place = place };
	char start[128];

	snprintf(start, sizeof(start), "%s link %s", place->name,
		 link_name(place, info->ifi_index));
	sink.start = start;
	/* Running and carrier have attributes of their own. */
	line("%s flags %#x", start, info->ifi_flags & ~(unsigned)(IFF_RUNNING | LOWER_UP));
	line("%s type %u", start, info->ifi_type);
	put_lower(&sink, attrs, size);
	sink_put_attrs(&sink, "", attrs, size, &link_table);
	if (linkinfo) {
		put_info(&sink, linkinfo, false);
		put_info(&sink, linkinfo, true);
	}
}

static void on_bridge_vlan(struct place *place, const void *header, const struct rtattr *attrs,
			   size_t size)
{
	const struct ifinfomsg *info = header;
	const struct rtattr *spec = attr_find(attrs, size, IFLA_AF_SPEC);
	struct sink sink = { .place = place };
	char start[128];

	if (!spec)
		return;
	snprintf(start, sizeof(start), "%s bridge-vlan %s", place->name,
		 link_name(place, info->ifi_index));
	sink.start = start;
	sink_put_attrs(&sink, "", attr_data(spec), RTA_PAYLOAD(spec), &bridge_af);
}

static void on_address(struct place *place, const void *header, const struct rtattr *attrs,
		       size_t size)
{
	const struct ifaddrmsg *ifa = header;
	const struct rtattr *cache = attr_find(attrs, size, IFA_CACHEINFO);
	const struct ifa_cacheinfo *life = cache ? attr_data(cache) : NULL;
	struct sink sink = { .place = place };

	sink_put_attrs(&sink, "", attrs, size, &address_table);
	line("%s address %s family %u%s prefix %u scope %u valid %s", place->name,
	     link_name(place, (int)ifa->ifa_index), ifa->ifa_family, sink.text, ifa->ifa_prefixlen,
	     ifa->ifa_scope, !life || life->ifa_valid == UINT32_MAX ? "forever" : "limited");
}

/* Next hops of a route with several: their own attributes, one after the other. */
static void put_hops(struct sink *sink, const struct rtattr *multipath)
{
	const char *at = attr_data(multipath), *end = at + RTA_PAYLOAD(multipath);

	while (at + sizeof(struct rtnexthop) <= end) {
		const struct rtnexthop *hop = (const void *)at;

		sink_add(sink, " hop dev %s weight %u", link_name(sink->place, hop->rtnh_ifindex),
			 hop->rtnh_hops);
		sink_put_attrs(sink, "", (const void *)(hop + 1), hop->rtnh_len - sizeof(*hop),
			       &route_table);
		at += NLMSG_ALIGN(hop->rtnh_len);
	}
}

static void on_route(struct place *place, const void *header, const struct rtattr *attrs,
		     size_t size)
{
	const struct rtmsg *rtm = header;
	const struct rtattr *multipath = attr_find(attrs, size, RTA_MULTIPATH);
	struct sink sink = { .place = place };

	if (rtm->rtm_flags & RTM_F_CLONED)
		return;
	sink_put_attrs(&sink, "", attrs, size, &route_table);
	if (multipath)
		put_hops(&sink, multipath);
	line("%s route family %u length %u%s type %u proto %u scope %u tos %u flags %#x",
	     place->name, rtm->rtm_family, rtm->rtm_dst_len, sink.text, rtm->rtm_type,
	     rtm->rtm_protocol, rtm->rtm_scope, rtm->rtm_tos,
	     rtm->rtm_flags & ~(unsigned)(RTNH_F_LINKDOWN | RTNH_F_DEAD));
}

static void on_rule(struct place *place, const void *header, const struct rtattr *attrs,
		    size_t size)
{
	const struct fib_rule_hdr *rule = header;
	struct sink sink = { .place = place };

	sink_put_attrs(&sink, "", attrs, size, &rule_table);
	line("%s rule family %u%s from/%u to/%u action %u flags %#x", place->name, rule->family,
	     sink.text, rule->src_len, rule->dst_len, rule->action, rule->flags);
}

/* How sure the kernel is of an entry changes with time; that somebody made it does not. */
static const char *neigh_state(unsigned state)
{
	if (state & NUD_PERMANENT)
		return "permanent";

	return state & NUD_NOARP ? "noarp" : "dynamic";
}

static bool is_multicast(const struct rtattr *dst)
{
	const uint8_t *bytes = dst ? attr_data(dst) : NULL;

	return dst && (RTA_PAYLOAD(dst) == 4 ? bytes[0] >= 224 : bytes[0] == 0xff);
}

/* What the kernel resolves by arithmetic (multicast, links without ARP), and failures that it will
 * forget. */
static bool is_cache(const struct place *place, const struct ndmsg *ndm, const struct rtattr *dst)
{
	if (ndm->ndm_state & (NUD_FAILED | NUD_INCOMPLETE))
		return true;

	return ndm->ndm_state & NUD_NOARP &&
	       (is_multicast(dst) ||
		link_flags(place, ndm->ndm_ifindex) & (IFF_NOARP | IFF_LOOPBACK));
}

static void on_neigh(struct place *place, const void *header, const struct rtattr *attrs,
		     size_t size)
{
	const struct ndmsg *ndm = header;
	bool fdb = ndm->ndm_family == AF_BRIDGE;
	struct sink sink = { .place = place };

	if (!fdb && is_cache(place, ndm, attr_find(attrs, size, NDA_DST)))
		return;
	sink_put_attrs(&sink, "", attrs, size, &neigh_table);
	line("%s %s %s%s %s flags %#x type %u", place->name, fdb ? "fdb" : "neighbour",
	     link_name(place, ndm->ndm_ifindex), sink.text, neigh_state(ndm->ndm_state),
	     ndm->ndm_flags, ndm->ndm_type);
}

/* The ext mask that leaves statistics out, or asks for the VLANs of bridges. */
static void dump_links(struct place *place, unsigned char family, uint32_t mask, visit_fn *visit)
{
	const struct ifinfomsg info = { .ifi_family = family };
	const struct rtattr attr = { RTA_LENGTH(sizeof(mask)), IFLA_EXT_MASK };
	char body[sizeof(info) + sizeof(attr) + sizeof(mask)];

	memcpy(body, &info, sizeof(info));
	memcpy(body + sizeof(info), &attr, sizeof(attr));
	memcpy(body + sizeof(info) + sizeof(attr), &mask, sizeof(mask));
	dump(place, RTM_GETLINK, body, sizeof(body), sizeof(info), visit);
}

static void dump_neighbours(struct place *place, unsigned char family, unsigned char flags)
{
	struct ndmsg body = { .ndm_family = family, .ndm_flags = flags };

	dump(place, RTM_GETNEIGH, &body, sizeof(body), sizeof(body), on_neigh);
}

static void dump_family(struct place *place, unsigned char family)
{
	struct ifaddrmsg ifa = { .ifa_family = family };
	struct rtmsg rtm = { .rtm_family = family };
	struct fib_rule_hdr rule = { .family = family };

	dump(place, RTM_GETADDR, &ifa, sizeof(ifa), sizeof(ifa), on_address);
	dump(place, RTM_GETROUTE, &rtm, sizeof(rtm), sizeof(rtm), on_route);
	dump(place, RTM_GETRULE, &rule, sizeof(rule), sizeof(rule), on_rule);
	dump_neighbours(place, family, 0);
	dump_neighbours(place, family, NTF_PROXY);
}

void read_link_names(struct place *place)
{
	dump_links(place, AF_UNSPEC, RTEXT_FILTER_SKIP_STATS, on_index);
}

void read_kernel(struct place *place)
{
	dump_links(place, AF_UNSPEC, RTEXT_FILTER_SKIP_STATS, on_link);
	dump_links(place, AF_BRIDGE, RTEXT_FILTER_BRVLAN_COMPRESSED, on_bridge_vlan);
	dump_family(place, AF_INET);
	dump_family(place, AF_INET6);
	dump_neighbours(place, AF_BRIDGE, 0);
}
