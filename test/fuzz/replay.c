// SPDX-License-Identifier: Apache-2.0

/*
 * Run a target without libFuzzer: each of the files given, then RUNS inputs made of them by chance,
 * the same ones every time.
 *
 *   TARGET [RUNS DICTIONARY OUT FILE...]
 *
 * An input that ends the program is written to the file OUT.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/base/cleanup.h"
#include "test/fuzz/fuzz.h"

#define INPUT_MAX 8192
#define WORD_MAX  64

struct input {
	size_t size;
	uint8_t bytes[INPUT_MAX];
};

struct pool {
	struct input *seeds;
	size_t n_seeds;
	struct part words[512];
	size_t n_words;
};

/* Shared with the parent, who reads it when we are dead. */
static struct input *current;

/* xorshift64: chance that is the same everywhere. */
static size_t below(size_t n)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;

	return n > 0 ? (size_t)(state >> 16) % n : 0;
}

/* Replace n bytes by others, as far as there is room. */
static void put(size_t at, size_t n, const void *bytes, size_t size)
{
	size_t behind = current->size - at - n;

	if (at + size + behind > INPUT_MAX)
		return;
	memmove(current->bytes + at + size, current->bytes + at + n, behind);
	memmove(current->bytes + at, bytes, size);
	current->size = at + size + behind;
}

static void mutate(const struct pool *pool)
{
	uint8_t copy[WORD_MAX], byte = (uint8_t)below(256);
	size_t at = below(current->size + 1), rest = current->size - at;
	size_t n = below(rest < WORD_MAX ? rest + 1 : WORD_MAX),
	       from = below(current->size - n + 1);
	const struct input *other = &pool->seeds[below(pool->n_seeds)];
	const struct part *word = &pool->words[below(pool->n_words)];

	memcpy(copy, current->bytes + from, n);
	switch (below(6)) {
	case 0: /* one byte */
		put(at, rest > 0, &byte, 1);
		break;
	case 1: /* a piece less */
		put(at, n, "", 0);
		break;
	case 2: /* a piece again */
		put(at, below(2) ? n : 0, copy, n);
		break;
	case 3: /* a word more, or in place of something */
		put(at, below(2) ? n : 0, word->text, word->size);
		break;
	case 4: /* the end of another one */
		from = below(other->size + 1);
		put(at, rest, other->bytes + from, other->size - from);
		break;
	default: /* a digit */
		byte = (uint8_t)('0' + byte % 10);
		put(at, rest > 0, &byte, 1);
	}
}

static void run(const struct pool *pool, size_t runs)
{
	for (size_t i = 0; i < pool->n_seeds; i++) {
		*current = pool->seeds[i];
		LLVMFuzzerTestOneInput(current->bytes, current->size);
	}
	for (size_t i = 0; i < runs; i++) {
		*current = pool->seeds[below(pool->n_seeds)];
		for (size_t n = 1 + below(4); n > 0; n--)
			mutate(pool);
		LLVMFuzzerTestOneInput(current->bytes, current->size);
	}
}

static void load(struct input *input, const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, input->bytes, sizeof(input->bytes));

	if (n < 0) {
		perror(path);
		exit(2);
	}
	input->size = (size_t)n;
}

/* Lines "WORD" of libFuzzer's dictionaries, with \" and \\ in them. */
static void load_words(struct pool *pool, const char *path)
{
	auto_file FILE *file = fopen(path, "re");
	char line[WORD_MAX * 2];

	while (file && pool->n_words < COUNT(pool->words) && fgets(line, sizeof(line), file)) {
		char word[WORD_MAX];
		size_t n = 0;

		for (const char *c = line + 1; line[0] == '"' && *c && *c != '"' && n < WORD_MAX;
		     c++) {
			c += *c == '\\';
			word[n++] = *c;
		}
		if (n > 0)
			pool->words[pool->n_words++] = (struct part){ strndup(word, n), n };
	}
}

/* What the plugin says for people is not wanted, a sanitizer's report is. */
static void silence(void)
{
	extern void set_report_fd(intptr_t fd) __asm__("__sanitizer_set_report_fd")
		__attribute__((weak));
	int report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	if (set_report_fd)
		set_report_fd(report); /* its void * is one */
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
}

static int save(const char *path)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, current->bytes, current->size) != (ssize_t)current->size)
		perror(path);
	else
		fprintf(stderr, "the input is in %s\n", path);

	return 1;
}

int main(int argc, char **argv)
{
	static struct pool pool;
	int status = 0;
	pid_t pid;

	if (argc < 5) {
		fprintf(stderr, "%s: wanted RUNS DICTIONARY OUT FILE...\n", argv[0]);
		return 2;
	}
	current = mmap(NULL, sizeof(*current), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	pool.n_seeds = (size_t)argc - 4;
	pool.seeds = calloc(pool.n_seeds, sizeof(struct input));
	if (current == MAP_FAILED || !pool.seeds)
		return 2;
	for (size_t i = 0; i < pool.n_seeds; i++)
		load(&pool.seeds[i], argv[i + 4]);
	load_words(&pool, argv[2]);

	pid = fork();
	if (pid == 0) {
		LLVMFuzzerInitialize(&argc, &argv);
		silence();
		run(&pool, strtoul(argv[1], NULL, 10));
		exit(0);
	}
	waitpid(pid, &status, 0);
	free(pool.seeds);

	return status == 0 ? 0 : save(argv[3]);
}
