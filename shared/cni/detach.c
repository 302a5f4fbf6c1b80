// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/detach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/attachment_record.h"
#include "shared/cni/claim.h"
#include "shared/cni/delegate.h"
#include "shared/cni/document.h"
#include "shared/node/domain.h"
#include "shared/node/holder.h"
#include "shared/node/port.h"

#define LOOK_AT_MAX 4  /* holders, when one of them lives */
#define REAP_MAX    64 /* in one call; the next one goes on */
#define HANDED_OVER "HBR_CNI_HANDED_OVER"

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

/* An operator has given the network another "type" since ADD. */
static bool is_anothers(const struct attachment *attachment, json_t *record)
{
	const char *plugin = document_member_text(record, "plugin");

	return plugin[0] && strcmp(plugin, attachment->type->name) != 0;
}

/* What can be undone of an attachment that nobody remembers. A writer that was killed may have left
 * half a record. */
static const struct step unknown[] = {
	{ "record", NULL, attach_forget, NULL, true },
	{ "ipam", NULL, attach_return_ipam, NULL, false },
	{ "domain", NULL, attach_release, NULL, false },
	{ "port", NULL, attach_unplug_any, NULL, false },
};

/* Its domains follow from the mark on its port, or from the network's keys if they still tell;
 * those of another plugin's kind are not known here. */
static int detach_unknown(struct attachment *attachment, struct error *err)
{
	const struct attachment_type *type = attachment->type;
	struct site site = attachment_site(attachment);
	char alias[LINK_ALIAS_SIZE];
	struct link_state port;
	bool is_foreign = is_anothers(attachment, attachment->record);
	struct error unread;
	int r;

	attachment_alias(attachment, alias);
	r = port_find(&site, attachment->port_name, alias, &port, err);
	if (r < 0)
		return -1;
	if (attachment_read_values(attachment, &unread) < 0 || is_foreign)
		attachment->n_domains = 0;
	if (r == 1 && !is_foreign) {
		if (type->recover(&site, &port, attachment->values, err) < 0)
			return -1;
		attachment->n_domains =
			type->domains(attachment->values, &attachment->given, attachment->domains);
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

	if (is_anothers(attachment, record)) {
		error_set(&unread, ERROR_STATE, "it is of %.64s",
			  document_member_text(record, "plugin"));
		is_read = false;
	}
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

/* Whose it is finds it to be its own: once is enough, whatever is installed under that name. */
static int call_owner(const struct attachment *attachment, json_t *record, struct error *err)
{
	const struct request who = attachment_request(record, &attachment->who);
	CLEANUP(delegate_free) struct child_output output = { 0 };
	auto_free char *config = json_dumps(who.config, JSON_COMPACT);
	const struct delegate owner = { "plugin", document_member_text(record, "plugin"), "",
					config };

	if (!config || setenv(HANDED_OVER, "1", 1) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "the configuration for %.64s",
				   owner.type);
	if (delegate_run(&who, VERB_DEL, &owner, &output, err) == 0)
		return 1;
	if (err->code != ERROR_DELEGATE_EXEC && err->code != ERROR_INVALID_ENVIRONMENT)
		return -1;
	error_warn("record %s: %s; what it leaves goes with \"hbrctl gc\"", attachment->id,
		   err->msg);

	return 0;
}

int detach_by_owner(const struct attachment *attachment, struct error *err)
{
	auto_json json_t *record = NULL;
	const char *plugin;
	int r = store_read_record(&attachment->store, attachment->id, &record, err);

	if (r <= 0)
		return r;
	plugin = document_member_text(record, "plugin");
	if (!is_anothers(attachment, record) || getenv(HANDED_OVER) ||
	    strncmp(plugin, "hbr-", 4) != 0 || strchr(plugin, '/'))
		return 0;

	return call_owner(attachment, record, err);
}

int detach_recorded(const struct attachment_type *type, const struct request *caller,
		    json_t *record, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	struct request who = attachment_request(record, caller);
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

static void *at_offset(void *base, size_t offset)
{
	return (char *)base + offset;
}

/* What its domain was made with is read into a copy: a living attachment's values are its own. */
static int release_forgotten(struct attachment *attachment, const struct domain *domain,
			     const char *id, struct error *err)
{
	size_t size = attachment->type->values_size;
	size_t at = (size_t)((char *)domain->network.values - (char *)attachment->values);
	struct site site = attachment_site(attachment);
	struct domain its = *domain;
	auto_free void *values = malloc(size);

	if (!values)
		return error_set(err, ERROR_INTERNAL, "out of memory for the network's keys");
	memcpy(values, attachment->values, size);
	its.network.values = at_offset(values, at);
	if (holder_is_domain(id))
		return domain_release_child(&its, &site, id, err);

	return domain_release(&its, &site, id, err);
}

/* The dead one's record says what it had; without one only the holder itself is left of it. */
static int bury(struct attachment *attachment, const struct domain *domain, const char *id,
		struct error *err)
{
	auto_json json_t *record = NULL;
	int r;

	if (holder_is_domain(id))
		return release_forgotten(attachment, domain, id, err);
	r = store_read_record(&attachment->store, id, &record, err);
	if (r < 0)
		return -1;
	if (r == 0)
		return release_forgotten(attachment, domain, id, err);
	if (strcmp(document_member_text(record, "plugin"), attachment->type->name) != 0)
		return 0;

	return detach_recorded(attachment->type, &attachment->who, record, err);
}

/* The MAC that is asked for is perhaps a dead one's, which is not among the few that are looked at:
 * 1 when it is gone now. */
static int bury_rival(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	auto_json json_t *record = NULL;
	char id[STORE_NAME_SIZE];
	int r = claim_find_rival(attachment, id, err);

	if (r == 1)
		r = store_read_record(&attachment->store, id, &record, err);
	if (r == 1)
		r = holder_is_dead(&site, record, err);

	return r == 1 ? bury(attachment, &attachment->domains[0], id, err) : r;
}

static void reap(struct attachment *attachment, const struct domain *domain)
{
	struct dead dead = { .attachment = attachment };
	struct error err;

	if (store_each_holder(&attachment->store, domain->name, on_holder, &dead, &err) < 0)
		error_warn("%s: %s", domain->title, err.msg);
	for (size_t i = 0; i < dead.n; i++) {
		if (bury(attachment, domain, dead.ids[i], &err) < 0)
			error_warn("%s: a dead holder stays: %s", domain->title, err.msg);
	}
}

void detach_dead(struct attachment *attachment)
{
	struct domain other;
	struct error err;

	if (bury_rival(attachment, &err) < 0)
		error_warn("the MAC's former owner stays: %s", err.msg);
	/* Last first, as in a release: a leg is a port of the L2 domain's bridge. */
	for (size_t i = attachment->n_domains; i-- > 0;) {
		const struct domain *domain = &attachment->domains[i];

		/* What is left on a leg keeps the domain, also where nobody needs that leg now. */
		if (i + 1 == attachment->n_domains && domain_leg(domain, &other))
			reap(attachment, &other);
		reap(attachment, domain);
		if (domain_parent(domain, &other))
			reap(attachment, &other);
	}
}
