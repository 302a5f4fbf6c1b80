// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/attachment.h"

#include "shared/cni/attachment_record.h"
#include "test/unit/documents.h"

/* A record can be written whatever bytes the runtime has put into CNI_ARGS. */
static void describes_any_args(void)
{
	static const struct field_table none = { NULL, 0 };
	static const struct attachment_type type = { .name = "hbr-test", .fields = &none };
	auto_json json_t *config = json("{'name':'n'}");
	struct interface interface = { 0 };
	struct attachment attachment = {
		.type = &type,
		.who = { .container_id = "c1",
			 .netns = "/run/netns/pod",
			 .ifname = "net1",
			 .args = "K8S_POD_NAME=\xc3\xa9\xff",
			 .config = config },
		.interface = &interface,
	};
	auto_json json_t *record = attachment_describe(&attachment, NULL);

	check(record != NULL);
	check_str(json_string_value(json_object_get(record, "args")), "K8S_POD_NAME=\xc3\xa9?");
}

int main(void)
{
	describes_any_args();

	return 0;
}
