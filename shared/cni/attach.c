// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attach.h"

#include <errno.h>

#include "shared/base/cleanup.h"
#include "shared/cni/attachment.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/attachment_record.h"
#include "shared/cni/claim.h"
#include "shared/cni/document.h"
#include "shared/cni/ipam.h"
#include "shared/cni/result.h"
#include "shared/kernel/announce.h"
#include "shared/node/domain.h"
#include "shared/node/port.h"

int attach_remember(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	auto_json json_t *record = attachment_describe(attachment, NULL);

	if (!record)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe %s", attachment->id);

	return store_write_record(&attachment->store, attachment->id, record, err);
}

int attach_forget(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	return store_remove_record(&attachment->store, attachment->id, err);
}

int attach_ask_ipam(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	const struct request *who = &attachment->who;
	const char *type;

	if (ipam_type(who->config, &type, err) < 0)
		return -1;
	if (!type)
		return 0;
	if (ipam_run(who, VERB_ADD, type, who->text, &attachment->ipam_result, err) < 0) {
		/* In the middle, or with words that nobody understands, it may have given one. */
		attachment->ipam_refused =
			err->code != ERROR_TRY_AGAIN && err->code != ERROR_DELEGATE_RESULT;
		return -1;
	}

	return result_addressing(attachment->ipam_result, ERROR_DELEGATE_RESULT,
				 &attachment->interface->addressing, err);
}

/*
 * The IPAM plugin gets the very text that we got, unless its block in there is not the one of ADD:
 * runtimes are known to hand DEL a poorer one.
 */
static int return_ipam(struct attachment *attachment, struct error *err)
{
	const struct request *who = &attachment->who;
	auto_json json_t *given = NULL;
	auto_free char *recorded = NULL;
	struct error ignored;
	const char *type;

	if (ipam_type(who->config, &type, err) < 0)
		return -1;
	if (!type)
		return 0;
	if (who->text)
		(void)document_decode(who->text, who->size, "the configuration", ERROR_DECODE,
				      &given, &ignored);
	if (given &&
	    json_equal(document_member(given, "ipam"), document_member(who->config, "ipam")))
		return ipam_run(who, VERB_DEL, type, who->text, NULL, err);

	recorded = json_dumps(who->config, JSON_COMPACT);
	if (!recorded)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "the configuration for %s", type);

	return ipam_run(who, VERB_DEL, type, recorded, NULL, err);
}

int attach_return_ipam(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	if (return_ipam(attachment, err) == 0)
		return 0;
	if (!attachment->ipam_refused)
		return -1;
	error_warn("%s; it gave no address, so none is kept", err->msg);

	return 0;
}

/* What could not be locked was not touched, nor was what comes after it: it is not to be waited for
 * once more, only to be left again. */
static int leave_rest(struct attachment *attachment, size_t i)
{
	if (attachment->domains[i].lock.fd >= 0 && !attachment->domains[i].is_missed)
		i++;
	while (i < attachment->n_domains)
		attachment->domains[i++].is_missed = true;

	return -1;
}

static int hold_all(struct attachment *attachment, const struct site *site, struct error *err)
{
	auto_json json_t *holder = attachment_describe_holder(attachment);

	if (!holder)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe a holder");
	for (size_t i = 0; i < attachment->n_domains; i++) {
		if (domain_hold(&attachment->domains[i], site, attachment->id, holder, err) < 0)
			return leave_rest(attachment, i);
	}

	return 0;
}

int attach_hold(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct site site = attachment_site(attachment);

	/* Nothing is made yet, but the domains are locked, and who else is in them is known. */
	if (hold_all(attachment, &site, err) < 0 || claim_take(attachment, err) < 0)
		return -1;
	attachment->n_links = 0;
	for (size_t i = 0; i < attachment->n_domains; i++) {
		if (domain_converge(&attachment->domains[i], &site, attachment->links,
				    &attachment->n_links, &attachment->changed, err) < 0)
			return -1;
	}
	attachment_list_port(attachment);

	return 0;
}

/* All of them, whatever fails; the first failure is told. */
int attach_release(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct site site = attachment_site(attachment);
	struct error failure;
	int r = claim_drop(attachment, err);

	for (size_t i = attachment->n_domains; i-- > 0;) {
		struct domain *domain = &attachment->domains[i];

		if (domain->is_missed ||
		    domain_release(domain, &site, attachment->id, &failure) == 0)
			continue;
		if (r == 0)
			*err = failure;
		r = -1;
	}

	return r;
}

int attach_plug(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	return links_converge(attachment->nl, attachment->links, attachment->n_links - 1,
			      attachment->n_links, NULL, err);
}

static int unplug_in_pod(struct attachment *attachment, struct error *err)
{
	char alias[LINK_ALIAS_SIZE];

	if (!attachment->nl[PLACE_POD].sock && attachment_visit_pod(attachment, err) < 0)
		return -1;
	attachment_alias(attachment, alias);

	return port_remove_in_pod(&attachment->nl[PLACE_POD], attachment->port_name, alias, err);
}

static int unplug_on_node(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	char alias[LINK_ALIAS_SIZE];

	attachment_alias(attachment, alias);

	return port_remove(&site, attachment->port_name, alias, err);
}

int attach_unplug(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	return attachment_is_in_pod(attachment) ? unplug_in_pod(attachment, err)
						: unplug_on_node(attachment, err);
}

int attach_unplug_any(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	return unplug_on_node(attachment, err) < 0 ? -1 : unplug_in_pod(attachment, err);
}

int attach_publish(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct site site = attachment_site(attachment);

	(void)err;
	for (size_t i = 0; attachment->changed && i < attachment->n_domains; i++)
		domain_publish(&attachment->domains[i], &site);

	return 0;
}

int attach_unlock(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;

	(void)err;
	for (size_t i = 0; i < attachment->n_domains; i++)
		domain_unlock(&attachment->domains[i]);

	return 0;
}

int attach_configure(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	struct pod pod = attachment_pod(attachment);

	return pod_configure(&pod, err);
}

/* Every port on the way, while the domain is new; on one that others use only the pod's own. */
static int await_path(struct attachment *attachment, struct error *err)
{
	bool all = attachment->changed || attachment->is_restored;
	size_t first = all ? 0 : attachment->n_links - 1;

	for (size_t i = first; i < attachment->n_links; i++) {
		struct link *link = &attachment->links[i];

		/* A vxlan has no carrier to wait for: it forwards as soon as it is up. */
		if (link->is_port && port_await(&attachment->nl[link->place], link, err) < 0)
			return -1;
	}

	return 0;
}

int attach_announce(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	const struct interface *interface = attachment->interface;
	const struct addressing *addressing = &interface->addressing;
	struct pod pod = attachment_pod(attachment);
	struct ip addresses[RESULT_IPS_MAX];

	if (addressing->n_ips == 0)
		return 0;
	for (size_t i = 0; i < addressing->n_ips; i++)
		addresses[i] = addressing->ips[i].address;
	if (await_path(attachment, err) < 0 || pod_await_addresses(&pod, err) < 0)
		return -1;

	return announce_addresses(&attachment->pod, pod.ifname, &interface->mac, addresses,
				  addressing->n_ips, err);
}

int attach_confirm(void *ctx, struct error *err)
{
	struct attachment *attachment = ctx;
	auto_netns struct netns now = NETNS_NONE;
	auto_netlink struct netlink nl = { 0 };
	struct error gone;

	if (netns_open(&now, attachment->node.hbr_netns, &gone) == 0 &&
	    netns_same(&now, &attachment->hbr) && netns_talk(&now, &nl, "HBR netns", &gone) == 0 &&
	    netlink_cookie(&nl) == netlink_cookie(&attachment->nl[PLACE_HBR]))
		return 0;

	return error_set(err, ERROR_TRY_AGAIN,
			 "the HBR netns %s was replaced by another one meanwhile: try again",
			 attachment->node.hbr_netns);
}
