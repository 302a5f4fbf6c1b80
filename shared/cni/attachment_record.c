// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment_record.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/node/holder.h"

/*
 * Its links are in the HBR netns of ADD and have that one's name in their marks, whatever the
 * node's file says now. Where nothing is at that path any more, what is named now may be the same
 * one.
 */
static void recall_hbr(struct attachment *attachment)
{
	const char *path = document_member_text(attachment->record, "hbrNetns");
	struct node *node = &attachment->node;
	auto_netns struct netns there = NETNS_NONE;
	char slug[sizeof(node->slug)];

	memcpy(slug, node->slug, sizeof(slug));
	if (path[0] == '/')
		node_name_hbr(node, path);
	if (strcmp(slug, node->slug) != 0 && netns_probe(&there, path) == NETNS_THERE)
		snprintf(node->hbr_netns, sizeof(node->hbr_netns), "%s", path);
}

int attachment_take_record(struct attachment *attachment, json_t *record, struct error *err)
{
	struct request *who = &attachment->who;
	json_t *config = document_member(record, "config");

	if (!json_is_object(config))
		return error_set(err, ERROR_STATE, "the record %s has no configuration in it",
				 attachment->id);
	if (strcmp(document_member_text(record, "containerID"), who->container_id) != 0 ||
	    strcmp(document_member_text(record, "ifname"), who->ifname) != 0)
		return error_set(err, ERROR_STATE,
				 "the record %s does not say that it is of %s of container %.128s",
				 attachment->id, who->ifname, who->container_id);

	attachment->record = json_incref(record);
	who->config = config;
	who->name = document_member_text(config, "name");
	who->container_id = document_member_text(record, "containerID");
	who->ifname = document_member_text(record, "ifname");
	who->netns = document_member_text(record, "netns");
	who->args = document_member_text(record, "args");
	if (attachment_load_node(attachment, err) < 0)
		return -1;
	recall_hbr(attachment);

	return 0;
}

static json_t *describe_pod(const struct attachment *attachment)
{
	char namespace[256] = "", pod[256] = "";

	(void)request_arg(&attachment->who, "K8S_POD_NAMESPACE", namespace, sizeof(namespace));
	(void)request_arg(&attachment->who, "K8S_POD_NAME", pod, sizeof(pod));

	return json_pack("{s:s, s:s}", "namespace", namespace, "name", pod);
}

json_t *attachment_describe_holder(const struct attachment *attachment)
{
	const struct request *who = &attachment->who;

	if (attachment->record) /* its pod's netns need not be in sight now */
		return holder_copy(attachment->record);

	return holder_describe(who->container_id, who->ifname, who->netns, &attachment->pod,
			       netlink_cookie(&attachment->nl[PLACE_POD]), attachment->port_name);
}

json_t *attachment_describe(const struct attachment *attachment, json_t *result)
{
	const struct request *who = &attachment->who;
	auto_json json_t *record = attachment_describe_holder(attachment), *rest = NULL;
	auto_free char *args = strdup(who->args);
	char mac[MAC_TEXT_SIZE];

	if (!args)
		return NULL;
	document_make_utf8(args); /* whatever bytes the runtime has put in */
	mac_print(&attachment->interface->mac, mac);
	rest = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:O, s:O*}", "plugin",
			 attachment->type->name, "hbrNetns", attachment->node.hbr_netns, "args",
			 args, "mac", mac, "pod", describe_pod(attachment), "settled",
			 fields_dump(attachment->type->fields, FIELD_SETTLED, attachment->values,
				     attachment->given),
			 "config", who->config, "result", result);
	if (!record || !rest || json_object_update(record, rest) < 0)
		return NULL;

	return take_ptr(&record);
}

struct request attachment_request(json_t *record, const struct request *caller)
{
	return (struct request){
		.verb = VERB_DEL,
		.version = caller->version,
		.container_id = document_member_text(record, "containerID"),
		.netns = document_member_text(record, "netns"),
		.ifname = document_member_text(record, "ifname"),
		.args = document_member_text(record, "args"),
		.path = caller->path,
		.umask = caller->umask,
		.config = document_member(record, "config"),
		.name = document_member_text(document_member(record, "config"), "name"),
	};
}
