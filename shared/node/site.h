// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Where all this happens: the node as it is configured, what is remembered, whom to talk to. */

#include <stdbool.h>

#include "shared/kernel/netlink.h"
#include "shared/kernel/netns.h"
#include "shared/node/node.h"
#include "shared/node/store.h"

struct site {
	const struct node *node;
	const struct store *store;
	struct netlink *nl;      /* by place */
	const struct netns *hbr; /* the HBR netns itself, for what is no netlink's to do */
	bool is_certain; /* an operator's word: no pod has an unseen link (a macvlan) on what is
			    left */
	bool doubts_frr; /* FRR may have lost what it was told without a new start */
};
