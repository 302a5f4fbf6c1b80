// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/base/field.h"
#include "shared/base/parse.h"

const char *field_string(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

static int parse_bool(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);
	bool is_true = json_is_true(value) || (text && strcmp(text, "true") == 0);
	bool is_false = json_is_false(value) || (text && strcmp(text, "false") == 0);

	if (!is_true && !is_false)
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err, "true or false");
	memcpy(at, &is_true, sizeof(is_true));

	return 0;
}

static json_t *dump_bool(const struct field *field, const void *at)
{
	const bool *is_true = at;

	(void)field;

	return json_boolean(*is_true);
}

/* A whole number, however it is written: 100, 100.0, 1e2, "100". */
static bool read_number(const json_t *value, int64_t *number)
{
	const char *text = field_string(value);
	double real = json_real_value(value);
	uint64_t decimal;

	if (json_is_integer(value)) {
		*number = json_integer_value(value);
		return true;
	}
	/* Within what a u32 can be, so that the conversion is exact. */
	if (json_is_real(value) && real >= -1 && real <= (double)UINT32_MAX) {
		*number = (int64_t)real;
		return (double)*number == real;
	}
	if (!text || !parse_number(text, &decimal) || decimal > INT64_MAX)
		return false;
	*number = (int64_t)decimal;

	return true;
}

static int parse_u32(const struct field *field, json_t *value, void *at, struct error *err)
{
	int64_t number;
	uint32_t result;

	if (!read_number(value, &number) || number < field->min || number > field->max)
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a number from %" PRId64 " to %" PRId64, field->min,
				    field->max);
	result = (uint32_t)number;
	memcpy(at, &result, sizeof(result));

	return 0;
}

static json_t *dump_u32(const struct field *field, const void *at)
{
	const uint32_t *number = at;

	(void)field;

	return json_integer(*number);
}

static int parse_text(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || strlen(text) >= (size_t)field->max)
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a text of at most %" PRId64 " bytes", field->max - 1);
	memcpy(at, text, strlen(text) + 1);

	return 0;
}

static int parse_name(const struct field *field, json_t *value, void *at, struct error *err)
{
	static const char wanted[] = "the name of a network device: 1 to 15 ASCII characters "
				     "without blanks, '/', ':' and '%', and not \".\", \"..\", "
				     "\"all\", \"default\" or \"lo\"";
	const char *text = field_string(value);

	if (!text || (*text != '\0' && !parse_ifname(text)))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err, "%s", wanted);
	memcpy(at, text, strlen(text) + 1);

	return 0;
}

static json_t *dump_text(const struct field *field, const void *at)
{
	(void)field;

	return json_string(at);
}

static int parse_mac_value(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || !parse_mac(text, at))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a unicast MAC address like 02:00:5e:10:00:01");

	return 0;
}

static json_t *dump_mac(const struct field *field, const void *at)
{
	char text[MAC_TEXT_SIZE];

	(void)field;
	mac_print(at, text);

	return json_string(text);
}

static int parse_ip_value(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	if (!text || !parse_ip(text, at))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "an IP address without prefix length, like 192.0.2.1 or "
				    "2001:db8::1");

	return 0;
}

static json_t *dump_ip(const struct field *field, const void *at)
{
	char text[IP_TEXT_SIZE];

	(void)field;
	ip_print(at, text);

	return json_string(text);
}

static int refuse_choice(const struct field *field, json_t *value, struct error *err)
{
	char words[192] = "";

	for (const char *const *word = field->choices; *word; word++) {
		size_t len = strlen(words);

		snprintf(words + len, sizeof(words) - len, "%s%s", len > 0 ? ", " : "", *word);
	}

	return field_refuse(field, value, ERROR_INVALID_CONFIG, err, "one of %s", words);
}

static int parse_choice(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);

	for (unsigned i = 0; text && field->choices[i]; i++) {
		if (strcmp(text, field->choices[i]) == 0) {
			memcpy(at, &i, sizeof(i));
			return 0;
		}
	}

	return refuse_choice(field, value, err);
}

static json_t *dump_choice(const struct field *field, const void *at)
{
	const unsigned *index = at;

	return json_string(field->choices[*index]);
}

static int parse_range_value(const struct field *field, json_t *value, void *at, struct error *err)
{
	const char *text = field_string(value);
	uint32_t range[2];

	if (!text || !parse_range(text, &range[0], &range[1]) || range[0] < field->min ||
	    range[1] > field->max)
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err,
				    "a range \"LOWEST-HIGHEST\" within %" PRId64 "-%" PRId64,
				    field->min, field->max);
	memcpy(at, range, sizeof(range));

	return 0;
}

static json_t *dump_range(const struct field *field, const void *at)
{
	const uint32_t *range = at;

	(void)field;

	return json_sprintf("%" PRIu32 "-%" PRIu32, range[0], range[1]);
}

static int parse_object(const struct field *field, json_t *value, void *at, struct error *err)
{
	json_t **object = at;

	if (!json_is_object(value))
		return field_refuse(field, value, ERROR_INVALID_CONFIG, err, "an object");
	*object = value;

	return 0;
}

static json_t *dump_object(const struct field *field, const void *at)
{
	json_t *const *object = at;

	(void)field;

	return json_deep_copy(*object);
}

static int refuse_value(const struct field *field, json_t *value, void *at, struct error *err)
{
	(void)at;

	return field_refuse(field, value, ERROR_UNSUPPORTED, err,
			    "no value, the key is not supported");
}

static json_t *dump_nothing(const struct field *field, const void *at)
{
	(void)field;
	(void)at;

	return json_null();
}

/* clang-format off */
const struct field_type field_bool = {
	"true or false", sizeof(bool), parse_bool, dump_bool,
	"{'enum': [true, false, 'true', 'false']}", NULL };
const struct field_type field_u32 = {
	"number from $min to $max", sizeof(uint32_t), parse_u32, dump_u32,
	"{'anyOf': [" FIELD_SCHEMA_NUMBER "]}", NULL };
const struct field_type field_text = {
	"text of at most $size bytes", 0, parse_text, dump_text,
	"{'$ref': '#/$defs/text', 'maxLength': '$size'}", NULL };
const struct field_type field_ifname = {
	"device name, or empty", IFNAMSIZ, parse_name, dump_text,
	"{'anyOf': [{'const': ''}, {'$ref': '#/$defs/device'}]}", NULL };
const struct field_type field_mac = {
	"unicast MAC address", sizeof(struct mac), parse_mac_value, dump_mac,
	"{'$ref': '#/$defs/mac'}", NULL };
const struct field_type field_ip = {
	"IP address", sizeof(struct ip), parse_ip_value, dump_ip,
	"{'$ref': '#/$defs/ip'}", NULL };
const struct field_type field_choice = {
	"$words", sizeof(unsigned), parse_choice, dump_choice,
	"{'enum': '$words'}", NULL };
const struct field_type field_range = {
	"range \"LOWEST-HIGHEST\" within $min-$max", 2 * sizeof(uint32_t), parse_range_value, dump_range,
	"{'type': 'string', 'pattern': '$range'}", NULL };
const struct field_type field_object = {
	"object", sizeof(void *), parse_object, dump_object,
	"{'type': 'object'}", NULL };
const struct field_type field_refused = {
	"not offered", 0, refuse_value, dump_nothing,
	"false", NULL };
/* clang-format on */
