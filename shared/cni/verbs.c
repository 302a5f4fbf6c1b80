// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/cni/attachment_compare.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/attachment_record.h"
#include "shared/cni/detach.h"
#include "shared/cni/document.h"
#include "shared/cni/ipam.h"
#include "shared/cni/result.h"

/* Nothing is rolled back when there is one already: it is somebody's. */
static int refuse_second(struct attachment *attachment, struct error *err)
{
	const struct request *who = &attachment->who;
	struct pod pod = attachment_pod(attachment);
	auto_json json_t *record = NULL;
	int r = store_read_record(&attachment->store, attachment->id, &record, err);

	if (r == 1)
		return error_set(
			err, ERROR_EXISTS,
			"container %.128s has an attachment %s already: wanted a DEL of it "
			"first",
			who->container_id, who->ifname);
	if (r == 0)
		r = pod_has_interface(&pod, err);
	if (r == 1)
		return error_set(err, ERROR_EXISTS, "interface %s already exists in %.128s",
				 who->ifname, who->netns);

	return r;
}

/* The result of the plugins before us in the chain; stays NULL when there are none. */
static int read_previous(const struct request *who, json_t **previous, struct error *err)
{
	if (who->prev_result &&
	    result_parse(who->prev_result, who->version, ERROR_INVALID_CONFIG, previous, err) < 0)
		return error_wrap(err, "prevResult");

	return 0;
}

/* Ours came behind those of the plugins before us, whatever they call theirs. */
static json_t *find_interface(json_t *result, const struct request *who)
{
	json_t *list = document_member(result, "interfaces");

	for (size_t i = json_array_size(list); i-- > 0;) {
		json_t *entry = json_array_get(list, i);
		const char *name = document_text(document_member(entry, "name"));
		const char *sandbox = document_text(document_member(entry, "sandbox"));

		if (name && strcmp(name, who->ifname) == 0 && sandbox && sandbox[0])
			return entry;
	}

	return NULL;
}

/* A plugin that works on an interface of the one before it in the chain is another kind of plugin.
 */
static int refuse_chained(const struct attachment_type *type, const struct request *who,
			  json_t *previous, struct error *err)
{
	if (!find_interface(previous, who))
		return 0;

	return error_set(err, ERROR_UNSUPPORTED,
			 "prevResult has an interface %s in the pod: %s makes its own and does not "
			 "work on that of another plugin: wanted another CNI_IFNAME",
			 who->ifname, type->name);
}

static int build_result(struct attachment *attachment, json_t **result, struct error *err)
{
	const struct request *who = &attachment->who;
	const struct interface *interface = attachment->interface;
	const struct result_interface ours = { who->ifname, who->netns, interface->mac,
					       interface->mtu };
	json_t *dns = interface->dns;
	auto_json json_t *previous = NULL;

	if (read_previous(who, &previous, err) < 0)
		return -1;
	if (!dns && attachment->ipam_result)
		dns = document_member(attachment->ipam_result, "dns");

	return result_build(previous, &ours, &interface->addressing, dns, result, err);
}

/* The record with its result: complete. */
static int complete(struct attachment *attachment, json_t *result, struct error *err)
{
	auto_json json_t *record = attachment_describe(attachment, result);

	if (!record)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe %s", attachment->id);

	return store_write_record(&attachment->store, attachment->id, record, err);
}

static int add_locked(struct attachment *attachment, json_t **result, struct error *err)
{
	const struct attachment_type *type = attachment->type;
	auto_json json_t *built = NULL;
	struct error ignored;

	if (refuse_second(attachment, err) < 0)
		return -1;
	detach_dead(attachment);
	if (steps_apply(type->steps, type->n_steps, attachment, err) < 0)
		return -1;
	if (build_result(attachment, &built, err) < 0 || complete(attachment, built, err) < 0) {
		(void)steps_revert(type->steps, type->n_steps, attachment, &ignored);
		return -1;
	}
	*result = take_ptr(&built);

	return 0;
}

int verb_add(const void *type, const struct request *request, json_t **result, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	auto_json json_t *previous = NULL;
	int r;

	if (read_previous(request, &previous, err) < 0 ||
	    refuse_chained(type, request, previous, err) < 0 ||
	    attachment_open(&attachment, type, request, true, err) < 0 ||
	    attachment_read_values(&attachment, err) < 0 ||
	    attachment_enter(&attachment, true, err) < 0 ||
	    attachment_enter_pod(&attachment, err) < 0 ||
	    attachment_lock(&attachment, ATTACHMENT_LOCK_MS, err) < 0)
		return -1;
	r = add_locked(&attachment, result, err);
	if (r < 0 && err->code != ERROR_EXISTS)
		lock_discard(&attachment.lock);

	return r;
}

/* The state of the HBR netns that it was made for, which need not be the one that is named now. */
static int find_record(struct attachment *attachment, struct error *err)
{
	char slug[STORE_NAME_SIZE];
	int r = store_locate_record(attachment->node.state_dir, attachment->node.slug,
				    attachment->id, slug, err);

	if (r <= 0 || strcmp(slug, attachment->node.slug) == 0)
		return r;
	store_close(&attachment->store);

	return store_open(&attachment->store, attachment->node.state_dir, slug, false, err);
}

int verb_del(const void *type, const struct request *request, json_t **result, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	int r;

	(void)result;
	if (attachment_open(&attachment, type, request, false, err) < 0 ||
	    find_record(&attachment, err) < 0)
		return -1;
	r = detach_by_owner(&attachment, err);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (attachment_lock(&attachment, ATTACHMENT_LOCK_MS, err) < 0 ||
	    detach(&attachment, err) < 0)
		return -1;
	lock_discard(&attachment.lock);
	detach_dead(&attachment);

	return 0;
}

/* Is the entry of one list in the other? Other plugins of the chain may have taken it away. */
static bool has_entry(json_t *list, json_t *wanted, const char *key)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		if (json_equal(document_member(entry, key), document_member(wanted, key)))
			return true;
	}

	return false;
}

/* What is ours of the final result: what our record has and the result still has. */
static int narrow(json_t *recorded, json_t *final, const char *list, const char *key,
		  struct error *err)
{
	json_t *mine = document_member(recorded, list);

	for (size_t i = json_array_size(mine); i-- > 0;) {
		if (!has_entry(document_member(final, list), json_array_get(mine, i), key) &&
		    json_array_remove(mine, i) < 0)
			return error_set(err, ERROR_INTERNAL, "out of memory for %s", list);
	}

	return 0;
}

/*
 * What the pod's interface should be now: our record, as later plugins of the chain (tuning)
 * changed it. Before 1.1.0 results do not tell an MTU: a smaller one is then somebody's wish.
 */
static int expect(struct attachment *attachment, struct pod *pod, struct error *err)
{
	const struct request *who = &attachment->who;
	auto_json json_t *final = NULL, *recorded = NULL;
	const char *mac;
	json_t *entry;

	if (result_parse(who->prev_result, who->version, ERROR_INVALID_CONFIG, &final, err) < 0)
		return error_wrap(err, "prevResult");
	if (attachment_copy_result(attachment, &recorded, err) < 0)
		return -1;
	entry = find_interface(final, who);
	if (!entry)
		return error_set(err, ERROR_CHECK, "prevResult has no interface %s in the pod",
				 who->ifname);
	mac = document_text(document_member(entry, "mac"));
	if (mac && !parse_mac(mac, &pod->mac))
		return error_set(err, ERROR_INVALID_CONFIG, "prevResult: mac \"%.32s\"", mac);
	pod->mtu = (uint32_t)json_integer_value(document_member(entry, "mtu"));

	if (narrow(recorded, final, "ips", "address", err) < 0 ||
	    narrow(recorded, final, "routes", "dst", err) < 0)
		return -1;

	return result_addressing(recorded, ERROR_STATE, &attachment->interface->addressing, err);
}

static int verify(struct attachment *attachment, struct error *err)
{
	struct pod pod = attachment_pod(attachment);
	const struct link *port;

	if (attachment_verify(attachment, err) < 0)
		return -1;
	port = &attachment->links[attachment->n_links - 1];
	pod.port = port->place == PLACE_POD ? 0 : port->index;
	if (expect(attachment, &pod, err) < 0 || attachment->type->verify(attachment, err) < 0)
		return -1;

	return pod_verify(&pod, err);
}

/* The IPAM plugin's part of a verb that changes nothing. */
static int ask_ipam(const struct request *request, struct error *err)
{
	const char *type;

	if (ipam_type(request->config, &type, err) < 0)
		return -1;

	return type ? ipam_run(request, request->verb, type, request->text, NULL, err) : 0;
}

int verb_check(const void *type, const struct request *request, json_t **result, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;
	auto_json json_t *record = NULL;
	int r;

	(void)result;
	if (attachment_open(&attachment, type, request, false, err) < 0)
		return -1;
	r = store_read_record(&attachment.store, attachment.id, &record, err);
	if (r == 0)
		return error_set(err, ERROR_CHECK, "no attachment %s of container %.128s is known",
				 request->ifname, request->container_id);
	if (r < 0 || attachment_take_record(&attachment, record, err) < 0 ||
	    attachment_read_values(&attachment, err) < 0 ||
	    attachment_enter(&attachment, true, err) < 0)
		return -1;
	attachment.who.netns = request->netns;
	attachment.who.prev_result = request->prev_result;
	if (attachment_enter_pod(&attachment, err) < 0 || verify(&attachment, err) < 0)
		return -1;

	return ask_ipam(request, err);
}

int verbs_main(const struct attachment_type *type)
{
	const struct plugin plugin = {
		.name = type->name,
		.type = type,
		.verbs = { [VERB_ADD] = verb_add,
			   [VERB_CHECK] = verb_check,
			   [VERB_DEL] = verb_del,
			   [VERB_GC] = verb_gc,
			   [VERB_STATUS] = verb_status },
		.undo = verb_del,
	};

	return plugin_main(&plugin);
}
