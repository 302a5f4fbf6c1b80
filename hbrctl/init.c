// SPDX-License-Identifier: Apache-2.0
/*
 * A lab node: what hbr-cni finds on a node where others have made it. One rule: what is there is
 * kept, and none of it carries our mark, since none of it comes and goes with pods.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hbrctl/command.h"
#include "hbrctl/scene.h"
#include "shared/base/cleanup.h"
#include "shared/kernel/address.h"
#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"
#include "shared/kernel/sysctl.h"

#define VRF_TABLE    1000
#define VTEP_DEFAULT "10.0.0.1"

static const char host_end[] = "tr-hbr"; /* the trunk's veth, a port of the bridge hostTrunk */
static const char hbn[] = "hbn";

/* As "ip netns add" does: mounts below the directory are to be seen by containers, too. */
static int make_directory(const char *path, struct error *err)
{
	char dir[sizeof(((struct node *)NULL)->hbr_netns)];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	*slash = '\0';
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "make %s", dir);
	if (mount("", dir, "none", MS_SHARED | MS_REC, NULL) == 0)
		return 0;
	if (mount(dir, dir, "none", MS_BIND | MS_REC, NULL) < 0 ||
	    mount("", dir, "none", MS_SHARED | MS_REC, NULL) < 0)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "share mounts of %s", dir);

	return 0;
}

/* A new namespace can only be entered: a child does, and leaves it at the path. */
static int bind_new(const char *path, struct error *err)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWNET) < 0 ||
				      mount("/proc/self/ns/net", path, "none", MS_BIND, NULL) < 0
			      ? errno
			      : 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "make a network namespace");
	if (status != 0)
		return error_errno(err, ERROR_INVALID_NETNS, WEXITSTATUS(status),
				   "make the network namespace %s", path);

	return 0;
}

static int make_netns(const char *path, struct error *err)
{
	auto_close int fd = -1;

	if (make_directory(path, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		return error_errno(err, ERROR_INVALID_NETNS, errno, "make %s", path);
	if (bind_new(path, err) < 0) {
		unlink(path);
		return -1;
	}
	printf("made the HBR netns %s\n", path);

	return 0;
}

/* 1 made, 0 it was there. */
static int make_link(const struct scene *scene, struct link *link, struct error *err)
{
	struct netlink *nl = scene->site.nl;
	int index, r = link_find_index(&nl[link->place], link->name, &index, err);

	if (r != 0)
		return r < 0 ? -1 : 0;
	if (links_converge(nl, link, 0, 1, NULL, err) < 0)
		return -1;
	printf("made the %s %s in the %s\n", link_kinds[link->kind].name, link->name,
	       nl[link->place].place);

	return 1;
}

/* Up, and in a bridge or VRF (""; none). */
static int set_up(struct netlink *nl, const char *name, const char *master, struct error *err)
{
	auto_nl_msg struct nl_msg *msg = NULL;
	int index, of = 0, r;

	if (link_get_index(nl, name, &index, err) < 0 ||
	    (master[0] && link_get_index(nl, master, &of, err) < 0))
		return -1;
	msg = link_message(RTM_NEWLINK, 0, index, IFF_UP, IFF_UP);
	if (!msg || (of && nla_put_s32(msg, IFLA_MASTER, of) < 0))
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "set up %s", name);
	r = netlink_request(nl, msg, NULL, NULL);

	return r < 0 ? netlink_error(nl, r, err, "set up %s", name) : 0;
}

/* A veth between the two; its end in the HBR netns has that name. */
static int make_cable(const struct scene *scene, const char *name, const char *peer,
		      struct error *err)
{
	struct link link = {
		.kind = LINK_VETH,
		.place = PLACE_HOST,
		.is_new = true,
		.netns = scene->site.hbr->fd,
	};
	const char *const parts[] = { "init", scene->site.node->slug, peer };

	snprintf(link.name, sizeof(link.name), "%s", name);
	snprintf(link.peer.name, sizeof(link.peer.name), "%s", peer);
	link.mac = mac_from_hash(hash_parts((const char *const[]){ "host", name }, 2));
	link.peer.mac = mac_from_hash(hash_parts(parts, COUNT(parts)));

	return make_link(scene, &link, err);
}

/* The host's end is a bridge: what stands on it stays when the HBR netns goes. */
static int make_trunk(const struct scene *scene, struct error *err)
{
	const struct node *node = scene->site.node;
	struct netlink *host = &scene->site.nl[PLACE_HOST];
	struct link bridge = { .kind = LINK_BRIDGE, .place = PLACE_HOST };
	int r;

	bridge.addrgenmode = IN6_ADDR_GEN_MODE_NONE;
	bridge.mac = mac_from_hash(hash_parts((const char *const[]){ "bridge", node->slug }, 2));
	snprintf(bridge.name, sizeof(bridge.name), "%s", node->host_trunk);
	r = make_link(scene, &bridge, err);
	if (r < 0)
		return -1;
	/* Another kind of trunk is there: as it is. */
	if (r == 0 && link_find_index(&scene->site.nl[PLACE_HBR], node->trunk, &r, err) == 1)
		return 0;

	return make_cable(scene, host_end, node->trunk, err) < 0 ||
			       set_up(host, host_end, node->host_trunk, err) < 0
		       ? -1
		       : 0;
}

static int make_vrf(const struct scene *scene, struct error *err)
{
	struct link vrf = { .kind = LINK_VRF, .place = PLACE_HBR, .vrf.table = VRF_TABLE };

	snprintf(vrf.name, sizeof(vrf.name), "%s", scene->site.node->vrf);

	return make_link(scene, &vrf, err);
}

/* The node's own way into its VRF. */
static int make_hbn(const struct scene *scene, struct error *err)
{
	static const char *const addresses[PLACE_POD] = { "100.64.0.0/31", "100.64.0.1/31" };
	int r = make_cable(scene, hbn, hbn, err);

	if (r <= 0)
		return r;
	if (set_up(&scene->site.nl[PLACE_HBR], hbn, scene->site.node->vrf, err) < 0)
		return -1;
	for (size_t place = 0; place < PLACE_POD; place++) {
		struct netlink *nl = &scene->site.nl[place];
		struct ip ip;
		int index;

		if (!parse_cidr(addresses[place], &ip) ||
		    link_get_index(nl, hbn, &index, err) < 0 ||
		    address_add(nl, index, &ip, false, err) < 0)
			return -1;
	}

	return 0;
}

static int make_vtep(const struct scene *scene, const char *text, struct error *err)
{
	const struct site *site = &scene->site;
	struct netlink *hbr = &site->nl[PLACE_HBR];
	const char *dev = site->node->vtep.dev;
	struct error absent;
	struct ip ip;
	int index;

	if (node_find_vtep(site->node, hbr, &ip, &absent) == 0)
		return 0;
	if (!dev[0] || !parse_ip(text, &ip))
		return error_set(err, ERROR_INVALID_CONFIG,
				 "%s: wanted an address, and a device for it in vtep of the node "
				 "file",
				 text);
	if (link_get_index(hbr, dev, &index, err) < 0 ||
	    address_add(hbr, index, &ip, false, err) < 0)
		return -1;
	printf("made the VTEP %s on %s in the HBR netns\n", text, dev);

	return 0;
}

static int set_sysctls(void *arg, struct error *err)
{
	(void)arg;

	return sysctl_set("ipv4/ip_forward", "1", true, err) < 0
		       ? -1
		       : sysctl_set("ipv6/conf/all/forwarding", "1", false, err);
}

static int make_node(const struct scene *scene, const char *vtep, struct error *err)
{
	struct netlink *hbr = &scene->site.nl[PLACE_HBR];

	return netns_call(scene->site.hbr, set_sysctls, NULL, err) < 0 ||
			       set_up(hbr, "lo", "", err) < 0 || make_trunk(scene, err) < 0 ||
			       set_up(hbr, scene->site.node->trunk, "", err) < 0 ||
			       make_vtep(scene, vtep, err) < 0 || make_vrf(scene, err) < 0 ||
			       make_hbn(scene, err) < 0
		       ? -1
		       : 0;
}

int init_run(const struct options *options, struct error *err)
{
	const char *vtep = options->n_args ? options->args[0] : VTEP_DEFAULT;
	auto_scene struct scene before = { .nobody = ATTACHMENT_NONE };
	auto_scene struct scene scene = { .nobody = ATTACHMENT_NONE };

	if (scene_open(&before, err) < 0 ||
	    (!scene_has_hbr(&before) && make_netns(before.site.node->hbr_netns, err) < 0) ||
	    scene_open(&scene, err) < 0)
		return -1;
	if (!scene_has_hbr(&scene))
		return error_set(err, ERROR_INVALID_NETNS,
				 "hbrNetns: %s is the host's own: wanted one of its own",
				 scene.site.node->hbr_netns);

	return make_node(&scene, vtep, err);
}
