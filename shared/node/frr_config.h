// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What FRR's running configuration says of a VRF, and the lines that take it back. Pure. One rule:
 * what is not there is not removed, so that removing twice is no error.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/node/frr_text.h"

struct frr_instance {
	char as[32];      /* as it is written there; "": there is none */
	bool is_bare;     /* nothing is in it: some "import vrf" has made it */
	bool is_imported; /* by another VRF */
};

struct frr_config {
	char as[32];                  /* of the default instance; "": there is none */
	bool has_evpn;                /* it has advertise-all-vni */
	char vni[16];                 /* of the VRF; "": none */
	bool has_route_map;           /* this and the lists: ours */
	bool has_list[2];             /* IPv4, IPv6 */
	struct frr_instance instance; /* of the VRF */
};

/* From the text of "show running-config". */
void frr_config_read(const char *running, const char *vrf, struct frr_config *config);

/* Did we tell FRR something of the VRF? */
bool frr_config_is_ours(const struct frr_config *config);

/* Does it have a BGP instance of its own, in which something is? */
bool frr_config_has_instance(const struct frr_config *config);

/* The lines to tell FRR before the links of the VRF go, and after; NULL: there is nothing of it, or
 * no memory for it (errno). */
char *frr_config_withdraw(const char *running, const char *vrf, const struct frr_config *config);
char *frr_config_forget(const char *vrf, const struct frr_config *config);
