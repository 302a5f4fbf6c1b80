#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 75
# Pods on a macvlan, and wired directly: each netlink request of ADD and DEL fails once. What holds
# for a pod on a bridge is tried in faults.bats.

load helpers
load modes

# The carrier of a link on another comes in its own time; what a bridge learned meanwhile goes by itself.
SETTLING=(-x '* operstate *' -x '*fdb * dynamic *')

# pod2 has an attachment of another network, which nothing here may touch. Pods that stay are silent:
# what a bridge learns from a pod is no leftover.
setup() {
	need vrf vlan macvlan
	[ -e /run/netns/hbr ] || { node_up && pod_add pod1 && silent pod2 && works ADD pod2 < <(l2 10900 '"vlan": 200, "attach": "direct"'); }
	CONF=$BATS_TEST_TMPDIR/conf
	snapshot_take "${SETTLING[@]}"
}
teardown() { [ "${BATS_TEST_COMPLETED:-}" = 1 ] || node_down; }
teardown_file() { node_down; }

silent() { pod_add "$1" && at "$1" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'; }
add() { plugin ADD pod1 <"$CONF"; }
del() { plugin DEL pod1 <"$CONF"; }

# All errors that were printed. Checked at the end: one program instead of fifty.
said=()
unharmed() {
	[ -n "$out" ] || { echo "no error on standard output: $err" >&2; return 1; }
	said+=("$out")
	bare pod1 && SNAPSHOT_TRIES=2 snapshot_same "${SETTLING[@]}"
}

# Nothing is in the pod, under whatever name.
bare() { is "$(at "$1" sh -c 'cd /sys/class/net && echo *')" lo; }

# each_names_its_object: as many errors as failures, each complete, each with what it is about.
each_names_its_object() {
	local object='(br|vx|tr)\\.[0-9]+|pv[0-9a-f]{12}|([0-9a-f]{2}:){5}|(links|addresses) in the|\\b(net1|lo|tr|ul|hbn|hbr)\\b|10\\.[0-9.]+/|fd00:|route|neighbour|VRF'
	is "${#said[@]}" "$injected"
	is "$(printf '%s\n' "${said[@]}" | jq -cs "[length, (map(select(
		.cniVersion != \"1.0.0\" or .code != 101 or (.msg | test(\"$object\") | not) or
		(.msg + .details | test(\"not found|no such file\"; \"i\")))) | map(.msg))]")" "[$injected,[]]"
}

# as_many VERB: when nothing fails it takes as many requests as were made to fail.
as_many() {
	local plain
	traced "$1" pod1 <"$CONF"
	plain=$(requests)
	echo "# $mode, $1: requests injected: $injected, of a plain run: $plain" >&3
	is "$injected" "$plain"
}

# A macvlan's VLAN is to be found.
keys() { # MODE
	conf "$1" '{"vrf": "hbr", "promisc": true, "addresses": [{"address": "10.1.0.1/24"}, {"address": "fd00:1::1/64"}],
		"routes": [{"dst": "10.2.0.0/16", "gw": "10.1.0.254"}]}' |
		jq -c "$([ "$1" = direct ] && echo '.macspoofchk = true' || echo 'del(.vlan)')" >"$CONF"
}

cold() {
	mode=$1
	keys "$mode"
	inject_all add unharmed
	each_names_its_object
	works DEL pod1 <"$CONF"
	as_many ADD
	works DEL pod1 <"$CONF"
	snapshot_same "${SETTLING[@]}"
}

warm() {
	mode=$1
	keys "$mode"
	silent pod3
	works ADD pod3 < <(conf "$mode" '{"vrf": "hbr"}')
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	snapshot_take "${SETTLING[@]}"
	inject_all add unharmed
	each_names_its_object
	works DEL pod1 <"$CONF"
	as_many ADD
	works DEL pod1 <"$CONF"
	snapshot_same "${SETTLING[@]}"
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	works DEL pod3 < <(conf "$mode")
	pod_del pod3
	snapshot_same "${SETTLING[@]}"
}

again() {
	said+=("$out")
	works DEL pod1 <"$CONF" && bare pod1 && SNAPSHOT_TRIES=10 snapshot_same "${SETTLING[@]}" && works ADD pod1 <"$CONF"
}

gone() {
	mode=$1
	keys "$mode"
	works ADD pod1 <"$CONF"
	inject_all del again
	each_names_its_object
	snapshot_same "${SETTLING[@]}"
	works ADD pod1 <"$CONF"
	as_many DEL
	snapshot_same "${SETTLING[@]}"
}

same() { bare pod1 && snapshot_same "${SETTLING[@]}"; }

@test "sriov-cni#212: macvlan and direct: ADD killed at every netlink request: DEL is clean" {
	local mode
	silent pod3
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	for mode in macvlan direct; do
		keys "$mode"
		[ -z "${SOAK:-}" ] || killed ADD sendmsg same
		works ADD pod3 < <(conf "$mode" '{"vrf": "hbr"}')
		snapshot_take "${SETTLING[@]}"
		killed ADD sendmsg same
		works DEL pod3 < <(conf "$mode")
		cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
		same
	done
	pod_del pod3
}

@test "macvlan, ADD of a new domain: each netlink request fails once, and nothing is left" { cold macvlan; }

@test "direct, ADD of a new domain: each netlink request fails once, and nothing is left" { cold direct; }

@test "macvlan, ADD to a domain in use: each netlink request fails once, and nothing is left" { warm macvlan; }

@test "direct, ADD to a domain in use: each netlink request fails once, and nothing is left" { warm direct; }

@test "macvlan, DEL: each netlink request fails once, says so, and the next DEL is clean" { gone macvlan; }

@test "direct, DEL: each netlink request fails once, says so, and the next DEL is clean" { gone direct; }
