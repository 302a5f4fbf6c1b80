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
static const char *mean(const struct field_table *table, const char *key, bool has_cni)
{
	struct guess guess = { key, NULL, strlen(key) / 3 + 1 };

	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].flags & FIELD_INTERNAL)
			continue;
		consider(&guess, table->rows[i].key);
		consider(&guess, table->rows[i].alias);
	}
	for (size_t i = 0; has_cni && i < COUNT(of_cni); i++)
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

struct place {
	const char *path; /* before the keys: "vrf." */
	bool has_cni;     /* they may be CNI's, too */
};

static void find(const struct field_table *table, const char *key, const struct place *place,
		 json_t *findings)
{
	const char *meant = mean(table, key, place->has_cni);

	(void)json_array_append_new(findings,
				    json_sprintf("%s%.*s: is no key and ignored%s%s%s", place->path,
						 KEY_MAX, key, meant ? ": did you mean " : "",
						 meant ? meant : "", meant ? "?" : ""));
}

static void check(const struct field_table *table, json_t *object, const struct place *place,
		  json_t *findings)
{
	char path[256];
	const struct place inner = { path, false };
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		const struct field *row = field_find(table, key);
		bool is_key = row && !(row->flags & FIELD_INTERNAL);

		snprintf(path, sizeof(path), "%s%.*s.", place->path, KEY_MAX, key);
		if (is_key && row->type->fields)
			check(row->type->fields, value, &inner, findings);
		if (place->has_cni && strcmp(key, "hbr") == 0)
			check(&node_fields, value, &inner, findings);
		if (!is_key && !(place->has_cni && is_of_cni(key)))
			find(table, key, place, findings);
	}
}

void keys_check(const struct field_table *table, bool is_network, json_t *object, json_t *findings)
{
	const struct place top = { "", is_network };

	check(table, object, &top, findings);
}
