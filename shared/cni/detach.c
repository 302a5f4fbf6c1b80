// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/detach.h"

#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/cni/document.h"
#include "shared/node/holder.h"
#include "shared/node/port.h"

#define LOOK_AT_MAX 4  /* holders, when one of them lives */
#define REAP_MAX    64 /* in one call; the next one goes on */

/* Is anything remembered of one of its domains? */
static bool has_domains(const struct attachment *attachment)
{
	struct error ignored;
	bool has = false;

	for (size_t i = 0; i < attachment->n_domains; i++)
		has = has || store_has_domain(&attachment->store, attachment->domains[i].name,
					      &ignored) == 1;

	return has;
}

/* What can be undone of an attachment that nobody remembers. A writer that was killed may have left
 * half a record. */
static const struct step unknown[] = {
	{ "record", NULL, attach_forget, true },
	{ "ipam", NULL, attach_return_ipam, false },
	{ "domain", NULL, attach_release, false },
	{ "port", NULL, attach_unplug_any, false },
};

/* Its domains follow from the mark on its port, or from the network's keys if they still tell. */
static int detach_unknown(struct attachment *attachment, struct error *err)
{
	const struct attachment_type *type = attachment->type;
	struct site site = attachment_site(attachment);
	struct link_state port;
	struct error unread;
	int r = port_find(&site, attachment->port_name, &port, err);

	if (r < 0)
		return -1;
	if (attachment_read_values(attachment, &unread) < 0)
		attachment->n_domains = 0;
	if (r == 1) {
		type->recover(port.link.group & ~LINK_GROUP_MASK, attachment->values);
		attachment->n_domains = type->domains(attachment->values, attachment->domains);
	} else if (!has_domains(attachment)) {
		attachment->n_domains = 0; /* a DEL of what never was touches nothing */
	}

	return steps_revert(unknown, COUNT(unknown), attachment, err);
}

/* The namespaces are those of the record, which need not be those that are named now. */
static int detach_record(struct attachment *attachment, json_t *record, struct error *err)
{
	const struct attachment_type *type = attachment->type;
	struct error unread;
	bool is_read = attachment_take_record(attachment, record, &unread) == 0 &&
		       attachment_read_values(attachment, &unread) == 0;

	if (attachment_enter(attachment, false, err) < 0)
		return -1;
	if (is_read)
		return steps_revert(type->steps, type->n_steps, attachment, err);
	error_warn("record %s: %s; cleaning up by the marks in the kernel", attachment->id,
		   unread.msg);

	return detach_unknown(attachment, err);
}

int detach(struct attachment *attachment, struct error *err)
{
	auto_json json_t *record = NULL;
	int r = store_read_record(&attachment->store, attachment->id, &record, err);

	if (r < 0)
		return -1;
	if (r == 1)
		return detach_record(attachment, record, err);

	return attachment_enter(attachment, false, err) < 0 ? -1 : detach_unknown(attachment, err);
}

static const char *text(json_t *record, const char *key)
{
	const char *value = document_text(document_member(record, key));

	return value ? value : "";
}

int detach_recorded(const struct attachment_type *type, const struct request *caller,
		    json_t *record, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	struct request who = {
		.verb = VERB_DEL,
		.version = caller->version,
		.container_id = text(record, "containerID"),
		.netns = text(record, "netns"),
		.ifname = text(record, "ifname"),
		.args = text(record, "args"),
		.path = caller->path,
		.umask = caller->umask,
		.config = document_member(record, "config"),
		.name = text(document_member(record, "config"), "name"),
	};
	int r;

	if (attachment_open(&attachment, type, &who, false, err) < 0)
		return -1;
	r = attachment_lock(&attachment, 0, err);
	if (r <= 0)
		return r;
	if (detach(&attachment, err) < 0)
		return -1;
	lock_discard(&attachment.lock);

	return 0;
}

struct dead {
	struct attachment *attachment;
	size_t looked_at;
	char ids[REAP_MAX][STORE_NAME_SIZE];
	size_t n;
};

static int on_holder(const char *id, json_t *holder, void *arg, struct error *err)
{
	struct dead *dead = arg;
	struct site site = attachment_site(dead->attachment);
	int r;

	if (strcmp(id, dead->attachment->id) == 0)
		return 0;
	r = holder_is_dead(&site, holder, err);
	if (r < 0)
		return -1;
	if (r == 1)
		memcpy(dead->ids[dead->n++], id, strnlen(id, STORE_NAME_SIZE - 1) + 1);

	/* As long as nobody lives, this may be the last call that ever comes: look at all. */
	dead->looked_at++;

	return (dead->n < dead->looked_at && dead->looked_at >= LOOK_AT_MAX) || dead->n == REAP_MAX;
}

/* In a copy of the values: what the domain was made with is not what is asked for now. */
static int drop_holder(struct attachment *attachment, const struct domain *domain, const char *id,
		       struct error *err)
{
	auto_free void *values = malloc(attachment->type->values_size);
	struct site site = attachment_site(attachment);
	struct network network = attachment_network(attachment);
	struct domain its = *domain;

	if (!values)
		return error_set(err, ERROR_INTERNAL, "out of memory for the network's keys");
	memcpy(values, network.values, attachment->type->values_size);
	network.values = values;

	return domain_release(&its, &site, &network, id, err);
}

/* The dead one's record says what it had; without one only the holder itself is left of it. */
static int bury(struct attachment *attachment, const struct domain *domain, const char *id,
		struct error *err)
{
	auto_json json_t *record = NULL;
	int r = store_read_record(&attachment->store, id, &record, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return drop_holder(attachment, domain, id, err);
	if (strcmp(text(record, "plugin"), attachment->type->name) != 0)
		return 0;

	return detach_recorded(attachment->type, &attachment->who, record, err);
}

void detach_dead(struct attachment *attachment)
{
	struct error err;

	/* Last first, as in a release: the trunk's leg is a port of the L2 domain's bridge. */
	for (size_t d = attachment->n_domains; d-- > 0;) {
		const struct domain *domain = &attachment->domains[d];
		struct dead dead = { .attachment = attachment };

		if (store_each_holder(&attachment->store, domain->name, on_holder, &dead, &err) < 0)
			error_warn("%s: %s", domain->title, err.msg);
		for (size_t i = 0; i < dead.n; i++) {
			if (bury(attachment, domain, dead.ids[i], &err) < 0)
				error_warn("%s: a dead holder stays: %s", domain->title, err.msg);
		}
	}
}
