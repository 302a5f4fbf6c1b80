// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Another plugin: found in CNI_PATH, and run as a runtime runs it (CNI specification, section 4). A
 * request that was made from a record gives its own CNI_* variables.
 */

#include "shared/base/child.h"
#include "shared/base/error.h"
#include "shared/cni/request.h"

#define DELEGATE_TIMEOUT_MS 60000

struct delegate {
	const char *what; /* it is, for messages: "IPAM plugin" */
	const char *type; /* its name, without '/' */
	const char *key;  /* that has the name, for messages: "ipam.type: ", "" */
	const char *text; /* the document on its standard input */
};

/*
 * Run it for a verb, with our environment but for the request's variables. *output gets what it
 * printed. That it is not there is an ERROR_DELEGATE_EXEC; an error that it prints is passed on
 * with its code, message and details.
 */
int delegate_run(const struct request *request, enum verb verb, const struct delegate *delegate,
		 struct child_output *output, struct error *err);
void delegate_free(struct child_output *output);
