// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/socket.h>

#include "plugins/hbr-vrf/topology.h"
#include "shared/base/cleanup.h"
#include "shared/node/domain.h"
#include "test/unit/unit.h"

static const struct node node = { .slug = "hbr-1" };

static int read_on(const char *text, struct l3 *l3, struct error *err)
{
	auto_json json_t *config = json_loads(text, 0, NULL);
	uint64_t given = 0;

	*l3 = (struct l3){ 0 };
	check(config);

	return fields_parse(&l3_fields, config, l3, &given, err) < 0 ||
			       l3_settle(&node, l3, &given, err) < 0
		       ? -1
		       : 0;
}

static struct l3 read_network(const char *text)
{
	struct error err = { 0 };
	struct l3 l3;

	check(read_on(text, &l3, &err) == 0);
	check_str(err.msg, "");

	return l3;
}

/* What the first holder of a VRF settles. */
static struct l3 settled(const char *text, const char *local)
{
	struct l3 l3 = read_network(text);

	check(parse_ip(local, &l3.vrf.local));
	l3.vrf.vxlan_port = 4789;
	l3.vrf.mtu = 1450;
	l3.vrf.table = l3.vrf.table ? l3.vrf.table : 1005000;

	return l3;
}

static size_t list(struct l3 *l3, struct link *links)
{
	struct domain domain;
	uint64_t given = 0;

	check(l3_domains(l3, &given, &domain) == 1);

	return domain_list_links(&domain, &node, links);
}

static void golden(const struct link *link, const char *wanted)
{
	char text[512];

	link_describe(link, text, sizeof(text));
	check_str(text, wanted);
	check(link->place == PLACE_HBR && !link->is_new && link->index == 0);
}

static void test_links(void)
{
	struct l3 l3 = settled("{\"vrf\": \"red\", \"vni\": 5000}", "192.0.2.1");
	struct link links[LINKS_MAX] = { 0 };

	check(list(&l3, links) == 3);
	golden(&links[0], "red type vrf table 1005000 group 1744835464 "
			  "alias \"hbr-cni:hbr-1:vrf:red\"");
	golden(&links[1], "br.5000 type bridge stp_state 0 mcast_snooping 0 vlan_filtering 0 "
			  "group 1744835464 alias \"hbr-cni:hbr-1:l3-bridge:5000\" address "
			  "02:de:42:85:d6:79 mtu 1450 addrgenmode 1 master red");
	golden(&links[2],
	       "vx.5000 type vxlan id 5000 local 192.0.2.1 dstport 4789 learning 0 "
	       "group 1744835464 alias \"hbr-cni:hbr-1:l3-vxlan:5000\" address 02:44:45:84:64:9a "
	       "mtu 1450 addrgenmode 1 learning 0 neigh_suppress 0 isolated 0 hairpin 0 "
	       "locked 0 master br.5000");
	/* FRR has to know of it first. */
	check(!links[0].is_late && links[1].is_late && links[2].is_late && !links[0].is_foreign);
	/* A router has one MAC, whoever made its bridge. */
	check(links[1].mac_counts && !links[2].mac_counts);
	check(l3.vrf.may_be_made);
}

/* The pod's, else the node's, else the largest that the VRF can carry. */
static void port_has(const struct node *on, const char *config, uint32_t mtu)
{
	struct l3 l3 = settled(config, "192.0.2.1");
	struct link port = { .kind = LINK_VETH };

	l3_port(on, &l3, &port);
	check(port.mtu == mtu);
	check(port.place == PLACE_HBR && port.group == 1744835464 && port.addrgenmode == 1);
	check_str(port.master, "red");
}

static void test_port(void)
{
	static const struct node smaller = { .slug = "hbr-1", .mtu = 1400 };

	port_has(&node, "{\"vrf\": \"red\", \"vni\": 5000}", 1450);
	port_has(&smaller, "{\"vrf\": \"red\", \"vni\": 5000}", 1400);
	port_has(&smaller, "{\"vrf\": \"red\", \"vni\": 5000, \"mtu\": 1300}", 1300);
}

/* Without a VNI there is only the VRF, marked with its table's lower bits. */
static void test_links_without_vni(void)
{
	struct l3 l3 = settled("{\"vrf\": \"blue\", \"table\": 4294967295}", "192.0.2.1");
	struct link links[LINKS_MAX] = { 0 };

	l3.vrf.is_adopted = true;
	check(list(&l3, links) == 1);
	golden(&links[0], "blue type vrf table 4294967295 group 1761607679 "
			  "alias \"hbr-cni:hbr-1:vrf:blue\"");
	check(links[0].is_foreign);
}

/* One router MAC for all L3VNIs of a node, another one on every other node. */
static void test_router_mac(void)
{
	static const char *const networks[] = { "{\"vrf\": \"red\", \"vni\": 5000}",
						"{\"vrf\": \"blue\", \"vni\": 5001}" };
	struct link links[4][LINKS_MAX] = { 0 };

	for (size_t i = 0; i < 4; i++) {
		struct l3 l3 = settled(networks[i % 2], i < 2 ? "192.0.2.1" : "192.0.2.2");

		check(list(&l3, links[i]) == 3);
		check(!mac_equal(&links[i][1].mac, &links[i][2].mac));
	}
	check(mac_equal(&links[0][1].mac, &links[1][1].mac));
	check(!mac_equal(&links[0][1].mac, &links[2][1].mac));
	check(!mac_equal(&links[0][2].mac, &links[1][2].mac));
}

static void check_ip(const struct ip *ip, const char *wanted)
{
	char text[IP_TEXT_SIZE];

	ip_print_cidr(ip, text);
	check_str(text, wanted);
}

/* Whatever prefix it comes with, an address is a host's, and the port is the way to all else. */
static void test_addressing(void)
{
	struct l3 l3 = read_network(
		"{\"vrf\": \"red\", \"addresses\": [{\"address\": \"10.9.0.5/24\", \"gateway\": "
		"\"10.9.0.1\"}, {\"address\": \"fd09::5/64\"}], \"routes\": [{\"dst\": "
		"\"0.0.0.0/0\"}, {\"dst\": \"10.0.0.0/8\", \"gw\": \"10.9.0.1\"}, {\"dst\": "
		"\"::/0\", \"gw\": \"fe80::1\"}, {\"dst\": \"10.8.0.0/16\", \"scope\": 253}]}");
	const struct addressing *addressing = &l3.interface.addressing;

	check_ip(&addressing->ips[0].address, "10.9.0.5/32");
	check_ip(&addressing->ips[0].gateway, "169.254.1.1/32");
	check_ip(&addressing->ips[1].address, "fd09::5/128");
	check_ip(&addressing->ips[1].gateway, "fe80::1/128");
	check_ip(&addressing->routes[0].gw, "169.254.1.1/32");
	check_ip(&addressing->routes[1].gw, "169.254.1.1/32");
	check_ip(&addressing->routes[2].gw, "fe80::1/128");
	check(addressing->routes[3].gw.family == 0);
}

static void bad(const char *text, const char *wanted)
{
	struct error err = { 0 };
	struct l3 l3;

	check_error(read_on(text, &l3, &err), &err, ERROR_INVALID_CONFIG, wanted);
}

static void bad_target(const char *target)
{
	char text[128], wanted[256];

	snprintf(text, sizeof(text), "{\"vrf\": \"red\", \"routeTargets\": {\"import\": [\"%s\"]}}",
		 target);
	snprintf(wanted, sizeof(wanted),
		 "routeTargets: {\"import\":[\"%s\"]} is not allowed: wanted {\"import\": [...], "
		 "\"export\": [...]}, lists of at most 8 route targets such as \"65000:100\"",
		 target);
	bad(text, wanted);
}

static void test_bad(void)
{
	static const char name[] =
		"vrf is missing: wanted the name of a VRF: 1 to 15 ASCII characters without "
		"blanks, '/', ':' and '%', and not \".\", \"..\", \"all\", \"default\" or \"lo\"";

	bad("{}", name);
	bad("{\"vrf\": \"red\", \"vni\": 0}",
	    "vni: 0 is not allowed: wanted a number from 1 to 16777215");
	bad("{\"vrf\": \"red\", \"table\": 0}",
	    "table: 0 is not allowed: wanted a number from 1 to 4294967295 except 253, 254 and "
	    "255, which are the kernel's");
	bad("{\"vrf\": \"red\", \"table\": \"254\"}",
	    "table: \"254\" is not allowed: wanted a number from 1 to 4294967295 except 253, 254 "
	    "and 255, which are the kernel's");
	bad("{\"vrf\": \"red\", \"importVrfs\": [\"a b\"]}",
	    "importVrfs: [\"a b\"] is not allowed: wanted a list of at most 8 names of VRFs");
	bad_target("65000");
	bad_target("65000:4294967296");
	bad_target("4294967296:1");
	bad_target("fd00::1:1");
	bad_target("10.0.0.1/24:1");
	bad("{\"vrf\": \"red\", \"routes\": [{\"dst\": \"0.0.0.0/0\", \"gw\": \"10.9.0.1\"}]}",
	    "routes: 0.0.0.0/0 via 10.9.0.1 is not possible: the next hop of every route of a "
	    "routed port is 169.254.1.1: wanted that one, or none");
}

/* What a domain remembers is what it was told. */
static void test_memory(void)
{
	struct l3 l3 = settled("{\"vrf\": \"red\", \"vni\": 5000, \"importVrfs\": [\"blue\"], "
			       "\"routeTargets\": {\"import\": [\"65000:1\", \"192.0.2.1:2\"]}}",
			       "192.0.2.1");
	auto_json json_t *values = fields_dump(&vrf_fields, FIELD_USER, &l3.vrf, l3.vrf.given);
	auto_free char *text = json_dumps(values, JSON_COMPACT | JSON_SORT_KEYS);

	check_str(text, "{\"importVrfs\":[\"blue\"],\"name\":\"red\",\"routeTargets\":{"
			"\"export\":[],\"import\":[\"65000:1\",\"192.0.2.1:2\"]},\"vni\":5000}");
}

/* A domain by the name that it has in the store. */
static void test_names(void)
{
	static const char *const others[] = { "vrf-", "l2-10100", "vrf-a/b", "vrf-sixteen.letters1",
					      "vrfred" };
	struct l3 l3 = { .vrf.vni = 0 };
	struct domain domain;

	check(l3_find_domain("vrf-red", &l3, NULL, &domain));
	check_str(domain.name, "vrf-red");
	check_str(l3.vrf.name, "red");
	for (size_t i = 0; i < COUNT(others); i++)
		check(!l3_find_domain(others[i], &l3, NULL, &domain));
}

int main(void)
{
	test_links();
	test_port();
	test_links_without_vni();
	test_router_mac();
	test_addressing();
	test_bad();
	test_memory();
	test_names();

	return 0;
}
