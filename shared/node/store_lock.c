// SPDX-License-Identifier: Apache-2.0
#include "shared/node/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/patience.h"
#include "shared/node/store.h"
#include "shared/node/store_file.h"

/* Between two looks at a lock that somebody has. A call holds one for some tens of milliseconds. */
#define PAUSE_FIRST_US 1000
#define PAUSE_LAST_US  16000

#define LOCK_FLAGS (O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static int fail(const struct lock *lock, int errnum, struct error *err)
{
	char path[STORE_PATH_SIZE];

	store_path(lock->dir, lock->name, path);

	return error_errno(err, ERROR_STATE, errnum, "lock %s", path);
}

static int open_lock(const struct store *store, struct lock *lock, struct error *err)
{
	if (store_dir_open(store->fd, "locks", STORE_DIR_MAKE, &lock->dir, err) < 0)
		return -1;
	lock->fd = openat(lock->dir, lock->name, LOCK_FLAGS, 0600);
	if (lock->fd < 0)
		return fail(lock, errno, err);
	if (fchmod(lock->fd, 0600) < 0) /* the umask may have taken bits away */
		return fail(lock, errno, err);

	return 0;
}

/* Is the file that we have locked the one that others will find? */
static bool is_current(const struct lock *lock)
{
	struct stat ours, found;

	return fstat(lock->fd, &ours) == 0 &&
	       fstatat(lock->dir, lock->name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_dev == found.st_dev && ours.st_ino == found.st_ino;
}

/* 1 held, 0 somebody else has it: the file stays open for the next try. */
static int try_lock(const struct store *store, struct lock *lock, struct error *err)
{
	for (;;) {
		if (lock->fd < 0 && open_lock(store, lock, err) < 0)
			return -1;
		if (flock(lock->fd, LOCK_EX | LOCK_NB) < 0)
			return errno == EWOULDBLOCK ? 0 : fail(lock, errno, err);
		if (is_current(lock))
			return 1;
		lock_release(lock); /* it was discarded while we waited: a dead file */
	}
}

static int refuse_late(const struct lock *lock, unsigned timeout_ms, struct error *err)
{
	char path[STORE_PATH_SIZE];

	store_path(lock->dir, lock->name, path);

	return error_set(err, ERROR_TRY_AGAIN,
			 "lock %s: another call still has it after %u.%03u s (%s)", lock->name,
			 timeout_ms / 1000, timeout_ms % 1000, path);
}

/* 1 held, 0 not within the time. */
static int wait_lock(const struct store *store, unsigned timeout_ms, struct lock *lock,
		     struct error *err)
{
	struct patience patience = patience_begin(timeout_ms, PAUSE_FIRST_US, PAUSE_LAST_US);
	int r;

	do
		r = try_lock(store, lock, err);
	while (r == 0 && patience_pause(&patience));

	return r;
}

int store_lock(const struct store *store, const char *name, unsigned timeout_ms, struct lock *lock,
	       struct error *err)
{
	auto_lock struct lock wanted = LOCK_NONE;
	int r;

	if (store->fd < 0) { /* nothing to protect */
		*lock = wanted;
		return 1;
	}
	if (*name == '\0' || *name == '.' || strchr(name, '/') ||
	    strlen(name) >= sizeof(wanted.name))
		return error_set(err, ERROR_INTERNAL, "\"%s\" is no name for a lock", name);
	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	r = wait_lock(store, timeout_ms, &wanted, err);
	if (r == 0 && timeout_ms > 0)
		return refuse_late(&wanted, timeout_ms, err);
	if (r == 1) {
		*lock = wanted;
		wanted = LOCK_NONE;
	}

	return r;
}

void lock_release(struct lock *lock)
{
	/* Said aloud: a child between fork and exec may have the descriptor too. */
	if (lock->fd >= 0)
		flock(lock->fd, LOCK_UN);
	cleanup_close(&lock->fd);
	cleanup_close(&lock->dir);
	lock->fd = -1;
	lock->dir = -1;
}

void lock_discard(struct lock *lock)
{
	/* While it is held: whoever locks the file afterwards sees that it is gone. */
	if (lock->fd >= 0)
		unlinkat(lock->dir, lock->name, 0);
	lock_release(lock);
}
