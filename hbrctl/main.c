// SPDX-License-Identifier: Apache-2.0

/* hbrctl: what hbr-cni has on this node, for people. A verb is a row of a table; nothing else. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hbrctl/command.h"
#include "shared/base/cleanup.h"

#ifndef HBR_VERSION
#define HBR_VERSION "unknown"
#endif

#define OPTIONS_MAX 16
#define COLUMN      22

int command_print_json(json_t *document, struct error *err)
{
	if (json_dumpf(document, stdout, JSON_INDENT(2)) < 0)
		return error_set(err, ERROR_INTERNAL, "out of memory for a document");
	putchar('\n');

	return 0;
}

static void print_options(FILE *out, unsigned taken)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		int n;

		if (row->bit && !(row->bit & taken))
			continue;
		n = fprintf(out, "  --%s%s%s", row->name, row->argument ? " " : "",
			    row->argument ? row->argument : "");
		fprintf(out, "%*s%s\n", COLUMN - n, "", row->doc);
	}
}

static void help(FILE *out)
{
	fputs("hbrctl VERB [OPTION]... [ARGUMENT]...\n\n", out);
	for (size_t i = 0; i < n_commands; i++) {
		int n = fprintf(out, "  %s %s", commands[i].name, commands[i].arguments);

		fprintf(out, "%*s%s\n", COLUMN - n, "", commands[i].doc);
	}
	fputs("\nOptions of every verb (hbrctl VERB --help has its own):\n", out);
	print_options(out, 0);
	fputs("\nExit status:\n", out);
	for (size_t i = 0; i < COUNT(exit_texts); i++)
		fprintf(out, "  %zu  %s\n", i, exit_texts[i]);
}

static void help_command(const struct command *command)
{
	printf("hbrctl %s [OPTION]...%s%s\n\n%s %s\n\n", command->name,
	       command->arguments[0] ? " " : "", command->arguments, command->doc, command->more);
	print_options(stdout, command->options);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < n_commands; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}

	return NULL;
}

static void list_options(const struct command *command, struct option list[static OPTIONS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->bit || (row->bit & command->options))
			list[n++] = (struct option){
				.name = row->name,
				.has_arg = row->argument ? required_argument : no_argument,
				.val = (int)i,
			};
	}
	list[n] = (struct option){ 0 };
}

static int refuse(const struct command *command, const char *what)
{
	fprintf(stderr, "hbrctl: %s%s%s: wanted hbrctl %s [OPTION]...%s%s\n", command->name,
		what[0] ? " " : "", what, command->name, command->arguments[0] ? " " : "",
		command->arguments);

	return COMMAND_FAILED;
}

/* -1: go on; else the exit status. */
static int take_option(const struct command *command, const struct option_row *row,
		       struct options *options)
{
	options->given |= row->bit;
	if (strcmp(row->name, "node") == 0 && setenv("HBR_CNI_NODE", optarg, 1) < 0)
		return COMMAND_FAILED;
	if (strcmp(row->name, "help") == 0) {
		help_command(command);
		return COMMAND_FINE;
	}
	if (strcmp(row->name, "version") == 0) {
		puts("hbrctl " HBR_VERSION);
		return COMMAND_FINE;
	}

	return -1;
}

static int run(const struct command *command, const struct options *options)
{
	struct error err = { 0 };
	int r = command->run(options, &err);

	if (r >= 0)
		return r;
	fprintf(stderr, "hbrctl: %s%s%s%s\n", err.msg, err.details[0] ? " (" : "", err.details,
		err.details[0] ? ")" : "");

	return COMMAND_FAILED;
}

static int call(const struct command *command, int argc, char *argv[])
{
	struct options options = { .is_colored = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") };
	struct option list[OPTIONS_MAX];
	int i, r;

	list_options(command, list);
	opterr = 0;
	while ((i = getopt_long(argc, argv, "", list, NULL)) != -1) {
		if (i == '?')
			return refuse(command, argv[optind - 1]);
		r = take_option(command, &option_rows[i], &options);
		if (r >= 0)
			return r;
	}
	options.args = &argv[optind];
	options.n_args = (size_t)(argc - optind);
	if (options.n_args < command->least || options.n_args > command->most)
		return refuse(command, "");

	return run(command, &options);
}

/* What a full disk or a closed pipe has cut off has not been told. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	perror("hbrctl: standard output");

	return COMMAND_FAILED;
}

int main(int argc, char *argv[])
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;

	if (command)
		return finish(call(command, argc - 1, &argv[1]));
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("hbrctl " HBR_VERSION);
		return finish(COMMAND_FINE);
	}
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
		help(stdout);
		return finish(COMMAND_FINE);
	}
	if (argc > 1)
		fprintf(stderr, "hbrctl: there is no verb \"%s\"\n", argv[1]);
	help(stderr);

	return COMMAND_FAILED;
}
