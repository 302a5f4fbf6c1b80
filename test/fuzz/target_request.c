// SPDX-License-Identifier: Apache-2.0

/* A call as it comes: the environment, an empty line, standard input. */

#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct part rest = { (const char *)data, size };

	fuzz_set_environment(fuzz_take(&rest));
	fuzz_run(rest);

	return 0;
}
