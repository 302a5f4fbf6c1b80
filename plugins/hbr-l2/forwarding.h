// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Where a pod is, told to the bridge before it says a word: static forwarding entries of its MAC,
 * and, where the domain has gateways, permanent neighbours of its addresses. EVPN announces both as
 * long as they are there, however silent the pod.
 */

#include "shared/cni/attachment.h"

step_fn forwarding_pin, forwarding_unpin;

/* ERROR_CHECK for the first entry, neighbour or gateway that is missing. */
int forwarding_verify(struct attachment *attachment, struct error *err);
