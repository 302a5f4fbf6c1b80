// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One MAC, one pod: two pods with the same one in a domain take each other's frames, and the first
 * to leave takes what both need. The claim is a file under the MAC's name in the first domain of an
 * attachment: nobody else's has to be read. It counts as long as its owner's record says the same.
 */

#include "shared/cni/attachment.h"

/* Claim the pod's MAC, under the domain's lock, where its type has that rule. -1: ERROR_CONFLICT
 * with who has it. */
int claim_take(struct attachment *attachment, struct error *err);

/* Give it up, if it is the attachment's. */
int claim_drop(struct attachment *attachment, struct error *err);

/* 1 and the <id> of another attachment that has the pod's MAC, else 0. */
int claim_find_rival(const struct attachment *attachment, char id[static STORE_NAME_SIZE],
		     struct error *err);
