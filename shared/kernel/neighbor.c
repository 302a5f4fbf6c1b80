// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/neighbor.h"

/* Permanent neighbours of one link (address.h). */

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#define REMOVE_MAX 64 /* of one MAC: as many addresses as a pod can have, twice */

struct neighbor {
	int ifindex;
	uint16_t state;
	struct mac mac;
	struct ip address;
};

static struct nl_msg *build(int type, int flags, int ifindex, const struct ip *address,
			    const struct mac *mac)
{
	struct ndmsg ndm = {
		.ndm_family = address->family,
		.ndm_ifindex = ifindex,
		.ndm_state = mac ? NUD_PERMANENT : 0,
	};
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, &ndm, sizeof(ndm), NLMSG_ALIGNTO) < 0 ||
	    nla_put(msg, NDA_DST, (int)ip_size(address), address->bytes) < 0 ||
	    (mac && nla_put(msg, NDA_LLADDR, sizeof(mac->bytes), mac->bytes) < 0))
		return NULL;

	return take_ptr(&msg);
}

static int request(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *on_reply, void *arg)
{
	return msg ? netlink_request(nl, msg, on_reply, arg) : -ENOMEM;
}

static int fail(struct netlink *nl, int r, const char *what, const struct ip *address,
		struct error *err)
{
	char text[IP_TEXT_SIZE];

	ip_print(address, text);

	return netlink_error(nl, r, err, "%s the neighbour %s", what, text);
}

static bool read_neighbor(struct nl_msg *msg, struct neighbor *neighbor)
{
	const struct ndmsg *ndm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[NDA_MAX + 1];
	size_t size = ndm->ndm_family == AF_INET ? 4 : 16;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*ndm), tb, NDA_MAX, NULL) < 0 || !tb[NDA_DST] ||
	    (size_t)nla_len(tb[NDA_DST]) != size)
		return false;
	*neighbor = (struct neighbor){
		.ifindex = ndm->ndm_ifindex,
		.state = ndm->ndm_state,
		.address = { .family = ndm->ndm_family, .prefix = (uint8_t)(8 * size) },
	};
	memcpy(neighbor->address.bytes, nla_data(tb[NDA_DST]), size);
	if (tb[NDA_LLADDR] && nla_len(tb[NDA_LLADDR]) == sizeof(neighbor->mac.bytes))
		memcpy(neighbor->mac.bytes, nla_data(tb[NDA_LLADDR]), sizeof(neighbor->mac.bytes));

	return true;
}

static int on_neighbor(struct nl_msg *msg, void *arg)
{
	return read_neighbor(msg, arg) ? NL_OK : NL_SKIP;
}

/* 1 and what the link knows of the address, 0 when nothing. */
static int get(struct netlink *nl, int ifindex, const struct ip *address, struct neighbor *found,
	       struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(RTM_GETNEIGH, 0, ifindex, address, NULL);
	int r = request(nl, msg, on_neighbor, found);

	if (r == -ENOENT || r == -ENODEV)
		return 0;

	return r < 0 ? fail(nl, r, "look up", address, err) : 1;
}

int neighbor_add(struct netlink *nl, int ifindex, const struct ip *address, const struct mac *mac,
		 struct error *err)
{
	auto_nl_msg struct nl_msg *msg =
		build(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_EXCL, ifindex, address, mac);
	auto_nl_msg struct nl_msg *again =
		build(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, ifindex, address, mac);
	struct neighbor found = { 0 };
	char text[IP_TEXT_SIZE], owner[MAC_TEXT_SIZE];
	int r = request(nl, msg, NULL, NULL);

	if (r == -EEXIST) {
		if (get(nl, ifindex, address, &found, err) < 0)
			return -1;
		if ((found.state & NUD_PERMANENT) && !mac_equal(&found.mac, mac)) {
			ip_print(address, text);
			mac_print(&found.mac, owner);
			return error_set(err, ERROR_CONFLICT,
					 "the address %s is taken: the pod with the MAC address %s "
					 "has it",
					 text, owner);
		}
		r = request(nl, again, NULL, NULL);
	}

	return r < 0 ? fail(nl, r, "add", address, err) : 0;
}

static int remove_address(struct netlink *nl, int ifindex, const struct ip *address,
			  struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(RTM_DELNEIGH, 0, ifindex, address, NULL);
	int r = request(nl, msg, NULL, NULL);

	return r < 0 && r != -ENOENT && r != -ENODEV ? fail(nl, r, "remove", address, err) : 0;
}

int neighbor_find(struct netlink *nl, int ifindex, const struct ip *address, const struct mac *mac,
		  struct error *err)
{
	struct neighbor found = { 0 };
	int r = get(nl, ifindex, address, &found, err);

	return r == 1 ? (found.state & NUD_PERMANENT) && mac_equal(&found.mac, mac) : r;
}

int neighbor_remove(struct netlink *nl, int ifindex, const struct ip *address,
		    const struct mac *mac, struct error *err)
{
	int r = neighbor_find(nl, ifindex, address, mac, err);

	return r <= 0 ? r : remove_address(nl, ifindex, address, err);
}

struct search {
	int ifindex;
	const struct mac *mac;
	struct ip found[REMOVE_MAX];
	size_t n;
};

static int on_candidate(struct nl_msg *msg, void *arg)
{
	struct search *search = arg;
	struct neighbor neighbor;

	if (read_neighbor(msg, &neighbor) && neighbor.ifindex == search->ifindex &&
	    (neighbor.state & NUD_PERMANENT) && mac_equal(&neighbor.mac, search->mac) &&
	    search->n < REMOVE_MAX)
		search->found[search->n++] = neighbor.address;

	return NL_OK;
}

static void forget(void *arg)
{
	((struct search *)arg)->n = 0;
}

int neighbor_remove_all(struct netlink *nl, int ifindex, const struct mac *mac, struct error *err)
{
	struct ndmsg ndm = { .ndm_family = AF_UNSPEC, .ndm_ifindex = ifindex };
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNEIGH, NLM_F_DUMP);
	struct search search = { .ifindex = ifindex, .mac = mac };
	int r;

	if (!msg || nlmsg_append(msg, &ndm, sizeof(ndm), NLMSG_ALIGNTO) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "look for neighbours");
	r = netlink_dump(nl, msg, on_candidate, forget, &search);
	if (r < 0)
		return netlink_error(nl, r, err, "look for neighbours");
	for (size_t i = 0; i < search.n; i++) {
		if (remove_address(nl, ifindex, &search.found[i], err) < 0)
			return -1;
	}

	return 0;
}
