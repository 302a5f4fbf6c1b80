// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Domains: what pods share on this node. The first holder makes a domain, the last one's release
 * removes it. Its domain.json decides: what the first holder fixed is taken over by those who do
 * not say, and refused to those who say otherwise. A holder is put before the links are touched and
 * taken off before they are removed, both under the domain's lock.
 */

#include <stdbool.h>

#include "shared/node/domain_kind.h"

#define DOMAIN_LOCK_MS 20000 /* how long to wait for a lock */

/*
 * Become a holder: lock the domain (it stays locked), settle what is open in the network's values,
 * put the holder; then the same for its parent, which the domain itself holds. -1: ERROR_CONFLICT
 * with both values, ERROR_TRY_AGAIN, ERROR_STATE.
 */
int domain_hold(struct domain *domain, const struct site *site, const char *id, json_t *holder,
		struct error *err);

/*
 * Make its links so, its parent's first; they are appended to the *n there are. *changed is set
 * when something was sent.
 */
int domain_converge(const struct domain *domain, const struct site *site, struct link *links,
		    size_t *n, bool *changed, struct error *err);

/* For its kind: what was made is there for others to notice. Not under a lock. */
void domain_publish(const struct domain *domain, const struct site *site);

/*
 * Make one that is remembered so again, with its parent and its leg, for those who hold it;
 * *changed is set when anything was. Locks and unlocks. 1 it is so; 0 nothing can be read of it.
 * -1: what domain_converge() says; ERROR_TRY_AGAIN.
 */
int domain_restore(struct domain *domain, const struct site *site, bool *changed,
		   struct error *err);

/* Does anybody hold it? 1, 0. */
int domain_is_held(const struct domain *domain, const struct site *site, struct error *err);

/* What an ADD would find or fix, without doing it: settles what is open in the network's values and
 * its parent's. 1 the domain is there, 0 it would be made. -1: what domain_hold() would say. */
int domain_foresee(const struct domain *domain, const struct site *site, struct error *err);

/* The same links, as they should be; how many. */
size_t domain_list_links(const struct domain *domain, const struct node *node, struct link *links);

/* Take what the domain has fixed into the network's values, and its parent's. 0: there is no such
 * domain, or no such parent. */
int domain_recall(const struct domain *domain, const struct site *site, struct error *err);

/* The same, whatever the network asks for: what is remembered is what counts. No parent's. */
int domain_recall_as_is(const struct domain *domain, const struct site *site, struct error *err);

/*
 * Stop being a holder; remove the domain when that was the last one, and let its parent go. Locks
 * unless it is locked, and unlocks. A domain that a link of somebody else's needs is left as it
 * is.
 */
int domain_release(struct domain *domain, const struct site *site, const char *id,
		   struct error *err);

/* Remove it if nobody holds it: what a call that was killed has left, or what had to stay for a
 * guest that has gone by now. Whatever is needed stays. */
int domain_sweep(struct domain *domain, const struct site *site, struct error *err);

/* Release what a domain that is gone held. It may have come back meanwhile: then nothing. */
int domain_release_child(struct domain *domain, const struct site *site, const char *child,
			 struct error *err);

/* Lock it unless it is locked; -1: ERROR_TRY_AGAIN. Unlock it, and its parent. */
int domain_lock(struct domain *domain, const struct site *site, struct error *err);
void domain_unlock(struct domain *domain);

/* Its parent, as far as the values tell; its leg, which need not be there. */
bool domain_parent(const struct domain *domain, struct domain *parent);
bool domain_leg(const struct domain *domain, struct domain *leg);
