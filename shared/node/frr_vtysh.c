// SPDX-License-Identifier: Apache-2.0
#include "shared/node/frr_vtysh.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "shared/base/child.h"
#include "shared/base/cleanup.h"
#include "shared/node/frr.h"

#define WORDS_SIZE 256 /* of FRR's words in an error */

static int put(struct frr_run *run, char *command, size_t number, struct error *err)
{
	if (run->n == FRR_LINES_MAX)
		return error_set(err, ERROR_FRR, "text for FRR: wanted at most %d lines",
				 FRR_LINES_MAX);
	run->commands[run->n] = command;
	run->numbers[run->n++] = number;

	return 0;
}

int frr_run_prepare(struct frr_run *run, const char *text, bool is_configuration, char *also,
		    struct error *err)
{
	static char enter[] = "configure terminal", leave[] = "end";
	char *line, *rest;
	size_t number = 0;

	run->lines = rest = strdup(text);
	if (!run->lines)
		return error_errno(err, ERROR_INTERNAL, errno, "text for FRR");
	if (is_configuration && put(run, enter, 0, err) < 0)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		number++;
		line += strspn(line, " \t");
		for (size_t len = strlen(line); len && strchr(" \t\r", line[len - 1]); len--)
			line[len - 1] = '\0';
		if (*line && *line != '!' && *line != '#' && put(run, line, number, err) < 0)
			return -1;
	}
	if (is_configuration && put(run, leave, 0, err) < 0)
		return -1;

	return also ? put(run, also, 0, err) : 0;
}

/* Is it the echo of the command, "host(config)# command"? */
static bool is_echo(const char *line, const char *command)
{
	size_t len = strlen(line), tail = strlen(command);

	return len >= tail + 2 && strcmp(line + len - tail, command) == 0 &&
	       strncmp(line + len - tail - 2, "# ", 2) == 0;
}

void frr_run_read(struct frr_run *run, char *output, int status)
{
	char *line, *rest = output;

	run->output = output;
	run->status = status;
	run->n_answers = 0;
	run->before = output ? output : "";
	while (rest && *rest) {
		size_t len;

		line = rest;
		len = strcspn(line, "\n");
		rest = line[len] ? line + len + 1 : NULL;
		if (run->n_answers == run->n)
			return;
		line[len] = '\0';
		if (is_echo(line, run->commands[run->n_answers])) {
			run->answers[run->n_answers++] = rest ? rest : line + len;
			*line = '\0';
		} else if (rest) {
			line[len] = '\n';
		}
	}
}

/* Some lines of FRR's as one, without what a runtime takes for "already gone" in an error. */
static void shorten(const char *text, char words[static WORDS_SIZE])
{
	static const char *const taken[][2] = { { "not found", "absent" },
						{ "No such file or directory", "does not exist" } };
	size_t len = 0;

	text += strspn(text, "% \r\n");
	while (*text && len < WORDS_SIZE - 24) {
		for (size_t i = 0; i < COUNT(taken); i++) {
			if (strncasecmp(text, taken[i][0], strlen(taken[i][0])) == 0) {
				text += strlen(taken[i][0]);
				len = (size_t)(stpcpy(words + len, taken[i][1]) - words);
			}
		}
		if (*text == '\0')
			break;
		if (!strchr(" \r\n", *text))
			words[len++] = *text;
		else if (len && words[len - 1] != ' ')
			words[len++] = ' ';
		text++;
	}
	while (len && words[len - 1] == ' ')
		len--;
	words[len] = '\0';
}

/* A line of the answer begins with '%': that is how FRR says no, whatever the status. */
static bool says_no(const char *answer)
{
	return answer[0] == '%' || strstr(answer, "\n%");
}

int frr_run_check(const struct frr_run *run, struct error *err)
{
	char words[WORDS_SIZE];
	size_t i = 0;

	while (i < run->n_answers && !says_no(run->answers[i]))
		i++;
	if (i == run->n_answers && run->status == 0 && run->n_answers == run->n)
		return 0;
	if (i == run->n_answers && i > 0)
		i--; /* where vtysh stopped */

	shorten(run->n_answers ? run->answers[i] : run->before, words);
	if (run->n_answers == 0)
		return error_set(err, ERROR_FRR, "vtysh ended with status %d: %s", run->status,
				 words);
	if (run->numbers[i] == 0)
		return error_set(err, ERROR_FRR, "FRR refused \"%s\": %s", run->commands[i], words);

	return error_set(err, ERROR_FRR, "FRR refused line %zu, \"%.64s\": %s", run->numbers[i],
			 run->commands[i], words);
}

bool frr_run_is_down(const struct frr_run *run)
{
	return run->status != 0 && run->n_answers == 0 &&
	       strstr(run->before, "failed to connect to any daemons");
}

int frr_run(const struct node_frr *frr, struct frr_run *run, struct error *err)
{
	/* Without HOME it keeps no history, and starts no pager. */
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
	static char socket[] = "--vty_socket", echo[] = "-E", command[] = "-c";
	char vtysh[sizeof(frr->vtysh)], dir[sizeof(frr->socket_dir)];
	char *argv[2 * FRR_LINES_MAX + 5] = { vtysh, socket, dir, echo };
	char *envp[] = { path, locale, NULL };
	struct child child = { .path = frr->vtysh,
			       .argv = argv,
			       .envp = envp,
			       .input = "",
			       .timeout_ms = FRR_TIMEOUT_MS,
			       .with_errors = true };
	struct child_output output;

	snprintf(vtysh, sizeof(vtysh), "%s", frr->vtysh);
	snprintf(dir, sizeof(dir), "%s", frr->socket_dir);
	for (size_t i = 0; i < run->n; i++) {
		argv[2 * i + 4] = command;
		argv[2 * i + 5] = run->commands[i];
	}
	if (child_run(&child, &output, err) < 0) {
		if (err->code != ERROR_TRY_AGAIN)
			err->code = ERROR_FRR;
		return -1;
	}
	frr_run_read(run, output.text, output.status);

	return 0;
}

uint32_t frr_start_id(const struct node *node)
{
	static const char *const daemons[] = { "zebra", "bgpd" };
	char seen[COUNT(daemons)][64];
	const char *parts[COUNT(daemons)];
	uint32_t id;

	for (size_t i = 0; i < COUNT(daemons); i++) {
		char path[PATH_MAX];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s.vty", node->frr.socket_dir, daemons[i]);
		if (stat(path, &st) < 0)
			return 0;
		snprintf(seen[i], sizeof(seen[i]), "%ju.%jd.%09ld", (uintmax_t)st.st_ino,
			 (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
		parts[i] = seen[i];
	}
	id = (uint32_t)hash_parts(parts, COUNT(daemons));

	return id ? id : 1;
}

void frr_run_free(struct frr_run *run)
{
	free(run->lines);
	free(run->output);
}
