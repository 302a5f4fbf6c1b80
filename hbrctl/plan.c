// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>

#include "hbrctl/call.h"
#include "hbrctl/command.h"
#include "hbrctl/inventory.h"
#include "hbrctl/networks.h"
#include "shared/base/cleanup.h"
#include "shared/cni/attachment_links.h"
#include "shared/kernel/kinds.h"
#include "shared/node/domain.h"

#define TEXT_SIZE 512

static const char *const places[PLACES] = { "host", "HBR netns", "pod" };

static const char *const fates[] = {
	[LINK_KEEP] = "keep",
	[LINK_ADOPT] = "adopt",
	[LINK_CREATE] = "create",
	[LINK_CHANGE] = "change",
};

/* One step: what would be done to a link, or that ADD would be refused. */
static int add(json_t *steps, const char *fate, const struct link *link, const char *text,
	       struct error *err)
{
	json_t *step = json_pack("{s:s, s:s*, s:s*, s:s*, s:s}", "do", fate, "kind",
				 link ? link_kinds[link->kind].name : NULL, "name",
				 link ? link->name : NULL, "in", link ? places[link->place] : NULL,
				 "how", text);

	return json_array_append_new(steps, step) < 0
		       ? error_errno(err, ERROR_INTERNAL, ENOMEM, "describe the plan")
		       : 0;
}

/* The engine's own array, looked at and not converged. */
static int foresee_links(struct attachment *attachment, json_t *steps, struct error *err)
{
	struct link *links = attachment->links;
	size_t n = attachment->n_links - 1; /* the last is the port, which each pod has anew */
	char text[TEXT_SIZE];

	for (size_t i = 0; i < n; i++) {
		struct error difference = { 0 };
		enum link_fate fate;

		if (links_foresee(attachment->nl, links, n, i, &fate, &difference) < 0) {
			*err = difference;
			return -1;
		}
		link_describe(&links[i], text, sizeof(text));
		if (add(steps, fates[fate], &links[i], fate == LINK_CHANGE ? difference.msg : text,
			err) < 0)
			return -1;
	}

	return 0;
}

static int foresee(struct call *call, json_t *network, json_t *steps, struct error *err)
{
	struct attachment *attachment = &call->attachment;
	struct site site;

	if (call_make(call, network, err) < 0 || attachment_enter(attachment, true, err) < 0)
		return -1;
	site = attachment_site(attachment);
	for (size_t i = 0; i < attachment->n_domains; i++) {
		if (domain_foresee(&attachment->domains[i], &site, err) < 0)
			return -1;
	}
	attachment_list_links(attachment);

	return foresee_links(attachment, steps, err);
}

/* 1 it would be refused. */
static int plan(json_t *network, struct error *err)
{
	auto_call struct call call = CALL_NONE;
	json_t *steps = json_array();
	struct error refusal;
	int r;

	if (!steps || json_object_set_new(network, "steps", steps) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe the plan");
	r = foresee(&call, network, steps, &refusal);
	(void)json_object_del(network, "config");
	if (r == 0)
		return 0;

	return add(steps, "refuse", NULL, refusal.msg, err) < 0 ? -1 : 1;
}

static void print(json_t *network)
{
	json_t *step;
	size_t i;

	printf("%s (%s)\n", inventory_text(network, "network"), inventory_text(network, "type"));
	json_array_foreach(json_object_get(network, "steps"), i, step) {
		const char *in = inventory_text(step, "in");

		printf("  %-6s  %s%s%s%s\n", inventory_text(step, "do"), in[0] ? "in the " : "", in,
		       in[0] ? ": " : "", inventory_text(step, "how"));
	}
}

int plan_run(const struct options *options, struct error *err)
{
	auto_json json_t *networks = json_array();
	int status = COMMAND_FINE;
	json_t *network;
	size_t i;

	if (networks_read(options->args[0], networks, err) < 0)
		return error_wrap(err, "%s", options->args[0]);
	if (json_array_size(networks) == 0)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "%s: there is no network of hbr-l2 or hbr-vrf in it",
				 options->args[0]);
	json_array_foreach(networks, i, network) {
		int r = plan(network, err);

		if (r < 0)
			return -1;
		if (r == 1)
			status = COMMAND_FOUND;
		if (!(options->given & OPTION_JSON))
			print(network);
	}

	return options->given & OPTION_JSON && command_print_json(networks, err) < 0 ? -1 : status;
}
