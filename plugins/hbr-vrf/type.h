// SPDX-License-Identifier: Apache-2.0
#pragma once

/* hbr-vrf: a pod on a routed port of an on-demand VRF. The steps of an attachment; nothing else. */

#include "shared/cni/attachment_type.h"

extern const struct attachment_type l3_type;
