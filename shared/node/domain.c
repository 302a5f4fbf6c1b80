// SPDX-License-Identifier: Apache-2.0
#include "shared/node/domain.h"

#include <errno.h>

int domain_lock(struct domain *domain, const struct site *site, struct error *err)
{
	if (domain->lock.fd >= 0)
		return 0;

	return store_lock(site->store, domain->name, DOMAIN_LOCK_MS, &domain->lock, err) < 0 ? -1
											     : 0;
}

void domain_unlock(struct domain *domain)
{
	lock_release(&domain->parent_lock);
	lock_release(&domain->lock);
}

bool domain_parent(const struct domain *domain, struct domain *parent)
{
	return domain->kind->parent && domain->kind->parent(domain->network.values, parent);
}

bool domain_leg(const struct domain *domain, struct domain *leg)
{
	if (domain->kind->leg)
		domain->kind->leg(&domain->network, leg);

	return domain->kind->leg != NULL;
}

int domain_remember(const struct domain *domain, const struct site *site, struct error *err)
{
	const struct network *network = &domain->network;
	auto_json json_t *values =
		fields_dump(network->table, domain->kind->flag, network->values, *network->given);

	if (!values)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "remember %s", domain->title);

	return store_write_domain(site->store, domain->name, values, err);
}

/* The node's lock is what makes a choice among domains (a VLAN, a table) safe: choose, write. */
static int found(const struct domain *domain, const struct site *site, struct error *err)
{
	auto_lock struct lock node_lock = LOCK_NONE;
	struct network network = domain->network;

	if (store_lock(site->store, "node", DOMAIN_LOCK_MS, &node_lock, err) < 0 ||
	    domain->kind->settle(site, &network, err) < 0)
		return -1;

	return domain_remember(domain, site, err);
}

static int recall(const struct domain *domain, const struct site *site, struct error *err)
{
	const struct network *network = &domain->network;
	auto_json json_t *values = NULL;
	struct fields_fixed fixed = { .what = domain->title, .flag = domain->kind->flag };
	bool asks = *network->given != 0;
	int r = store_read_domain(site->store, domain->name, &values, err);

	fixed.values = values;
	if (r <= 0)
		return r;
	if (!fields_tell(network->table, &fixed)) {
		error_warn("domain %s: its file tells nothing of it and is ignored", domain->name);
		return 0;
	}
	if (fields_inherit(network->table, &fixed, network->values, network->given, err) == 0)
		return r;
	if (asks)
		return -1;
	/* Whoever asks for nothing cannot be in conflict with it: the file is damaged. */
	error_warn("domain %s: %s; it is ignored", domain->name, err->msg);

	return 0;
}

int domain_recall(const struct domain *domain, const struct site *site, struct error *err)
{
	struct domain parent;
	int r = recall(domain, site, err);

	return r == 1 && domain_parent(domain, &parent) ? domain_recall(&parent, site, err) : r;
}

int domain_recall_as_is(const struct domain *domain, const struct site *site, struct error *err)
{
	struct domain asking = *domain;
	uint64_t none = 0;

	asking.network.given = &none;

	return recall(&asking, site, err);
}

int domain_foresee(const struct domain *domain, const struct site *site, struct error *err)
{
	struct network network = domain->network;
	struct domain parent;
	int r = recall(domain, site, err);

	if (r < 0 || (r == 0 && domain->kind->settle(site, &network, err) < 0))
		return -1;

	return domain_parent(domain, &parent) && domain_foresee(&parent, site, err) < 0 ? -1 : r;
}

/* What holds it already and has not changed is not written again: whoever is killed on the way
 * would leave half a file that nobody's DEL is about. */
static int put_holder(const struct domain *domain, const struct site *site, const char *id,
		      json_t *holder, struct error *err)
{
	auto_json json_t *there = NULL;
	int r = store_read_holder(site->store, domain->name, id, &there, err);

	if (r < 0)
		return -1;

	return r == 1 && json_equal(there, holder)
		       ? 0
		       : store_put_holder(site->store, domain->name, id, holder, err);
}

static int hold_parent(struct domain *domain, const struct site *site, struct error *err)
{
	auto_json json_t *holder = NULL;
	struct domain parent;
	int r;

	if (!domain_parent(domain, &parent))
		return 0;
	holder = json_pack("{s:s}", "domain", domain->name);
	if (!holder)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "hold %s", parent.title);
	r = domain_hold(&parent, site, domain->name, holder, err);
	domain->parent_lock = parent.lock;

	return r;
}

int domain_hold(struct domain *domain, const struct site *site, const char *id, json_t *holder,
		struct error *err)
{
	struct error ignored;
	int r;

	if (domain_lock(domain, site, err) < 0)
		return -1;
	r = recall(domain, site, err);
	if (r == 0) {
		r = found(domain, site, err);
		/* What has the names that it would have had is somebody else's. */
		domain->is_missed = r < 0;
		if (r < 0)
			(void)store_remove_domain(site->store, domain->name, &ignored);
	}
	if (r < 0 || put_holder(domain, site, id, holder, err) < 0)
		return -1;

	return hold_parent(domain, site, err);
}

/* 1: finish has to be done again, and the links are ready for it. */
static int lower_when_lost(const struct domain *domain, const struct site *site, struct link *links,
			   size_t n, struct error *err)
{
	int r = domain->kind->has_lost ? domain->kind->has_lost(site, domain->network.values, err)
				       : 0;

	return r == 1 && links_lower(site->nl, links, n, err) < 0 ? -1 : r;
}

int domain_converge(const struct domain *domain, const struct site *site, struct link *links,
		    size_t *n, bool *changed, struct error *err)
{
	const struct domain_kind *kind = domain->kind;
	void *values = domain->network.values;
	bool ours_changed = false;
	struct domain parent;
	size_t first;

	if (domain_parent(domain, &parent) &&
	    domain_converge(&parent, site, links, n, changed, err) < 0)
		return -1;
	first = *n;
	*n += kind->links(site->node, values, &links[first]);

	if (links_converge(site->nl, links, first, *n, &ours_changed, err) < 0)
		return -1;
	if (!ours_changed) {
		int lost = lower_when_lost(domain, site, &links[first], *n - first, err);

		if (lost <= 0)
			return lost;
	}
	*changed = true;
	if (kind->finish && kind->finish(site, values, err) < 0)
		return -1;

	return links_raise(site->nl, &links[first], *n - first, err);
}

size_t domain_list_links(const struct domain *domain, const struct node *node, struct link *links)
{
	struct domain parent;
	size_t n = 0;

	if (domain_parent(domain, &parent))
		n = domain_list_links(&parent, node, links);

	return n + domain->kind->links(node, domain->network.values, &links[n]);
}
