// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A unit test is a program that stops at the first thing that is not so, says where and what, and
 * has status 1 then. unit_dir() gives it a directory of its own.
 */

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static char unit_path[PATH_MAX]; /* of the test's directory */
static pid_t unit_pid;           /* of who made it: children leave it alone */

static inline int unit_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;

	return remove(path);
}

static inline void unit_remove(void)
{
	if (getpid() == unit_pid)
		nftw(unit_path, unit_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A new, empty directory below $TMPDIR, removed when the program ends. One for each program. */
static inline void unit_dir(char path[static PATH_MAX])
{
	const char *tmp = getenv("TMPDIR");

	check(unit_pid == 0);
	snprintf(unit_path, sizeof(unit_path), "%s/unit.XXXXXX", tmp ? tmp : "/tmp");
	check(mkdtemp(unit_path));
	unit_pid = getpid();
	check(atexit(unit_remove) == 0);
	snprintf(path, PATH_MAX, "%s", unit_path);
}
