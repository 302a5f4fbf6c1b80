// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A network as its plugin would get it for a pod that is not there: read, checked and settled as
 * ADD does before it looks at the node. One rule: the words are ADD's own.
 */

#include <jansson.h>

#include "shared/cni/attachment.h"

#define CALL_CONTAINER "none"
#define CALL_IFNAME    "net1"

struct call {
	struct request request;
	struct attachment attachment;
};

#define CALL_NONE ((struct call){ .attachment = ATTACHMENT_NONE })

/* network: of networks_read(). -1: what ADD would say. */
int call_make(struct call *call, json_t *network, struct error *err);
void call_end(struct call *call);

#define auto_call CLEANUP(call_end)
