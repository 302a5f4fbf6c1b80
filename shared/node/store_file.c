// SPDX-License-Identifier: Apache-2.0
#include "shared/node/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "shared/base/cleanup.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* One writer at a time, its caller has the lock: the name can be a fixed one, and what a killed
 * writer left is found again. */
#define TEMPORARY_SUFFIX ".tmp"

void store_path(int dir, const char *name, char path[static STORE_PATH_SIZE])
{
	char link[32], place[STORE_PATH_SIZE - STORE_FILE_SIZE];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, place, sizeof(place) - 1);
	place[n > 0 ? n : 0] = '\0';
	snprintf(path, STORE_PATH_SIZE, "%s/%.*s", place, STORE_FILE_SIZE - 2, name);
}

/* "verb PATH: reason" */
static int fail(int dir, const char *name, const char *verb, int errnum, struct error *err)
{
	char path[STORE_PATH_SIZE];

	store_path(dir, name, path);

	return error_errno(err, ERROR_STATE, errnum, "%s %s", verb, path);
}

/* What a directory entry is, in words; NULL: there is none. */
static const char *find_kind(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return NULL;
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return "a plain file";
	case S_IFDIR:
		return "a directory";
	case S_IFLNK:
		return "a symbolic link";
	default:
		return "a device, pipe or socket";
	}
}

static int refuse_kind(int dir, const char *name, const char *wanted, struct error *err)
{
	const char *kind = find_kind(dir, name);
	char path[STORE_PATH_SIZE];

	store_path(dir, name, path);

	return error_set(err, ERROR_STATE, "%s is %s: wanted %s", path, kind ? kind : "gone",
			 wanted);
}

/* fsync, where it keeps anything: a memory file system is gone with the power anyway. */
static int keep(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0 &&
	    ((unsigned)fs.f_type == TMPFS_MAGIC || (unsigned)fs.f_type == RAMFS_MAGIC))
		return 0;

	return fsync(fd);
}

/* Of a directory that openat() does not open. */
static int explain(int parent, const char *name, enum store_dir how, struct error *err)
{
	if (errno == ENOENT && how != STORE_DIR_MAKE)
		return 0;
	if (errno != ENOTDIR && errno != ELOOP)
		return fail(parent, name, "open", errno, err);
	refuse_kind(parent, name, "a directory", err);
	if (how != STORE_DIR_FORGIVE)
		return -1;
	error_warn("%s, it is ignored", err->msg);

	return 0;
}

int store_dir_open(int parent, const char *name, enum store_dir how, int *fd, struct error *err)
{
	auto_close int dir = openat(parent, name, DIR_FLAGS);
	bool made = false;

	if (dir < 0 && errno == ENOENT && how == STORE_DIR_MAKE) {
		made = mkdirat(parent, name, 0700) == 0;
		if (!made && errno != EEXIST) /* another call may have been faster */
			return fail(parent, name, "make", errno, err);
		dir = openat(parent, name, DIR_FLAGS);
	}
	if (dir < 0)
		return explain(parent, name, how, err);
	/* The umask may have taken bits away. */
	if (made && (fchmod(dir, 0700) < 0 || keep(parent) < 0))
		return fail(parent, name, "make", errno, err);
	*fd = take_fd(&dir);

	return 1;
}

static int say_damaged(int dir, const char *name, const char *why)
{
	char path[STORE_PATH_SIZE];

	store_path(dir, name, path);
	error_warn("%s is damaged (%s), it is ignored", path, why);

	return STORE_FILE_DAMAGED;
}

static int read_stream(int dir, const char *name, FILE *file, json_t **value)
{
	json_error_t error;
	/* What was accepted once must be readable for ever. */
	json_t *found = json_loadf(file, JSON_ALLOW_NUL, &error);

	if (!found)
		return say_damaged(dir, name, error.text);
	if (!json_is_object(found)) {
		json_decref(found);
		return say_damaged(dir, name, "no JSON object");
	}
	*value = found;

	return STORE_FILE_READ;
}

int store_file_read(int dir, const char *name, json_t **value, struct error *err)
{
	/* A pipe in its place must not stop us. */
	auto_close int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	auto_file FILE *file = NULL;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return STORE_FILE_ABSENT;
	if (fd < 0 && (errno == ELOOP || errno == ENXIO))
		return say_damaged(dir, name, "no plain file");
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(dir, name, "read", errno, err);
	if (!S_ISREG(st.st_mode))
		return say_damaged(dir, name, "no plain file");
	file = fdopen(fd, "r");
	if (!file)
		return fail(dir, name, "read", errno, err);
	take_fd(&fd);

	return read_stream(dir, name, file, value);
}

static void temporary_name(const char *name, char temporary[static STORE_FILE_SIZE])
{
	snprintf(temporary, STORE_FILE_SIZE, ".%s" TEMPORARY_SUFFIX, name);
}

bool store_file_is_temporary(const char *name)
{
	size_t len = strlen(name), suffix = sizeof(TEMPORARY_SUFFIX) - 1;

	return name[0] == '.' && len > suffix && strcmp(name + len - suffix, TEMPORARY_SUFFIX) == 0;
}

/* A new file, 0600 whatever the umask took away. */
static FILE *open_temporary(int dir, const char *temporary)
{
	auto_close int fd = -1;
	FILE *file;

	if (unlinkat(dir, temporary, 0) < 0 && errno != ENOENT)
		return NULL;
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fchmod(fd, 0600) < 0)
		return NULL;
	file = fdopen(fd, "w");
	if (file)
		take_fd(&fd);

	return file;
}

static int write_stream(FILE *file, json_t *value)
{
	errno = ENOMEM; /* what jansson fails of without saying so */
	if (json_dumpf(value, file, JSON_INDENT(2)) < 0 || fputc('\n', file) == EOF)
		return -1;

	return fflush(file) == 0 && keep(fileno(file)) == 0 ? 0 : -1;
}

int store_file_write(int dir, const char *name, json_t *value, struct error *err)
{
	char temporary[STORE_FILE_SIZE];
	auto_file FILE *file = NULL;
	struct stat st;

	/* A rename would not follow a link, but take away what somebody put there. */
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return refuse_kind(dir, name, "a plain file", err);
	temporary_name(name, temporary);
	file = open_temporary(dir, temporary);
	if (!file)
		return fail(dir, temporary, "make", errno, err);
	if (write_stream(file, value) < 0 || renameat(dir, temporary, dir, name) < 0 ||
	    keep(dir) < 0) {
		fail(dir, name, "write", errno, err);
		unlinkat(dir, temporary, 0);
		return -1;
	}

	return 0;
}

int store_file_unlink(int dir, const char *name)
{
	int r = unlinkat(dir, name, 0);

	return r < 0 && errno == EISDIR ? unlinkat(dir, name, AT_REMOVEDIR) : r;
}

int store_file_remove(int dir, const char *name, struct error *err)
{
	char temporary[STORE_FILE_SIZE], path[STORE_PATH_SIZE];

	temporary_name(name, temporary);
	unlinkat(dir, temporary, 0);
	if (store_file_unlink(dir, name) == 0)
		return keep(dir) < 0 ? fail(dir, name, "remove", errno, err) : 0;
	if (errno == ENOENT)
		return 0;
	if (errno != ENOTEMPTY)
		return fail(dir, name, "remove", errno, err);
	store_path(dir, name, path);
	error_warn("%s is a directory, it stays", path);

	return 0;
}
