// SPDX-License-Identifier: Apache-2.0
/* Of the HBR netns (check.h): the trunk, the tunnel's end, what packets need, FRR. */
#include <stdio.h>
#include <string.h>

#include "hbrctl/check.h"
#include "shared/base/cleanup.h"
#include "shared/cni/status.h"
#include "shared/kernel/sysctl.h"
#include "shared/node/frr_config.h"
#include "shared/node/frr_vtysh.h"
#include "shared/node/node_mtu.h"

void check_hbr(const struct scene *scene, struct check_result *result)
{
	const char *path = scene->site.node->hbr_netns;
	auto_netns struct netns ns = NETNS_NONE;
	struct error err;

	if (scene_has_hbr(scene))
		check_say(result, CHECK_OK, "%s is there", path);
	else if (netns_open(&ns, path, &err) < 0)
		check_say(result, CHECK_ERROR, "%s: is the HBR container up?", err.msg);
	else
		check_say(result, CHECK_ERROR, "%s is the host's own: wanted one of its own", path);
}

void check_trunk(const struct scene *scene, struct check_result *result)
{
	const struct node *node = scene->site.node;
	struct netlink *nl = scene->site.nl;
	struct error err;

	if (status_check_trunk(&nl[PLACE_HOST], node->host_trunk, &err) < 0 ||
	    status_check_trunk(&nl[PLACE_HBR], node->trunk, &err) < 0)
		check_say(result, CHECK_ERROR,
			  "%s: wanted a veth between host and HBR netns, up at both ends (only "
			  "attach \"direct\" and hbr-vrf do without)",
			  err.msg);
	else
		check_say(result, CHECK_OK, "%s in the host and %s in the HBR netns are up",
			  node->host_trunk, node->trunk);
}

static int find_vtep(const struct scene *scene, struct ip *vtep, struct error *err)
{
	return node_find_vtep(scene->site.node, &scene->site.nl[PLACE_HBR], vtep, err);
}

void check_vtep(const struct scene *scene, struct check_result *result)
{
	char text[IP_TEXT_SIZE];
	struct error err;
	struct ip vtep;

	if (find_vtep(scene, &vtep, &err) < 0) {
		check_say(result, CHECK_ERROR, "%s: wanted an address that other nodes reach",
			  err.msg);
		return;
	}
	ip_print(&vtep, text);
	check_say(result, CHECK_OK, "%s", text);
}

void check_mtu(const struct scene *scene, struct check_result *result)
{
	const struct site *site = &scene->site;
	struct ip vtep = { .family = AF_INET };
	struct node_mtu found;
	struct error err;

	(void)find_vtep(scene, &vtep, &err);
	if (node_find_mtu(site->node, &site->nl[PLACE_HBR], &site->nl[PLACE_HOST], vtep.family,
			  &found, &err) < 0)
		check_say(result, CHECK_ERROR, "%s", err.msg);
	else if (site->node->mtu > found.mtu)
		check_say(result, CHECK_ERROR,
			  "mtu of the node file is %u, but the path carries %u (%s): wanted a "
			  "smaller one, or a larger path",
			  site->node->mtu, found.mtu, found.limit);
	else
		check_say(result, CHECK_OK, "pods can have %u (%s)", found.mtu, found.limit);
}

struct question {
	const char *path;
	long value;
};

static int ask(void *arg, struct error *err)
{
	struct question *question = arg;

	return sysctl_get(question->path, &question->value, err);
}

/* A sysctl of the HBR netns; fallback where it is not there. */
static long get(const struct scene *scene, const char *path, long fallback)
{
	struct question question = { path, 0 };
	struct error err;

	return netns_call(scene->site.hbr, ask, &question, &err) == 1 ? question.value : fallback;
}

static void say_forwarding(bool is_on, const char *name, const char *what, enum check_level level,
			   struct check_result *result)
{
	if (is_on)
		check_say(result, CHECK_OK, "net.%s is 1 in the HBR netns", name);
	else
		check_say(result, level,
			  "net.%s is 0 in the HBR netns, %s is routed there: wanted 1", name, what);
}

void check_forwarding(const struct scene *scene, struct check_result *result)
{
	say_forwarding(get(scene, "ipv4/ip_forward", 0), "ipv4.ip_forward", "nothing", CHECK_ERROR,
		       result);
}

void check_forwarding6(const struct scene *scene, struct check_result *result)
{
	say_forwarding(get(scene, "ipv6/conf/all/forwarding", 0), "ipv6.conf.all.forwarding",
		       "no IPv6", CHECK_WARNING, result);
}

void check_rp_filter(const struct scene *scene, struct check_result *result)
{
	long value = get(scene, "ipv4/conf/all/rp_filter", 0);

	if (value == 0)
		check_say(result, CHECK_OK, "net.ipv4.conf.all.rp_filter is 0 in the HBR netns");
	else
		check_say(result, CHECK_WARNING,
			  "net.ipv4.conf.all.rp_filter is %ld in the HBR netns, packets that come "
			  "another way than they go are lost: wanted 0",
			  value);
}

void check_l3mdev(const struct scene *scene, struct check_result *result)
{
	static const char key[] = "net.ipv4.tcp_l3mdev_accept";

	if (get(scene, "ipv4/tcp_l3mdev_accept", 1))
		check_say(result, CHECK_OK, "%s is 1 in the HBR netns", key);
	else
		check_say(result, CHECK_WARNING,
			  "%s is 0 in the HBR netns: a pod in a VRF reaches no BGP that listens "
			  "outside of it: wanted 1, if pods speak BGP",
			  key);
}

static void judge_frr(const struct frr_config *config, struct check_result *result)
{
	if (!config->as[0])
		check_say(result, CHECK_ERROR,
			  "FRR has no default BGP instance: wanted router bgp AS");
	else if (!config->has_evpn)
		check_say(result, CHECK_ERROR,
			  "router bgp %s has no advertise-all-vni: wanted it in address-family "
			  "l2vpn evpn",
			  config->as);
	else
		check_say(result, CHECK_OK, "router bgp %s with EVPN", config->as);
}

/* 1 and what FRR has, 0 it does not run. */
static int read_frr(const struct node_frr *frr, struct frr_config *config, struct error *err)
{
	auto_frr_run struct frr_run run = { 0 };

	if (frr_run_prepare(&run, "show running-config", false, NULL, err) < 0 ||
	    frr_run(frr, &run, err) < 0)
		return -1;
	if (frr_run_is_down(&run))
		return 0;
	if (frr_run_check(&run, err) < 0)
		return -1;
	frr_config_read(run.answers[0], "", config);

	return 1;
}

void check_frr(const struct scene *scene, struct check_result *result)
{
	const struct node_frr *frr = &scene->site.node->frr;
	struct frr_config config;
	struct error err;
	int r;

	if (!frr->is_ours) {
		check_say(result, CHECK_OK, "somebody else's: the node file has no \"frr\"");
		return;
	}
	r = read_frr(frr, &config, &err);
	if (r < 0)
		check_say(result, CHECK_ERROR, "%s: wanted a vtysh that reaches FRR", err.msg);
	else if (r == 0)
		check_say(result, CHECK_ERROR,
			  "FRR does not run, or its sockets are not in %s: wanted zebra and bgpd",
			  frr->socket_dir);
	else
		judge_frr(&config, result);
}
