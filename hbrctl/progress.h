// SPDX-License-Identifier: Apache-2.0
#pragma once

/* A line about long work, where standard error is a terminal: the i-th of n things was done. */

#include <stddef.h>

void progress_tell(size_t i, size_t n);
