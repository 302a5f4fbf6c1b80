// SPDX-License-Identifier: Apache-2.0
#pragma once

/* Attributes to text, by tables: what they are called and how their values read. */

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>

#include "test/snapshot/snapshot.h"

/* A number of 1, 2, 4 or 8 bytes, else bytes in hex; text; IP or MAC; a number in network order; an
 * ifindex; more attributes; not to be shown. */
enum form { NUMBER, TEXT, ADDRESS, PORT, LINK, NEST, SKIP };

struct row {
	const char *name;
	enum form form;
	const struct table *nest;
};

struct table {
	size_t n;
	const struct row *rows; /* by the attribute's number */
};

extern const struct table link_table, bridge_port, bridge_af, address_table, route_table,
	rule_table, neigh_table, no_table;

/* The table of a kind's data, or of its slaves', by the attribute that has the kind (NULL:
 * no_table). */
const struct table *kind_table(const struct rtattr *kind, bool slave);

/* Text grows in a sink; one with a start puts out a line for each attribute instead. */
struct sink {
	const struct place *place;
	const char *start;
	char text[4096];
};

void sink_add(struct sink *sink, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sink_put(struct sink *sink, const char *prefix, const char *name, const char *value);

/* Attributes without a row are not lost: they go by their number. */
void sink_put_attrs(struct sink *sink, const char *prefix, const struct rtattr *attr, size_t size,
		    const struct table *table);

/* As RTA_DATA and RTA_NEXT, for what is not to be written to. */
static inline const void *attr_data(const struct rtattr *attr)
{
	return attr + 1;
}

static inline const struct rtattr *attr_next(const struct rtattr *attr, unsigned *left)
{
	unsigned size = RTA_ALIGN((unsigned)attr->rta_len);

	*left -= size < *left ? size : *left; /* the last one need not be padded */

	return (const void *)((const char *)attr + size);
}

const struct rtattr *attr_find(const struct rtattr *attr, size_t size, unsigned type);
int attr_int(const struct rtattr *attr);

const char *link_name(const struct place *place, int index);
unsigned link_flags(const struct place *place, int index);
