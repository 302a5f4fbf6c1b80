// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The IPAM plugin of the network, a delegate (delegate.h): it gets, byte for byte, the same
 * document as we got.
 */

#include <jansson.h>

#include "shared/base/error.h"
#include "shared/cni/request.h"

/* The name of the configured plugin; NULL when there is none: "ipam" absent, null, {} or
 * {"type": ""}. -1: "ipam" or its type is of a wrong kind, or the name has a '/' in it. */
int ipam_type(json_t *config, const char **type, struct error *err);

/*
 * Run it for a verb, with this document on its standard input. ADD: *result gets a new document in
 * the form of 1.1.0, and one without addresses is an ERROR_DELEGATE_RESULT; other verbs: result is
 * NULL. An error that the plugin prints is passed on with its code, message and details.
 */
int ipam_run(const struct request *request, enum verb verb, const char *type, const char *text,
	     json_t **result, struct error *err);
