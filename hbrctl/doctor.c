// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "hbrctl/check.h"
#include "hbrctl/command.h"
#include "hbrctl/table.h"
#include "shared/base/cleanup.h"

static const struct check {
	const char *name;
	bool needs_hbr;
	check_fn *look;
} checks[] = {
	{ "node file", false, check_node_file },
	{ "kernel", false, check_kernel },
	{ "links", false, check_kinds },
	{ "state", false, check_state },
	{ "bridge netfilter", false, check_netfilter },
	{ "link managers", false, check_managers },
	{ "HBR netns", false, check_hbr },
	{ "trunk", true, check_trunk },
	{ "VTEP", true, check_vtep },
	{ "MTU", true, check_mtu },
	{ "IPv4 forwarding", true, check_forwarding },
	{ "IPv6 forwarding", true, check_forwarding6 },
	{ "rp_filter", true, check_rp_filter },
	{ "l3mdev", true, check_l3mdev },
	{ "FRR", true, check_frr },
};

static const char *const levels[] = {
	[CHECK_OK] = "ok",
	[CHECK_WARNING] = "warning",
	[CHECK_ERROR] = "error",
};

void check_say(struct check_result *result, enum check_level level, const char *fmt, ...)
{
	va_list args;

	result->level = level;
	va_start(args, fmt);
	vsnprintf(result->text, sizeof(result->text), fmt, args);
	va_end(args);
}

static void print(const char *name, const struct check_result *result, bool is_colored)
{
	const char *level = levels[result->level];

	printf("%s%-8s%s %-17s %s\n", is_colored ? table_color(level) : "", level,
	       is_colored ? TABLE_PLAIN : "", name, result->text);
}

/* The worst of all; each goes to the list, or is printed when there is none. */
static enum check_level check_all(const struct scene *scene, json_t *list, bool is_colored)
{
	enum check_level worst = CHECK_OK;

	for (size_t i = 0; i < COUNT(checks); i++) {
		struct check_result result = { 0 };

		if (checks[i].needs_hbr && !scene_has_hbr(scene))
			continue;
		checks[i].look(scene, &result);
		if (result.level > worst)
			worst = result.level;
		if (!list)
			print(checks[i].name, &result, is_colored);
		(void)json_array_append_new(
			list, json_pack("{s:s, s:s, s:s}", "check", checks[i].name, "result",
					levels[result.level], "text", result.text));
	}

	return worst;
}

/* The node file is looked at by being read: with one that is wrong nothing else can be told. */
int doctor_run(const struct options *options, struct error *err)
{
	auto_scene struct scene scene = { .nobody = ATTACHMENT_NONE };
	auto_json json_t *list = options->given & OPTION_JSON ? json_array() : NULL;
	enum check_level worst;

	if (scene_open(&scene, err) < 0)
		return -1;
	worst = check_all(&scene, list, options->is_colored);
	if (list && command_print_json(list, err) < 0)
		return -1;

	return worst == CHECK_ERROR ? COMMAND_FOUND : COMMAND_FINE;
}
