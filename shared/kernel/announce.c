// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/announce.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "shared/base/patience.h"

#define CARRIER_TIMEOUT_MS 1000

/* Write bytes behind what is there already. */
static void append(struct announce_frame *frame, const void *data, size_t size)
{
	memcpy(frame->bytes + frame->size, data, size);
	frame->size += size;
}

static void append_ethernet(struct announce_frame *frame, const uint8_t to[static 6],
			    const struct mac *from, uint16_t protocol)
{
	uint16_t be16 = htons(protocol);

	append(frame, to, 6);
	append(frame, from->bytes, 6);
	append(frame, &be16, 2);
}

/* RFC 5227 section 3: a request, since more hosts listen to those; sender and target are the same.
 */
void announce_arp_frame(struct announce_frame *frame, const struct mac *mac, const struct ip *ip)
{
	static const uint8_t everybody[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t nobody[6];
	/* Ethernet, IPv4, their sizes, request */
	static const uint8_t head[8] = { 0, 1, 0x08, 0x00, 6, 4, 0, 1 };

	frame->size = 0;
	append_ethernet(frame, everybody, mac, ETH_P_ARP);
	append(frame, head, sizeof(head));
	append(frame, mac->bytes, 6);
	append(frame, ip->bytes, 4);
	append(frame, nobody, 6);
	append(frame, ip->bytes, 4);
}

#define IPV6_HEADER_SIZE   40
#define ADVERTISEMENT_SIZE 32 /* ICMPv6 with one option */

/* RFC 4443 section 2.3: over the pseudo-header (both addresses, length, protocol) and the message.
 */
static uint16_t checksum(const uint8_t *packet)
{
	uint32_t sum = ADVERTISEMENT_SIZE + IPPROTO_ICMPV6;

	for (size_t i = 8; i < IPV6_HEADER_SIZE + ADVERTISEMENT_SIZE; i += 2)
		sum += (uint32_t)packet[i] << 8 | packet[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);

	return htons((uint16_t)~sum);
}

/* RFC 4861 sections 4.4 and 7.2.6. */
void announce_na_frame(struct announce_frame *frame, const struct mac *mac, const struct ip *ip)
{
	static const uint8_t all_nodes_mac[6] = { 0x33, 0x33, 0, 0, 0, 1 };
	static const uint8_t all_nodes[16] = { [0] = 0xff, [1] = 0x02, [15] = 1 };
	/* version 6, payload, ICMPv6, hop limit 255 */
	static const uint8_t ipv6[8] = {
		0x60, 0, 0, 0, 0, ADVERTISEMENT_SIZE, IPPROTO_ICMPV6, 255
	};
	/* neighbour advertisement, checksum to come, override */
	static const uint8_t icmp[8] = { 136, 0, 0, 0, 0x20 };
	/* target link-layer address, in units of 8 bytes */
	static const uint8_t option[2] = { 2, 1 };
	uint16_t sum;

	frame->size = 0;
	append_ethernet(frame, all_nodes_mac, mac, ETH_P_IPV6);
	append(frame, ipv6, sizeof(ipv6));
	append(frame, ip->bytes, 16);
	append(frame, all_nodes, 16);
	append(frame, icmp, sizeof(icmp));
	append(frame, ip->bytes, 16);
	append(frame, option, sizeof(option));
	append(frame, mac->bytes, 6);

	sum = checksum(frame->bytes + ETH_HLEN);
	memcpy(frame->bytes + ETH_HLEN + IPV6_HEADER_SIZE + 2, &sum, sizeof(sum));
}

struct announcement {
	const char *ifname;
	const struct mac *mac;
	const struct ip *addresses;
	size_t n;
};

/* A veth has its carrier at once, but the kernel starts its queue a moment later. */
static int wait_for_carrier(int fd, const char *ifname, struct error *err)
{
	struct ifreq ifr = { 0 };
	struct patience patience = patience_begin(CARRIER_TIMEOUT_MS, 1000, 8000);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	do {
		if (ioctl(fd, SIOCGIFFLAGS, &ifr) < 0)
			return error_errno(err, ERROR_NETLINK, errno, "announce out of %s", ifname);
		if (ifr.ifr_flags & IFF_RUNNING)
			return 0;
	} while (patience_pause(&patience));
	error_warn("%s has no carrier: its addresses may not be known to the neighbours", ifname);

	return 0;
}

/* One that a queue on the way drops (a qdisc, under a macvlan) is no reason to do without the pod:
 * neighbours ask, and what they still know of the address fails by itself. */
static int send_frame(int fd, const struct announce_frame *frame, const struct sockaddr_ll *to,
		      const struct announcement *what, const struct ip *address, struct error *err)
{
	char text[IP_TEXT_SIZE];

	if (sendto(fd, frame->bytes, frame->size, 0, (const struct sockaddr *)to, sizeof(*to)) >= 0)
		return 0;
	ip_print(address, text);
	if (errno != ENOBUFS)
		return error_errno(err, ERROR_NETLINK, errno, "announce %s out of %s", text,
				   what->ifname);
	error_warn("the announcement of %s out of %s was dropped on its way: neighbours may know "
		   "the address by another MAC until their entries fail",
		   text, what->ifname);

	return 0;
}

static int send_all(int fd, const struct announcement *what, int ifindex, struct error *err)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = ifindex,
		.sll_halen = 6,
	};
	struct announce_frame frame;

	for (size_t i = 0; i < what->n; i++) {
		if (what->addresses[i].family == AF_INET6)
			announce_na_frame(&frame, what->mac, &what->addresses[i]);
		else
			announce_arp_frame(&frame, what->mac, &what->addresses[i]);

		memcpy(to.sll_addr, frame.bytes, 6);
		memcpy(&to.sll_protocol, frame.bytes + 12, 2);
		if (send_frame(fd, &frame, &to, what, &what->addresses[i], err) < 0)
			return -1;
	}

	return 0;
}

static int announce_inside(void *arg, struct error *err)
{
	const struct announcement *what = arg;
	/* Protocol 0: it receives nothing. */
	auto_close int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	struct ifreq ifr = { 0 };

	if (fd < 0)
		return error_errno(err, ERROR_NETLINK, errno, "packet socket");

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", what->ifname);
	if (ioctl(fd, SIOCGIFINDEX, &ifr) < 0)
		return error_errno(err, ERROR_NETLINK, errno, "announce out of %s", what->ifname);
	if (wait_for_carrier(fd, what->ifname, err) < 0)
		return -1;

	return send_all(fd, what, ifr.ifr_ifindex, err);
}

int announce_addresses(const struct netns *ns, const char *ifname, const struct mac *mac,
		       const struct ip *addresses, size_t n, struct error *err)
{
	struct announcement what = { ifname, mac, addresses, n };

	return n ? netns_call(ns, announce_inside, &what, err) : 0;
}
