// SPDX-License-Identifier: Apache-2.0
#include "shared/node/node.h"

#include <arpa/inet.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "shared/node/store.h"
#include "test/unit/unit.h"

#define DEVICE \
	"the name of a network device: 1 to 15 ASCII characters without blanks, '/', ':' and '%'"

static char dir[PATH_MAX];
static char file[PATH_MAX + 16];

static void write_file(const char *text)
{
	auto_file FILE *out = fopen(file, "w");

	check(out && fputs(text, out) >= 0);
}

/* Load a node file with that text, and a network's "hbr" over it (NULL: none). */
static int load(const char *text, const char *hbr, struct node *node, struct error *err)
{
	auto_json json_t *object = hbr ? json_loads(hbr, JSON_DECODE_ANY, NULL) : NULL;

	check(!hbr || object);
	write_file(text);

	return node_load(node, object, err);
}

/* What is wrong with the file, without the file's name; the network's errors as they are. */
static void refused(const char *text, const char *hbr, int code, const char *wanted)
{
	struct node node = { .trunk = "untouched" };
	struct error err = { 0 };
	char prefix[PATH_MAX + 32];
	const char *msg = err.msg;

	check(load(text, hbr, &node, &err) == -1);
	snprintf(prefix, sizeof(prefix), "node file %s: ", file);
	if (!hbr) {
		check(strncmp(msg, prefix, strlen(prefix)) == 0);
		msg += strlen(prefix);
	}
	check_str(msg, wanted);
	check(err.code == code);
	check_str(node.trunk, "untouched");
}

static void bad(const char *text, const char *wanted)
{
	refused(text, NULL, ERROR_INVALID_CONFIG, wanted);
}

static void good(const char *text, struct node *node)
{
	struct error err = { 0 };
	int r = load(text, NULL, node, &err);

	check_str(err.msg, "");
	check(r == 0);
}

static void check_slug(const struct node *node, const char *canonical)
{
	char slug[STORE_NAME_SIZE];

	store_slug(canonical, slug);
	check_str(node->slug, slug);
}

static void test_defaults(void)
{
	struct node node;

	good("{}", &node);
	check_str(node.hbr_netns, "/run/netns/hbr");
	check_str(node.trunk, "tr");
	check_str(node.host_trunk, "tr");
	check_str(node.vrf, "hbr");
	check(node.attach == ATTACH_BRIDGE);
	check_str(node.vtep.dev, "lo");
	check(node.vtep.family == AF_INET && node.vtep.address.family == 0);
	check(node.vxlan_port == 4789 && node.mtu == 0 && node.n_uplinks == 0);
	check(node.vlan_range[0] == 2 && node.vlan_range[1] == 4094);
	check(node.table_base == 1000000);
	check(node.table_range[0] == 900000 && node.table_range[1] == 999999);
	check(node.bridge_netfilter == BRIDGE_NETFILTER_WARN);
	check_str(node.state_dir, "/run/hbr-cni");
	check(node.overridable == 0);
	check_slug(&node, "/run/netns/hbr");
}

static void test_every_key(void)
{
	struct node node;

	good("{\"hbrNetns\": \"/x/netns/red\", \"trunk\": \"t0\", \"hostTrunk\": \"t1\","
	     " \"vrf\": \"\", \"attach\": \"direct\", \"vxlanPort\": \"8472\", \"mtu\": 9000,"
	     " \"vtep\": {\"dev\": \"dum0\", \"family\": 6}, \"uplinks\": [\"eth0\", \"eth1\"],"
	     " \"vlanRange\": \"1-99\", \"tableBase\": 0, \"tableRange\": \"256-4294967295\","
	     " \"bridgeNetfilter\": \"refuse\", \"stateDir\": \"/x/state\","
	     " \"overridable\": [\"trunk\"], \"frr\": null, \"colour\": \"green\"}",
	     &node);
	check_str(node.hbr_netns, "/x/netns/red");
	check_str(node.trunk, "t0");
	check_str(node.host_trunk, "t1");
	check_str(node.vrf, "");
	check(node.attach == ATTACH_DIRECT);
	check(node.vxlan_port == 8472 && node.mtu == 9000);
	check_str(node.vtep.dev, "dum0");
	check(node.vtep.family == AF_INET6);
	check(node.n_uplinks == 2);
	check_str(node.uplinks[0], "eth0");
	check_str(node.uplinks[1], "eth1");
	check(node.vlan_range[0] == 1 && node.vlan_range[1] == 99);
	check(node.table_base == 0);
	check(node.table_range[0] == 256 && node.table_range[1] == UINT32_MAX);
	check(node.bridge_netfilter == BRIDGE_NETFILTER_REFUSE);
	check_str(node.state_dir, "/x/state");
	check(node.overridable == 1u << 1);
	check_slug(&node, "/x/netns/red");
}

/* What is written down can be read back, and is the same. */
static void test_frr(void)
{
	struct node node;

	good("{}", &node);
	check(!node.frr.is_ours);
	good("{\"frr\": {}}", &node);
	check(node.frr.is_ours);
	check_str(node.frr.vtysh, "/usr/bin/vtysh");
	check_str(node.frr.socket_dir, "/var/run/frr");
	check_str(node.frr.template, "");
	good("{\"frr\": {\"vtysh\": \"/x/vtysh\", \"vtySocketDir\": \"/x/frr\","
	     " \"template\": \"/x/template\"}}",
	     &node);
	check_str(node.frr.vtysh, "/x/vtysh");
	check_str(node.frr.socket_dir, "/x/frr");
	check_str(node.frr.template, "/x/template");
}

static void test_dump(void)
{
	static const char *const texts[] = {
		"{\"vtep\": {\"dev\": \"lo\", \"family\": 6}, \"uplinks\": [\"eth0\", \"eth1\"],"
		" \"overridable\": [\"hbrNetns\", \"vlanRange\"], \"stateDir\": \"/x\","
		" \"trunk\": \"t0\"}",
		"{\"vtep\": {\"address\": \"2001:db8::1\"}, \"uplinks\": []}",
		"{\"frr\": {\"vtysh\": \"/v\", \"vtySocketDir\": \"/s\"}}",
		"{\"frr\": {\"vtysh\": \"/v\", \"vtySocketDir\": \"/s\", \"template\": \"/t\"}}",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		auto_json json_t *object = json_loads(texts[i], 0, NULL), *dumped = NULL;
		struct error err = { 0 };
		struct node node = { 0 };
		uint64_t given;

		check(fields_parse(&node_fields, object, &node, &given, &err) == 0);
		dumped = fields_dump(&node_fields, 0, &node, given);
		check(json_equal(dumped, object));
	}
}

static void test_vtep(void)
{
	struct node node;

	good("{\"vtep\": {\"address\": \"2001:db8::1\"}}", &node);
	check_str(node.vtep.dev, "");
	check(node.vtep.family == AF_INET6 && node.vtep.address.family == AF_INET6);

	good("{\"vtep\": {\"family\": \"6\"}}", &node);
	check_str(node.vtep.dev, "lo");
	check(node.vtep.family == AF_INET6);

	bad("{\"vtep\": \"lo\"}", "vtep: \"lo\" is not allowed: wanted an object with \"dev\" and "
				  "\"family\", or with \"address\"");
	bad("{\"vtep\": {\"family\": 5}}", "vtep: family: 5 is not allowed: wanted 4 or 6");
	bad("{\"vtep\": {\"dev\": \"a/b\"}}", "vtep: dev: \"a/b\" is not allowed: wanted " DEVICE);
	bad("{\"vtep\": {\"dev\": \"lo\", \"address\": \"10.0.0.1\"}}",
	    "vtep: {\"dev\":\"lo\",\"address\":\"10.0.0.1\"} is not allowed: wanted either "
	    "\"dev\" and \"family\" or \"address\"");
}

static void test_ranges(void)
{
	bad("{\"hbrNetns\": \"hbr\"}",
	    "hbrNetns: \"hbr\" is not allowed: wanted an absolute path of at most 255 bytes");
	bad("{\"stateDir\": 1}",
	    "stateDir: 1 is not allowed: wanted an absolute path of at most 255 bytes");
	bad("{\"trunk\": \"\"}", "trunk: \"\" is not allowed: wanted " DEVICE);
	bad("{\"hostTrunk\": \"lo\"}", "hostTrunk: \"lo\" is not allowed: wanted " DEVICE);
	bad("{\"attach\": \"ipvlan\"}",
	    "attach: \"ipvlan\" is not allowed: wanted one of bridge, macvlan, direct");
	bad("{\"vxlanPort\": 0}", "vxlanPort: 0 is not allowed: wanted a number from 1 to 65535");
	bad("{\"mtu\": 67}", "mtu: 67 is not allowed: wanted a number from 68 to 65535");
	bad("{\"vlanRange\": \"1-4095\"}", "vlanRange: \"1-4095\" is not allowed: wanted a range "
					   "\"LOWEST-HIGHEST\" within 1-4094");
	bad("{\"tableBase\": 4278190081}",
	    "tableBase: 4278190081 is not allowed: wanted a number from 0 to 4278190080");
	bad("{\"tableRange\": \"200-300\"}", "tableRange: \"200-300\" is not allowed: wanted a "
					     "range \"LOWEST-HIGHEST\" within 256-4294967295");
	bad("{\"bridgeNetfilter\": true}",
	    "bridgeNetfilter: true is not allowed: wanted one of warn, refuse, ignore");
	bad("{\"uplinks\": \"eth0\"}", "uplinks: \"eth0\" is not allowed: wanted a list of at most "
				       "16 names of network devices");
	bad("{\"uplinks\": [\"eth0\", 1]}", "uplinks: 1 is not allowed: wanted " DEVICE);
	bad("{\"frr\": true}", "frr: true is not allowed: wanted an object with \"vtysh\", "
			       "\"vtySocketDir\" and \"template\"");
	bad("{\"frr\": {\"vtysh\": \"vtysh\"}}", "frr: vtysh: \"vtysh\" is not allowed: wanted an "
						 "absolute path of at most 255 bytes");
	refused("{\"policy\": []}", NULL, ERROR_UNSUPPORTED,
		"policy: [] is not allowed: wanted no value, the key is not supported");
}

static void test_documents(void)
{
	bad("[]", "wanted a JSON object");
	bad("{\"trunk\": \"a\",\n \"trunk\": \"b\"}",
	    "line 2, column 8: duplicate object key near '\"trunk\"'");
}

static void test_files(void)
{
	char wanted[2 * PATH_MAX];
	struct error err = { 0 };
	struct node node;

	check(unlink(file) == 0);
	snprintf(wanted, sizeof(wanted), "node file %s: does not exist", file);
	check_error(node_load(&node, NULL, &err), &err, ERROR_INVALID_CONFIG, wanted);

	check(setenv("HBR_CNI_NODE", dir, 1) == 0);
	snprintf(wanted, sizeof(wanted),
		 "node file %s: wanted a regular file of at most 1048576 bytes", dir);
	check_error(node_load(&node, NULL, &err), &err, ERROR_INVALID_CONFIG, wanted);

	/* The default file is the only one that may be absent. */
	check(setenv("HBR_CNI_NODE", "", 1) == 0);
	check(access(NODE_FILE, F_OK) == 0 || node_load(&node, NULL, &err) == 0);

	check(setenv("HBR_CNI_NODE", file, 1) == 0);
	write_file("{}");
	check(truncate(file, 1048577) == 0);
	snprintf(wanted, sizeof(wanted),
		 "node file %s: wanted a regular file of at most 1048576 bytes", file);
	check_error(node_load(&node, NULL, &err), &err, ERROR_INVALID_CONFIG, wanted);
}

static void test_overridable(void)
{
	static const char allowed[] = "{\"overridable\": [\"hbrNetns\", \"mtu\"], \"mtu\": 1400}";
	char wanted[2 * PATH_MAX];
	struct error err = { 0 };
	struct node node;

	check(load(allowed, "{\"hbrNetns\": \"/x/blue\"}", &node, &err) == 0);
	check_str(node.hbr_netns, "/x/blue");
	check(node.mtu == 1400);
	check_slug(&node, "/x/blue");
	check(load(allowed, "{\"mtu\": null, \"trunk\": null}", &node, &err) == 0);

	refused(allowed, "{\"mtu\": 1}", ERROR_INVALID_CONFIG,
		"hbr: mtu: 1 is not allowed: wanted a number from 68 to 65535");
	refused(allowed, "[]", ERROR_INVALID_CONFIG,
		"hbr: [] is not allowed: wanted an object with keys of the node's file");
	for (size_t i = 0; i < 3; i++) {
		static const char *const keys[] = { "trunk", "stateDir", "colour" };
		char hbr[64];

		snprintf(hbr, sizeof(hbr), "{\"%s\": \"/x\"}", keys[i]);
		snprintf(wanted, sizeof(wanted),
			 "hbr.%s: the node's file %s does not list \"%s\" in overridable", keys[i],
			 file, keys[i]);
		refused(allowed, hbr, ERROR_INVALID_CONFIG, wanted);
	}
}

static void test_never_overridable(void)
{
	static const char *const keys[] = { "stateDir", "frr", "policy", "overridable", "colour" };
	char text[64], wanted[256];

	for (size_t i = 0; i < COUNT(keys); i++) {
		snprintf(text, sizeof(text), "{\"overridable\": [\"%s\"]}", keys[i]);
		snprintf(wanted, sizeof(wanted),
			 "overridable: \"%s\" is not allowed: wanted keys of this file other than "
			 "stateDir, frr, policy and overridable",
			 keys[i]);
		bad(text, wanted);
	}
	bad("{\"overridable\": \"mtu\"}",
	    "overridable: \"mtu\" is not allowed: wanted a list of keys of this file");
}

static const char *below_dir(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);

	return path;
}

/* One namespace has one slug, by whatever symbolic link the path goes, and there or not. */
static void test_slug(void)
{
	char real[PATH_MAX], wanted[PATH_MAX + 16], text[2 * PATH_MAX];
	struct node node;

	check(realpath(dir, real));
	snprintf(wanted, sizeof(wanted), "%s/run/netns/hbr", real);
	check(mkdir(below_dir("run"), 0700) == 0);
	check(symlink("run", below_dir("link")) == 0);

	snprintf(text, sizeof(text), "{\"hbrNetns\": \"%s/link/netns/hbr\"}", dir);
	good(text, &node); /* run/netns does not exist yet */
	check_slug(&node, wanted);

	check(mkdir(below_dir("run/netns"), 0700) == 0);
	snprintf(text, sizeof(text), "{\"hbrNetns\": \"%s/link//netns/hbr/\"}", dir);
	good(text, &node);
	check_slug(&node, wanted);

	check(rmdir(below_dir("run/netns")) == 0 && rmdir(below_dir("run")) == 0);
	check(unlink(below_dir("link")) == 0);
}

int main(void)
{
	unit_dir(dir);
	snprintf(file, sizeof(file), "%s/node.json", dir);
	check(setenv("HBR_CNI_NODE", file, 1) == 0);

	test_defaults();
	test_every_key();
	test_frr();
	test_dump();
	test_vtep();
	test_ranges();
	test_documents();
	test_files();
	test_overridable();
	test_never_overridable();
	test_slug();

	check(unlink(file) == 0 && rmdir(dir) == 0);

	return 0;
}
