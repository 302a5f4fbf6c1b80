// SPDX-License-Identifier: Apache-2.0

/*
 * The environment, the exit status of the IPAM plugin, a configuration, and what the plugin prints.
 * "exe" in /proc/self is a plugin that can be found anywhere.
 */

#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct part rest = { (const char *)data, size }, status, config;

	fuzz_set_environment(fuzz_take(&rest));
	status = fuzz_take(&rest);
	config = fuzz_take(&rest);
	fuzz_set_ipam(status, rest);
	fuzz_run(config);

	return 0;
}
