// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * JSON documents from elsewhere: reading the bytes, decoding them, looking into what came out.
 * Types are checked before anything is believed, and null is the same as absent, as in Go.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"

/*
 * Read to the end of file, in whatever pieces it comes. *text is owned by the caller and has a NUL
 * behind it. -1: ERROR_IO, or ERROR_INVALID_CONFIG for more than max bytes, a multiple of 1 MiB.
 */
int document_read(int fd, size_t max, char **text, size_t *size, struct error *err);

/* Read what is there within the time, for a caller that may never close its end. NULL: nothing. */
char *document_peek(int fd, unsigned timeout_ms, size_t max, size_t *size);

/*
 * Decode one object: a new reference. The last one of duplicate keys wins. Integers beyond 64 bits
 * become reals, but do not take the document down. -1 with the code given; "what" names the
 * document ("the configuration").
 */
int document_decode(const char *text, size_t size, const char *what, int code, json_t **object,
		    struct error *err);

/* The value of a key, borrowed; NULL when it is absent or null, or when this is no object. */
json_t *document_member(const json_t *object, const char *key);

/* The text of a string without NULs in it, else NULL. */
const char *document_text(const json_t *value);

/* The text of a key; "" when it has none. */
const char *document_member_text(const json_t *object, const char *key);

/* null is absent, to Go as to us; printed again it would break callers that want a list. */
void document_drop_nulls(json_t *object);

/* A value as people get it in a message: compact JSON, shortened to the size. */
void document_print(const json_t *value, char *text, size_t size);

/* Put '?' for each byte that is not UTF-8: nothing else can be made a JSON string. */
void document_make_utf8(char *text);
