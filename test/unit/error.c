// SPDX-License-Identifier: Apache-2.0
#include "shared/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "test/unit/unit.h"

static void sets(void)
{
	struct error err = { .details = "of something before" };

	check_error(error_set(&err, ERROR_CONFLICT, "%s has %d", "vx.7", 8), &err, ERROR_CONFLICT,
		    "vx.7 has 8");
	check_str(err.details, "");

	check(error_details(&err, "said %s", "the kernel") == -1);
	check_str(err.details, "said the kernel");
	check_error(error_wrap(&err, "create %s", "br.7"), &err, ERROR_CONFLICT,
		    "create br.7: vx.7 has 8");
	check_str(err.details, "said the kernel");
}

static void tells_errno(void)
{
	struct error err = { 0 };

	check_error(error_errno(&err, ERROR_STATE, EACCES, "read %s", "x"), &err, ERROR_STATE,
		    "read x: Permission denied");
	check_str(err.details, "EACCES");
	error_errno(&err, ERROR_STATE, 99999, "read x");
	check_str(err.details, ""); /* no name for that one */

	/* Runtimes take the usual words for "already gone". */
	check_error(error_errno(&err, ERROR_STATE, ENOENT, "read x"), &err, ERROR_STATE,
		    "read x: does not exist");
	for (int errnum = 1; errnum < 134; errnum++) {
		check(!strcasestr(error_text(errnum), "not found"));
		check(!strcasestr(error_text(errnum), "no such file"));
	}
}

/* Too long a text is cut, and the buffers end in NUL. */
static void fits(void)
{
	char text[2 * ERROR_MSG_SIZE];
	struct error err = { 0 };

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&err, ERROR_IO, "%s", text);
	check(strlen(err.msg) == ERROR_MSG_SIZE - 1);
	error_wrap(&err, "first");
	check(strncmp(err.msg, "first: xxx", 10) == 0 && strlen(err.msg) == ERROR_MSG_SIZE - 1);
	error_wrap(&err, "%s", text);
	check(strlen(err.msg) == ERROR_MSG_SIZE - 1);
	error_details(&err, "%s", text);
	check(strlen(err.details) == ERROR_DETAILS_SIZE - 1);
	error_errno(&err, ERROR_IO, EPERM, "%s", text);
	check(strlen(err.msg) == ERROR_MSG_SIZE - 1);
	check_str(err.details, "EPERM");
}

static void warns(void)
{
	auto_close int saved = dup(STDERR_FILENO);
	char text[128] = "", wanted[128];
	int ends[2];

	check(saved >= 0 && pipe2(ends, O_CLOEXEC) == 0);
	check(dup2(ends[1], STDERR_FILENO) >= 0);
	error_warn("%s is odd", "it");
	check(dup2(saved, STDERR_FILENO) >= 0);
	check(read(ends[0], text, sizeof(text) - 1) > 0);
	snprintf(wanted, sizeof(wanted), "%s: warning: it is odd\n", program_invocation_short_name);
	check_str(text, wanted);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	sets();
	tells_errno();
	fits();
	warns();

	return 0;
}
