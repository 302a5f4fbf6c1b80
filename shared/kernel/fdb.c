// SPDX-License-Identifier: Apache-2.0
/*
 * Forwarding entries of one bridge port (address.h). A static one is what FRR announces at once and
 * never withdraws for silence; the bridge keeps one entry for a MAC, whatever the port.
 */
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "shared/kernel/neighbor.h"

/* What a bridge has about a MAC. */
struct entry {
	int port;
	uint16_t state;
};

/* NUD_NOARP: static, it never ages (a frame with that source from another port does move it, and it
 * goes with that port then); NTF_MASTER: the bridge's, not the port's own database. */
static struct nl_msg *build(int type, int flags, int port, const struct mac *mac)
{
	struct ndmsg ndm = {
		.ndm_family = AF_BRIDGE,
		.ndm_ifindex = port,
		.ndm_state = type == RTM_NEWNEIGH ? NUD_NOARP : 0, /* a look-up must not have one */
		.ndm_flags = NTF_MASTER,
	};
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, &ndm, sizeof(ndm), NLMSG_ALIGNTO) < 0 ||
	    nla_put(msg, NDA_LLADDR, sizeof(mac->bytes), mac->bytes) < 0)
		return NULL;

	return take_ptr(&msg);
}

static int on_entry(struct nl_msg *msg, void *arg)
{
	const struct ndmsg *ndm = nlmsg_data(nlmsg_hdr(msg));
	struct entry *entry = arg;

	entry->port = ndm->ndm_ifindex;
	entry->state = ndm->ndm_state;

	return NL_OK;
}

static int request(struct netlink *nl, struct nl_msg *msg, struct entry *entry)
{
	return msg ? netlink_request(nl, msg, on_entry, entry) : -ENOMEM;
}

static int fail(struct netlink *nl, int r, const char *what, const struct mac *mac,
		struct error *err)
{
	char text[MAC_TEXT_SIZE];

	mac_print(mac, text);

	return netlink_error(nl, r, err, "%s the forwarding entry of %s", what, text);
}

/* 1 and the bridge's entry for the MAC, whatever its port; 0 when there is none. */
static int get(struct netlink *nl, int port, const struct mac *mac, struct entry *entry,
	       struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(RTM_GETNEIGH, 0, port, mac);
	int r = request(nl, msg, entry);

	if (r == -ENOENT || r == -ENODEV || r == -EINVAL) /* gone: the port, or from its bridge */
		return 0;

	return r < 0 ? fail(nl, r, "look up", mac, err) : 1;
}

int fdb_add(struct netlink *nl, int port, const struct mac *mac, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_EXCL, port, mac);
	auto_nl_msg struct nl_msg *again =
		build(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, port, mac);
	struct entry entry = { 0 };
	char text[MAC_TEXT_SIZE];
	int r = request(nl, msg, NULL);

	if (r == -EEXIST) {
		r = get(nl, port, mac, &entry, err);
		if (r < 0)
			return -1;
		if (entry.state & (NUD_NOARP | NUD_PERMANENT)) {
			if (entry.port == port)
				return 0;
			mac_print(mac, text);
			return error_set(err, ERROR_CONFLICT,
					 "the MAC address %s is taken: another port of the bridge "
					 "has it",
					 text);
		}
		r = request(nl, again, NULL); /* one that was learned gives way */
	}

	return r < 0 ? fail(nl, r, "add", mac, err) : 1;
}

int fdb_remove(struct netlink *nl, int port, const struct mac *mac, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = build(RTM_DELNEIGH, 0, port, mac);
	int r = request(nl, msg, NULL);

	/* A port that is no port any more has no entries. */
	if (r == -ENOENT || r == -ENODEV || r == -EOPNOTSUPP || r == -EINVAL)
		return 0;

	return r < 0 ? fail(nl, r, "remove", mac, err) : 0;
}

int fdb_find(struct netlink *nl, int port, const struct mac *mac, struct error *err)
{
	struct entry entry = { 0 };
	int r = get(nl, port, mac, &entry, err);

	return r == 1 ? entry.port == port && (entry.state & NUD_NOARP) : r;
}

struct guests {
	int ifindex;
	size_t n;
};

static int on_own(struct nl_msg *msg, void *arg)
{
	const struct nlattr *lladdr =
		nlmsg_find_attr(nlmsg_hdr(msg), sizeof(struct ndmsg), NDA_LLADDR);
	const struct ndmsg *ndm = nlmsg_data(nlmsg_hdr(msg));
	struct guests *guests = arg;

	/* Groups are listened for as well. */
	if (ndm->ndm_ifindex == guests->ifindex && (ndm->ndm_flags & NTF_SELF) && lladdr &&
	    !(*(const uint8_t *)nla_data(lladdr) & 1))
		guests->n++;

	return NL_OK;
}

static void forget(void *arg)
{
	((struct guests *)arg)->n = 0;
}

int fdb_has_guest(struct netlink *nl, int ifindex, struct error *err)
{
	struct ndmsg ndm = { .ndm_family = AF_BRIDGE };
	auto_nl_msg struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNEIGH, NLM_F_DUMP);
	struct guests guests = { .ifindex = ifindex };
	int r = -ENOMEM;

	if (msg && nlmsg_append(msg, &ndm, sizeof(ndm), NLMSG_ALIGNTO) >= 0)
		r = netlink_dump(nl, msg, on_own, forget, &guests);

	return r < 0 ? netlink_error(nl, r, err, "list what stands on link %d", ifindex)
		     : guests.n > 0;
}
