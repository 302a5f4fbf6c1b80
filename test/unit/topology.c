// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/topology.h"

#include <sys/socket.h>

#include "shared/base/cleanup.h"
#include "shared/node/domain.h"
#include "test/unit/unit.h"

static const struct node node = { .slug = "hbr-1", .trunk = "tr", .host_trunk = "htr" };

/* Read a network as the plugin does, on that node. */
static int read_on(const struct node *on, const char *text, struct l2 *l2, struct error *err)
{
	auto_json json_t *config = json_loads(text, 0, NULL);
	uint64_t given = 0;

	*l2 = (struct l2){ 0 };
	check(config);

	return fields_parse(&l2_fields, config, l2, &given, err) < 0 ||
			       l2_settle(on, l2, &given, err) < 0
		       ? -1
		       : 0;
}

static struct l2 read_network(const char *text)
{
	struct error err = { 0 };
	struct l2 l2;
	int r = read_on(&node, text, &l2, &err);

	check_str(err.msg, "");
	check(r == 0);

	return l2;
}

/* What the first pod of a domain settles. */
static struct l2 settled(const char *text, const char *local)
{
	struct l2 l2 = read_network(text);

	check(parse_ip(local, &l2.local));
	l2.vxlan_port = 4789;
	l2.interface.mtu = l2.interface.mtu ? l2.interface.mtu : 1450;
	l2.vlan = l2.vlan ? l2.vlan : 100;

	return l2;
}

static void golden(const struct link *link, enum link_place place, const char *wanted)
{
	char text[512];

	link_describe(link, text, sizeof(text));
	check_str(text, wanted);
	check(link->place == place && !link->is_new && link->index == 0);
}

static void test_domain_links(void)
{
	struct l2 l2 = settled("{\"vni\": 10100, \"vrf\": \"red\"}", "192.0.2.1");
	struct link links[LINKS_MAX] = { 0 };

	check(l2_links(&node, &l2, links) == 2);
	golden(&links[0], PLACE_HBR,
	       "br.10100 type bridge stp_state 0 mcast_snooping 0 vlan_filtering 0 "
	       "group 1744840564 alias \"hbr-cni:hbr-1:bridge:10100\" address 02:2f:7a:d1:dd:6d "
	       "mtu 1450 addrgenmode 1 master red");
	golden(&links[1], PLACE_HBR,
	       "vx.10100 type vxlan id 10100 local 192.0.2.1 dstport 4789 learning 0 "
	       "group 1744840564 alias \"hbr-cni:hbr-1:vxlan:10100\" address 02:d4:da:9b:1c:f3 "
	       "mtu 1450 addrgenmode 1 learning 0 neigh_suppress 0 isolated 0 hairpin 0 locked 0 "
	       "master br.10100");
}

static void test_trunk_links(void)
{
	struct l2 l2 = settled("{\"vni\": 10100, \"vlan\": 4094, \"mtu\": 9000}", "192.0.2.1");
	struct link links[LINKS_MAX] = { 0 };

	check(l2_trunk_links(&node, &l2, links) == 3);
	golden(&links[0], PLACE_HOST,
	       "br.10100 type bridge stp_state 0 mcast_snooping 0 vlan_filtering 0 "
	       "group 1744840564 alias \"hbr-cni:hbr-1:host-bridge:10100\" "
	       "address 02:91:b3:ea:70:60 mtu 9000 addrgenmode 1");
	golden(&links[1], PLACE_HOST,
	       "tr.4094 type vlan id 4094 group 1744840564 "
	       "alias \"hbr-cni:hbr-1:host-vlan:10100\" address 02:bd:9b:57:83:44 mtu 9000 "
	       "addrgenmode 1 learning 1 neigh_suppress 0 isolated 0 hairpin 0 locked 0 link htr "
	       "master br.10100");
	golden(&links[2], PLACE_HBR,
	       "tr.4094 type vlan id 4094 group 1744840564 alias \"hbr-cni:hbr-1:vlan:10100\" "
	       "address 02:d7:59:dc:d0:79 mtu 9000 addrgenmode 1 learning 1 neigh_suppress 0 "
	       "isolated 0 hairpin 0 locked 0 link tr master br.10100");
}

/* Macvlans are on the host's VLAN, which is in no bridge. */
static void test_trunk_links_of_macvlans(void)
{
	struct l2 l2 =
		settled("{\"vni\": 10100, \"vlan\": 100, \"attach\": \"macvlan\"}", "192.0.2.1");
	struct link links[LINKS_MAX] = { 0 };
	struct domain domains[4];
	uint64_t given = 0;

	check(l2_trunk_links(&node, &l2, links) == 2);
	golden(&links[0], PLACE_HOST,
	       "tr.100 type vlan id 100 group 1744840564 "
	       "alias \"hbr-cni:hbr-1:host-vlan:10100\" address 02:bd:9b:57:83:44 mtu 1450 "
	       "addrgenmode 1 link htr");
	golden(&links[1], PLACE_HBR,
	       "tr.100 type vlan id 100 group 1744840564 alias \"hbr-cni:hbr-1:vlan:10100\" "
	       "address 02:d7:59:dc:d0:79 mtu 1450 addrgenmode 1 learning 1 neigh_suppress 0 "
	       "isolated 0 hairpin 0 locked 0 link tr master br.10100");
	check(l2_domains(&l2, &given, domains) == 2);

	l2.attach = ATTACH_DIRECT;
	check(l2_domains(&l2, &given, domains) == 1);
	check_str(domains[0].name, "l2-10100");
}

/* The largest of everything: no name is cut. */
static void test_longest(void)
{
	struct l2 l2 =
		settled("{\"vni\": 16777215, \"vlan\": 4094, \"neighSuppress\": true}", "fd00::1");
	struct link links[LINKS_MAX] = { 0 };
	struct domain domains[4];
	uint64_t given = 0;

	check(l2_links(&node, &l2, links) == 2);
	golden(&links[1], PLACE_HBR,
	       "vx.16777215 type vxlan id 16777215 local fd00::1 dstport 4789 learning 0 "
	       "group 1761607679 alias \"hbr-cni:hbr-1:vxlan:16777215\" address 02:fe:70:fc:f2:d3 "
	       "mtu 1450 addrgenmode 1 learning 0 neigh_suppress 1 isolated 0 hairpin 0 locked 0 "
	       "master br.16777215");
	check(l2_domains(&l2, &given, domains) == 2);
	check_str(domains[0].name, "l2-16777215");
	check_str(domains[0].title, "the L2 domain of VNI 16777215");
	check_str(domains[1].name, "trunk-16777215");
	check_str(domains[1].title, "the VLAN of VNI 16777215");
}

static struct mac mac_of(const struct l2 *l2, size_t i)
{
	struct link links[LINKS_MAX] = { 0 };
	size_t n = l2_links(&node, l2, links);

	check(i < n + l2_trunk_links(&node, l2, &links[n]));

	return links[i].mac;
}

/* The same when made again; different of each link, VNI and VTEP. */
static void test_macs(void)
{
	struct l2 l2 = settled("{\"vni\": 10100}", "192.0.2.1");
	struct l2 again = settled("{\"vni\": 10100, \"mtu\": 1400, \"vlan\": 7}", "192.0.2.1");
	struct l2 vni = settled("{\"vni\": 10101}", "192.0.2.1");
	struct l2 node2 = settled("{\"vni\": 10100}", "192.0.2.2");

	for (size_t i = 0; i < 5; i++) {
		struct mac mac = mac_of(&l2, i), other;

		check(mac.bytes[0] == 2);
		other = mac_of(&again, i);
		check(mac_equal(&mac, &other));
		other = mac_of(&vni, i);
		check(!mac_equal(&mac, &other));
		other = mac_of(&node2, i);
		check(!mac_equal(&mac, &other));
		for (size_t k = 0; k < i; k++) {
			other = mac_of(&l2, k);
			check(!mac_equal(&mac, &other));
		}
	}
}

static void port_is(const char *text, enum link_place place, const char *wanted)
{
	struct l2 l2 = settled(text, "192.0.2.1");
	struct link port = {
		.kind = LINK_VETH,
		.name = "pv0",
		.mac = { { 2, 0, 0, 0, 0, 9 } },
		.peer = { .name = "net1", .mac = { { 2, 0, 0, 0, 0, 8 } } },
	};

	l2_port(&node, &l2, &port);
	golden(&port, place, wanted);
	check_str(port.made_as, place == PLACE_POD ? "pv0" : "");
}

static void test_port(void)
{
	port_is("{\"vni\": 7}", PLACE_HOST,
		"pv0 type veth group 1744830471 address 02:00:00:00:00:09 mtu 1450 addrgenmode 1 "
		"learning 1 neigh_suppress 0 isolated 0 hairpin 0 locked 0 master br.7");
	port_is("{\"vni\": 7, \"attach\": \"direct\"}", PLACE_HBR,
		"pv0 type veth group 1744830471 address 02:00:00:00:00:09 mtu 1450 addrgenmode 1 "
		"learning 1 neigh_suppress 0 isolated 0 hairpin 0 locked 0 master br.7");
	port_is("{\"vni\": 7, \"vlan\": 9, \"attach\": \"macvlan\"}", PLACE_POD,
		"net1 type macvlan mode 4 group 1744830471 address 02:00:00:00:00:08 mtu 1450 "
		"link tr.9");
	port_is("{\"vni\": 7, \"isolated\": true}", PLACE_HOST,
		"pv0 type veth group 1744830471 address 02:00:00:00:00:09 mtu 1450 addrgenmode 1 "
		"learning 1 neigh_suppress 0 isolated 1 hairpin 0 locked 0 master br.7");
	port_is("{\"vni\": 7, \"hairpinMode\": true, \"macspoofchk\": true, \"neighSuppress\": true}",
		PLACE_HOST,
		"pv0 type veth group 1744830471 address 02:00:00:00:00:09 mtu 1450 addrgenmode 1 "
		"learning 0 neigh_suppress 0 isolated 0 hairpin 1 locked 1 master br.7");
}

static void test_every_key(void)
{
	struct l2 l2 = read_network(
		"{\"vni\": \"16777215\", \"vlan\": 1, \"vrf\": \"red\", \"attach\": \"bridge\", "
		"\"mobile\": \"true\", \"isolated\": true, \"hairpin\": true, \"macspoofchk\": true, "
		"\"neighSuppress\": true, \"mtu\": 68, \"mac\": \"02-00-00-00-00-0A\", "
		"\"enabledad\": true, \"promisc\": true, \"allmulti\": true, "
		"\"disableContainerInterface\": true, \"ipam\": {\"type\": \"static\"}, "
		"\"dns\": {}, \"unknown\": [], "
		"\"addresses\": [{\"address\": \"10.0.0.1/24\", \"gateway\": \"10.0.0.254\"}], "
		"\"routes\": [{\"dst\": \"0.0.0.0/0\"}]}");
	char mac[MAC_TEXT_SIZE];

	mac_print(&l2.interface.mac, mac);
	check_str(mac, "02:00:00:00:00:0a");
	check_str(l2.vrf.name, "red");
	check(l2.vni == 16777215 && l2.vlan == 1 && l2.attach == ATTACH_BRIDGE);
	check(l2.mobile && l2.isolated && l2.hairpin && l2.macspoofchk && l2.neigh_suppress);
	check(l2.interface.mtu == 68 && l2.interface.dad && l2.interface.promisc);
	check(l2.interface.allmulti && l2.interface.stay_down);
	check(l2.interface.addressing.n_ips == 1 && l2.interface.addressing.n_routes == 1);

	l2 = read_network("{\"vni\": 1, \"portIsolation\": true, \"hairpinMode\": \"true\", "
			  "\"promiscMode\": true, \"vlan\": null, \"vrf\": \"\"}");
	check(l2.isolated && l2.hairpin && l2.interface.promisc && !l2.mobile && l2.vlan == 0);
	check_str(l2.vrf.name, "");
}

static void refused(const char *text, int code, const char *wanted)
{
	struct error err = { 0 };
	struct l2 l2;

	check_error(read_on(&node, text, &l2, &err), &err, code, wanted);
}

static void bad(const char *text, const char *wanted)
{
	refused(text, ERROR_INVALID_CONFIG, wanted);
}

static void test_ranges(void)
{
	bad("{}", "vni is missing: wanted a number from 1 to 16777215");
	bad("{\"vni\": 0}", "vni: 0 is not allowed: wanted a number from 1 to 16777215");
	bad("{\"vni\": 16777216}",
	    "vni: 16777216 is not allowed: wanted a number from 1 to 16777215");
	bad("{\"vni\": 4294967397}",
	    "vni: 4294967397 is not allowed: wanted a number from 1 to 16777215");
	bad("{\"vni\": 1, \"vlan\": 0}", "vlan: 0 is not allowed: wanted a number from 1 to 4094");
	bad("{\"vni\": 1, \"vlan\": 4095}",
	    "vlan: 4095 is not allowed: wanted a number from 1 to 4094");
	bad("{\"vni\": 1, \"vlan\": 1.5}",
	    "vlan: 1.5 is not allowed: wanted a number from 1 to 4094");
	bad("{\"vni\": 1, \"vrf\": \"sixteen-bytes-xx\"}",
	    "vrf: \"sixteen-bytes-xx\" is not allowed: wanted the name of a VRF: 1 to 15 ASCII characters without blanks, '/', ':' and '%', and not \".\", \"..\", \"all\", \"default\" or \"lo\"");
	bad("{\"vni\": 1, \"vrf\": 7}",
	    "vrf: 7 is not allowed: wanted the name of a VRF that is there, \"\" for none, or an object with name, vni, table, routeTargets, importVrfs");
	bad("{\"vni\": 1, \"mtu\": 67}",
	    "mtu: 67 is not allowed: wanted a number from 68 to 65535, or 0 for the default");
	bad("{\"vni\": 1, \"mtu\": 65536}",
	    "mtu: 65536 is not allowed: wanted a number from 68 to 65535, or 0 for the default");
	bad("{\"vni\": 1, \"mac\": \"01:00:00:00:00:01\"}",
	    "mac: \"01:00:00:00:00:01\" is not allowed: wanted a unicast MAC address like 02:00:5e:10:00:01");
	bad("{\"vni\": 1, \"isolated\": \"yes\"}",
	    "isolated: \"yes\" is not allowed: wanted true or false");
	bad("{\"vni\": 1, \"attach\": \"Bridge\"}",
	    "attach: \"Bridge\" is not allowed: wanted one of bridge, macvlan, direct");
	bad("{\"vni\": 1, \"addresses\": \"10.0.0.1/24\"}",
	    "addresses: \"10.0.0.1/24\" is not allowed: wanted a list");
	bad("{\"vni\": 1, \"addresses\": [{\"address\": \"10.0.0.1\"}]}",
	    "addresses[0].address: \"10.0.0.1\" is not allowed: wanted address/prefix");
}

/* A VRF that may be made, and the gateway of its domain. */
static void test_gateways(void)
{
	struct l2 l2 =
		read_network("{\"vni\": 1, \"gateway\": [\"10.0.0.1/24\", \"fd00::1/64\"], "
			     "\"vrf\": {\"name\": \"red\", \"vni\": \"5000\", \"table\": 7}}");
	struct l2 plain = read_network("{\"vni\": 1, \"vrf\": \"red\"}");

	check(l2.vrf.may_be_made && l2.vrf.vni == 5000 && l2.vrf.table == 7);
	check(l2.gateways.n == 2 && l2_has_gateway(&l2, AF_INET) && l2_has_gateway(&l2, AF_INET6));
	check(!plain.vrf.may_be_made && !l2_has_gateway(&plain, AF_INET));

	bad("{\"vni\": 1, \"vrf\": {\"vni\": 5000}}",
	    "vrf: name is missing: wanted the name of a VRF: 1 to 15 ASCII characters without blanks, '/', ':' and '%', and not \".\", \"..\", \"all\", \"default\" or \"lo\"");
	bad("{\"vni\": 1, \"vrf\": {\"name\": \"red\", \"table\": 254}}",
	    "vrf: table: 254 is not allowed: wanted a number from 1 to 4294967295 except 253, 254 and 255, which are the kernel's");
	bad("{\"vni\": 1, \"gateway\": \"10.0.0.1/24\"}",
	    "gateway: \"10.0.0.1/24\" is not allowed: wanted a list of at most 16 addresses with prefix length");
	bad("{\"vni\": 1, \"gateway\": [\"10.0.0.1\"]}",
	    "gateway: \"10.0.0.1\" is not allowed: wanted unicast addresses with prefix length, such as 10.0.0.1/24 or fd00::1/64");
	bad("{\"vni\": 1, \"gateway\": [\"224.0.0.1/24\"]}",
	    "gateway: \"224.0.0.1/24\" is not allowed: wanted unicast addresses with prefix length, such as 10.0.0.1/24 or fd00::1/64");
}

/* A macvlan is no port of a bridge. */
static void test_macvlan_keys(void)
{
	refused("{\"vni\": 1, \"attach\": \"macvlan\", \"isolated\": true}", ERROR_UNSUPPORTED,
		"isolated: true is not possible with attach \"macvlan\": wanted \"bridge\" or \"direct\"");
	refused("{\"vni\": 1, \"attach\": \"macvlan\", \"hairpinMode\": true}", ERROR_UNSUPPORTED,
		"hairpin: true is not possible with attach \"macvlan\": wanted \"bridge\" or \"direct\"");
	refused("{\"vni\": 1, \"attach\": \"macvlan\", \"macspoofchk\": true}", ERROR_UNSUPPORTED,
		"macspoofchk: true is not possible with attach \"macvlan\": wanted \"bridge\" or \"direct\"");
	(void)read_network("{\"vni\": 1, \"attach\": \"macvlan\", \"isolated\": false}");
	(void)read_network("{\"vni\": 1, \"attach\": \"direct\", \"isolated\": true}");
}

/* The node's attach is taken where the network names none; its VTEP address is as if asked for. */
static void test_node(void)
{
	struct node other = node;
	struct error err = { 0 };
	uint64_t given = 0;
	struct l2 l2 = { .interface.mtu = 0 };
	char text[IP_TEXT_SIZE];

	other.attach = ATTACH_DIRECT;
	check(read_on(&other, "{\"vni\": 1}", &l2, &err) == 0);
	check(l2.attach == ATTACH_DIRECT);
	check(read_on(&other, "{\"vni\": 1, \"attach\": \"bridge\"}", &l2, &err) == 0);
	check(l2.attach == ATTACH_BRIDGE);

	check(parse_ip("192.0.2.9", &other.vtep.address));
	check(read_on(&other, "{\"vni\": 1, \"attach\": \"bridge\"}", &l2, &err) == 0);
	ip_print(&l2.local, text);
	check_str(text, "192.0.2.9");

	/* An MTU of 0 is not an MTU that was asked for. */
	l2 = (struct l2){ 0 };
	field_give(&l2_fields, &given, offsetof(struct l2, interface.mtu));
	check(l2_settle(&node, &l2, &given, &err) == 0);
	check(!field_given(&l2_fields, given, offsetof(struct l2, interface.mtu)));
}

/* A domain by the name that it has in the store; of its leg's, the domain is found as well. */
static void test_names(void)
{
	static const char *const others[] = { "l2-",    "l2-010",     "l2-10100x", "l2-4294967296",
					      "l2-red", "trunk-",     "vrf-10100", "L2-10100",
					      "",       "l2-10100-1", "xl2-10100" };
	static const char *const names[] = { "l2-10100", "trunk-10100" };
	struct domain domain, leg;
	uint64_t given = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct l2 l2 = { .vni = 0 };

		check(l2_find_domain(names[i], &l2, &given, &domain));
		check(l2.vni == 10100);
		check_str(domain.name, "l2-10100");
		check(domain_leg(&domain, &leg));
		check_str(leg.name, "trunk-10100");
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		struct l2 l2 = { .vni = 0 };

		check(!l2_find_domain(others[i], &l2, &given, &domain));
	}
}

int main(void)
{
	test_domain_links();
	test_trunk_links();
	test_trunk_links_of_macvlans();
	test_longest();
	test_macs();
	test_port();
	test_every_key();
	test_ranges();
	test_gateways();
	test_macvlan_keys();
	test_node();
	test_names();

	return 0;
}
