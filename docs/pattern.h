// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Regular expressions for numbers in texts, where JSON Schema has no comparison: what Python and
 * ECMAScript have in common. Texts are owned by the caller.
 */

#include <stdint.h>

/* The end of a text: "$" alone is also before a last newline, to Python. */
#define PATTERN_END "$(?!\\n)"

/* Decimal numbers from min to max, without leading zeros. */
char *pattern_decimal(uint64_t min, uint64_t max);

/* "LOWEST-HIGHEST", both of them such numbers, the first not greater than the second. */
char *pattern_range(uint64_t min, uint64_t max);
