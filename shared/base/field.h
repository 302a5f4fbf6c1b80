// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The keys of a JSON object as rows of a table: name, type, range, where the value lands. For those
 * who write a table or a type; fields.h is for those who read an object by one. One rule: a row is
 * the only place that knows its key.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/error.h"

struct field;

/*
 * How values of a type are read and written. parse() fills in *at or fails with an error that
 * names key, value and what is allowed (field_refuse() words it); it is asked to parse NULL when a
 * required key is missing, for the same words. dump() gives a new JSON value. name and schema say
 * what parse() takes, to people and as JSON Schema (with ' for "); $min, $max, $size and $words
 * stand for what the row has, $decimal and $range for patterns of it. null is not for the type to
 * say.
 */
struct field_type {
	const char *name; /* as the reference documentation says it: "MAC address" */
	size_t size;      /* of the value; 0: the row's max says (strings) */
	int (*parse)(const struct field *field, json_t *value, void *at, struct error *err);
	json_t *(*dump)(const struct field *field, const void *at);
	const char *schema;
	const struct field_table *fields; /* of an object: its own keys, part of schema; or NULL */
};

/* In a schema: a whole number from min to max, or its decimal text. */
#define FIELD_SCHEMA_NUMBER                                           \
	"{'type': 'integer', 'minimum': '$min', 'maximum': '$max'}, " \
	"{'type': 'string', 'pattern': '$decimal'}"

struct field {
	const char *key;
	const char *alias; /* another name of the key, accepted too; NULL: none. Both at once have
			    * to say the same */
	const struct field_type *type;
	size_t offset;              /* of the value in the caller's struct */
	int64_t min, max;           /* of a number; max of a string: size of its buffer, of a list:
				     * how many entries */
	const char *const *choices; /* of field_choice: the words, NULL at the end */
	unsigned flags;             /* FIELD_REQUIRED, and the caller's own from FIELD_USER on */
	const char *doc;            /* one sentence for the reference documentation */
};

#define FIELD_REQUIRED 1u
#define FIELD_INTERNAL 2u /* not a key of the object's author: only fields_inherit() reads it */
#define FIELD_SETTLED  4u /* absent, it comes from the node, who may change its mind: remembered */
#define FIELD_DERIVED  8u /* absent, it follows from other keys: it has no one default */
#define FIELD_USER     16u

struct field_table {
	const struct field *rows;
	size_t n; /* at most 64 */
};

/*                                       the value is a                            */
extern const struct field_type field_bool;    /* bool                                  */
extern const struct field_type field_u32;     /* uint32_t within min..max              */
extern const struct field_type field_text;    /* char[max], any text                   */
extern const struct field_type field_ifname;  /* char[IFNAMSIZ], parse_ifname() or ""  */
extern const struct field_type field_mac;     /* struct mac                            */
extern const struct field_type field_ip;      /* struct ip, plain                      */
extern const struct field_type field_choice;  /* unsigned, the index of a word         */
extern const struct field_type field_range;   /* uint32_t[2], from "lo-hi" in min..max */
extern const struct field_type field_object;  /* json_t *, borrowed from the document  */
extern const struct field_type field_refused; /* nothing: any value is code 2          */

/*
 * `key: VALUE is not allowed: wanted WANTED`, with the JSON text of the value, shortened when
 * long; `key is missing: wanted WANTED` for a value of NULL. Always -1.
 */
int field_refuse(const struct field *field, json_t *value, int code, struct error *err,
		 const char *wanted, ...) __attribute__((format(printf, 5, 6)));

/* The text of a JSON string. NULL: it is something else, or has a NUL inside. */
const char *field_string(const json_t *value);
