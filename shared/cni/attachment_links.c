// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment_links.h"

#include <stdio.h>

#include "shared/cni/document.h"
#include "shared/node/domain.h"
#include "shared/node/port.h"

/* The same attachment has the same MAC after a restart, and no two have one in common. */
static struct mac derive_mac(const struct attachment *attachment, const char *end)
{
	const struct request *who = &attachment->who;
	const char *const parts[] = { end, who->name, who->container_id, who->ifname };

	return mac_from_hash(hash_parts(parts, COUNT(parts)));
}

/* The node's defaults may be others by now than they were at ADD. */
static int recall_settled(struct attachment *attachment, struct error *err)
{
	const struct fields_fixed fixed = {
		.values = document_member(attachment->record, "settled"),
		.what = "the record of ADD",
		.flag = FIELD_SETTLED,
	};

	return fixed.values ? fields_inherit(attachment->type->fields, &fixed, attachment->values,
					     &attachment->given, err)
			    : 0;
}

int attachment_read_values(struct attachment *attachment, struct error *err)
{
	const struct attachment_type *type = attachment->type;
	struct interface *interface = attachment->interface;

	if (fields_parse(type->fields, attachment->who.config, attachment->values,
			 &attachment->given, err) < 0 ||
	    recall_settled(attachment, err) < 0 ||
	    interface_settle(interface, &attachment->who, err) < 0 ||
	    type->settle(&attachment->node, attachment->values, &attachment->given, err) < 0)
		return -1;
	/* What the runtime asked for at ADD comes with no later call. */
	if (attachment->record)
		(void)parse_mac(document_member_text(attachment->record, "mac"), &interface->mac);
	if (!mac_is_set(&interface->mac))
		interface->mac = derive_mac(attachment, "pod");
	attachment->n_domains =
		type->domains(attachment->values, &attachment->given, attachment->domains);

	return 0;
}

void attachment_alias(const struct attachment *attachment, char alias[static LINK_ALIAS_SIZE])
{
	port_alias(attachment->node.slug, attachment->who.container_id, attachment->who.ifname,
		   alias);
}

static struct link list_port(const struct attachment *attachment)
{
	const struct request *who = &attachment->who;
	struct link port = {
		.kind = LINK_VETH,
		.is_new = true,
		.mac = derive_mac(attachment, "node"),
		.netns = attachment->pod.fd,
		.peer = { .mac = attachment->interface->mac },
	};

	memcpy(port.name, attachment->port_name, sizeof(port.name));
	snprintf(port.peer.name, sizeof(port.peer.name), "%s", who->ifname);
	attachment_alias(attachment, port.alias);
	attachment->type->port(&attachment->node, attachment->values, &port);

	return port;
}

bool attachment_is_in_pod(const struct attachment *attachment)
{
	return attachment->n_domains > 0 && list_port(attachment).place == PLACE_POD;
}

void attachment_list_port(struct attachment *attachment)
{
	attachment->links[attachment->n_links++] = list_port(attachment);
}

void attachment_list_links(struct attachment *attachment)
{
	size_t n = 0;

	for (size_t i = 0; i < attachment->n_domains; i++)
		n += domain_list_links(&attachment->domains[i], &attachment->node,
				       &attachment->links[n]);
	attachment->n_links = n;
	attachment_list_port(attachment);
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
