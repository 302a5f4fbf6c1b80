// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "hbrctl/command.h"

/* Text for roff: no line begins with one of its requests, no '-' becomes another dash. */
static void put_roff(const char *text)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static void put_options(unsigned taken, bool of_all)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (of_all ? row->bit : !(row->bit & taken))
			continue;
		fputs(".TP\n.B \\-\\-", stdout);
		put_roff(row->name);
		printf("%s%s\n", row->argument ? " " : "", row->argument ? row->argument : "");
		put_roff(row->doc);
		putchar('\n');
	}
}

static void put_command(const struct command *command)
{
	printf(".SS %s", command->name);
	if (command->arguments[0])
		printf(" %s", command->arguments);
	putchar('\n');
	put_roff(command->doc);
	fputs("\n.PP\n", stdout);
	put_roff(command->more);
	putchar('\n');
	put_options(command->options, false);
}

int manual_run(const struct options *options, struct error *err)
{
	(void)options;
	(void)err;
	fputs(".TH HBRCTL 8\n.SH NAME\nhbrctl \\- what hbr\\-cni has on this node\n.SH SYNOPSIS\n"
	      ".B hbrctl\n.I VERB\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH VERBS\n",
	      stdout);
	for (size_t i = 0; i < n_commands; i++)
		put_command(&commands[i]);
	fputs(".SH OPTIONS OF EVERY VERB\n", stdout);
	put_options(0, true);
	fputs(".SH EXIT STATUS\n", stdout);
	for (int i = COMMAND_FINE; i <= COMMAND_FAILED; i++) {
		printf(".TP\n.B %d\n", i);
		put_roff(exit_texts[i]);
		putchar('\n');
	}
	fputs(".SH ENVIRONMENT\n.TP\n.B HBR_CNI_NODE\nThe node file.\n.TP\n.B NO_COLOR\nNo colours, "
	      "on a terminal either.\n",
	      stdout);

	return COMMAND_FINE;
}

static void put_words(unsigned taken)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].bit || (option_rows[i].bit & taken))
			printf(" --%s", option_rows[i].name);
	}
}

int completion_run(const struct options *options, struct error *err)
{
	(void)options;
	(void)err;
	fputs("# bash completion of hbrctl\n_hbrctl() {\n\tlocal words word=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\twords='",
	      stdout);
	for (size_t i = 0; i < n_commands; i++)
		printf("%s%s", i ? " " : "", commands[i].name);
	fputs("'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", stdout);
	for (size_t i = 0; i < n_commands; i++) {
		printf("\t\t%s) words='", commands[i].name);
		put_words(commands[i].options);
		fputs("' ;;\n", stdout);
	}
	fputs("\t\tesac\n\tfi\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
	      "complete -o default -F _hbrctl hbrctl\n",
	      stdout);

	return COMMAND_FINE;
}
