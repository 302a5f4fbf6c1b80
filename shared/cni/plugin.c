// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/result.h"

#ifndef HBR_VERSION
#define HBR_VERSION "unknown"
#endif

/* For when there is no memory to make one. */
static const char last_resort[] =
	"{\"cniVersion\":\"1.1.0\",\"code\":100,\"msg\":\"out of memory\",\"details\":\"\"}\n";

/*
 * A descriptor that was closed would be given to the next thing that is opened, and a netlink
 * socket would get the result. These can neither be read nor written: a closed standard input or
 * output is an error all the same.
 */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd)
			_exit(1);
	}
}

/* What is half done gets finished or rolled back; whoever cannot wait has SIGKILL. */
static void hold_signals(void)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* One write(2) where the other side takes it: nobody sees half a document. */
static int write_all(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, text, size);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}

	return 0;
}

/* The document and a newline, as one text; NULL: no memory. */
static char *line_of(json_t *document)
{
	auto_free char *dump = json_dumps(document, JSON_COMPACT);
	char *line;

	return dump && asprintf(&line, "%s\n", dump) >= 0 ? line : NULL;
}

static json_t *error_document(enum version version, const struct error *err)
{
	struct error text = *err;

	/* Parts of them come from the kernel, from other plugins, from the environment. */
	document_make_utf8(text.msg);
	document_make_utf8(text.details);

	return json_pack("{s:s, s:i, s:s, s:s}", "cniVersion", version_words[version], "code",
			 text.code, "msg", text.msg, "details", text.details);
}

/* Always 1, the exit status. */
static int print_error(enum version version, const struct error *err)
{
	auto_json json_t *document = error_document(version, err);
	auto_free char *line = line_of(document);
	const char *text = line ? line : last_resort;

	if (write_all(text, strlen(text)) < 0)
		error_warn("standard output cannot be written; the error was: %s (%d): %s",
			   err->msg, err->code, err->details);

	return 1;
}

/* For the person who starts a plugin by hand. */
static int about(const struct plugin *plugin)
{
	fprintf(stderr, "CNI %s plugin %s\nCNI protocol versions supported:", plugin->name,
		HBR_VERSION);
	for (unsigned i = 0; i < VERSIONS; i++)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", version_words[i]);
	fputc('\n', stderr);

	return 0;
}

/* N.N.N: three numbers, whatever they are. */
static bool is_version(const char *text)
{
	for (int i = 0; i < 3; i++) {
		size_t digits = strspn(text, "0123456789");

		if (digits == 0 || digits > 9)
			return false;
		text += digits;
		if (i < 2 && *text++ != '.')
			return false;
	}

	return *text == '\0';
}

/* The version that was asked in, ours or not: the answer has to be readable to who asked. */
static int print_versions(const struct request *request)
{
	auto_json json_t *document = NULL;
	auto_json json_t *supported = json_array();
	auto_free char *line = NULL;
	const char *asked = document_text(document_member(request->config, "cniVersion"));
	int r = 0;

	if (!asked || !is_version(asked))
		asked = version_words[VERSIONS - 1];
	for (unsigned i = 0; i < VERSIONS; i++)
		r |= json_array_append_new(supported, json_string(version_words[i]));
	if (r == 0)
		document = json_pack("{s:s, s:O}", "cniVersion", asked, "supportedVersions",
				     supported);

	line = line_of(document);
	if (!line) {
		(void)write_all(last_resort, sizeof(last_resort) - 1);
		return 1;
	}

	return write_all(line, strlen(line)) < 0 ? 1 : 0;
}

static void undo(const struct plugin *plugin, const struct request *request)
{
	struct error err = { 0 };
	json_t *none = NULL;

	if (plugin->undo && plugin->undo(plugin->type, request, &none, &err) < 0)
		error_warn("undoing ADD: %s", err.msg);
}

/* Nobody knows of an attachment whose result did not arrive: then there must be none. */
static int print_result(const struct plugin *plugin, const struct request *request, json_t *result)
{
	auto_json json_t *document = result_export(result, request->version);
	auto_free char *line = line_of(document);
	struct error err;
	int errnum;

	if (!line) { /* standard output is untouched: it can take the error */
		undo(plugin, request);
		error_set(&err, ERROR_INTERNAL, "out of memory for the result");
		return print_error(request->version, &err);
	}
	if (write_all(line, strlen(line)) == 0)
		return 0;

	errnum = errno;
	undo(plugin, request);
	error_warn("writing the result to standard output: %s; ADD was undone", error_text(errnum));

	return 1;
}

static int run_verb(const struct plugin *plugin, const struct request *request)
{
	auto_json json_t *result = NULL;
	struct error err = { 0 };

	if (plugin->verbs[request->verb](plugin->type, request, &result, &err) < 0)
		return print_error(request->version, &err);

	return request->verb == VERB_ADD ? print_result(plugin, request, result) : 0;
}

int plugin_main(const struct plugin *plugin)
{
	auto_request struct request request = { 0 };
	const char *command = getenv("CNI_COMMAND");
	struct error err = { 0 };
	mode_t runtimes;

	occupy_standard_descriptors();
	if (!command || *command == '\0')
		return about(plugin);

	hold_signals();
	runtimes = umask(077); /* what we keep on disk is nobody else's business */
	if (request_read(&request, STDIN_FILENO, &err) < 0)
		return print_error(request.version, &err);
	request.umask = runtimes;

	return request.verb == VERB_VERSION ? print_versions(&request) : run_verb(plugin, &request);
}
