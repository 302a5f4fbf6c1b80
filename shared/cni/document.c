// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/document.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/base/patience.h"

/* Text that grows. */
struct buffer {
	char *text;
	size_t size, capacity;
};

/* Room for one more byte and the NUL. */
static bool has_room(struct buffer *buffer)
{
	size_t capacity = buffer->capacity ? buffer->capacity * 2 : 16384;
	char *text;

	if (buffer->size + 1 < buffer->capacity)
		return true;

	text = realloc(buffer->text, capacity);
	if (!text)
		return false;
	buffer->text = text;
	buffer->capacity = capacity;

	return true;
}

/* One read() behind what is there: its answer. */
static ssize_t append(struct buffer *buffer, int fd)
{
	size_t room = buffer->capacity - buffer->size - 1;
	ssize_t n;

	do {
		n = read(fd, buffer->text + buffer->size, room);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		buffer->size += (size_t)n;
	buffer->text[buffer->size] = '\0';

	return n;
}

int document_read(int fd, size_t max, char **text, size_t *size, struct error *err)
{
	auto_free char *owned = NULL;
	struct buffer buffer = { 0 };
	ssize_t n;

	/* A whole object or a newline is no end: only the end of the file is. */
	do {
		bool room = has_room(&buffer);

		owned = buffer.text;
		if (!room)
			return error_set(err, ERROR_INTERNAL,
					 "out of memory for the configuration");
		n = append(&buffer, fd);
		if (n < 0)
			return error_errno(err, ERROR_IO, errno, "reading standard input");
		if (buffer.size > max)
			return error_set(err, ERROR_INVALID_CONFIG,
					 "configuration is larger than %zu MiB", max >> 20);
	} while (n > 0);

	*text = take_ptr(&owned);
	*size = buffer.size;

	return 0;
}

char *document_peek(int fd, unsigned timeout_ms, size_t max, size_t *size)
{
	struct patience patience = patience_begin(timeout_ms, 0, 0);
	struct buffer buffer = { 0 };

	while (buffer.size <= max && has_room(&buffer)) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int left = patience_left_ms(&patience);

		/* A signal ends the wait early: then what is there has to do. */
		if (left == 0 || poll(&ready, 1, left) <= 0 || append(&buffer, fd) <= 0)
			break;
	}
	*size = buffer.size;

	return buffer.text;
}

/* Reals that are whole and exact are the integers that the decoder was told not to make. */
static int restore_integers(json_t *value);

/* A new reference to what belongs in the place of a value. */
static json_t *restored(json_t *value)
{
	double real = json_real_value(value);

	if (json_is_real(value) && real > -0x1p53 && real < 0x1p53 &&
	    real == (double)(json_int_t)real)
		return json_integer((json_int_t)real);
	if (restore_integers(value) < 0)
		return NULL;

	return json_incref(value);
}

/* As deep as the decoder goes: 2048. */
static int restore_integers(json_t *value)
{
	const char *key;
	json_t *member;
	size_t i;

	json_object_foreach(value, key, member) {
		if (json_object_set_new_nocheck(value, key, restored(member)) < 0)
			return -1;
	}
	json_array_foreach(value, i, member) {
		if (json_array_set_new(value, i, restored(member)) < 0)
			return -1;
	}

	return 0;
}

/* Callers send NULs in values that are not ours, and the same key twice. */
static json_t *load(const char *text, size_t size, json_error_t *reason)
{
	auto_json json_t *value = json_loadb(text, size, JSON_ALLOW_NUL, reason);

	if (value || json_error_code(reason) != json_error_numeric_overflow)
		return take_ptr(&value);

	/* One number that is too large, of whatever key, would cost the whole document. */
	value = json_loadb(text, size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, reason);
	if (value && restore_integers(value) < 0)
		return NULL;

	return take_ptr(&value);
}

int document_decode(const char *text, size_t size, const char *what, int code, json_t **object,
		    struct error *err)
{
	auto_json json_t *value = NULL;
	json_error_t reason = { 0 };

	if (size == 0)
		return error_set(err, code, "%s is empty", what);

	value = load(text, size, &reason);
	if (!value)
		return error_set(err, code, "%s is no JSON: line %d, column %d: %s", what,
				 reason.line, reason.column, reason.text);
	if (!json_is_object(value))
		return error_set(err, code, "%s is no JSON object", what);
	*object = take_ptr(&value);

	return 0;
}

json_t *document_member(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

/* A text that a NUL cuts short would be another one to all that take C strings. */
const char *document_text(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

const char *document_member_text(const json_t *object, const char *key)
{
	const char *text = document_text(document_member(object, key));

	return text ? text : "";
}

void document_drop_nulls(json_t *object)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(object, next, key, value)
	{
		if (json_is_null(value))
			json_object_del(object, key);
	}
}

void document_print(const json_t *value, char *text, size_t size)
{
	auto_free char *dump =
		json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

	if (snprintf(text, size, "%s", dump ? dump : "nothing") >= (int)size)
		memcpy(text + size - sizeof("..."), "...", sizeof("..."));
}

/* Bytes of a sequence that starts with this one; 0: none does. */
static size_t sequence_size(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;

	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

void document_make_utf8(char *text)
{
	for (char *p = text; *p;) {
		size_t n = sequence_size((unsigned char)*p);
		auto_json json_t *probe = NULL;

		/* The library's own rule decides, since it is the library that refuses. */
		if (n > 1 && strnlen(p, n) == n)
			probe = json_stringn(p, n);
		if (n != 1 && !probe) {
			*p = '?';
			n = 1;
		}
		p += n;
	}
}
