// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/types.h"

#include <string.h>

#include "plugins/hbr-l2/type.h"
#include "plugins/hbr-vrf/type.h"

const struct attachment_type *const types[TYPES] = { &l2_type, &l3_type };

const struct attachment_type *types_find(const char *name)
{
	for (size_t i = 0; i < TYPES; i++) {
		if (name && strcmp(types[i]->name, name) == 0)
			return types[i];
	}

	return NULL;
}
