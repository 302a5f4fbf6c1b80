// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * An attachment as it is against what ADD gave it, by its record alone: CHECK has the runtime's
 * word besides, those who look from outside have not.
 */

#include "shared/cni/attachment.h"

/* What ADD gave it, without what plugins before it in the chain had: the result as its record has
 * it, a new object; and as the steps want it. -1: ERROR_CHECK, the ADD did not end; ERROR_STATE. */
int attachment_copy_result(const struct attachment *attachment, json_t **result, struct error *err);
int attachment_recall_addressing(struct attachment *attachment, struct error *err);

/* Links, port, and what its type has beside them; of the pod's end only a port that is in the pod.
 * -1, ERROR_CHECK, for the first difference. */
int attachment_compare(struct attachment *attachment, struct error *err);
