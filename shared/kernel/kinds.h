// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The attributes of each kind of link, as rows of tables. A row gives the create message, the
 * read-back, the minimal repair, CHECK, the conflict's text and the debug text: a new attribute is
 * a row and a member of struct link, a new kind is a table of rows and nothing else.
 */

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared/kernel/link.h"

/* Where in a message an attribute travels. */
enum attr_nest {
	NEST_LINK,  /* at the top */
	NEST_DATA,  /* IFLA_INFO_DATA: of its kind */
	NEST_PORT,  /* IFLA_INFO_SLAVE_DATA: of a bridge's port */
	NEST_INET6, /* IFLA_AF_SPEC, AF_INET6 */
	NESTS,
};

/* How. Values are kept in host order, addresses in network order. */
enum attr_type { ATTR_U8, ATTR_U16, ATTR_BE16, ATTR_U32, ATTR_MAC, ATTR_IP, ATTR_TEXT };

enum attr_flag {
	ATTR_FIXED = 1,     /* cannot be changed, or must not be: a difference is a conflict */
	ATTR_OPTIONAL = 2,  /* zero is "not asked for" */
	ATTR_LATER = 4,     /* the create message does not take it; new links have 0 ... */
	ATTR_LATER_ON = 8,  /* ... or 1 */
	ATTR_FIT = 16,      /* links of others are used only when it is equal */
	ATTR_IDENTITY = 32, /* no two links of the kind can have it in common */
	ATTR_PROVE = 64,    /* older kernels ignore it silently: read it back */
};

struct attr {
	const char *name; /* as ip-link says it */
	enum attr_type type;
	enum attr_nest nest;
	int id;
	size_t offset; /* of the value, in struct link */
	unsigned flags;
};

struct kind {
	const char *name; /* as the kernel says it */
	const struct attr *attrs;
	size_t n_attrs;
	bool exact; /* made just as asked for or not at all, and up at once: not read back */
};

extern const struct kind link_kinds[LINK_KINDS];

/* The attributes that a link has whatever its kind, and those of a bridge's port. */
extern const struct kind link_common;
extern const struct kind link_port;

/* The tables that concern a link, one after the other; NULL after the last. */
const struct kind *attrs_of(const struct link *link, size_t i);

#define for_each_attr(attr, link)                                                            \
	for (size_t table_ = 0; attrs_of(link, table_); table_++)                            \
		for (const struct attr *attr = attrs_of(link, table_)->attrs;                \
		     attr < attrs_of(link, table_)->attrs + attrs_of(link, table_)->n_attrs; \
		     attr++)

bool attr_is_set(const struct attr *attr, const struct link *link);
bool attr_equal(const struct attr *attr, const struct link *a, const struct link *b);
void attr_copy(const struct attr *attr, struct link *to, const struct link *from);
void attr_print(const struct attr *attr, const struct link *link, char *text, size_t size);

/* What a new link has of an attribute that the create message does not take. */
void attr_reset(const struct attr *attr, struct link *link);

/* Append to a message; negative when it is full. */
int attr_put(struct nl_msg *msg, const struct attr *attr, const struct link *link);

/* Find the attribute among these and read it, if it is there. */
void attr_read(const struct attr *attr, struct nlattr *head, int len, struct link *link);
