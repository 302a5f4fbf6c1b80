// SPDX-License-Identifier: Apache-2.0
#include "test/unit/documents.h"

static void parses(const char *text, enum version assumed, const char *wanted)
{
	auto_json json_t *document = json(text);
	auto_json json_t *before = json_deep_copy(document);
	auto_json json_t *result = NULL;
	auto_json json_t *exported = NULL;
	struct error err = { 0 };

	if (result_parse(document, assumed, ERROR_DELEGATE_RESULT, &result, &err) < 0)
		fprintf(stderr, "%s: %s\n", text, err.msg);
	check(result != NULL);
	check(json_equal(document, before));

	exported = result_export(result, CNI_1_1_0);
	check_json(exported, wanted);
}

static void reads_every_version(void)
{
	static const char ip[] =
		"{'cniVersion':'1.1.0','ips':[{'address':'10.1.0.5/24','gateway':'10.1"
		".0.1'}]}";

	for (unsigned i = CNI_0_3_0; i <= CNI_0_4_0; i++)
		parses("{'ips':[{'version':'4','address':'10.1.0.5/24','gateway':'10.1"
		       ".0.1'}]}",
		       (enum version)i, ip);
	for (unsigned i = CNI_0_1_0; i <= CNI_0_2_0; i++)
		parses("{'ip4':{'ip':'10.1.0.5/24','gateway':'10.1.0.1'},'ip6':null}",
		       (enum version)i, ip);
	for (unsigned i = CNI_1_0_0; i <= CNI_1_1_0; i++)
		parses("{'ips':[{'address':'10.1.0.5/24','gateway':'10.1.0.1'}]}", (enum version)i,
		       ip);

	/* Its own version decides over the one assumed, whichever way that is written. */
	parses("{'cniVersion':'0.2.0','ip4':{'ip':'10.1.0.5/24','gateway':'10.1.0.1'}"
	       "}",
	       CNI_1_1_0, ip);
	parses("{'CNIVersion':'0.2.0','ip4':{'ip':'10.1.0.5/24','gateway':'10.1.0.1'}"
	       "}",
	       CNI_1_1_0, ip);
	parses("{'cniVersion':'','ip4':{'ip':'10.1.0.5/24','gateway':'10.1.0.1'}}", CNI_0_1_0, ip);
	parses("{'cniVersion':'0.3.0','ip':[{'version':'4','address':'10.1.0.5/24',"
	       "'gateway':'10.1.0.1'}]}",
	       CNI_1_1_0, ip);
}

static void reads_odd_forms(void)
{
	/* null is absent, and an index into no list goes. */
	parses("{'interfaces':null,'ips':[{'interface':0,'address':'fd00::5/64',"
	       "'gateway':null}],'routes':null,'dns':null}",
	       CNI_1_0_0, "{'cniVersion':'1.1.0','ips':[{'address':'fd00::5/64'}]}");
	/* Routes of both families, and dns, of an old document. */
	parses("{'ip4':{'ip':'10.1.0.5/24','routes':[{'dst':'0.0.0.0/0'}]},'ip6':{"
	       "'ip':'fd00::5/64','routes':[{'dst':'::/0','gw':'fd00::1'}]},'dns':{"
	       "'domain':'x'}}",
	       CNI_0_2_0,
	       "{'cniVersion':'1.1.0','ips':[{'address':'10.1.0.5/24'},{'address':"
	       "'fd00::5/64'}],'routes':[{'dst':'0.0.0.0/0'},{'dst':'::/0','gw':"
	       "'fd00::1'}],'dns':{'domain':'x'}}");
	parses("{}", CNI_0_2_0, "{'cniVersion':'1.1.0'}");
	parses("{}", CNI_1_0_0, "{'cniVersion':'1.1.0'}");
}

static void refuses(const char *text, const char *wanted)
{
	auto_json json_t *document = json(text);
	auto_free char *message = quoted(wanted);
	json_t *result = NULL;
	struct error err = { 0 };

	check_error(result_parse(document, CNI_1_0_0, ERROR_DELEGATE_RESULT, &result, &err), &err,
		    ERROR_DELEGATE_RESULT, message);
	check(result == NULL);
}

static void refusals(void)
{
	refuses("[]", "wanted an object");
	refuses("{'cniVersion':'1.2.0'}",
		"cniVersion: '1.2.0' is not allowed: wanted 0.1.0 to 1.1.0");
	refuses("{'cniVersion':1}", "cniVersion: 1 is not allowed: wanted 0.1.0 to 1.1.0");
	refuses("{'ips':{}}", "ips: wanted a list");
	refuses("{'ips':[1]}", "ips[0]: wanted an object");
	refuses("{'ips':[{}]}", "ips[0].address is missing: wanted address/prefix");
	refuses("{'ips':[{'address':'10.1.0.5'}]}",
		"ips[0].address: '10.1.0.5' is not allowed: wanted address/prefix");
	refuses("{'ips':[{'address':'10.1.0.5/8','gateway':1}]}",
		"ips[0].gateway: 1 is not allowed: wanted an IP address");
	refuses("{'ips':[{'address':'10.1.0.5/8','gateway':'fd00::1'}]}",
		"ips[0].gateway: 'fd00::1' is not allowed: wanted an address of the family of "
		"address");
	refuses("{'interfaces':[{'name':'a'}],'ips':[{'address':'10.1.0.5/8',"
		"'interface':1}]}",
		"ips[0].interface: 1 is not allowed: wanted an index into interfaces");
	refuses("{'interfaces':[{'name':'a'}],'ips':[{'address':'10.1.0.5/8',"
		"'interface':-1}]}",
		"ips[0].interface: -1 is not allowed: wanted an index into interfaces");
	refuses("{'interfaces':[{'name':1}]}",
		"interfaces[0].name: 1 is not allowed: wanted a text");
	refuses("{'interfaces':[{'mtu':'1'}]}",
		"interfaces[0].mtu: '1' is not allowed: wanted a number");
	refuses("{'routes':[{'dst':'0.0.0.0/0'},{'dst':'default'}]}",
		"routes[1].dst: 'default' is not allowed: wanted address/prefix");
	refuses("{'routes':[{'dst':'::/0','gw':'10.0.0.1'}]}",
		"routes[0].gw: '10.0.0.1' is not allowed: wanted an address of the family of "
		"dst");
	refuses("{'routes':[{'dst':'::/0','table':4294967296}]}",
		"routes[0].table: 4294967296 is not allowed: wanted a number from 0 to 4294967295");
	refuses("{'routes':[{'dst':'::/0','scope':256}]}",
		"routes[0].scope: 256 is not allowed: wanted a number from 0 to 255");
	refuses("{'dns':[]}", "dns: wanted an object");
	refuses("{'cniVersion':'0.2.0','ip4':[]}",
		"ip4: wanted an object with ip, gateway and routes");
	refuses("{'cniVersion':'0.2.0','ip4':{}}",
		"ips[0].address is missing: wanted address/prefix");
}

int main(void)
{
	reads_every_version();
	reads_odd_forms();
	refusals();

	return 0;
}
