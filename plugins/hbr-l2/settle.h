// SPDX-License-Identifier: Apache-2.0
#pragma once

/* What the first pod of an L2 domain fixes and no key says: VTEP, MTU, VLAN. Asks the kernel. */

#include "plugins/hbr-l2/fields.h"
#include "shared/node/domain.h"

int l2_settle_domain(const struct site *site, struct network *network, struct error *err);
int l2_settle_trunk(const struct site *site, struct network *network, struct error *err);
