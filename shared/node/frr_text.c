// SPDX-License-Identifier: Apache-2.0
#include "shared/node/frr_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/base/cleanup.h"

/* The second entry of the route-map is for IPv6 alone: the first takes no such route. */
const char frr_filter[] = "ip prefix-list {route_map} seq 5 deny 169.254.0.0/16 le 32\n"
			  "ip prefix-list {route_map} seq 10 deny 0.0.0.0/0\n"
			  "ip prefix-list {route_map} seq 15 permit 0.0.0.0/0 le 32\n"
			  "ipv6 prefix-list {route_map} seq 5 deny fe80::/10 le 128\n"
			  "ipv6 prefix-list {route_map} seq 10 deny ::/0\n"
			  "ipv6 prefix-list {route_map} seq 15 permit ::/0 le 128\n"
			  "route-map {route_map} permit 10\n"
			  " match ip address prefix-list {route_map}\n"
			  "exit\n"
			  "route-map {route_map} permit 20\n"
			  " match ipv6 address prefix-list {route_map}\n"
			  "exit\n";

/* A block without its exit would take in what comes next. Never "route-target both": FRR shows it
 * as two lines. */
const char frr_template[] = "{if_vni}vrf {vrf}\n"
			    " vni {vni}\n"
			    "{if_vni}exit-vrf\n"
			    "router bgp {as} vrf {vrf}\n"
			    " bgp router-id {router_id}\n"
			    " no bgp ebgp-requires-policy\n"
			    " address-family ipv4 unicast\n"
			    "  redistribute connected route-map {route_map}\n"
			    "  redistribute kernel route-map {route_map}\n"
			    "  import vrf {import_vrf}\n"
			    " exit-address-family\n"
			    " address-family ipv6 unicast\n"
			    "  redistribute connected route-map {route_map}\n"
			    "  redistribute kernel route-map {route_map}\n"
			    "  import vrf {import_vrf}\n"
			    " exit-address-family\n"
			    "{if_vni} address-family l2vpn evpn\n"
			    "{if_vni}  advertise ipv4 unicast\n"
			    "{if_vni}  advertise ipv6 unicast\n"
			    "{if_vni}  route-target import {import_target}\n"
			    "{if_vni}  route-target export {export_target}\n"
			    "{if_vni} exit-address-family\n"
			    "exit\n";

enum placeholder {
	VRF,
	VNI,
	IF_VNI,
	AS,
	ROUTER_ID,
	ROUTE_MAP,
	IMPORT_TARGET,
	EXPORT_TARGET,
	IMPORT_VRF,
	PLACEHOLDERS
};

static const char *const words[] = {
	[VRF] = "vrf",
	[VNI] = "vni",
	[IF_VNI] = "if_vni",
	[AS] = "as",
	[ROUTER_ID] = "router_id",
	[ROUTE_MAP] = "route_map",
	[IMPORT_TARGET] = "import_target",
	[EXPORT_TARGET] = "export_target",
	[IMPORT_VRF] = "import_vrf",
};

/* The values of each placeholder, borrowed. One without any leaves its line out. */
struct expansion {
	const char *texts[PLACEHOLDERS]; /* NULL: none, or a list */
	const json_t *lists[PLACEHOLDERS];
	char name[FRR_NAME_SIZE];
	char vni[16];
};

struct line {
	size_t number; /* from 1 */
	const char *text;
	size_t len;
};

void frr_name(const char *vrf, char name[static FRR_NAME_SIZE])
{
	snprintf(name, FRR_NAME_SIZE, "hbr-cni-%.31s", vrf);
}

static void collect(const struct frr_values *values, struct expansion *all)
{
	const struct frr_vrf *vrf = values->vrf;

	*all = (struct expansion){ .texts = { [VRF] = vrf->name, [AS] = values->as } };
	frr_name(vrf->name, all->name);
	all->texts[ROUTE_MAP] = all->name;
	if (values->router_id[0])
		all->texts[ROUTER_ID] = values->router_id;
	if (vrf->vni) {
		snprintf(all->vni, sizeof(all->vni), "%" PRIu32, vrf->vni);
		all->texts[VNI] = all->vni;
		all->texts[IF_VNI] = "";
	}
	all->lists[IMPORT_TARGET] = json_object_get(vrf->route_targets, "import");
	all->lists[EXPORT_TARGET] = json_object_get(vrf->route_targets, "export");
	all->lists[IMPORT_VRF] = vrf->import_vrfs;
}

static bool is_list(size_t which)
{
	return which == IMPORT_TARGET || which == EXPORT_TARGET || which == IMPORT_VRF;
}

/* How often the line with it is written. */
static size_t count(const struct expansion *all, size_t which)
{
	if (is_list(which))
		return json_array_size(all->lists[which]);

	return all->texts[which] ? 1 : 0;
}

/* The placeholder at this brace, and where it ends. */
static int find(const struct line *line, const char *brace, const char **end, struct error *err)
{
	size_t len = strcspn(brace + 1, "}\n");
	bool is_closed = brace[1 + len] == '}';

	for (size_t i = 0; i < COUNT(words); i++) {
		if (is_closed && strlen(words[i]) == len &&
		    strncmp(words[i], brace + 1, len) == 0) {
			*end = brace + len + 2;
			return (int)i;
		}
	}

	return error_set(
		err, ERROR_INVALID_CONFIG,
		"line %zu: \"%.*s\" is no placeholder: wanted {vrf}, {vni}, {if_vni}, {as}, "
		"{router_id}, {route_map}, {import_target}, {export_target}, {import_vrf}, or "
		"{{ for a brace",
		line->number, len < 40 ? (int)len + 1 + is_closed : 40, brace);
}

/* How often the line is to be written: as often as the placeholder in it that has least values. */
static int repetitions(const struct line *line, const struct expansion *all, struct error *err)
{
	const char *at = line->text, *end = at + line->len;
	size_t least = SIZE_MAX;
	bool has_list = false;

	while ((at = memchr(at, '{', (size_t)(end - at)))) {
		int which;

		if (at[1] == '{') {
			at += 2;
			continue;
		}
		which = find(line, at, &at, err);
		if (which < 0)
			return -1;
		if (!is_list((size_t)which) && count(all, (size_t)which) == 1)
			continue;
		has_list = true;
		if (count(all, (size_t)which) < least)
			least = count(all, (size_t)which);
	}

	return has_list ? (int)least : 1;
}

static void write_line(FILE *out, const struct line *line, const struct expansion *all, size_t n)
{
	const char *end = line->text + line->len;

	for (const char *at = line->text; at < end;) {
		struct error unused;
		int which;

		if (*at != '{' || at[1] == '{') {
			fputc(*at, out);
			at += *at == '{' ? 2 : 1;
			continue;
		}
		which = find(line, at, &at, &unused);
		if (which < 0)
			return;
		fputs(is_list((size_t)which)
			      ? json_string_value(json_array_get(all->lists[which], n))
			      : all->texts[which],
		      out);
	}
	fputc('\n', out);
}

static int write_lines(FILE *out, const char *template, const struct expansion *all,
		       struct error *err)
{
	struct line line = { .text = template };

	for (; *line.text; line.text += line.len + (line.text[line.len] == '\n')) {
		int n;

		line.number++;
		line.len = strcspn(line.text, "\n");
		n = repetitions(&line, all, err);
		if (n < 0)
			return -1;
		if (n == 0)
			fputc('\n', out); /* the lines that follow keep their numbers */
		for (int i = 0; i < n; i++)
			write_line(out, &line, all, (size_t)i);
	}

	return 0;
}

int frr_expand(const char *template, const struct frr_values *values, char **text,
	       struct error *err)
{
	auto_free char *written = NULL;
	struct expansion all;
	size_t size;
	FILE *out = open_memstream(&written, &size);
	int r;

	if (!out)
		return error_errno(err, ERROR_INTERNAL, errno, "text for FRR");
	collect(values, &all);
	r = write_lines(out, template, &all, err);
	if (fclose(out) != 0 && r == 0)
		r = error_errno(err, ERROR_INTERNAL, errno, "text for FRR");
	if (r == 0)
		*text = take_ptr(&written);

	return r;
}
