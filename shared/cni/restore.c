// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/restore.h"

#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/cni/attachment_compare.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/attachment_record.h"
#include "shared/cni/document.h"
#include "shared/node/holder.h"

/* What it is now that it is locked: a DEL may have been faster. */
static int take_record(struct attachment *attachment, struct error *err)
{
	auto_json json_t *record = NULL;
	int r = store_read_record(&attachment->store, attachment->id, &record, err);

	if (r <= 0)
		return r;

	return attachment_take_record(attachment, record, err) < 0 ||
			       attachment_read_values(attachment, err) < 0 ||
			       attachment_enter(attachment, true, err) < 0
		       ? -1
		       : 1;
}

/* 1 there is somebody to restore it for; 0 err says why not. */
static int is_wanted(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	int r;

	if (!document_member(attachment->record, "result")) {
		error_set(err, ERROR_STATE, "its ADD did not end: the runtime calls DEL for it");
		return 0;
	}
	r = holder_is_dead(&site, attachment->record, err);
	if (r == 1)
		error_set(err, ERROR_UNKNOWN_CONTAINER,
			  "its pod is gone: hbrctl gc removes what is left");

	return r < 0 ? -1 : !r;
}

/* Whole, as far as that can be seen: a port that is in the pod (a macvlan) cannot be from outside.
 */
static bool is_whole(struct attachment *attachment)
{
	bool is_half = json_is_true(json_object_get(attachment->record, RECORD_REMADE));
	struct error difference;

	return !is_half && (attachment->nl[PLACE_POD].sock || !attachment_is_in_pod(attachment)) &&
	       attachment_compare(attachment, &difference) == 0;
}

static int repeat(struct attachment *attachment, enum restored *did, struct error *err)
{
	const struct attachment_type *type = attachment->type;

	attachment->is_restored = true;
	*did = RESTORE_KEPT;
	if (is_whole(attachment))
		return attach_reannounce(attachment, err);
	*did = RESTORE_DONE;

	return steps_repeat(type->steps, type->n_steps, attachment, err) < 0
		       ? -1
		       : attachment_compare(attachment, err);
}

int restore_recorded(const struct attachment_type *type, const struct request *caller,
		     json_t *record, enum restored *did, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	struct request who = attachment_request(record, caller);
	int r;

	*did = RESTORE_LEFT;
	if (attachment_open(&attachment, type, &who, false, err) < 0 ||
	    attachment_lock(&attachment, ATTACHMENT_LOCK_MS, err) < 0)
		return -1;
	r = take_record(&attachment, err);
	if (r == 0)
		error_set(err, ERROR_UNKNOWN_CONTAINER, "a DEL has removed it meanwhile");
	if (r == 1)
		r = is_wanted(&attachment, err);
	if (r <= 0)
		return r;

	return attachment_visit_pod(&attachment, err) < 0 ? -1 : repeat(&attachment, did, err);
}
