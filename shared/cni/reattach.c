// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/cni/attachment.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/restore.h"
#include "shared/node/port.h"

/*
 * From before a port is made again until its pod's end is as it was the record says so: whoever is
 * killed in between leaves one that is made once more.
 */
static int mark(struct attachment *attachment, bool is_being_made, struct error *err)
{
	json_t *record = attachment->record;

	if (json_object_set_new(record, RECORD_REMADE, json_boolean(is_being_made)) < 0)
		return error_set(err, ERROR_INTERNAL, "out of memory for a record");
	if (!is_being_made)
		(void)json_object_del(record, RECORD_REMADE);

	return store_write_record(&attachment->store, attachment->id, record, err);
}

static bool is_being_made(const struct attachment *attachment)
{
	return json_is_true(json_object_get(attachment->record, RECORD_REMADE));
}

/* 1: it is where it should be, whole. */
static int find_port(struct attachment *attachment, const struct link *port, struct error *err)
{
	struct site site = attachment_site(attachment);
	char alias[LINK_ALIAS_SIZE];
	struct link_state state;
	struct link found;
	int r;

	if (is_being_made(attachment))
		return 0;
	attachment_alias(attachment, alias);
	if (port->place == PLACE_POD)
		return port_find_in_pod(&attachment->nl[PLACE_POD], attachment->port_name, alias,
					&found, err);
	r = port_find(&site, attachment->port_name, alias, &state, err);

	return r == 1 ? state.link.place == port->place : r;
}

/* Its bridge may be another one by now. The MAC of the node's end has no meaning; what a pod does
 * with an interface of its own is its business. */
static int mend_port(struct attachment *attachment, struct link *port, struct error *err)
{
	if (port->place == PLACE_POD)
		return 0;
	port->is_new = false;
	port->mac = (struct mac){ 0 };

	return links_converge(attachment->nl, attachment->links, attachment->n_links - 1,
			      attachment->n_links, NULL, err);
}

static int make_port(struct attachment *attachment, struct error *err)
{
	if (!attachment->nl[PLACE_POD].sock)
		return error_set(err, ERROR_INVALID_NETNS,
				 "%s is to be made again, but the pod's netns %s is not in sight: "
				 "wanted a mount namespace in which it is",
				 attachment->who.ifname, attachment->who.netns);

	return mark(attachment, true, err) < 0 || attach_unplug(attachment, err) < 0
		       ? -1
		       : attach_plug(attachment, err);
}

int attach_replug(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct link *port = &attachment->links[attachment->n_links - 1];
	int r = find_port(attachment, port, err);

	if (r < 0)
		return -1;

	return r == 1 ? mend_port(attachment, port, err) : make_port(attachment, err);
}

int attach_reconfigure(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	if (!is_being_made(attachment))
		return 0;

	return attach_configure(ctx, err) < 0 ? -1 : mark(attachment, false, err);
}

/* Neighbours learn from what the pod says, if it has set its interface down itself. */
int attach_reannounce(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct error failure;

	(void)err;
	if (attachment->nl[PLACE_POD].sock && attach_announce(ctx, &failure) < 0)
		error_warn("%s of container %.128s is not announced: %s", attachment->who.ifname,
			   attachment->who.container_id, failure.msg);

	return 0;
}
