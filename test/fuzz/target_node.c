// SPDX-License-Identifier: Apache-2.0

/* The environment, the node file, and a configuration, which may override some of its keys. */

#include "shared/node/node.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct part rest = { (const char *)data, size }, file;

	fuzz_set_environment(fuzz_take(&rest));
	file = fuzz_take(&rest);
	fuzz_check_keys(&node_fields, sizeof(struct node), file);
	fuzz_set_node(file);
	fuzz_run(rest);

	return 0;
}
