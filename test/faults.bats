#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 40
# What fails, and who dies, at every place where that is possible. Faults come from outside: strace
# makes a system call fail, or kills the plugin at it.

load helpers

# pod2 has an attachment of another network, which nothing here may touch.
OTHER='"vlan": 200, "addresses": [{"address": "10.9.0.1/24"}]'
KEYS='"vlan": 100, "vrf": "hbr", "macspoofchk": true, "promisc": true, "allmulti": true,
	"addresses": [{"address": "10.1.0.1/24"}, {"address": "fd00:1::1/64"}],
	"routes": [{"dst": "10.2.0.0/16", "gw": "10.1.0.254"}, {"dst": "fd00:2::/64", "gw": "fd00:1::fe"}]'

setup() {
	need vrf vlan
	[ -e /run/netns/hbr ] || { node_up && pod_add pod1 pod2 && works ADD pod2 < <(l2 10900 "$OTHER"); }
	FAKES=$BATS_TEST_TMPDIR/plugins CONF=$BATS_TEST_TMPDIR/conf
	mkdir "$FAKES"
	l2 10100 "$KEYS" >"$CONF"
	snapshot_take
}
teardown() { [ "${BATS_TEST_COMPLETED:-}" = 1 ] || node_down; }
teardown_file() { node_down; }

add() { plugin ADD pod1 <"$CONF"; }
del() { plugin DEL pod1 <"$CONF"; }

# All errors that were printed. Checked at the end: one program instead of fifty.
said=()
unharmed() {
	[ -n "$out" ] || { echo "no error on standard output: $err" >&2; return 1; }
	said+=("$out")
	[ ! -e /run/netns/pod1 ] || ! has_link pod1 net1 || { echo "net1 is left in the pod" >&2; return 1; }
	SNAPSHOT_TRIES=2 snapshot_same
}

# each_names_its_object: as many errors as failures, each complete, each with what it is about.
each_names_its_object() {
	local object='(br|vx|tr)\\.[0-9]+|pv[0-9a-f]{12}|\\b(net1|lo|tr|ul|hbn|hbr)\\b|10\\.[0-9.]+/|fd00:|route|neighbour|VRF'
	is "${#said[@]}" "$injected"
	is "$(printf '%s\n' "${said[@]}" | jq -cs "[length, (map(select(
		.cniVersion != \"1.0.0\" or .code != 101 or (.msg | test(\"$object\") | not) or
		(.msg + .details | test(\"not found|no such file\"; \"i\")))) | map(.msg))]")" "[$injected,[]]"
}

# plainly VERB: how many requests it takes when nothing fails.
plainly() {
	traced "$1" pod1 <"$CONF"
	requests
}

@test "ADD of a new domain: each netlink request fails once, and nothing is left" {
	inject_all add unharmed
	each_names_its_object
	works DEL pod1 <"$CONF"
	plain=$(plainly ADD)
	echo "# requests injected: $injected, of a plain run: $plain" >&3
	is "$injected" "$plain"
	works DEL pod1 <"$CONF"
	snapshot_same
}

@test "ADD to a domain in use: each netlink request fails once, and nothing is left" {
	pod_add pod3
	works ADD pod3 < <(l2 10100)
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	snapshot_take
	inject_all add unharmed
	each_names_its_object
	works DEL pod1 <"$CONF"
	plain=$(plainly ADD)
	echo "# requests injected: $injected, of a plain run: $plain" >&3
	is "$injected" "$plain"
	works DEL pod1 <"$CONF"
	snapshot_same
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	works DEL pod3 < <(l2 10100)
	pod_del pod3
	snapshot_same
}

@test "DEL: each netlink request fails once, says so, and the next DEL is clean" {
	again() {
		said+=("$out")
		works DEL pod1 <"$CONF" && unharmed_by_del && works ADD pod1 <"$CONF"
	}
	unharmed_by_del() { ! has_link pod1 net1 && SNAPSHOT_TRIES=10 snapshot_same; }
	works ADD pod1 <"$CONF"
	inject_all del again
	each_names_its_object
	snapshot_same
	works ADD pod1 <"$CONF"
	plain=$(plainly DEL)
	echo "# requests injected: $injected, of a plain run: $plain" >&3
	is "$injected" "$plain"
	snapshot_same
}

#
# killed VERB CALL: run it, killed at its 1st, 2nd, ... CALL, until it lives; DEL after each. Prints
# how often it was killed.
#
killed() {
	local verb=$1 call=$2 n
	for ((n = 1; n < 200; n++)); do
		[ "$verb" = ADD ] || works ADD pod1 <"$CONF" || return 1
		WRAP=(strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$n")
		plugin "$verb" pod1 <"$CONF"
		WRAP=()
		[ "$status" = 0 ] || [ "$status" = 137 ] || { echo "$call $n: status $status $out $err" >&2; return 1; }
		ended=$status
		plugin DEL pod1 <"$CONF"
		is "$status$out" 0 || return 1
		! has_link pod1 net1 && SNAPSHOT_TRIES=10 snapshot_same || { echo "killed at $call $n of $verb" >&2; return 1; }
		[ "$ended" != 0 ] || break
	done
	echo "# killed at $((n - 1)) $call of $verb" >&3
	[ "$n" -gt 1 ]
}

@test "sriov-cni#212: ADD killed at every netlink request: DEL is clean" {
	killed ADD sendmsg
	reaches pod2 10.9.0.1
}

@test "ADD killed at every change of the state directory: DEL is clean" {
	rm -r "$NODE_STATE"/*/domains # so that it is made as well
	for call in renameat unlinkat mkdirat fchmod write; do
		killed ADD $call
	done
}

@test "ADD killed at every open: DEL is clean" {
	killed ADD openat
}

@test "DEL killed at every netlink request, at every removal: the next DEL is clean" {
	for call in sendmsg unlinkat; do
		killed DEL $call
	done
}

@test "the state directory is full: ADD says so and leaves nothing" {
	for call in renameat openat:O_CREAT mkdirat; do
		:
	done
	full() {
		WRAP=(strace -qq -o /dev/null -e "trace=$1" -e "inject=$1:error=ENOSPC:when=$2")
		plugin ADD pod1 <"$CONF"
		WRAP=()
	}
	for call in renameat fchmod; do
		for ((n = 1; n < 50; n++)); do
			full $call $n
			[ "$status" != 0 ] || break
			refused 107 "$NODE_STATE" 'No space left on device'
			SNAPSHOT_TRIES=2 snapshot_same
		done
		[ "$n" -gt 3 ]
		works DEL pod1 <"$CONF"
		snapshot_same
	done
}
