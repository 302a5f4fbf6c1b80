// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * An attachment as a list of steps. ADD applies them in order and, when one fails, reverts those
 * that were done and the one that failed half-way. DEL reverts them all, last first, and goes on
 * after a failure. What ADD rolls back is therefore what DEL removes: there is no second set of
 * clean-up code to keep right. To restore an attachment is to repeat those steps of which something
 * may be lost.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"

typedef int step_fn(void *ctx, struct error *err);

struct step {
	const char *name; /* as in "port: create pv0123456789ab: File exists" */
	step_fn *apply;
	step_fn *revert; /* NULL: nothing to revert. Idempotent, also after half an apply. */
	step_fn *repeat; /* apply what is lost of it. NULL: nothing can be. Idempotent. */
	bool holds_on; /* not reverted as long as a later step could not be: the way to try again */
};

int steps_apply(const struct step *steps, size_t n, void *ctx, struct error *err);

/* -1 with the first failure; the steps after it have been reverted all the same. */
int steps_revert(const struct step *steps, size_t n, void *ctx, struct error *err);

/* Ends with the first failure, and reverts nothing: what is there by then is not to be lost again.
 */
int steps_repeat(const struct step *steps, size_t n, void *ctx, struct error *err);
