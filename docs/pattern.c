// SPDX-License-Identifier: Apache-2.0
#include "docs/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "docs/must.h"
#include "shared/base/cleanup.h"

/* How many numbers the block from here has whose last digits are free: 1, 10, 100, ... */
static uint64_t block_size(uint64_t from, uint64_t max)
{
	uint64_t size = 1;

	/* as long as there is a digit in front of the free ones */
	while (from % (size * 10) == 0 && from >= size * 10 && max - from >= size * 10 - 1)
		size *= 10;

	return size;
}

static unsigned count_digits(uint64_t number)
{
	unsigned n = 1;

	for (; number >= 10; number /= 10)
		n++;

	return n;
}

/* One alternative: what the numbers from here have in common, a digit between two, free ones. */
static uint64_t put_block(FILE *out, uint64_t from, uint64_t max)
{
	uint64_t size = block_size(from, max);
	uint64_t rest = from / size / 10, first = from / size % 10, last = first;

	while (last < 9 && max - from >= (last - first + 2) * size - 1)
		last++;
	if (rest > 0)
		fprintf(out, "%" PRIu64, rest);
	if (first == last)
		fprintf(out, "%" PRIu64, first);
	else
		fprintf(out, "[%" PRIu64 "-%" PRIu64 "]", first, last);
	if (size > 1)
		fputs("[0-9]", out);
	if (size > 10)
		fprintf(out, "{%u}", count_digits(size) - 1);

	return from + (last - first + 1) * size;
}

static void put_numbers(FILE *out, uint64_t min, uint64_t max)
{
	fputs("(?:", out);
	for (uint64_t from = min; from <= max;) {
		from = put_block(out, from, max);
		if (from <= max)
			fputs("|", out);
	}
	fputs(")", out);
}

/* The whole of a text is what put() says. */
static char *pattern(void (*put)(FILE *out, uint64_t min, uint64_t max), uint64_t min, uint64_t max)
{
	char *text = NULL;
	size_t size;
	FILE *out = must(open_memstream(&text, &size), "a pattern");

	fputs("^", out);
	put(out, min, max);
	fputs(PATTERN_END, out);
	fclose(out);

	return must(text, "a pattern");
}

char *pattern_decimal(uint64_t min, uint64_t max)
{
	return pattern(put_numbers, min, max);
}

/* Numbers without leading zeros: the shorter is the smaller, else the first digit that differs
 * says. */
static void put_order(FILE *out, unsigned digits)
{
	fputs("(?:([0-9]+)-\\1", out);
	for (unsigned n = 1; n < digits; n++)
		fprintf(out, "|[0-9]{%u}-[0-9]{%u,}", n, n + 1);

	fputs("|(?=(?:[0-9]-[0-9]", out);
	for (unsigned n = 2; n <= digits; n++)
		fprintf(out, "|[0-9]{%u}-[0-9]{%u}", n, n);
	fputs(")$)([0-9]*)(?:", out);
	for (unsigned digit = 0; digit < 9; digit++)
		fprintf(out, "%s%u[0-9]*-\\2[%u-9]", digit > 0 ? "|" : "", digit, digit + 1);
	fputs(")[0-9]*)", out);
}

static void put_range(FILE *out, uint64_t min, uint64_t max)
{
	fputs("(?=", out);
	put_numbers(out, min, max);
	fputs("-", out);
	put_numbers(out, min, max);
	fputs("$)", out);
	put_order(out, count_digits(max));
}

char *pattern_range(uint64_t min, uint64_t max)
{
	return pattern(put_range, min, max);
}
