// SPDX-License-Identifier: Apache-2.0
#include "shared/node/domain.h"

static int on_holder(const char *name, json_t *value, void *arg, struct error *err)
{
	(void)name;
	(void)value;
	(void)arg;
	(void)err;

	return 1;
}

/* Go on after a failure; the first one is told. */
static void note(int r, const struct error *failure, int *result, struct error *err)
{
	if (r < 0 && *result == 0) {
		*err = *failure;
		*result = -1;
	}
}

static int undo(const struct domain *domain, const struct site *site, struct error *err)
{
	return domain->kind->undo ? domain->kind->undo(site, domain->network.values, err) : 0;
}

static int clear(const struct domain *domain, const struct site *site, struct error *err)
{
	return domain->kind->clear ? domain->kind->clear(site, domain->network.values, err) : 0;
}

/* Nothing is remembered: the marks in the kernel are all there is to go by. */
static int remove_marked(const struct domain *domain, const struct site *site, struct error *err)
{
	const struct domain_kind *kind = domain->kind;
	void *values = domain->network.values;
	struct link links[LINKS_MAX];
	size_t n;
	int r;

	if (kind->recover && kind->recover(site, values, err) < 0)
		return -1;
	n = kind->links(site->node, values, links);
	r = links_marked_are_used(site->nl, links, n, site->is_certain, err);
	if (r != 0)
		return r < 0 ? -1 : 0;

	return undo(domain, site, err) < 0 ||
			       links_remove_marked(site->nl, links, n, site->is_certain, err) < 0 ||
			       clear(domain, site, err) < 0
		       ? -1
		       : 1;
}

/* 1 when they are gone, 0 when a guest needs them. */
static int remove_links(const struct domain *domain, const struct site *site,
			char guest[static LINKS_GUEST_SIZE], struct error *err)
{
	struct link links[LINKS_MAX];
	size_t n = domain->kind->links(site->node, domain->network.values, links);
	struct error failure;
	int result = 0, r = links_find_guest(site->nl, links, n, guest, err);

	if (r != 0)
		return r < 0 ? -1 : 0;
	note(undo(domain, site, &failure), &failure, &result, err);
	note(links_remove(site->nl, links, n, &failure), &failure, &result, err);
	note(clear(domain, site, &failure), &failure, &result, err);

	return result < 0 ? -1 : 1;
}

static int release_parent(const struct domain *domain, const struct site *site, struct error *err)
{
	struct domain parent;

	return domain_parent(domain, &parent) ? domain_release(&parent, site, domain->name, err)
					      : 0;
}

/*
 * What it was made of is what it says itself, whatever the network asks for now. A domain that has
 * to stay keeps its memory: the next pod finds it as it is, the next last one tries again. The
 * memory goes last, for it knows the parent.
 */
static int dissolve(const struct domain *domain, const struct site *site,
		    char guest[static LINKS_GUEST_SIZE], struct error *err)
{
	int r = domain_recall_as_is(domain, site, err);

	if (r < 0)
		return -1;
	r = r == 1 ? remove_links(domain, site, guest, err) : remove_marked(domain, site, err);
	if (r <= 0)
		return r;

	return release_parent(domain, site, err) < 0
		       ? -1
		       : store_remove_domain(site->store, domain->name, err);
}

int domain_is_held(const struct domain *domain, const struct site *site, struct error *err)
{
	return store_each_holder(site->store, domain->name, on_holder, NULL, err);
}

/* What stands on it had to stay when its own last holder left: by now the guest may have gone. */
static int dissolve_leg(const struct domain *domain, const struct site *site,
			char guest[static LINKS_GUEST_SIZE], struct error *err)
{
	struct domain leg;
	int r;

	if (!domain_leg(domain, &leg))
		return 0;
	r = store_has_domain(site->store, leg.name, err);
	if (r <= 0)
		return r;
	if (domain_lock(&leg, site, err) < 0)
		return -1;
	r = domain_is_held(&leg, site, err);
	if (r == 0)
		r = dissolve(&leg, site, guest, err);
	lock_release(&leg.lock);

	return r < 0 ? -1 : 0;
}

/* Under its lock. */
static int sweep(const struct domain *domain, const struct site *site, struct error *err)
{
	char guest[LINKS_GUEST_SIZE] = "";
	int r = domain_is_held(domain, site, err);

	if (r != 0)
		return r < 0 ? -1 : 0;

	r = dissolve_leg(domain, site, guest, err);
	if (r == 0 && !guest[0])
		r = dissolve(domain, site, guest, err);
	if (r == 0 && guest[0])
		error_warn("%s stays: %s", domain->title, guest);

	return r;
}

static int release_locked(const struct domain *domain, const struct site *site, const char *id,
			  struct error *err)
{
	return store_remove_holder(site->store, domain->name, id, err) < 0
		       ? -1
		       : sweep(domain, site, err);
}

int domain_sweep(struct domain *domain, const struct site *site, struct error *err)
{
	int r;

	if (domain_lock(domain, site, err) < 0)
		return -1;
	r = sweep(domain, site, err);
	lock_release(&domain->lock);

	return r;
}

int domain_release(struct domain *domain, const struct site *site, const char *id,
		   struct error *err)
{
	int r;

	/* In the order of locks a parent's is behind its child's: it is taken anew where needed. */
	lock_release(&domain->parent_lock);
	if (domain_lock(domain, site, err) < 0)
		return -1;
	r = release_locked(domain, site, id, err);
	lock_release(&domain->lock);

	return r;
}

int domain_release_child(struct domain *domain, const struct site *site, const char *child,
			 struct error *err)
{
	int r;

	if (domain_lock(domain, site, err) < 0)
		return -1;
	r = store_has_domain(site->store, child, err);
	r = r == 0 ? release_locked(domain, site, child, err) : r < 0 ? -1 : 0;
	lock_release(&domain->lock);

	return r;
}
