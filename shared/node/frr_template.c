// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/base/cleanup.h"
#include "shared/node/frr_text.h"

#define FILE_MAX (64 << 10) /* bytes */

static int read_file(const char *path, char **text, struct error *err)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	auto_free char *buffer = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, ERROR_INVALID_CONFIG, errno, "frr.template: %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "frr.template: %s: wanted a regular file of at most %d bytes",
				 path, FILE_MAX);
	buffer = calloc(1, (size_t)st.st_size + 1);
	if (!buffer || read(fd, buffer, (size_t)st.st_size) < 0)
		return error_errno(err, ERROR_INVALID_CONFIG, errno, "frr.template: %s", path);
	*text = take_ptr(&buffer);

	return 0;
}

int frr_template_read(const char *path, char **text, struct error *err)
{
	if (path[0])
		return read_file(path, text, err);
	*text = strdup(frr_template);

	return *text ? 0 : error_errno(err, ERROR_INTERNAL, errno, "text for FRR");
}
