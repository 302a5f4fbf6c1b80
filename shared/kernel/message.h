// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A link written down for the kernel: the attributes of a message that makes it, or of one that
 * changes it. A change carries what differs and nothing else: an event for no reason makes routing
 * daemons drop what they learned, and the kernel refuses some attributes even with an equal value.
 */

#include <stdbool.h>

#include "shared/kernel/kinds.h"
#include "shared/kernel/link.h"

/* Negative when the message is full. lower, master: indexes, 0 for none. */
int message_put_new(struct nl_msg *msg, const struct link *link, int lower, int master);
int message_put_change(struct nl_msg *msg, const struct link *link, const struct link *differs);

/* Is there anything to change? */
bool message_is_needed(const struct link *link, const struct link *differs);

/* Does the message carry this attribute? differs is NULL for one that makes the link. */
bool message_has(const struct attr *attr, const struct link *link, const struct link *differs);
