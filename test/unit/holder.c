// SPDX-License-Identifier: Apache-2.0
#include "shared/node/holder.h"

#include "shared/kernel/link.h"
#include "test/unit/unit.h"

/* 1 dead, 0 alive or unknown; there is no port anywhere. */
static int is_dead(const char *netns)
{
	struct netlink nl[PLACES] = { 0 };
	const struct site site = { .nl = nl };
	auto_json json_t *holder = netns ? json_pack("{s:s}", "netns", netns) : NULL;
	struct error err;

	return holder_is_dead(&site, holder, &err);
}

int main(void)
{
	char dir[PATH_MAX], path[PATH_MAX + 8];

	unit_dir(dir);
	snprintf(path, sizeof(path), "%s/gone", dir);
	check(is_dead(path) == 1);
	snprintf(path, sizeof(path), "%s/no/dir", dir);
	check(is_dead(path) == 0);
	check(is_dead(dir) == 0);
	check(is_dead("gone") == 0); /* from here */
	check(is_dead("") == 0);
	check(is_dead(NULL) == 0); /* the file is damaged */

	return 0;
}
