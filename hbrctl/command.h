// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The verbs of hbrctl as rows of one table: dispatch, help, man page and completion follow from it.
 * One rule: a verb answers with what it found and prints nothing on failure; main() does that.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"

/* Exit statuses, and what verbs answer; -1 and an error is COMMAND_FAILED. */
enum { COMMAND_FINE, COMMAND_FOUND, COMMAND_FAILED };

/* Which options a verb takes. */
enum option_bit {
	OPTION_JSON = 1,
	OPTION_SVG = 2,
	OPTION_DRY_RUN = 4,
	OPTION_FORCE = 8,
	OPTION_FRR = 16
};

struct options {
	bool is_colored; /* standard output is a terminal */
	unsigned given;  /* enum option_bit */
	char **args;
	size_t n_args;
};

struct option_row {
	const char *name;
	unsigned bit; /* 0: every verb's */
	const char *argument;
	const char *doc;
};

struct command {
	const char *name;
	const char *arguments; /* "[NAME]", for people */
	size_t least, most;    /* so many of them */
	unsigned options;
	const char *doc;  /* one line */
	const char *more; /* the rest, for the man page */
	int (*run)(const struct options *options, struct error *err);
};

#define ARGS_MANY 4096

extern const struct command commands[];
extern const size_t n_commands;
extern const struct option_row option_rows[];
extern const size_t n_option_rows;
extern const char *const exit_texts[3];

/* Print a document; -1 without memory. */
int command_print_json(json_t *document, struct error *err);

typedef int command_fn(const struct options *options, struct error *err);
command_fn show_run, metrics_run, gc_run, validate_run, doctor_run, init_run, plan_run, graph_run,
	restore_run, manual_run, completion_run;
