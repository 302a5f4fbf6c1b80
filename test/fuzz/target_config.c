// SPDX-License-Identifier: Apache-2.0

/* The configuration of a network, as ADD gets it. */

#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char environment[] = "CNI_COMMAND=ADD\nCNI_CONTAINERID=c1\nCNI_IFNAME=net1\n"
					  "CNI_NETNS=/run/netns/pod\nCNI_PATH=/proc/self\n";

	struct part config = { (const char *)data, size };

	fuzz_set_environment((struct part){ environment, sizeof(environment) - 1 });
	fuzz_check_keys(NULL, 0, config);
	fuzz_run(config);

	return 0;
}
