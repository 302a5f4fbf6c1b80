// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What FRR is told of a VRF, as text: a template with the VRF's values in it. One rule: all
 * of it can be told twice, and can be undone by what frr_config.h finds.
 *
 * {vrf} and the like in a line become the value; a line with a list ({import_vrf}) is written for
 * each of its values. Where there is no value or the list is empty the line is left empty. "{{" is
 * a brace.
 */

#include "shared/node/frr.h"

#define FRR_NAME_SIZE 64 /* of the route-map and the prefix-lists of a VRF; of VRFs in FRR */

struct frr_values {
	const struct frr_vrf *vrf;
	const char *as;        /* of the default instance */
	const char *router_id; /* "": FRR's own choice */
};

/* "hbr-cni-<vrf>": the route-map of a VRF, and its prefix-lists. That they are there says that what
 * FRR has of the VRF is ours. */
void frr_name(const char *vrf, char name[static FRR_NAME_SIZE]);

/* What comes first whatever the template: the route-map that exports no link-local address and no
 * default route. */
extern const char frr_filter[];

/* The VRF, its BGP instance: where a site has no template of its own. */
extern const char frr_template[];

/* The template in a file, or, for a path of "", our own; as a new text. -1: ERROR_INVALID_CONFIG.
 */
int frr_template_read(const char *path, char **text, struct error *err);

/* A new text. -1: ERROR_INVALID_CONFIG with the line and the placeholder that is none. */
int frr_expand(const char *template, const struct frr_values *values, char **text,
	       struct error *err);
