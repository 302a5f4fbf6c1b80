// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/restore.h"

#include <errno.h>
#include <string.h>

#include "hbrctl/inventory.h"
#include "hbrctl/progress.h"
#include "hbrctl/types.h"
#include "shared/base/cleanup.h"
#include "shared/cni/restore.h"
#include "shared/kernel/address.h"
#include "shared/node/domain.h"

#define KEPT     "kept"
#define RESTORED "restored"
#define LEFT     "left"
#define FAILED   "failed"
#define DAMAGED  "damaged" /* on the way: its pods' records may tell */

struct restore {
	struct scene scene;
	json_t *names, *ids;           /* of domains, in the order in which they are restored; of
					* records */
	json_t *domains, *attachments; /* of the answer; borrowed */
	bool only_frr;
};

static void restore_end(struct restore *restore)
{
	scene_close(&restore->scene);
}

static int no_memory(struct error *err)
{
	return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe what is restored");
}

static int on_name(const char *name, json_t *values, void *arg, struct error *err)
{
	(void)values;

	return json_array_append_new(arg, json_string(name)) < 0 ? no_memory(err) : 0;
}

/* VRFs first: others are in them. Each is locked by itself, in no order that could matter. */
static int list_names(struct restore *restore, struct error *err)
{
	auto_json json_t *all = json_array();
	static const char vrf[] = "vrf-";
	json_t *name;
	size_t i;

	if (store_each_domain(restore->scene.site.store, on_name, all, err) < 0)
		return -1;
	inventory_sort(all);
	for (int is_vrf = 1; is_vrf >= 0; is_vrf--) {
		json_array_foreach(all, i, name) {
			if ((strncmp(json_string_value(name), vrf, strlen(vrf)) == 0) == is_vrf)
				(void)json_array_append(restore->names, name);
		}
	}

	return 0;
}

/* Is the VTEP where it was? A tunnel is made without it, and carries nothing. */
static int check_vtep(const struct scene *scene, const struct known *known, struct error *err)
{
	struct link links[LINKS_MAX];
	size_t n = known_list_links(known, scene->site.node, links);
	char text[IP_TEXT_SIZE];

	for (size_t i = 0; i < n; i++) {
		const struct ip *vtep = &links[i].vxlan.local;
		int r = links[i].kind == LINK_VXLAN
				? address_is_local(&scene->site.nl[PLACE_HBR], vtep, err)
				: 1;

		ip_print(vtep, text);
		if (r <= 0)
			return r < 0 ? -1
				     : error_set(err, ERROR_CONFLICT,
						 "%s has the VTEP %s, which is no address in the "
						 "HBR netns: wanted it there",
						 links[i].name, text);
	}

	return 0;
}

/* What is done with one domain: a word of those above. */
static const char *restore_known(struct restore *restore, struct known *known, struct error *err)
{
	struct site *site = &restore->scene.site;
	bool changed = false;
	int r = domain_is_held(&known->domain, site, err);

	if (r == 0 && known->has_leg)
		r = domain_is_held(&known->leg, site, err);
	if (r == 0)
		error_set(err, ERROR_STATE, "nobody holds it: hbrctl gc removes it");
	if (r <= 0)
		return r < 0 ? FAILED : LEFT;
	r = domain_restore(&known->domain, site, &changed, err);
	if (r == 0)
		error_set(err, ERROR_STATE, "its file tells nothing, nor do its pods' records");
	if (r == 1 && check_vtep(&restore->scene, known, err) < 0)
		r = -1;

	return r < 0 ? FAILED : r == 0 ? DAMAGED : changed ? RESTORED : KEPT;
}

/* The message of an error, for a word that says that there was none too. */
static const char *reason(const char *did, const struct error *err)
{
	return strcmp(did, KEPT) == 0 || strcmp(did, RESTORED) == 0 ? NULL : err->msg;
}

static int tell_domain(json_t *list, const struct domain *domain, const char *did,
		       const struct error *err)
{
	return json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s*}", "name", domain->name,
						     "title", domain->title, "did", did, "why",
						     reason(did, err)));
}

/* Does one of the list say that of this key? */
static bool is_said(json_t *list, const char *key, const char *text)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		if (strcmp(inventory_text(entry, key), text) == 0)
			return true;
	}

	return false;
}

/* A leg goes with the domain that it belongs to, whichever is met first. */
static int restore_domain(struct restore *restore, const char *name, json_t *list,
			  struct error *err)
{
	auto_known struct known known = { 0 };
	int r = known_read(&known, &restore->scene, name, err);
	struct error why = { 0 };
	const char *did;

	if (r <= 0 || is_said(list, "name", known.domain.name))
		return r < 0 ? -1 : 0;
	if (restore->only_frr && !known.domain.kind->has_lost)
		return 0;
	did = restore_known(restore, &known, &why);

	return tell_domain(list, &known.domain, did, &why) < 0 ? no_memory(err) : 0;
}

static int restore_domains(struct restore *restore, struct error *err)
{
	json_t *name;
	size_t i;

	json_array_foreach(restore->names, i, name) {
		if (restore_domain(restore, json_string_value(name), restore->domains, err) < 0)
			return -1;
		progress_tell(i, json_array_size(restore->names));
	}

	return 0;
}

/* Of a domain whose file told nothing: by now its pods' records have, or never will. */
static void correct(json_t *entry)
{
	const char *did = inventory_text(entry, "did");

	if (strcmp(did, KEPT) == 0)
		(void)json_object_set_new(entry, "did", json_string(RESTORED));
	if (strcmp(did, DAMAGED) == 0)
		(void)json_object_set_new(entry, "did", json_string(FAILED));
}

/* What the records of its pods have told of a domain by now. */
static int look_again(struct restore *restore, struct error *err)
{
	auto_json json_t *list = json_array();
	json_t *entry;
	size_t i;

	json_array_foreach(restore->domains, i, entry) {
		const char *name = inventory_text(entry, "name");

		if (strcmp(inventory_text(entry, "did"), DAMAGED) != 0) {
			(void)json_array_append(list, entry);
			continue;
		}
		if (restore_domain(restore, name, list, err) < 0)
			return -1;
		correct(json_array_get(list, json_array_size(list) - 1));
	}

	return json_array_clear(restore->domains) < 0 ||
			       json_array_extend(restore->domains, list) < 0
		       ? no_memory(err)
		       : 0;
}

static const char *restore_record(struct restore *restore, json_t *record, struct error *err)
{
	static const char *const words[] = {
		[RESTORE_KEPT] = KEPT, [RESTORE_DONE] = RESTORED, [RESTORE_LEFT] = LEFT
	};
	const struct attachment_type *type = types_find(inventory_text(record, "plugin"));
	enum restored did;

	if (!type) {
		error_set(err, ERROR_STATE, "its record does not say by which plugin it was made");
		return FAILED;
	}

	return restore_recorded(type, &restore->scene.who, record, &did, err) < 0 ? FAILED
										  : words[did];
}

static int restore_id(struct restore *restore, const char *id, struct error *err)
{
	auto_json json_t *record = NULL;
	struct error why = { 0 };
	const char *did;
	json_t *said;
	int r = store_read_record(restore->scene.site.store, id, &record, err);

	if (r <= 0) /* a DEL was faster */
		return r;
	did = restore_record(restore, record, &why);
	said = json_pack("{s:s, s:s, s:O*, s:s, s:s*}", "interface",
			 inventory_text(record, "ifname"), "container",
			 inventory_text(record, "containerID"), "pod",
			 json_object_get(record, "pod"), "did", did, "why", reason(did, &why));

	return json_array_append_new(restore->attachments, said) < 0 ? no_memory(err) : 0;
}

/* Records are written on the way: which there are is read before. */
static int restore_records(struct restore *restore, struct error *err)
{
	json_t *id;
	size_t i;

	if (store_each_record(restore->scene.site.store, on_name, restore->ids, err) < 0)
		return -1;
	json_array_foreach(restore->ids, i, id) {
		if (restore_id(restore, json_string_value(id), err) < 0)
			return -1;
		progress_tell(i, json_array_size(restore->ids));
	}
	inventory_sort(restore->attachments);

	return 0;
}

/* What is there of ours and nobody remembers: what else there was is not known any more. */
static int list_unknown(struct restore *restore, json_t *answer, struct error *err)
{
	auto_json json_t *inventory = NULL;

	if (inventory_read(&restore->scene, &inventory, err) < 0)
		return -1;

	return json_object_set(answer, "unknown", json_object_get(inventory, "leftovers"));
}

static int restore_all(struct restore *restore, json_t *answer, struct error *err)
{
	if (list_names(restore, err) < 0 || restore_domains(restore, err) < 0)
		return -1;
	if (!restore->only_frr && restore_records(restore, err) < 0)
		return -1;
	if (look_again(restore, err) < 0)
		return -1;

	return restore->only_frr ? 0 : list_unknown(restore, answer, err);
}

/* Elsewhere one that is away is an answer; here there is nothing to do without it. */
static int need_hbr(const struct scene *scene, struct error *err)
{
	auto_netns struct netns hbr = NETNS_NONE;

	if (scene_has_hbr(scene))
		return 0;
	if (netns_open(&hbr, scene->site.node->hbr_netns, err) < 0)
		return error_wrap(err, "hbrNetns");

	return error_set(err, ERROR_INVALID_NETNS,
			 "hbrNetns: %s is the host's own network namespace: wanted one of its own",
			 scene->site.node->hbr_netns);
}

int restore_run(const struct options *options, struct error *err)
{
	auto_json json_t *names = json_array(), *ids = json_array();
	auto_json json_t *answer =
		json_pack("{s:[], s:[], s:[]}", "domains", "attachments", "unknown");
	CLEANUP(restore_end)
	struct restore restore = {
		.scene = { .nobody = ATTACHMENT_NONE },
		.names = names,
		.ids = ids,
		.domains = json_object_get(answer, "domains"),
		.attachments = json_object_get(answer, "attachments"),
		.only_frr = options->given & OPTION_FRR,
	};

	if (!names || !ids || !answer)
		return no_memory(err);
	if (scene_open(&restore.scene, err) < 0 || need_hbr(&restore.scene, err) < 0)
		return -1;
	restore.scene.site.doubts_frr = true;
	if (restore_all(&restore, answer, err) < 0)
		return -1;
	if ((options->given & OPTION_JSON) && command_print_json(answer, err) < 0)
		return -1;
	if (!(options->given & OPTION_JSON))
		restore_print(answer);

	return is_said(restore.domains, "did", FAILED) ||
			       is_said(restore.attachments, "did", FAILED) ||
			       json_array_size(json_object_get(answer, "unknown"))
		       ? COMMAND_FOUND
		       : COMMAND_FINE;
}
