// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/verbs.h"

#include <fcntl.h>

#include "test/unit/documents.h"

static const struct attachment_type type = { .name = "hbr-test" };

/* Nothing has been opened yet: then nothing is closed, the runtime's standard input least of all.
 */
static void refuses(verb_fn *verb, const char *config, int code, const char *msg)
{
	auto_json json_t *document = json(config);
	auto_json json_t *result = NULL;
	const struct request request = {
		.version = CNI_1_1_0,
		.ifname = "net1",
		.config = document,
		.prev_result = json_object_get(document, "prevResult"),
	};
	struct error err;

	check(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	check_error(verb(&type, &request, &result, &err), &err, code, msg);
	check(fcntl(STDIN_FILENO, F_GETFD) >= 0 && !result);
}

int main(void)
{
	refuses(verb_add, "{'prevResult':{'ips':5}}", ERROR_INVALID_CONFIG,
		"prevResult: ips: wanted a list");
	refuses(verb_add,
		"{'prevResult':{'interfaces':[{'name':'net1','sandbox':'/run/netns/pod'}]}}",
		ERROR_UNSUPPORTED,
		"prevResult has an interface net1 in the pod: hbr-test makes its own and does not "
		"work on that of another plugin: wanted another CNI_IFNAME");
	refuses(verb_gc, "{'cni.dev/attachments':5}", ERROR_INVALID_CONFIG,
		"cni.dev/attachments: 5 is not allowed: wanted a list of attachments");

	return 0;
}
