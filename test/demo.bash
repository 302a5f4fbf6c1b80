# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the acts of the demo (see demo) are written with: each step is checked and gets a line, the
# first that does not hold ends the demo.

# shellcheck source=test/helpers.bash
. "$TREE/test/helpers.bash"
# shellcheck source=test/fabric.bash
. "$TREE/test/fabric.bash"

EXAMPLES=$TREE/conf-examples
LAST=$BATS_TEST_TMPDIR/last # what the last command said

bold='' dim='' green='' red='' plain=''
colors() { bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'; }

title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
asked() { printf '  %s$ %s%s\n' "$dim" "$*" "$plain"; }
shown() { printf '  %s\n' "$(jq -c '.plugins[0]' "$EXAMPLES/$1.conflist")"; } # NETWORK

# step TEXT COMMAND...: do it, and say that it held.
step() {
	local text=$1
	shift
	if "$@" >"$LAST" 2>&1; then
		printf '  %s✓%s %s\n' "$green" "$plain" "$text"
		return
	fi
	printf '  %s✗ %s: this did not hold%s\n' "$red" "$text" "$plain"
	head -n 12 "$LAST" | sed 's/^/    /'
	exit 1
}

# node_file NODE [KEYS]: what tool goes by there.
node_file() {
	jq -cn --arg hbr "/run/netns/hbr${1#1}" --argjson keys "${2:-{\}}" '{hbrNetns: $hbr} + $keys' >"$BATS_TEST_TMPDIR/node$1.json"
}

# tool NODE add|check|del NETWORK POD [ASKED]: the real cnitool, on a node; from the examples unless
# NETCONFPATH says otherwise.
tool() {
	local node=$1 host=host
	shift
	[ "$node" = 1 ] || host=host$node
	at "$host" env HBR_CNI_NODE="$BATS_TEST_TMPDIR/node$node.json" CNI_PATH="$CNI_PATH" CNI_IFNAME=net1 \
		NETCONFPATH="${NETCONFPATH:-$EXAMPLES}" CAP_ARGS="${4:-}" "$CNITOOL" "$1" "$2" "/run/netns/$3"
}

asks() { jq -cn '{ips: $ARGS.positional}' --args "$@"; }

links() { # the namespace's links, each with its place
	local -a netns=()
	[ "$1" = host ] || netns=(-n "$1")
	ip "${netns[@]}" -json -details link | jq -c --arg place "$1" '.[] | {place: $place} + .'
}

node_links() { { links host; links hbr; } | jq -cs .; }

# The links that are there now and were not in that list.
table() {
	node_links | jq -r --argjson before "$1" '
		def what: .linkinfo.info_data as $data | {
			vxlan: "VNI \($data.id), from \($data.local), learns nothing by itself",
			vlan: "VLAN \($data.id) on the trunk \(.link)",
			bridge: "MAC \(.address)",
			vrf: "table \($data.table)",
			veth: "the pod'"'"'s port"
		}[.linkinfo.info_kind] // "";
		map(. as $l | select($before | any(.place == $l.place and .ifname == $l.ifname) | not)) |
		["where", "link", "kind", "in", "mtu", "what"],
		(.[] | [.place, .ifname, .linkinfo.info_kind, .master // "-", .mtu, what]) | @tsv' |
		column -t -s $'\t' | sed "s/^/    /; 1s/.*/$dim&$plain/"
}

appeared() { # BEFORE WANTED: exactly these links are there now that were not before
	is "$(node_links | jq -r --argjson before "$1" '
		[.[] | . as $l | select($before | any(.place == $l.place and .ifname == $l.ifname) | not) |
		"\(.place) \(.linkinfo.info_kind)"] | sort | join(", ")')" "$2"
}

said() { sed 's/^/    /' "$LAST"; } # by the last step
