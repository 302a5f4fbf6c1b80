// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Directories and JSON files below an open directory, for the store alone. One rule: nothing is
 * read, written or entered through a symbolic link. Names come from the store and have no '/'.
 */

#include <jansson.h>
#include <stdbool.h>

#include "shared/base/error.h"

#define STORE_PATH_SIZE 384
#define STORE_FILE_SIZE 96 /* of a file's name: a name of the store's with its decorations */

/* For messages: where the directory is now, with the name behind it. */
void store_path(int dir, const char *name, char path[static STORE_PATH_SIZE]);

enum store_dir {
	STORE_DIR_MAKE,   /* 0700, when it is not there */
	STORE_DIR_FIND,   /* that it is not there is an answer */
	STORE_DIR_FORGIVE /* and so is, with a warning, something else in its place */
};

/* Open a directory. 1, 0 it is not there: *fd stays as it is. */
int store_dir_open(int parent, const char *name, enum store_dir how, int *fd, struct error *err);

enum store_file { STORE_FILE_ABSENT, STORE_FILE_READ, STORE_FILE_DAMAGED };

/* An enum store_file, or -1. A damaged file is one that is no plain file with a JSON object; it is
 * warned of. */
int store_file_read(int dir, const char *name, json_t **value, struct error *err);

/* Write it whole: into a temporary file, which then takes the name. */
int store_file_write(int dir, const char *name, json_t *value, struct error *err);

/* Remove it and what a write that was killed has left. Its absence is no error, a directory in its
 * place that is not empty a warning. */
int store_file_remove(int dir, const char *name, struct error *err);

/* unlinkat(), of an empty directory in its place too: it holds nothing of anybody's. */
int store_file_unlink(int dir, const char *name);

/* Is it the name of a temporary file of a write? */
bool store_file_is_temporary(const char *name);
