// SPDX-License-Identifier: Apache-2.0
#include "shared/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *error_text(int errnum)
{
	return errnum == ENOENT ? "does not exist" : strerror(errnum);
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list args;

	*err = (struct error){ .code = code };
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);

	return -1;
}

int error_errno(struct error *err, int code, int errnum, const char *fmt, ...)
{
	const char *name = strerrorname_np(errnum);
	va_list args;
	size_t len;

	*err = (struct error){ .code = code };
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);

	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", error_text(errnum));
	snprintf(err->details, sizeof(err->details), "%s", name ? name : "");

	return -1;
}

int error_wrap(struct error *err, const char *fmt, ...)
{
	char inner[ERROR_MSG_SIZE];
	va_list args;
	size_t len;

	memcpy(inner, err->msg, sizeof(inner));
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);

	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", inner);

	return -1;
}

int error_details(struct error *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->details, sizeof(err->details), fmt, args);
	va_end(args);

	return -1;
}

void error_warn(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: warning: ", program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}
