// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What there is on the node, as one JSON document: what is remembered, how the kernel differs from
 * it, and what in the kernel nobody remembers. Changes nothing and takes no lock. What verbs print
 * is a function of this document alone.
 *
 *	{ "hbrNetns": PATH, "hbrThere": BOOL, "stateDir": PATH, "trunk": [host's, HBR's],
 *	  "domains": [{ "name", "title", "fixed": {what its files say}, "state", "held": [ids,
 *domains], "links": [{ "name", "in", "kind", "on", "master", "state", "wrong" }] }], "attachments":
 *[{ "id", "container", "interface", "network", "plugin", "pod", "netns", "mac", "mtu", "addresses",
 *"domains", "port", "in", "on", "state", "wrong" }], "leftovers": [{ "name", "in", "kind", "alias"
 *}] }
 *
 * state: ok; drift: the kernel has it otherwise, "wrong" says how; away: the HBR netns is not
 *there. Of a domain also unheld (nobody holds it, and it is still there) and damaged (its file). Of
 *an attachment also dead (provably), unfinished (its ADD has not ended), unrecorded (it is a
 *holder, without a record), unseen (its pod's netns is not visible).
 */

#include <jansson.h>

#include "hbrctl/scene.h"

/* A new document. */
int inventory_read(const struct scene *scene, json_t **inventory, struct error *err);

/* The document, with a scene of its own. */
int inventory_take(json_t **inventory, struct error *err);

/* The attachment of a record (NULL: damaged) as the document has it: new, NULL without memory. */
json_t *inventory_describe_attachment(const struct scene *scene, const char *id, json_t *record);

/* Directories have no order: by name, by pod, container and interface; numbers by their value. */
void inventory_sort(json_t *list);

/* Is the text in a list of texts? */
bool inventory_has_text(json_t *list, const char *text);

/* Text of a member, "" for none. */
const char *inventory_text(json_t *object, const char *key);
