// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Calls of a plugin as request_read() gets them: an environment and a document. */

#include <sys/mman.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "shared/cni/request.h"
#include "test/unit/unit.h"

#define MINIMAL "{\"cniVersion\":\"1.1.0\",\"name\":\"n\"}"

static struct request request; /* read last */
static struct error err;

/* Variables of a call that is all right; tests change some. */
static inline void plain_call(const char *verb)
{
	clearenv();
	setenv("CNI_COMMAND", verb, 1);
	setenv("CNI_CONTAINERID", "c1", 1);
	setenv("CNI_NETNS", "/run/netns/pod", 1);
	setenv("CNI_IFNAME", "net1", 1);
}

static inline int read_text(const char *text, size_t size)
{
	auto_close int fd = memfd_create("stdin", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, text, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	request_free(&request);
	err = (struct error){ 0 };

	return request_read(&request, fd, &err);
}

static inline int read_config(const char *text)
{
	return read_text(text, strlen(text));
}

static inline void refuses_config(const char *text, int code, const char *msg)
{
	check_error(read_config(text), &err, code, msg);
}
