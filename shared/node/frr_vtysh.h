// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One run of vtysh: several lines, each echoed, with what FRR says to it. vtysh stops at a line
 * that it or a daemon refuses, but not at each: some say why not, and the exit status is 0.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"
#include "shared/node/node.h"

#define FRR_LINES_MAX 512 /* of one run */

struct frr_run {
	char *lines; /* owned, cut into commands */
	char *commands[FRR_LINES_MAX];
	size_t numbers[FRR_LINES_MAX]; /* of their lines in the text; 0: not of the text */
	size_t n;

	char *output; /* owned, cut into answers */
	const char *answers[FRR_LINES_MAX];
	size_t n_answers;   /* so many were echoed */
	const char *before; /* what was said before the first */
	int status;
};

/* Cut a text into commands: no empty lines, no comments ('!', '#'). is_configuration: enter and
 * leave the configuration around it. also: a command after all, NULL: none. -1: ERROR_FRR. */
int frr_run_prepare(struct frr_run *run, const char *text, bool is_configuration, char *also,
		    struct error *err);

/* Cut what vtysh printed into the answers of the commands. Takes the output. */
void frr_run_read(struct frr_run *run, char *output, int status);

/* -1 and ERROR_FRR when a line was refused, with the line and FRR's words. */
int frr_run_check(const struct frr_run *run, struct error *err);

/* No daemon of FRR's answers. */
bool frr_run_is_down(const struct frr_run *run);

/* Run vtysh, at most FRR_TIMEOUT_MS, and read what it says. -1: it cannot be run (ERROR_FRR), it
 * hangs (ERROR_TRY_AGAIN). */
int frr_run(const struct node_frr *frr, struct frr_run *run, struct error *err);

void frr_run_free(struct frr_run *run);

#define auto_frr_run CLEANUP(frr_run_free)
