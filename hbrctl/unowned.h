// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What on the node is nobody's any more, from its inventory: pods that died without a DEL, domains
 * that nobody holds, links that nobody remembers. Pure. One rule: a port may be a living pod's.
 */

#include <jansson.h>
#include <stdbool.h>

/*
 * A new document: { "goes": [...], "stays": [...] }, each { "what", "name", "of"?, "why" }. after
 * is NULL when nothing was done: then "goes" is what would be tried. NULL: no memory.
 */
json_t *unowned_report(json_t *before, json_t *after);

/* A line for each. */
void unowned_print(json_t *report, bool is_dry);

/* Is the link the end of a pod's interface? */
bool unowned_is_port(json_t *link);
