// SPDX-License-Identifier: Apache-2.0
#pragma once

/* What a network says of its VRF, and what a domain remembers of it. */

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/base/field.h"
#include "shared/base/parse.h"

#define VRF_TEXTS_MAX 8

struct vrf_texts {
	char text[VRF_TEXTS_MAX][32];
	size_t n;
};

struct vrf_targets {
	struct vrf_texts import, export;
};

struct vrf {
	char name[IFNAMSIZ]; /* "": none */
	uint32_t vni;        /* 0: without L3VNI */
	uint32_t table;
	struct vrf_targets targets;
	struct vrf_texts imports;

	/* Not the network's to say: from the node, remembered by the domain. */
	struct ip local; /* VTEP; with a VNI */
	uint32_t vxlan_port;
	uint32_t mtu; /* the largest that a pod of the VRF can have */
	bool is_adopted;
	uint32_t told; /* which start of FRR has been told; 0: none */

	uint64_t given;   /* which of vrf_fields */
	bool may_be_made; /* the network gave more than a name of one that is there */

	/* Of this call only. */
	bool is_untouched; /* FRR was told nothing */
	bool is_going;     /* it is ours, and its links are about to be removed */
};

extern const struct field_type field_vrf_name;      /* char[IFNAMSIZ], not empty      */
extern const struct field_type field_table;         /* uint32_t, not one of the kernel's */
extern const struct field_type field_route_targets; /* struct vrf_targets             */
extern const struct field_type field_vrf_names;     /* struct vrf_texts               */

/* The first rows of a table that has a VRF; at: what stands before the members in the struct
 * ("vrf."), key: that of its name, least_vni: 1, or 0 where that stands for none. */
/* clang-format off */
#define VRF_ROWS(base, at, key, least_vni, flags) \
	{ key, NULL, &field_vrf_name, offsetof(base, at name), 0, IFNAMSIZ, NULL, FIELD_REQUIRED | (flags), \
	  "Name of the VRF in the HBR netns." }, \
	{ "vni", NULL, &field_u32, offsetof(base, at vni), least_vni, 16777215, NULL, flags, \
	  "VXLAN network identifier of the VRF (L3VNI); absent: a VRF of this node alone." }, \
	{ "table", NULL, &field_table, offsetof(base, at table), 1, UINT32_MAX, NULL, flags, \
	  "Routing table of the VRF; absent: the node's tableBase and the VNI, or a free one of its tableRange." }, \
	{ "routeTargets", NULL, &field_route_targets, offsetof(base, at targets), 0, 0, NULL, flags, \
	  "Route targets in FRR, {\"import\": [...], \"export\": [...]}; absent: automatic." }, \
	{ "importVrfs", NULL, &field_vrf_names, offsetof(base, at imports), 0, VRF_TEXTS_MAX, NULL, flags, \
	  "VRFs whose routes this one imports, in FRR: one way, and it keeps none of them alive." }
/* clang-format on */

/* In what was given of a table that begins with VRF_ROWS: of these. */
#define VRF_GIVEN(given) ((given)&UINT64_C(0x1f))

extern const struct field_table vrf_fields; /* of struct vrf, as the domain remembers it */
