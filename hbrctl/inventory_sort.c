// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "hbrctl/inventory.h"
#include "shared/base/cleanup.h"

struct entry {
	json_t *value;
};

static int compare_pods(json_t *a, json_t *b)
{
	int r = strverscmp(inventory_text(a, "namespace"), inventory_text(b, "namespace"));

	return r ? r : strverscmp(inventory_text(a, "name"), inventory_text(b, "name"));
}

/* A member that an entry has not is empty. */
static int compare(const void *a, const void *b)
{
	static const char *const keys[] = { "name", "container", "interface", "in" };
	json_t *first = ((const struct entry *)a)->value,
	       *second = ((const struct entry *)b)->value;
	int r;

	if (json_is_string(first))
		return strverscmp(json_string_value(first), json_string_value(second));
	r = compare_pods(json_object_get(first, "pod"), json_object_get(second, "pod"));
	for (size_t i = 0; r == 0 && i < COUNT(keys); i++)
		r = strverscmp(inventory_text(first, keys[i]), inventory_text(second, keys[i]));

	return r;
}

void inventory_sort(json_t *list)
{
	size_t n = json_array_size(list), i;
	auto_free struct entry *entries = calloc(n + 1, sizeof(*entries));
	json_t *value;

	if (!entries)
		return;
	json_array_foreach(list, i, value)
		entries[i].value = json_incref(value);
	qsort(entries, n, sizeof(*entries), compare);
	(void)json_array_clear(list);
	for (i = 0; i < n; i++)
		(void)json_array_append_new(list, entries[i].value);
}

bool inventory_has_text(json_t *list, const char *text)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		if (strcmp(json_string_value(entry), text) == 0)
			return true;
	}

	return false;
}
