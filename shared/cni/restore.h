// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * An attachment brought back after its links were lost, by what its record says: as DEL reverts the
 * steps of ADD, this repeats those of which something may be gone. One rule: what is there is never
 * taken away from a living pod, and the IPAM plugin is not asked: its addresses are in the record.
 */

#include "shared/cni/attachment.h"

/* A record's key: the pod's interface is being made anew. */
#define RECORD_REMADE "remade"

enum restored {
	RESTORE_KEPT, /* it was as it should be */
	RESTORE_DONE,
	RESTORE_LEFT, /* there is nothing to bring back: err says why */
};

/*
 * Restore the attachment of a record, under its lock, and announce its addresses. Its domains were
 * restored before. -1: what ADD or CHECK would say.
 */
int restore_recorded(const struct attachment_type *type, const struct request *caller,
		     json_t *record, enum restored *did, struct error *err);
