// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The networks that files describe: a list of plugins or a single one as CNI reads it, or a
 * NetworkAttachmentDefinition, in JSON or YAML, several documents in a file. Each of our plugins in
 * them is one network, as the runtime would hand it over. What else is in a file is passed over.
 */

#include <jansson.h>

#include "shared/base/error.h"

/* Append { "file", "network", "type", "config" } for each. -1: a file that cannot be read,
 * and where in it. */
int networks_read(const char *path, json_t *networks, struct error *err);

/* YAML, as JSON: a list of documents, new. -1: ERROR_DECODE with line and column. */
int yaml_read(const char *text, size_t size, json_t **documents, struct error *err);
