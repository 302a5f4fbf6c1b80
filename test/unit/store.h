// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What the tests of the store share: a state directory of their own, values to put in, and what was
 * said on standard error. One rule: a program includes it once, and calls begin() first.
 */

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shared/node/store.h"
#include "test/unit/unit.h"

#define SLUG "hbr-12345678"
#define ID_1 "00000000000000a1"
#define ID_2 "00000000000000a2"

static char root[PATH_MAX];  /* of this test */
static char state[PATH_MAX]; /* <stateDir>, two levels that do not exist yet */
static struct error err;

static inline const char *path_of(const char *below)
{
	static char path[PATH_MAX];

	check(snprintf(path, sizeof(path), "%s/" SLUG "/%s", state, below) < (int)sizeof(path));

	return path;
}

static inline struct store open_store(bool create)
{
	struct store store = { .fd = -2 };

	if (store_open(&store, state, SLUG, create, &err) < 0)
		check_str(err.msg, "");

	return store;
}

static inline json_t *value_of(int n)
{
	return json_pack("{s:i}", "n", n);
}

static inline int number_of(const json_t *value)
{
	return (int)json_integer_value(json_object_get(value, "n"));
}

static inline void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	check(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static inline unsigned mode_of(const char *path)
{
	struct stat st;

	check(lstat(path, &st) == 0);

	return st.st_mode & 07777;
}

static inline bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Where standard error goes, and where it went before. */
static int warnings_fd = -1, real_stderr = -1;

/* Was it warned of this, among others? NULL: of nothing. What was said before is forgotten. */
static inline void expect_warning(const char *part)
{
	char text[2048];
	ssize_t n = pread(warnings_fd, text, sizeof(text) - 1, 0);

	check(n >= 0);
	text[n] = '\0';
	if (part ? !strstr(text, part) : n > 0)
		check_text(__FILE__, __LINE__, text, part ? part : "");
	check(ftruncate(warnings_fd, 0) == 0 && lseek(warnings_fd, 0, SEEK_SET) == 0);
}

static inline void finish(void)
{
	char text[4096];
	ssize_t n = pread(warnings_fd, text, sizeof(text), 0);

	if (n > 0 && write(real_stderr, text, (size_t)n) < 0)
		perror("write");
}

/* <stateDir> is two levels that do not exist yet. */
static inline void begin(void)
{
	unit_dir(root);
	snprintf(state, sizeof(state), "%.4000s/some/state", root);
	real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	warnings_fd = memfd_create("warnings", MFD_CLOEXEC);
	check(real_stderr >= 0 && warnings_fd >= 0 && dup2(warnings_fd, STDERR_FILENO) >= 0);
	check(atexit(finish) == 0);
}

/* For store_each_...() where nothing is. */
static inline int never(const char *name, json_t *value, void *arg, struct error *e)
{
	(void)value;
	(void)arg;

	return error_set(e, ERROR_INTERNAL, "%s was visited", name);
}
