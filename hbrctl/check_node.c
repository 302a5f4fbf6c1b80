// SPDX-License-Identifier: Apache-2.0
/* Of the machine (check.h): its kernel, the state, who else has a hand in its links. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hbrctl/check.h"
#include "hbrctl/keys.h"
#include "shared/base/cleanup.h"
#include "shared/cni/status.h"
#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/sysctl.h"

#define VERSION(major, minor) ((major)*1000ul + (minor))
#define OLDEST                VERSION(5, 15)
#define LOCKED                VERSION(5, 18) /* ports of bridges can be */

/* That it can be read has been seen already; keys that are none are ignored, in silence. */
void check_node_file(const struct scene *scene, struct check_result *result)
{
	const char *asked = getenv("HBR_CNI_NODE");
	const char *path = asked && *asked ? asked : NODE_FILE;
	auto_json json_t *object = json_load_file(path, 0, NULL), *findings = json_array();

	(void)scene;
	keys_check(&node_fields, false, object, findings);
	if (json_array_size(findings))
		check_say(result, CHECK_WARNING, "%s: %s: wanted keys of the reference", path,
			  json_string_value(json_array_get(findings, 0)));
	else
		check_say(result, CHECK_OK, "%s %s", path,
			  object ? "is right" : "is not there: all is as by default");
}

/* "6.1.0-13-amd64": 6001; 0: it cannot be told. */
static unsigned long find_version(void)
{
	struct utsname name;
	char *end;
	unsigned long major, minor;

	if (uname(&name) < 0)
		return 0;
	major = strtoul(name.release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;

	return VERSION(major, minor);
}

void check_kernel(const struct scene *scene, struct check_result *result)
{
	unsigned long version = find_version();

	(void)scene;
	if (version < OLDEST)
		check_say(result, CHECK_ERROR, "Linux %lu.%lu: wanted 5.15 or newer",
			  version / 1000, version % 1000);
	else
		check_say(result, CHECK_OK, "Linux %lu.%lu%s", version / 1000, version % 1000,
			  version < LOCKED ? " (macspoofchk is refused: it needs 5.18)" : "");
}

void check_kinds(const struct scene *scene, struct check_result *result)
{
	struct netlink *host = &scene->site.nl[PLACE_HOST];
	char missing[128] = "";
	struct error err;

	for (enum link_kind kind = 0; kind < LINK_KINDS; kind++) {
		int r = link_knows_kind(host, kind, &err);

		if (r < 0) {
			check_say(result, CHECK_WARNING, "%s: wanted root", err.msg);
			return;
		}
		if (r == 0)
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing),
				 " %s", link_kinds[kind].name);
	}
	if (missing[0])
		check_say(result, CHECK_ERROR,
			  "this kernel makes no%s: wanted these modules (vlan is 8021q)", missing);
	else
		check_say(result, CHECK_OK, "the kernel makes every kind that is needed");
}

void check_state(const struct scene *scene, struct check_result *result)
{
	const char *path = scene->site.node->state_dir;
	struct error err;

	if (status_check_state_dir(path, &err) < 0)
		check_say(result, CHECK_ERROR, "%s", err.msg);
	else
		check_say(result, CHECK_OK, "%s can be written", path);
}

void check_netfilter(const struct scene *scene, struct check_result *result)
{
	static const char key[] = "net.bridge.bridge-nf-call-iptables";
	struct error err;
	long on = 0;

	if (sysctl_get("bridge/bridge-nf-call-iptables", &on, &err) < 0)
		check_say(result, CHECK_WARNING, "%s", err.msg);
	else if (on && scene->site.node->bridge_netfilter != BRIDGE_NETFILTER_IGNORE)
		check_say(result, CHECK_WARNING,
			  "%s is on in the host, pods' frames pass its packet filter: wanted 0, or "
			  "bridgeNetfilter \"ignore\" in the node file, or attach \"macvlan\"",
			  key);
	else
		check_say(result, CHECK_OK, "%s is %s", key, on ? "on, and ignored" : "off");
}

/* A file of that pattern that speaks of our ports. */
static bool is_told(const char *pattern)
{
	bool found = false;
	char line[512];
	glob_t files;

	if (glob(pattern, 0, NULL, &files) != 0)
		return false;
	for (size_t i = 0; i < files.gl_pathc && !found; i++) {
		auto_file FILE *file = fopen(files.gl_pathv[i], "re");

		while (file && !found && fgets(line, sizeof(line), file))
			found = strstr(line, "pv*") != NULL;
	}
	globfree(&files);

	return found;
}

/* They take links that they do not know for theirs: DHCP on a bridge, its addresses flushed. */
void check_managers(const struct scene *scene, struct check_result *result)
{
	(void)scene;
	if (access("/run/NetworkManager", F_OK) == 0 &&
	    !is_told("/etc/NetworkManager/conf.d/*.conf"))
		check_say(result, CHECK_WARNING,
			  "NetworkManager runs: wanted a file in /etc/NetworkManager/conf.d with "
			  "[keyfile] unmanaged-devices=interface-name:tr*;interface-name:br.*;"
			  "interface-name:vx.*;interface-name:pv*");
	else if (access("/run/systemd/netif/state", F_OK) == 0 &&
		 !is_told("/etc/systemd/network/*.network"))
		check_say(result, CHECK_WARNING,
			  "systemd-networkd runs: wanted a .network file in /etc/systemd/network "
			  "with [Match] Name=tr* br.* vx.* pv* and [Link] Unmanaged=yes");
	else
		check_say(result, CHECK_OK,
			  "nobody else manages the node's links, or has been told");
}
