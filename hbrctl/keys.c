// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "shared/base/cleanup.h"
#include "shared/node/node.h"

#define KEY_MAX 64

/* Of the specification, of its library, and what runtimes and Multus put in. */
static const char *const of_cni[] = {
	"cniVersion", "cniVersions",  "name",          "type",         "args",      "prevResult",
	"hbr",        "capabilities", "runtimeConfig", "disableCheck", "disableGC", "deviceID",
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters have to be changed, put in or taken out (Levenshtein), whatever their case. */
static size_t distance(const char *a, const char *b)
{
	size_t row[KEY_MAX + 1], n = strlen(b);

	if (n > KEY_MAX)
		return KEY_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			bool same = strncasecmp(&a[i], &b[j - 1], 1) == 0;
			size_t change = corner + !same;

			corner = row[j];
			row[j] = least(change, 1 + least(row[j], row[j - 1]));
		}
	}

	return row[n];
}

struct guess {
	const char *wrong, *best;
	size_t distance;
};

static void consider(struct guess *guess, const char *key)
{
	size_t d = key ? distance(guess->wrong, key) : KEY_MAX;

	if (d >= guess->distance)
		return;
	guess->best = key;
	guess->distance = d;
}

/* Up to a third of the letters: more is another word. */
static const char *mean(const struct field_table *table, const char *key, bool is_top)
{
	struct guess guess = { key, NULL, strlen(key) / 3 + 1 };

	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].flags & FIELD_INTERNAL)
			continue;
		consider(&guess, table->rows[i].key);
		consider(&guess, table->rows[i].alias);
	}
	for (size_t i = 0; is_top && i < COUNT(of_cni); i++)
		consider(&guess, of_cni[i]);

	return guess.best;
}

static bool is_of_cni(const char *key)
{
	for (size_t i = 0; i < COUNT(of_cni); i++) {
		if (strcmp(of_cni[i], key) == 0)
			return true;
	}

	return strncmp(key, "cni.dev/", 8) == 0;
}

static void check(const struct field_table *table, json_t *object, const char *path,
		  json_t *findings)
{
	const char *key, *meant;
	char text[256];
	json_t *value;

	json_object_foreach(object, key, value) {
		const struct field *row = field_find(table, key);

		snprintf(text, sizeof(text), "%s%.*s.", path, KEY_MAX, key);
		if (row && row->type->fields && !(row->flags & FIELD_INTERNAL))
			check(row->type->fields, value, text, findings);
		if (!path[0] && strcmp(key, "hbr") == 0)
			check(&node_fields, value, text, findings);
		if ((row && !(row->flags & FIELD_INTERNAL)) || (!path[0] && is_of_cni(key)))
			continue;
		meant = mean(table, key, !path[0]);
		snprintf(text, sizeof(text), "%s%.*s: is no key and ignored%s%s%s", path, KEY_MAX,
			 key, meant ? ": did you mean " : "", meant ? meant : "", meant ? "?" : "");
		(void)json_array_append_new(findings, json_string(text));
	}
}

void keys_check(const struct field_table *table, json_t *object, json_t *findings)
{
	check(table, object, "", findings);
}
