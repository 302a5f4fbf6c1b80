// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * What the runtime asks: the CNI_* variables and the JSON document on standard input, checked as
 * the CNI specification (section 2 and 3) and its Go library check them. Whatever comes in here is
 * a stranger's: nothing of it is used before it has been looked at.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "shared/base/error.h"

enum verb { VERB_ADD, VERB_CHECK, VERB_DEL, VERB_GC, VERB_STATUS, VERB_VERSION, VERBS };
extern const char *const verb_words[VERBS];

enum version {
	CNI_0_1_0,
	CNI_0_2_0,
	CNI_0_3_0,
	CNI_0_3_1,
	CNI_0_4_0,
	CNI_1_0_0,
	CNI_1_1_0,
	VERSIONS
};
extern const char *const version_words[VERSIONS];

#define REQUEST_SIZE_MAX (4u << 20) /* bytes of standard input */

struct request {
	enum verb verb;
	enum version version;
	const char *container_id; /* of the environment; "" when not set */
	const char *netns;
	const char *ifname;
	const char *path;
	const char *args;
	json_t *pairs;       /* CNI_ARGS taken apart: texts by key; owned */
	mode_t umask;        /* the runtime's, for the IPAM plugin */
	char *text;          /* standard input as it came, for the IPAM plugin; owned */
	size_t size;         /* bytes */
	json_t *config;      /* owned */
	const char *name;    /* of the network; points into config */
	json_t *prev_result; /* points into config; NULL: none */
};

/*
 * Read and check everything that does not depend on the plugin: CNI_COMMAND and which variables
 * the verb needs, their forms, the document, name, cniVersion, whether the version has the verb.
 * VERSION looks at nothing else, and takes from the document what comes within 250 ms. CNI_ARGS and
 * what is asked for the pod are looked at on ADD only. What has been understood before a failure
 * stays in *request, its version above all: the error is printed in it.
 */
int request_read(struct request *request, int fd, struct error *err);
void request_free(struct request *request);

/*
 * What was asked for this pod beside the network's own keys, most binding first: runtimeConfig,
 * args.cni, CNI_ARGS. NULL: nobody asked. The MAC is text; IPs are a new array of texts, or NULL.
 */
const char *request_mac(const struct request *request);
json_t *request_ips(const struct request *request);

/* Are "mac" and "ips" of the document of the right JSON types? request_read() asks this on ADD. */
int request_check_asked(const struct request *request, struct error *err);

/* The value of a key of CNI_ARGS ("K8S_POD_NAME"), copied; false: not there, or longer than size.
 */
bool request_arg(const struct request *request, const char *key, char *value, size_t size);

#define auto_request CLEANUP(request_free)
