// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hbrctl/command.h"
#include "hbrctl/inventory.h"
#include "shared/base/child.h"
#include "shared/base/cleanup.h"

#define DOT_TIMEOUT_MS 60000

static const char *const places[] = { "host", "HBR netns" };

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* Names are of one place only. */
static void put_id(FILE *out, const char *place, const char *name)
{
	fputc('"', out);
	put_text(out, place);
	fputc('/', out);
	put_text(out, name);
	fputc('"', out);
}

static const char *style_of(const char *state)
{
	if (strcmp(state, "ok") == 0)
		return "";

	return strcmp(state, "missing") == 0 || strcmp(state, "away") == 0
		       ? ", color=red, style=dashed"
		       : ", color=red";
}

static void put_link(FILE *out, json_t *link)
{
	fputs("    ", out);
	put_id(out, inventory_text(link, "in"), inventory_text(link, "name"));
	fputs(" [label=\"", out);
	put_text(out, inventory_text(link, "name"));
	fprintf(out, "\\n%s\"%s];\n", inventory_text(link, "kind"),
		style_of(inventory_text(link, "state")));
}

static void put_edge(FILE *out, json_t *link, const char *to)
{
	if (!inventory_text(link, to)[0])
		return;
	fputs("  ", out);
	put_id(out, inventory_text(link, "in"), inventory_text(link, "name"));
	fputs(" -- ", out);
	put_id(out, inventory_text(link, "in"), inventory_text(link, to));
	fputs(";\n", out);
}

typedef void put_fn(FILE *out, json_t *link, const char *arg);

static void each_link(FILE *out, json_t *inventory, put_fn *put, const char *arg)
{
	json_t *domain, *link;
	size_t i, k;

	json_array_foreach(json_object_get(inventory, "domains"), i, domain) {
		json_array_foreach(json_object_get(domain, "links"), k, link)
			put(out, link, arg);
	}
}

static void put_if_in(FILE *out, json_t *link, const char *place)
{
	if (strcmp(inventory_text(link, "in"), place) == 0)
		put_link(out, link);
}

static const char *trunk_in(json_t *inventory, size_t place)
{
	return json_string_value(json_array_get(json_object_get(inventory, "trunk"), place));
}

static void put_place(FILE *out, json_t *inventory, size_t n)
{
	json_t *link;
	size_t i;

	fprintf(out, "  subgraph cluster_%zu {\n    label=\"%s\";\n    ", n, places[n]);
	put_id(out, places[n], trunk_in(inventory, n));
	fputs(" [label=\"", out);
	put_text(out, trunk_in(inventory, n));
	fputs("\\ntrunk\"];\n", out);
	each_link(out, inventory, put_if_in, places[n]);
	json_array_foreach(json_object_get(inventory, "leftovers"), i, link)
		put_if_in(out, link, places[n]);
	fputs("  }\n", out);
}

static void put_pod(FILE *out, json_t *attachment)
{
	json_t *pod = json_object_get(attachment, "pod");
	const char *id = inventory_text(attachment, "id");

	fputs("  ", out);
	put_id(out, "pod", id);
	fputs(" [shape=ellipse, label=\"", out);
	if (inventory_text(pod, "name")[0]) {
		put_text(out, inventory_text(pod, "namespace"));
		fputc('/', out);
		put_text(out, inventory_text(pod, "name"));
	} else {
		fprintf(out, "%.12s", inventory_text(attachment, "container"));
	}
	fputs("\\n", out);
	put_text(out, inventory_text(attachment, "interface"));
	fprintf(out, "\"%s];\n", style_of(inventory_text(attachment, "state")));
	if (!inventory_text(attachment, "on")[0])
		return;
	fputs("  ", out);
	put_id(out, "pod", id);
	fputs(" -- ", out);
	put_id(out, inventory_text(attachment, "in"), inventory_text(attachment, "on"));
	fputs(";\n", out);
}

/* The two ends of the trunk are one cable. */
static void put(FILE *out, json_t *inventory)
{
	json_t *attachment;
	size_t i;

	fputs("graph hbr {\n  rankdir=LR;\n  node [shape=box];\n", out);
	for (i = 0; i < COUNT(places); i++)
		put_place(out, inventory, i);
	each_link(out, inventory, put_edge, "on");
	each_link(out, inventory, put_edge, "master");
	fputs("  ", out);
	put_id(out, places[0], trunk_in(inventory, 0));
	fputs(" -- ", out);
	put_id(out, places[1], trunk_in(inventory, 1));
	fputs(" [style=bold];\n", out);
	json_array_foreach(json_object_get(inventory, "attachments"), i, attachment)
		put_pod(out, attachment);
	fputs("}\n", out);
}

/* The first dot of the usual places. */
static const char *find_dot(void)
{
	static const char *const paths[] = { "/usr/bin/dot", "/usr/local/bin/dot" };

	for (size_t i = 0; i < COUNT(paths); i++) {
		if (access(paths[i], X_OK) == 0)
			return paths[i];
	}

	return NULL;
}

static int draw(const char *dot, struct error *err)
{
	char name[] = "dot", format[] = "-Tsvg", *argv[] = { name, format, NULL };
	const struct child child = {
		.path = find_dot(),
		.argv = argv,
		.envp = environ,
		.input = dot,
		.input_size = strlen(dot),
		.timeout_ms = DOT_TIMEOUT_MS,
	};
	struct child_output output = { 0 };
	auto_free char *text = NULL;

	if (!child.path)
		return error_set(err, ERROR_UNSUPPORTED,
				 "--svg: there is no /usr/bin/dot: wanted Graphviz installed");
	if (child_run(&child, &output, err) < 0)
		return -1;
	text = output.text;
	if (output.status != 0)
		return error_set(err, ERROR_INTERNAL, "%s ended with status %d", child.path,
				 output.status);
	fwrite(text, 1, output.size, stdout);

	return 0;
}

int graph_run(const struct options *options, struct error *err)
{
	auto_json json_t *inventory = NULL;
	auto_free char *dot = NULL;
	size_t size = 0;
	FILE *out;

	if (inventory_take(&inventory, err) < 0)
		return -1;
	if (!(options->given & OPTION_SVG)) {
		put(stdout, inventory);
		return COMMAND_FINE;
	}
	out = open_memstream(&dot, &size);
	if (!out)
		return error_errno(err, ERROR_INTERNAL, errno, "make the picture");
	put(out, inventory);
	if (fclose(out) != 0)
		return error_errno(err, ERROR_INTERNAL, errno, "make the picture");

	return draw(dot, err);
}
