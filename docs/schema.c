// SPDX-License-Identifier: Apache-2.0
#include "docs/schema.h"

#include <string.h>

#include "docs/must.h"
#include "docs/pattern.h"
#include "shared/base/cleanup.h"

static json_t *pattern(char *(*make)(uint64_t min, uint64_t max), const struct field *row)
{
	auto_free char *text = make((uint64_t)row->min, (uint64_t)row->max);

	return json_string(text);
}

static json_t *list_words(const struct field *row)
{
	json_t *list = json_array();

	for (const char *const *word = row->choices; *word; word++)
		(void)json_array_append_new(list, json_string(*word));

	return list;
}

/* What stands for something of the row: a new reference. */
static json_t *look_up(const struct field *row, const char *name)
{
	json_t *value = NULL;

	if (strcmp(name, "$min") == 0)
		value = json_integer(row->min);
	else if (strcmp(name, "$max") == 0)
		value = json_integer(row->max);
	else if (strcmp(name, "$size") == 0)
		value = json_integer(row->max - 1);
	else if (strcmp(name, "$words") == 0)
		value = list_words(row);
	else if (strcmp(name, "$decimal") == 0)
		value = pattern(pattern_decimal, row);
	else if (strcmp(name, "$range") == 0)
		value = pattern(pattern_range, row);

	return must(value, name);
}

/* A copy with what its texts stand for. */
static json_t *fill_in(const struct field *row, json_t *value)
{
	json_t *copy = json_is_object(value) ? json_object() : json_array(), *member;
	const char *key;
	size_t i;

	if (!json_is_object(value) && !json_is_array(value)) {
		const char *text = json_string_value(value);

		json_decref(copy);
		return text && *text == '$' ? look_up(row, text) : json_incref(value);
	}
	json_object_foreach(value, key, member)
		(void)json_object_set_new(copy, key, fill_in(row, member));
	json_array_foreach(value, i, member)
		(void)json_array_append_new(copy, fill_in(row, member));

	return copy;
}

/* An object of these keys is all that a value can be, or one of the choices. */
static void add_object(json_t *schema, const struct field_table *table)
{
	json_t *choices = json_object_get(schema, "anyOf"), *object;

	if (!choices) {
		schema_add_table(schema, table, 0, NULL);
		return;
	}
	object = json_object();
	schema_add_table(object, table, 0, NULL);
	(void)json_array_append_new(choices, object);
}

/* What a row's type takes. */
static json_t *value_schema(const struct field *row)
{
	const char *said = row->type->schema;
	auto_json json_t *raw = NULL;
	char text[1024] = ""; /* one that is longer is no JSON in it */
	json_t *schema;

	for (size_t i = 0; said && said[i] && i < sizeof(text) - 1; i++) {
		text[i] = said[i];
		if (text[i] == '\'')
			text[i] = '"';
	}
	raw = must(json_loads(text, JSON_DECODE_ANY, NULL), row->type->name);
	schema = fill_in(row, raw);
	if (row->type->fields)
		add_object(schema, row->type->fields);

	return schema;
}

/* The same, or null. */
static json_t *nullable(const struct field *row)
{
	json_t *schema = value_schema(row);
	json_t *choices = json_object_get(schema, "anyOf");

	if (json_object_size(schema) != 1 || !choices)
		return json_pack("{s:[{s:s}, o]}", "anyOf", "type", "null", schema);
	(void)json_array_insert_new(choices, 0, json_pack("{s:s}", "type", "null"));

	return schema;
}

/* The list of that name, made when there is none: borrowed. */
static json_t *list_of(json_t *schema, const char *name)
{
	if (!json_object_get(schema, name))
		(void)json_object_set_new(schema, name, json_array());

	return must(json_object_get(schema, name), name);
}

static json_t *object_of(json_t *schema, const char *name)
{
	if (!json_object_get(schema, name))
		(void)json_object_set_new(schema, name, json_object());

	return must(json_object_get(schema, name), name);
}

/* Documents in which a key is there, and not null. */
static json_t *presence(const char *key)
{
	return json_pack("{s:[s], s:{s:{s:{s:s}}}}", "required", key, "properties", key, "not",
			 "type", "null");
}

/* No document in which one key is yes and the other is no. */
static json_t *contradiction(const char *yes, const char *no)
{
	return json_pack("{s:{s:[s, s], s:{s:{s:[b, s]}, s:{s:[b, s]}}}}", "not", "required", yes,
			 no, "properties", yes, "enum", 1, "true", no, "enum", 0, "false");
}

/*
 * Both spellings of a key may be there when they say the same: of yes and no a schema can tell. One
 * of the two has to be there when the key is required.
 */
static void add_alias(json_t *schema, const struct field *row)
{
	json_t *property = json_pack("{s:s+}", "description", "Another spelling of ", row->key);
	auto_json json_t *value = nullable(row);

	(void)json_object_update(property, value);
	(void)json_object_set_new(object_of(schema, "properties"), row->alias, property);
	if (row->type == &field_bool) {
		json_t *rules = list_of(schema, "allOf");

		(void)json_array_append_new(rules, contradiction(row->key, row->alias));
		(void)json_array_append_new(rules, contradiction(row->alias, row->key));
	}
	if (row->flags & FIELD_REQUIRED)
		(void)json_array_append_new(
			list_of(schema, "allOf"),
			json_pack("{s:[o, o]}", "anyOf", presence(row->key), presence(row->alias)));
}

static void add_row(json_t *schema, const struct field *row, const void *defaults)
{
	bool required = (row->flags & FIELD_REQUIRED) && !row->alias;
	json_t *property = json_pack("{s:s}", "description", row->doc);
	auto_json json_t *value = required ? value_schema(row) : nullable(row);
	json_t *absent = schema_default(row, defaults);

	if (absent)
		(void)json_object_set_new(property, "default", absent);
	(void)json_object_update(property, value);
	(void)json_object_set_new(object_of(schema, "properties"), row->key, property);
	if (required)
		(void)json_array_append_new(list_of(schema, "required"), json_string(row->key));
	if (row->alias)
		add_alias(schema, row);
}

void schema_add_table(json_t *schema, const struct field_table *table, unsigned without,
		      const void *defaults)
{
	(void)json_object_set_new(schema, "type", json_string("object"));
	for (size_t i = 0; i < table->n; i++) {
		if (!(table->rows[i].flags & (without | FIELD_INTERNAL)))
			add_row(schema, &table->rows[i], defaults);
	}
}

void schema_merge(json_t *schema, json_t *piece)
{
	const char *key;
	json_t *value;

	json_object_foreach(piece, key, value) {
		if (json_is_array(value))
			(void)json_array_extend(list_of(schema, key), value);
		else
			(void)json_object_update(object_of(schema, key), value);
	}
}

static bool is_referred_to(json_t *schema, const char *name)
{
	auto_free char *text = must(json_dumps(schema, JSON_COMPACT), "the text of a schema");
	char reference[80];

	snprintf(reference, sizeof(reference), "\"#/$defs/%s\"", name);

	return strstr(text, reference) != NULL;
}

void schema_prune(json_t *schema)
{
	json_t *defs = json_object_get(schema, "$defs"), *def;
	const char *name;
	void *next;
	bool again = true;

	while (again) {
		again = false;
		json_object_foreach_safe(defs, next, name, def)
		{
			if (!is_referred_to(schema, name))
				again = json_object_del(defs, name) == 0;
		}
	}
}

static void put_value(FILE *out, json_t *value)
{
	json_t *word;
	size_t i;

	json_array_foreach(value, i, word)
		fprintf(out, "%s`%s`", i > 0 ? ", " : "", json_string_value(word));
	if (!json_is_array(value))
		(void)json_dumpf(value, out, JSON_ENCODE_ANY);
}

char *schema_describe(const struct field *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = must(open_memstream(&text, &size), row->key);

	for (const char *at = row->type->name; *at;) {
		size_t len = strcspn(at, "$");

		fprintf(out, "%.*s", (int)len, at);
		at += len;
		if (*at == '$') {
			auto_free char *name = NULL;
			auto_json json_t *value = NULL;

			len = 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz");
			name = must(strndup(at, len), row->key);
			value = look_up(row, name);
			put_value(out, value);
			at += len;
		}
	}
	fclose(out);

	return must(text, row->key);
}

/* The default is a value that the parser takes: others (an MTU of 0) mean that it is found out. */
json_t *schema_default(const struct field *row, const void *defaults)
{
	const void *at = defaults ? (const char *)defaults + row->offset : NULL;
	_Alignas(max_align_t) char scratch[32768] = { 0 };
	auto_json json_t *value = NULL;
	struct error ignored;

	if (!at || (row->flags & (FIELD_REQUIRED | FIELD_SETTLED | FIELD_DERIVED)))
		return NULL;
	value = row->type->dump(row, at);
	if (!value || row->type->size > sizeof(scratch) ||
	    row->type->parse(row, value, scratch, &ignored) < 0)
		return NULL;

	return take_ptr(&value);
}
