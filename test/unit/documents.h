// SPDX-License-Identifier: Apache-2.0
#pragma once

/* JSON documents and addresses in tests. */

#include <jansson.h>

#include "shared/base/cleanup.h"
#include "shared/base/parse.h"
#include "shared/cni/result.h"
#include "test/unit/unit.h"

/* Documents are written with ' here where JSON has ": a copy with the right ones. */
static inline char *quoted(const char *text)
{
	char *copy = strdup(text);

	check(copy != NULL);
	for (char *c = copy; *c; c++)
		*c = *c == '\'' ? '"' : *c;

	return copy;
}

static inline json_t *json(const char *text)
{
	char *document = quoted(text);
	json_error_t reason;
	json_t *value = json_loads(document, 0, &reason);

	if (!value)
		fprintf(stderr, "%s: %s\n", text, reason.text);
	check(value != NULL);
	free(document);

	return value;
}

static inline void check_json(json_t *value, const char *wanted)
{
	auto_free char *text = json_dumps(value, JSON_COMPACT);
	char *document = quoted(wanted);

	check_str(text, document);
	free(document);
}

static inline void check_export(json_t *result, enum version version, const char *wanted)
{
	auto_json json_t *document = result_export(result, version);

	check_json(document, wanted);
}

static inline struct ip cidr(const char *text)
{
	struct ip ip = { 0 };

	check(parse_cidr(text, &ip));

	return ip;
}

static inline struct ip plain(const char *text)
{
	struct ip ip = { 0 };

	check(parse_ip(text, &ip));

	return ip;
}
