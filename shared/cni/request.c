// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "shared/base/parse.h"
#include "shared/cni/document.h"

#define VERSION_PATIENCE_MS 250
#define NAME_LENGTH_MAX     255 /* of a container ID or a network name, in bytes */

const char *const verb_words[VERBS] = {
	[VERB_ADD] = "ADD", [VERB_CHECK] = "CHECK",   [VERB_DEL] = "DEL",
	[VERB_GC] = "GC",   [VERB_STATUS] = "STATUS", [VERB_VERSION] = "VERSION",
};

const char *const version_words[VERSIONS] = {
	[CNI_0_1_0] = "0.1.0", [CNI_0_2_0] = "0.2.0", [CNI_0_3_0] = "0.3.0", [CNI_0_3_1] = "0.3.1",
	[CNI_0_4_0] = "0.4.0", [CNI_1_0_0] = "1.0.0", [CNI_1_1_0] = "1.1.0",
};

/* The first version that has the verb. */
static const enum version verb_since[VERBS] = {
	[VERB_CHECK] = CNI_0_4_0,
	[VERB_GC] = CNI_1_1_0,
	[VERB_STATUS] = CNI_1_1_0,
};

/* They are unbounded in the specification, but end up in paths, aliases and messages. */
static bool is_name(const char *text)
{
	return strlen(text) <= NAME_LENGTH_MAX && parse_id(text);
}

/* It is told in the result, and JSON has no way to tell anything else. */
static bool is_utf8(const char *text)
{
	auto_json json_t *probe = json_string(text);

	return probe != NULL;
}

#define BIT(verb)  (1u << (verb))
#define NAME_RULE  "1 to 255 of A-Z, a-z, 0-9, '_', '.', '-', the first a letter or a digit"
#define ATTACHMENT (BIT(VERB_ADD) | BIT(VERB_CHECK) | BIT(VERB_DEL))

/* A variable of the environment. Verbs that do not need it do not look at its form either. */
static const struct variable {
	const char *name;
	size_t offset; /* in struct request */
	unsigned needed;
	bool (*is_valid)(const char *value); /* NULL: looked at elsewhere */
	const char *wanted;
} variables[] = {
	{ "CNI_CONTAINERID", offsetof(struct request, container_id), ATTACHMENT, is_name,
	  NAME_RULE },
	{ "CNI_NETNS", offsetof(struct request, netns), BIT(VERB_ADD) | BIT(VERB_CHECK), is_utf8,
	  "a path in UTF-8" },
	{ "CNI_IFNAME", offsetof(struct request, ifname), ATTACHMENT, parse_ifname,
	  "1 to 15 printable ASCII characters without '/', ':', '%' and blanks, not \".\", \"..\", "
	  "\"all\", \"default\", \"lo\"" },
	{ "CNI_ARGS", offsetof(struct request, args), 0, NULL, "" },
	{ "CNI_PATH", offsetof(struct request, path), 0, NULL, "" },
};

static const char *get_variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* The index of a word in a list; -1: it is not there. */
static int find_word(const char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}

	return -1;
}

static int read_verb(struct request *request, struct error *err)
{
	const char *word = get_variable("CNI_COMMAND");
	int verb = find_word(verb_words, VERBS, word);

	if (*word == '\0')
		return error_set(err, ERROR_INVALID_ENVIRONMENT,
				 "required env variables [CNI_COMMAND] missing");
	if (verb < 0)
		return error_set(
			err, ERROR_INVALID_ENVIRONMENT,
			"unknown CNI_COMMAND: %.64s: wanted ADD, CHECK, DEL, GC, STATUS or "
			"VERSION",
			word);
	request->verb = (enum verb)verb;

	return 0;
}

/* In the order of the Go library: one value that is wrong is told before all those that are
 * missing. */
static int read_variables(struct request *request, struct error *err)
{
	char missing[128] = "";
	size_t len = 0;

	for (size_t i = 0; i < COUNT(variables); i++) {
		const struct variable *variable = &variables[i];
		const char **at = (void *)((char *)request + variable->offset);
		bool needed = variable->needed & BIT(request->verb);

		*at = get_variable(variable->name);
		if (needed && **at == '\0')
			len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s",
						len > 0 ? "," : "", variable->name);
		else if (needed && variable->is_valid && !variable->is_valid(*at))
			return error_set(err, ERROR_INVALID_ENVIRONMENT,
					 "%s: \"%.64s\" is not allowed: wanted %s", variable->name,
					 *at, variable->wanted);
	}
	if (len > 0)
		return error_set(err, ERROR_INVALID_ENVIRONMENT,
				 "required env variables [%s] missing", missing);

	return 0;
}

/* At the first "=", as Multus does; the last one of a key wins, since Multus sends some twice. */
static int take_pair(json_t *pairs, char *pair, struct error *err)
{
	char *equals = strchr(pair, '=');

	if (!equals || equals == pair)
		return error_set(err, ERROR_INVALID_ENVIRONMENT,
				 "CNI_ARGS: \"%.64s\" is not allowed: wanted KEY=VALUE", pair);
	*equals = '\0';
	if (json_object_set_new(pairs, pair, json_string(equals + 1)) < 0)
		return error_set(err, ERROR_INTERNAL, "out of memory for CNI_ARGS");

	return 0;
}

/* Keys of pods come and go with the versions of Kubernetes: K8S_* are all welcome. */
static bool is_known_arg(const char *key)
{
	return strcmp(key, "MAC") == 0 || strcmp(key, "IP") == 0 ||
	       strcmp(key, "IgnoreUnknown") == 0 || strncmp(key, "K8S_", 4) == 0;
}

static int check_arg_keys(json_t *pairs, struct error *err)
{
	const char *ignore = json_string_value(json_object_get(pairs, "IgnoreUnknown"));
	const char *key;
	json_t *value;

	if (ignore && (strcmp(ignore, "1") == 0 || strcasecmp(ignore, "true") == 0))
		return 0;
	if (ignore && strcmp(ignore, "0") != 0 && strcasecmp(ignore, "false") != 0)
		return error_set(err, ERROR_INVALID_ENVIRONMENT,
				 "CNI_ARGS: IgnoreUnknown: \"%.64s\" is not allowed: wanted 1, 0, "
				 "true or false",
				 ignore);

	json_object_foreach(pairs, key, value) {
		if (!is_known_arg(key))
			return error_set(
				err, ERROR_INVALID_ENVIRONMENT,
				"CNI_ARGS: unknown key \"%.64s\": wanted MAC, IP or K8S_*; "
				"IgnoreUnknown=1 lets others pass",
				key);
	}

	return 0;
}

/* Only ADD acts on CNI_ARGS: nothing in them may keep another verb from its work. */
static int read_args(struct request *request, struct error *err)
{
	auto_free char *copy = NULL;
	char *rest = NULL;

	request->pairs = json_object();
	if (request->pairs)
		copy = strdup(request->verb == VERB_ADD ? request->args : "");
	if (!copy)
		return error_set(err, ERROR_INTERNAL, "out of memory for CNI_ARGS");

	document_make_utf8(copy);
	for (char *pair = strtok_r(copy, ";", &rest); pair; pair = strtok_r(NULL, ";", &rest)) {
		if (take_pair(request->pairs, pair, err) < 0)
			return -1;
	}

	return check_arg_keys(request->pairs, err);
}

/* A type that is wrong is a matter of decoding to the Go library, a value is not. */
static int check_name(struct request *request, struct error *err)
{
	json_t *value = document_member(request->config, "name");
	const char *name = document_text(value);
	char text[80];

	document_print(value, text, sizeof(text));
	if (!value || (json_is_string(value) && json_string_length(value) == 0))
		return error_set(err, ERROR_INVALID_CONFIG, "missing network name");
	if (!json_is_string(value))
		return error_set(err, ERROR_DECODE, "name: %s is not allowed: wanted a text", text);
	if (!name || !is_name(name))
		return error_set(err, ERROR_INVALID_CONFIG,
				 "name: %s is not allowed: wanted " NAME_RULE, text);
	request->name = name;

	return 0;
}

/* Sets the version when it is one of ours, and answers whether it was. */
static bool find_version(struct request *request)
{
	json_t *value = document_member(request->config, "cniVersion");
	const char *word = value ? document_text(value) : "";
	int version = word ? find_word(version_words, VERSIONS, word) : -1;

	if (word && *word == '\0')
		version = CNI_0_1_0; /* what its callers take a missing one for */
	if (version >= 0)
		request->version = (enum version)version;

	return version >= 0;
}

static int check_version(const struct request *request, bool known, struct error *err)
{
	json_t *value = document_member(request->config, "cniVersion");
	enum version since = verb_since[request->verb];
	char text[80];

	document_print(value, text, sizeof(text));
	if (value && !json_is_string(value))
		return error_set(err, ERROR_DECODE, "cniVersion: %s is not allowed: wanted a text",
				 text);
	if (!known) {
		error_set(err, ERROR_INCOMPATIBLE_VERSION,
			  "incompatible CNI versions: cniVersion %s is not supported", text);
		return error_details(err,
				     "config is %s, plugin supports [\"0.1.0\" \"0.2.0\" \"0.3.0\" "
				     "\"0.3.1\" \"0.4.0\" \"1.0.0\" \"1.1.0\"]",
				     text);
	}
	if (request->version < since)
		return error_set(err, ERROR_INCOMPATIBLE_VERSION,
				 "config version does not allow %s: cniVersion is %s, wanted %s or "
				 "later",
				 verb_words[request->verb], version_words[request->version],
				 version_words[since]);

	return 0;
}

/* Only ADD and CHECK use it: DEL must work with whatever a cache has made of it. */
static int read_prev_result(struct request *request, struct error *err)
{
	json_t *value = document_member(request->config, "prevResult");
	bool used = request->verb == VERB_ADD || request->verb == VERB_CHECK;
	char text[80];

	if (request->verb == VERB_CHECK && !value)
		return error_set(err, ERROR_INVALID_CONFIG, "required prevResult missing");
	if (used && value && !json_is_object(value)) {
		document_print(value, text, sizeof(text));
		return error_set(err, ERROR_INVALID_CONFIG,
				 "prevResult: %s is not allowed: wanted an object", text);
	}
	request->prev_result = json_is_object(value) ? value : NULL;

	return 0;
}

/* In the order of the Go library, since callers compare: object, name, version, verb. */
static int read_config(struct request *request, struct error *err)
{
	bool known;

	if (document_decode(request->text, request->size, "the configuration", ERROR_DECODE,
			    &request->config, err) < 0)
		return -1;

	known = find_version(request); /* an error about the name is told in it */
	if (check_name(request, err) < 0 || check_version(request, known, err) < 0 ||
	    read_prev_result(request, err) < 0)
		return -1;

	return request->verb == VERB_ADD ? request_check_asked(request, err) : 0;
}

/* A runtime that asks for the version may never close our standard input. */
static void glance_at_config(struct request *request, int fd)
{
	struct error ignored;

	if (isatty(fd))
		return;

	request->text = document_peek(fd, VERSION_PATIENCE_MS, REQUEST_SIZE_MAX, &request->size);
	(void)document_decode(request->text, request->size, "", ERROR_DECODE, &request->config,
			      &ignored);
}

int request_read(struct request *request, int fd, struct error *err)
{
	*request = (struct request){ .version = CNI_1_1_0,
				     .container_id = "",
				     .netns = "",
				     .ifname = "",
				     .path = "",
				     .args = "" };

	if (read_verb(request, err) < 0)
		return -1;
	if (request->verb == VERB_VERSION) {
		glance_at_config(request, fd);
		return 0;
	}
	if (read_variables(request, err) < 0 || read_args(request, err) < 0 ||
	    document_read(fd, REQUEST_SIZE_MAX, &request->text, &request->size, err) < 0)
		return -1;

	return read_config(request, err);
}

void request_free(struct request *request)
{
	json_decref(request->pairs);
	json_decref(request->config);
	free(request->text);
	*request = (struct request){ 0 };
}
