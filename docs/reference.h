// SPDX-License-Identifier: Apache-2.0
#pragma once

/* The rows of a table, and the hand-written pieces of its schema, as Markdown. */

#include <jansson.h>
#include <stdio.h>

#include "shared/base/field.h"

/* A line for each key of the table, and for those of objects in it. */
void reference_put_table(FILE *out, const struct field_table *table, const void *defaults);

/* A line for each of its "properties"; an item for each rule in its "allOf". */
void reference_put_properties(FILE *out, json_t *piece);
void reference_put_rules(FILE *out, json_t *piece);
