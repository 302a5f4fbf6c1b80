// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/table.h"

#include <stdio.h>
#include <string.h>

#define GAP 2

void table_add(json_t *table, const char *const *texts, size_t n)
{
	json_t *row = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(row, json_string(texts[i][0] ? texts[i] : "-"));
	(void)json_array_append_new(table, row);
}

const char *table_color(const char *state)
{
	if (strcmp(state, "ok") == 0)
		return "\033[32m";
	if (strcmp(state, "dead") == 0 || strcmp(state, "damaged") == 0 ||
	    strcmp(state, "missing") == 0 || strcmp(state, "error") == 0)
		return "\033[31m";

	return "\033[33m";
}

static void measure(json_t *table, int widths[static TABLE_COLUMNS_MAX])
{
	json_t *row, *cell;
	size_t i, k;

	json_array_foreach(table, i, row) {
		json_array_foreach(row, k, cell) {
			int n = (int)json_string_length(cell);

			if (k < TABLE_COLUMNS_MAX && n > widths[k])
				widths[k] = n;
		}
	}
}

static void print_row(json_t *row, const int *widths, bool is_colored)
{
	size_t n = json_array_size(row);

	for (size_t k = 0; k < n && k < TABLE_COLUMNS_MAX; k++) {
		const char *text = json_string_value(json_array_get(row, k));

		if (k + 1 < n)
			printf("%-*s", widths[k] + GAP, text);
		else if (is_colored)
			printf("%s%s" TABLE_PLAIN "\n", table_color(text), text);
		else
			printf("%s\n", text);
	}
}

void table_print(json_t *table, bool is_colored)
{
	int widths[TABLE_COLUMNS_MAX] = { 0 };
	json_t *row;
	size_t i;

	if (json_array_size(table) < 2)
		return;
	measure(table, widths);
	json_array_foreach(table, i, row)
		print_row(row, widths, is_colored && i > 0);
}
