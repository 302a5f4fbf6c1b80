// SPDX-License-Identifier: Apache-2.0
#pragma once

/* What STATUS looks at, one by one, for those who want to know all of it. Nothing is changed. -1:
 * ERROR_NOT_AVAILABLE. */

#include "shared/base/error.h"
#include "shared/kernel/netlink.h"

/* The trunk's end in that namespace is there and up. */
int status_check_trunk(struct netlink *nl, const char *name, struct error *err);

/* The nearest directory that is there takes the state. */
int status_check_state_dir(const char *path, struct error *err);
