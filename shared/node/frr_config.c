// SPDX-License-Identifier: Apache-2.0
#include "shared/node/frr_config.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"

#define LINE_SIZE   256 /* of what is looked at; none of ours is longer */
#define IMPORTS_MAX 64

static bool next_line(const char **at, char line[static LINE_SIZE])
{
	size_t len = strcspn(*at, "\r\n");

	if (**at == '\0')
		return false;
	snprintf(line, LINE_SIZE, "%.*s", len < LINE_SIZE ? (int)len : LINE_SIZE - 1, *at);
	*at += len;
	*at += strspn(*at, "\r\n");

	return true;
}

/* The VRF of a line that begins a BGP instance, "" for the default one; with its AS. */
static bool is_instance(const char *line, char as[static 32], char vrf[static FRR_NAME_SIZE])
{
	char word[16] = "", name[FRR_NAME_SIZE] = "";
	int n = sscanf(line, "router bgp %31s %15s %63s", as, word, name);

	/* "as-notation" may stand behind the AS, a view is something else. */
	if (n < 1 || strcmp(word, "view") == 0)
		return false;
	snprintf(vrf, FRR_NAME_SIZE, "%s", strcmp(word, "vrf") == 0 ? name : "");

	return true;
}

static bool has_words(const char *line, const char *words)
{
	return strcmp(line + strspn(line, " "), words) == 0;
}

static bool imports(const char *line, const char *vrf)
{
	char name[FRR_NAME_SIZE];

	return sscanf(line, " import vrf %63s", name) == 1 && strcmp(name, vrf) == 0;
}

/* The BGP instance of a VRF; imports that the VRF except has do not count. */
static void find_instance(const char *running, const char *vrf, const char *except,
			  struct frr_instance *found)
{
	char line[LINE_SIZE], as[32], current[FRR_NAME_SIZE] = "";

	*found = (struct frr_instance){ .is_bare = true };
	while (next_line(&running, line)) {
		if (line[0] != ' ') {
			if (!is_instance(line, as, current))
				current[0] = '\0';
			else if (strcmp(current, vrf) == 0)
				snprintf(found->as, sizeof(found->as), "%s", as);
		} else if (strcmp(current, vrf) == 0) {
			found->is_bare &= has_words(line, "!");
		} else if (strcmp(current, except) != 0) {
			found->is_imported |= imports(line, vrf);
		}
	}
}

static void read_top(const char *line, const char *vrf, struct frr_config *config)
{
	static const char *const lists[] = { "ip", "ipv6" };
	char name[FRR_NAME_SIZE], ours[FRR_NAME_SIZE];

	frr_name(vrf, ours);
	if (sscanf(line, "route-map %63s", name) == 1)
		config->has_route_map |= strcmp(name, ours) == 0;
	for (size_t i = 0; i < COUNT(lists); i++) {
		char family[8], text[LINE_SIZE];

		if (sscanf(line, "%7s prefix-list %63s %255s", family, name, text) == 3 &&
		    strcmp(family, lists[i]) == 0)
			config->has_list[i] |= strcmp(name, ours) == 0;
	}
}

enum block { OTHER, DEFAULT_INSTANCE, OUR_VRF };

static enum block block_of(const char *line, const char *vrf, struct frr_config *config)
{
	char as[32], name[FRR_NAME_SIZE];

	if (is_instance(line, as, name) && name[0] == '\0') {
		snprintf(config->as, sizeof(config->as), "%s", as);
		return DEFAULT_INSTANCE;
	}

	return sscanf(line, "vrf %63s", name) == 1 && strcmp(name, vrf) == 0 ? OUR_VRF : OTHER;
}

void frr_config_read(const char *running, const char *vrf, struct frr_config *config)
{
	enum block block = OTHER;
	char line[LINE_SIZE];

	*config = (struct frr_config){ 0 };
	find_instance(running, vrf, vrf, &config->instance);
	while (next_line(&running, line)) {
		if (line[0] != ' ') {
			read_top(line, vrf, config);
			block = block_of(line, vrf, config);
		} else if (block == DEFAULT_INSTANCE) {
			config->has_evpn |= has_words(line, "advertise-all-vni");
		} else if (block == OUR_VRF) {
			sscanf(line, " vni %15s", config->vni);
		}
	}
}

bool frr_config_is_ours(const struct frr_config *config)
{
	return config->has_route_map || config->has_list[0] || config->has_list[1];
}

bool frr_config_has_instance(const struct frr_config *config)
{
	return config->instance.as[0] && !config->instance.is_bare;
}

/* An instance that only our "import vrf" has made: nobody else would remove it. */
static void withdraw_import(FILE *out, const char *running, const char *vrf, const char *name)
{
	struct frr_instance instance;

	find_instance(running, name, vrf, &instance);
	if (instance.as[0] && instance.is_bare && !instance.is_imported)
		fprintf(out, "no router bgp %s vrf %s\n", instance.as, name);
}

static void withdraw_imports(FILE *out, const char *running, const char *vrf)
{
	char line[LINE_SIZE], as[32], current[FRR_NAME_SIZE] = "";
	char done[IMPORTS_MAX][FRR_NAME_SIZE];
	const char *at = running;
	size_t n = 0, i;

	while (next_line(&at, line)) {
		if (line[0] != ' ' && !is_instance(line, as, current))
			current[0] = '\0';
		if (strcmp(current, vrf) != 0 || n == IMPORTS_MAX ||
		    sscanf(line, " import vrf %63s", done[n]) != 1)
			continue;
		for (i = 0; strcmp(done[i], done[n]) != 0; i++)
			; /* both address families have it */
		if (i == n)
			withdraw_import(out, running, vrf, done[n++]);
	}
}

/* What was written, NULL when that is nothing. */
static char *finish(FILE *out, char **text)
{
	if (fclose(out) != 0 || !**text) {
		free(*text);
		return NULL;
	}

	return *text;
}

char *frr_config_withdraw(const char *running, const char *vrf, const struct frr_config *config)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	/* While it has its VNI, FRR does not let the instance go. */
	if (config->vni[0])
		fprintf(out, "vrf %s\n no vni %s\nexit-vrf\n", vrf, config->vni);
	if (config->instance.as[0]) {
		fprintf(out, "no router bgp %s vrf %s\n", config->instance.as, vrf);
		withdraw_imports(out, running, vrf);
	}

	return finish(out, &text);
}

char *frr_config_forget(const char *vrf, const struct frr_config *config)
{
	char *text, name[FRR_NAME_SIZE];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	frr_name(vrf, name);
	/* FRR keeps one that it was told of when its link was there, and does not show that. */
	fprintf(out, "no vrf %s\n", vrf);
	/* These last: they say that the rest is ours. */
	if (config->has_route_map)
		fprintf(out, "no route-map %s\n", name);
	for (int i = 0; i < 2; i++) {
		if (config->has_list[i])
			fprintf(out, "no %s prefix-list %s\n", i == 0 ? "ip" : "ipv6", name);
	}

	return finish(out, &text);
}
