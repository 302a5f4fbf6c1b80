// SPDX-License-Identifier: Apache-2.0
#pragma once

/* What doctor looks at. A check finds one thing: how it is, and what to do when that is not good.
 */

#include "hbrctl/scene.h"

enum check_level { CHECK_OK, CHECK_WARNING, CHECK_ERROR };

struct check_result {
	enum check_level level;
	char text[ERROR_MSG_SIZE];
};

/* How it is, and with a level above CHECK_OK what is wanted. */
void check_say(struct check_result *result, enum check_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

typedef void check_fn(const struct scene *scene, struct check_result *result);

/* Of the node; those of the HBR netns are asked only when it is there. */
check_fn check_node_file, check_kernel, check_kinds, check_state, check_hbr, check_netfilter,
	check_managers;
check_fn check_trunk, check_vtep, check_mtu, check_forwarding, check_forwarding6, check_rp_filter;
check_fn check_l3mdev, check_frr;
