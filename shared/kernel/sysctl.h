// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One value under /proc/sys/net of the namespace that the process is in (call it through
 * netns_call() for another one). Paths are given with slashes ("ipv6/conf/tr.100/accept_ra"),
 * since names of links contain dots. What has the value already is not written.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/error.h"

/*
 * 0 set, or was so. When "needed" is false a value that is not there or cannot be written is
 * fine too (a kernel without IPv6, a read-only /proc/sys).
 */
int sysctl_set(const char *path, const char *value, bool needed, struct error *err);

/* What one link is to have under <family>/conf/<link>/. */
struct sysctl_of_link {
	const char *family, *key, *value;
	bool needed;
};

/* Set all of them, in this order. */
int sysctl_set_link(const char *ifname, const struct sysctl_of_link *settings, size_t n,
		    struct error *err);

/* The same as an argument of netns_call(), for another namespace. */
struct sysctl_link {
	const char *ifname;
	const struct sysctl_of_link *settings;
	size_t n;
};
int sysctl_apply(void *link, struct error *err);

/* 1 and the value as a number, 0 when there is no such value. */
int sysctl_get(const char *path, long *value, struct error *err);
