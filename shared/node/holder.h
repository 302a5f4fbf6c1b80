// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Does a holder still live? A domain does as long as it is remembered. An attachment is dead only
 * when that is proven: its port is gone, and the path of its pod's namespace is visible and leads
 * to no namespace, or to another one. What cannot be seen proves nothing.
 */

#include <jansson.h>

#include "shared/base/error.h"
#include "shared/kernel/netns.h"
#include "shared/node/site.h"

/* What has to be remembered of a holder; a new object, NULL without memory. */
json_t *holder_describe(const char *container_id, const char *ifname, const char *netns_path,
			const struct netns *netns, uint64_t cookie, const char *port);

/* The same out of the attachment's record. */
json_t *holder_copy(json_t *record);

/* A domain can be a holder, too (of its VRF): is it one, by its id? */
bool holder_is_domain(const char *id);

/* 1 dead, 0 alive or unknown. NULL (a damaged file) is unknown. */
int holder_is_dead(const struct site *site, json_t *holder, struct error *err);
