// SPDX-License-Identifier: Apache-2.0
#include "shared/node/domain.h"

void domain_publish(const struct domain *domain, const struct site *site)
{
	if (domain->kind->publish)
		domain->kind->publish(site, domain->network.values);
}

/* Which parent it has is known once it is read. */
static int lock_parent(struct domain *domain, const struct site *site, struct error *err)
{
	struct domain parent;
	int r = 0;

	if (domain_parent(domain, &parent)) {
		r = domain_lock(&parent, site, err);
		domain->parent_lock = parent.lock;
	}

	return r;
}

/* As it is remembered, its parent too. */
static int converge(const struct domain *domain, const struct site *site, bool *changed,
		    struct error *err)
{
	struct link links[LINKS_MAX];
	size_t n = 0;
	int r = domain_recall(domain, site, err);

	if (r <= 0)
		return r;

	return domain_converge(domain, site, links, &n, changed, err) < 0 ? -1 : 1;
}

/* One that has no holder is there no more, or is not to be. */
static int converge_leg(const struct domain *domain, const struct site *site, bool *changed,
			struct error *err)
{
	struct domain leg;
	int r;

	if (!domain_leg(domain, &leg))
		return 1;
	r = store_has_domain(site->store, leg.name, err);
	if (r <= 0)
		return r < 0 ? -1 : 1;
	if (domain_lock(&leg, site, err) < 0)
		return -1;
	r = domain_is_held(&leg, site, err);
	r = r == 1 ? converge(&leg, site, changed, err) : r < 0 ? -1 : 1;
	domain_unlock(&leg);

	return r;
}

static int restore(struct domain *domain, const struct site *site, bool *changed, struct error *err)
{
	int r;

	if (domain_lock(domain, site, err) < 0)
		return -1;
	r = domain_recall(domain, site, err);
	if (r == 1 && lock_parent(domain, site, err) < 0)
		return -1;
	if (r == 1)
		r = converge(domain, site, changed, err);

	return r == 1 ? converge_leg(domain, site, changed, err) : r;
}

int domain_restore(struct domain *domain, const struct site *site, bool *changed, struct error *err)
{
	int r = restore(domain, site, changed, err);

	domain_unlock(domain);
	if (r == 1 && *changed)
		domain_publish(domain, site);

	return r;
}
