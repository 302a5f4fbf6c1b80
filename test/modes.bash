# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests that go through the ways to attach a pod. A file of them has "load modes" after
# "load helpers".

# shellcheck disable=SC2034 # for those who load this
MODES='bridge macvlan direct'

# Of a file that has none of its own.
setup() {
	need vrf vlan macvlan
	node_up
	pod_add pod1 pod2
}
teardown() {
	[ -z "${capturing:-}" ] || kill "$capturing" 2>/dev/null || :
	node_down
}

# conf MODE [KEYS]: a network, with these keys over the usual ones.
conf() {
	jq -cn '{cniVersion: "1.0.0", name: "blue", type: "hbr-l2", vni: 10100, vlan: 100, attach: $mode} + $k' \
		--arg mode "$1" --argjson k "${2:-{\}}"
}

# join MODE POD NUMBER [KEYS [VERB]]: a pod with the addresses of that number, IPv4 and IPv6.
join() {
	works "${5:-ADD}" "$2" < <(jq -cn '{cniVersion: "1.0.0", name: "blue", type: "hbr-l2", vni: 10100, vlan: 100, attach: $mode,
		addresses: [{address: "10.1.0.\($n)/24"}, {address: "fd00:1::\($n)/64"}]} + $k' \
		--arg mode "$1" --arg n "$3" --argjson k "${4:-{\}}")
}
leave() { works DEL "$1" < <(conf bridge); } # the record knows better

# What a bridge learns of a pod comes in its own time, and so does the carrier of a link on another.
LEARNED=(-x '*neighbour br.*' -x '* dynamic *' -x '* operstate *')
settled() { snapshot_take "${LEARNED[@]}"; }
unchanged() { snapshot_same "${LEARNED[@]}"; }

# refuses CODE TEXT... <CONFIGURATION: ADD for pod2 fails so, and nothing has changed since settled.
refuses() {
	plugin ADD pod2 || return 1
	refused "$@" && unchanged
}

node_file() {
	NODE_FILE=$BATS_TEST_TMPDIR/node.json
	echo "$1" >"$NODE_FILE"
}

port() { at "$1" sh -c 'cd /sys/class/net && echo pv*'; } # the pod's, on the node: its name
