// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Rows of texts in columns as wide as their widest text. The last column is a state: on a terminal
 * it has a colour. */

#include <jansson.h>
#include <stdbool.h>

#define TABLE_COLUMNS_MAX 10

/* Append a row of n texts; an empty one is "-". Without memory there is no row. */
void table_add(json_t *table, const char *const *texts, size_t n);

/* The colour of a state, as a terminal takes it; and the end of it. */
const char *table_color(const char *state);
#define TABLE_PLAIN "\033[0m"

/* The first row is the head. Nothing is printed of a table that has no other. */
void table_print(json_t *table, bool is_colored);
