// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment_compare.h"

#include "shared/base/cleanup.h"
#include "shared/cni/attachment_links.h"
#include "shared/cni/document.h"
#include "shared/cni/result.h"

/* What plugins before us in the chain had put there is not ours to answer for: ours came behind. */
static int drop_previous(const struct request *who, json_t *recorded, struct error *err)
{
	static const char *const lists[] = { "ips", "routes" };
	json_t *given = document_member(who->config, "prevResult");
	auto_json json_t *previous = NULL;

	if (!given)
		return 0;
	if (result_parse(given, who->version, ERROR_STATE, &previous, err) < 0)
		return error_wrap(err, "the prevResult of ADD");
	for (size_t i = 0; i < COUNT(lists); i++) {
		json_t *all = document_member(recorded, lists[i]);

		for (size_t n = json_array_size(document_member(previous, lists[i])); n > 0; n--)
			(void)json_array_remove(all, 0);
	}

	return 0;
}

int attachment_copy_result(const struct attachment *attachment, json_t **result, struct error *err)
{
	auto_json json_t *copy = json_deep_copy(document_member(attachment->record, "result"));

	if (!copy)
		return error_set(err, ERROR_CHECK, "the ADD of %s did not end",
				 attachment->who.ifname);
	if (drop_previous(&attachment->who, copy, err) < 0)
		return -1;
	*result = take_ptr(&copy);

	return 0;
}

int attachment_recall_addressing(struct attachment *attachment, struct error *err)
{
	auto_json json_t *result = NULL;

	return attachment_copy_result(attachment, &result, err) < 0
		       ? -1
		       : result_addressing(result, ERROR_STATE, &attachment->interface->addressing,
					   err);
}

int attachment_compare(struct attachment *attachment, struct error *err)
{
	return attachment_recall_addressing(attachment, err) < 0 ||
			       attachment_verify(attachment, err) < 0
		       ? -1
		       : attachment->type->verify(attachment, err);
}
