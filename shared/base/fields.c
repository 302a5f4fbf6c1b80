// SPDX-License-Identifier: Apache-2.0
#include "shared/base/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"

/* The JSON text of a value, as much of it as a message has room for. */
struct excerpt {
	char text[84];
	size_t len;
};

static int on_text(const char *text, size_t size, void *arg)
{
	struct excerpt *excerpt = arg;
	size_t room = sizeof(excerpt->text) - sizeof("...") - excerpt->len;
	size_t n = size < room ? size : room;

	memcpy(excerpt->text + excerpt->len, text, n);
	excerpt->len += n;
	if (n == size)
		return 0;
	memcpy(excerpt->text + excerpt->len, "...", sizeof("..."));

	return -1; /* the rest is not wanted */
}

/* ASCII, so that a cut never leaves half a character, and a terminal nothing to obey. */
static struct excerpt excerpt(const json_t *value)
{
	struct excerpt excerpt = { .len = 0 };

	json_dump_callback(value, on_text, &excerpt,
			   JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);

	return excerpt;
}

int field_refuse(const struct field *field, json_t *value, int code, struct error *err,
		 const char *wanted, ...)
{
	char text[256];
	va_list args;

	va_start(args, wanted);
	vsnprintf(text, sizeof(text), wanted, args);
	va_end(args);
	if (!value)
		return error_set(err, code, "%s is missing: wanted %s", field->key, text);

	return error_set(err, code, "%s: %s is not allowed: wanted %s", field->key,
			 excerpt(value).text, text);
}

static size_t value_size(const struct field *row)
{
	if (row->type == &field_refused) /* whatever its range was meant for */
		return 0;

	return row->type->size > 0 ? row->type->size : (size_t)row->max;
}

static void *value_at(const struct field *row, void *base)
{
	return (char *)base + row->offset;
}

static const void *value_of(const struct field *row, const void *base)
{
	return (const char *)base + row->offset;
}

/* Values are parsed into a copy of the caller's struct, as far as its rows reach. */
struct scratch {
	_Alignas(max_align_t) char bytes[32768];
	size_t size;
};

static int copy_to(struct scratch *scratch, const struct field_table *table, const void *base,
		   struct error *err)
{
	scratch->size = 0;
	for (size_t i = 0; i < table->n; i++) {
		size_t end = table->rows[i].offset + value_size(&table->rows[i]);

		if (end > scratch->size)
			scratch->size = end;
	}
	if (scratch->size > sizeof(scratch->bytes))
		return error_set(err, ERROR_INTERNAL,
				 "the fields of a table reach over %zu bytes: wanted at most %zu",
				 scratch->size, sizeof(scratch->bytes));
	memcpy(scratch->bytes, base, scratch->size);

	return 0;
}

/* NULL when it is absent. */
static json_t *find_value(json_t *object, const char *key)
{
	json_t *value = key ? json_object_get(object, key) : NULL;

	return json_is_null(value) ? NULL : value;
}

/* Two spellings of one value dump to the same JSON. NULL: it is not allowed. */
static json_t *parse_and_dump(const struct field *row, json_t *value, void *at, struct error *err)
{
	json_t *dumped = NULL;

	if (row->type->parse(row, value, at, err) == 0) {
		dumped = row->type->dump(row, at);
		if (!dumped)
			error_set(err, ERROR_INTERNAL, "%s: out of memory", row->key);
	}

	return dumped;
}

/* A key under both of its names: that they differ is nobody's wish. */
static int parse_both(const struct field *row, const struct field *alias, json_t *object, void *at,
		      struct error *err)
{
	json_t *value = find_value(object, row->key), *other = find_value(object, alias->key);
	auto_json json_t *again = parse_and_dump(alias, other, at, err), *said = NULL;

	if (again)
		said = parse_and_dump(row, value, at, err);
	if (!said)
		return -1;
	if (json_equal(said, again))
		return 0;

	return error_set(err, ERROR_INVALID_CONFIG,
			 "%s: %s contradicts %s: %s, another name of the same key: wanted one of "
			 "the two",
			 row->key, excerpt(value).text, alias->key, excerpt(other).text);
}

/* 1 parsed, 0 absent. Messages have the name that the object's author wrote. */
static int parse_row(const struct field *row, json_t *object, void *at, struct error *err)
{
	struct field alias = *row;
	json_t *value = find_value(object, row->key), *other = find_value(object, row->alias);
	int r;

	alias.key = row->alias;
	if (!value && !other && !(row->flags & FIELD_REQUIRED))
		return 0;
	if (value && other)
		r = parse_both(row, &alias, object, at, err);
	else
		r = row->type->parse(other ? &alias : row, other ? other : value, at, err);

	return r < 0 ? -1 : 1;
}

int fields_parse(const struct field_table *table, json_t *object, void *base, uint64_t *given,
		 struct error *err)
{
	struct scratch scratch;
	uint64_t found = 0;

	if (copy_to(&scratch, table, base, err) < 0)
		return -1;
	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];
		int r = 0;

		if (!(row->flags & FIELD_INTERNAL))
			r = parse_row(row, object, value_at(row, scratch.bytes), err);
		if (r < 0)
			return -1;
		if (r == 1)
			found |= UINT64_C(1) << i;
	}
	memcpy(base, scratch.bytes, scratch.size);
	*given = found;

	return 0;
}

static bool has_flag(const struct field *row, unsigned flag)
{
	return flag == 0 || (row->flags & flag) != 0;
}

json_t *fields_dump(const struct field_table *table, unsigned flag, const void *base,
		    uint64_t given)
{
	auto_json json_t *object = json_object();

	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];

		if (!has_flag(row, flag) || !(given >> i & 1))
			continue;
		/* takes no value for no memory, and says so */
		if (json_object_set_new(object, row->key,
					row->type->dump(row, value_of(row, base))) < 0)
			return NULL;
	}

	return take_ptr(&object);
}

/* Two spellings of one value dump to the same JSON. */
static int compare(const struct field *row, const void *asked, const void *fixed, const char *what,
		   struct error *err)
{
	auto_json json_t *ours = row->type->dump(row, asked);
	auto_json json_t *theirs = row->type->dump(row, fixed);

	if (!ours || !theirs)
		return error_set(err, ERROR_INTERNAL, "%s: out of memory", row->key);
	if (json_equal(ours, theirs))
		return 0;

	return error_set(err, ERROR_CONFLICT, "%s: %s was asked for, but %s has %s", row->key,
			 excerpt(ours).text, what, excerpt(theirs).text);
}

bool fields_tell(const struct field_table *table, const struct fields_fixed *fixed)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];

		if (has_flag(row, fixed->flag) && find_value(fixed->values, row->key))
			return true;
	}

	return false;
}

/* Not the caller's configuration is wrong, but what is remembered. */
static int spoiled(const struct fields_fixed *fixed, struct error *err)
{
	const struct error reason = *err;

	return error_set(err, ERROR_STATE, "%s: %s", fixed->what, reason.msg);
}

int fields_inherit(const struct field_table *table, const struct fields_fixed *fixed, void *base,
		   uint64_t *given, struct error *err)
{
	struct scratch scratch;
	uint64_t found = *given;

	if (copy_to(&scratch, table, base, err) < 0)
		return -1;
	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];
		json_t *value =
			has_flag(row, fixed->flag) ? find_value(fixed->values, row->key) : NULL;
		void *at = value_at(row, scratch.bytes);
		const void *asked = value_of(row, base);

		if (!value)
			continue;
		if (row->type->parse(row, value, at, err) < 0)
			return spoiled(fixed, err);
		if (found >> i & 1) {
			if (compare(row, asked, at, fixed->what, err) < 0)
				return -1;
			memcpy(at, asked, value_size(row)); /* an object is borrowed: ours stays */
		}
		found |= UINT64_C(1) << i;
	}
	memcpy(base, scratch.bytes, scratch.size);
	*given = found;

	return 0;
}

bool field_given(const struct field_table *table, uint64_t given, size_t offset)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].offset == offset && (given >> i & 1))
			return true;
	}

	return false;
}

void field_give(const struct field_table *table, uint64_t *given, size_t offset)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].offset == offset && table->rows[i].type != &field_refused)
			*given |= UINT64_C(1) << i;
	}
}

const struct field *field_find(const struct field_table *table, const char *key)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *row = &table->rows[i];

		if (strcmp(row->key, key) == 0 || (row->alias && strcmp(row->alias, key) == 0))
			return row;
	}

	return NULL;
}
