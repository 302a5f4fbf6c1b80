// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/scene.h"

#include <stdlib.h>

#include "hbrctl/types.h"
#include "shared/base/cleanup.h"
#include "shared/node/domain.h"

#define CNI_PATH_DEFAULT "/opt/cni/bin"

int scene_open(struct scene *scene, struct error *err)
{
	const char *path = getenv("CNI_PATH");

	*scene = (struct scene){
		.nobody = ATTACHMENT_NONE,
		.who = { .verb = VERB_GC,
			 .version = CNI_1_1_0,
			 .container_id = "",
			 .netns = "",
			 .ifname = "",
			 .args = "",
			 .path = path && *path ? path : CNI_PATH_DEFAULT },
	};
	if (attachment_open(&scene->nobody, types[0], &scene->who, false, err) < 0 ||
	    attachment_enter(&scene->nobody, false, err) < 0)
		return -1;
	scene->site = attachment_site(&scene->nobody);

	return 0;
}

void scene_close(struct scene *scene)
{
	attachment_close(&scene->nobody);
}

bool scene_has_hbr(const struct scene *scene)
{
	return scene->nobody.nl[PLACE_HBR].sock != NULL;
}

/* 1 the type knows the name. */
static int find(struct known *known, const struct attachment_type *type, const char *name,
		struct error *err)
{
	free(known->values);
	known->values = calloc(1, type->values_size);
	if (!known->values)
		return error_set(err, ERROR_INTERNAL, "out of memory for the domain %s", name);

	return type->find_domain(name, known->values, &known->given, &known->domain);
}

/* Legs and VRFs remember their own part of the values. */
static int recall(struct known *known, const struct site *site, struct error *err)
{
	struct domain parent;
	int r = domain_recall_as_is(&known->domain, site, err);

	if (r < 0)
		return -1;
	known->is_damaged = r == 0;
	if (domain_leg(&known->domain, &known->leg)) {
		r = store_has_domain(site->store, known->leg.name, err);
		known->has_leg = r == 1;
		if (r == 1)
			r = domain_recall_as_is(&known->leg, site, err);
	}
	if (r >= 0 && domain_parent(&known->domain, &parent))
		r = domain_recall_as_is(&parent, site, err);

	return r < 0 ? -1 : 1;
}

int known_read(struct known *known, const struct scene *scene, const char *name, struct error *err)
{
	*known = (struct known){ .values = NULL };
	for (size_t i = 0; i < TYPES; i++) {
		int r = find(known, types[i], name, err);

		if (r != 0)
			return r < 0 ? -1 : recall(known, &scene->site, err);
	}

	return 0;
}

void known_free(struct known *known)
{
	free(known->values);
}

size_t known_list_links(const struct known *known, const struct node *node,
			struct link links[static LINKS_MAX])
{
	const struct domain *domain = &known->domain, *leg = &known->leg;
	size_t n = 0;

	if (!known->is_damaged)
		n = domain->kind->links(node, domain->network.values, links);
	if (known->has_leg)
		n += leg->kind->links(node, leg->network.values, &links[n]);

	return n;
}
