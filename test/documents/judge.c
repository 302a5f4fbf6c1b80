// SPDX-License-Identifier: Apache-2.0
/*
 * judge KIND: what the parser says of each line of standard input, a document of that kind: "+", or
 * "-" with code and message. hbr-l2: a network, as ADD looks at it before anything is done, on a
 * node that lets everything be overridden; node: a node file.
 */
#include <string.h>
#include <sys/mman.h>

#include "plugins/hbr-l2/fields.h"
#include "plugins/hbr-vrf/fields.h"
#include "shared/base/cleanup.h"
#include "shared/cni/document.h"
#include "shared/cni/request.h"
#include "shared/node/node.h"

#define VALUES_MAX 65536 /* bytes of a plugin's values */

static const struct kind {
	const char *name;
	const struct field_table *fields;
	size_t interface; /* offset of the struct interface in the values */
	int (*settle)(const struct node *node, void *values, uint64_t *given, struct error *err);
} kinds[] = {
	{ "hbr-l2", &l2_fields, offsetof(struct l2, interface), l2_settle },
	{ "hbr-vrf", &l3_fields, offsetof(struct l3, interface), l3_settle },
};

static const char lenient_node[] =
	"{\"overridable\": [\"hbrNetns\", \"trunk\", \"hostTrunk\", \"vrf\", \"attach\", \"vtep\", "
	"\"vxlanPort\", \"mtu\", \"uplinks\", \"vlanRange\", \"tableBase\", \"tableRange\", "
	"\"bridgeNetfilter\"]}";

static void check(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

/* A file with that text, from its start. */
static int make_file(const char *text)
{
	int fd = memfd_create("document", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
		      lseek(fd, 0, SEEK_SET) == 0,
	      "memfd");

	return fd;
}

static int load_node(const char *text, json_t *hbr, struct node *node, struct error *err)
{
	auto_close int fd = make_file(text);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(setenv("HBR_CNI_NODE", path, 1) == 0, "setenv");

	return node_load(node, hbr, err);
}

static int judge_node(const struct kind *kind, const char *text, struct error *err)
{
	struct node node;

	(void)kind;

	return load_node(text, NULL, &node, err);
}

/* The order of verb_add(). */
static int judge_network(const struct kind *kind, const char *text, struct error *err)
{
	static _Alignas(max_align_t) char values[VALUES_MAX];
	auto_request struct request request = { 0 };
	auto_close int fd = make_file(text);
	struct node node;
	uint64_t given;

	memset(values, 0, sizeof(values));
	if (request_read(&request, fd, err) < 0 ||
	    load_node(lenient_node, document_member(request.config, "hbr"), &node, err) < 0 ||
	    fields_parse(kind->fields, request.config, values, &given, err) < 0 ||
	    interface_settle((void *)(values + kind->interface), &request, err) < 0)
		return -1;

	return kind->settle(&node, values, &given, err);
}

static void make_environment(void)
{
	static const char *const variables[][2] = {
		{ "CNI_COMMAND", "ADD" },
		{ "CNI_CONTAINERID", "c" },
		{ "CNI_NETNS", "/run/netns/pod" },
		{ "CNI_IFNAME", "net1" },
	};

	check(clearenv() == 0, "clearenv");
	for (size_t i = 0; i < COUNT(variables); i++)
		check(setenv(variables[i][0], variables[i][1], 1) == 0, "setenv");
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}

	return NULL;
}

int main(int argc, char *argv[])
{
	const struct kind *kind = argc == 2 ? find_kind(argv[1]) : NULL;
	auto_free char *line = NULL;
	size_t size = 0;

	if (argc != 2 || (!kind && strcmp(argv[1], "node") != 0)) {
		fputs("judge: wanted the kind of documents: hbr-l2, hbr-vrf or node\n", stderr);
		return 2;
	}
	make_environment();
	while (getline(&line, &size, stdin) > 0) {
		struct error err = { 0 };

		if ((kind ? judge_network : judge_node)(kind, line, &err) < 0)
			printf("- %d %s\n", (int)err.code, err.msg);
		else
			puts("+");
	}

	return 0;
}
