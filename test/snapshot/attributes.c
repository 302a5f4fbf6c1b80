// SPDX-License-Identifier: Apache-2.0

#include "test/snapshot/attributes.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *link_name(const struct place *place, int index)
{
	for (size_t i = 0; i < place->n_links; i++)
		if (place->links[i].index == index)
			return place->links[i].name;

	return index ? "elsewhere" : "none";
}

unsigned link_flags(const struct place *place, int index)
{
	for (size_t i = 0; i < place->n_links; i++)
		if (place->links[i].index == index)
			return place->links[i].flags;

	return 0;
}

void sink_add(struct sink *sink, const char *fmt, ...)
{
	size_t used = strlen(sink->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(sink->text + used, sizeof(sink->text) - used, fmt, args);
	va_end(args);
}

void sink_put(struct sink *sink, const char *prefix, const char *name, const char *value)
{
	if (sink->start)
		line("%s %s%s %s", sink->start, prefix, name, value);
	else
		sink_add(sink, " %s%s %s", prefix, name, value);
}

static uint64_t number(const struct rtattr *attr)
{
	uint64_t value = 0;

	memcpy(&value, attr_data(attr), RTA_PAYLOAD(attr));

	return value;
}

int attr_int(const struct rtattr *attr)
{
	return (int)number(attr);
}

static void print_bytes(char *text, size_t room, const struct rtattr *attr)
{
	const uint8_t *bytes = attr_data(attr);
	size_t used = 0;

	for (size_t i = 0; i < RTA_PAYLOAD(attr) && used + 4 < room; i++)
		used += (size_t)snprintf(text + used, room - used, i ? ":%02x" : "%02x", bytes[i]);
}

static void print_value(char *text, size_t room, const struct place *place, enum form form,
			const struct rtattr *attr)
{
	const char *bytes = attr_data(attr);
	size_t size = RTA_PAYLOAD(attr);

	text[0] = '\0';
	if (form == TEXT)
		snprintf(text, room, "%.*s", (int)strnlen(bytes, size), bytes);
	else if (form == LINK && size == 4)
		snprintf(text, room, "%s", link_name(place, attr_int(attr)));
	else if (form == PORT && size == 2)
		snprintf(text, room, "%u", ntohs((uint16_t)number(attr)));
	else if (form == ADDRESS && (size == 4 || size == 16))
		inet_ntop(size == 4 ? AF_INET : AF_INET6, bytes, text, (socklen_t)room);
	else if (form == NUMBER && (size == 1 || size == 2 || size == 4 || size == 8))
		snprintf(text, room, "%llu", (unsigned long long)number(attr));
	else
		print_bytes(text, room, attr);
}

static void put_attr(struct sink *sink, const char *prefix, const struct rtattr *attr,
		     const struct row *row)
{
	char name[64], value[1024];

	if (row->name)
		snprintf(name, sizeof(name), "%s", row->name);
	else
		snprintf(name, sizeof(name), "attr%u", attr->rta_type & (unsigned)NLA_TYPE_MASK);
	if (row->form == NEST || (attr->rta_type & NLA_F_NESTED)) {
		snprintf(value, sizeof(value), "%s%s.", prefix, name);
		sink_put_attrs(sink, value, attr_data(attr), RTA_PAYLOAD(attr),
			       row->nest ? row->nest : &no_table);
	} else {
		print_value(value, sizeof(value), sink->place, row->form, attr);
		sink_put(sink, prefix, name, value);
	}
}

void sink_put_attrs(struct sink *sink, const char *prefix, const struct rtattr *attr, size_t size,
		    const struct table *table)
{
	static const struct row unknown = { 0 };
	unsigned left = (unsigned)size;

	for (; RTA_OK(attr, left); attr = attr_next(attr, &left)) {
		unsigned type = attr->rta_type & (unsigned)NLA_TYPE_MASK;
		const struct row *row = type < table->n ? &table->rows[type] : &unknown;

		if (row->form != SKIP)
			put_attr(sink, prefix, attr, row);
	}
}

const struct rtattr *attr_find(const struct rtattr *attr, size_t size, unsigned type)
{
	unsigned left = (unsigned)size;

	for (; RTA_OK(attr, left); attr = attr_next(attr, &left))
		if ((attr->rta_type & (unsigned)NLA_TYPE_MASK) == type)
			return attr;

	return NULL;
}
