// SPDX-License-Identifier: Apache-2.0

/*
 * What is on disk when a call comes: the environment, the record of c1 and net1, what the domains
 * l2-1, trunk-1 and vrf-red remember, c2 as a holder of the first and the last one (which an L2
 * domain holds as well) and its record, whose the MAC 02:00:00:00:00:aa is, a configuration.
 */

#include <stdio.h>

#include "shared/node/store.h"
#include "test/fuzz/fuzz.h"

static void put_record(const char *id, struct part file)
{
	char name[STORE_NAME_SIZE + 8];

	snprintf(name, sizeof(name), "%s.json", id);
	fuzz_put_state("attachments", name, file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct part rest = { (const char *)data, size }, holder;
	char own[STORE_NAME_SIZE], other[STORE_NAME_SIZE];

	store_id("c1", "net1", own);
	store_id("c2", "net1", other);
	fuzz_set_environment(fuzz_take(&rest));
	put_record(own, fuzz_take(&rest));
	fuzz_put_state("domains/l2-1", "domain.json", fuzz_take(&rest));
	fuzz_put_state("domains/trunk-1", "domain.json", fuzz_take(&rest));
	fuzz_put_state("domains/vrf-red", "domain.json", fuzz_take(&rest));
	holder = fuzz_take(&rest);
	fuzz_put_state("domains/l2-1", other, holder);
	fuzz_put_state("domains/vrf-red", other, holder);
	fuzz_put_state("domains/vrf-red", "l2-9", holder);
	put_record(other, fuzz_take(&rest));
	fuzz_put_state("domains/l2-1", "0200000000aa.mac", fuzz_take(&rest));
	fuzz_run(rest);

	return 0;
}
