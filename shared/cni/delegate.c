// SPDX-License-Identifier: Apache-2.0
#include "shared/cni/delegate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/base/cleanup.h"
#include "shared/cni/document.h"

/* The first regular file of that name, symbolic links followed, in the directories of CNI_PATH. */
static int find(const struct delegate *delegate, const char *dirs, char path[static PATH_MAX],
		struct error *err)
{
	struct stat st;

	if (*dirs == '\0')
		return error_set(err, ERROR_INVALID_ENVIRONMENT,
				 "required env variables [CNI_PATH] missing: the %s \"%s\" "
				 "is looked for there",
				 delegate->what, delegate->type);

	for (const char *dir = dirs; *dir; dir += *dir == ':') {
		size_t len = strcspn(dir, ":");
		int n = snprintf(path, PATH_MAX, "%.*s/%s", (int)len, dir, delegate->type);

		/* An empty element is no directory, the current one least of all. */
		if (len > 0 && n < PATH_MAX && stat(path, &st) == 0 && S_ISREG(st.st_mode))
			return 0;
		dir += len;
	}

	return error_set(err, ERROR_DELEGATE_EXEC, "%sthere is no %s \"%s\" in CNI_PATH \"%s\"",
			 delegate->key, delegate->what, delegate->type, dirs);
}

/* The variables that a request consists of. */
static const struct {
	const char *name;
	size_t offset; /* in struct request */
} variables[] = {
	{ "CNI_CONTAINERID", offsetof(struct request, container_id) },
	{ "CNI_NETNS", offsetof(struct request, netns) },
	{ "CNI_IFNAME", offsetof(struct request, ifname) },
	{ "CNI_ARGS", offsetof(struct request, args) },
	{ "CNI_PATH", offsetof(struct request, path) },
};

/*
 * Our environment with a request's variables in it. When the request was read from there, only the
 * verb can differ; when it was made from a record, all of it is the record's.
 */
struct environment {
	char *own[COUNT(variables) + 1];
	size_t n_own;
	char **all; /* NULL at the end */
	size_t n;
};

static void free_environment(struct environment *env)
{
	for (size_t i = 0; i < env->n_own; i++)
		free(env->own[i]);
	free(env->all);
}

static int put_variable(struct environment *env, const char *name, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -1;
	env->own[env->n_own++] = text;
	env->all[env->n++] = text;

	return 0;
}

/* NAME=..., and not a longer name that begins the same. */
static bool is_named(const char *text, const char *name)
{
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 && text[len] == '=';
}

static bool is_of_request(const char *text)
{
	for (size_t i = 0; i < COUNT(variables); i++) {
		if (is_named(text, variables[i].name))
			return true;
	}

	return is_named(text, "CNI_COMMAND");
}

static int make_environment(struct environment *env, const struct request *request, enum verb verb)
{
	size_t n = 0;

	while (environ[n])
		n++;
	env->all = reallocarray(NULL, n + COUNT(env->own) + 1, sizeof(char *));
	if (!env->all)
		return -1;

	for (size_t i = 0; i < n; i++) {
		if (!is_of_request(environ[i]))
			env->all[env->n++] = environ[i];
	}
	for (size_t i = 0; i < COUNT(variables); i++) {
		const void *at = (const char *)request + variables[i].offset;
		const char *value = *(const char *const *)at;

		/* What was not set stays so: "" is something else to some plugins. */
		if ((*value || getenv(variables[i].name)) &&
		    put_variable(env, variables[i].name, value) < 0)
			return -1;
	}

	if (put_variable(env, "CNI_COMMAND", verb_words[verb]) < 0)
		return -1;
	env->all[env->n] = NULL;

	return 0;
}

/* What it printed instead of what it should have, shortened, for a message. */
static int refuse_output(const struct delegate *delegate, const struct child_output *output,
			 const char *problem, struct error *err)
{
	return error_set(err, ERROR_DELEGATE_RESULT, "%s %s: exit status %d, %s: %.128s",
			 delegate->what, delegate->type, output->status, problem,
			 output->text ? output->text : "(nothing)");
}

/* Its error as it gave it; where it broke the rules for errors, with a code of ours. */
static int pass_on_error(const struct delegate *delegate, const struct child_output *output,
			 struct error *err)
{
	auto_json json_t *document = NULL;
	json_int_t code;
	const char *msg, *details;
	struct error ignored;

	if (document_decode(output->text, output->size, "", ERROR_DELEGATE_RESULT, &document,
			    &ignored) < 0)
		return refuse_output(delegate, output, "and no CNI error on its standard output",
				     err);

	code = json_integer_value(document_member(document, "code"));
	msg = document_text(document_member(document, "msg"));
	details = document_text(document_member(document, "details"));
	if (!msg || *msg == '\0')
		refuse_output(delegate, output, "and an error without a message", err);
	else
		error_set(err, ERROR_DELEGATE_RESULT, "%s", msg);
	/* 0 is no error to the Go library, and a code that is not a number none at all. */
	if (code > 0 && code <= INT_MAX)
		err->code = (int)code;

	return error_details(err, "%s", details ? details : "");
}

void delegate_free(struct child_output *output)
{
	free(output->text);
}

/* Its files get the permissions that they would have without us. */
static int run_child(const struct request *request, const struct child *child,
		     struct child_output *output, struct error *err)
{
	mode_t ours = umask(request->umask);
	int r = child_run(child, output, err);

	umask(ours);

	return r;
}

int delegate_run(const struct request *request, enum verb verb, const struct delegate *delegate,
		 struct child_output *output, struct error *err)
{
	CLEANUP(free_environment) struct environment env = { 0 };
	char path[PATH_MAX];
	char *argv[] = { path, NULL };
	struct child child = { .path = path,
			       .argv = argv,
			       .input = delegate->text,
			       .input_size = strlen(delegate->text),
			       .timeout_ms = DELEGATE_TIMEOUT_MS };

	if (find(delegate, request->path, path, err) < 0)
		return -1;
	if (make_environment(&env, request, verb) < 0)
		return error_set(err, ERROR_INTERNAL, "out of memory for the environment of %s",
				 path);

	child.envp = env.all;
	if (run_child(request, &child, output, err) < 0)
		return error_wrap(err, "%s %s", delegate->what, delegate->type);

	return output->status == 0 ? 0 : pass_on_error(delegate, output, err);
}
