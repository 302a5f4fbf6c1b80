// SPDX-License-Identifier: Apache-2.0
/* From YAML to JSON (networks.h). What YAML has and JSON has not (other keys than texts, endless
 * structures) is refused. */
#include <string.h>
#include <yaml.h>

#include "hbrctl/networks.h"
#include "shared/base/cleanup.h"
#include "shared/base/parse.h"

#define DEPTH_MAX 64
#define NODES_MAX 100000 /* a few lines of aliases can stand for billions */

DEFINE_AUTO(yaml_parser_t *, cleanup_parser, yaml_parser_delete);
DEFINE_AUTO(yaml_document_t *, cleanup_document, yaml_document_delete);

struct reader {
	yaml_document_t *document;
	size_t nodes; /* so many were read */
};

/* What a plain scalar is, as JSON knows it and Kubernetes reads it; all else is text. */
static json_t *from_scalar(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;
	uint64_t number;

	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return json_stringn(text, node->data.scalar.length);
	if (!text[0] || strcmp(text, "null") == 0 || strcmp(text, "~") == 0)
		return json_null();
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		return json_boolean(text[0] == 't');
	if (parse_number(text, &number) && number <= INT64_MAX)
		return json_integer((json_int_t)number);

	return json_stringn(text, node->data.scalar.length);
}

static json_t *from_node(struct reader *reader, int index, int depth);

static json_t *from_sequence(struct reader *reader, const yaml_node_t *node, int depth)
{
	auto_json json_t *list = json_array();

	for (const yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		if (json_array_append_new(list, from_node(reader, *item, depth)) < 0)
			return NULL;
	}

	return take_ptr(&list);
}

static json_t *from_mapping(struct reader *reader, const yaml_node_t *node, int depth)
{
	auto_json json_t *object = json_object();

	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(reader->document, pair->key);

		if (!key || key->type != YAML_SCALAR_NODE ||
		    json_object_set_new(object, (const char *)key->data.scalar.value,
					from_node(reader, pair->value, depth)) < 0)
			return NULL;
	}

	return take_ptr(&object);
}

static json_t *from_node(struct reader *reader, int index, int depth)
{
	const yaml_node_t *node = yaml_document_get_node(reader->document, index);

	if (!node || depth == DEPTH_MAX || reader->nodes++ == NODES_MAX)
		return NULL;
	if (node->type == YAML_SEQUENCE_NODE)
		return from_sequence(reader, node, depth + 1);
	if (node->type == YAML_MAPPING_NODE)
		return from_mapping(reader, node, depth + 1);

	return from_scalar(node);
}

static int refuse(const yaml_parser_t *parser, struct error *err)
{
	return error_set(err, ERROR_DECODE, "line %zu, column %zu: %s",
			 parser->problem_mark.line + 1, parser->problem_mark.column + 1,
			 parser->problem ? parser->problem : "is no YAML");
}

/* 1 one more document, 0 the end. */
static int read_document(yaml_parser_t *parser, json_t *documents, struct error *err)
{
	yaml_document_t document;
	CLEANUP(cleanup_document) yaml_document_t *loaded = NULL;
	struct reader reader = { &document, 0 };
	const yaml_node_t *root;

	if (!yaml_parser_load(parser, &document))
		return refuse(parser, err);
	loaded = &document;
	root = yaml_document_get_root_node(loaded);
	if (!root)
		return 0;
	if (json_array_append_new(documents, from_node(&reader, 1, 0)) < 0)
		return error_set(err, ERROR_DECODE,
				 "line %zu: it has what JSON has not: keys that are no texts, "
				 "bytes that are no text, more than %d levels or %d values",
				 root->start_mark.line + 1, DEPTH_MAX, NODES_MAX);

	return 1;
}

int yaml_read(const char *text, size_t size, json_t **documents, struct error *err)
{
	yaml_parser_t parser;
	CLEANUP(cleanup_parser) yaml_parser_t *started = NULL;
	auto_json json_t *list = json_array();
	int r;

	if (!list || !yaml_parser_initialize(&parser))
		return error_set(err, ERROR_INTERNAL, "out of memory for YAML");
	started = &parser;
	yaml_parser_set_input_string(started, (const unsigned char *)text, size);
	do {
		r = read_document(started, list, err);
	} while (r == 1);
	if (r == 0)
		*documents = take_ptr(&list);

	return r;
}
