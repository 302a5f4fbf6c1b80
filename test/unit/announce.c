// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/announce.h"

#include "test/unit/unit.h"

static const struct mac mac = { { 0x02, 0x00, 0x5e, 0x10, 0x00, 0x01 } };

static void check_frame(const struct announce_frame *frame, const char *wanted)
{
	char is[2 * sizeof(frame->bytes) + 1] = "";

	check(frame->size <= sizeof(frame->bytes));
	for (size_t i = 0; i < frame->size; i++)
		snprintf(is + 2 * i, 3, "%02x", frame->bytes[i]);
	check_str(is, wanted);
}

static void test_arp(void)
{
	struct announce_frame frame;
	struct ip ip;

	check(parse_cidr("10.1.0.5/24", &ip));
	announce_arp_frame(&frame, &mac, &ip);
	check_frame(&frame, "ffffffffffff02005e1000010806" /* to everybody */
			    "0001080006040001"             /* a request */
			    "02005e1000010a010005"         /* sender */
			    "0000000000000a010005");       /* target: the same address */
}

static void test_na(void)
{
	struct announce_frame frame;
	struct ip ip;

	check(parse_cidr("2001:db8::5/64", &ip));
	announce_na_frame(&frame, &mac, &ip);
	check_frame(&frame, "33330000000102005e10000186dd"
			    "6000000000203aff" /* 32 bytes of ICMPv6, hop limit 255 */
			    "20010db8000000000000000000000005"
			    "ff020000000000000000000000000001"
			    "88009b12" /* advertisement, checksum */
			    "20000000" /* override */
			    "20010db8000000000000000000000005"
			    "020102005e100001"); /* target's link-layer address */
}

/* A frame can be built again: nothing of the one before is left. */
static void test_again(void)
{
	struct announce_frame frame;
	struct ip ip4, ip6;

	check(parse_ip("192.0.2.1", &ip4) && parse_ip("fe80::1", &ip6));
	announce_na_frame(&frame, &mac, &ip6);
	check(frame.size == 86);
	announce_arp_frame(&frame, &mac, &ip4);
	check(frame.size == 42);
}

int main(void)
{
	test_arp();
	test_na();
	test_again();

	return 0;
}
