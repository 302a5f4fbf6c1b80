// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * From keys to links: what an L2 domain, its leg on the trunk, and a port are made of. Pure
 * functions: the same keys give the same links, on ADD, CHECK, DEL, and when somebody only wants to
 * see.
 */

#include "plugins/hbr-l2/fields.h"
#include "shared/node/domain_kind.h"

/* The domains that a network's pods hold. */
size_t l2_domains(void *values, uint64_t *given, struct domain *domains);

/* The L2 domain that a name in the store ("l2-10100", "trunk-10100") is of, if it is of one. */
bool l2_find_domain(const char *name, void *values, uint64_t *given, struct domain *domain);

/* br.<vni> and vx.<vni> in the HBR netns. */
size_t l2_links(const struct node *node, const void *values, struct link *links);

/* tr.<vlan> in the host and in the HBR netns; in the host in br.<vni>, if pods are attached there.
 */
size_t l2_trunk_links(const struct node *node, const void *values, struct link *links);

/* The node's end of a pod's interface, or a macvlan, which has none. */
void l2_port(const struct node *node, const void *values, struct link *port);
