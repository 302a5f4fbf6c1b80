// SPDX-License-Identifier: Apache-2.0
#include "shared/base/parse.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/cleanup.h"

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

/* Character classes of ASCII, whatever the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The digits of a number, as many as there are. A leading 0 means octal to some: refused. */
static bool scan_number(const char **at, uint64_t *number)
{
	const char *text = *at;
	uint64_t n = 0;

	if (!is_digit(text[0]) || (text[0] == '0' && is_digit(text[1])))
		return false;
	for (; is_digit(*text); text++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return false;
	}
	*at = text;
	*number = n;

	return true;
}

bool parse_number(const char *text, uint64_t *number)
{
	uint64_t n;

	if (!scan_number(&text, &n) || *text != '\0')
		return false;
	*number = n;

	return true;
}

bool parse_range(const char *text, uint32_t *lo, uint32_t *hi)
{
	uint64_t first, last;

	if (!scan_number(&text, &first) || *text != '-' || !parse_number(text + 1, &last))
		return false;
	if (first > last || last > UINT32_MAX)
		return false;
	*lo = (uint32_t)first;
	*hi = (uint32_t)last;

	return true;
}

/* The value of a hexadecimal digit, 16 of anything else. */
static unsigned hex_value(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;

	return 16;
}

static bool scan_octet(const char *text, uint8_t *octet)
{
	unsigned high = hex_value(text[0]);
	unsigned low = high < 16 ? hex_value(text[1]) : 16; /* text[0] may be the end */

	*octet = (uint8_t)(high << 4 | low);

	return low < 16;
}

/* Six octets, with a separator after every "step" of them. */
static bool scan_mac(const char *text, char separator, size_t step, struct mac *mac)
{
	for (size_t i = 0; i < sizeof(mac->bytes); i++, text += 2) {
		if (i > 0 && i % step == 0 && *text++ != separator)
			return false;
		if (!scan_octet(text, &mac->bytes[i]))
			return false;
	}

	return *text == '\0';
}

bool parse_mac(const char *text, struct mac *mac)
{
	struct mac found = { 0 };

	if (!scan_mac(text, ':', 1, &found) && !scan_mac(text, '-', 1, &found) &&
	    !scan_mac(text, '.', 2, &found))
		return false;
	if (!mac_is_set(&found) || (found.bytes[0] & 1) != 0) /* multicast */
		return false;
	*mac = found;

	return true;
}

/* inet_pton() takes no zone, and no leading zeros in IPv4. */
static bool scan_ip(const char *text, struct ip *ip)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	*ip = (struct ip){ 0 };
	if (inet_pton(AF_INET, text, ip->bytes) == 1) {
		ip->family = AF_INET;
		ip->prefix = 32;
		return true;
	}
	if (strchr(text, '.') || inet_pton(AF_INET6, text, ip->bytes) != 1)
		return false;
	ip->family = AF_INET6;
	ip->prefix = 128;

	return memcmp(ip->bytes, mapped, sizeof(mapped)) != 0;
}

bool parse_ip(const char *text, struct ip *ip)
{
	struct ip found;

	if (!scan_ip(text, &found))
		return false;
	*ip = found;

	return true;
}

bool parse_cidr(const char *text, struct ip *ip)
{
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	struct ip found;
	uint64_t prefix;

	if (!slash || (size_t)(slash - text) >= sizeof(address))
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	if (!scan_ip(address, &found) || !parse_number(slash + 1, &prefix) || prefix > found.prefix)
		return false;
	found.prefix = (uint8_t)prefix;
	*ip = found;

	return true;
}

bool parse_id(const char *text)
{
	if (!is_alnum(*text))
		return false;
	while (is_alnum(*text) || (*text != '\0' && strchr("_.-", *text)))
		text++;

	return *text == '\0';
}

bool parse_ifname(const char *text)
{
	static const char *const reserved[] = { ".", "..", "all", "default", "lo" };
	size_t len = strnlen(text, IFNAMSIZ);

	if (len == 0 || len == IFNAMSIZ)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] <= ' ' || text[i] >= 0x7f || strchr("/:%", text[i]))
			return false;
	}
	for (size_t i = 0; i < COUNT(reserved); i++) {
		if (strcmp(text, reserved[i]) == 0)
			return false;
	}

	return true;
}

bool mac_is_set(const struct mac *mac)
{
	static const struct mac none;

	return !mac_equal(mac, &none);
}

bool mac_equal(const struct mac *a, const struct mac *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

void mac_print(const struct mac *mac, char text[static MAC_TEXT_SIZE])
{
	const uint8_t *b = mac->bytes;

	snprintf(text, MAC_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
}

bool ip_equal(const struct ip *a, const struct ip *b)
{
	return a->family == b->family && a->prefix == b->prefix &&
	       memcmp(a->bytes, b->bytes, ip_size(a)) == 0;
}

bool ip_contains(const struct ip *net, const struct ip *ip)
{
	size_t whole = net->prefix / 8;
	uint8_t mask = (uint8_t)(0xff00u >> (net->prefix % 8));

	if (net->family != ip->family || net->prefix > ip->prefix)
		return false;
	if (memcmp(net->bytes, ip->bytes, whole) != 0)
		return false;

	return mask == 0 || ((net->bytes[whole] ^ ip->bytes[whole]) & mask) == 0;
}

size_t ip_size(const struct ip *ip)
{
	return ip->family == AF_INET ? 4 : 16;
}

void ip_print(const struct ip *ip, char text[static IP_TEXT_SIZE])
{
	const uint8_t *tail = &ip->bytes[12];
	char *dot;

	text[0] = '\0'; /* what no address prints as */
	if (ip->family != 0)
		inet_ntop(ip->family, ip->bytes, text, IP_TEXT_SIZE);
	dot = ip->family == AF_INET6 ? strchr(text, '.') : NULL;
	if (dot) /* "::1.2.3.4": IPv6 with dots is what we read nowhere */
		snprintf(memrchr(text, ':', (size_t)(dot - text)), sizeof(":ffff:ffff"), ":%x:%x",
			 tail[0] << 8 | tail[1], tail[2] << 8 | tail[3]);
}

void ip_print_cidr(const struct ip *ip, char text[static IP_TEXT_SIZE])
{
	char address[IP_TEXT_SIZE];

	ip_print(ip, address);
	snprintf(text, IP_TEXT_SIZE, "%.45s/%u", address, ip->prefix);
}

uint64_t hash_parts(const char *const *parts, size_t n)
{
	uint64_t hash = FNV_OFFSET;

	for (size_t i = 0; i < n; i++) {
		const char *at = parts[i];

		do /* the NUL at the end is the border, and is hashed as well */
			hash = (hash ^ (uint8_t)*at) * FNV_PRIME;
		while (*at++ != '\0');
	}

	return hash;
}

void hash_print(uint64_t hash, char *text, size_t size)
{
	snprintf(text, size, "%016llx", (unsigned long long)hash);
}

struct mac mac_from_hash(uint64_t hash)
{
	struct mac mac = { { 0x02 } };

	for (size_t i = 1; i < sizeof(mac.bytes); i++)
		mac.bytes[i] = (uint8_t)(hash >> (8 * (5 - i)));

	return mac;
}
