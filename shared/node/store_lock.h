// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Locks by name, a file each: locked, then looked at again, for a lock on a file that is gone does
 * not count. They die with the process.
 */

#include "shared/node/store.h"

struct lock {
	int fd;  /* -1: not held */
	int dir; /* the locks directory; belongs to the lock */
	char name[STORE_NAME_SIZE];
};

#define LOCK_NONE ((struct lock){ .fd = -1, .dir = -1 })

/*
 * Wait for a lock, at most timeout_ms; 0 tries once. 1 held, 0 somebody else has it (only when
 * timeout_ms is 0). -1: ERROR_TRY_AGAIN after the time-out, with the name and the path of the lock;
 * ERROR_STATE. The lock dies with the process and is not inherited.
 */
int store_lock(const struct store *store, const char *name, unsigned timeout_ms, struct lock *lock,
	       struct error *err);
void lock_release(struct lock *lock);
/* Release, and remove the file, which a waiter notices: for locks whose names never come back. */
void lock_discard(struct lock *lock);

#define auto_lock CLEANUP(lock_release)
