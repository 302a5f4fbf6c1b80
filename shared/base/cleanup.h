// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * auto_x: release the variable when it leaves its scope. A function that hands out what it owns
 * takes it out of the variable first (take_fd, take_ptr): there is no other way out.
 */

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define DEFINE_AUTO(type, name, release) \
	static inline void name(type *p) \
	{                                \
		if (*p)                  \
			release(*p);     \
	}                                \
	struct swallow_semicolon

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;

	return taken;
}

static inline void *take_ptr(void *p)
{
	void *taken = *(void **)p;

	*(void **)p = NULL;

	return taken;
}

DEFINE_AUTO(json_t *, cleanup_json, json_decref);
DEFINE_AUTO(DIR *, cleanup_dir, closedir);
DEFINE_AUTO(FILE *, cleanup_file, fclose);

#define auto_free  CLEANUP(cleanup_free)
#define auto_close CLEANUP(cleanup_close)
#define auto_json  CLEANUP(cleanup_json)
#define auto_dir   CLEANUP(cleanup_dir)
#define auto_file  CLEANUP(cleanup_file)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
