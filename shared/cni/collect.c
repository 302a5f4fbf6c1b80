// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/detach.h"
#include "shared/cni/document.h"
#include "shared/cni/ipam.h"
#include "shared/cni/verbs.h"
#include "shared/node/holder.h"

/* GC: the key of the specification's text, and that of its library, which some callers send alone.
 */
static const char *const keys[] = { "cni.dev/valid-attachments", "cni.dev/attachments" };

struct collection {
	struct attachment *attachment;
	json_t *records; /* to be detached */
	bool listed;     /* there is a list; without one only the dead go */
};

static int check_list(json_t *list, const char *key, struct error *err)
{
	char text[80];
	json_t *entry;
	size_t i;

	if (!json_is_array(list) && !json_is_null(list)) {
		document_print(list, text, sizeof(text));
		return error_set(err, ERROR_INVALID_CONFIG,
				 "%s: %s is not allowed: wanted a list of attachments", key, text);
	}
	json_array_foreach(list, i, entry) {
		if (!document_text(document_member(entry, "containerID")) ||
		    !document_text(document_member(entry, "ifname"))) {
			document_print(entry, text, sizeof(text));
			return error_set(err, ERROR_INVALID_CONFIG,
					 "%s[%zu]: %s is not allowed: wanted an object with "
					 "containerID and ifname",
					 key, i, text);
		}
	}

	return 0;
}

static bool is_valid(json_t *config, json_t *record)
{
	json_t *entry;
	size_t i;

	for (size_t k = 0; k < COUNT(keys); k++) {
		json_array_foreach(json_object_get(config, keys[k]), i, entry) {
			if (json_equal(json_object_get(entry, "containerID"),
				       json_object_get(record, "containerID")) &&
			    json_equal(json_object_get(entry, "ifname"),
				       json_object_get(record, "ifname")))
				return true;
		}
	}

	return false;
}

static int on_record(const char *id, json_t *record, void *arg, struct error *err)
{
	struct collection *collection = arg;
	const struct request *who = &collection->attachment->who;
	struct site site = attachment_site(collection->attachment);
	const char *plugin = document_text(document_member(record, "plugin"));
	const char *name =
		document_text(document_member(document_member(record, "config"), "name"));
	int r;

	(void)id;
	if (!plugin || strcmp(plugin, collection->attachment->type->name) != 0 || !name ||
	    strcmp(name, who->name) != 0)
		return 0;
	/* A record says of its attachment what a holder says. */
	r = collection->listed ? !is_valid(who->config, record)
			       : holder_is_dead(&site, record, err);
	if (r == 1 && json_array_append(collection->records, record) < 0)
		return error_set(err, ERROR_INTERNAL, "out of memory for a list of records");

	return r < 0 ? -1 : 0;
}

static int detach_all(struct collection *collection, struct error *err)
{
	const struct attachment *attachment = collection->attachment;
	struct error failure;
	json_t *record;
	size_t i;
	int r = 0;

	json_array_foreach(collection->records, i, record) {
		if (detach_recorded(attachment->type, &attachment->who, record, &failure) == 0)
			continue;
		if (r == 0)
			*err = failure;
		r = -1;
	}

	return r;
}

int verb_gc(const void *type, const struct request *request, json_t **result, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	auto_json json_t *records = json_array();
	struct collection collection = { &attachment, records, false };
	struct error failure;
	const char *ipam;
	int r;

	(void)result;
	for (size_t i = 0; i < COUNT(keys); i++) {
		json_t *list = json_object_get(request->config, keys[i]);

		if (list && check_list(list, keys[i], err) < 0)
			return -1;
		collection.listed = collection.listed || list;
	}
	if (attachment_open(&attachment, type, request, false, err) < 0 ||
	    attachment_enter(&attachment, false, err) < 0 ||
	    store_each_record(&attachment.store, on_record, &collection, err) < 0 ||
	    ipam_type(request->config, &ipam, err) < 0)
		return -1;

	r = detach_all(&collection, err);
	if (ipam && ipam_run(request, VERB_GC, ipam, request->text, NULL, &failure) < 0) {
		if (r == 0)
			*err = failure;
		r = -1;
	}

	return r;
}
