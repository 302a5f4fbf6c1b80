// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/command.h"
#include "shared/base/cleanup.h"

/* clang-format off */
const struct option_row option_rows[] = {
	{ "json", OPTION_JSON, NULL, "Print JSON." },
	{ "svg", OPTION_SVG, NULL, "Print SVG, by Graphviz' dot." },
	{ "node", 0, "FILE", "The node file, instead of $HBR_CNI_NODE or /etc/hbr-cni/node.json." },
	{ "help", 0, NULL, "Say what there is." },
	{ "version", 0, NULL, "Say which version this is." },
};

const char *const exit_texts[] = {
	[COMMAND_FINE] = "All is well; of a verb that lists: it has listed.",
	[COMMAND_FOUND] = "Nothing of that name is there.",
	[COMMAND_FAILED] = "Wrong usage, or it could not be done: standard error has the reason.",
};

const struct command commands[] = {
	{ "show", "[NAME]", 0, 1, OPTION_JSON,
	  "Domains and pods, and where the kernel differs from what is remembered.",
	  "With NAME only what has to do with it: a domain, a VNI, a VRF, or a container ID or its "
	  "beginning. Nothing is changed and no lock is taken. The states of a domain: ok; drift, the "
	  "kernel has it otherwise; away, the HBR netns is not there; unheld, no pod needs it any more; "
	  "damaged, its file cannot be read. Of a pod also: dead, its netns is gone and its port with it; "
	  "unfinished, its ADD has not ended; unrecorded, its record is lost; unseen, its netns is not "
	  "visible from here. Leftovers are links with our mark that nobody remembers.",
	  show_run },
	{ "graph", "", 0, 0, OPTION_SVG,
	  "The picture of all that, as Graphviz dot.",
	  "Links that differ are red, those that are missing dashed.", graph_run },
	{ "metrics", "", 0, 0, 0,
	  "Numbers for Prometheus, in its text format.",
	  "For the node exporter's textfile collector: hbrctl metrics >FILE.tmp && mv FILE.tmp FILE.prom",
	  metrics_run },
	{ "manual", "", 0, 0, 0, "This, as a man page.", "hbrctl manual | man -l -", manual_run },
	{ "completion", "", 0, 0, 0, "What completes words in bash.", "eval \"$(hbrctl completion)\"",
	  completion_run },
};
/* clang-format on */

const size_t n_commands = COUNT(commands);
const size_t n_option_rows = COUNT(option_rows);
