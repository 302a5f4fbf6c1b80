// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/sysctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/cleanup.h"
#include "shared/base/error.h"

#define VALUE_SIZE 128
#define PATH_SIZE  256

static int open_value(const char *path, int flags)
{
	char full[PATH_SIZE];

	if (snprintf(full, sizeof(full), "/proc/sys/net/%s", path) >= (int)sizeof(full)) {
		errno = ENAMETOOLONG;
		return -1;
	}

	return open(full, flags | O_CLOEXEC);
}

/* 0 and the value without its line end, or a negative errno. */
static int read_value(const char *path, char value[static VALUE_SIZE])
{
	auto_close int fd = open_value(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;

	n = TEMP_FAILURE_RETRY(read(fd, value, VALUE_SIZE - 1));
	if (n < 0)
		return -errno;

	value[n] = '\0';
	value[strcspn(value, "\n")] = '\0';

	return 0;
}

static int write_value(const char *path, const char *value)
{
	auto_close int fd = open_value(path, O_WRONLY);

	if (fd < 0)
		return -errno;

	return TEMP_FAILURE_RETRY(write(fd, value, strlen(value))) < 0 ? -errno : 0;
}

int sysctl_set(const char *path, const char *value, bool needed, struct error *err)
{
	char is[VALUE_SIZE] = "";
	int r = read_value(path, is);

	if (r == 0 && strcmp(is, value) == 0)
		return 0;
	if (r == 0 || r == -EACCES) /* some can only be written */
		r = write_value(path, value);
	if (r == 0 || !needed)
		return 0;

	return error_errno(err, ERROR_NETLINK, -r, "set /proc/sys/net/%s to %s%s%s", path, value,
			   is[0] ? ", from " : "", is);
}

int sysctl_set_link(const char *ifname, const struct sysctl_of_link *settings, size_t n,
		    struct error *err)
{
	char path[96];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/conf/%s/%s", settings[i].family, ifname,
			 settings[i].key);
		if (sysctl_set(path, settings[i].value, settings[i].needed, err) < 0)
			return -1;
	}

	return 0;
}

int sysctl_apply(void *link, struct error *err)
{
	const struct sysctl_link *what = link;

	return sysctl_set_link(what->ifname, what->settings, what->n, err);
}

int sysctl_get(const char *path, long *value, struct error *err)
{
	char text[VALUE_SIZE];
	char *end;
	long number;
	int r = read_value(path, text);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return error_errno(err, ERROR_NETLINK, -r, "read /proc/sys/net/%s", path);

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end)
		return error_set(err, ERROR_NETLINK, "/proc/sys/net/%s is \"%s\": wanted a number",
				 path, text);
	*value = number;

	return 1;
}
