// SPDX-License-Identifier: Apache-2.0
#include "shared/base/fields.h"

#include <arpa/inet.h>
#include <net/if.h>

#include "shared/base/cleanup.h"
#include "shared/base/parse.h"
#include "test/unit/unit.h"

#define FIXED FIELD_USER

struct sample {
	uint32_t vni;
	uint32_t big;
	bool isolated;
	char dev[IFNAMSIZ];
	struct mac mac;
	struct ip ip;
	unsigned attach;
	uint32_t range[2];
	json_t *object;
	char note[8];
};

static const char *const words[] = { "bridge", "macvlan", "direct", NULL };

#define AT(member) offsetof(struct sample, member)

/* clang-format off */
static const struct field rows[] = {
	{ .key = "vni", .type = &field_u32, .offset = AT(vni), .min = 1, .max = 16777215,
	  .flags = FIELD_REQUIRED | FIXED },
	{ .key = "big", .type = &field_u32, .offset = AT(big), .max = UINT32_MAX, .flags = FIXED },
	{ .key = "isolated", .alias = "portIsolation", .type = &field_bool,
	  .offset = AT(isolated) },
	{ .key = "note", .type = &field_text, .offset = AT(note), .max = 8, .flags = FIXED },
	{ .key = "dev", .type = &field_ifname, .offset = AT(dev) },
	{ .key = "mac", .type = &field_mac, .offset = AT(mac), .flags = FIXED },
	{ .key = "ip", .type = &field_ip, .offset = AT(ip) },
	{ .key = "attach", .type = &field_choice, .offset = AT(attach), .choices = words,
	  .flags = FIXED },
	{ .key = "range", .type = &field_range, .offset = AT(range), .min = 2, .max = 4094 },
	{ .key = "object", .type = &field_object, .offset = AT(object), .flags = FIXED },
	{ .key = "later", .type = &field_refused, .max = 65536 },
};
/* clang-format on */

static const struct field_table table = { rows, COUNT(rows) };

static json_t *json_of(const char *text)
{
	json_t *json = json_loads(text, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);

	check(json);

	return json;
}

/* To the last byte, padding included. */
static bool is_same(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct sample)) == 0;
}

/* What a struct is filled with before, to see that it is left alone. */
static struct sample filled(void)
{
	struct sample sample;

	memset(&sample, 0x5a, sizeof(sample));

	return sample;
}

static int parse(const char *text, struct sample *sample, uint64_t *given, struct error *err)
{
	auto_json json_t *json = json_of(text);

	return fields_parse(&table, json, sample, given, err);
}

static void refuses_as(const char *text, int code, const char *msg)
{
	const struct sample before = filled();
	struct sample sample = before;
	struct error err = { 0 };
	uint64_t given = 42;

	check_error(parse(text, &sample, &given, &err), &err, code, msg);
	check(is_same(&sample, &before));
	check(given == 42);
}

static void refuses(const char *text, const char *msg)
{
	refuses_as(text, ERROR_INVALID_CONFIG, msg);
}

static void reads_all(void)
{
	auto_json json_t *json =
		json_of("{\"vni\": 10100, \"big\": 4294967295, \"isolated\": true, "
			"\"note\": \"1234567\", \"dev\": \"eth0.1\", "
			"\"mac\": \"02-00-5E-10-00-01\", \"ip\": \"2001:DB8::1\", "
			"\"attach\": \"direct\", \"range\": \"2-4094\", \"object\": {\"a\": 1}, "
			"\"later\": null, \"unknown\": [1], \"VNI\": 7}");
	const struct mac mac = { { 0x02, 0x00, 0x5e, 0x10, 0x00, 0x01 } };
	struct sample sample = filled();
	struct error err = { 0 };
	uint64_t given = 1 << 10;
	struct ip ip;

	check(fields_parse(&table, json, &sample, &given, &err) == 0);
	check(given == (1 << 10) - 1); /* all rows but the last */
	check(sample.vni == 10100 && sample.big == UINT32_MAX && sample.isolated);
	check_str(sample.note, "1234567");
	check_str(sample.dev, "eth0.1");
	check(mac_equal(&sample.mac, &mac));
	check(parse_ip("2001:db8::1", &ip) && ip_equal(&ip, &sample.ip));
	check(sample.attach == 2 && sample.range[0] == 2 && sample.range[1] == 4094);
	check(sample.object == json_object_get(json, "object"));
	check(field_given(&table, given, AT(vni)) && field_given(&table, given, AT(object)));
	check(!field_given(&table, given & ~UINT64_C(4), AT(isolated)));
}

static void leaves_the_rest(void)
{
	const struct sample before = filled();
	struct sample sample = before;
	struct error err = { 0 };
	uint64_t given = 0;

	check(parse("{\"vni\": 7, \"big\": null}", &sample, &given, &err) == 0);
	check(given == 1 && sample.vni == 7);
	sample.vni = before.vni;
	check(is_same(&sample, &before));
}

static void check_vni(const char *value, uint32_t wanted)
{
	struct sample sample = { 0 };
	struct error err = { 0 };
	uint64_t given = 0;
	char text[64];

	snprintf(text, sizeof(text), "{\"vni\": %s}", value);
	check(parse(text, &sample, &given, &err) == 0);
	check(sample.vni == wanted);
}

static void refuse_vni(const char *value, const char *shown)
{
	char text[64], msg[128];

	snprintf(text, sizeof(text), "{\"vni\": %s}", value);
	snprintf(msg, sizeof(msg), "vni: %s is not allowed: wanted a number from 1 to 16777215",
		 shown);
	refuses(text, msg);
}

static void reads_numbers(void)
{
	static const char *const refused[] = {
		"0",
		"-1",
		"16777216",
		"4294967396",
		"9223372036854775807",
		"true",
		"[]",
		"{}",
		"\"\"",
		"\"0\"",
		"\" 100\"",
		"\"100 \"",
		"\"0x64\"",
		"\"1e2\"",
		"\"-1\"",
		"\"4294967396\"",
		"\"18446744073709551716\"",
		"\"100\\u0000\"",
		"100.5",
		"-0.5",
	};

	check_vni("1", 1);
	check_vni("16777215", 16777215);
	check_vni("\"100\"", 100);
	check_vni("100.0", 100);
	check_vni("1e2", 100);
	for (size_t i = 0; i < COUNT(refused); i++)
		refuse_vni(refused[i], refused[i]);
	refuse_vni("1e300", "1.0000000000000001e300");
	refuses("{\"vni\": 1, \"big\": 4294967296}",
		"big: 4294967296 is not allowed: wanted a number from 0 to 4294967295");
	refuses("{\"vni\": null}", "vni is missing: wanted a number from 1 to 16777215");
	refuses("{\"Vni\": 1}", "vni is missing: wanted a number from 1 to 16777215");
}

static bool isolated_of(const char *text)
{
	struct sample sample = { 0 };
	struct error err = { 0 };
	uint64_t given = 0;

	check(parse(text, &sample, &given, &err) == 0);
	check(given == 5);

	return sample.isolated;
}

static void reads_booleans(void)
{
	check(isolated_of("{\"vni\": 1, \"isolated\": true}"));
	check(isolated_of("{\"vni\": 1, \"isolated\": \"true\"}"));
	check(!isolated_of("{\"vni\": 1, \"isolated\": \"false\"}"));
	check(isolated_of("{\"vni\": 1, \"portIsolation\": true}"));
	check(isolated_of("{\"vni\": 1, \"isolated\": null, \"portIsolation\": true}"));
	refuses("{\"vni\": 1, \"isolated\": 1}",
		"isolated: 1 is not allowed: wanted true or false");
	refuses("{\"vni\": 1, \"portIsolation\": \"True\"}",
		"portIsolation: \"True\" is not allowed: wanted true or false");
}

/* Both names of one key. */
static void reads_aliases(void)
{
	check(isolated_of("{\"vni\": 1, \"isolated\": true, \"portIsolation\": \"true\"}"));
	check(!isolated_of("{\"vni\": 1, \"isolated\": false, \"portIsolation\": false}"));
	check(!isolated_of("{\"vni\": 1, \"isolated\": false, \"portIsolation\": null}"));
	refuses("{\"vni\": 1, \"isolated\": true, \"portIsolation\": \"false\"}",
		"isolated: true contradicts portIsolation: \"false\", another name of the same key: "
		"wanted one of the two");
	refuses("{\"vni\": 1, \"isolated\": false, \"portIsolation\": true}",
		"isolated: false contradicts portIsolation: true, another name of the same key: "
		"wanted one of the two");
	refuses("{\"vni\": 1, \"isolated\": true, \"portIsolation\": 7}",
		"portIsolation: 7 is not allowed: wanted true or false");
	refuses("{\"vni\": 1, \"isolated\": 7, \"portIsolation\": true}",
		"isolated: 7 is not allowed: wanted true or false");
}

static void refuses_others(void)
{
	refuses("{\"vni\": 1, \"note\": \"12345678\"}",
		"note: \"12345678\" is not allowed: wanted a text of at most 7 bytes");
	refuses("{\"vni\": 1, \"note\": \"a\\u0000b\"}",
		"note: \"a\\u0000b\" is not allowed: wanted a text of at most 7 bytes");
	refuses("{\"vni\": 1, \"dev\": \"a/b\"}",
		"dev: \"a/b\" is not allowed: wanted the name of a network device: 1 to 15 ASCII "
		"characters without blanks, '/', ':' and '%', and not \".\", \"..\", \"all\", "
		"\"default\" or \"lo\"");
	refuses("{\"vni\": 1, \"mac\": \"01:00:5e:00:00:01\"}",
		"mac: \"01:00:5e:00:00:01\" is not allowed: wanted a unicast MAC address like "
		"02:00:5e:10:00:01");
	refuses("{\"vni\": 1, \"ip\": \"192.0.2.1/24\"}",
		"ip: \"192.0.2.1/24\" is not allowed: wanted an IP address without prefix length, "
		"like 192.0.2.1 or 2001:db8::1");
	refuses("{\"vni\": 1, \"attach\": \"foo\"}",
		"attach: \"foo\" is not allowed: wanted one of bridge, macvlan, direct");
	refuses("{\"vni\": 1, \"attach\": 0}",
		"attach: 0 is not allowed: wanted one of bridge, macvlan, direct");
	refuses("{\"vni\": 1, \"range\": \"1-10\"}",
		"range: \"1-10\" is not allowed: wanted a range \"LOWEST-HIGHEST\" within 2-4094");
	refuses("{\"vni\": 1, \"range\": \"2-4095\"}",
		"range: \"2-4095\" is not allowed: wanted a range \"LOWEST-HIGHEST\" within 2-4094");
	refuses("{\"vni\": 1, \"object\": []}", "object: [] is not allowed: wanted an object");
	refuses_as("{\"vni\": 1, \"later\": false}", ERROR_UNSUPPORTED,
		   "later: false is not allowed: wanted no value, the key is not supported");
}

static void empty_device(void)
{
	struct sample sample = filled();
	struct error err = { 0 };
	uint64_t given = 0;

	check(parse("{\"vni\": 1, \"dev\": \"\"}", &sample, &given, &err) == 0);
	check_str(sample.dev, "");
	check(field_given(&table, given, AT(dev)));
}

/* A value of a megabyte, and one that a terminal would obey, leave the message whole. */
static void shortens(void)
{
	char shown[81], msg[256];
	json_t *json = json_object();
	struct sample sample = { 0 };
	struct error err = { 0 };
	uint64_t given = 0;
	char *text = malloc(1 << 20);

	check(text);
	memset(text, 'x', (1 << 20) - 1);
	text[(1 << 20) - 1] = '\0';
	check(json_object_set_new(json, "vni", json_string(text)) == 0);
	snprintf(shown, sizeof(shown), "\"%s", text);
	snprintf(msg, sizeof(msg), "vni: %s... is not allowed: wanted a number from 1 to 16777215",
		 shown);
	check_error(fields_parse(&table, json, &sample, &given, &err), &err, ERROR_INVALID_CONFIG,
		    msg);
	json_decref(json);
	free(text);

	refuse_vni("\"\\u001b[2J\xc3\xa9\"", "\"\\u001B[2J\\u00E9\"");
}

static void check_dump(unsigned flag, uint64_t given, const char *wanted)
{
	static const char text[] = "{\"vni\": 10100, \"isolated\": \"true\", \"note\": \"n\", "
				   "\"dev\": \"\", \"mac\": \"0200.5e10.0001\", "
				   "\"ip\": \"192.0.2.1\", \"attach\": \"macvlan\", "
				   "\"range\": \"5-6\", \"object\": {\"a\": [1]}}";
	auto_json json_t *json = json_of(text), *dump = NULL;
	struct sample sample = { 0 };
	struct error err = { 0 };
	auto_free char *dumped = NULL;
	uint64_t found = 0;

	check(fields_parse(&table, json, &sample, &found, &err) == 0);
	dump = fields_dump(&table, flag, &sample, found & given);
	check(dump);
	dumped = json_dumps(dump, JSON_COMPACT);
	check_str(dumped, wanted);
}

static void dumps(void)
{
	check_dump(0, UINT64_MAX,
		   "{\"vni\":10100,\"isolated\":true,\"note\":\"n\",\"dev\":\"\","
		   "\"mac\":\"02:00:5e:10:00:01\",\"ip\":\"192.0.2.1\",\"attach\":\"macvlan\","
		   "\"range\":\"5-6\",\"object\":{\"a\":[1]}}");
	check_dump(FIXED, UINT64_MAX,
		   "{\"vni\":10100,\"note\":\"n\",\"mac\":\"02:00:5e:10:00:01\","
		   "\"attach\":\"macvlan\",\"object\":{\"a\":[1]}}");
	check_dump(FIXED, 1, "{\"vni\":10100}");
	check_dump(FIELD_REQUIRED, UINT64_MAX, "{\"vni\":10100}");
	check_dump(0, 0, "{}");
}

static int inherit(const char *fixed, struct sample *sample, uint64_t *given, struct error *err)
{
	auto_json json_t *values = json_of(fixed);
	const struct fields_fixed from = { values, "the L2 domain of VNI 10100", FIXED };

	return fields_inherit(&table, &from, sample, given, err);
}

static void inherits(void)
{
	auto_json json_t *json =
		json_of("{\"vni\": 10100, \"mac\": \"02-00-5E-10-00-01\", \"dev\": \"a\", "
			"\"object\": {\"a\": 1}}");
	struct sample sample = { .big = 7 };
	struct error err = { 0 };
	uint64_t given = 0;

	check(fields_parse(&table, json, &sample, &given, &err) == 0);
	check(inherit("{\"vni\": 10100, \"note\": \"theirs\", \"mac\": \"02:00:5e:10:00:01\", "
		      "\"dev\": \"b\", \"ip\": \"::1\", \"big\": null, \"object\": {\"a\": 1}}",
		      &sample, &given, &err) == 0);
	check_str(sample.note, "theirs"); /* not given: taken over */
	check(field_given(&table, given, AT(note)));
	check_str(sample.dev, "a"); /* its row has no flag */
	check(sample.ip.family == 0 && !field_given(&table, given, AT(ip)));
	check(sample.big == 7 && !field_given(&table, given, AT(big)));
	/* Equal, but borrowed from ours: theirs is gone by now. */
	check(sample.object == json_object_get(json, "object"));
}

static bool tells(const char *fixed)
{
	auto_json json_t *values = json_loads(fixed, 0, NULL);

	return fields_tell(&table, &(struct fields_fixed){ .values = values });
}

static void refuse_inherit(const char *fixed, int code, const char *msg)
{
	struct sample sample = filled(), before;
	struct error err = { 0 };
	uint64_t given = 0;

	check(parse("{\"vni\": 200, \"note\": \"ours\", \"attach\": \"direct\"}", &sample, &given,
		    &err) == 0);
	before = sample;
	given &= ~UINT64_C(8); /* the note is ours, but nobody asked for it */
	check_error(inherit(fixed, &sample, &given, &err), &err, code, msg);
	check(is_same(&sample, &before));
	check(given == (1 | 1 << 7));
}

static void finds(void)
{
	check(field_find(&table, "vni") == &rows[0]);
	check(field_find(&table, "portIsolation") == &rows[2]);
	check(!field_find(&table, "Vni") && !field_find(&table, ""));
}

int main(void)
{
	reads_all();
	leaves_the_rest();
	reads_numbers();
	reads_booleans();
	reads_aliases();
	refuses_others();
	empty_device();
	shortens();
	dumps();
	inherits();
	check(tells("{\"vni\": 10100}"));
	check(!tells("{\"vni\": null, \"unknown\": 1}"));
	refuse_inherit("{\"note\": \"theirs\", \"vni\": 100}", ERROR_CONFLICT,
		       "vni: 200 was asked for, but the L2 domain of VNI 10100 has 100");
	refuse_inherit("{\"note\": \"theirs\", \"attach\": \"bridge\"}", ERROR_CONFLICT,
		       "attach: \"direct\" was asked for, but the L2 domain of VNI 10100 has "
		       "\"bridge\"");
	refuse_inherit("{\"note\": \"theirs\", \"mac\": \"zz\"}", ERROR_STATE,
		       "the L2 domain of VNI 10100: mac: \"zz\" is not allowed: wanted a unicast "
		       "MAC address like 02:00:5e:10:00:01");
	finds();

	return 0;
}
