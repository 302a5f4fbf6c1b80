// SPDX-License-Identifier: Apache-2.0
/*
 * generate DIRECTORY: from the tables of keys, the reference documentation of all keys and a JSON
 * Schema for each kind of document. Runs in the root of the sources, for its hand-written pieces.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "docs/must.h"
#include "docs/reference.h"
#include "docs/schema.h"
#include "plugins/hbr-l2/fields.h"
#include "plugins/hbr-vrf/fields.h"
#include "shared/base/cleanup.h"
#include "shared/node/node.h"

#define PIECES_MAX 3

static const struct l2 l2_defaults;
static const struct l3 l3_defaults;
static struct node node_defaults; /* as it is loaded from an empty file */

static const struct document {
	const char *name, *title;
	const struct field_table *fields;
	const void *defaults;
	const char *pieces[PIECES_MAX]; /* files that say what rows cannot */
} documents[] = {
	{ "hbr-l2",
	  "A network of hbr-l2",
	  &l2_fields,
	  &l2_defaults,
	  { "shared/base/forms.json", "shared/cni/rules.json", "plugins/hbr-l2/rules.json" } },
	{ "hbr-vrf",
	  "A network of hbr-vrf",
	  &l3_fields,
	  &l3_defaults,
	  { "shared/base/forms.json", "shared/cni/rules.json" } },
	{ "node", "The node file", &node_fields, &node_defaults, { "shared/base/forms.json" } },
};

static const char head[] =
	"# Reference\n"
	"\n"
	"All keys, from the tables that the parser works with: `make docs` makes this file, and the\n"
	"JSON Schemas beside it.\n"
	"\n"
	"Keys are matched exactly, unknown ones are ignored, `null` is absent. Numbers may be written\n"
	"as decimal strings without leading zeros, `true` and `false` as strings. A key in\n"
	"parentheses is another spelling; where both are there, they have to say the same. A value\n"
	"that is wrong is an error of code 7, one that is known and not offered of code 2.\n"
	"\n"
	"A schema (draft 2020-12, patterns of ECMA-262) is for one plugin's configuration as the\n"
	"runtime hands it over: an entry of a list's `plugins` with the list's `name` and\n"
	"`cniVersion`. It accepts what the parser accepts, but for what a schema cannot say: that a\n"
	"gateway is of its address' network, that two keys do not go together which stand in\n"
	"different files, what an hbr-vrf route's gw is to be, lengths in bytes (it counts\n"
	"characters), and in the node file two keys of one name, which are refused.\n";

static void load_node_defaults(void)
{
	int fd = memfd_create("node.json", 0);
	struct error err = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, "{}", 2) != 2 || setenv("HBR_CNI_NODE", path, 1) < 0 ||
	    node_load(&node_defaults, NULL, &err) < 0)
		must(NULL, err.msg);
	close(fd);
}

/* What is written by hand for a document, as one piece. */
static json_t *load_pieces(const struct document *document)
{
	json_t *all = json_object();

	for (size_t i = 0; i < PIECES_MAX && document->pieces[i]; i++) {
		const char *path = document->pieces[i];
		json_error_t where = { 0 };
		auto_json json_t *piece = json_load_file(path, JSON_REJECT_DUPLICATES, &where);

		if (!piece)
			fprintf(stderr, "docs: %s: line %d: %s\n", path, where.line, where.text);
		schema_merge(all, must(piece, path));
	}

	return all;
}

/* What a network may have in "hbr", and what the node file may list in "overridable". */
static void add_overridable(json_t *schema)
{
	json_t *piece = json_pack("{s:{s:{s:{s:s}}, s:{s:[]}}}", "$defs", "overridden",
				  "additionalProperties", "type", "null", "overridableKey", "enum");
	json_t *defs = json_object_get(must(piece, "overridable"), "$defs");
	json_t *overridden = json_object_get(defs, "overridden"), *value;
	json_t *keys = json_object_get(json_object_get(defs, "overridableKey"), "enum");
	const char *key;

	schema_add_table(overridden, &node_fields, FIELD_NODE_ONLY, NULL);
	json_object_foreach(json_object_get(overridden, "properties"), key, value)
		(void)json_array_append_new(keys, json_string(key));
	schema_merge(schema, piece);
	json_decref(piece);
}

static json_t *make_schema(const struct document *document, json_t *pieces)
{
	json_t *schema =
		json_pack("{s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
			  "title", document->title);

	schema_add_table(must(schema, document->name), document->fields, 0, document->defaults);
	schema_merge(schema, pieces);
	add_overridable(schema);
	schema_prune(schema);

	return schema;
}

static void put_chapter(FILE *out, const struct document *document, json_t *pieces)
{
	fprintf(out, "\n## %s\n\nJSON Schema: [%s.schema.json](%s.schema.json)\n\n",
		document->title, document->name, document->name);
	reference_put_table(out, document->fields, document->defaults);
	reference_put_properties(out, pieces);
	reference_put_rules(out, pieces);
}

static FILE *create(const char *dir, const char *name, const char *suffix)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s", dir, name, suffix);

	return must(fopen(path, "w"), path);
}

/* What a full disk has cut off is no documentation. */
static void finish(FILE *out, const char *name)
{
	if (ferror(out) || fclose(out) != 0)
		must(NULL, name);
}

int main(int argc, char *argv[])
{
	FILE *reference;

	if (argc != 2) {
		fputs("generate: wanted a directory\n", stderr);
		return 2;
	}
	load_node_defaults();
	reference = create(argv[1], "reference", ".md");
	fputs(head, reference);
	for (size_t i = 0; i < COUNT(documents); i++) {
		auto_json json_t *pieces = load_pieces(&documents[i]);
		auto_json json_t *schema = make_schema(&documents[i], pieces);
		FILE *out = create(argv[1], documents[i].name, ".schema.json");

		(void)json_dumpf(schema, out, JSON_INDENT(2));
		fputs("\n", out);
		finish(out, documents[i].name);
		put_chapter(reference, &documents[i], pieces);
	}
	finish(reference, "reference.md");

	return 0;
}
