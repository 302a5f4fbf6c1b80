// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Errors, as CNI knows them.
 *
 * A function that can fail takes a struct error * last, and returns -1 after filling it in.
 * Where a function also answers a question it returns 0 for no and 1 for yes: "no such link" is
 * an answer, not an error. Nobody branches on the text of an error: it is for people.
 *
 * The buffers are fixed, so reporting a failure cannot fail.
 */

#define ERROR_MSG_SIZE     512
#define ERROR_DETAILS_SIZE 256

/* Codes below 100 are the CNI specification's (8: its Go library's), those from 100 on are ours. */
enum error_code {
	ERROR_INCOMPATIBLE_VERSION = 1, /* cniVersion, or a verb that it does not have */
	ERROR_UNSUPPORTED = 2,          /* a known key with a value that is not offered */
	ERROR_UNKNOWN_CONTAINER = 3,    /* the pod's namespace went away under us */
	ERROR_INVALID_ENVIRONMENT = 4,  /* CNI_* */
	ERROR_IO = 5,                   /* stdin, stdout */
	ERROR_DECODE = 6,               /* not JSON, or not an object */
	ERROR_INVALID_CONFIG = 7,       /* a value out of range, a key that is missing */
	ERROR_INVALID_NETNS = 8,        /* CNI_NETNS or hbrNetns is no usable namespace */
	ERROR_TRY_AGAIN = 11,        /* a lock or a child took too long, HBR went away meanwhile */
	ERROR_NOT_AVAILABLE = 50,    /* STATUS: ADD could not be served */
	ERROR_LIMITED = 51,          /* STATUS: and living pods may have lost connectivity */
	ERROR_INTERNAL = 100,        /* out of memory, a bound of ours */
	ERROR_NETLINK = 101,         /* the kernel refused; its reason is in the details */
	ERROR_EXISTS = 102,          /* the pod has an interface or an attachment of that name */
	ERROR_CONFLICT = 103,        /* something else is where ours should be */
	ERROR_DELEGATE_EXEC = 104,   /* the IPAM plugin cannot be run */
	ERROR_DELEGATE_RESULT = 105, /* the IPAM plugin said something that is no result */
	ERROR_CHECK = 106,           /* CHECK: something is not as ADD left it */
	ERROR_STATE = 107,           /* the state directory cannot be read or written */
	ERROR_FRR = 108,             /* FRR does not run, or refused what it was told */
};

struct error {
	int code; /* enum error_code, or what an IPAM plugin gave */
	char msg[ERROR_MSG_SIZE];
	char details[ERROR_DETAILS_SIZE];
};

/* Fill in the error. Always -1, so that callers can write: return error_set(...). */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": " and the text of errnum after the message, and its name in the details. */
int error_errno(struct error *err, int code, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put "fmt: " before the message of an error that is passing through; code and details stay. */
int error_wrap(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Replace the details. */
int error_details(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One line for people on standard error: "hbr-l2: warning: ...". */
void error_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What people call an errno. Never ENOENT's usual words: runtimes take those in an error's text
 * for "already gone" and stop retrying. */
const char *error_text(int errnum);
