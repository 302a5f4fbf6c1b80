// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "shared/node/store_file.h"
#include "shared/node/store_lock.h"

/* ".<id>.json.tmp": the attachment whose record it would have become. */
static bool take_id(const char *entry, char id[static STORE_NAME_SIZE])
{
	size_t digits;

	if (!store_file_is_temporary(entry))
		return false;
	digits = strspn(entry + 1, "0123456789abcdef");
	if (digits == 0 || digits >= STORE_NAME_SIZE ||
	    strncmp(entry + 1 + digits, ".json", strlen(".json")) != 0)
		return false;
	snprintf(id, STORE_NAME_SIZE, "%.*s", (int)digits, entry + 1);

	return true;
}

/* Whoever is at work on it has its lock. */
static int sweep(const struct store *store, int dir, const char *entry, const char *id,
		 struct error *err)
{
	auto_lock struct lock lock = LOCK_NONE;
	char path[STORE_PATH_SIZE];
	int r = store_lock(store, id, 0, &lock, err);

	if (r <= 0)
		return r;
	if (unlinkat(dir, entry, 0) < 0 && errno != ENOENT) {
		store_path(dir, entry, path);
		return error_errno(err, ERROR_STATE, errno, "remove %s", path);
	}
	lock_discard(&lock);

	return 0;
}

int store_sweep(const struct store *store, struct error *err)
{
	auto_close int fd = -1;
	auto_dir DIR *dir = NULL;
	char id[STORE_NAME_SIZE];
	struct dirent *entry;
	int r = store->fd < 0
			? 0
			: store_dir_open(store->fd, "attachments", STORE_DIR_FORGIVE, &fd, err);

	if (r <= 0)
		return r;
	dir = fdopendir(fd);
	if (!dir)
		return error_errno(err, ERROR_STATE, errno, "list attachments");
	take_fd(&fd);
	while ((entry = readdir(dir))) {
		if (take_id(entry->d_name, id) &&
		    sweep(store, dirfd(dir), entry->d_name, id, err) < 0)
			return -1;
	}

	return 0;
}
