// SPDX-License-Identifier: Apache-2.0
#include "shared/node/store_lock.h"
#include "test/unit/store.h"

static void check_damaged(const struct store *store)
{
	json_t *found = NULL;

	check(store_read_record(store, ID_1, &found, &err) == 0 && !found);
	expect_warning("/attachments/" ID_1 ".json is damaged (");
}

static void damaged_files(const struct store *store)
{
	static const char *const texts[] = { "",  "{\"a\": ",          "garbage", "[1]",
					     "7", "{\"a\": \"\xff\"}", "{} {}" };
	auto_json json_t *one = value_of(1), *found = NULL;

	check(store_write_record(store, ID_1, one, &err) == 0);
	for (size_t i = 0; i < COUNT(texts); i++) {
		put_text(path_of("attachments/" ID_1 ".json"), texts[i]);
		check_damaged(store);
	}
	/* Writing mends it; a file that another program has left half-written does not hinder. */
	put_text(path_of("attachments/." ID_1 ".json.tmp"), "{");
	check(store_write_record(store, ID_1, one, &err) == 0);
	check(store_read_record(store, ID_1, &found, &err) == 1 && json_equal(found, one));
	check(!is_there(path_of("attachments/." ID_1 ".json.tmp")));
}

static void check_refused(const struct store *store, const char *kind)
{
	auto_json json_t *one = value_of(1);
	char msg[ERROR_MSG_SIZE];

	snprintf(msg, sizeof(msg), "%.300s is %s: wanted a plain file",
		 path_of("attachments/" ID_1 ".json"), kind);
	check_error(store_write_record(store, ID_1, one, &err), &err, ERROR_STATE, msg);
	check_damaged(store);
}

static void things_in_the_way(const struct store *store)
{
	char record[PATH_MAX], target[PATH_MAX];
	struct stat st;

	snprintf(record, sizeof(record), "%s", path_of("attachments/" ID_1 ".json"));
	snprintf(target, sizeof(target), "%.4000s/passwd", root);
	put_text(target, "{\"n\": 666}");
	check(store_remove_record(store, ID_1, &err) == 0);

	check(symlink(target, record) == 0);
	check_refused(store, "a symbolic link");
	check(store_remove_record(store, ID_1, &err) == 0); /* the link */
	check(!is_there(record) && stat(target, &st) == 0 && st.st_size == 10);

	/* Nor does a write go through a link at its temporary file. */
	check(symlink(target, path_of("attachments/." ID_1 ".json.tmp")) == 0);
	{
		auto_json json_t *one = value_of(1);

		check(store_write_record(store, ID_1, one, &err) == 0);
	}
	check(stat(target, &st) == 0 && st.st_size == 10 && mode_of(record) == 0600);
	check(store_remove_record(store, ID_1, &err) == 0);

	check(mkdir(record, 0700) == 0);
	check_refused(store, "a directory");
	put_text(path_of("attachments/" ID_1 ".json/theirs"), "theirs");
	check(store_remove_record(store, ID_1, &err) == 0);
	expect_warning("/attachments/" ID_1 ".json is a directory, it stays");
	check(unlink(path_of("attachments/" ID_1 ".json/theirs")) == 0);
	check(store_remove_record(store, ID_1, &err) == 0); /* an empty one does not */
	expect_warning(NULL);
	check(!is_there(record));

	check(mkfifo(record, 0600) == 0); /* and nobody waits for its other end */
	check_refused(store, "a device, pipe or socket");
	check(store_remove_record(store, ID_1, &err) == 0);
	check(!is_there(record));
}

static void directories_in_the_way(const struct store *store)
{
	auto_json json_t *one = value_of(1);
	auto_lock struct lock lock = LOCK_NONE;
	json_t *found = NULL;
	char msg[ERROR_MSG_SIZE];

	check(store_put_holder(store, "l2-6", ID_1, one, &err) == 0);
	check(symlink("/etc", path_of("domains/l2-66")) == 0);
	snprintf(msg, sizeof(msg), "%.300s is a symbolic link: wanted a directory",
		 path_of("domains/l2-66"));
	check_error(store_put_holder(store, "l2-66", ID_1, one, &err), &err, ERROR_STATE, msg);
	check(store_read_domain(store, "l2-66", &found, &err) == 0 && !found);
	expect_warning(" is a symbolic link: wanted a directory, it is ignored");
	check(store_each_holder(store, "l2-66", never, NULL, &err) == 0);
	expect_warning(" is a symbolic link: wanted a directory, it is ignored");
	check(unlink(path_of("domains/l2-66")) == 0);

	check(store_lock(store, "l2-6", 0, &lock, &err) == 1);
	lock_release(&lock);
	check(symlink("/etc/passwd", path_of("locks/planted")) == 0);
	check(store_lock(store, "planted", 0, &lock, &err) == -1 && err.code == ERROR_STATE);
	check(strstr(err.msg, "/locks/planted: ") && lock.fd == -1);
	check_error(store_lock(store, "../x", 0, &lock, &err), &err, ERROR_INTERNAL,
		    "\"../x\" is no name for a lock");
}

static void unusable_state(void)
{
	struct store store = { .fd = -2 };
	char file[PATH_MAX], below[PATH_MAX], msg[ERROR_MSG_SIZE];

	snprintf(file, sizeof(file), "%.4000s/file", root);
	put_text(file, "");
	snprintf(msg, sizeof(msg),
		 "state directory %.200s: %.200s is a plain file: wanted a directory", file, file);
	check_error(store_open(&store, file, SLUG, true, &err), &err, ERROR_STATE, msg);
	check_error(store_open(&store, file, SLUG, false, &err), &err, ERROR_STATE, msg);
	snprintf(below, sizeof(below), "%.4000s/x", file);
	snprintf(msg, sizeof(msg), "state directory %.200s: Not a directory", below);
	check_error(store_open(&store, below, SLUG, true, &err), &err, ERROR_STATE, msg);
	check_error(store_open(&store, below, SLUG, false, &err), &err, ERROR_STATE, msg);
	check_error(store_open(&store, "run/x", SLUG, true, &err), &err, ERROR_STATE,
		    "state directory run/x: wanted an absolute path");
	check(store.fd == -2);

	/* A link above it is the node's own business, one in its place is not. */
	snprintf(below, sizeof(below), "%.4000s/link", root);
	check(symlink(root, below) == 0);
	check(store_open(&store, below, SLUG, true, &err) == -1 && err.code == ERROR_STATE);
	snprintf(below, sizeof(below), "%.4000s/link/real///", root);
	check(store_open(&store, below, SLUG, true, &err) == 0 && store.fd >= 0);
	store_close(&store);
	check(store.fd == -1);
	expect_warning(NULL);
}

int main(void)
{
	auto_store struct store store = { .fd = -1 };

	begin();
	unusable_state();
	store = open_store(true);
	damaged_files(&store);
	things_in_the_way(&store);
	directories_in_the_way(&store);
	expect_warning(NULL);

	return 0;
}
