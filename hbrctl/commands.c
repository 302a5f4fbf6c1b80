// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/command.h"
#include "shared/base/cleanup.h"

/* clang-format off */
const struct option_row option_rows[] = {
	{ "json", OPTION_JSON, NULL, "Print JSON." },
	{ "svg", OPTION_SVG, NULL, "Print SVG, by Graphviz' dot." },
	{ "dry-run", OPTION_DRY_RUN, NULL, "Say what would be done, and do nothing." },
	{ "force", OPTION_FORCE, NULL, "A VLAN on which no macvlan is seen has none." },
	{ "frr", OPTION_FRR, NULL, "Only what FRR is told: for after each of its starts." },
	{ "node", 0, "FILE", "The node file, instead of $HBR_CNI_NODE or /etc/hbr-cni/node.json." },
	{ "help", 0, NULL, "Say what there is." },
	{ "version", 0, NULL, "Say which version this is." },
};

const char *const exit_texts[] = {
	[COMMAND_FINE] = "All is well; of a verb that lists: it has listed.",
	[COMMAND_FOUND] = "There is something to see to: a name that is not known, findings, a refusal, what had to stay.",
	[COMMAND_FAILED] = "Wrong usage, or it could not be done: standard error has the reason.",
};

const struct command commands[] = {
	{ "show", "[NAME]", 0, 1, OPTION_JSON,
	  "Domains and pods, and where the kernel differs from what is remembered.",
	  "Of the node file's HBR netns. With NAME only what has to do with it: a domain, a VNI, a VRF, or a container ID or its "
	  "beginning. Nothing is changed and no lock is taken. The states of a domain: ok; drift, the "
	  "kernel has it otherwise; away, the HBR netns is not there; unheld, no pod needs it any more; "
	  "damaged, its file cannot be read. Of a pod also: dead, its netns is gone and its port with it; "
	  "unfinished, its ADD has not ended; unrecorded, its record is lost; unseen, its netns is not "
	  "visible from here. Leftovers are links with our mark that nobody remembers.",
	  show_run },
	{ "doctor", "", 0, 0, OPTION_JSON,
	  "Look whether the node has what pods' networks need, and say what to do.",
	  "Node file, kernel, kinds of links, state directory, bridge netfilter, "
	  "NetworkManager and systemd-networkd; and in the HBR netns trunk, VTEP, MTU, forwarding, rp_filter, "
	  "l3mdev, FRR with its EVPN instance. The status is 1 when there is an error; warnings alone leave it 0.",
	  doctor_run },
	{ "graph", "", 0, 0, OPTION_SVG,
	  "The picture of all that, as Graphviz dot.",
	  "Links that differ are red, those that are missing dashed.", graph_run },
	{ "metrics", "", 0, 0, 0,
	  "Numbers for Prometheus, in its text format.",
	  "For the node exporter's textfile collector: hbrctl metrics >FILE.tmp && mv FILE.tmp FILE.prom",
	  metrics_run },
	{ "validate", "FILE...", 1, ARGS_MANY, OPTION_JSON,
	  "Look whether networks are right, without a node.",
	  "A FILE (-: standard input) is a CNI configuration or a list of them, or has "
	  "NetworkAttachmentDefinitions, as YAML or JSON. What ADD would refuse is told in its words, keys "
	  "that are none with the one that was probably meant, and what networks say of one domain, VNI, "
	  "VLAN or table that does not go together. What a network may override is this node's to say "
	  "(--node). The status is 1 when there are findings.",
	  validate_run },
	{ "plan", "FILE", 1, 1, OPTION_JSON,
	  "What an ADD on the networks of a file would do on this node.",
	  "Nothing is done. Links are kept, created, changed (ours) or adopted (somebody else's that fit), "
	  "in the order of ADD; each pod has its own port besides. The VLAN or table that would be chosen is "
	  "that of now. The status is 1 when an ADD would be refused.",
	  plan_run },
	{ "gc", "", 0, 0, OPTION_JSON | OPTION_DRY_RUN | OPTION_FORCE,
	  "Remove what is nobody's any more.",
	  "Pods that died without a DEL (with their addresses' leases: $CNI_PATH says where the IPAM plugin "
	  "is, by default /opt/cni/bin), domains that nobody holds, links with our mark that nobody "
	  "remembers. It takes the locks that ADD and DEL take. What is alive stays, and what may be: a "
	  "pod's port without a record, and a VLAN of the host's in no bridge, on which pods may have "
	  "macvlans. Nothing without our mark is touched. The status is 1 when something stays, and with "
	  "--dry-run when there is something to do.",
	  gc_run },
	{ "init", "[VTEP]", 0, 1, 0,
	  "Make a node for a laboratory: what hbr-cni finds on a real one.",
	  "The HBR netns; the trunk, whose end in the host is a bridge; the VTEP (10.0.0.1) on lo; a VRF, hbr "
	  "with table 1000; hbn between host (100.64.0.0) and it (100.64.0.1); forwarding. Names and the path "
	  "are the node file's. What is there already is kept. By hand it all goes with: ip netns del hbr, "
	  "ip link del tr.",
	  init_run },
	{ "restore", "", 0, 0, OPTION_JSON | OPTION_FRR,
	  "Bring back what pods had, after the HBR netns or FRR was made anew.",
	  "Domains that are held are made so again, in the kernel and in FRR, by what is remembered of them; then "
	  "interfaces of living pods that went with the HBR netns (direct and routed ones, macvlans), with their "
	  "name, MAC, addresses and routes. IPAM plugins are not asked. Each pod's addresses are announced. What "
	  "is as it should be is kept, nothing is taken from a living pod, and it may be called at any time and "
	  "again. What other plugins of a chain had changed on an interface is not known to it. With --frr only "
	  "VRFs: the links of an L3VNI go down, FRR is told, they go up. The status is 1 when something could not "
	  "be brought back, or is there and nobody remembers what it was part of: standard output has each.",
	  restore_run },
	{ "manual", "", 0, 0, 0, "This, as a man page.", "hbrctl manual | man -l -", manual_run },
	{ "completion", "", 0, 0, 0, "What completes words in bash.", "eval \"$(hbrctl completion)\"",
	  completion_run },
};
/* clang-format on */

const size_t n_commands = COUNT(commands);
const size_t n_option_rows = COUNT(option_rows);
