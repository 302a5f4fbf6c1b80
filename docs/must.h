// SPDX-License-Identifier: Apache-2.0
#pragma once

/* A generator that cannot go on ends: there is nobody to hand an error to, and nothing to undo. */

#include <stdio.h>
#include <stdlib.h>

/* What is there; NULL: say what is missing and end. */
static inline void *must(void *thing, const char *what)
{
	if (!thing) {
		fprintf(stderr, "docs: %s: impossible\n", what);
		exit(1);
	}

	return thing;
}
