// SPDX-License-Identifier: Apache-2.0
#include "shared/base/cleanup.h"
#include "shared/cni/attachment.h"
#include "shared/cni/document.h"
#include "shared/cni/result.h"

static const char *text(json_t *record, const char *key)
{
	const char *value = document_text(document_member(record, key));

	return value ? value : "";
}

struct request attachment_request(json_t *record, const struct request *caller)
{
	return (struct request){
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
}

/*
 * Others (udev) may give the node's end another MAC, which has no meaning. Where the port is the
 * pod's interface itself (a macvlan), the pod may have changed it.
 */
static void forgive_port(struct link *port)
{
	port->mac = (struct mac){ 0 };
	if (port->place == PLACE_POD)
		port->mtu = 0;
}

int attachment_verify(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);

	for (size_t i = 0; i < attachment->n_domains; i++) {
		int r = domain_recall(&attachment->domains[i], &site, err);

		if (r == 0)
			return error_set(err, ERROR_CHECK, "%s is not known any more",
					 attachment->domains[i].title);
		if (r < 0)
			return -1;
	}
	attachment_list_links(attachment);
	forgive_port(&attachment->links[attachment->n_links - 1]);

	return links_verify(attachment->nl, attachment->links, attachment->n_links, err);
}

/* What plugins before us in the chain had put there is not ours to answer for: ours came behind. */
static int drop_previous(const struct request *who, json_t *recorded, struct error *err)
{
	static const char *const lists[] = { "ips", "routes" };
	json_t *given = document_member(who->config, "prevResult");
	auto_json json_t *previous = NULL;

	if (!given)
		return 0;
	if (result_parse(given, who->version, ERROR_STATE, &previous, err) < 0)
		return error_wrap(err, "the prevResult of ADD");
	for (size_t i = 0; i < COUNT(lists); i++) {
		json_t *all = document_member(recorded, lists[i]);

		for (size_t n = json_array_size(document_member(previous, lists[i])); n > 0; n--)
			(void)json_array_remove(all, 0);
	}

	return 0;
}

int attachment_copy_result(const struct attachment *attachment, json_t **result, struct error *err)
{
	auto_json json_t *copy = json_deep_copy(document_member(attachment->record, "result"));

	if (!copy)
		return error_set(err, ERROR_CHECK, "the ADD of %s did not end",
				 attachment->who.ifname);
	if (drop_previous(&attachment->who, copy, err) < 0)
		return -1;
	*result = take_ptr(&copy);

	return 0;
}

int attachment_recall_addressing(struct attachment *attachment, struct error *err)
{
	auto_json json_t *result = NULL;

	return attachment_copy_result(attachment, &result, err) < 0
		       ? -1
		       : result_addressing(result, ERROR_STATE, &attachment->interface->addressing,
					   err);
}

int attachment_compare(struct attachment *attachment, struct error *err)
{
	return attachment_recall_addressing(attachment, err) < 0 ||
			       attachment_verify(attachment, err) < 0
		       ? -1
		       : attachment->type->verify(attachment, err);
}
