// SPDX-License-Identifier: Apache-2.0

/* Sysctls and state directories. */

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/snapshot/snapshot.h"

static void read_sysctl(const struct place *place, const char *path)
{
	char file[512], value[256];
	int fd;
	ssize_t got;

	snprintf(file, sizeof(file), "/proc/sys/net/%s", path);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, value, sizeof(value) - 1);
	if (fd >= 0)
		close(fd);
	if (got <= 0) /* write-only, or secret and not set */
		return;
	value[got] = '\0';
	value[strcspn(value, "\n")] = '\0';
	line("%s sysctl %s %s", place->name, path, value);
}

static void read_sysctl_dir(const struct place *place, const char *path, unsigned depth)
{
	char full[512];
	DIR *dir;

	snprintf(full, sizeof(full), "/proc/sys/net/%s", path);
	dir = opendir(full);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(full, sizeof(full), "%s/%s", path, entry->d_name);
		if (entry->d_type == DT_DIR && depth > 0)
			read_sysctl_dir(place, full, depth - 1);
		else if (entry->d_type != DT_DIR)
			read_sysctl(place, full);
	}
	closedir(dir);
}

void read_sysctls(const struct place *place)
{
	read_sysctl_dir(place, "ipv4/conf", 1);
	read_sysctl_dir(place, "ipv6/conf", 1);
	read_sysctl_dir(place, "bridge", 0);
	read_sysctl_dir(place, "vrf", 0);
	read_sysctl(place, "ipv4/ip_forward");
	read_sysctl(place, "ipv4/tcp_l3mdev_accept");
	read_sysctl(place, "ipv4/udp_l3mdev_accept");
}

static void read_state_file(const char *path, const struct stat *st)
{
	FILE *file = fopen(path, "re");
	uint64_t hash = 0xcbf29ce484222325;

	if (!file)
		err(1, "%s", path);
	for (int c; (c = getc(file)) != EOF;)
		hash = (hash ^ (uint64_t)c) * 0x100000001b3;
	fclose(file);
	line("state %s mode %o size %lld content %016llx", path, st->st_mode & 07777,
	     (long long)st->st_size, (unsigned long long)hash);
}

/*
 * Below <stateDir>/<hbr> these come with the first ADD and stay, empty; so do the two directories
 * above them. Lock files are never removed.
 */
static bool is_frame(const char *name, unsigned depth)
{
	return depth < 2 ||
	       (depth == 2 && (strcmp(name, "locks") == 0 || strcmp(name, "attachments") == 0 ||
			       strcmp(name, "domains") == 0));
}

static void read_state_path(const char *path, const char *name, unsigned depth);

static void read_state_dir(const char *path, unsigned depth)
{
	DIR *dir = opendir(path);

	if (!dir)
		err(1, "%s", path);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char inner[4096];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		read_state_path(inner, entry->d_name, depth + 1);
	}
	closedir(dir);
}

static void read_state_path(const char *path, const char *name, unsigned depth)
{
	bool frame = is_frame(name, depth);
	struct stat st;

	if (lstat(path, &st) < 0)
		err(1, "%s", path);
	if (S_ISREG(st.st_mode))
		read_state_file(path, &st);
	else if (!S_ISDIR(st.st_mode) || !frame)
		line("state %s mode %o", path, st.st_mode);
	if (S_ISDIR(st.st_mode) && !(frame && depth == 2 && strcmp(name, "locks") == 0))
		read_state_dir(path, depth);
}

void read_state(const char *dir)
{
	/* One that was never there has nothing in it. */
	if (access(dir, F_OK) == 0)
		read_state_path(dir, dir, 0);
}
