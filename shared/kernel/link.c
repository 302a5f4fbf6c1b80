// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "shared/kernel/kinds.h"
#include "shared/kernel/link_find.h"

struct nl_msg *link_message(int type, int nl_flags, int index, unsigned flags, unsigned mask)
{
	struct ifinfomsg ifi = { .ifi_index = index, .ifi_flags = flags, .ifi_change = mask };
	struct nl_msg *msg = nlmsg_alloc_simple(type, nl_flags);

	if (msg && nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}

	return msg;
}

#define PORT_FORWARDING                                                          \
	3 /* BR_STATE_FORWARDING of <linux/if_bridge.h>, which clashes with libc \
	   */

/* The attributes of one nest of a link's message; those of a nest that is not there stay. */
static void read_nest(enum attr_nest nest, struct nlattr *head, int len, struct link *link)
{
	for_each_attr(attr, link) {
		if (attr->nest == nest)
			attr_read(attr, head, len, link);
	}
}

static void read_info(struct nlattr *linkinfo, struct link_state *state)
{
	struct nlattr *info[IFLA_INFO_MAX + 1], *nla;
	struct link *link = &state->link;

	if (nla_parse_nested(info, IFLA_INFO_MAX, linkinfo, NULL) < 0)
		return;

	if (info[IFLA_INFO_KIND])
		nla_strlcpy(state->kind, info[IFLA_INFO_KIND], sizeof(state->kind));
	/* Numbers of attributes mean something else in each kind. */
	if (info[IFLA_INFO_DATA] && strcmp(state->kind, link_kinds[link->kind].name) == 0)
		read_nest(NEST_DATA, nla_data(info[IFLA_INFO_DATA]), nla_len(info[IFLA_INFO_DATA]),
			  link);

	if (!info[IFLA_INFO_SLAVE_KIND] || !info[IFLA_INFO_SLAVE_DATA] ||
	    strcmp(nla_get_string(info[IFLA_INFO_SLAVE_KIND]), "bridge") != 0)
		return;
	nla = nla_find(nla_data(info[IFLA_INFO_SLAVE_DATA]), nla_len(info[IFLA_INFO_SLAVE_DATA]),
		       IFLA_BRPORT_STATE);
	state->forwarding = nla && nla_get_u8(nla) == PORT_FORWARDING;
	read_nest(NEST_PORT, nla_data(info[IFLA_INFO_SLAVE_DATA]),
		  nla_len(info[IFLA_INFO_SLAVE_DATA]), link);
}

static void read_inet6(struct nlattr *af_spec, struct link *link)
{
	struct nlattr *inet6 = nla_find(nla_data(af_spec), nla_len(af_spec), AF_INET6);

	if (inet6)
		read_nest(NEST_INET6, nla_data(inet6), nla_len(inet6), link);
}

static int parse_link(struct nl_msg *msg, struct link_state *state)
{
	const struct ifinfomsg *ifi = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[IFLA_MAX + 1];

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*ifi), tb, IFLA_MAX, NULL) < 0 || !tb[IFLA_IFNAME])
		return -1;

	state->index = ifi->ifi_index;
	state->up = ifi->ifi_flags & IFF_UP;
	state->lower = tb[IFLA_LINK] ? nla_get_s32(tb[IFLA_LINK]) : 0;
	state->is_apart = tb[IFLA_LINK_NETNSID] != NULL;
	state->master = tb[IFLA_MASTER] ? nla_get_s32(tb[IFLA_MASTER]) : 0;
	nla_strlcpy(state->link.name, tb[IFLA_IFNAME], sizeof(state->link.name));
	read_nest(NEST_LINK, nlmsg_attrdata(nlmsg_hdr(msg), sizeof(*ifi)),
		  nlmsg_attrlen(nlmsg_hdr(msg), sizeof(*ifi)), &state->link);
	if (tb[IFLA_LINKINFO])
		read_info(tb[IFLA_LINKINFO], state);
	if (tb[IFLA_AF_SPEC])
		read_inet6(tb[IFLA_AF_SPEC], &state->link);

	return 0;
}

/* Nothing read yet. A kernel without IPv6 has no addrgenmode: nobody misses it there. */
static struct link_state blank(const struct link *like)
{
	return (struct link_state){
		.link = { .kind = like->kind,
			  .place = like->place,
			  .is_port = like->is_port,
			  .addrgenmode = like->addrgenmode },
	};
}

struct find {
	struct link_state state;
	int r;
};

static int on_found(struct nl_msg *msg, void *arg)
{
	struct find *find = arg;

	find->r = parse_link(msg, &find->state);

	return NL_OK;
}

int link_find(struct netlink *nl, const struct link *wanted, struct link_state *state,
	      struct error *err)
{
	auto_nl_msg struct nl_msg *msg = link_message(RTM_GETLINK, 0, 0, 0, 0);
	struct find find = { .state = blank(wanted), .r = -1 };
	int r;

	if (!msg || nla_put_string(msg, IFLA_IFNAME, wanted->name) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "look up %s", wanted->name);

	r = netlink_request(nl, msg, on_found, &find);
	if (r == -ENODEV) {
		*state = blank(wanted);
		return 0;
	}
	if (r < 0 || find.r < 0)
		return netlink_error(nl, r < 0 ? r : -EBADMSG, err, "look up %s", wanted->name);

	/* The kernel looks at alternative names too. */
	if (strcmp(find.state.link.name, wanted->name) != 0) {
		*state = blank(wanted);
		memcpy(state->other, find.state.link.name, sizeof(state->other));
		return 0;
	}
	*state = find.state;

	return 1;
}

int link_knows_kind(struct netlink *nl, enum link_kind kind, struct error *err)
{
	static const uint8_t none[3];
	auto_nl_msg struct nl_msg *msg =
		link_message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 0, 0, 0);
	const char *name = link_kinds[kind].name;
	struct nlattr *info;
	int r;

	if (!msg || nla_put(msg, IFLA_ADDRESS, sizeof(none), none) < 0 ||
	    !(info = nla_nest_start(msg, IFLA_LINKINFO)) ||
	    nla_put_string(msg, IFLA_INFO_KIND, name) < 0)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "ask for a %s", name);
	nla_nest_end(msg, info);

	r = netlink_request(nl, msg, NULL, NULL);
	if (r == -EINVAL)
		return 1;

	return r == -EOPNOTSUPP ? 0 : netlink_error(nl, r, err, "ask for a %s", name);
}

int link_find_index(struct netlink *nl, const char *name, int *index, struct error *err)
{
	struct link wanted = { .kind = LINK_VETH };
	struct link_state state = { 0 };
	int r;

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	r = link_find(nl, &wanted, &state, err);
	if (r == 1)
		*index = state.index;

	return r;
}

int link_get_index(struct netlink *nl, const char *name, int *index, struct error *err)
{
	int r = link_find_index(nl, name, index, err);

	if (r == 0)
		return error_set(err, ERROR_CONFLICT, "%s is not in the %s any more", name,
				 nl->place);

	return r < 0 ? -1 : 0;
}

void link_print_name(struct netlink *nl, int index, char name[static IFNAMSIZ])
{
	auto_nl_msg struct nl_msg *msg = link_message(RTM_GETLINK, 0, index, 0, 0);
	struct find find = { .r = -1 };

	if (msg && netlink_request(nl, msg, on_found, &find) == 0 && find.r == 0)
		memcpy(name, find.state.link.name, IFNAMSIZ);
	else
		snprintf(name, IFNAMSIZ, "link %d", index);
}

int link_is_ours(const struct link *wanted, const struct link_state *state, struct error *err)
{
	const char *alias = state->link.alias;

	if (wanted->alias[0] && strcmp(alias, wanted->alias) == 0)
		return 1;
	if (state->link.group != wanted->group)
		return 0;
	if (strncmp(alias, "hbr-cni:", strlen("hbr-cni:")) == 0)
		return error_set(err, ERROR_CONFLICT,
				 "%s belongs to somebody else: it is \"%s\", wanted \"%s\"",
				 wanted->name, alias, wanted->alias);

	return 1;
}

struct each {
	const struct link *like;
	struct link_state *states;
	size_t n, size;
	int r;
};

static void forget(void *arg)
{
	struct each *each = arg;

	each->n = 0;
	each->r = 0;
}

/* Kept until the dump is known to be whole: nobody acts on half a list. */
static int on_each(struct nl_msg *msg, void *arg)
{
	struct each *each = arg;
	void *larger;

	if (each->n == each->size) {
		each->size = each->size ? 2 * each->size : 64;
		larger = reallocarray(each->states, each->size, sizeof(*each->states));
		if (!larger) {
			each->r = -ENOMEM;
			return NL_STOP;
		}
		each->states = larger;
	}
	each->states[each->n] = blank(each->like);
	if (parse_link(msg, &each->states[each->n]) == 0)
		each->n++;

	return NL_OK;
}

static int list(struct netlink *nl, void (*reset)(void *arg), struct each *each)
{
	auto_nl_msg struct nl_msg *msg = link_message(RTM_GETLINK, NLM_F_DUMP, 0, 0, 0);
	int r = msg ? netlink_dump(nl, msg, on_each, reset, each) : -ENOMEM;

	return r < 0 ? r : each->r;
}

static void forget_all(struct each *each)
{
	free(each->states);
}

#define auto_each CLEANUP(forget_all)

static int visit_all(const struct each *each, link_visit_fn *visit, void *arg)
{
	int r = 0;

	for (size_t i = 0; i < each->n && r == 0; i++)
		r = visit(&each->states[i], arg);

	return r;
}

int links_each(struct netlink *nl, const struct link *like, link_visit_fn *visit, void *arg,
	       struct error *err)
{
	auto_each struct each each = { .like = like };
	int r = list(nl, forget, &each);

	return r < 0 ? netlink_error(nl, r, err, "list links") : visit_all(&each, visit, arg);
}

int links_survey(struct netlink *nl, const struct link *like, link_visit_fn *visit, void *arg,
		 struct error *err)
{
	auto_each struct each each = { .like = like };
	int r = list(nl, NULL, &each);

	/* What was there all the while is in one of the lists. */
	if (r < 0 && r != -EINTR)
		return netlink_error(nl, r, err, "list links");

	return visit_all(&each, visit, arg);
}

void link_describe(const struct link *link, char *text, size_t size)
{
	char value[LINK_ALIAS_SIZE + 2];
	auto_file FILE *out = fmemopen(text, size, "w");

	if (!out)
		return;

	fprintf(out, "%s type %s", link->name, link_kinds[link->kind].name);
	for_each_attr(attr, link) {
		if (!attr_is_set(attr, link))
			continue;
		attr_print(attr, link, value, sizeof(value));
		fprintf(out, " %s %s", attr->name, value);
	}
	if (link->lower[0])
		fprintf(out, " link %s", link->lower);
	if (link->master[0])
		fprintf(out, " master %s", link->master);
}
