// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What is remembered of an attachment, and what it is by that memory. The record is the only place
 * where ADD's words stand: all later calls go by it, whatever they are handed.
 */

#include "shared/cni/attachment.h"

/* Take over a record: from here on the attachment is what ADD was asked for. */
int attachment_take_record(struct attachment *attachment, json_t *record, struct error *err);

/* The request that reverts or looks at the attachment of a record; "caller" has what a record has
 * not (CNI_PATH). Its strings are the record's. */
struct request attachment_request(json_t *record, const struct request *caller);

/* What holds a domain, and, with more in it, the record of the attachment (result: NULL while it is
 * on its way). New objects, NULL without memory. */
json_t *attachment_describe_holder(const struct attachment *attachment);
json_t *attachment_describe(const struct attachment *attachment, json_t *result);
