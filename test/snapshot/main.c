// SPDX-License-Identifier: Apache-2.0

/*
 * snapshot [-x PATTERN]... [-s STATE_DIR]... NETNS...
 *
 * Everything that a plugin could leave behind, as sorted lines of text: of each network namespace
 * (a path, or a name in /run/netns) links with all their attributes, addresses, routes of all
 * tables, rules, neighbours, forwarding databases, bridge VLANs and sysctls; of each state
 * directory files with mode and content. Two snapshots of the same thing are equal: links are
 * named, not numbered, and counters and timers are left out. -x leaves out lines that match.
 *
 * It shares no code with the plugins, so a mistake there is not repeated here.
 */

#include <err.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/snapshot/snapshot.h"

#define PATTERNS_MAX 32

static struct place places[PLACES_MAX];
static size_t n_places;
static const char *patterns[PATTERNS_MAX]; /* of lines to leave out */
static size_t n_patterns;
static char **lines;
static size_t n_lines, lines_size;

void line(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		err(1, "line");
	va_end(args);
	for (size_t i = 0; i < n_patterns; i++)
		if (fnmatch(patterns[i], text, 0) == 0) {
			free(text);
			return;
		}
	if (n_lines == lines_size) {
		lines_size = lines_size * 2 + 1024;
		lines = reallocarray(lines, lines_size, sizeof(*lines));
		if (!lines)
			err(1, "lines");
	}
	lines[n_lines++] = text;
}

size_t lines_mark(void)
{
	return n_lines;
}

void lines_reset(size_t mark)
{
	while (n_lines > mark)
		free(lines[--n_lines]);
}

const struct place *place_by_nsid(const struct place *place, int nsid)
{
	for (size_t i = 0; i < n_places; i++)
		if (nsid >= 0 && place->nsids[i] == nsid)
			return &places[i];

	return NULL;
}

static void open_place(const char *name)
{
	struct place *place = &places[n_places];
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	char path[512];

	if (n_places == PLACES_MAX)
		errx(1, "more than %d namespaces", PLACES_MAX);
	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	place->name = strrchr(path, '/') + 1;
	place->name = strdup(strncmp(path, "/proc/", 6) == 0 ? "self" : place->name);
	place->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (place->fd < 0 || setns(place->fd, CLONE_NEWNET) < 0)
		err(1, "%s", path);
	place->sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (place->sock < 0 || connect(place->sock, (void *)&kernel, sizeof(kernel)) < 0)
		err(1, "%s: netlink", path);
	n_places++;
	read_link_names(place);
}

static void read_place(struct place *place)
{
	for (size_t i = 0; i < n_places; i++)
		place->nsids[i] = read_nsid(place, places[i].fd);
	if (setns(place->fd, CLONE_NEWNET) < 0)
		err(1, "%s: setns", place->name);
	read_kernel(place);
	read_sysctls(place);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "x:s:")) != -1;) {
		if (option == 's')
			read_state(optarg);
		else if (option == 'x' && n_patterns < PATTERNS_MAX)
			patterns[n_patterns++] = optarg;
		else
			errx(2, "snapshot [-x PATTERN]... [-s STATE_DIR]... NETNS...");
	}
	for (int i = optind; i < argc; i++)
		open_place(argv[i]);
	for (size_t i = 0; i < n_places; i++)
		read_place(&places[i]);
	qsort(lines, n_lines, sizeof(*lines), compare);
	for (size_t i = 0; i < n_lines; i++)
		puts(lines[i]);

	return fflush(stdout) == 0 ? 0 : 1;
}
