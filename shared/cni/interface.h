// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The keys that every plugin has: what the pod's interface is to be. A plugin has a struct
 * interface in its values and INTERFACE_ROWS in its table.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/base/field.h"
#include "shared/cni/request.h"
#include "shared/node/pod.h"

#define INTERFACE_MTU_MIN 68 /* RFC 791: what every IPv4 link carries */
#define INTERFACE_MTU_MAX 65535

struct interface {
	uint32_t mtu; /* 0: the domain's */
	struct mac mac;
	bool dad, promisc, allmulti, stay_down;
	struct addressing addressing;
	json_t *ipam, *dns; /* borrowed from the configuration; NULL: none */
};

extern const struct field_type field_mtu;       /* uint32_t: 0, or min..max          */
extern const struct field_type field_addresses; /* struct addressing, its addresses  */
extern const struct field_type field_routes;    /* struct addressing, its routes     */

/* clang-format off */
#define INTERFACE_ROWS(base, member, domain_flags) \
	{ "mtu", NULL, &field_mtu, offsetof(base, member.mtu), INTERFACE_MTU_MIN, INTERFACE_MTU_MAX, NULL, domain_flags, \
	  "MTU of the pod's interface and of all that carries it; 0 or absent: what trunk and uplinks carry. More than they carry is refused." }, \
	{ "mac", NULL, &field_mac, offsetof(base, member.mac), 0, 0, NULL, 0, \
	  "MAC of the pod's interface; absent: derived from network, container and interface." }, \
	{ "enabledad", NULL, &field_bool, offsetof(base, member.dad), 0, 0, NULL, 0, \
	  "IPv6 duplicate address detection, waited for (up to 5 s)." }, \
	{ "promisc", "promiscMode", &field_bool, offsetof(base, member.promisc), 0, 0, NULL, 0, \
	  "The pod's interface takes every frame." }, \
	{ "allmulti", NULL, &field_bool, offsetof(base, member.allmulti), 0, 0, NULL, 0, \
	  "The pod's interface takes every multicast frame." }, \
	{ "disableContainerInterface", NULL, &field_bool, offsetof(base, member.stay_down), 0, 0, NULL, 0, \
	  "Leave the pod's interface down." }, \
	{ "addresses", NULL, &field_addresses, offsetof(base, member.addressing), 0, RESULT_IPS_MAX, NULL, 0, \
	  "Addresses to assign as given, each {\"address\": CIDR, \"gateway\": IP}." }, \
	{ "routes", NULL, &field_routes, offsetof(base, member.addressing), 0, RESULT_ROUTES_MAX, NULL, 0, \
	  "Routes to add, each {\"dst\": CIDR, \"gw\": IP} as in a CNI result, with mtu, advmss, priority, table, scope where wanted; without gw by the first gateway of its family." }, \
	{ "ipam", NULL, &field_object, offsetof(base, member.ipam), 0, 0, NULL, 0, \
	  "IPAM plugin to delegate to; absent, null or {}: none, addresses are the pod's business." }, \
	{ "dns", NULL, &field_object, offsetof(base, member.dns), 0, 0, NULL, 0, \
	  "DNS settings to report in the result." }
/* clang-format on */

/*
 * What the runtime asks for this pod goes over the network's keys: the MAC, and IP addresses where
 * no IPAM plugin is configured. Then see that the keys fit together. -1: ERROR_INVALID_CONFIG.
 */
int interface_settle(struct interface *interface, const struct request *request, struct error *err);
