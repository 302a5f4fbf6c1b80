// SPDX-License-Identifier: Apache-2.0
#include "test/unit/documents.h"

static const struct result_interface net1 = {
	.name = "net1",
	.sandbox = "/run/netns/pod",
	.mac = { { 2, 0, 0, 0, 0, 0xaa } },
	.mtu = 1450,
};

static json_t *build(json_t *previous, const struct addressing *addressing, json_t *dns)
{
	json_t *result = NULL;
	struct error err;

	check(result_build(previous, &net1, addressing, dns, &result, &err) == 0);

	return result;
}

#define POD_OLD "{'name':'net1','mac':'02:00:00:00:00:aa','sandbox':'/run/netns/pod'}"
#define POD_NEW                                    \
	"{'name':'net1','mac':'02:00:00:00:00:aa'" \
	",'mtu':1450,'sandbox':'/run/netns/pod'}"

static void without_addresses(void)
{
	static const char *const wanted[VERSIONS] = {
		[CNI_0_1_0] = "{'cniVersion':'0.1.0','dns':{}}",
		[CNI_0_2_0] = "{'cniVersion':'0.2.0','dns':{}}",
		[CNI_0_3_0] = "{'cniVersion':'0.3.0','interfaces':[" POD_OLD "]}",
		[CNI_0_3_1] = "{'cniVersion':'0.3.1','interfaces':[" POD_OLD "]}",
		[CNI_0_4_0] = "{'cniVersion':'0.4.0','interfaces':[" POD_OLD "]}",
		[CNI_1_0_0] = "{'cniVersion':'1.0.0','interfaces':[" POD_OLD "]}",
		[CNI_1_1_0] = "{'cniVersion':'1.1.0','interfaces':[" POD_NEW "]}",
	};
	struct addressing none = { 0 };
	auto_json json_t *result = build(NULL, &none, NULL);

	for (unsigned i = 0; i < VERSIONS; i++)
		check_export(result, (enum version)i, wanted[i]);
}

/* Two addresses of each family: only the first ones survive in 0.1.0 and 0.2.0. */
static const struct addressing *everything(void)
{
	static struct addressing all;

	all = (struct addressing){ .n_ips = 3, .n_routes = 2 };
	all.ips[0].address = cidr("10.9.0.2/24");
	all.ips[0].gateway = plain("10.9.0.1");
	all.ips[1].address = cidr("fd00::2/64");
	all.ips[2].address = cidr("10.9.1.2/24");
	all.routes[0] = (struct route){ .dst = cidr("10.0.0.0/8"),
					.gw = plain("10.9.0.1"),
					.mtu = 1400,
					.advmss = 1360,
					.priority = 5,
					.table = 100,
					.scope = 0,
					.has_scope = true };
	all.routes[1] = (struct route){ .dst = cidr("fd01::/16") };

	return &all;
}

#define FAMILIES                                                         \
	"'ip4':{'ip':'10.9.0.2/24','gateway':'10.9.0.1','routes':["      \
	"{'dst':'10.0.0.0/8','gw':'10.9.0.1'}]},'ip6':{'ip':'fd00::2/64" \
	"','routes':[{'dst':'fd01::/16'}]}"
#define IP(version, rest) "{" version "'interface':0," rest "}"
#define IPS(v4, v6)                                                              \
	"'ips':[" IP(v4, "'address':'10.9.0.2/24','gateway':'10.9.0.1'") "," IP( \
		v6, "'address':'fd00::2/64'") "," IP(v4, "'address':'10.9.1.2/24'") "]"
#define WITH_VERSION IPS("'version':'4',", "'version':'6',")
#define ROUTES_OLD                                               \
	"'routes':[{'dst':'10.0.0.0/8','gw':'10.9.0.1'},{'dst':" \
	"'fd01::/16'}]"
#define ROUTES_NEW                                                        \
	"'routes':[{'dst':'10.0.0.0/8','gw':'10.9.0.1','mtu':1400,"       \
	"'advmss':1360,'priority':5,'table':100,'scope':0},{'dst':'fd01:" \
	":/16'}]"
#define DNS                     "'dns':{'nameservers':['10.0.0.53']}"
#define WHOLE(ips, routes, pod) "'interfaces':[" pod "]," ips "," routes "," DNS "}"
#define WITHOUT_VERSION         IPS("", "")

static void with_addresses(void)
{
	static const char *const wanted[VERSIONS] = {
		[CNI_0_1_0] = "{'cniVersion':'0.1.0'," FAMILIES "," DNS "}",
		[CNI_0_2_0] = "{'cniVersion':'0.2.0'," FAMILIES "," DNS "}",
		[CNI_0_3_0] = "{'cniVersion':'0.3.0'," WHOLE(WITH_VERSION, ROUTES_OLD, POD_OLD),
		[CNI_0_3_1] = "{'cniVersion':'0.3.1'," WHOLE(WITH_VERSION, ROUTES_OLD, POD_OLD),
		[CNI_0_4_0] = "{'cniVersion':'0.4.0'," WHOLE(WITH_VERSION, ROUTES_OLD, POD_OLD),
		[CNI_1_0_0] = "{'cniVersion':'1.0.0'," WHOLE(WITHOUT_VERSION, ROUTES_OLD, POD_OLD),
		[CNI_1_1_0] = "{'cniVersion':'1.1.0'," WHOLE(WITHOUT_VERSION, ROUTES_NEW, POD_NEW),
	};
	auto_json json_t *dns = json("{'nameservers':['10.0.0.53']}");
	auto_json json_t *result = build(NULL, everything(), dns);

	for (unsigned i = 0; i < VERSIONS; i++) {
		auto_json json_t *document = result_export(result, (enum version)i);
		auto_json json_t *again = NULL;
		struct error err;

		check_json(document, wanted[i]);

		/* What we print we can read, and print again. */
		check(result_parse(document, CNI_1_1_0, ERROR_INVALID_CONFIG, &again, &err) == 0);
		check_export(again, (enum version)i, wanted[i]);
	}
}

/* Where a document differs from 0.2.0's with one address of each family, dns only if not empty. */
static void exports_of_0_2_0(void)
{
	struct addressing v6 = { .n_ips = 1 };
	auto_json json_t *result = NULL;

	v6.ips[0].address = cidr("fd00::2/64");
	v6.ips[0].gateway = plain("fd00::1");
	result = build(NULL, &v6, NULL);
	check_export(result, CNI_0_2_0,
		     "{'cniVersion':'0.2.0','ip6':{'ip':'fd00::2/64','gateway':'fd00::"
		     "1'}}");
}

/* What others put in stays, ours comes behind it with an index of its own. */
static void chain(void)
{
	static const char previous_text[] =
		"{'cniVersion':'1.1.0','interfaces':[{'name':'br0'},{'name':'eth0',"
		"'sandbox':'/x','pciID':'0000:00','vendor':1}],'ips':[{'address':"
		"'192.0.2.2/24','interface':1}],'routes':[{'dst':'0.0.0.0/0','priority'"
		":7}],'dns':{'domain':'a'},'note':true}";
	struct addressing one = { .n_ips = 1 };
	auto_json json_t *previous = json(previous_text);
	auto_json json_t *result = NULL;

	one.ips[0].address = cidr("10.9.0.2/24");
	result = build(previous, &one, NULL);
	check_export(result, CNI_1_1_0,
		     "{'cniVersion':'1.1.0','interfaces':[{'name':'br0'},{'name':"
		     "'eth0','sandbox':'/x','pciID':'0000:00','vendor':1}," POD_NEW
		     "],'ips':[{'address':'192.0.2.2/24','interface':1},{'interface':2,"
		     "'address':'10.9.0.2/24'}],'routes':[{'dst':'0.0.0.0/0','priority'"
		     ":7}],'dns':{'domain':'a'},'note':true}");
	check_export(result, CNI_0_4_0,
		     "{'cniVersion':'0.4.0','interfaces':[{'name':'br0'},{'name':"
		     "'eth0','sandbox':'/x','vendor':1}," POD_OLD
		     "],'ips':[{'version':'4','address':'192.0.2.2/24','interface':1},{"
		     "'version':'4','interface':2,'address':'10.9.0.2/24'}],'routes':[{"
		     "'dst':'0.0.0.0/0'}],'dns':{'domain':'a'},'note':true}");
	check_json(previous, previous_text);
}

static void dns_replaces(void)
{
	struct addressing none = { 0 };
	auto_json json_t *previous = json("{'dns':{'domain':'a'}}");
	auto_json json_t *dns = json("{'domain':'b'}");
	auto_json json_t *empty = json("{}");
	auto_json json_t *ours = build(previous, &none, dns);
	auto_json json_t *theirs = build(previous, &none, empty);

	check_json(json_object_get(ours, "dns"), "{'domain':'b'}");
	check_json(json_object_get(theirs, "dns"), "{'domain':'a'}");
}

static void addressing_fills_in_gateways(void)
{
	auto_json json_t *result =
		json("{'ips':[{'address':'10.1.0.5/24'},{'address':'10.2.0.5/24','gateway':"
		     "'10.2.0.1'},{'address':'fd00::5/64','gateway':''}],'routes':[{'dst':"
		     "'0.0.0.0/0','mtu':1400,'advmss':1360,'priority':5,'table':4294967295},"
		     "{'dst':'10.3.0.0/16','gw':'10.1.0.9'},{'dst':'::/0'},{'dst':"
		     "'10.4.0.0/16','scope':253},{'dst':'10.5.0.0/16','scope':0}]}");
	struct addressing is = { 0 };
	struct ip gateway = plain("10.2.0.1"), other = plain("10.1.0.9");
	struct error err;

	check(result_addressing(result, ERROR_INVALID_CONFIG, &is, &err) == 0);
	check(is.n_ips == 3 && is.n_routes == 5);
	check(is.ips[0].gateway.family == 0 && is.ips[2].gateway.family == 0);
	check(ip_equal(&is.ips[1].gateway, &gateway));
	check(ip_equal(&is.routes[0].gw, &gateway));
	check(is.routes[0].mtu == 1400 && is.routes[0].advmss == 1360);
	check(is.routes[0].priority == 5 && is.routes[0].table == UINT32_MAX);
	check(!is.routes[0].has_scope);
	check(ip_equal(&is.routes[1].gw, &other));
	check(is.routes[2].gw.family == 0); /* no address of its family has one */
	check(is.routes[3].gw.family == 0 && is.routes[3].has_scope && is.routes[3].scope == 253);
	check(ip_equal(&is.routes[4].gw, &gateway) && is.routes[4].has_scope);
}

static void addressing_has_bounds(void)
{
	auto_json json_t *ips = json_array();
	auto_json json_t *result = json_object();
	struct addressing is = { .n_ips = 77 };
	struct error err;

	json_object_set(result, "ips", ips);
	for (int i = 0; i < RESULT_IPS_MAX; i++)
		json_array_append_new(ips, json("{'address':'10.1.0.5/24'}"));
	check(result_addressing(result, ERROR_INVALID_CONFIG, &is, &err) == 0);
	check(is.n_ips == RESULT_IPS_MAX);

	json_array_append_new(ips, json("{'address':'10.1.0.5/24'}"));
	check(result_addressing(result, ERROR_INVALID_CONFIG, &is, &err) == -1);
	check(err.code == ERROR_INVALID_CONFIG);
	check_str(err.msg, "ips: 33 entries, at most 32 are possible");
	check(is.n_ips == RESULT_IPS_MAX);

	json_object_set_new(result, "ips", json("['x']"));
	check(result_addressing(result, ERROR_DELEGATE_RESULT, &is, &err) == -1);
	check(err.code == ERROR_DELEGATE_RESULT);
}

int main(void)
{
	without_addresses();
	with_addresses();
	exports_of_0_2_0();
	chain();
	dns_replaces();
	addressing_fills_in_gateways();
	addressing_has_bounds();

	check(result_export(NULL, CNI_1_1_0) == NULL);

	return 0;
}
