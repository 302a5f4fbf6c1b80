// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What a table of keys does: parsing, and what a domain or a record remembers of it. (Schemas and
 * the reference documentation follow from the same rows.)
 *
 * Keys are matched exactly and unknown ones ignored. null is absent. Numbers and booleans may
 * come as strings ("100", "true"): real user interfaces write them so.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/field.h"

/*
 * Read every key of the table that the object has. *given gets a bit for each row that had a
 * value. Nothing is written unless all is right. -1: ERROR_INVALID_CONFIG (out of range, wrong
 * type, missing) or ERROR_UNSUPPORTED.
 */
int fields_parse(const struct field_table *table, json_t *object, void *base, uint64_t *given,
		 struct error *err);

/* A new object of the given rows that carry the flag (0: of all given rows). NULL: no memory. */
json_t *fields_dump(const struct field_table *table, unsigned flag, const void *base,
		    uint64_t given);

struct fields_fixed {
	json_t *values;   /* of fields_dump(); an object taken over is borrowed from it */
	const char *what; /* whose they are: "the L2 domain of VNI 10100" */
	unsigned flag;    /* of the rows that it is about; 0: all */
};

/* Is any of its rows there at all? */
bool fields_tell(const struct field_table *table, const struct fields_fixed *fixed);

/*
 * What was fixed before decides: a value that is given and differs from the fixed one is an
 * ERROR_CONFLICT that has both; one that is not given is taken over, and *given gets its bit. What
 * was never fixed stays as it is. ERROR_STATE: a fixed value is none.
 */
int fields_inherit(const struct field_table *table, const struct fields_fixed *fixed, void *base,
		   uint64_t *given, struct error *err);

/* Was the key of the value at this offset given? */
bool field_given(const struct field_table *table, uint64_t given, size_t offset);

/* Mark the value at this offset as given. */
void field_give(const struct field_table *table, uint64_t *given, size_t offset);

/* The row of a key, NULL when there is none. */
const struct field *field_find(const struct field_table *table, const char *key);
