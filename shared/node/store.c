// SPDX-License-Identifier: Apache-2.0
#include "shared/node/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/node/store_file.h"

#define DOMAIN_FILE   "domain.json"
#define RECORD_SUFFIX ".json"
#define CLAIM_SUFFIX  ".mac"
#define ID_DIGITS     16
#define CLAIM_DIGITS  12

/* A directory of the store's. 1, 0 absent. */
static int open_dir(const struct store *store, const char *name, enum store_dir how, int *fd,
		    struct error *err)
{
	if (store->fd >= 0)
		return store_dir_open(store->fd, name, how, fd, err);
	if (how == STORE_DIR_MAKE)
		return error_set(err, ERROR_STATE, "%s: the state directory is not there", name);

	return 0;
}

static size_t count_digits(const char *name)
{
	return strspn(name, "0123456789abcdef");
}

static bool is_id(const char *name)
{
	return strlen(name) == ID_DIGITS && count_digits(name) == ID_DIGITS;
}

static bool is_claim(const char *name)
{
	return count_digits(name) == CLAIM_DIGITS && strcmp(name + CLAIM_DIGITS, CLAIM_SUFFIX) == 0;
}

/* "<kind>-<key>". The key can be a VRF's name, with nearly anything in it. */
static bool is_domain(const char *name)
{
	size_t kind = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");

	return kind > 0 && name[kind] == '-' && name[kind + 1] != '\0' && !strchr(name, '/') &&
	       strlen(name) < STORE_NAME_SIZE;
}

static bool is_holder(const char *name)
{
	return is_id(name) || is_domain(name);
}

static int refuse_name(const char *name, const char *what, struct error *err)
{
	return error_set(err, ERROR_INTERNAL, "\"%s\" is no name for %s", name, what);
}

/* An attachment's record: its directory and its file. 1, 0 no directory. */
static int find_record(const struct store *store, const char *id, enum store_dir how, int *dir,
		       char file[static STORE_FILE_SIZE], struct error *err)
{
	if (!is_id(id))
		return refuse_name(id, "a record", err);
	snprintf(file, STORE_FILE_SIZE, "%s" RECORD_SUFFIX, id);

	return open_dir(store, "attachments", how, dir, err);
}

int store_read_record(const struct store *store, const char *id, json_t **record, struct error *err)
{
	auto_close int dir = -1;
	char file[STORE_FILE_SIZE];
	int r = find_record(store, id, STORE_DIR_FORGIVE, &dir, file, err);

	if (r == 1)
		r = store_file_read(dir, file, record, err);

	return r == STORE_FILE_DAMAGED ? 0 : r;
}

int store_write_record(const struct store *store, const char *id, json_t *record, struct error *err)
{
	auto_close int dir = -1;
	char file[STORE_FILE_SIZE];

	if (find_record(store, id, STORE_DIR_MAKE, &dir, file, err) < 0)
		return -1;

	return store_file_write(dir, file, record, err);
}

int store_remove_record(const struct store *store, const char *id, struct error *err)
{
	auto_close int dir = -1;
	char file[STORE_FILE_SIZE];
	int r = find_record(store, id, STORE_DIR_FORGIVE, &dir, file, err);

	return r == 1 ? store_file_remove(dir, file, err) : r;
}

/* The directory of a domain. 1, 0 absent. */
static int open_domain(const struct store *store, const char *domain, enum store_dir how, int *fd,
		       struct error *err)
{
	auto_close int domains = -1;
	int r;

	if (!is_domain(domain))
		return refuse_name(domain, "a domain", err);
	r = open_dir(store, "domains", how, &domains, err);

	return r == 1 ? store_dir_open(domains, domain, how, fd, err) : r;
}

int store_read_domain(const struct store *store, const char *domain, json_t **values,
		      struct error *err)
{
	auto_close int dir = -1;
	int r = open_domain(store, domain, STORE_DIR_FORGIVE, &dir, err);

	if (r == 1)
		r = store_file_read(dir, DOMAIN_FILE, values, err);

	return r == STORE_FILE_DAMAGED ? 0 : r;
}

int store_write_domain(const struct store *store, const char *domain, json_t *values,
		       struct error *err)
{
	auto_close int dir = -1;

	if (open_domain(store, domain, STORE_DIR_MAKE, &dir, err) < 0)
		return -1;

	return store_file_write(dir, DOMAIN_FILE, values, err);
}

/* A domain's directory, for one of its files. 1, 0 no directory. */
static int open_for(const struct store *store, const char *domain, const char *file,
		    enum store_dir how, int *dir, struct error *err)
{
	if (!is_holder(file) && !is_claim(file))
		return refuse_name(file, "a holder", err);

	return open_domain(store, domain, how, dir, err);
}

int store_put_holder(const struct store *store, const char *domain, const char *id, json_t *holder,
		     struct error *err)
{
	auto_close int dir = -1;

	if (open_for(store, domain, id, STORE_DIR_MAKE, &dir, err) < 0)
		return -1;

	return store_file_write(dir, id, holder, err);
}

int store_remove_holder(const struct store *store, const char *domain, const char *id,
			struct error *err)
{
	auto_close int dir = -1;
	int r = open_for(store, domain, id, STORE_DIR_FORGIVE, &dir, err);

	return r == 1 ? store_file_remove(dir, id, err) : r;
}

int store_read_holder(const struct store *store, const char *domain, const char *id,
		      json_t **holder, struct error *err)
{
	auto_close int dir = -1;
	int r = open_for(store, domain, id, STORE_DIR_FORGIVE, &dir, err);

	if (r == 1)
		r = store_file_read(dir, id, holder, err);

	return r == STORE_FILE_DAMAGED ? 0 : r;
}

/* The next entry of a directory; NULL after the last, and when it cannot be read. */
static const char *next_entry(DIR *dir)
{
	const struct dirent *entry;

	errno = 0;
	entry = readdir(dir);

	return entry ? entry->d_name : NULL;
}

/* Behind the last entry: was that the end, or a failure? */
static int end_list(DIR *dir, struct error *err)
{
	char path[STORE_PATH_SIZE];
	int errnum = errno;

	if (errnum == 0)
		return 0;
	store_path(dirfd(dir), "", path);

	return error_errno(err, ERROR_STATE, errnum, "list %s", path);
}

/* Takes the descriptor. */
static DIR *list(int *fd, struct error *err)
{
	DIR *dir = fdopendir(*fd);

	if (dir)
		take_fd(fd);
	else
		error_errno(err, ERROR_STATE, errno, "list the state directory");

	return dir;
}

/* 1 there is a holder in it. */
static int find_holder(DIR *dir, struct error *err)
{
	const char *name;

	while ((name = next_entry(dir))) {
		if (is_holder(name))
			return 1;
	}

	return end_list(dir, err);
}

/* Remove our files, and nothing else. */
static int empty_domain(DIR *dir, struct error *err)
{
	const char *name;

	rewinddir(dir);
	while ((name = next_entry(dir))) {
		if (store_file_is_temporary(name) || is_claim(name))
			store_file_unlink(dirfd(dir), name);
	}
	if (end_list(dir, err) < 0)
		return -1;

	return store_file_remove(dirfd(dir), DOMAIN_FILE, err);
}

int store_has_domain(const struct store *store, const char *domain, struct error *err)
{
	auto_close int fd = -1;

	return open_domain(store, domain, STORE_DIR_FORGIVE, &fd, err);
}

int store_remove_domain(const struct store *store, const char *domain, struct error *err)
{
	auto_close int domains = -1, fd = -1;
	auto_dir DIR *dir = NULL;
	char path[STORE_PATH_SIZE];
	int r = open_domain(store, domain, STORE_DIR_FORGIVE, &fd, err);

	if (r == 1)
		r = open_dir(store, "domains", STORE_DIR_FORGIVE, &domains, err);
	if (r <= 0)
		return r;
	dir = list(&fd, err);
	if (!dir)
		return -1;
	r = find_holder(dir, err);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (empty_domain(dir, err) < 0)
		return -1;
	if (unlinkat(domains, domain, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	store_path(domains, domain, path);
	if (errno != ENOTEMPTY)
		return error_errno(err, ERROR_STATE, errno, "remove %s", path);
	error_warn("%s has files in it that are not ours, it stays", path);

	return 0;
}

/* What is in a directory: which entries count, what they are called, and how they are read. */
struct listing {
	bool (*is_ours)(const char *name);
	const char *suffix; /* of the entry, behind the name */
	int (*read)(int dir, const char *entry, json_t **value, struct error *err);
};

static int visit_entry(const struct listing *listing, DIR *dir, const char *entry,
		       store_visit_fn *visit, void *arg, struct error *err)
{
	auto_json json_t *value = NULL;
	size_t len = strlen(entry), suffix = strlen(listing->suffix);
	char name[STORE_NAME_SIZE];
	int r;

	if (len < suffix || len - suffix >= sizeof(name) ||
	    strcmp(entry + len - suffix, listing->suffix) != 0)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(len - suffix), entry);
	if (!listing->is_ours(name))
		return 0;
	r = listing->read(dirfd(dir), entry, &value, err);
	if (r < 0 || r == STORE_FILE_ABSENT) /* it went away meanwhile */
		return r;

	return visit(name, value, arg, err);
}

static int each(const struct listing *listing, int *fd, store_visit_fn *visit, void *arg,
		struct error *err)
{
	auto_dir DIR *dir = list(fd, err);
	const char *entry;

	if (!dir)
		return -1;
	while ((entry = next_entry(dir))) {
		int r = visit_entry(listing, dir, entry, visit, arg, err);

		if (r != 0)
			return r;
	}

	return end_list(dir, err);
}

int store_each_record(const struct store *store, store_visit_fn *visit, void *arg,
		      struct error *err)
{
	static const struct listing records = { is_id, RECORD_SUFFIX, store_file_read };
	auto_close int fd = -1;
	int r = open_dir(store, "attachments", STORE_DIR_FORGIVE, &fd, err);

	return r == 1 ? each(&records, &fd, visit, arg, err) : r;
}

/* A domain without a readable domain.json is one all the same. */
static int read_domain(int domains, const char *domain, json_t **values, struct error *err)
{
	auto_close int dir = -1;
	int r = store_dir_open(domains, domain, STORE_DIR_FORGIVE, &dir, err);

	if (r == 1)
		r = store_file_read(dir, DOMAIN_FILE, values, err);
	else if (r == 0)
		return STORE_FILE_ABSENT;

	return r == STORE_FILE_ABSENT ? STORE_FILE_DAMAGED : r;
}

int store_each_domain(const struct store *store, store_visit_fn *visit, void *arg,
		      struct error *err)
{
	static const struct listing domains = { is_domain, "", read_domain };
	auto_close int fd = -1;
	int r = open_dir(store, "domains", STORE_DIR_FORGIVE, &fd, err);

	return r == 1 ? each(&domains, &fd, visit, arg, err) : r;
}

int store_each_holder(const struct store *store, const char *domain, store_visit_fn *visit,
		      void *arg, struct error *err)
{
	static const struct listing holders = { is_holder, "", store_file_read };
	auto_close int fd = -1;
	int r = open_domain(store, domain, STORE_DIR_FORGIVE, &fd, err);

	return r == 1 ? each(&holders, &fd, visit, arg, err) : r;
}
