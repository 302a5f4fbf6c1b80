// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Keys that nobody reads: plugins ignore them, since runtimes put their own in; to a person one is
 * mostly a slip. */

#include <jansson.h>

#include "shared/base/field.h"

/* Append "vlann: is no key and ignored: did you mean vlan?" for each key of the object that neither
 * the table nor, in a network, CNI has; and of the objects in it whose keys are known. */
void keys_check(const struct field_table *table, bool is_network, json_t *object, json_t *findings);
