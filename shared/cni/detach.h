// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The way out: steps reverted, from the record where there is one, from the marks in the kernel
 * where there is none.
 */

#include "shared/cni/attachment.h"

/* Revert an attachment that is open and locked. The record is found here, whatever HBR netns it was
 * made for. -1 with the first failure; everything else has been done all the same. */
int detach(struct attachment *attachment, struct error *err);

/*
 * A record of another of our plugins: the network's "type" was changed since ADD. That one is run,
 * from CNI_PATH, with ADD's configuration: 1. Its lock must not be held. 0: it is our own, or there
 * is no such plugin, which is a warning.
 */
int detach_by_owner(const struct attachment *attachment, struct error *err);

/*
 * The same as detach() for the attachment of a record, which is somebody else's: its lock is only
 * tried. "caller" is the request of this call, for what a record has not (CNI_PATH). 0 also when it
 * is busy.
 */
int detach_recorded(const struct attachment_type *type, const struct request *caller,
		    json_t *record, struct error *err);

/*
 * Remove holders of the attachment's domains that are provably dead: their IP leases come back, and
 * domains that they alone kept go. Ends after a few when one of them lives. Failures are warnings.
 */
void detach_dead(struct attachment *attachment);
