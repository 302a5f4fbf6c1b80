// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * One network link as data: what it should look like, and what the kernel has under its name.
 *
 * Our links carry two marks: the group, which the kernel takes in the create message, so that no
 * link of ours is ever without it, and an alias for people, which follows at once. Name, kind,
 * group and attributes together say what a link is; an index or a name alone says nothing.
 */

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/error.h"
#include "shared/base/parse.h"
#include "shared/kernel/netlink.h"

enum link_kind {
	LINK_BRIDGE,
	LINK_MACVLAN,
	LINK_VETH,
	LINK_VLAN,
	LINK_VRF,
	LINK_VXLAN,
	LINK_KINDS
};

/* The namespace a link is in, an index of the conversations handed to functions. */
enum link_place { PLACE_HOST, PLACE_HBR, PLACE_POD, PLACES };

#define LINK_GROUP_MARK 0x68000000u /* the group of our links: the mark, and below it the VNI */
#define LINK_GROUP_MASK 0xff000000u
#define LINK_ALIAS_SIZE 128 /* of ours; the kernel takes 256 */

struct link {
	enum link_kind kind;
	enum link_place place;
	char name[IFNAMSIZ];
	char lower[IFNAMSIZ];  /* the link below a vlan or macvlan */
	char master[IFNAMSIZ]; /* the bridge or vrf it belongs to; "": none */
	bool is_port;          /* the master is a bridge: the port's attributes count */
	bool is_new;     /* nobody else's business and hardly there yet: made first, looked for
			  * only when that fails, and what an earlier try left is replaced */
	bool stays_down; /* somebody else sets it up, later */
	bool is_late;    /* set up by links_raise(): it must not be seen before all is ready */
	bool is_foreign; /* somebody else's: used when it is there, never made */
	bool mac_counts; /* whoever made it: with another MAC it does not fit */
	bool is_down;    /* of a late one: it was converged, and waits */
	int index;       /* known once it was converged or verified; 0: not yet */

	uint32_t group;
	char alias[LINK_ALIAS_SIZE];
	struct mac mac; /* zero: the kernel's choice */
	uint32_t mtu;   /* 0: the kernel's choice */
	uint8_t addrgenmode;

	struct {
		uint32_t stp;
		uint8_t mcast_snooping, vlan_filtering;
	} bridge;
	struct {
		uint32_t mode;
	} macvlan;
	struct {
		uint16_t id;
	} vlan;
	struct {
		uint32_t table;
	} vrf;
	struct {
		uint32_t id;
		struct ip local;
		uint16_t dstport;
		uint8_t learning;
	} vxlan;
	struct {
		uint8_t learning, neigh_suppress, isolated, hairpin, locked;
	} port;
	int netns; /* a descriptor of the pod's namespace: of a veth's other end, of a macvlan */
	struct {
		char name[IFNAMSIZ];
		struct mac mac;
	} peer;                 /* of a veth: the end in that namespace */
	char made_as[IFNAMSIZ]; /* of a macvlan: the name that it is made under, from the host,
				 * which is nobody's there nor in the pod; its own follows */
};

/* What the kernel has under a name. */
struct link_state {
	int index;
	int lower, master; /* indexes; 0: none */
	bool is_apart;     /* the lower one's index is of another namespace */
	bool up;
	bool running;         /* IF_OPER_UP */
	bool forwarding;      /* as a bridge's port */
	char kind[16];        /* "": a physical link */
	char other[IFNAMSIZ]; /* the link that has the name as an alternative one */
	struct link link;     /* the attributes that were asked for by link_find() */
};

/* Whether a link that was found is ours: 1; somebody else's: 0; -1 ERROR_CONFLICT: it belongs to
 * an hbr-cni with another HBR netns, or to another attachment. */
int link_is_ours(const struct link *wanted, const struct link_state *state, struct error *err);

/* "vx.7 type vxlan group 1744830471 mtu 1450 id 7 local 192.0.2.1 dstport 4789 master br.7" */
void link_describe(const struct link *link, char *text, size_t size);
