// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Where a verb looks: the node file, the state of its HBR netns, the two namespaces. One rule: the
 * HBR netns may be away, and what was in it is then told as gone, not as an error.
 */

#include "shared/cni/attachment.h"

struct scene {
	struct attachment nobody; /* its node, store and conversations */
	struct request who;       /* CNI_PATH, for IPAM plugins */
	struct site site;
};

int scene_open(struct scene *scene, struct error *err);
void scene_close(struct scene *scene);

/* Is the HBR netns there? */
bool scene_has_hbr(const struct scene *scene);

/* A domain by its name in the store, and what is remembered of it. */
struct known {
	void *values; /* owned */
	uint64_t given;
	struct domain domain, leg; /* the leg need not be there */
	bool has_leg;
	bool is_damaged; /* nothing can be read of it */
};

/* 1, 0: it is of no type. known must stay where it is. */
int known_read(struct known *known, const struct scene *scene, const char *name, struct error *err);
void known_free(struct known *known);

/* The links of the domain and its leg; not those of its VRF. How many. */
size_t known_list_links(const struct known *known, const struct node *node,
			struct link links[static LINKS_MAX]);

#define auto_scene CLEANUP(scene_close)
#define auto_known CLEANUP(known_free)
