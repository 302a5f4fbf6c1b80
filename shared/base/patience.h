// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Waiting for what somebody else does a moment later (the kernel, FRR, another call): look, pause,
 * look again. Both the limit and the pauses are said where the waiting begins. Steps of the wall
 * clock neither end it early nor make it endless.
 */

#include <stdbool.h>
#include <stdint.h>

struct patience {
	int64_t end_us;
	unsigned pause_us, longest_us;
};

/* For at most limit_ms, with pauses that begin with first_us and double up to longest_us. */
struct patience patience_begin(unsigned limit_ms, unsigned first_us, unsigned longest_us);

/* Pause before another look; false, at once, when the time is over. The last look is at its end. */
bool patience_pause(struct patience *patience);

/* What is left, for poll(); 0 when the time is over. */
int patience_left_ms(const struct patience *patience);
