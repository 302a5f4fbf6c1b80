// SPDX-License-Identifier: Apache-2.0
#include "test/unit/store.h"

#include "shared/node/store_lock.h"

static void names(void)
{
	char slug[STORE_NAME_SIZE], other[STORE_NAME_SIZE], longest[300];

	store_slug("/run/netns/hbr", slug);
	check(strlen(slug) == 12 && strncmp(slug, "hbr-", 4) == 0);
	store_slug("/var/netns/hbr", other);
	check(strncmp(other, "hbr-", 4) == 0 && strcmp(slug, other) != 0);
	store_slug("/run/.a b/.h%\xc3\xa9.1_-", slug);
	check(strncmp(slug, "_h___.1_--", 10) == 0);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	store_slug(longest, slug);
	check(strlen(slug) < STORE_NAME_SIZE && slug[strlen(slug) - 9] == '-');

	store_id("c1", "net1", slug);
	check(strlen(slug) == 16 && strspn(slug, "0123456789abcdef") == 16);
	store_id("c1n", "et1", other);
	check(strcmp(slug, other) != 0);
	store_id("c1", "net2", other);
	check(strcmp(slug, other) != 0);
	store_id("c1", "net1", other);
	check_str(slug, other);
}

static void without_state(void)
{
	auto_store struct store store = open_store(false);
	auto_json json_t *value = value_of(1);
	auto_lock struct lock lock = LOCK_NONE;
	json_t *found = value;

	check(store.fd == -1);
	check(store_read_record(&store, ID_1, &found, &err) == 0 && found == value);
	check(store_read_domain(&store, "l2-1", &found, &err) == 0 && found == value);
	check(store_remove_record(&store, ID_1, &err) == 0);
	check(store_remove_domain(&store, "l2-1", &err) == 0);
	check(store_remove_holder(&store, "l2-1", ID_1, &err) == 0);
	check(store_each_record(&store, never, NULL, &err) == 0);
	check(store_each_domain(&store, never, NULL, &err) == 0);
	check(store_each_holder(&store, "l2-1", never, NULL, &err) == 0);
	check(store_lock(&store, "l2-1", 0, &lock, &err) == 1 && lock.fd == -1);
	lock_discard(&lock);
	check_error(store_write_record(&store, ID_1, value, &err), &err, ERROR_STATE,
		    "attachments: the state directory is not there");
	check(!is_there(state));
}

static void modes(void)
{
	auto_store struct store store = { .fd = -1 };
	auto_json json_t *value = value_of(7);
	auto_lock struct lock lock = LOCK_NONE;

	store = open_store(true);
	check(store.fd >= 0 && (fcntl(store.fd, F_GETFD) & FD_CLOEXEC));
	check(store_write_record(&store, ID_1, value, &err) == 0);
	check(store_put_holder(&store, "l2-7", ID_1, value, &err) == 0);
	check(store_write_domain(&store, "l2-7", value, &err) == 0);
	check(store_lock(&store, "l2-7", 0, &lock, &err) == 1);
	check(fcntl(lock.fd, F_GETFD) & FD_CLOEXEC);
	check(fcntl(lock.dir, F_GETFD) & FD_CLOEXEC);

	check(mode_of(state) == 0700 && mode_of(path_of("")) == 0700);
	check(mode_of(path_of("attachments")) == 0700 && mode_of(path_of("locks")) == 0700);
	check(mode_of(path_of("domains")) == 0700 && mode_of(path_of("domains/l2-7")) == 0700);
	check(mode_of(path_of("attachments/" ID_1 ".json")) == 0600);
	check(mode_of(path_of("domains/l2-7/domain.json")) == 0600);
	check(mode_of(path_of("domains/l2-7/" ID_1)) == 0600);
	check(mode_of(path_of("locks/l2-7")) == 0600);
}

/* Root can do without any of its own bits, and everybody else has none to begin with. */
static void modes_whatever_the_umask(void)
{
	static const mode_t masks[] = { 0, 022, 0777 };
	mode_t before = umask(0);

	for (size_t i = 0; i < COUNT(masks); i++) {
		if (masks[i] == 0777 && geteuid() != 0)
			continue;
		umask(masks[i]);
		snprintf(state, sizeof(state), "%.4000s/umask/%zu", root, i);
		modes();
	}
	umask(before);
}

static void records(const struct store *store)
{
	auto_json json_t *one = value_of(1), *two = value_of(2), *found = NULL, *again = NULL;

	check(store_read_record(store, ID_1, &found, &err) == 0 && !found);
	check(store_write_record(store, ID_1, one, &err) == 0);
	check(store_read_record(store, ID_1, &found, &err) == 1 && json_equal(found, one));
	check(store_write_record(store, ID_1, two, &err) == 0);
	check(store_read_record(store, ID_1, &again, &err) == 1 && json_equal(again, two));
	check(store_remove_record(store, ID_1, &err) == 0);
	check(store_remove_record(store, ID_1, &err) == 0);
	check(store_read_record(store, ID_1, &again, &err) == 0 && json_equal(again, two));
	expect_warning(NULL);

	check_error(store_write_record(store, "../x", one, &err), &err, ERROR_INTERNAL,
		    "\"../x\" is no name for a record");
	check_error(store_put_holder(store, "l2-1", "README", one, &err), &err, ERROR_INTERNAL,
		    "\"README\" is no name for a holder");
	check_error(store_write_domain(store, "l2-/../x", one, &err), &err, ERROR_INTERNAL,
		    "\"l2-/../x\" is no name for a domain");
}

static void domains(const struct store *store)
{
	auto_json json_t *one = value_of(1), *two = value_of(2), *found = NULL;

	check(store_put_holder(store, "l2-5", ID_1, one, &err) == 0);
	check(store_put_holder(store, "l2-5", "vrf-a.b c", two, &err) == 0);
	check(store_read_domain(store, "l2-5", &found, &err) == 0 && !found);
	check(store_write_domain(store, "l2-5", two, &err) == 0);
	check(store_read_domain(store, "l2-5", &found, &err) == 1 && json_equal(found, two));

	/* As long as holders are in it, it stays whole. */
	check(store_remove_domain(store, "l2-5", &err) == 0);
	check(store_remove_holder(store, "l2-5", ID_1, &err) == 0);
	check(store_remove_domain(store, "l2-5", &err) == 0);
	check(is_there(path_of("domains/l2-5/domain.json")));
	check(store_remove_holder(store, "l2-5", "vrf-a.b c", &err) == 0);
	check(store_remove_holder(store, "l2-5", "vrf-a.b c", &err) == 0);
	/* What a killed write left does not keep it. */
	put_text(path_of("domains/l2-5/.domain.json.tmp"), "{");
	put_text(path_of("domains/l2-5/." ID_1 ".tmp"), "{");
	check(store_remove_domain(store, "l2-5", &err) == 0);
	check(!is_there(path_of("domains/l2-5")));
	check(store_remove_domain(store, "l2-5", &err) == 0);
	expect_warning(NULL);

	/* Somebody's file does, and is said. */
	check(store_write_domain(store, "l2-5", two, &err) == 0);
	put_text(path_of("domains/l2-5/README"), "mine");
	check(store_remove_domain(store, "l2-5", &err) == 0);
	check(is_there(path_of("domains/l2-5/README")));
	check(!is_there(path_of("domains/l2-5/domain.json")));
	expect_warning("/domains/l2-5 has files in it that are not ours, it stays");
	check(unlink(path_of("domains/l2-5/README")) == 0);
	check(store_remove_domain(store, "l2-5", &err) == 0);
	check(!is_there(path_of("domains/l2-5")));
}

/* Whose a MAC is: no holder, and gone with the domain. */
static void claims(const struct store *store)
{
	auto_json json_t *one = value_of(1), *two = value_of(2), *found = NULL, *none = NULL;

	check(store_read_holder(store, "l2-8", "020000000001.mac", &none, &err) == 0 && !none);
	check(store_remove_holder(store, "l2-8", "020000000001.mac", &err) == 0);
	check(!is_there(path_of("domains/l2-8")));
	check(store_write_domain(store, "l2-8", two, &err) == 0);
	check(store_put_holder(store, "l2-8", "020000000001.mac", one, &err) == 0);
	check(store_put_holder(store, "l2-8", "0200000000ff.mac", two, &err) == 0);
	check(store_read_holder(store, "l2-8", "020000000001.mac", &found, &err) == 1);
	check(json_equal(found, one));
	check(mode_of(path_of("domains/l2-8/020000000001.mac")) == 0600);
	check(store_each_holder(store, "l2-8", never, NULL, &err) == 0);
	check(store_remove_holder(store, "l2-8", "020000000001.mac", &err) == 0);
	check(!is_there(path_of("domains/l2-8/020000000001.mac")));
	put_text(path_of("domains/l2-8/0200000000ff.mac"), "{");
	check(store_read_holder(store, "l2-8", "0200000000ff.mac", &none, &err) == 0 && !none);
	expect_warning("/domains/l2-8/0200000000ff.mac is damaged (");
	check(store_remove_domain(store, "l2-8", &err) == 0);
	check(!is_there(path_of("domains/l2-8")));
	check_error(store_put_holder(store, "l2-8", "02000000000G.mac", one, &err), &err,
		    ERROR_INTERNAL, "\"02000000000G.mac\" is no name for a holder");
	check_error(store_read_holder(store, "l2-8", "0200000000011.mac", &none, &err), &err,
		    ERROR_INTERNAL, "\"0200000000011.mac\" is no name for a holder");
	expect_warning(NULL);
}

static void check_located(const char *slug, const char *id, const char *wanted)
{
	char found[STORE_NAME_SIZE] = "untouched";

	check(store_locate_record(state, slug, id, found, &err) == (wanted ? 1 : 0));
	check_str(found, wanted ? wanted : "untouched");
}

/* A record is found in the state of another HBR netns as well, damaged or not. */
static void locates(const struct store *store)
{
	auto_store struct store other = { .fd = -1 };
	auto_json json_t *one = value_of(1);

	check_located(SLUG, ID_1, NULL);
	check(store_open(&other, state, "other-1", true, &err) == 0);
	check(store_write_record(&other, ID_1, one, &err) == 0);
	check_located(SLUG, ID_1, "other-1");
	put_text(path_of("attachments/" ID_1 ".json"), "");
	check_located(SLUG, ID_1, SLUG);
	check_located("other-1", ID_1, "other-1");
	check_located("none", ID_2, NULL);
	check(store_remove_record(store, ID_1, &err) == 0);
	check(store_remove_record(&other, ID_1, &err) == 0);
	check_located(SLUG, ID_1, NULL);
}

/* What was visited, in any order: the sum of its numbers, 1000 for each without a value. */
struct visits {
	int n, sum, stop_with;
	char names[256];
};

static int visit(const char *name, json_t *value, void *arg, struct error *e)
{
	struct visits *visits = arg;
	size_t len = strlen(visits->names);

	(void)e;
	snprintf(visits->names + len, sizeof(visits->names) - len, "%s ", name);
	visits->n++;
	visits->sum += value ? number_of(value) : 1000;

	return visits->stop_with;
}

static void each(const struct store *store)
{
	auto_json json_t *one = value_of(1), *two = value_of(2), *four = value_of(4);
	struct visits in_records = { 0 }, in_domains = { 0 }, in_holders = { 0 };
	struct visits stopped = { .stop_with = 9 };

	check(store_write_record(store, ID_1, one, &err) == 0);
	check(store_write_record(store, ID_2, two, &err) == 0);
	put_text(path_of("attachments/README"), "x");
	put_text(path_of("attachments/README.json"), "{}");
	put_text(path_of("attachments/" ID_1 "x.json"), "{}");
	put_text(path_of("attachments/." ID_1 ".json.tmp"), "{");
	put_text(path_of("attachments/00000000000000a3.json"), ""); /* damaged */
	check(store_each_record(store, visit, &in_records, &err) == 0);
	check(in_records.n == 3 && in_records.sum == 1003);
	check(strstr(in_records.names, ID_1 " ") && strstr(in_records.names, ID_2 " "));
	expect_warning("/attachments/00000000000000a3.json is damaged (");
	check(store_each_record(store, visit, &stopped, &err) == 9 && stopped.n == 1);
	expect_warning("");

	check(store_write_domain(store, "l2-6", four, &err) == 0);
	check(store_put_holder(store, "vrf-red", "l2-6", two, &err) == 0); /* no domain.json */
	put_text(path_of("domains/README"), "x");
	check(store_each_domain(store, visit, &in_domains, &err) == 0);
	check(in_domains.n == 2 && in_domains.sum == 1004);
	check(strstr(in_domains.names, "l2-6 ") && strstr(in_domains.names, "vrf-red "));
	expect_warning(NULL);

	check(store_put_holder(store, "l2-6", ID_1, one, &err) == 0);
	put_text(path_of("domains/l2-6/README"), "x");
	put_text(path_of("domains/l2-6/." ID_1 ".tmp"), "{");
	put_text(path_of("domains/l2-6/" ID_2), "[]");
	check(store_each_holder(store, "l2-6", visit, &in_holders, &err) == 0);
	check(in_holders.n == 2 && in_holders.sum == 1001);
	expect_warning("/domains/l2-6/" ID_2 " is damaged (no JSON object), it is ignored\n");
	check(store_each_holder(store, "l2-999", never, NULL, &err) == 0);

	check(store_remove_record(store, ID_1, &err) == 0); /* with what a killed write left */
	check(!is_there(path_of("attachments/." ID_1 ".json.tmp")));
	check(store_remove_holder(store, "l2-6", ID_1, &err) == 0);
	check(!is_there(path_of("domains/l2-6/." ID_1 ".tmp")));
}

int main(void)
{
	auto_store struct store store = { .fd = -1 };

	begin();
	names();
	without_state();
	modes_whatever_the_umask();
	snprintf(state, sizeof(state), "%.4000s/some/state", root);
	store = open_store(true);
	records(&store);
	locates(&store);
	domains(&store);
	claims(&store);
	each(&store);
	expect_warning(NULL);

	return 0;
}
