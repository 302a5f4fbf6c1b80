// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The rows of a table as JSON Schema (draft 2020-12). One rule: it says neither more nor less than
 * the parser does; what a row cannot say (keys that do not go together) is in hand-written pieces.
 */

#include <jansson.h>

#include "shared/base/field.h"

/*
 * Make the schema one of an object with the keys of these rows, but for internal ones and those
 * that have one of the flags. defaults: a struct as it is before anything is parsed; NULL: unknown.
 */
void schema_add_table(json_t *schema, const struct field_table *table, unsigned without,
		      const void *defaults);

/* Add what another one says: its "required", "properties", "$defs", "allOf". */
void schema_merge(json_t *schema, json_t *piece);

/* Leave out the "$defs" that nothing refers to. */
void schema_prune(json_t *schema);

/* What a row's key can have as its value, for people; owned by the caller. */
char *schema_describe(const struct field *row);

/* What the key is taken for when it is absent: a new reference, or NULL when no value says that. */
json_t *schema_default(const struct field *row, const void *defaults);
