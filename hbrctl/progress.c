// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/progress.h"

#include <stdio.h>
#include <unistd.h>

#define PROGRESS_MIN 16 /* so much that a person asks himself whether it goes on */

void progress_tell(size_t i, size_t n)
{
	if (n >= PROGRESS_MIN && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%zu of %zu%s", i + 1, n, i + 1 < n ? "" : "\n");
}
