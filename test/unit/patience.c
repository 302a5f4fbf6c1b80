// SPDX-License-Identifier: Apache-2.0
#include "shared/base/patience.h"

#include <time.h>

#include "test/unit/unit.h"

static int64_t elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return (int64_t)(now.tv_sec - since->tv_sec) * 1000 +
	       (now.tv_nsec - since->tv_nsec) / 1000000;
}

/* How many looks there are until the time is over; a slow machine has fewer. */
static int count_looks(unsigned limit_ms, unsigned first_us, unsigned longest_us, int64_t *ms)
{
	struct timespec start;
	struct patience patience;
	int n = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	patience = patience_begin(limit_ms, first_us, longest_us);
	while (patience_pause(&patience))
		n++;
	check(!patience_pause(&patience));
	check(patience_left_ms(&patience) == 0);
	*ms = elapsed_ms(&start);

	return n;
}

int main(void)
{
	struct patience patience = patience_begin(60000, 1000, 3000);
	int64_t ms;

	/* The pauses double up to the longest. */
	check(patience_left_ms(&patience) > 50000 && patience_left_ms(&patience) <= 60000);
	check(patience_pause(&patience) && patience.pause_us == 2000);
	check(patience_pause(&patience) && patience.pause_us == 3000);
	check(patience_pause(&patience) && patience.pause_us == 3000);
	check(patience_left_ms(&patience) < 60000);

	/* Without any time there is one look; with some, no pause goes beyond it, and one is last.
	 */
	check(count_looks(0, 1000, 1000, &ms) == 1);
	check(count_looks(30, 60000000, 60000000, &ms) == 2);
	check(ms >= 30 && ms < 20000);
	check(count_looks(50, 10000, 10000, &ms) <= 6);
	check(ms >= 50);

	return 0;
}
