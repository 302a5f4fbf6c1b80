// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What makes a plugin: its keys, its topology, its steps. All else (the verbs, hbrctl) is the same
 * for every one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/steps.h"
#include "shared/node/domain_kind.h"

struct attachment;

struct attachment_type {
	const char *name; /* "hbr-l2" */
	const struct field_table *fields;
	size_t values_size;      /* of the struct that the fields land in */
	size_t interface_offset; /* of the struct interface in it */

	/* Fill in what follows from node and keys, and see that they fit together. */
	int (*settle)(const struct node *node, void *values, uint64_t *given, struct error *err);
	/* The domains it holds, in the order in which they are locked; how many. */
	size_t (*domains)(void *values, uint64_t *given, struct domain *domains);
	/* The first of them, by the name of one in the store, with what that name tells; false: it
	 * is not of this type. For those who look at domains and not at pods. */
	bool (*find_domain)(const char *name, void *values, uint64_t *given, struct domain *domain);
	/* The keys that a port on the node tells, when nothing else is known any more. */
	int (*recover)(const struct site *site, const struct link_state *port, void *values,
		       struct error *err);
	/* The port, but for names and MACs of the attachment, which are filled in already. Pure. */
	void (*port)(const struct node *node, const void *values, struct link *port);
	/* Is the pod's MAC its own alone in the first domain? NULL: there is no such rule. */
	bool (*claims)(const void *values);
	/* For CHECK: what links and the pod's end do not tell. The links' indexes are known. */
	int (*verify)(struct attachment *attachment, struct error *err);

	bool is_trunked; /* its pods come by the trunk, unless wired direct; it has tunnels */
	unsigned kinds;  /* of links that every ADD makes: a bit for each enum link_kind */
	const struct ip *next_hop; /* struct pod; NULL: none */
	const struct step *steps;  /* on a struct attachment */
	size_t n_steps;
};
