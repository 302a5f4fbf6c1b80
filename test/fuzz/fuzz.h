// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The plugins inside this process, called a million times: environment, standard input, node file,
 * state and the IPAM plugin's answer are made up, the kernel is one that says yes (kernel.c). Each
 * answer is checked: one JSON document or none, in UTF-8, a code that exists; what ADD has made,
 * CHECK must find and DEL remove; what fails leaves nothing on disk. One rule: nothing outside of
 * here is changed.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/field.h"

/* What a target makes of an input; what is called before the first one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* our_NAME is linked in place of NAME where other files call it; real_NAME is NAME then. */
#define OURS(name) __typeof__(name) our_##name __asm__("__wrap_" #name)
#define REAL(name) __typeof__(name) real_##name __asm__("__real_" #name)

int fuzz_done(void), fuzz_yes(void);

struct part {
	const char *text;
	size_t size;
};

/* Take what is before the first empty line off the rest. */
struct part fuzz_take(struct part *rest);

/* Lines NAME=VALUE; only CNI_* count. */
void fuzz_set_environment(struct part lines);

/* The node file for the calls from here on; {} until then. */
void fuzz_set_node(struct part file);

/* What the IPAM plugin prints, and its exit status, in decimal; none: it cannot be run. */
void fuzz_set_ipam(struct part status, struct part output);

/* A file in a directory below <stateDir>/<hbr>, both made, for the next call; none when it is
 * empty. */
void fuzz_put_state(const char *dir, const char *name, struct part file);

/* Call the plugin that it names with this on its standard input; after an ADD that succeeds CHECK
 * and DEL. Nothing is left on disk. */
void fuzz_run(struct part config);

/* What the keys of a document are dumped as is read as the same again. NULL: the plugin's keys. */
void fuzz_check_keys(const struct field_table *table, size_t size, struct part document);

/* Say what is wrong, and end, unless it is so. */
void fuzz_expect(bool is, const char *wanted, const char *text);

/* See that what was printed fits the verb, the exit status, and that codes are ours (or an IPAM
 * plugin's). The document, new; NULL: there is none. */
json_t *answer_check(struct part printed, const char *verb, int status, bool asked_ipam);
