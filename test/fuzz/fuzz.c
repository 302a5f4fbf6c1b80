// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/child.h"
#include "shared/base/cleanup.h"
#include "shared/cni/attach.h"
#include "shared/cni/attachment.h"
#include "shared/cni/document.h"
#include "shared/cni/verbs.h"

#define SLUG "fuzz"

OURS(verbs_main);
OURS(store_open);
OURS(store_locate_record);
OURS(child_run);
REAL(verbs_main);
REAL(store_open);
REAL(store_locate_record);

#define TYPES_MAX 4

static int complaints;               /* standard error as it was */
static int node_file;                /* in memory, as standard input and output are */
static char state_dir[PATH_MAX / 2]; /* in memory too: $TMPDIR is */
static bool has_state;               /* there was something on disk before the call */
static char texts[8192];             /* of the environment */
static char node_variable[64];
static char *variables[24]; /* the environment, NULL at the end */
static struct {
	int status; /* -1: it cannot be run */
	struct part output;
	bool asked;
} ipam;

/* The plugins, with only those of their steps that need no kernel. */
static struct subject {
	struct attachment_type type;
	struct step steps[8];
} subjects[TYPES_MAX];
static size_t n_subjects;
static const struct attachment_type *called; /* by this input */

/* Their main(), by the names that the build gives it; those of this program. */
#define ENTRY(name) int name(void) __attribute__((weak))
ENTRY(entry_hbr_l2);
ENTRY(entry_hbr_vrf);
static int (*const entries[])(void) = { entry_hbr_l2, entry_hbr_vrf };

void fuzz_expect(bool is, const char *wanted, const char *text)
{
	if (is)
		return;
	dprintf(complaints, "wanted %s: %s\n", wanted, text);
	abort();
}

static bool is_kernels(const struct step *step)
{
	static const char *const ours[] = { "record", "ipam", "domain" };

	for (size_t i = 0; i < COUNT(ours); i++) {
		if (strcmp(step->name, ours[i]) == 0)
			return false;
	}

	return true;
}

static int verify(struct attachment *attachment, struct error *err)
{
	(void)attachment;
	(void)err;

	return 0;
}

/* Where a plugin's own main() ends: its type is wanted, not its run. */
int our_verbs_main(const struct attachment_type *type)
{
	struct subject *subject = &subjects[n_subjects++];

	subject->type = *type;
	subject->type.steps = subject->steps;
	subject->type.n_steps = 0;
	subject->type.verify = verify;
	for (size_t i = 0; i < type->n_steps; i++) {
		if (!is_kernels(&type->steps[i]))
			subject->steps[subject->type.n_steps++] = type->steps[i];
	}

	return 0;
}

/* The one that the configuration names anywhere, else the first one. */
static const struct attachment_type *choose(struct part config)
{
	for (size_t i = 0; i < n_subjects; i++) {
		const char *name = subjects[i].type.name;

		if (config.size > 0 && memmem(config.text, config.size, name, strlen(name)))
			return &subjects[i].type;
	}

	return &subjects[0].type;
}

/* Wherever an input wants the state to be, it is here. */
int our_store_open(struct store *store, const char *dir, const char *slug, bool create,
		   struct error *err)
{
	(void)dir;
	(void)slug;

	return real_store_open(store, state_dir, SLUG, create, err);
}

int our_store_locate_record(const char *dir, const char *slug, const char *id,
			    char found[static STORE_NAME_SIZE], struct error *err)
{
	int r = real_store_locate_record(state_dir, SLUG, id, found, err);

	(void)dir;
	if (r == 1)
		snprintf(found, STORE_NAME_SIZE, "%s", slug);

	return r;
}

int our_child_run(const struct child *child, struct child_output *output, struct error *err)
{
	size_t size = ipam.output.size;

	ipam.asked = true;
	if (ipam.status < 0)
		return error_set(err, ERROR_DELEGATE_EXEC, "%s cannot be run", child->path);
	*output = (struct child_output){ NULL, size, ipam.status };
	if (size > 0) {
		output->text = calloc(1, size + 1);
		fuzz_expect(output->text != NULL, "memory", "");
		memcpy(output->text, ipam.output.text, size);
	}

	return 0;
}

void fuzz_set_ipam(struct part status, struct part output)
{
	ipam.status = -1;
	ipam.output = output;
	for (size_t i = 0; i < status.size && i < 2 && strchr("0123456789", status.text[i]); i++)
		ipam.status = (ipam.status < 0 ? 0 : ipam.status * 10) + (status.text[i] - '0');
}

static void fill(int fd, struct part part)
{
	fuzz_expect(ftruncate(fd, 0) == 0 &&
			    pwrite(fd, part.text, part.size, 0) == (ssize_t)part.size &&
			    lseek(fd, 0, SEEK_SET) == 0,
		    "a file", "");
}

void fuzz_set_node(struct part file)
{
	fill(node_file, file);
}

void fuzz_put_state(const char *dir, const char *name, struct part file)
{
	char path[PATH_MAX], below[PATH_MAX];
	auto_close int fd = -1;

	has_state = true;
	snprintf(path, sizeof(path), "%s/" SLUG "/%s", state_dir, dir);
	snprintf(below, sizeof(below), "%s/" SLUG "/%s/%s", state_dir, dir, name);
	if (file.size == 0)
		return;
	fd = open(below, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 && mkdir(path, 0700) == 0)
		fd = open(below, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fill(fd, file);
}

struct part fuzz_take(struct part *rest)
{
	const char *end = memmem(rest->text, rest->size, "\n\n", 2);
	struct part part = { rest->text, end ? (size_t)(end - rest->text) : rest->size };
	size_t taken = end ? part.size + 2 : part.size;

	*rest = (struct part){ rest->text + taken, rest->size - taken };

	return part;
}

void fuzz_set_environment(struct part lines)
{
	size_t size = lines.size < sizeof(texts) ? lines.size : sizeof(texts) - 1;
	char *rest = texts;
	size_t n = 0;

	memcpy(texts, lines.text, size);
	texts[size] = '\0';
	for (char *line; (line = strsep(&rest, "\n")) && n < COUNT(variables) - 2;) {
		if (strncmp(line, "CNI_", 4) == 0 && strchr(line, '='))
			variables[n++] = line;
	}
	variables[n++] = node_variable;
	variables[n] = NULL;
	environ = variables;
}

static void set_verb(char *assignment)
{
	for (size_t i = 0; variables[i]; i++) {
		if (strncmp(variables[i], "CNI_COMMAND=", 12) == 0) {
			variables[i] = assignment;
			return;
		}
	}
}

/* One call: what it printed, when that was a document. */
static json_t *call(struct part config)
{
	static char printed[1 << 20];
	const char *verb = getenv("CNI_COMMAND");
	sigset_t signals;
	ssize_t n;
	int status;

	fill(STDIN_FILENO, config);
	fill(STDOUT_FILENO, (struct part){ "", 0 });
	ipam.asked = false;
	sigprocmask(SIG_SETMASK, NULL, &signals);
	status = real_verbs_main(called);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	umask(022);
	n = pread(STDOUT_FILENO, printed, sizeof(printed) - 1, 0);
	fuzz_expect(n >= 0, "an output", "");
	printed[n] = '\0';

	return answer_check((struct part){ printed, (size_t)n }, verb ? verb : "", status,
			    ipam.asked);
}

/* Nothing is said when all is well. */
static void call_silent(char *verb, struct part config)
{
	auto_json json_t *answer = NULL;
	auto_free char *text = NULL;

	set_verb(verb);
	answer = call(config);
	text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	fuzz_expect(!answer, verb, text ? text : "");
}

static void expect_no_record(void)
{
	char id[STORE_NAME_SIZE], path[PATH_MAX];

	store_id(getenv("CNI_CONTAINERID"), getenv("CNI_IFNAME"), id);
	snprintf(path, sizeof(path), "%s/" SLUG "/attachments/%s.json", state_dir, id);
	fuzz_expect(access(path, F_OK) < 0, "no record after DEL", path);
}

/* What ADD was asked for, with what it printed: this is what runtimes hand to CHECK and DEL. */
static void call_rest(struct part config, json_t *result)
{
	static char check_verb[] = "CNI_COMMAND=CHECK", del_verb[] = "CNI_COMMAND=DEL";
	auto_json json_t *document = NULL;
	auto_free char *text = NULL;
	struct error err;
	struct part with;

	fuzz_expect(document_decode(config.text, config.size, "", 0, &document, &err) == 0 &&
			    json_object_set(document, "prevResult", result) == 0,
		    "a configuration", err.msg);
	text = json_dumps(document, JSON_COMPACT);
	fuzz_expect(text != NULL, "a text", "");
	with = (struct part){ text, strlen(text) };

	if (strcmp(json_string_value(json_object_get(result, "cniVersion")), "0.4.0") >= 0)
		call_silent(check_verb, with);
	call_silent(del_verb, with);
	expect_no_record();
}

/* How many things are in there; none of them is left. */
static size_t n_removed;

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st;
	(void)what;
	n_removed += at->level > 0;

	return at->level == 0 ? 0 : remove(path);
}

static size_t empty(const char *dir)
{
	char path[PATH_MAX];

	n_removed = 0;
	snprintf(path, sizeof(path), "%s/" SLUG "/%s", state_dir, dir);
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	return n_removed;
}

/* What failed has left nothing behind, and nobody needs locks any more, of which there are many. */
static void clean(void)
{
	static size_t calls;
	size_t n = empty("attachments") + empty("domains");

	fuzz_expect(n == 0 || has_state || (ipam.asked && ipam.status != 0), "nothing left", "");
	has_state = false;
	if (++calls % 1024 == 0)
		empty("locks");
}

void fuzz_run(struct part config)
{
	const char *verb = getenv("CNI_COMMAND");
	auto_json json_t *answer = NULL;

	called = choose(config);
	answer = call(config);
	verb = verb ? verb : "";
	if (answer && strcmp(verb, "ADD") == 0 && !json_object_get(answer, "code"))
		call_rest(config, answer);
	if (!answer && strcmp(verb, "DEL") == 0)
		expect_no_record();
	clean();
}

/* What the document says by the table, as a domain would remember it; NULL: it is refused. */
static json_t *reread(const struct field_table *table, size_t size, json_t *document)
{
	auto_free void *values = calloc(1, size);
	struct error err;
	uint64_t given;

	if (!values || fields_parse(table, document, values, &given, &err) < 0)
		return NULL;

	return fields_dump(table, 0, values, given);
}

void fuzz_check_keys(const struct field_table *table, size_t size, struct part document)
{
	auto_json json_t *object = NULL, *once = NULL, *twice = NULL;
	auto_free char *text = NULL;
	struct error err;

	if (document_decode(document.text, document.size, "", 0, &object, &err) < 0)
		return;
	if (!table) {
		table = choose(document)->fields;
		size = choose(document)->values_size;
	}
	once = reread(table, size, object);
	if (!once)
		return;
	document_drop_nulls(once); /* lists of addresses are not remembered */
	twice = reread(table, size, once);
	text = json_dumps(once, JSON_COMPACT);
	fuzz_expect(json_equal(once, twice), "the same keys again", text ? text : "");
}

static void remove_state(void)
{
	char path[PATH_MAX];

	empty("");
	snprintf(path, sizeof(path), "%s/" SLUG, state_dir);
	rmdir(path);
	rmdir(state_dir);
}

static void make_state(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];
	struct error err = { 0 };
	struct store store = { -1 };

	snprintf(state_dir, sizeof(state_dir), "%s/fuzz.XXXXXX", tmp ? tmp : "/dev/shm");
	fuzz_expect(mkdtemp(state_dir) && atexit(remove_state) == 0, "a directory", state_dir);
	fuzz_expect(real_store_open(&store, state_dir, SLUG, true, &err) == 0, "a state", err.msg);
	store_close(&store);
	snprintf(path, sizeof(path), "%s/" SLUG "/domains", state_dir);
	fuzz_expect(mkdir(path, 0700) == 0, "a directory", path);
}

static int in_memory(const char *name, int fd)
{
	int made = memfd_create(name, 0);

	fuzz_expect(made >= 0 && (fd < 0 || dup2(made, fd) == fd), "a file in memory", name);

	return made;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	complaints = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	in_memory("stdin", STDIN_FILENO);
	in_memory("stdout", STDOUT_FILENO);
	node_file = in_memory("node", -1);
	snprintf(node_variable, sizeof(node_variable), "HBR_CNI_NODE=/proc/self/fd/%d", node_file);
	make_state();
	fuzz_set_node((struct part){ "{}", 2 });
	fuzz_set_ipam((struct part){ "0", 1 },
		      (struct part){ "{\"ips\":[{\"address\":\"10.1.0.5/24\"}]}", 35 });
	for (size_t i = 0; i < COUNT(entries); i++) {
		if (entries[i])
			entries[i]();
	}
	fuzz_set_environment((struct part){ "", 0 });

	return 0;
}
