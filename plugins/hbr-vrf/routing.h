// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What makes a port a routed one: on the node's end an address to go by, no packets with somebody
 * else's source, and a route to each address of the pod in the VRF's table. All of it goes with the
 * port.
 */

#include "shared/cni/attachment.h"

step_fn routing_ask_ipam; /* as attach_ask_ipam(), and the addresses become a host's */
step_fn routing_connect, routing_reconnect; /* the node's end; what is lost of it */

/* ERROR_CHECK for the first address or route that is missing. */
int routing_verify(struct attachment *attachment, struct error *err);
