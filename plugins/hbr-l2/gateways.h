// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The gateways of a domain that was just made, told to FRR: zebra may miss the addresses of a link
 * that it has not seen yet, and then their network is not announced.
 */

#include "shared/node/site.h"

/* Waits for zebra, at most 3 s. What does not work out is warned of: it mends itself when FRR
 * starts anew. */
void gateways_publish(const struct site *site, const void *values);
