// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The verbs of the CNI specification for any plugin that is described by a struct attachment_type:
 * what its steps do, ADD applies, DEL, GC and the reaping of the dead revert, CHECK compares.
 */

#include "shared/cni/attachment.h"
#include "shared/cni/plugin.h"

verb_fn verb_add, verb_check, verb_del, verb_gc, verb_status;

/* The plugin that has these verbs. */
int verbs_main(const struct attachment_type *type);
