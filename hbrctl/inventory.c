// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/inventory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/node/holder.h"

static const char *const places[PLACES] = { "host", "HBR netns", "pod" };

struct survey {
	const struct scene *scene;
	json_t *domains, *attachments, *leftovers; /* of the document; borrowed */
	json_t *marked;                            /* links that carry our mark, by "place/name" */
};

static int no_memory(struct error *err)
{
	return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe the node");
}

/* A link that somebody remembers is no leftover. */
static void explain(const struct survey *survey, const char *place, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "%s/%s", place, name);
	(void)json_object_del(survey->marked, key);
}

/* Marked by an hbr-cni with this HBR netns, or by nobody knows which. */
static bool is_of_ours(const struct survey *survey, const struct link *link)
{
	char head[LINK_ALIAS_SIZE];
	int n = snprintf(head, sizeof(head), "hbr-cni:%s:", survey->scene->site.node->slug);

	return (link->group & LINK_GROUP_MASK) == LINK_GROUP_MARK &&
	       (!link->alias[0] || strncmp(link->alias, head, (size_t)n) == 0);
}

struct look {
	const struct survey *survey;
	const char *place;
};

static int on_link(const struct link_state *state, void *arg)
{
	const struct look *look = arg;
	const struct link *link = &state->link;
	char key[64];

	if (!is_of_ours(look->survey, link))
		return 0;
	snprintf(key, sizeof(key), "%s/%s", look->place, link->name);

	return json_object_set_new(look->survey->marked, key,
				   json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", link->name, "in",
					     look->place, "kind", state->kind, "alias", link->alias,
					     "key", (int)(link->group & ~LINK_GROUP_MASK)));
}

/* Before the state is read: what is made meanwhile is then of no interest. */
static int list_marked(struct survey *survey, struct error *err)
{
	const struct link like = { .kind = LINK_BRIDGE };

	for (enum link_place place = PLACE_HOST; place <= PLACE_HBR; place++) {
		struct netlink *nl = &survey->scene->site.nl[place];
		struct look look = { survey, places[place] };
		int r = nl->sock ? links_each(nl, &like, on_link, &look, err) : 0;

		if (r != 0)
			return r < 0 ? -1 : no_memory(err);
	}

	return 0;
}

/* One link as it is against as it should be. */
static json_t *describe_link(const struct survey *survey, struct link *link)
{
	struct netlink *nl = survey->scene->site.nl;
	const char *state = "ok";
	struct error err = { 0 };

	explain(survey, places[link->place], link->name);
	if (!nl[link->place].sock)
		state = "away";
	else if (links_verify(nl, link, 1, &err) < 0)
		state = link->index ? "drift" : "missing";

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s*}", "name", link->name, "in",
			 places[link->place], "kind", link_kinds[link->kind].name, "on",
			 link->lower, "master", link->master, "state", state, "wrong",
			 err.msg[0] ? err.msg : NULL);
}

static json_t *describe_links(const struct survey *survey, const struct known *known)
{
	struct link links[LINKS_MAX];
	size_t n = known_list_links(known, survey->scene->site.node, links);
	auto_json json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(list, describe_link(survey, &links[i])) < 0)
			return NULL;
	}

	return take_ptr(&list);
}

struct holders {
	const struct survey *survey;
	json_t *held;
};

/* The record says more of it than the holder does; only where there is none, the holder does. */
static int on_holder(const char *id, json_t *holder, void *arg, struct error *err)
{
	const struct holders *holders = arg;
	const struct survey *survey = holders->survey;
	json_t *held;
	size_t i;

	json_array_foreach(holders->held, i, held) {
		if (strcmp(json_string_value(held), id) == 0)
			return 0;
	}
	if (json_array_append_new(holders->held, json_string(id)) < 0)
		return no_memory(err);
	json_array_foreach(survey->attachments, i, held) {
		if (strcmp(inventory_text(held, "id"), id) == 0)
			return 0;
	}
	if (holder_is_domain(id))
		return 0;
	for (size_t place = 0; place < PLACE_POD; place++)
		explain(survey, places[place], inventory_text(holder, "port"));

	return json_array_append_new(survey->attachments,
				     inventory_describe_attachment(survey->scene, id, holder)) < 0
		       ? no_memory(err)
		       : 0;
}

static int list_holders(const struct survey *survey, const struct known *known, json_t *held,
			struct error *err)
{
	struct holders holders = { survey, held };
	const struct store *store = survey->scene->site.store;

	return store_each_holder(store, known->domain.name, on_holder, &holders, err) < 0 ||
			       (known->has_leg && store_each_holder(store, known->leg.name,
								    on_holder, &holders, err) < 0)
		       ? -1
		       : 0;
}

static bool has_wrong(json_t *links)
{
	json_t *link;
	size_t i;

	json_array_foreach(links, i, link) {
		if (document_member(link, "wrong"))
			return true;
	}

	return false;
}

/* What its file and its leg's say. */
static int read_fixed(const struct survey *survey, const struct known *known, json_t *fixed,
		      struct error *err)
{
	const struct store *store = survey->scene->site.store;
	auto_json json_t *own = NULL, *leg = NULL;

	if (store_read_domain(store, known->domain.name, &own, err) < 0 ||
	    (known->has_leg && store_read_domain(store, known->leg.name, &leg, err) < 0))
		return -1;

	return (own && json_object_update(fixed, own) < 0) ||
			       (leg && json_object_update(fixed, leg) < 0)
		       ? no_memory(err)
		       : 0;
}

static int add_domain(struct survey *survey, const struct known *known, struct error *err)
{
	auto_json json_t *held = json_array(), *fixed = json_object();
	auto_json json_t *links = describe_links(survey, known);
	const char *state;

	if (!links || list_holders(survey, known, held, err) < 0 ||
	    read_fixed(survey, known, fixed, err) < 0)
		return links ? -1 : no_memory(err);
	inventory_sort(held);
	state = known->is_damaged               ? "damaged"
		: !scene_has_hbr(survey->scene) ? "away"
		: json_array_size(held) == 0    ? "unheld"
		: has_wrong(links)              ? "drift"
						: "ok";

	return json_array_append_new(survey->domains,
				     json_pack("{s:s, s:s, s:O, s:s, s:O, s:O}", "name",
					       known->domain.name, "title", known->domain.title,
					       "fixed", fixed, "state", state, "held", held,
					       "links", links)) < 0
		       ? no_memory(err)
		       : 0;
}

static int on_domain(const char *name, json_t *values, void *arg, struct error *err)
{
	struct survey *survey = arg;
	auto_known struct known known = { 0 };
	int r = known_read(&known, survey->scene, name, err);
	json_t *other;
	size_t i;

	(void)values;
	if (r <= 0)
		return r;
	/* A leg is told with the domain that it belongs to, whichever comes first. */
	json_array_foreach(survey->domains, i, other) {
		if (strcmp(inventory_text(other, "name"), known.domain.name) == 0)
			return 0;
	}

	return add_domain(survey, &known, err);
}

static int on_record(const char *id, json_t *record, void *arg, struct error *err)
{
	const struct survey *survey = arg;
	json_t *said = inventory_describe_attachment(survey->scene, id, record);

	for (size_t place = 0; place < PLACE_POD; place++)
		explain(survey, places[place], inventory_text(record, "port"));

	return json_array_append_new(survey->attachments, said) < 0 ? no_memory(err) : 0;
}

/* What a DEL was about to remove is gone by now. */
static int add_leftovers(const struct survey *survey, struct error *err)
{
	const char *key;
	json_t *link;

	json_object_foreach(survey->marked, key, link) {
		bool is_host = strcmp(inventory_text(link, "in"), places[PLACE_HOST]) == 0;
		struct netlink *nl = &survey->scene->site.nl[is_host ? PLACE_HOST : PLACE_HBR];
		int index, r = link_find_index(nl, inventory_text(link, "name"), &index, err);

		if (r < 0)
			return -1;
		if (r == 1 && json_array_append(survey->leftovers, link) < 0)
			return no_memory(err);
	}

	return 0;
}

static json_t *start(const struct scene *scene)
{
	const struct node *node = scene->site.node;

	return json_pack("{s:s, s:b, s:s, s:[s, s], s:[], s:[], s:[]}", "hbrNetns", node->hbr_netns,
			 "hbrThere", scene_has_hbr(scene), "stateDir", node->state_dir, "trunk",
			 node->host_trunk, node->trunk, "domains", "attachments", "leftovers");
}

int inventory_read(const struct scene *scene, json_t **inventory, struct error *err)
{
	auto_json json_t *document = start(scene), *marked = json_object();
	struct survey survey = {
		.scene = scene,
		.domains = json_object_get(document, "domains"),
		.attachments = json_object_get(document, "attachments"),
		.leftovers = json_object_get(document, "leftovers"),
		.marked = marked,
	};

	if (!document || !marked)
		return no_memory(err);
	if (list_marked(&survey, err) < 0 ||
	    store_each_record(scene->site.store, on_record, &survey, err) < 0 ||
	    store_each_domain(scene->site.store, on_domain, &survey, err) < 0 ||
	    add_leftovers(&survey, err) < 0)
		return -1;
	inventory_sort(survey.domains);
	inventory_sort(survey.attachments);
	inventory_sort(survey.leftovers);
	*inventory = take_ptr(&document);

	return 0;
}

int inventory_take(json_t **inventory, struct error *err)
{
	auto_scene struct scene scene = { .nobody = ATTACHMENT_NONE };

	return scene_open(&scene, err) < 0 ? -1 : inventory_read(&scene, inventory, err);
}
