// SPDX-License-Identifier: Apache-2.0
/*
 * The text that FRR is told, what is read from it, and how vtysh's answers are understood: FRR
 * 8.4's own, word for word. With arguments it is the three calls themselves, for tests with an FRR:
 *
 *	frr provision|withdraw|forget VRF VNI [ROUTER-ID [IMPORTED-VRF...]]
 */
#include "shared/node/frr.h"

#include <arpa/inet.h>

#include "shared/base/cleanup.h"
#include "shared/node/frr_config.h"
#include "shared/node/frr_text.h"
#include "shared/node/frr_vtysh.h"
#include "test/unit/unit.h"

static struct error err;

static void check_expand(const char *template, const struct frr_values *values, const char *wanted)
{
	auto_free char *text = NULL;

	check(frr_expand(template, values, &text, &err) == 0);
	check_str(text, wanted);
}

static void whole_vrf(void)
{
	auto_json json_t *targets =
		json_pack("{s:[ss], s:[s]}", "import", "1:2", "10.0.0.9:3", "export", "65000:100");
	auto_json json_t *imports = json_pack("[ss]", "blue", "green");
	struct frr_vrf vrf = { "red", 5000, { 0 }, targets, imports };
	struct frr_values values = { &vrf, "65001", "10.0.0.1" };

	check_expand(frr_filter, &values,
		     "ip prefix-list hbr-cni-red seq 5 deny 169.254.0.0/16 le 32\n"
		     "ip prefix-list hbr-cni-red seq 10 deny 0.0.0.0/0\n"
		     "ip prefix-list hbr-cni-red seq 15 permit 0.0.0.0/0 le 32\n"
		     "ipv6 prefix-list hbr-cni-red seq 5 deny fe80::/10 le 128\n"
		     "ipv6 prefix-list hbr-cni-red seq 10 deny ::/0\n"
		     "ipv6 prefix-list hbr-cni-red seq 15 permit ::/0 le 128\n"
		     "route-map hbr-cni-red permit 10\n"
		     " match ip address prefix-list hbr-cni-red\n"
		     "exit\n"
		     "route-map hbr-cni-red permit 20\n"
		     " match ipv6 address prefix-list hbr-cni-red\n"
		     "exit\n");
	check_expand(frr_template, &values,
		     "vrf red\n"
		     " vni 5000\n"
		     "exit-vrf\n"
		     "router bgp 65001 vrf red\n"
		     " bgp router-id 10.0.0.1\n"
		     " no bgp ebgp-requires-policy\n"
		     " address-family ipv4 unicast\n"
		     "  redistribute connected route-map hbr-cni-red\n"
		     "  redistribute kernel route-map hbr-cni-red\n"
		     "  import vrf blue\n"
		     "  import vrf green\n"
		     " exit-address-family\n"
		     " address-family ipv6 unicast\n"
		     "  redistribute connected route-map hbr-cni-red\n"
		     "  redistribute kernel route-map hbr-cni-red\n"
		     "  import vrf blue\n"
		     "  import vrf green\n"
		     " exit-address-family\n"
		     " address-family l2vpn evpn\n"
		     "  advertise ipv4 unicast\n"
		     "  advertise ipv6 unicast\n"
		     "  route-target import 1:2\n"
		     "  route-target import 10.0.0.9:3\n"
		     "  route-target export 65000:100\n"
		     " exit-address-family\n"
		     "exit\n");
}

/* Lines without a value stay, empty: vtysh is not given those. */
static void vrf_of_one_node(void)
{
	auto_json json_t *imports = json_pack("[s]", "blue");
	struct frr_vrf vrf = { "red", 0, { 0 }, NULL, imports };
	struct frr_values values = { &vrf, "65001", "" };

	check_expand(frr_template, &values,
		     "\n\n\n"
		     "router bgp 65001 vrf red\n"
		     "\n"
		     " no bgp ebgp-requires-policy\n"
		     " address-family ipv4 unicast\n"
		     "  redistribute connected route-map hbr-cni-red\n"
		     "  redistribute kernel route-map hbr-cni-red\n"
		     "  import vrf blue\n"
		     " exit-address-family\n"
		     " address-family ipv6 unicast\n"
		     "  redistribute connected route-map hbr-cni-red\n"
		     "  redistribute kernel route-map hbr-cni-red\n"
		     "  import vrf blue\n"
		     " exit-address-family\n"
		     "\n\n\n\n\n\n"
		     "exit\n");
}

static void templates(void)
{
	static const char wanted[] =
		"is no placeholder: wanted {vrf}, {vni}, {if_vni}, {as}, {router_id}, {route_map}, "
		"{import_target}, {export_target}, {import_vrf}, or {{ for a brace";
	struct frr_vrf vrf = { "red", 5000, { 0 }, NULL, NULL };
	struct frr_values values = { &vrf, "65001", "10.0.0.1" };
	char msg[512], *text = NULL;

	check_expand("", &values, "");
	check_expand("a {vrf}{vni} {{x}", &values, "a red5000 {x}\n");
	check_expand("a {as} {{\n\n{router_id}\n", &values, "a 65001 {\n\n10.0.0.1\n");
	check_expand("import vrf {import_vrf} {vrf}\n{route_map}\n", &values, "\nhbr-cni-red\n");

	snprintf(msg, sizeof(msg), "line 2: \"{vnii}\" %s", wanted);
	check_error(frr_expand("{vni}\n {vnii}\n", &values, &text, &err), &err,
		    ERROR_INVALID_CONFIG, msg);
	snprintf(msg, sizeof(msg), "line 1: \"{vn\" %s", wanted);
	check_error(frr_expand("{vn\n", &values, &text, &err), &err, ERROR_INVALID_CONFIG, msg);
	snprintf(msg, sizeof(msg), "line 1: \"{}\" %s", wanted);
	check_error(frr_expand("{}", &values, &text, &err), &err, ERROR_INVALID_CONFIG, msg);
	check(text == NULL);
}

static const char running[] = "Building configuration...\n"
			      "\n"
			      "Current configuration:\n"
			      "!\n"
			      "frr version 8.4.4\n"
			      "!\n"
			      "vrf green\n"
			      " vni 5001\n"
			      "exit-vrf\n"
			      "!\n"
			      "vrf red\n"
			      " vni 5000 prefix-routes-only\n"
			      "exit-vrf\n"
			      "!\n"
			      "router bgp 65001\n"
			      " bgp router-id 10.0.0.1\n"
			      " !\n"
			      " address-family l2vpn evpn\n"
			      "  advertise-all-vni\n"
			      " exit-address-family\n"
			      "exit\n"
			      "!\n"
			      "router bgp 65001 view look\n"
			      "exit\n"
			      "!\n"
			      "router bgp 65002 vrf red\n"
			      " bgp router-id 10.0.0.1\n"
			      " !\n"
			      " address-family ipv4 unicast\n"
			      "  import vrf blue\n"
			      "  import vrf green\n"
			      "  import vrf made\n"
			      " exit-address-family\n"
			      " !\n"
			      " address-family ipv6 unicast\n"
			      "  import vrf made\n"
			      "  import vrf green\n"
			      " exit-address-family\n"
			      "exit\n"
			      "!\n"
			      "router bgp 65001 vrf made\n"
			      "exit\n"
			      "!\n"
			      "router bgp 65001 vrf blue\n"
			      "exit\n"
			      "!\n"
			      "router bgp 65001 vrf green\n"
			      " !\n"
			      " address-family ipv4 unicast\n"
			      "  import vrf blue\n"
			      " exit-address-family\n"
			      "exit\n"
			      "!\n"
			      "ip prefix-list hbr-cni-red seq 5 deny 169.254.0.0/16 le 32\n"
			      "ipv6 prefix-list hbr-cni-redder seq 5 deny fe80::/10 le 128\n"
			      "!\n"
			      "route-map hbr-cni-red permit 10\n"
			      " match ip address prefix-list hbr-cni-red\n"
			      "exit\n"
			      "!\n"
			      "end\n";

static struct frr_config read_config(const char *text, const char *vrf)
{
	struct frr_config config;

	frr_config_read(text, vrf, &config);

	return config;
}

/* "": nothing to say. */
static void check_undone(const char *text, const char *vrf, const char *withdrawn,
			 const char *forgotten)
{
	struct frr_config config = read_config(text, vrf);
	auto_free char *withdraw = frr_config_withdraw(text, vrf, &config);
	auto_free char *forget = frr_config_forget(vrf, &config);

	check_str(withdraw ? withdraw : "", withdrawn);
	check_str(forget ? forget : "", forgotten);
}

static void reading(void)
{
	struct frr_config config = read_config(running, "red");

	check_str(config.as, "65001");
	check(config.has_evpn && config.has_route_map);
	check(config.has_list[0] && !config.has_list[1]);
	check_str(config.vni, "5000");
	check_str(config.instance.as, "65002");
	check(!config.instance.is_bare && !config.instance.is_imported);
	check(frr_config_is_ours(&config));

	config = read_config(running, "blue");
	check(!frr_config_is_ours(&config));
	check_str(config.vni, "");
	check(config.instance.is_bare && config.instance.is_imported);

	config = read_config("router bgp 1.10 as-notation dot\n address-family l2vpn evpn\n"
			     "exit\nrouter bgp 7 vrf x\n advertise-all-vni\nexit\n",
			     "red");
	check_str(config.as, "1.10");
	check(!config.has_evpn && !config.instance.as[0]);
}

static void undoing(void)
{
	/* Of the instances that red imports only "made" is nobody's: blue is green's too. */
	check_undone(running, "red",
		     "vrf red\n no vni 5000\nexit-vrf\n"
		     "no router bgp 65002 vrf red\n"
		     "no router bgp 65001 vrf made\n",
		     "no vrf red\nno route-map hbr-cni-red\nno ip prefix-list hbr-cni-red\n");
	check_undone(
		"vrf red\nexit-vrf\nipv6 prefix-list hbr-cni-red seq 5 deny fe80::/10 le 128\n",
		"red", "", "no vrf red\nno ipv6 prefix-list hbr-cni-red\n");
	check_undone(running, "yellow", "", "no vrf yellow\n");
}

/* What vtysh printed for a configuration of two lines. */
static struct frr_run answered(const char *output, int status)
{
	static char show[] = "show vrf vni json";
	struct frr_run run = { 0 };

	check(frr_run_prepare(&run, "vrf red\n\n! a comment\n  vni 5000 \r\n", true, show, &err) ==
	      0);
	check(run.n == 5);
	frr_run_read(&run, strdup(output), status);

	return run;
}

static void check_refused(const char *output, int status, const char *wanted)
{
	auto_frr_run struct frr_run run = answered(output, status);

	check_error(frr_run_check(&run, &err), &err, ERROR_FRR, wanted);
}

static void answers(void)
{
	auto_frr_run struct frr_run run = answered("vm# configure terminal\n"
						   "vm(config)# vrf red\n"
						   "vm(config-vrf)# vni 5000\n"
						   "VNI 5000 is known\n"
						   "vm(config-vrf)# end\n"
						   "vm# show vrf vni json\n"
						   "{\n}\n",
						   0);

	check(frr_run_check(&run, &err) == 0);
	check_str(run.commands[2], "vni 5000");
	check_str(run.answers[2], "VNI 5000 is known\n");
	check_str(run.answers[4], "{\n}\n");
	check(!frr_run_is_down(&run));
}

static void refusals(void)
{
	check_refused("vm# configure terminal\nvm(config)# vrf red\n"
		      "% Unknown command: vrf red\n",
		      1, "FRR refused line 1, \"vrf red\": Unknown command: vrf red");
	check_refused("vm# configure terminal\nvm(config)# vrf red\nvm(config-vrf)# vni 5000\n"
		      "% Configuration failed.\n\nError type: validation\n"
		      "Error description: VNI 5000 is already configured as L3-VNI\n",
		      1,
		      "FRR refused line 4, \"vni 5000\": Configuration failed. Error type: "
		      "validation Error description: VNI 5000 is already configured as L3-VNI");
	/* It goes on, and its status is 0. */
	check_refused("vm# configure terminal\nvm(config)# vrf red\n"
		      "% Malformed Route Target list\nvm(config-vrf)# vni 5000\n"
		      "vm(config-vrf)# end\nvm# show vrf vni json\n{\n}\n",
		      0, "FRR refused line 1, \"vrf red\": Malformed Route Target list");
	check_refused("vm# configure terminal\nvm(config)# vrf red\nbgpd is not running\n", 1,
		      "FRR refused line 1, \"vrf red\": bgpd is not running");
	check_refused(
		"vm# configure terminal\n% locked: Session not found, No such file or directory\n",
		1, "FRR refused \"configure terminal\": locked: Session absent, does not exist");
	check_refused("", 127, "vtysh ended with status 127: ");
	check_refused("what is this\n", 0, "vtysh ended with status 0: what is this");
}

static void down(void)
{
	static const char words[] = "Exiting: failed to connect to any daemons.\n";
	auto_frr_run struct frr_run run = answered(words, 1);

	check(frr_run_is_down(&run));
	check_refused(words, 1,
		      "vtysh ended with status 1: Exiting: failed to connect to any daemons.");
}

static void too_many(void)
{
	auto_frr_run struct frr_run run = { 0 };
	char text[2 * FRR_LINES_MAX + 8];

	memset(text, 'a', sizeof(text));
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = '\n';
	text[sizeof(text) - 1] = '\0';
	check_error(frr_run_prepare(&run, text, false, NULL, &err), &err, ERROR_FRR,
		    "text for FRR: wanted at most 512 lines");
}

static int call(int argc, char **argv)
{
	auto_json json_t *imports = json_array();
	struct frr_vrf vrf = { .name = argv[2], .import_vrfs = imports };
	auto_store struct store store = { .fd = -1 };
	struct node node;
	bool touched = false;
	int r;

	vrf.vni = (uint32_t)strtoul(argv[3], NULL, 10);
	if (argc > 4)
		parse_ip(argv[4], &vrf.router_id);
	for (int i = 5; i < argc; i++)
		json_array_append_new(imports, json_string(argv[i]));
	r = node_load(&node, NULL, &err);
	if (r == 0)
		r = store_open(&store, node.state_dir, node.slug, true, &err);
	if (r == 0 && strcmp(argv[1], "provision") == 0)
		r = frr_provision(&node, &store, &vrf, &touched, &err);
	else if (r == 0 && strcmp(argv[1], "withdraw") == 0)
		r = frr_withdraw(&node, &store, &vrf, &err);
	else if (r == 0)
		r = frr_forget(&node, &store, &vrf, &err);
	printf("%d %s\n", r < 0 ? err.code : 0, r < 0 ? err.msg : touched ? "touched" : "done");

	return r < 0;
}

int main(int argc, char **argv)
{
	if (argc > 3)
		return call(argc, argv);
	whole_vrf();
	vrf_of_one_node();
	templates();
	reading();
	undoing();
	answers();
	refusals();
	down();
	too_many();

	return 0;
}
