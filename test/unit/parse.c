// SPDX-License-Identifier: Apache-2.0
#include "shared/base/parse.h"

#include <arpa/inet.h>

#include "shared/base/cleanup.h"
#include "test/unit/unit.h"

static void numbers(void)
{
	static const char *const refused[] = { "",
					       " 1",
					       "1 ",
					       "+1",
					       "-1",
					       "1.0",
					       "1e2",
					       "0x1f",
					       "017",
					       "00",
					       "1\n",
					       "a",
					       "18446744073709551616",
					       "1 2" };
	uint64_t n = 7;

	check(parse_number("0", &n) && n == 0);
	check(parse_number("4096", &n) && n == 4096);
	check(parse_number("18446744073709551615", &n) && n == UINT64_MAX);
	n = 7;
	for (size_t i = 0; i < COUNT(refused); i++)
		check(!parse_number(refused[i], &n) && n == 7);
}

static void ranges(void)
{
	static const char *const refused[] = { "",     "5",     "5-",           "-5",
					       "10-2", "2-5-7", "2 - 5",        "2-5 ",
					       "2--5", "02-5",  "2-4294967296", "a-b",
					       "2-5\n" };
	uint32_t lo = 7, hi = 8;

	check(parse_range("2-4094", &lo, &hi) && lo == 2 && hi == 4094);
	check(parse_range("5-5", &lo, &hi) && lo == 5 && hi == 5);
	check(parse_range("0-4294967295", &lo, &hi) && lo == 0 && hi == UINT32_MAX);
	lo = 7;
	hi = 8;
	for (size_t i = 0; i < COUNT(refused); i++)
		check(!parse_range(refused[i], &lo, &hi) && lo == 7 && hi == 8);
}

static void macs(void)
{
	static const char *const spellings[] = { "02:a0:5e:10:0f:01", "02:A0:5E:10:0F:01",
						 "02-a0-5e-10-0f-01", "02a0.5e10.0f01" };
	static const char *const refused[] = {
		"",
		"02:a0:5e:10:0f",
		"02:a0:5e:10:0f:01:02",
		"02:a0:5e:10:0f:01\n",
		"02:a0-5e:10:0f:01",
		"2:a0:5e:10:f:1",
		"02a05e100f01",
		"02a0:5e10:0f01",
		"02.a0.5e.10.0f.01",
		"02:a0:5e:10:0f:0g",
		"02:a0:5e:10:0f:0",
		" 02:a0:5e:10:0f:01",
		"01:00:5e:00:00:01", /* multicast */
		"ff:ff:ff:ff:ff:ff",
		"00:00:00:00:00:00",
		"00:00:5e:00:53:01:00:00", /* EUI-64 */
	};
	const struct mac wanted = { { 0x02, 0xa0, 0x5e, 0x10, 0x0f, 0x01 } }, none = { 0 };
	char text[MAC_TEXT_SIZE];

	for (size_t i = 0; i < COUNT(spellings); i++) {
		struct mac mac = none;

		check(parse_mac(spellings[i], &mac));
		check(mac_equal(&mac, &wanted));
		mac_print(&mac, text);
		check_str(text, "02:a0:5e:10:0f:01");
	}
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct mac mac = wanted;

		check(!parse_mac(refused[i], &mac));
		check(mac_equal(&mac, &wanted));
	}
	check(mac_is_set(&wanted) && !mac_is_set(&none) && !mac_equal(&wanted, &none));
}

static struct ip ip_of(const char *text)
{
	struct ip ip = { 0 };

	check(strchr(text, '/') ? parse_cidr(text, &ip) : parse_ip(text, &ip));

	return ip;
}

static void check_prints(const char *text, const char *plain, const char *cidr)
{
	const struct ip ip = ip_of(text);
	char printed[IP_TEXT_SIZE];

	ip_print(&ip, printed);
	check_str(printed, plain);
	ip_print_cidr(&ip, printed);
	check_str(printed, cidr);
}

static void addresses(void)
{
	static const char *const refused[] = {
		"",
		"192.0.2",
		"192.0.2.256",
		"192.0.2.01",
		"192.0.2.1 ",
		"192.0.2.1\n",
		"192.0.2.1/24",
		"0xc0.0.2.1",
		"3221225985",
		"fe80::1%eth0",
		"::ffff:1.2.3.4",
		"::ffff:102:304",
		"64:ff9b::1.2.3.4",
		"::1.2.3.4",
		"2001:db8:::1",
		"2001:db8::1/64",
		"12345::",
	};
	struct ip ip = ip_of("203.0.113.9");

	check_prints("192.0.2.1", "192.0.2.1", "192.0.2.1/32");
	check_prints("2001:DB8:0:0:0:0:0:1", "2001:db8::1", "2001:db8::1/128");
	/* What is printed can be read, which is not so for every way of inet_ntop(). */
	check_prints("::102:304", "::102:304", "::102:304/128");
	check_prints("::ffff:0", "::ffff:0", "::ffff:0/128");
	check_prints("::1:1", "::1:1", "::1:1/128");
	check_prints("::ffff", "::ffff", "::ffff/128");
	for (size_t i = 0; i < COUNT(refused); i++) {
		const struct ip before = ip_of("203.0.113.9");

		check(!parse_ip(refused[i], &ip));
		check(ip_equal(&ip, &before));
	}
	ip = (struct ip){ 0 };
	check_prints("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128",
		     "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		     "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128");
	check(ip_equal(&ip, &(struct ip){ 0 }));
}

static void prefixes(void)
{
	static const char *const refused[] = {
		"192.0.2.1",
		"192.0.2.1/",
		"192.0.2.1/33",
		"192.0.2.1/024",
		"/24",
		"192.0.2.1/-1",
		"192.0.2.1/24\n",
		"192.0.2.1/24/24",
		"2001:db8::/129",
		"::ffff:1.2.3.4/120",
		"192.0.2.1/255.255.255.0",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/1",
	};
	struct ip ip = ip_of("203.0.113.9/30");

	check_prints("192.0.2.77/24", "192.0.2.77", "192.0.2.77/24"); /* host bits are kept */
	check_prints("0.0.0.0/0", "0.0.0.0", "0.0.0.0/0");
	check_prints("2001:db8::7/64", "2001:db8::7", "2001:db8::7/64");
	for (size_t i = 0; i < COUNT(refused); i++) {
		const struct ip before = ip_of("203.0.113.9/30");

		check(!parse_cidr(refused[i], &ip));
		check(ip_equal(&ip, &before));
	}
}

static bool contains(const char *net, const char *address)
{
	const struct ip a = ip_of(net), b = ip_of(address);

	return ip_contains(&a, &b);
}

static bool equal(const char *first, const char *second)
{
	const struct ip a = ip_of(first), b = ip_of(second);

	return ip_equal(&a, &b);
}

static void relations(void)
{
	const struct ip v4 = ip_of("192.0.2.1"), v6 = ip_of("::1");

	check(contains("192.0.2.0/24", "192.0.2.255") && !contains("192.0.2.0/24", "192.0.3.0"));
	check(contains("192.0.2.128/25", "192.0.2.129") &&
	      !contains("192.0.2.128/25", "192.0.2.1"));
	check(contains("192.0.2.200/25", "192.0.2.129")); /* its host bits say nothing */
	check(contains("0.0.0.0/0", "203.0.113.9") && !contains("0.0.0.0/0", "::1"));
	check(contains("192.0.2.1/32", "192.0.2.1") && !contains("192.0.2.1/32", "192.0.2.0"));
	check(contains("2001:db8::/33", "2001:db8:7fff::1"));
	check(!contains("2001:db8::/33", "2001:db8:8000::1"));
	check(contains("::1/128", "::1") && !contains("::1/128", "::2"));
	check(!contains("192.0.2.0/25", "192.0.2.0/24")); /* the larger one */

	check(equal("192.0.2.1", "192.0.2.1/32") && !equal("192.0.2.1/24", "192.0.2.1/25"));
	check(!equal("192.0.2.1", "192.0.2.2") && !equal("::1", "::2") && !equal("::", "0.0.0.0"));
	check(ip_size(&v4) == 4 && ip_size(&v6) == 16);
}

static void ids(void)
{
	static const char *const accepted[] = { "a", "0", "A_.-z", "9..", "Az09" };
	static const char *const refused[] = { "",    "-a",  ".a",       "_a", "a/b",       "a b",
					       "a%b", "a\n", "\xc3\xa9", "..", "a\xc3\xa9", "a:b" };
	char longest[254];

	memset(longest, 'f', sizeof(longest));
	longest[253] = '\0';
	check(parse_id(longest));
	for (size_t i = 0; i < COUNT(accepted); i++)
		check(parse_id(accepted[i]));
	for (size_t i = 0; i < COUNT(refused); i++)
		check(!parse_id(refused[i]));
}

static void ifnames(void)
{
	static const char *const accepted[] = { "a",   "net1", "123456789012345", "eth0.100",
						"...", "lo0",  "Default",         "a-b_c@d" };
	static const char *const refused[] = {
		"",     "1234567890123456", ".",     "..",    "a/b", "a:b",     "a b", "a\tb",
		"a%d",  "net1\n",           "a\x7f", "a\x01", "all", "default", "lo",  "a\xc2\xa0_",
		"\xff",
	};

	for (size_t i = 0; i < COUNT(accepted); i++)
		check(parse_ifname(accepted[i]));
	for (size_t i = 0; i < COUNT(refused); i++)
		check(!parse_ifname(refused[i]));
}

static uint64_t hash_of(const char *a, const char *b)
{
	return hash_parts((const char *const[]){ a, b }, 2);
}

static void hashes(void)
{
	char text[17], few[5];
	struct mac mac;

	/* The published FNV-1a of no bytes, and of "a" with one more multiplication for the NUL. */
	check(hash_parts(NULL, 0) == UINT64_C(0xcbf29ce484222325));
	check(hash_parts((const char *const[]){ "a" }, 1) ==
	      UINT64_C(0xaf63dc4c8601ec8c) * UINT64_C(0x100000001b3));
	check(hash_of("ab", "c") != hash_of("a", "bc"));
	check(hash_of("ab", "") != hash_of("", "ab"));
	check(hash_of("ab", "c") == hash_of("ab", "c"));

	hash_print(UINT64_C(0x00123456789abcde), text, sizeof(text));
	check_str(text, "00123456789abcde");
	hash_print(UINT64_C(0x00123456789abcde), few, sizeof(few));
	check_str(few, "0012");

	mac = mac_from_hash(UINT64_C(0xffffff3456789abc));
	check(memcmp(mac.bytes, "\x02\x34\x56\x78\x9a\xbc", 6) == 0);
}

int main(void)
{
	numbers();
	ranges();
	macs();
	addresses();
	prefixes();
	relations();
	ids();
	ifnames();
	hashes();

	return 0;
}
