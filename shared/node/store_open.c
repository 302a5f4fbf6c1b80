// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/parse.h"
#include "shared/node/store.h"
#include "shared/node/store_file.h"

#define ID_DIGITS 16

void store_slug(const char *hbr_path, char slug[static STORE_NAME_SIZE])
{
	const char *slash = strrchr(hbr_path, '/');
	char name[STORE_NAME_SIZE - 10], hash[9];

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : hbr_path);
	for (char *at = name; *at != '\0'; at++) {
		const char one[] = { *at, '\0' };

		if (!parse_id(one) && (at == name || !strchr("_.-", *at)))
			*at = '_';
	}
	hash_print(hash_parts(&hbr_path, 1), hash, sizeof(hash));
	snprintf(slug, STORE_NAME_SIZE, "%s-%s", name[0] != '\0' ? name : "_", hash);
}

void store_id(const char *container_id, const char *ifname, char id[static STORE_NAME_SIZE])
{
	hash_print(hash_parts((const char *const[]){ container_id, ifname }, 2), id, ID_DIGITS + 1);
}

/* The directories above the state directory: the node's own, links among them are followed. */
static int make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		*slash = '\0';
		r = mkdir(path, 0700);
		*slash = '/';
		if (r < 0 && errno != EEXIST)
			return -1;
	}

	return 0;
}

/* Cut the last name off an absolute path and open what is before it. 1, 0 absent, -1 with errno. */
static int open_parent(char *path, bool create, int *fd, const char **name)
{
	char *slash;

	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	if (create && make_parents(path) < 0)
		return -1;
	slash = strrchr(path, '/');
	*slash = '\0';
	*name = slash + 1;
	*fd = open(slash == path ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT && !create ? 0 : -1;

	return 1;
}

int store_open(struct store *store, const char *state_dir, const char *slug, bool create,
	       struct error *err)
{
	auto_close int parent = -1, dir = -1;
	char path[PATH_MAX];
	const char *name;
	enum store_dir how = create ? STORE_DIR_MAKE : STORE_DIR_FIND;
	int r, fd = -1;

	if (state_dir[0] != '/' || strlen(state_dir) >= sizeof(path))
		return error_set(err, ERROR_STATE,
				 "state directory %.300s: wanted an absolute path", state_dir);
	snprintf(path, sizeof(path), "%s", state_dir);
	r = open_parent(path, create, &parent, &name);
	if (r < 0)
		return error_errno(err, ERROR_STATE, errno, "state directory %.300s", state_dir);
	if (r == 1)
		r = store_dir_open(parent, name, how, &dir, err);
	if (r == 1)
		r = store_dir_open(dir, slug, how, &fd, err);
	if (r < 0)
		return error_wrap(err, "state directory %.300s", state_dir);
	store->fd = fd;

	return 0;
}

void store_close(struct store *store)
{
	cleanup_close(&store->fd);
	store->fd = -1;
}

/* Anything under the record's name counts: a damaged one is to be found as well. */
static bool has_record(int states, const char *slug, const char *id)
{
	char path[STORE_NAME_SIZE + sizeof("/attachments/.json") + STORE_NAME_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "%s/attachments/%s.json", slug, id);

	return fstatat(states, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int store_locate_record(const char *state_dir, const char *slug, const char *id,
			char found[static STORE_NAME_SIZE], struct error *err)
{
	auto_dir DIR *states = opendir(state_dir);
	const struct dirent *entry;

	if (!states && errno != ENOENT && errno != ENOTDIR)
		return error_errno(err, ERROR_STATE, errno, "state directory %.300s", state_dir);
	if (!states)
		return 0;
	if (has_record(dirfd(states), slug, id)) {
		snprintf(found, STORE_NAME_SIZE, "%s", slug);
		return 1;
	}
	while ((entry = readdir(states)) != NULL) {
		size_t size = strlen(entry->d_name) + 1;

		if (size <= STORE_NAME_SIZE && has_record(dirfd(states), entry->d_name, id)) {
			memcpy(found, entry->d_name, size);
			return 1;
		}
	}

	return 0;
}
