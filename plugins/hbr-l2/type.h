// SPDX-License-Identifier: Apache-2.0
#pragma once

/* hbr-l2: a pod on an on-demand L2 domain. The steps of an attachment; nothing else. */

#include "shared/cni/attachment_type.h"

extern const struct attachment_type l2_type;
