// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * Text to values and back: numbers, MAC and IP addresses, names. Every parser takes the whole
 * string or refuses it, answers true or false, and leaves its result untouched when it refuses;
 * the caller knows which key it was and words the error.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mac {
	uint8_t bytes[6]; /* all zero: none */
};

/* An address, or a prefix. Bytes in network order. */
struct ip {
	uint8_t family; /* AF_INET, AF_INET6; 0: none */
	uint8_t prefix; /* length in bits; of a plain address 32 or 128 */
	uint8_t bytes[16];
};

#define MAC_TEXT_SIZE 18
#define IP_TEXT_SIZE  52 /* with "/128" */

/* Decimal digits only: no sign, no blanks, no exponent, no leading zeros. */
bool parse_number(const char *text, uint64_t *number);

/* "lo-hi" with lo <= hi. */
bool parse_range(const char *text, uint32_t *lo, uint32_t *hi);

/* aa:bb:cc:dd:ee:ff, aa-bb-cc-dd-ee-ff or aabb.ccdd.eeff; unicast and not zero. */
bool parse_mac(const char *text, struct mac *mac);

/* A plain address; no prefix, no zone, no leading zeros, no IPv4 inside IPv6. */
bool parse_ip(const char *text, struct ip *ip);

/* address/prefix; the host bits are kept. */
bool parse_cidr(const char *text, struct ip *ip);

/* Container IDs and network names: [A-Za-z0-9][A-Za-z0-9_.-]*, the whole string. */
bool parse_id(const char *text);

/*
 * Names of network devices that the kernel takes and nobody misreads: 1 to 15 printable ASCII
 * bytes without '/', ':', '%' and blanks; not ".", "..", "all", "default", "lo".
 */
bool parse_ifname(const char *text);

bool mac_is_set(const struct mac *mac);
bool mac_equal(const struct mac *a, const struct mac *b);
void mac_print(const struct mac *mac, char text[static MAC_TEXT_SIZE]);

bool ip_equal(const struct ip *a, const struct ip *b); /* prefix included */
bool ip_contains(const struct ip *net, const struct ip *ip);
size_t ip_size(const struct ip *ip);                                     /* 4 or 16 bytes */
void ip_print(const struct ip *ip, char text[static IP_TEXT_SIZE]);      /* without prefix */
void ip_print_cidr(const struct ip *ip, char text[static IP_TEXT_SIZE]); /* with prefix */

/*
 * A 64-bit FNV-1a hash over the parts and their borders ("ab","c" differs from "a","bc"): names
 * and MACs that must be the same after a restart come from it. Not for secrets.
 */
uint64_t hash_parts(const char *const *parts, size_t n);

/* The 16 hex digits of hash_parts(), shortened to what fits. */
void hash_print(uint64_t hash, char *text, size_t size);

/* A locally administered unicast MAC from a hash; its first octet is always 02. */
struct mac mac_from_hash(uint64_t hash);
