// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/networks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hbrctl/inventory.h"
#include "hbrctl/types.h"
#include "shared/base/cleanup.h"
#include "shared/cni/document.h"

#define FILE_MAX (4u << 20)

static const char nad[] = "NetworkAttachmentDefinition";

/* JSON, with the place of what is wrong. A key that is there twice is no error to CNI, but to a
 * person it is. */
static int read_json(const char *text, size_t size, json_t **value, struct error *err)
{
	json_error_t where;

	*value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);

	return *value ? 0
		      : error_set(err, ERROR_DECODE, "line %d, column %d: %s", where.line,
				  where.column, where.text);
}

/* What a list's plugins get of it. */
static json_t *hand_over(json_t *plugin, json_t *list)
{
	static const char *const keys[] = { "name", "cniVersion" };
	json_t *config = json_copy(plugin);

	for (size_t i = 0; config && i < COUNT(keys); i++) {
		json_t *value = json_object_get(list, keys[i]);

		if (value && json_object_set(config, keys[i], value) < 0)
			json_decref(take_ptr(&config));
	}

	return config;
}

static int add(const char *path, json_t *plugin, json_t *list, json_t *networks, struct error *err)
{
	const char *type = inventory_text(plugin, "type");
	auto_json json_t *config = NULL;

	if (!types_find(type))
		return 0;
	config = hand_over(plugin, list);
	if (!config ||
	    json_array_append_new(networks, json_pack("{s:s, s:s, s:s, s:O}", "file", path,
						      "network", inventory_text(config, "name"),
						      "type", type, "config", config)) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "read %s", path);

	return 0;
}

static int add_config(const char *path, json_t *document, json_t *networks, struct error *err)
{
	json_t *plugins = document_member(document, "plugins"), *plugin;
	size_t i;

	if (!json_is_array(plugins))
		return add(path, document, document, networks, err);
	json_array_foreach(plugins, i, plugin) {
		if (add(path, plugin, document, networks, err) < 0)
			return -1;
	}

	return 0;
}

/* Its configuration is a text; a list or network without a name has that of the definition, which
 * is how Multus hands it over. */
static int add_definition(const char *path, json_t *document, json_t *networks, struct error *err)
{
	json_t *text = document_member(document_member(document, "spec"), "config");
	const char *config = document_text(text);
	json_t *name = document_member(document_member(document, "metadata"), "name");
	auto_json json_t *inner = NULL;

	if (!text)
		return 0; /* it names a file of the node's */
	if (!config)
		return error_set(err, ERROR_DECODE, "spec.config: wanted a text");
	if (read_json(config, strlen(config), &inner, err) < 0)
		return error_wrap(err, "spec.config");
	if (name && json_is_object(inner) && !document_member(inner, "name"))
		(void)json_object_set(inner, "name", name);

	return add_config(path, inner, networks, err);
}

static int add_document(const char *path, json_t *document, json_t *networks, struct error *err)
{
	json_t *items = document_member(document, "items"), *item;
	const char *kind = inventory_text(document, "kind");
	size_t i;

	if (strcmp(kind, nad) == 0)
		return add_definition(path, document, networks, err);
	if (!kind[0])
		return add_config(path, document, networks, err);
	json_array_foreach(items, i, item) {
		if (strcmp(inventory_text(item, "kind"), nad) == 0 &&
		    add_definition(path, item, networks, err) < 0)
			return -1;
	}

	return 0;
}

/* JSON begins with a brace; YAML that does is JSON as well. */
static int decode(const char *text, size_t size, json_t **documents, struct error *err)
{
	json_t *one = NULL;

	if (text[strspn(text, " \t\r\n")] != '{')
		return yaml_read(text, size, documents, err);
	if (read_json(text, size, &one, err) < 0)
		return -1;
	*documents = json_pack("[o]", one);

	return *documents ? 0 : error_errno(err, ERROR_INTERNAL, ENOMEM, "read it");
}

int networks_read(const char *path, json_t *networks, struct error *err)
{
	auto_close int fd =
		strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	auto_json json_t *documents = NULL;
	auto_free char *text = NULL;
	json_t *document;
	size_t size, i;

	if (fd < 0)
		return error_errno(err, ERROR_IO, errno, "cannot be read");
	if (document_read(fd, FILE_MAX, &text, &size, err) < 0 ||
	    decode(text, size, &documents, err) < 0)
		return -1;
	json_array_foreach(documents, i, document) {
		if (add_document(path, document, networks, err) < 0)
			return -1;
	}

	return 0;
}
