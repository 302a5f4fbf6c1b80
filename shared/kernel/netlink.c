// SPDX-License-Identifier: Apache-2.0
#include "shared/kernel/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define ANSWER_TIMEOUT_S 5
#define DUMP_TRIES       10
#define RECEIVE_QUEUE    262144
#define MESSAGE_MAX      65536 /* the kernel's own answers end at 32 KiB */

/* How one request ended. */
struct outcome {
	struct netlink *nl;
	uint32_t seq;
	netlink_reply_fn *on_reply;
	void *arg;
	bool done;
	bool interrupted;
	int error;
};

static void set_options(struct nl_sock *sock)
{
	static const struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	static const int on = 1;
	int fd = nl_socket_get_fd(sock);

	nl_socket_set_buffer_size(sock, RECEIVE_QUEUE, 0);
	nl_socket_set_msg_buf_size(sock, MESSAGE_MAX); /* or every message is received twice */

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));

	/* Both only make error messages better, so do without them where they are refused. */
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
}

int netlink_open(struct netlink *nl, const char *place, struct error *err)
{
	struct nl_sock *sock = nl_socket_alloc();
	int r;

	if (!sock)
		return error_errno(err, ERROR_NETLINK, ENOMEM, "netlink socket");

	r = nl_connect(sock, NETLINK_ROUTE);
	if (r < 0) {
		nl_socket_free(sock);
		return error_set(err, ERROR_NETLINK, "netlink socket: %s", nl_geterror(r));
	}

	set_options(sock);
	*nl = (struct netlink){ .sock = sock, .place = place };

	return 0;
}

void netlink_close(struct netlink *nl)
{
	nl_socket_free(nl->sock);
	nl->sock = NULL;
}

uint64_t netlink_cookie(const struct netlink *nl)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	if (!nl->sock ||
	    getsockopt(nl_socket_get_fd(nl->sock), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) < 0)
		return 0;

	return cookie;
}

/* Runtimes take "not found" in an error's text for "already gone": say it in other words. */
static void reword(char *text)
{
	char *at;

	while ((at = strcasestr(text, "not found")))
		memcpy(at + strlen("not "), "there", sizeof("there") - 1);
}

/* libnl 3.7 knows no extended acknowledgements: the text behind the error is looked for here. */
static void read_reason(const struct nlmsgerr *refusal, char *reason, size_t size)
{
	const struct nlmsghdr *hdr = (const void *)((const char *)refusal - NLMSG_HDRLEN);
	size_t skip = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(*refusal));
	const struct nlattr *text;
	const void *attrs;

	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(refusal->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (skip >= hdr->nlmsg_len)
		return;

	attrs = (const char *)hdr + skip;
	text = nla_find(attrs, (int)(hdr->nlmsg_len - skip), NLMSGERR_ATTR_MSG);
	if (text) {
		snprintf(reason, size, "%.*s", nla_len(text), (const char *)nla_data(text));
		reword(reason);
	}
}

/* In place of libnl's own check, which is lost for good after a request that was never answered. */
static int on_sequence(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct outcome *outcome = arg;

	if (hdr->nlmsg_seq != outcome->seq)
		return NL_SKIP;

	if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
		outcome->interrupted = true;

	return NL_OK;
}

/* What the callback answers does not matter: to stop here would lose the end of the answer. */
static int on_valid(struct nl_msg *msg, void *arg)
{
	struct outcome *outcome = arg;

	if (outcome->on_reply)
		(void)outcome->on_reply(msg, outcome->arg);

	return NL_OK;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *refusal, void *arg)
{
	struct outcome *outcome = arg;

	(void)from;
	outcome->done = true;
	outcome->error = refusal->error;
	read_reason(refusal, outcome->nl->reason, sizeof(outcome->nl->reason));

	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct outcome *outcome = arg;

	(void)msg;
	outcome->done = true;

	return NL_STOP;
}

/* A dump that fails half-way says so in its last message. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct outcome *outcome = arg;

	if (hdr->nlmsg_len >= NLMSG_LENGTH(sizeof(int)))
		memcpy(&outcome->error, nlmsg_data(hdr), sizeof(int));
	outcome->done = true;

	return NL_STOP;
}

/* By sendmsg() itself, for the kernel's errno. */
static int send_request(struct nl_sock *sock, struct nl_msg *msg)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct iovec iov = { .iov_base = hdr, .iov_len = hdr->nlmsg_len };
	struct msghdr header = {
		.msg_name = &kernel,
		.msg_namelen = sizeof(kernel),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	return TEMP_FAILURE_RETRY(sendmsg(nl_socket_get_fd(sock), &header, 0)) < 0 ? -errno : 0;
}

static int receive_answer(struct outcome *outcome)
{
	auto_nl_cb struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int r;

	if (!cb)
		return -ENOMEM;

	nl_cb_err(cb, NL_CB_CUSTOM, on_error, outcome);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, outcome);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, outcome);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, outcome);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, outcome);

	while (!outcome->done) {
		r = nl_recvmsgs(outcome->nl->sock, cb);
		if (r == -NLE_AGAIN)
			return -EAGAIN;
		if (r < 0 && r != -NLE_DUMP_INTR && !outcome->done)
			return r == -NLE_NOMEM ? -ENOBUFS : -EIO;
	}

	return outcome->error || !outcome->interrupted ? outcome->error : -EINTR;
}

int netlink_request(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *on_reply, void *arg)
{
	struct outcome outcome = { .nl = nl, .on_reply = on_reply, .arg = arg };
	int r;

	nl->reason[0] = '\0';
	if (!nl->sock)
		return -ENOTCONN;

	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ; /* a new one, for a message that is sent again */
	nl_complete_msg(nl->sock, msg);
	outcome.seq = nlmsg_hdr(msg)->nlmsg_seq;

	r = send_request(nl->sock, msg);

	return r < 0 ? r : receive_answer(&outcome);
}

int netlink_dump(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *on_reply,
		 void (*reset)(void *arg), void *arg)
{
	int r = -EINTR;

	for (int i = 0; i < DUMP_TRIES && r == -EINTR; i++) {
		if (reset)
			reset(arg);
		r = netlink_request(nl, msg, on_reply, arg);
	}

	return r;
}

static const char *refusal_text(const struct netlink *nl, int r)
{
	if (!nl->sock)
		return "this namespace is not there";
	if (r == -EAGAIN)
		return "the kernel gave no answer within 5 s";
	if (r == -EINTR)
		return "interrupted by changes at each try";

	return error_text(-r);
}

int netlink_error(const struct netlink *nl, int r, struct error *err, const char *fmt, ...)
{
	char what[ERROR_MSG_SIZE / 2];
	const char *name = strerrorname_np(-r);
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);

	error_set(err, ERROR_NETLINK, "%s%s%s: %s%s", what, nl->place ? " in the " : "",
		  nl->place ? nl->place : "", refusal_text(nl, r),
		  r == -EPERM ? " (needs CAP_NET_ADMIN)" : "");

	return error_details(err, "%s", nl->reason[0] ? nl->reason : name ? name : "");
}
