// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <time.h>

#include "shared/node/store_lock.h"
#include "test/unit/store.h"

/* A child that takes a lock, says so, and keeps it until it is told to end. */
struct keeper {
	pid_t pid;
	int tell; /* closing it ends the child */
};

static struct keeper keep_lock(const char *name, bool discard)
{
	struct keeper keeper;
	int ready[2], tell[2];
	char byte;

	check(pipe2(ready, O_CLOEXEC) == 0 && pipe2(tell, O_CLOEXEC) == 0);
	keeper.pid = fork();
	check(keeper.pid >= 0);
	if (keeper.pid == 0) {
		struct store store = open_store(false);
		struct lock lock = LOCK_NONE;

		close(tell[1]);
		check(store_lock(&store, name, 5000, &lock, &err) == 1);
		check(write(ready[1], "x", 1) == 1);
		check(read(tell[0], &byte, 1) == 0);
		if (discard)
			lock_discard(&lock);
		_exit(0); /* a lock dies with its process */
	}
	close(ready[1]);
	close(tell[0]);
	check(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	keeper.tell = tell[1];

	return keeper;
}

static void end_keeper(struct keeper keeper)
{
	int status;

	close(keeper.tell);
	check(waitpid(keeper.pid, &status, 0) == keeper.pid && status == 0);
}

static long long now_ms(void)
{
	struct timespec now;

	check(clock_gettime(CLOCK_MONOTONIC, &now) == 0);

	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void excludes(const struct store *store)
{
	struct keeper keeper = keep_lock("l2-9", false);
	auto_lock struct lock lock = LOCK_NONE, other = LOCK_NONE;
	char msg[ERROR_MSG_SIZE];
	long long start = now_ms();

	check(store_lock(store, "l2-9", 0, &lock, &err) == 0 && lock.fd == -1 && lock.dir == -1);
	snprintf(msg, sizeof(msg), "lock l2-9: another call still has it after 0.120 s (%.300s)",
		 path_of("locks/l2-9"));
	check_error(store_lock(store, "l2-9", 120, &lock, &err), &err, ERROR_TRY_AGAIN, msg);
	check(now_ms() - start >= 119 && lock.fd == -1);
	check(store_lock(store, "l2-10", 0, &other, &err) == 1); /* another lock */
	check_str(other.name, "l2-10");

	end_keeper(keeper); /* killed or ended without a word: free at once */
	check(store_lock(store, "l2-9", 0, &lock, &err) == 1);
	check(store_lock(store, "l2-10", 0, &(struct lock){ .fd = -1, .dir = -1 }, &err) == 0);
	lock_release(&lock);
	lock_release(&lock); /* twice is once */
	check(lock.fd == -1 && lock.dir == -1 && is_there(path_of("locks/l2-9")));
	check(store_lock(store, "l2-9", 0, &lock, &err) == 1);
}

/* A lock that is held here is free again at its release, although a child has inherited it. */
static void is_not_inherited(const struct store *store)
{
	auto_lock struct lock lock = LOCK_NONE;
	int tell[2], status;
	char byte;
	pid_t pid;

	check(store_lock(store, "l2-11", 0, &lock, &err) == 1);
	check(pipe2(tell, O_CLOEXEC) == 0);
	pid = fork();
	check(pid >= 0);
	if (pid == 0) {
		close(tell[1]);
		_exit(read(tell[0], &byte, 1) == 0 ? 0 : 1);
	}
	lock_release(&lock);
	check(store_lock(store, "l2-11", 0, &lock, &err) == 1);
	close(tell[0]);
	close(tell[1]);
	check(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Who waited for a lock that is discarded gets a new one, that everybody else sees. */
static void discards(const struct store *store)
{
	struct keeper keeper = keep_lock("attachment-1", true);
	auto_lock struct lock lock = LOCK_NONE;
	struct stat ours, found;
	pid_t pid = fork();
	int status;

	check(pid >= 0);
	if (pid == 0) { /* ends the keeper while the parent waits for its lock */
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		close(keeper.tell);
		_exit(0);
	}
	close(keeper.tell);
	check(store_lock(store, "attachment-1", 5000, &lock, &err) == 1);
	check(waitpid(pid, &status, 0) == pid && status == 0);
	check(waitpid(keeper.pid, &status, 0) == keeper.pid && status == 0);
	check(fstat(lock.fd, &ours) == 0 && stat(path_of("locks/attachment-1"), &found) == 0);
	check(ours.st_ino == found.st_ino);
	check(store_lock(store, "attachment-1", 0, &(struct lock){ .fd = -1, .dir = -1 }, &err) ==
	      0);
	lock_discard(&lock);
	check(lock.fd == -1 && !is_there(path_of("locks/attachment-1")));
}

#define WORKERS 6
#define ROUNDS  40

/* Read, wait a little, write one more: with two of them at it at once, counts get lost. */
static void count_up(void)
{
	auto_store struct store store = open_store(false);

	for (int i = 0; i < ROUNDS; i++) {
		struct lock lock = LOCK_NONE;
		auto_json json_t *old = NULL, *new = NULL;

		check(store_lock(&store, "counter", 20000, &lock, &err) == 1);
		check(store_read_record(&store, ID_2, &old, &err) == 1);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
		new = value_of(number_of(old) + 1);
		check(store_write_record(&store, ID_2, new, &err) == 0);
		if (i % 2)
			lock_release(&lock);
		else
			lock_discard(&lock);
	}
}

static void counts(const struct store *store)
{
	auto_json json_t *zero = value_of(0), *sum = NULL;
	pid_t pids[WORKERS];
	int status;

	check(store_write_record(store, ID_2, zero, &err) == 0);
	for (int i = 0; i < WORKERS; i++) {
		pids[i] = fork();
		check(pids[i] >= 0);
		if (pids[i] == 0) {
			count_up();
			_exit(0);
		}
	}
	for (int i = 0; i < WORKERS; i++)
		check(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
	check(store_read_record(store, ID_2, &sum, &err) == 1);
	check(number_of(sum) == WORKERS * ROUNDS);
}

int main(void)
{
	auto_store struct store store = { .fd = -1 };

	begin();
	store = open_store(true);
	excludes(&store);
	is_not_inherited(&store);
	discards(&store);
	counts(&store);
	expect_warning(NULL);

	return 0;
}
