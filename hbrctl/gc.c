// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "hbrctl/command.h"
#include "hbrctl/inventory.h"
#include "hbrctl/progress.h"
#include "hbrctl/types.h"
#include "hbrctl/unowned.h"
#include "shared/base/cleanup.h"
#include "shared/cni/detach.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/neighbor.h"
#include "shared/node/domain.h"
#include "shared/node/holder.h"

/* One domain that the holder of an id holds; what is dead now, and not what was when it was looked
 * at. */
static int release(const struct scene *scene, const char *name, const char *id, struct error *err)
{
	auto_known struct known known = { 0 };
	auto_json json_t *holder = NULL;
	int r = store_read_holder(scene->site.store, name, id, &holder, err);

	if (r == 1)
		r = holder_is_dead(&scene->site, holder, err);
	if (r == 1)
		r = known_read(&known, scene, name, err);
	if (r <= 0)
		return r;
	if (known.has_leg && domain_release(&known.leg, &scene->site, id, err) < 0)
		return -1;

	return domain_release(&known.domain, &scene->site, id, err);
}

/* A holder that has no record any more: only what it holds can be let go. */
static int release_all(const struct scene *scene, json_t *inventory, const char *id,
		       struct error *err)
{
	json_t *domain;
	size_t i;

	json_array_foreach(json_object_get(inventory, "domains"), i, domain) {
		if (inventory_has_text(json_object_get(domain, "held"), id) &&
		    release(scene, inventory_text(domain, "name"), id, err) < 0)
			return -1;
	}

	return 0;
}

/* Under its lock: no ADD is under way that would find its holders gone. */
static int bury_unrecorded(const struct scene *scene, json_t *inventory, const char *id,
			   struct error *err)
{
	auto_lock struct lock lock = LOCK_NONE;
	auto_json json_t *record = NULL;
	int r = store_lock(scene->site.store, id, 0, &lock, err);

	if (r <= 0)
		return r;
	r = store_read_record(scene->site.store, id, &record, err);
	if (r != 0)
		return r < 0 ? -1 : 0;
	r = release_all(scene, inventory, id, err);
	lock_discard(&lock);

	return r;
}

/* The way of DEL, under the attachment's lock; one that somebody is at work on stays. */
static int bury(const struct scene *scene, json_t *inventory, json_t *attachment, struct error *err)
{
	const struct attachment_type *type = types_find(inventory_text(attachment, "plugin"));
	const char *id = inventory_text(attachment, "id");
	auto_json json_t *record = NULL;
	int r = store_read_record(scene->site.store, id, &record, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return bury_unrecorded(scene, inventory, id, err);
	/* It may have come back to life since it was looked at. */
	r = type ? holder_is_dead(&scene->site, record, err) : 0;

	return r == 1 ? detach_recorded(type, &scene->who, record, err) : r;
}

/* What an L2 domain that is gone held. */
static int release_children(const struct scene *scene, struct known *known, json_t *held,
			    struct error *err)
{
	json_t *entry;
	size_t i;

	json_array_foreach(held, i, entry) {
		const char *id = json_string_value(entry);

		if (holder_is_domain(id) &&
		    domain_release_child(&known->domain, &scene->site, id, err) < 0)
			return -1;
	}

	return 0;
}

static int sweep(const struct scene *scene, const char *name, struct error *err)
{
	auto_known struct known known = { 0 };
	int r = known_read(&known, scene, name, err);

	if (r <= 0)
		return r;
	/* A leg that nobody remembers may be there all the same. */
	if (known.leg.kind && domain_sweep(&known.leg, &scene->site, err) < 0)
		return -1;

	return domain_sweep(&known.domain, &scene->site, err);
}

/* One that fails does not keep the others: what stays is told. */
static void warn(const char *name, int r, const struct error *err)
{
	if (r < 0)
		error_warn("%s: %s", name, err->msg);
}

static int sweep_domain(const struct scene *scene, json_t *domain, struct error *err)
{
	const char *name = inventory_text(domain, "name");
	auto_known struct known known = { 0 };
	int r = known_read(&known, scene, name, err);

	if (r <= 0)
		return r;
	if (release_children(scene, &known, json_object_get(domain, "held"), err) < 0)
		return -1;

	return strcmp(inventory_text(domain, "state"), "unheld") == 0 ? sweep(scene, name, err) : 0;
}

static void sweep_domains(const struct scene *scene, json_t *inventory)
{
	json_t *domain;
	struct error err;
	size_t i;

	json_array_foreach(json_object_get(inventory, "domains"), i, domain)
		warn(inventory_text(domain, "name"), sweep_domain(scene, domain, &err), &err);
}

/* The domain that a link would be of: its VRF's, or that of its VNI. */
static void name_domain(json_t *link, char name[static STORE_NAME_SIZE])
{
	if (strcmp(inventory_text(link, "kind"), "vrf") == 0)
		snprintf(name, STORE_NAME_SIZE, "vrf-%s", inventory_text(link, "name"));
	else
		snprintf(name, STORE_NAME_SIZE, "l2-%u",
			 (unsigned)json_integer_value(json_object_get(link, "key")));
}

/* Is it a VLAN of the host's, on which something stands for certain? */
static int has_guest(const struct scene *scene, json_t *link, struct error *err)
{
	struct netlink *host = &scene->site.nl[PLACE_HOST];
	int index, r;

	if (strcmp(inventory_text(link, "kind"), "vlan") != 0 ||
	    strcmp(inventory_text(link, "in"), "host") != 0)
		return 0;
	r = link_find_index(host, inventory_text(link, "name"), &index, err);

	return r == 1 ? fdb_has_guest(host, index, err) : r;
}

/* With --force a VLAN goes on which nothing is seen, and with it all of its domain; but for one
 * that is proven to be needed. */
static int may_be_forced(const struct scene *scene, json_t *leftovers, json_t *link,
			 struct error *err)
{
	json_t *key = json_object_get(link, "key"), *other;
	size_t i;

	json_array_foreach(leftovers, i, other) {
		int r = json_equal(json_object_get(other, "key"), key)
				? has_guest(scene, other, err)
				: 0;

		if (r != 0)
			return r < 0 ? -1 : 0;
	}

	return 1;
}

static int sweep_leftover(struct scene *scene, json_t *leftovers, json_t *link, bool is_forced,
			  struct error *err)
{
	char name[STORE_NAME_SIZE];
	int r = is_forced ? may_be_forced(scene, leftovers, link, err) : 0;

	if (r < 0 || unowned_is_port(link))
		return r < 0 ? -1 : 0;
	name_domain(link, name);
	scene->site.is_certain = r == 1;
	r = sweep(scene, name, err);
	scene->site.is_certain = false;

	return r < 0 ? -1 : 0;
}

/* Where the state is lost there is nothing to lock: an ADD that comes now is to find the locks. */
static int make_store(struct scene *scene, struct error *err)
{
	const struct node *node = scene->site.node;

	return scene->nobody.store.fd >= 0
		       ? 0
		       : store_open(&scene->nobody.store, node->state_dir, node->slug, true, err);
}

static int sweep_leftovers(struct scene *scene, json_t *inventory, bool is_forced,
			   struct error *err)
{
	json_t *list = json_object_get(inventory, "leftovers"), *link;
	struct error failure;
	size_t i;

	if (json_array_size(list) && make_store(scene, err) < 0)
		return -1;
	json_array_foreach(list, i, link) {
		warn(inventory_text(link, "name"),
		     sweep_leftover(scene, list, link, is_forced, &failure), &failure);
		progress_tell(i, json_array_size(list));
	}

	return 0;
}

static void bury_all(const struct scene *scene, json_t *inventory)
{
	json_t *list = json_object_get(inventory, "attachments"), *attachment;
	struct error err;
	size_t i;

	json_array_foreach(list, i, attachment) {
		if (strcmp(inventory_text(attachment, "state"), "dead") == 0)
			warn(inventory_text(attachment, "container"),
			     bury(scene, inventory, attachment, &err), &err);
		progress_tell(i, json_array_size(list));
	}
}

/* The dead first: what they alone kept goes with them, and is looked at anew. An ADD that died
 * while it wrote its first record has left nothing else. */
static int collect(struct scene *scene, json_t *before, bool is_forced, json_t **after,
		   struct error *err)
{
	auto_json json_t *between = NULL;

	bury_all(scene, before);
	warn("attachments", store_sweep(scene->site.store, err), err);
	if (inventory_read(scene, &between, err) < 0)
		return -1;
	sweep_domains(scene, between);

	return sweep_leftovers(scene, between, is_forced, err) < 0
		       ? -1
		       : inventory_read(scene, after, err);
}

int gc_run(const struct options *options, struct error *err)
{
	auto_scene struct scene scene = { .nobody = ATTACHMENT_NONE };
	auto_json json_t *before = NULL, *after = NULL, *answer = NULL;
	bool is_dry = options->given & OPTION_DRY_RUN;

	if (scene_open(&scene, err) < 0 || inventory_read(&scene, &before, err) < 0 ||
	    (!is_dry && collect(&scene, before, options->given & OPTION_FORCE, &after, err) < 0))
		return -1;
	answer = unowned_report(before, after);
	if (!answer)
		return error_set(err, ERROR_INTERNAL, "out of memory for a report");
	if ((options->given & OPTION_JSON) && command_print_json(answer, err) < 0)
		return -1;
	if (!(options->given & OPTION_JSON))
		unowned_print(answer, is_dry);

	return json_array_size(json_object_get(answer, "stays")) ||
			       (is_dry && json_array_size(json_object_get(answer, "goes")))
		       ? COMMAND_FOUND
		       : COMMAND_FINE;
}
