// SPDX-License-Identifier: Apache-2.0
#pragma once

/* The plugins, as types of attachments: the one file that knows which there are. */

#include "shared/cni/attachment_type.h"

#define TYPES 2

extern const struct attachment_type *const types[TYPES];

/* The type of that name; NULL: there is none. */
const struct attachment_type *types_find(const char *name);
