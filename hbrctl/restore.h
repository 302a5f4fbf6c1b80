// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What restore did, as one JSON document; what it prints is a function of that alone.
 *
 *	{ "domains": [{ "name", "title", "did", "why" }],
 *	  "attachments": [{ "interface", "container", "pod", "did", "why" }],
 *	  "unknown": [the inventory's leftovers] }
 *
 * did: kept, it was as it should be; restored; left, there is nothing to bring back; failed. why:
 *of the last two.
 */

#include "hbrctl/command.h"
#include "hbrctl/scene.h"

/* A line for each. */
void restore_print(json_t *answer);
