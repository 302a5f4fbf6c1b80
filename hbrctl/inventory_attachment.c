// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hbrctl/inventory.h"
#include "hbrctl/types.h"
#include "shared/base/cleanup.h"
#include "shared/cni/attachment_compare.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/attachment_record.h"
#include "shared/cni/document.h"
#include "shared/node/holder.h"

const char *inventory_text(json_t *object, const char *key)
{
	return document_member_text(object, key);
}

/* What the record says by itself. */
static json_t *describe(const char *id, json_t *record)
{
	json_t *result = document_member(record, "result");
	json_t *interfaces = document_member(result, "interfaces");
	json_t *ours = json_array_get(interfaces, json_array_size(interfaces) - 1), *ip;
	json_t *pod = document_member(record, "pod"), *mtu = document_member(ours, "mtu");
	auto_json json_t *addresses = json_array(), *domains = json_array();
	size_t i;

	json_array_foreach(document_member(result, "ips"), i, ip)
		(void)json_array_append(addresses, document_member(ip, "address"));

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:O*, s:s, s:s, s:O*, s:O, s:O, s:s, s:s}",
			 "id", id, "container", inventory_text(record, "containerID"), "interface",
			 inventory_text(record, "ifname"), "network",
			 inventory_text(document_member(record, "config"), "name"), "plugin",
			 inventory_text(record, "plugin"), "pod", pod, "netns",
			 inventory_text(record, "netns"), "mac", inventory_text(record, "mac"),
			 "mtu", mtu, "addresses", addresses, "domains", domains, "port",
			 inventory_text(record, "port"), "state", "unrecorded");
}

static void set_text(json_t *object, const char *key, const char *text)
{
	(void)json_object_set_new(object, key, json_string(text));
}

/* Where its port is: known once the links are listed. */
static void tell_place(const struct attachment *attachment, json_t *said)
{
	static const char *const places[PLACES] = { "host", "HBR netns", "host" };
	const struct link *port = &attachment->links[attachment->n_links - 1];

	set_text(said, "in", places[port->place]);
	set_text(said, "on", port->master[0] ? port->master : port->lower);
}

static const char *judge(struct attachment *attachment, struct error *err)
{
	struct site site = attachment_site(attachment);
	int r = holder_is_dead(&site, attachment->record, err);

	if (r != 0)
		return r < 0 ? "drift" : "dead";
	if (!document_member(attachment->record, "result"))
		return "unfinished";
	if (!attachment->nl[PLACE_HBR].sock)
		return "away";
	if (attachment_visit_pod(attachment, err) < 0)
		return "drift";
	if (attachment_is_in_pod(attachment) && !attachment->nl[PLACE_POD].sock)
		return "unseen";

	return attachment_compare(attachment, err) < 0 ? "drift" : "ok";
}

static void look(const struct attachment_type *type, const struct scene *scene, json_t *record,
		 json_t *said)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	struct request who = attachment_request(record, &scene->who);
	struct error err = { 0 };
	const char *state = "drift";

	if (attachment_open(&attachment, type, &who, false, &err) == 0 &&
	    attachment_take_record(&attachment, record, &err) == 0 &&
	    attachment_read_values(&attachment, &err) == 0 &&
	    attachment_enter(&attachment, false, &err) == 0)
		state = judge(&attachment, &err);
	set_text(said, "state", state);
	if (err.msg[0] && strcmp(state, "drift") == 0)
		set_text(said, "wrong", err.msg);
	for (size_t i = 0; i < attachment.n_domains; i++)
		(void)json_array_append_new(json_object_get(said, "domains"),
					    json_string(attachment.domains[i].name));
	if (attachment.n_links == 0 && attachment.n_domains > 0)
		attachment_list_links(&attachment);
	if (attachment.n_links > 0)
		tell_place(&attachment, said);
}

json_t *inventory_describe_attachment(const struct scene *scene, const char *id, json_t *record)
{
	const struct attachment_type *type = types_find(inventory_text(record, "plugin"));
	auto_json json_t *said = describe(id, record);
	struct error err;

	if (said && type)
		look(type, scene, record, said);
	else if (said && record && holder_is_dead(&scene->site, record, &err) == 1)
		set_text(said, "state", "dead");

	return take_ptr(&said);
}
