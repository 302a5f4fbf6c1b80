// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/ipam.h"

#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/cni/delegate.h"
#include "shared/cni/document.h"
#include "shared/cni/result.h"

int ipam_type(json_t *config, const char **type, struct error *err)
{
	json_t *ipam = document_member(config, "ipam");
	json_t *value = document_member(ipam, "type");
	const char *text = value ? document_text(value) : "";
	char shown[80];

	if (ipam && !json_is_object(ipam)) {
		document_print(ipam, shown, sizeof(shown));
		return error_set(err, ERROR_INVALID_CONFIG,
				 "ipam: %s is not allowed: wanted an object", shown);
	}
	if (!text || strchr(text, '/')) {
		document_print(value, shown, sizeof(shown));
		return error_set(err, ERROR_INVALID_CONFIG,
				 "ipam.type: %s is not allowed: wanted the name of a plugin in "
				 "CNI_PATH, without '/'",
				 shown);
	}
	*type = *text ? text : NULL;

	return 0;
}

/* Its interfaces and indexes mean nothing: interfaces are made by us. */
static int read_result(const char *type, const struct child_output *output, enum version assumed,
		       json_t **result, struct error *err)
{
	auto_json json_t *document = NULL;
	auto_json json_t *form = NULL;

	if (document_decode(output->text, output->size, "its result", ERROR_DELEGATE_RESULT,
			    &document, err) < 0 ||
	    result_parse(document, assumed, ERROR_DELEGATE_RESULT, &form, err) < 0)
		return error_wrap(err, "IPAM plugin %s", type);
	if (json_array_size(document_member(form, "ips")) == 0)
		return error_set(err, ERROR_DELEGATE_RESULT,
				 "IPAM plugin returned missing IP config: %s gave no address",
				 type);
	*result = take_ptr(&form);

	return 0;
}

int ipam_run(const struct request *request, enum verb verb, const char *type, const char *text,
	     json_t **result, struct error *err)
{
	const struct delegate plugin = { "IPAM plugin", type, "ipam.type: ", text };
	CLEANUP(delegate_free) struct child_output output = { 0 };

	if (delegate_run(request, verb, &plugin, &output, err) < 0)
		return -1;

	return result ? read_result(type, &output, request->version, result, err) : 0;
}
