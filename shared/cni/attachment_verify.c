// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment.h"
#include "shared/cni/document.h"

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
