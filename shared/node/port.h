// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * A pod's port: the end of its interface that is on the node. It is found by its name, which
 * follows from (containerID, ifname), and by its marks; never through the pod, where others rename
 * things.
 */

#include "shared/kernel/links.h"
#include "shared/node/site.h"

/* "pv" and 12 hex digits. */
void port_name(const char *container_id, const char *ifname, char name[static IFNAMSIZ]);

/* The alias of a port: "hbr-cni:<slug>:port:<containerID>/<ifname>", hashed when it is too long. */
void port_alias(const char *slug, const char *container_id, const char *ifname,
		char alias[static LINK_ALIAS_SIZE]);

/*
 * The port wherever it is, when it carries our mark (whatever the VNI) and no other attachment's
 * alias: 1 and what it is, its place included; 0 when there is none or what has the name is not
 * ours.
 */
int port_find(const struct site *site, const char *name, const char *alias, struct link_state *port,
	      struct error *err);

/* Remove the port wherever it is, if it is ours. Removes the pod's end with it. */
int port_remove(const struct site *site, const char *name, const char *alias, struct error *err);

/*
 * A port that is in the pod (a macvlan): by our alias, whatever others call it by now, or by the
 * name that it was made under. 0 when the pod is not talked to. Dumps the links of the pod.
 */
int port_find_in_pod(struct netlink *pod, const char *name, const char *alias, struct link *port,
		     struct error *err);

/* Remove that. */
int port_remove_in_pod(struct netlink *pod, const char *name, const char *alias, struct error *err);

/* Wait, at most 1 s, until a port of a bridge forwards: frames sent before that are lost. */
int port_await(struct netlink *nl, const struct link *port, struct error *err);
