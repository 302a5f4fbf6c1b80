// SPDX-License-Identifier: Apache-2.0
#include "shared/base/patience.h"

#include <time.h>

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

struct patience patience_begin(unsigned limit_ms, unsigned first_us, unsigned longest_us)
{
	return (struct patience){
		.end_us = now_us() + (int64_t)limit_ms * 1000,
		.pause_us = first_us,
		.longest_us = longest_us,
	};
}

bool patience_pause(struct patience *patience)
{
	int64_t left = patience->end_us - now_us(), us = smaller(patience->pause_us, left);

	if (left <= 0)
		return false;
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
	patience->pause_us =
		(unsigned)smaller((int64_t)patience->pause_us * 2, patience->longest_us);

	return true;
}

int patience_left_ms(const struct patience *patience)
{
	int64_t left = patience->end_us - now_us();

	return left > 0 ? (int)((left + 999) / 1000) : 0;
}
