// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The entries of a result's lists in the form of 1.1.0: interfaces, ips, routes. This is the only
 * place that knows their members' names and types.
 */

#include <jansson.h>
#include <stddef.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/cni/result.h"
#include "shared/kernel/route.h"

/* Which entry it is, for messages, and the code of an error about it. */
struct place {
	const char *list; /* "ips" */
	size_t i;
	int code;
};

/* `ips[0].address: VALUE is not allowed: wanted WANTED`, or that it is missing. Always -1. */
int entry_refuse(const struct place *place, const char *key, json_t *value, const char *wanted,
		 struct error *err);

/* Absent gateways leave theirs alone: the caller hands in zeroes. */
int entry_read_ip(json_t *entry, const struct place *place, struct ip *address, struct ip *gateway,
		  struct error *err);
int entry_read_route(json_t *entry, const struct place *place, struct route *route,
		     struct error *err);

/* Put a new entry behind the others. Not 0: no memory. */
int entry_append_interface(json_t *list, const struct result_interface *interface);
int entry_append_ip(json_t *list, size_t index, const struct ip *address, const struct ip *gateway);
int entry_append_route(json_t *list, const struct route *route);
