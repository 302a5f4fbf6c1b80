// SPDX-License-Identifier: Apache-2.0
#include "docs/reference.h"

#include "docs/schema.h"
#include "shared/base/cleanup.h"

static void put_default(FILE *out, const struct field *row, const void *defaults)
{
	auto_json json_t *value = schema_default(row, defaults);
	auto_free char *text = json_dumps(value, JSON_ENCODE_ANY);

	if (row->flags & FIELD_REQUIRED)
		fputs("required", out);
	else if (text)
		fprintf(out, "`%s`", text);
}

static void put_rows(FILE *out, const char *prefix, const struct field_table *table,
		     const void *defaults)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];
		auto_free char *value = NULL;
		char name[64];

		if (row->flags & FIELD_INTERNAL)
			continue;
		value = schema_describe(row);
		fprintf(out, "| `%s%s`", prefix, row->key);
		if (row->alias)
			fprintf(out, " (`%s`)", row->alias);
		fprintf(out, " | %s | ", value);
		put_default(out, row, defaults);
		fprintf(out, " | %s |\n", row->doc);

		snprintf(name, sizeof(name), "%s%s.", prefix, row->key);
		if (row->type->fields)
			put_rows(out, name, row->type->fields, NULL);
	}
}

void reference_put_table(FILE *out, const struct field_table *table, const void *defaults)
{
	fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
	put_rows(out, "", table, defaults);
}

static const char *description(json_t *schema)
{
	return json_string_value(json_object_get(schema, "description"));
}

void reference_put_properties(FILE *out, json_t *piece)
{
	const char *key;
	json_t *value;

	if (!json_object_get(piece, "properties"))
		return;
	fputs("\n| beside them | meaning |\n|---|---|\n", out);
	json_object_foreach(json_object_get(piece, "properties"), key, value)
		fprintf(out, "| `%s` | %s |\n", key, description(value));
}

void reference_put_rules(FILE *out, json_t *piece)
{
	json_t *rule;
	size_t i;

	json_array_foreach(json_object_get(piece, "allOf"), i, rule)
		fprintf(out, "%s- %s\n", i == 0 ? "\n" : "", description(rule));
}
