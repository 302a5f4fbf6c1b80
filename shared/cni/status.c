// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/ipam.h"
#include "shared/cni/verbs.h"
#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"

/* STATUS takes no lock and makes nothing: it looks whether an ADD could be served. */

int status_check_trunk(struct netlink *nl, const char *name, struct error *err)
{
	struct link trunk = { .kind = LINK_VETH };
	struct link_state state;
	int r;

	snprintf(trunk.name, sizeof(trunk.name), "%s", name);
	r = link_find(nl, &trunk, &state, err);
	if (r < 0)
		return -1;
	if (r == 0)
		return error_set(err, ERROR_NOT_AVAILABLE, "there is no trunk %s in the %s", name,
				 nl->place);
	if (!state.up)
		return error_set(err, ERROR_NOT_AVAILABLE, "the trunk %s in the %s is down", name,
				 nl->place);

	return 0;
}

/* What an older kernel or a smaller one lacks is told now, not by the first pod. */
static int check_kinds(struct netlink *nl, unsigned kinds, struct error *err)
{
	for (enum link_kind kind = 0; kind < LINK_KINDS; kind++) {
		int r = kinds >> kind & 1 ? link_knows_kind(nl, kind, err) : 1;

		if (r < 0)
			return -1;
		if (r == 0)
			return error_set(err, ERROR_NOT_AVAILABLE,
					 "the kernel knows no links of the kind %s",
					 link_kinds[kind].name);
	}

	return 0;
}

int status_check_state_dir(const char *path, struct error *err)
{
	char dir[sizeof(((struct node *)NULL)->state_dir)];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	while (access(dir, F_OK) < 0 && (slash = strrchr(dir, '/')) != NULL && slash != dir)
		*slash = '\0';
	if (access(dir, W_OK | X_OK) < 0)
		return error_errno(err, ERROR_NOT_AVAILABLE, errno, "stateDir: write to %s", dir);

	return 0;
}

static int check_ipam(const struct request *request, struct error *err)
{
	const char *type;

	if (ipam_type(request->config, &type, err) < 0)
		return -1;
	if (!type)
		return 0;

	return ipam_run(request, VERB_STATUS, type, request->text, NULL, err);
}

/* Without its VTEP the tunnels of living pods have no end here either. */
static int check_vtep(struct attachment *attachment, struct error *err)
{
	struct ip vtep;

	if (!attachment->type->is_trunked && !document_member(attachment->who.config, "vni"))
		return 0;
	if (node_find_vtep(&attachment->node, &attachment->nl[PLACE_HBR], &vtep, err) == 0)
		return 0;
	err->code = ERROR_LIMITED;

	return -1;
}

/* Whoever does not pass it asks nothing of it; a network that is wired in another way than the
 * node's learns more at its ADD. */
static int check_trunks(struct attachment *attachment, struct error *err)
{
	const struct node *node = &attachment->node;

	if (!attachment->type->is_trunked || node->attach == ATTACH_DIRECT)
		return 0;

	return status_check_trunk(&attachment->nl[PLACE_HBR], node->trunk, err) < 0
		       ? -1
		       : status_check_trunk(&attachment->nl[PLACE_HOST], node->host_trunk, err);
}

static int check_node(struct attachment *attachment, struct error *err)
{
	struct netlink *hbr = &attachment->nl[PLACE_HBR];

	if (attachment_enter(attachment, true, err) == 0 && check_trunks(attachment, err) == 0 &&
	    check_kinds(hbr, attachment->type->kinds, err) == 0 &&
	    status_check_state_dir(attachment->node.state_dir, err) == 0)
		return check_vtep(attachment, err);
	err->code = ERROR_NOT_AVAILABLE;

	return -1;
}

int verb_status(const void *type, const struct request *request, json_t **result, struct error *err)
{
	auto_attachment struct attachment attachment = ATTACHMENT_NONE;

	(void)result;
	if (attachment_open(&attachment, type, request, false, err) < 0 ||
	    check_node(&attachment, err) < 0)
		return -1;

	return check_ipam(request, err);
}
