// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Results of ADD in all seven versions. Inside there is one form, that of 1.1.0, as a JSON document
 * (so that what other plugins of a chain put in passes through untouched); older forms are made and
 * read at this border only.
 */

#include <jansson.h>
#include <stddef.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/cni/request.h"
#include "shared/node/pod.h"

/* The pod's interface, as the result tells it. */
struct result_interface {
	const char *name;
	const char *sandbox; /* CNI_NETNS, as it was given */
	struct mac mac;
	uint32_t mtu;
};

/*
 * Read a result of any version ("cniVersion" in it, else the one assumed) into the form of 1.1.0: a
 * new document. -1 with the code given: ERROR_DELEGATE_RESULT, ERROR_INVALID_CONFIG.
 */
int result_parse(json_t *document, enum version assumed, int code, json_t **result,
		 struct error *err);

/* A route without a gateway gets that of its family's first address that has one. */
void addressing_fill_in_gateways(struct addressing *addressing);

/* The addresses and routes of a result; a route without a gateway gets that of its family's first
 * address that has one, unless its scope is link or narrower. -1 with the code given. Messages here
 * and in result_parse() start with the member ("ips[0].address: ..."): say whose it is. */
int result_addressing(json_t *result, int code, struct addressing *addressing, struct error *err);

/*
 * Our result: what came before us in the chain (NULL: nothing), with our interface, addresses and
 * routes behind it, and dns (NULL or empty: none) in place of what was there. In the form of 1.1.0.
 */
int result_build(json_t *previous, const struct result_interface *interface,
		 const struct addressing *addressing, json_t *dns, json_t **result,
		 struct error *err);

/* The document of that version, new; NULL: no memory. */
json_t *result_export(json_t *result, enum version version);
