// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/ipam.h"
#include "shared/node/holder.h"
#include "shared/node/port.h"

/* Names that follow from (containerID, ifname). */
static void name(struct attachment *attachment)
{
	store_id(attachment->who.container_id, attachment->who.ifname, attachment->id);
	port_name(attachment->who.container_id, attachment->who.ifname, attachment->port_name);
}

static struct interface *interface_in(const struct attachment_type *type, void *values)
{
	return (struct interface *)(void *)((char *)values + type->interface_offset);
}

/* For DEL the record has what counted at ADD: what a network overrides now must not be in its way.
 */
static int load_node(struct attachment *attachment, const struct request *request,
		     struct error *err)
{
	json_t *overrides = document_member(request->config, "hbr");

	if (node_load(&attachment->node, overrides, err) == 0)
		return 0;
	if (request->verb != VERB_DEL || !overrides)
		return -1;
	error_warn("%s; going by the node's file alone", err->msg);

	return node_load(&attachment->node, NULL, err);
}

int attachment_open(struct attachment *attachment, const struct attachment_type *type,
		    const struct request *request, bool create, struct error *err)
{
	*attachment = ATTACHMENT_NONE;
	attachment->type = type;
	attachment->who = *request;
	attachment->values = calloc(1, type->values_size);
	if (!attachment->values)
		return error_set(err, ERROR_INTERNAL, "out of memory for the network's keys");
	attachment->interface = interface_in(type, attachment->values);
	name(attachment);

	if (load_node(attachment, request, err) < 0)
		return -1;

	return store_open(&attachment->store, attachment->node.state_dir, attachment->node.slug,
			  create, err);
}

void attachment_close(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->n_domains; i++)
		domain_unlock(&attachment->domains[i]);
	lock_release(&attachment->lock);
	store_close(&attachment->store);
	for (size_t i = 0; i < PLACES; i++)
		netlink_close(&attachment->nl[i]);
	netns_close(&attachment->pod);
	netns_close(&attachment->hbr);
	json_decref(attachment->ipam_result);
	json_decref(attachment->record);
	free(attachment->values);
}

int attachment_lock(struct attachment *attachment, unsigned timeout_ms, struct error *err)
{
	return store_lock(&attachment->store, attachment->id, timeout_ms, &attachment->lock, err);
}

int attachment_enter(struct attachment *attachment, bool needed, struct error *err)
{
	auto_netns struct netns self = NETNS_NONE;
	struct error absent;

	if (netlink_open(&attachment->nl[PLACE_HOST], "host", err) < 0 ||
	    netns_open_self(&self, err) < 0)
		return -1;

	if (netns_open(&attachment->hbr, attachment->node.hbr_netns, &absent) < 0) {
		*err = absent;
		return needed ? error_wrap(err, "hbrNetns") : 0;
	}
	if (netns_same(&attachment->hbr, &self)) {
		netns_close(&attachment->hbr);
		return needed ? error_set(
					err, ERROR_INVALID_NETNS,
					"hbrNetns: %s is the host's own network namespace: wanted "
					"one of its own",
					attachment->node.hbr_netns)
			      : 0;
	}

	return netns_talk(&attachment->hbr, &attachment->nl[PLACE_HBR], "HBR netns", err);
}

static bool is_overridden(void)
{
	const char *value = getenv("CNI_NETNS_OVERRIDE");

	return value && (strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0);
}

int attachment_enter_pod(struct attachment *attachment, struct error *err)
{
	const char *path = attachment->who.netns;
	auto_netns struct netns self = NETNS_NONE;

	if (netns_open(&attachment->pod, path, err) < 0)
		return error_wrap(err, "CNI_NETNS");
	if (netns_open_self(&self, err) < 0)
		return -1;
	if (netns_same(&attachment->pod, &self) && !is_overridden())
		return error_set(err, ERROR_INVALID_NETNS,
				 "CNI_NETNS: %s is the plugin's own network namespace: wanted the "
				 "pod's",
				 path);
	if (netns_same(&attachment->pod, &attachment->hbr))
		return error_set(err, ERROR_INVALID_NETNS,
				 "CNI_NETNS: %s is the HBR netns: wanted the pod's", path);

	return netns_talk(&attachment->pod, &attachment->nl[PLACE_POD], "pod", err);
}

int attachment_visit_pod(struct attachment *attachment, struct error *err)
{
	auto_netns struct netns self = NETNS_NONE, pod = NETNS_NONE;
	json_t *inode = document_member(attachment->record, "inode");

	if (netns_probe(&pod, attachment->who.netns) != NETNS_THERE)
		return 0;
	if (netns_open_self(&self, err) < 0)
		return -1;
	if (netns_same(&pod, &self) || netns_same(&pod, &attachment->hbr) ||
	    (inode && (json_int_t)pod.ino != json_integer_value(inode)))
		return 0;

	attachment->pod = netns_take(&pod);

	return netns_talk(&attachment->pod, &attachment->nl[PLACE_POD], "pod", err);
}

static const char *text(json_t *record, const char *key)
{
	const char *value = document_text(document_member(record, key));

	return value ? value : "";
}

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
		(void)parse_mac(text(attachment->record, "mac"), &interface->mac);
	if (!mac_is_set(&interface->mac))
		interface->mac = derive_mac(attachment, "pod");
	attachment->n_domains =
		type->domains(attachment->values, &attachment->given, attachment->domains);

	return 0;
}

/*
 * Its links are in the HBR netns of ADD and have that one's name in their marks, whatever the
 * node's file says now. Where nothing is at that path any more, what is named now may be the same
 * one.
 */
static void recall_hbr(struct attachment *attachment)
{
	const char *path = text(attachment->record, "hbrNetns");
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
	if (strcmp(text(record, "containerID"), who->container_id) != 0 ||
	    strcmp(text(record, "ifname"), who->ifname) != 0)
		return error_set(err, ERROR_STATE,
				 "the record %s does not say that it is of %s of container %.128s",
				 attachment->id, who->ifname, who->container_id);

	attachment->record = json_incref(record);
	who->config = config;
	who->name = text(config, "name");
	who->container_id = text(record, "containerID");
	who->ifname = text(record, "ifname");
	who->netns = text(record, "netns");
	who->args = text(record, "args");
	if (load_node(attachment, who, err) < 0)
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

struct site attachment_site(struct attachment *attachment)
{
	return (struct site){
		.node = &attachment->node,
		.store = &attachment->store,
		.nl = attachment->nl,
		.hbr = &attachment->hbr,
	};
}

struct pod attachment_pod(struct attachment *attachment)
{
	const struct interface *interface = attachment->interface;

	return (struct pod){
		.netns = &attachment->pod,
		.nl = &attachment->nl[PLACE_POD],
		.ifname = attachment->who.ifname,
		.mac = interface->mac,
		.mtu = interface->mtu,
		.dad = interface->dad,
		.promisc = interface->promisc,
		.allmulti = interface->allmulti,
		.stay_down = interface->stay_down,
		.addressing = &interface->addressing,
		.next_hop = attachment->type->next_hop,
	};
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

void attachment_list_links(struct attachment *attachment)
{
	size_t n = 0;

	for (size_t i = 0; i < attachment->n_domains; i++)
		n += domain_list_links(&attachment->domains[i], &attachment->node,
				       &attachment->links[n]);
	attachment->n_links = n;
	attachment_list_port(attachment);
}

void attachment_list_port(struct attachment *attachment)
{
	attachment->links[attachment->n_links++] = list_port(attachment);
}
