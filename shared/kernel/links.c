// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/links.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/message.h"
#include "shared/kernel/walk.h"

static int request(struct walk *walk, const struct link *link, struct nl_msg *msg, const char *what,
		   struct error *err)
{
	int r = netlink_request(walk_talk(walk, link), msg, NULL, NULL);

	if (r < 0) {
		netlink_error(walk_talk(walk, link), r, err, "%s %s", what, link->name);
		/* A socket's error, far from any: a vxlan gets its own when it is set up. */
		if (r == -EADDRINUSE && link->kind == LINK_VXLAN)
			error_wrap(err, "UDP port %u (vxlanPort) is taken", link->vxlan.dstport);
		return -1;
	}
	if (walk->changed)
		*walk->changed = true;

	return 0;
}

static int no_memory(const struct link *link, struct error *err)
{
	return error_errno(err, ERROR_INTERNAL, ENOMEM, "message about %s", link->name);
}

/* Send what link has different, all in one message. */
static int send_change(struct walk *walk, const struct link *link, int index,
		       const struct link *differs)
{
	auto_nl_msg struct nl_msg *msg = NULL;

	if (!message_is_needed(link, differs))
		return 0;

	msg = link_message(RTM_NEWLINK, 0, index, 0, 0);
	if (!msg || (!index && nla_put_string(msg, IFLA_IFNAME, link->name) < 0) ||
	    message_put_change(msg, link, differs) < 0)
		return -ENOMEM;
	if (walk->changed)
		*walk->changed = true;

	return netlink_request(walk_talk(walk, link), msg, NULL, NULL);
}

static int change(struct walk *walk, const struct link *link, const struct link_state *state,
		  struct error *err)
{
	struct link rest = state->link, data = *link;
	int r;

	/* What is the kind's own goes alone: a vxlan refuses it together with an MTU. */
	for_each_attr(attr, link) {
		if (attr->nest != NEST_DATA)
			continue;
		attr_copy(attr, &rest, link);
		attr_copy(attr, &data, &state->link);
	}

	r = send_change(walk, link, state->index, &rest);
	if (r == -EAFNOSUPPORT) {
		/* No IPv6 here (none in the kernel, or the MTU is too small for it): no
		 * addrgenmode that could be set. */
		rest.addrgenmode = link->addrgenmode;
		r = send_change(walk, link, state->index, &rest);
	}
	if (r == 0)
		r = send_change(walk, link, state->index, &data);

	return r < 0 ? netlink_error(walk_talk(walk, link), r, err, "change %s", link->name) : 0;
}

static int enslave(struct walk *walk, const struct link *link, const struct link_state *state,
		   struct error *err)
{
	auto_nl_msg struct nl_msg *msg = link_message(RTM_NEWLINK, 0, state->index, 0, 0);
	int master;

	if (walk_need_master(walk, link, &master, err) < 0)
		return -1;
	if (!msg || nla_put_s32(msg, IFLA_MASTER, master) < 0)
		return no_memory(link, err);

	return request(walk, link, msg, "enslave", err);
}

static int set_up(struct walk *walk, struct link *link, const struct link_state *state,
		  struct error *err)
{
	auto_nl_msg struct nl_msg *msg = NULL;

	if (state->up || link->stays_down)
		return 0;
	if (link->is_late) {
		link->is_down = true;
		if (walk->changed)
			*walk->changed = true;
		return 0;
	}

	msg = link_message(RTM_NEWLINK, 0, state->index, IFF_UP, IFF_UP);
	if (!msg)
		return no_memory(link, err);

	return request(walk, link, msg, "set up", err);
}

/* Kernels ignore attributes that they do not know: look whether those that matter were taken. */
static int prove(struct walk *walk, const struct link *link, const struct link_state *before,
		 struct error *err)
{
	struct link_state state;
	bool sent = false;
	int r;

	for_each_attr(attr, link)
		sent = sent ||
		       ((attr->flags & ATTR_PROVE) && message_has(attr, link, &before->link));
	if (!sent)
		return 0;

	r = link_find(walk_talk(walk, link), link, &state, err);
	if (r <= 0)
		return r;
	if (walk_compare(walk, link, &state, ATTR_PROVE, ERROR_UNSUPPORTED, err) < 0)
		return error_wrap(err, "this kernel is too old for it");

	return 0;
}

/* What a link is right after it was made just as asked for, without asking the kernel. */
static struct link_state as_made(const struct link *link)
{
	struct link_state state = { .up = true, .link = *link };

	snprintf(state.kind, sizeof(state.kind), "%s", link_kinds[link->kind].name);
	for_each_attr(attr, link) {
		if (attr->flags & (ATTR_LATER | ATTR_LATER_ON))
			attr_reset(attr, &state.link);
	}

	return state;
}

/* A link of ours: complete it, mend what differs. */
static int mend(struct walk *walk, struct link *link, struct link_state *state, struct error *err)
{
	int master;

	if (walk_compare(walk, link, state, ATTR_FIXED, ERROR_CONFLICT, err) < 0 ||
	    (!state->index ? 0 : walk_resolve(walk, link->place, link->master, &master, err)) < 0)
		return -1;
	if (state->index && link->place != PLACE_POD && state->master != master) {
		/* Enslaving sets the port's attributes back: look again. */
		if (enslave(walk, link, state, err) < 0 ||
		    link_find(walk_talk(walk, link), link, state, err) < 0)
			return -1;
	}

	return change(walk, link, state, err) < 0 || prove(walk, link, state, err) < 0
		       ? -1
		       : set_up(walk, link, state, err);
}

/* Only the link itself: 0 made, 1 something is in the way, -1. */
static int try_create(struct walk *walk, const struct link *link, struct error *err)
{
	unsigned up = link_kinds[link->kind].exact ? IFF_UP : 0;
	auto_nl_msg struct nl_msg *msg =
		link_message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 0, up, up);
	struct netlink *origin = &walk->nl[walk_origin(link)];
	int lower, master, r;

	if (walk_need_lower(walk, link, &lower, err) < 0 ||
	    walk_need_master(walk, link, &master, err) < 0)
		return -1;
	if (!msg || message_put_new(msg, link, lower, master) < 0)
		return no_memory(link, err);

	r = netlink_request(origin, msg, NULL, NULL);
	if (r < 0)
		netlink_error(origin, r, err, "create %s", link->name);
	else if (walk->changed)
		*walk->changed = true;

	return r == -EEXIST ? 1 : r < 0 ? -1 : 0;
}

/* What it is now that it was made, under whatever name. */
static int look_at_made(struct walk *walk, const struct link *link, struct link_state *state,
			struct error *err)
{
	struct link made = *link;
	int r;

	if (link_kinds[link->kind].exact) {
		*state = as_made(link);
		return 0;
	}
	if (link->made_as[0])
		memcpy(made.name, link->made_as, sizeof(made.name));
	r = link_find(walk_talk(walk, link), &made, state, err);
	if (r == 0)
		return error_set(err, ERROR_CONFLICT, "%s went away while it was being made",
				 made.name);

	return r < 0 ? -1 : 0;
}

static int make(struct walk *walk, const struct link *link, struct link_state *state,
		struct error *err)
{
	int r;

	if (walk_may_make(walk, link, state, err) < 0)
		return -1;
	r = try_create(walk, link, err);
	if (r != 0)
		return r < 0 ? -1 : walk_explain(walk, link, err);

	return look_at_made(walk, link, state, err);
}

/* Something is in the way of a link that nobody but us should have: ours from an earlier try? */
static int clear_way(struct walk *walk, const struct link *link, struct error *err)
{
	struct link old = *link;
	struct link_state state;
	int ours, r;

	if (link->made_as[0])
		memcpy(old.name, link->made_as, sizeof(old.name));
	r = link_find(walk_talk(walk, link), &old, &state, err);
	if (r < 0)
		return -1;
	if (r == 0 && !state.other[0] && link->made_as[0])
		return error_set(err, ERROR_CONFLICT,
				 "%s in the %s is there already and not ours: rename or remove it",
				 old.name, walk->nl[walk_origin(link)].place);
	if (r == 0 && !state.other[0] && link->peer.name[0])
		return error_set(err, ERROR_EXISTS, "the pod has an interface %s already",
				 link->peer.name);
	ours = r == 1 ? link_is_ours(link, &state, err) : 0;
	if (ours < 0)
		return -1;
	if (!ours || strcmp(state.kind, link_kinds[link->kind].name) != 0)
		return error_set(err, ERROR_CONFLICT,
				 "%s in the %s is there already and not ours: rename or remove it",
				 old.name, walk_talk(walk, link)->place);

	return links_remove(walk->nl, &old, 1, err);
}

static int make_new(struct walk *walk, const struct link *link, struct link_state *state,
		    struct error *err)
{
	int r = try_create(walk, link, err);

	if (r < 0)
		return -1;
	if (r == 1)
		return clear_way(walk, link, err) < 0 ? -1 : make(walk, link, state, err);

	return look_at_made(walk, link, state, err);
}

static int converge(struct walk *walk, struct link *link, struct error *err)
{
	struct link_state state = { 0 };
	int ours = 1, r = 0;

	if (link->is_new) {
		if (make_new(walk, link, &state, err) < 0)
			return -1;
		return mend(walk, link, &state, err);
	}

	r = link_find(walk_talk(walk, link), link, &state, err);
	if (r < 0)
		return -1;
	if (r == 1)
		ours = link_is_ours(link, &state, err);
	if (ours < 0 || (r == 0 && make(walk, link, &state, err) < 0))
		return -1;
	link->index = state.index;

	if (!ours)
		return walk_compare(walk, link, &state, ATTR_FIT, ERROR_CONFLICT, err) < 0
			       ? -1
			       : walk_compare_place(walk, link, &state, ERROR_CONFLICT, err);

	return mend(walk, link, &state, err);
}

int links_converge(struct netlink nl[static PLACES], struct link *links, size_t first, size_t n,
		   bool *changed, struct error *err)
{
	struct walk walk = { .nl = nl, .links = links, .n = n, .changed = changed };

	for (size_t i = first; i < n; i++) {
		if (converge(&walk, &links[i], err) < 0)
			return -1;
	}

	return 0;
}

static int switch_late(struct netlink nl[static PLACES], const struct link *link, bool up,
		       struct error *err)
{
	auto_nl_msg struct nl_msg *msg =
		link_message(RTM_NEWLINK, 0, link->index, up ? IFF_UP : 0, IFF_UP);
	struct walk walk = { .nl = nl };

	if (!msg)
		return no_memory(link, err);

	return request(&walk, link, msg, up ? "set up" : "set down", err);
}

int links_raise(struct netlink nl[static PLACES], const struct link *links, size_t n,
		struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (links[i].is_down && switch_late(nl, &links[i], true, err) < 0)
			return -1;
	}

	return 0;
}

int links_lower(struct netlink nl[static PLACES], struct link *links, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!links[i].is_late)
			continue;
		if (switch_late(nl, &links[i], false, err) < 0)
			return -1;
		links[i].is_down = true;
	}

	return 0;
}
