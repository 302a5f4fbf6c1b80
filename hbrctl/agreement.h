// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Networks that share a domain, or what only one domain of a node can have: do they agree? What the
 * first says of a domain counts, as on a node where its pod came first; the words are ADD's.
 */

#include <jansson.h>

#include "shared/cni/attachment.h"

/* known: by the names of domains, what networks said of them before; is added to. 0, -1 and what
 * contradicts, with the file that says so. */
int agreement_check(json_t *known, const char *file, const struct attachment *attachment,
		    struct error *err);
