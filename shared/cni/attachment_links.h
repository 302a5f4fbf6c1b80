// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What an attachment is made of: from keys to domains, their links and its port. The same for ADD,
 * which makes them, for CHECK, which compares, and for those who only look.
 */

#include "shared/cni/attachment.h"

/* Read the keys of the network, and what follows from them. */
int attachment_read_values(struct attachment *attachment, struct error *err);

/* The alias of its port, in which its name stands in full. */
void attachment_alias(const struct attachment *attachment, char alias[static LINK_ALIAS_SIZE]);

/* Is there nothing of it on the node (a macvlan), so that it can be found in the pod only? */
bool attachment_is_in_pod(const struct attachment *attachment);

/* The links of all its domains (whose values are known), and its port as the last one; or the port
 * alone, behind the links of the domains. */
void attachment_list_links(struct attachment *attachment);
void attachment_list_port(struct attachment *attachment);

/*
 * On the node it is as ADD left it: its domains are known, their links and its port are as they
 * should be. Lists the links; their indexes are known then. -1, ERROR_CHECK, for the first
 * difference.
 */
int attachment_verify(struct attachment *attachment, struct error *err);
