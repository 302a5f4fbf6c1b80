// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A unit test is a program that stops at the first thing that is not so, says where and what, and
 * has status 1 then. unit_dir() gives it a directory of its own.
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define check(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

#define check_str(is, wanted) check_text(__FILE__, __LINE__, (is), (wanted))

/* Is the answer -1, with this code and this whole message? */
#define check_error(answer, err, wanted_code, wanted_msg) \
	do {                                              \
		check((answer) == -1);                    \
		check_str((err)->msg, (wanted_msg));      \
		check((err)->code == (wanted_code));      \
	} while (0)

static inline void check_text(const char *file, int line, const char *is, const char *wanted)
{
	if (is && wanted && strcmp(is, wanted) == 0)
		return;
	fprintf(stderr, "%s:%d: is     %s\n", file, line, is ? is : "(NULL)");
	fprintf(stderr, "%s:%d: wanted %s\n", file, line, wanted ? wanted : "(NULL)");
	exit(1);
}

/* A new, empty directory of this program's, below $TMPDIR. */
static inline void unit_dir(char path[static PATH_MAX])
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, PATH_MAX, "%s/unit.XXXXXX", tmp ? tmp : "/tmp");
	check(mkdtemp(path));
}
