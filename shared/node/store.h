// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What outlives a call: locks, records of attachments, domains and their holders, in files
 *
 *   <stateDir>/<hbr>/locks/<name>                 flock; the file is locked, then looked at again:
 *                                                 a lock on a file that is gone does not count
 *   <stateDir>/<hbr>/attachments/<id>.json        the record of an attachment
 *   <stateDir>/<hbr>/domains/<domain>/domain.json what the first holder fixed
 *   <stateDir>/<hbr>/domains/<domain>/<id>        a holder: the directory is the count
 *   <stateDir>/<hbr>/domains/<domain>/<mac>.mac   the holder whose MAC it is (no holder itself)
 *
 * Files are written whole (temporary file, rename), 0600 in 0700 directories whatever the umask,
 * and never through a symbolic link. A file that is damaged is said to be absent, with a warning on
 * standard error: the kernel is then asked instead.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/base/cleanup.h"
#include "shared/base/error.h"

#define STORE_NAME_SIZE 64 /* of <hbr>, <domain>, <id>, lock names */

struct store {
	int fd; /* of <stateDir>/<hbr>; -1: there is none */
};

/* "hbr-5d41402a": the last component of the path and a hash of all of it. */
void store_slug(const char *hbr_path, char slug[static STORE_NAME_SIZE]);

/* <id> of an attachment: 16 hex digits of a hash of (containerID, ifname). */
void store_id(const char *container_id, const char *ifname, char id[static STORE_NAME_SIZE]);

/*
 * create: make the directories that are missing. Without it a state that was never there is an
 * open store in which nothing is found (fd -1). -1: ERROR_STATE.
 */
int store_open(struct store *store, const char *state_dir, const char *slug, bool create,
	       struct error *err);
void store_close(struct store *store);

/* Records. read: 1 and a new reference, 0 absent or damaged. */
int store_read_record(const struct store *store, const char *id, json_t **record,
		      struct error *err);
/* In which of the states below the directory is the record? That of "slug" is looked at first. */
int store_locate_record(const char *state_dir, const char *slug, const char *id,
			char found[static STORE_NAME_SIZE], struct error *err);
int store_write_record(const struct store *store, const char *id, json_t *record,
		       struct error *err);
int store_remove_record(const struct store *store, const char *id, struct error *err);
/* Remove what an ADD that was killed has left of its first record, if nobody is at work on it. */
int store_sweep(const struct store *store, struct error *err);

/* Domains, "<kind>-<key>". has: 1 when there is a directory for it, with whatever in it, 0 when
 * not. Writing makes the directory. remove: domain.json and the directory; when holders are in it,
 * nothing (which is no error). */
int store_has_domain(const struct store *store, const char *domain, struct error *err);
int store_read_domain(const struct store *store, const char *domain, json_t **values,
		      struct error *err);
int store_write_domain(const struct store *store, const char *domain, json_t *values,
		       struct error *err);
int store_remove_domain(const struct store *store, const char *domain, struct error *err);

/*
 * Holders: an attachment's <id> or a domain. put makes the directory; its JSON says all that is
 * needed to tell whether it lives. The same under the name of a MAC, "020000000001.mac", says whose
 * that is: no holder itself, it goes with the domain. read: 1 and a new reference, 0 absent or
 * damaged.
 */
int store_put_holder(const struct store *store, const char *domain, const char *id, json_t *holder,
		     struct error *err);
int store_remove_holder(const struct store *store, const char *domain, const char *id,
			struct error *err);
int store_read_holder(const struct store *store, const char *domain, const char *id,
		      json_t **holder, struct error *err);

/*
 * Call visit for every record (<id>, record), domain (<domain>, domain.json) or holder (<id>, its
 * JSON) until it answers other than 0, which is returned; 0 after the last. A damaged file is
 * visited with NULL for its JSON; files that are none of these (temporary ones, a README) are not.
 */
typedef int store_visit_fn(const char *name, json_t *value, void *arg, struct error *err);
int store_each_record(const struct store *store, store_visit_fn *visit, void *arg,
		      struct error *err);
int store_each_domain(const struct store *store, store_visit_fn *visit, void *arg,
		      struct error *err);
int store_each_holder(const struct store *store, const char *domain, store_visit_fn *visit,
		      void *arg, struct error *err);

#define auto_store CLEANUP(store_close)
