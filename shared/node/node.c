// SPDX-License-Identifier: Apache-2.0
#include "shared/node/node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "shared/base/cleanup.h"
#include "shared/kernel/address.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/sysctl.h"
#include "shared/node/store.h"

#define FILE_MAX (1 << 20) /* bytes */

static const struct node defaults = {
	.hbr_netns = "/run/netns/hbr",
	.trunk = "tr",
	.host_trunk = "tr",
	.vrf = "hbr",
	.attach = ATTACH_BRIDGE,
	.vtep = { .dev = "lo", .family = AF_INET },
	.vxlan_port = 4789,
	.vlan_range = { 2, 4094 },
	.table_base = 1000000,
	.table_range = { 900000, 999999 },
	.bridge_netfilter = BRIDGE_NETFILTER_WARN,
	.state_dir = "/run/hbr-cni",
};

static const char *file_path(void)
{
	const char *path = getenv("HBR_CNI_NODE");

	return path && *path ? path : NULL;
}

/* 1 and its object, 0 when the file is absent and may be. */
static int read_file(const char *path, bool optional, json_t **object, struct error *err)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	auto_json json_t *read = NULL;
	json_error_t where;
	struct stat st;

	if (fd < 0 && errno == ENOENT && optional)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, ERROR_INVALID_CONFIG, errno, "node file %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "node file %s: wanted a regular file of at most %d bytes", path,
				 FILE_MAX);

	/* Of two keys of one name an operator reads the first and the parser takes the last. */
	read = json_loadfd(fd, JSON_REJECT_DUPLICATES, &where);
	if (!read)
		return error_set(err, ERROR_INVALID_CONFIG, "node file %s: line %d, column %d: %s",
				 path, where.line, where.column, where.text);
	if (!json_is_object(read))
		return error_set(err, ERROR_INVALID_CONFIG, "node file %s: wanted a JSON object",
				 path);
	*object = take_ptr(&read);

	return 1;
}

static bool is_overridable(const struct node *node, const char *key)
{
	const struct field *row = field_find(&node_fields, key);

	return row && (node->overridable >> (row - node_fields.rows) & 1);
}

static int lay_over(struct node *node, json_t *hbr, const char *path, struct error *err)
{
	static const struct field row = { .key = "hbr" };
	uint64_t given;
	const char *key;
	json_t *value;

	if (!json_is_object(hbr))
		return field_refuse(&row, hbr, ERROR_INVALID_CONFIG, err,
				    "an object with keys of the node's file");
	json_object_foreach(hbr, key, value) {
		if (!json_is_null(value) && !is_overridable(node, key))
			return error_set(err, ERROR_INVALID_CONFIG,
					 "hbr.%.64s: the node's file %s does not list \"%.64s\" in "
					 "overridable",
					 key, path, key);
	}
	if (fields_parse(&node_fields, hbr, node, &given, err) < 0)
		return error_wrap(err, "hbr");

	return 0;
}

/* Symbolic links resolved as far as the path exists, its last component left as it is: one
 * namespace has one slug, whether it is there or not. */
static void canonical(const char *path, char *out, size_t size)
{
	char head[sizeof(((struct node *)NULL)->hbr_netns)];
	auto_free char *resolved = NULL;
	size_t len;

	len = (size_t)snprintf(head, sizeof(head), "%s", path);
	while (len > 1 && head[len - 1] == '/')
		head[--len] = '\0';
	snprintf(out, size, "%s", head);

	for (char *cut = strrchr(head, '/'); cut && cut > head && !resolved;
	     cut = strrchr(head, '/')) {
		*cut = '\0';
		resolved = realpath(head, NULL);
		if (resolved)
			snprintf(out, size, "%s/%.*s", strcmp(resolved, "/") == 0 ? "" : resolved,
				 (int)(len - (size_t)(cut + 1 - head)), path + (cut + 1 - head));
	}
}

void node_name_hbr(struct node *node, const char *path)
{
	char netns[PATH_MAX];

	canonical(path, netns, sizeof(netns));
	store_slug(netns, node->slug);
}

int node_load(struct node *node, json_t *hbr, struct error *err)
{
	const char *asked = file_path();
	const char *path = asked ? asked : NODE_FILE;
	auto_json json_t *object = NULL;
	struct node loaded = defaults;
	uint64_t given;
	int r = read_file(path, !asked, &object, err);

	if (r < 0)
		return -1;
	if (r == 1 && fields_parse(&node_fields, object, &loaded, &given, err) < 0)
		return error_wrap(err, "node file %s", path);
	if (hbr && lay_over(&loaded, hbr, path, err) < 0)
		return -1;

	while (loaded.n_uplinks < NODE_UPLINKS_MAX && loaded.uplinks[loaded.n_uplinks][0])
		loaded.n_uplinks++;
	node_name_hbr(&loaded, loaded.hbr_netns);
	*node = loaded;

	return 0;
}

int node_find_vtep(const struct node *node, struct netlink *hbr, struct ip *vtep, struct error *err)
{
	const struct node_vtep *wanted = &node->vtep;
	char text[IP_TEXT_SIZE];
	int index, r;

	if (!wanted->dev[0]) {
		ip_print(&wanted->address, text);
		r = address_is_local(hbr, &wanted->address, err);
		if (r == 0)
			return error_set(err, ERROR_INVALID_CONFIG,
					 "no VTEP: %s is no address of the HBR netns", text);
		if (r == 1)
			*vtep = wanted->address;
		return r < 0 ? -1 : 0;
	}

	r = link_find_index(hbr, wanted->dev, &index, err);
	if (r == 0)
		return error_set(err, ERROR_INVALID_CONFIG, "no VTEP: the HBR netns has no link %s",
				 wanted->dev);
	if (r == 1)
		r = address_first(hbr, index, wanted->family, vtep, err);
	if (r == 0)
		return error_set(err, ERROR_INVALID_CONFIG,
				 "no VTEP: %s in the HBR netns has no global %s address",
				 wanted->dev, wanted->family == AF_INET6 ? "IPv6" : "IPv4");

	return r < 0 ? -1 : 0;
}

int node_check_bridge_netfilter(const struct node *node, struct error *err)
{
	static const char what[] = "net.bridge.bridge-nf-call-iptables is on in the host: bridged "
				   "frames pass its FORWARD chain and conntrack";
	long on = 0;

	if (node->bridge_netfilter == BRIDGE_NETFILTER_IGNORE)
		return 0;
	if (sysctl_get("bridge/bridge-nf-call-iptables", &on, err) < 0)
		return -1;
	if (on && node->bridge_netfilter == BRIDGE_NETFILTER_REFUSE)
		return error_set(err, ERROR_CONFLICT,
				 "%s, and bridgeNetfilter says \"refuse\": switch it off, or say "
				 "\"warn\" or \"ignore\"",
				 what);
	if (on)
		error_warn("%s (bridgeNetfilter)", what);

	return 0;
}
