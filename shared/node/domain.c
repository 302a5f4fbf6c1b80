// SPDX-License-Identifier: Apache-2.0
#include "shared/node/domain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int lock(struct domain *domain, const struct site *site, struct error *err)
{
	if (domain->lock.fd >= 0)
		return 0;

	return store_lock(site->store, domain->name, DOMAIN_LOCK_MS, &domain->lock, err) < 0 ? -1
											     : 0;
}

/* The node's lock is what makes a choice among domains (a VLAN, a table) safe: choose, write. */
static int found(const struct domain *domain, const struct site *site, struct network *network,
		 struct error *err)
{
	auto_lock struct lock node_lock = LOCK_NONE;
	auto_json json_t *values = NULL;

	if (store_lock(site->store, "node", DOMAIN_LOCK_MS, &node_lock, err) < 0 ||
	    domain->kind->settle(site, network, err) < 0)
		return -1;

	values = fields_dump(network->table, domain->kind->flag, network->values, network->given);
	if (!values)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "remember %s", domain->title);

	return store_write_domain(site->store, domain->name, values, err);
}

int domain_recall(const struct domain *domain, const struct site *site, struct network *network,
		  struct error *err)
{
	auto_json json_t *values = NULL;
	struct fields_fixed fixed = { .what = domain->title, .flag = domain->kind->flag };
	bool asks = network->given != 0;
	int r = store_read_domain(site->store, domain->name, &values, err);

	fixed.values = values;
	if (r <= 0 ||
	    fields_inherit(network->table, &fixed, network->values, &network->given, err) == 0)
		return r;
	if (asks)
		return -1;
	/* Whoever asks for nothing cannot be in conflict with it: the file is damaged. */
	error_warn("domain %s: %s; it is ignored", domain->name, err->msg);

	return 0;
}

int domain_hold(struct domain *domain, const struct site *site, struct network *network,
		const char *id, json_t *holder, struct error *err)
{
	int r;

	if (lock(domain, site, err) < 0)
		return -1;
	r = domain_recall(domain, site, network, err);
	if (r == 0)
		r = found(domain, site, network, err);
	if (r < 0)
		return -1;

	return store_put_holder(site->store, domain->name, id, holder, err);
}

static int on_holder(const char *name, json_t *value, void *arg, struct error *err)
{
	(void)name;
	(void)value;
	(void)arg;
	(void)err;

	return 1;
}

/* Nothing is remembered: the marks in the kernel are all there is to go by. */
static int remove_marked(const struct domain *domain, const struct site *site,
			 const struct network *network, struct error *err)
{
	struct link links[LINKS_MAX];
	size_t n = domain->kind->links(site->node, network->values, links);

	return links_remove_marked(site->nl, links, n, err);
}

/* 1 when they are gone, 0 when a port of somebody else's needs them. */
static int remove_links(const struct domain *domain, const struct site *site,
			const struct network *network, struct error *err)
{
	struct link links[LINKS_MAX];
	size_t n = domain->kind->links(site->node, network->values, links);
	char guest[IFNAMSIZ];
	int r = links_find_guest(site->nl, links, n, guest, err);

	if (r < 0)
		return -1;
	if (r == 1) {
		error_warn("%s stays: %s is still a port of it", domain->title, guest);
		return 0;
	}
	if (domain->kind->undo && domain->kind->undo(site, network->values, err) < 0)
		return -1;

	return links_remove(site->nl, links, n, err) < 0 ? -1 : 1;
}

/*
 * What it was made of is what it says itself, whatever the network asks for now. A domain that has
 * to stay keeps its memory: the next pod finds it as it is, the next last one tries again.
 */
static int dissolve(const struct domain *domain, const struct site *site,
		    const struct network *network, struct error *err)
{
	struct network recalled = { network->table, network->values, 0 };
	int r = domain_recall(domain, site, &recalled, err);

	if (r < 0)
		return -1;
	r = r == 1 ? remove_links(domain, site, &recalled, err)
		   : remove_marked(domain, site, &recalled, err);

	return r <= 0 ? r : store_remove_domain(site->store, domain->name, err);
}

static int release_locked(const struct domain *domain, const struct site *site,
			  const struct network *network, const char *id, struct error *err)
{
	int r;

	if (store_remove_holder(site->store, domain->name, id, err) < 0)
		return -1;
	r = store_each_holder(site->store, domain->name, on_holder, NULL, err);
	if (r != 0)
		return r < 0 ? -1 : 0;

	return dissolve(domain, site, network, err);
}

int domain_release(struct domain *domain, const struct site *site, const struct network *network,
		   const char *id, struct error *err)
{
	int r;

	if (lock(domain, site, err) < 0)
		return -1;
	r = release_locked(domain, site, network, id, err);
	lock_release(&domain->lock);

	return r;
}
