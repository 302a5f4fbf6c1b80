// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/claim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/attachment_record.h"
#include "shared/cni/document.h"

#define NAME_SIZE 17

static void print_name(const struct mac *mac, char name[static NAME_SIZE])
{
	const uint8_t *b = mac->bytes;

	snprintf(name, NAME_SIZE, "%02x%02x%02x%02x%02x%02x.mac", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
}

/* Who claims the pod's MAC: 1, its <id> and what it says of itself; 0 nobody. */
static int find_owner(const struct attachment *attachment, json_t **holder,
		      char id[static STORE_NAME_SIZE], struct error *err)
{
	char name[NAME_SIZE];
	int r;

	print_name(&attachment->interface->mac, name);
	r = store_read_holder(&attachment->store, attachment->domains[0].name, name, holder, err);
	if (r == 1)
		store_id(document_member_text(*holder, "containerID"),
			 document_member_text(*holder, "ifname"), id);

	return r;
}

/* An attachment that is gone, or has come back with another MAC, claims nothing. */
static int find_rival(const struct attachment *attachment, json_t **holder,
		      char id[static STORE_NAME_SIZE], struct error *err)
{
	auto_json json_t *record = NULL;
	struct mac mac = { 0 };
	int r;

	if (!attachment->type->claims || attachment->n_domains == 0)
		return 0;
	r = find_owner(attachment, holder, id, err);
	if (r <= 0 || strcmp(id, attachment->id) == 0)
		return r < 0 ? -1 : 0;
	r = store_read_record(&attachment->store, id, &record, err);
	if (r <= 0)
		return r;

	return parse_mac(document_member_text(record, "mac"), &mac) &&
	       mac_equal(&mac, &attachment->interface->mac);
}

int claim_find_rival(const struct attachment *attachment, char id[static STORE_NAME_SIZE],
		     struct error *err)
{
	auto_json json_t *holder = NULL;

	return find_rival(attachment, &holder, id, err);
}

static int refuse(const struct attachment *attachment, json_t *rival, struct error *err)
{
	char mac[MAC_TEXT_SIZE];

	mac_print(&attachment->interface->mac, mac);

	return error_set(
		err, ERROR_CONFLICT,
		"mac: %s is taken: %s of container %.128s has it in %s: wanted another one", mac,
		document_member_text(rival, "ifname"), document_member_text(rival, "containerID"),
		attachment->domains[0].title);
}

int claim_take(struct attachment *attachment, struct error *err)
{
	auto_json json_t *rival = NULL, *holder = NULL;
	bool (*claims)(const void *values) = attachment->type->claims;
	char id[STORE_NAME_SIZE], name[NAME_SIZE];
	int r;

	if (!claims || !claims(attachment->values))
		return 0;
	r = find_rival(attachment, &rival, id, err);
	if (r != 0)
		return r < 0 ? -1 : refuse(attachment, rival, err);

	holder = attachment_describe_holder(attachment);
	if (!holder)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "describe a holder");
	print_name(&attachment->interface->mac, name);

	return store_put_holder(&attachment->store, attachment->domains[0].name, name, holder, err);
}

/* Half a claim, of an ADD that was killed while it wrote: under the domain's lock, for another one
 * may write the same one now. Where that is taken it stays; the next claim replaces it. */
static int drop_half(struct attachment *attachment, const char *name, struct error *err)
{
	const struct domain *domain = &attachment->domains[0];
	auto_lock struct lock lock = LOCK_NONE;
	auto_json json_t *holder = NULL;
	char id[STORE_NAME_SIZE];
	int r = domain->lock.fd >= 0 ? 1
				     : store_lock(&attachment->store, domain->name, 0, &lock, err);

	if (r <= 0)
		return r;
	r = find_owner(attachment, &holder, id, err);

	return r != 0 ? r : store_remove_holder(&attachment->store, domain->name, name, err);
}

int claim_drop(struct attachment *attachment, struct error *err)
{
	const char *domain = attachment->domains[0].name;
	auto_json json_t *holder = NULL;
	char id[STORE_NAME_SIZE], name[NAME_SIZE];
	int r;

	if (!attachment->type->claims || attachment->n_domains == 0 ||
	    !mac_is_set(&attachment->interface->mac))
		return 0;
	print_name(&attachment->interface->mac, name);
	r = find_owner(attachment, &holder, id, err);
	if (r == 0)
		r = drop_half(attachment, name, err);
	else if (r == 1 && strcmp(id, attachment->id) == 0)
		return store_remove_holder(&attachment->store, domain, name, err);

	return r < 0 ? -1 : 0;
}
