// SPDX-License-Identifier: Apache-2.0
/* What is there against what was wanted (links.h), without permission to change. */
#include <stdio.h>

#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/links.h"
#include "shared/kernel/walk.h"

static int verify(struct walk *walk, struct link *link, struct error *err)
{
	struct link_state state;
	int ours, r = link_find(walk_talk(walk, link), link, &state, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return error_set(err, ERROR_CHECK, "%s %s in the %s is missing",
				 link_kinds[link->kind].name, link->name,
				 walk_talk(walk, link)->place);
	link->index = state.index;

	ours = link_is_ours(link, &state, err);
	if (ours < 0)
		return -1;
	/* Out of its bridge a port has other attributes: its place is told first. */
	if (walk_compare(walk, link, &state, ours ? ATTR_FIXED : ATTR_FIT, ERROR_CHECK, err) < 0 ||
	    walk_compare_place(walk, link, &state, ERROR_CHECK, err) < 0)
		return -1;

	return ours ? walk_compare(walk, link, &state, 0, ERROR_CHECK, err) : 0;
}

int links_verify(struct netlink nl[static PLACES], struct link *links, size_t n, struct error *err)
{
	struct walk walk = { .nl = nl, .links = links, .n = n };

	for (size_t i = 0; i < n; i++) {
		if (verify(&walk, &links[i], err) < 0)
			return -1;
	}

	return 0;
}

/* A link of ours, or one that would be: 1 something differs, which err says. */
static int would_change(const struct walk *walk, const struct link *link,
			const struct link_state *state, struct error *err)
{
	if (walk_compare(walk, link, state, ATTR_FIXED, ERROR_CONFLICT, err) < 0)
		return -1;

	return walk_compare_place(walk, link, state, ERROR_CHECK, err) < 0 ||
	       walk_compare(walk, link, state, 0, ERROR_CHECK, err) < 0;
}

/* Nothing has the name; something may have what only one link can have. */
static int would_make(const struct walk *walk, const struct link *link,
		      const struct link_state *state, struct error *err)
{
	int r = walk_may_make(walk, link, state, err);

	if (r == 0)
		r = walk_has_rival(walk, link, err);

	if (r <= 0)
		return r;
	*err = (struct error){ 0 };

	return walk_explain(walk, link, err);
}

static int foresee(const struct walk *walk, struct link *link, enum link_fate *fate,
		   struct error *err)
{
	struct link_state state = { 0 };
	int r = link_find(walk_talk(walk, link), link, &state, err);

	*fate = LINK_CREATE;
	if (r <= 0)
		return r < 0 ? -1 : would_make(walk, link, &state, err);
	link->index = state.index;
	r = link_is_ours(link, &state, err);
	if (r < 0)
		return -1;
	if (r == 0) {
		*fate = LINK_ADOPT;
		return walk_compare(walk, link, &state, ATTR_FIT, ERROR_CONFLICT, err) < 0
			       ? -1
			       : walk_compare_place(walk, link, &state, ERROR_CONFLICT, err);
	}
	r = would_change(walk, link, &state, err);
	*fate = r == 1 ? LINK_CHANGE : LINK_KEEP;

	return r < 0 ? -1 : 0;
}

int links_foresee(struct netlink nl[static PLACES], struct link *links, size_t n, size_t i,
		  enum link_fate *fate, struct error *err)
{
	struct walk walk = { .nl = nl, .links = links, .n = n };

	return foresee(&walk, &links[i], fate, err);
}
