// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Run a program to its end, within a time limit. The child gets the text on its standard input,
 * no descriptor but 0, 1 and 2, default signal dispositions, a process group of its own, and dies
 * with us (PR_SET_PDEATHSIG). Its standard output is collected; its standard error is ours, or
 * collected with it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"

#define CHILD_OUTPUT_MAX (4u << 20) /* bytes; more is an error */

struct child {
	const char *path;    /* of the program */
	char *const *argv;   /* NULL at the end */
	char *const *envp;   /* NULL at the end */
	const char *input;   /* for its standard input */
	size_t input_size;   /* bytes */
	unsigned timeout_ms; /* then it is killed, and that is ERROR_TRY_AGAIN */
	bool with_errors;    /* what goes to standard error is part of the output */
};

struct child_output {
	char *text;  /* owned, NUL behind it; NULL when there is none */
	size_t size; /* bytes, without the NUL */
	int status;  /* exit status; 128 + signal when one ended it */
};

/* 0 when it ran and ended, whatever its status. -1: ERROR_DELEGATE_EXEC, ERROR_TRY_AGAIN,
 * ERROR_DELEGATE_RESULT (too much output). Descriptors 0 to 2 must be open. */
int child_run(const struct child *child, struct child_output *output, struct error *err);
