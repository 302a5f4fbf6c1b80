// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/ipam.h"
#include "shared/node/domain.h"
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
int attachment_load_node(struct attachment *attachment, struct error *err)
{
	const struct request *request = &attachment->who;
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

	if (attachment_load_node(attachment, err) < 0)
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
