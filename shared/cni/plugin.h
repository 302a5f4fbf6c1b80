// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A CNI plugin as a table of verbs. plugin_main() reads the request, calls the verb, and is the
 * only place that prints: one document, a result or an error, or nothing. Standard error gets
 * warnings for people.
 */

#include <jansson.h>

#include "shared/base/error.h"
#include "shared/cni/request.h"

/* A verb of the plugin that "type" describes. ADD gives its result in the form of 1.1.0; others
 * leave *result alone. */
typedef int verb_fn(const void *type, const struct request *request, json_t **result,
		    struct error *err);

struct plugin {
	const char *name;      /* "hbr-l2" */
	const void *type;      /* handed to the verbs */
	verb_fn *verbs[VERBS]; /* VERSION is answered here: NULL */
	/* Undo an ADD whose result could not be printed. */
	verb_fn *undo;
};

/* The exit status: 0, or 1 after an error was printed. */
int plugin_main(const struct plugin *plugin);
