// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/base/error.h"
#include "shared/cni/request.h"
#include "test/fuzz/fuzz.h"

static bool is_ours(json_int_t code)
{
	/* Not in here: what only the kernel, FRR or a lack of memory can do. */
	static const int codes[] = {
		ERROR_INCOMPATIBLE_VERSION,
		ERROR_UNSUPPORTED,
		ERROR_INVALID_ENVIRONMENT,
		ERROR_DECODE,
		ERROR_INVALID_CONFIG,
		ERROR_NOT_AVAILABLE,
		ERROR_EXISTS,
		ERROR_CONFLICT,
		ERROR_DELEGATE_EXEC,
		ERROR_DELEGATE_RESULT,
		ERROR_CHECK,
		ERROR_STATE,
	};

	for (size_t i = 0; i < COUNT(codes); i++) {
		if (code == codes[i])
			return true;
	}

	return false;
}

static bool is_version(json_t *value)
{
	const char *text = json_string_value(value);

	for (size_t i = 0; text && i < VERSIONS; i++) {
		if (strcmp(text, version_words[i]) == 0)
			return true;
	}

	return false;
}

static void check_error(json_t *document, const char *text, bool asked_ipam)
{
	json_int_t code = json_integer_value(json_object_get(document, "code"));

	fuzz_expect(json_object_size(document) == 4 &&
			    is_version(json_object_get(document, "cniVersion")),
		    "an error with cniVersion, code, msg and details", text);
	fuzz_expect(is_ours(code) || (asked_ipam && code > 0 && code <= INT_MAX),
		    "a code that exists", text);
	fuzz_expect(json_string_length(json_object_get(document, "msg")) > 0, "a message", text);
	fuzz_expect(json_is_string(json_object_get(document, "details")), "details", text);
}

/* The library knows JSON and UTF-8; the line's end is ours to look for. */
static json_t *decode(struct part printed)
{
	json_error_t reason;
	json_t *document = json_loadb(printed.text, printed.size,
				      JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &reason);

	fuzz_expect(document != NULL, reason.text, printed.text);
	fuzz_expect(json_is_object(document) && memchr(printed.text, '\n', printed.size) ==
							printed.text + printed.size - 1,
		    "one object on one line", printed.text);

	return document;
}

json_t *answer_check(struct part printed, const char *verb, int status, bool asked_ipam)
{
	auto_json json_t *document = NULL;
	bool speaks = status != 0 || strcmp(verb, "ADD") == 0 || strcmp(verb, "VERSION") == 0;

	fuzz_expect(status == 0 || status == 1, "exit status 0 or 1", printed.text);
	fuzz_expect(speaks == (printed.size > 0), speaks ? "a document" : "silence", printed.text);
	if (!speaks)
		return NULL;

	document = decode(printed);
	if (status != 0)
		check_error(document, printed.text, asked_ipam);
	else if (strcmp(verb, "ADD") == 0)
		fuzz_expect(is_version(json_object_get(document, "cniVersion")),
			    "a version in a result", printed.text);
	else
		fuzz_expect(json_array_size(json_object_get(document, "supportedVersions")) ==
				    VERSIONS,
			    "all versions", printed.text);

	return take_ptr(&document);
}
