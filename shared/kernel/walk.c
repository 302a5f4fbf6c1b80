// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/walk.h"

#include <string.h>

#include "shared/kernel/link_find.h"

struct netlink *walk_talk(const struct walk *walk, const struct link *link)
{
	return &walk->nl[link->place];
}

enum link_place walk_origin(const struct link *link)
{
	return link->made_as[0] ? PLACE_HOST : link->place;
}

int walk_resolve(const struct walk *walk, enum link_place place, const char *name, int *index,
		 struct error *err)
{
	*index = 0;
	if (!name[0])
		return 0;
	for (size_t i = 0; i < walk->n; i++) {
		const struct link *passed = &walk->links[i];

		if (passed->index && passed->place == place && strcmp(passed->name, name) == 0) {
			*index = passed->index;
			return 0;
		}
	}

	return link_find_index(&walk->nl[place], name, index, err) < 0 ? -1 : 0;
}

static int need(const struct walk *walk, enum link_place place, const char *name, int *index,
		struct error *err)
{
	if (walk_resolve(walk, place, name, index, err) < 0)
		return -1;
	if (name[0] && *index == 0)
		return error_set(err, ERROR_CONFLICT, "%s is needed in the %s, and not there", name,
				 walk->nl[place].place);

	return 0;
}

int walk_need_lower(const struct walk *walk, const struct link *link, int *index, struct error *err)
{
	if (need(walk, walk_origin(link), link->lower, index, err) < 0)
		return error_wrap(err, "%s", link->name);

	return 0;
}

int walk_need_master(const struct walk *walk, const struct link *link, int *index,
		     struct error *err)
{
	if (need(walk, link->place, link->master, index, err) < 0)
		return error_wrap(err, "%s", link->name);

	return 0;
}

/* Somebody has what only one link (over the same lower one) can have, under another name. */
struct rival {
	struct link link; /* the one that is wanted; once found, with the name of the other */
	int lower;
};

static int on_rival(const struct link_state *state, void *arg)
{
	struct rival *rival = arg;
	struct link *wanted = &rival->link;

	if (strcmp(state->kind, link_kinds[wanted->kind].name) != 0 ||
	    (rival->lower && state->lower != rival->lower))
		return 0;
	for_each_attr(attr, wanted) {
		if ((attr->flags & ATTR_IDENTITY) && attr_equal(attr, wanted, &state->link)) {
			memcpy(wanted->name, state->link.name, sizeof(wanted->name));
			return 1;
		}
	}

	return 0;
}

/* 1 found, 0 not. */
static int find_rival(const struct walk *walk, const struct link *link, struct rival *rival,
		      struct error *err)
{
	*rival = (struct rival){ .link = *link };
	if (walk_resolve(walk, walk_origin(link), link->lower, &rival->lower, err) < 0)
		return -1;

	return links_each(walk_talk(walk, link), link, on_rival, rival, err);
}

int walk_has_rival(const struct walk *walk, const struct link *link, struct error *err)
{
	struct rival rival;

	return find_rival(walk, link, &rival, err);
}

int walk_explain(const struct walk *walk, const struct link *link, struct error *err)
{
	struct rival rival;
	const char *kind = link_kinds[link->kind].name;
	char text[LINK_ALIAS_SIZE + 2] = "", details[ERROR_DETAILS_SIZE], who[80];
	struct error ignored;
	int r;

	memcpy(details, err->details, sizeof(details));
	r = find_rival(walk, link, &rival, &ignored);
	for_each_attr(attr, link) {
		if (attr->flags & ATTR_IDENTITY)
			attr_print(attr, link, text, sizeof(text));
	}
	if (r < 0 || !text[0])
		return -1;
	/* One that was moved into another namespace keeps what it has. */
	if (r == 1)
		snprintf(who, sizeof(who), "the %s %s", kind, rival.link.name);
	else
		snprintf(who, sizeof(who), "a %s in another network namespace", kind);
	error_set(err, ERROR_CONFLICT, "%s in the %s cannot be made: %s has %s %s already",
		  link->name, walk_talk(walk, link)->place, who,
		  link->kind == LINK_VRF ? "table" : "id", text);

	return error_details(err, "%s", details);
}

int walk_may_make(const struct walk *walk, const struct link *link, const struct link_state *state,
		  struct error *err)
{
	if (link->is_foreign)
		return error_set(
			err, ERROR_CONFLICT, "%s %s in the %s is gone, and not ours to make",
			link_kinds[link->kind].name, link->name, walk_talk(walk, link)->place);
	if (state->other[0])
		return error_set(err, ERROR_CONFLICT,
				 "%s in the %s cannot be made: it is an alternative name of %s",
				 link->name, walk_talk(walk, link)->place, state->other);

	return 0;
}

static const char *kind_of(const struct link_state *state)
{
	return state->kind[0] ? state->kind : "physical link";
}

static int differs(const struct walk *walk, const struct link *link, const struct attr *attr,
		   const struct link_state *state, int code, struct error *err)
{
	char is[LINK_ALIAS_SIZE + 2], wanted[LINK_ALIAS_SIZE + 2];

	attr_print(attr, &state->link, is, sizeof(is));
	attr_print(attr, link, wanted, sizeof(wanted));

	return error_set(err, code, "%s %s in the %s has %s %s, wanted %s",
			 link_kinds[link->kind].name, link->name, walk_talk(walk, link)->place,
			 attr->name, is, wanted);
}

static bool counts(const struct attr *attr, const struct link *link, unsigned flags)
{
	return !flags || (attr->flags & flags) ||
	       ((flags & ATTR_FIT) && attr->type == ATTR_MAC && link->mac_counts);
}

int walk_compare(const struct walk *walk, const struct link *link, const struct link_state *state,
		 unsigned flags, int code, struct error *err)
{
	if (strcmp(state->kind, link_kinds[link->kind].name) != 0)
		return error_set(err, code, "%s in the %s is a %s, wanted a %s", link->name,
				 walk_talk(walk, link)->place, kind_of(state),
				 link_kinds[link->kind].name);

	for_each_attr(attr, link) {
		if (!counts(attr, link, flags) || !attr_is_set(attr, link))
			continue;
		if (attr->nest == NEST_PORT && !state->master) /* no port: that is what is wrong */
			continue;
		if (!attr_equal(attr, link, &state->link))
			return differs(walk, link, attr, state, code, err);
	}

	return 0;
}

static int not_on(const struct walk *walk, const struct link *link, const struct link_state *state,
		  int code, struct error *err)
{
	char is[IFNAMSIZ];

	link_print_name(&walk->nl[walk_origin(link)], state->lower, is);

	return error_set(err, code, "%s %s in the %s is on %s, wanted on %s",
			 link_kinds[link->kind].name, link->name, walk_talk(walk, link)->place, is,
			 link->lower);
}

static int not_in(const struct walk *walk, const struct link *link, const struct link_state *state,
		  int code, struct error *err)
{
	char is[IFNAMSIZ] = "none";

	if (state->master)
		link_print_name(walk_talk(walk, link), state->master, is);

	return error_set(err, code, "%s %s in the %s has master %s, wanted %s",
			 link_kinds[link->kind].name, link->name, walk_talk(walk, link)->place, is,
			 link->master[0] ? link->master : "none");
}

int walk_compare_place(const struct walk *walk, const struct link *link,
		       const struct link_state *state, int code, struct error *err)
{
	int lower = 0, master = 0;

	if (walk_resolve(walk, walk_origin(link), link->lower, &lower, err) < 0 ||
	    walk_resolve(walk, link->place, link->master, &master, err) < 0)
		return -1;
	if (link->lower[0] && state->lower != lower)
		return not_on(walk, link, state, code, err);
	/* What a pod puts its interface into is the pod's business. */
	if (link->place != PLACE_POD && (state->master != master || (link->master[0] && !master)))
		return not_in(walk, link, state, code, err);
	if (!state->up && !link->stays_down)
		return error_set(err, code, "%s %s in the %s is down, wanted up",
				 link_kinds[link->kind].name, link->name,
				 walk_talk(walk, link)->place);

	return 0;
}
