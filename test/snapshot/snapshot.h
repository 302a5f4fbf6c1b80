// SPDX-License-Identifier: Apache-2.0
#pragma once

/* A snapshot is a list of lines. Every reader appends to it; nothing here fails but by ending. */

#include <net/if.h>
#include <stddef.h>

#define PLACES_MAX 16
#define LINKS_MAX  1024

struct place { /* a network namespace */
	const char *name;
	int fd, sock;          /* of the namespace; a conversation with rtnetlink in it */
	int nsids[PLACES_MAX]; /* by which number this one knows the others; -1: not at all */
	size_t n_links;
	struct {
		int index;
		unsigned flags;
		char name[IFNAMSIZ];
	} links[LINKS_MAX];
};

void line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* How many lines there are, and back to that: what an interrupted dump said does not count. */
size_t lines_mark(void);
void lines_reset(size_t mark);

/* The namespace that this one knows by a number, when it is among those asked for; else NULL. */
const struct place *place_by_nsid(const struct place *place, int nsid);

void read_link_names(struct place *place);
void read_kernel(struct place *place);
int read_nsid(const struct place *place, int fd); /* -1: none */

void read_sysctls(const struct place *place); /* of the namespace that the process is in */
void read_state(const char *dir);
