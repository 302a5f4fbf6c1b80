#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 99
# shellcheck disable=SC2016 # scripts of fake plugins
# What fails, at every place where that is possible. Faults come from outside: strace makes a system call
# fail. Who dies is in kills.bats.

load helpers
load injection

# pod2 has an attachment of another network, which nothing here may touch.
OTHER='"vlan": 200, "addresses": [{"address": "10.9.0.1/24"}]'
KEYS='"vlan": 100, "vrf": "hbr", "macspoofchk": true, "promisc": true, "allmulti": true,
	"addresses": [{"address": "10.1.0.1/24"}, {"address": "fd00:1::1/64"}],
	"routes": [{"dst": "10.2.0.0/16", "gw": "10.1.0.254"}, {"dst": "fd00:2::/64", "gw": "fd00:1::fe"}]'

setup() {
	need vrf vlan
	[ -e /run/netns/hbr ] || { node_up && pod_add pod1 && silent_pod pod2 && works ADD pod2 < <(l2 10900 "$OTHER"); }
	FAKES=$BATS_TEST_TMPDIR/plugins CONF=$BATS_TEST_TMPDIR/conf
	l2 10100 "$KEYS" >"$CONF"
	take
}
teardown() { [ "${BATS_TEST_COMPLETED:-}" = 1 ] || node_down; }
teardown_file() { node_down; }

# What a bridge learned goes by itself, after minutes.
LEARNED=(-x '*fdb * dynamic *' -x '*neighbour * dynamic *')
take() { snapshot_take "${LEARNED[@]}" "$@"; }
same() { snapshot_same "${LEARNED[@]}" "$@"; }

# A pod's end goes with the port in the host, which the snapshot has.
clean() { same; }

@test "ADD of a new domain: each netlink request fails once, and nothing is left" {
	attached
	same
}

@test "ADD to a domain in use: each netlink request fails once, and nothing is left" {
	silent_pod pod3
	works ADD pod3 < <(l2 10100 '"vlan": 100, "vrf": "hbr"')
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	take
	attached
	same
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	works DEL pod3 < <(l2 10100)
	pod_del pod3
	same
}

@test "DEL: each netlink request fails once, says so, and the next DEL is clean" {
	detached
	same
}

@test "the state directory is full: ADD says so and leaves nothing" {
	full() {
		WRAP=(strace -qq -o /dev/null -e "trace=$1" -e "raw=$1" -e "inject=$1:error=ENOSPC:when=$2")
		plugin ADD pod1 <"$CONF"
		WRAP=()
	}
	for call in renameat fchmod; do
		for ((n = 1; n < 50; n++)); do
			full $call $n
			[ "$status" != 0 ] || break
			refused 107 "$NODE_STATE" 'No space left on device'
			SNAPSHOT_TRIES=2 same
		done
		[ "$n" -gt 3 ]
		works DEL pod1 <"$CONF"
		same
	done
}

# fake <SCRIPT: an IPAM plugin that notes what it gets and which ports there are, then does as told.
fake() {
	mkdir -p "$FAKES"
	{
		printf '#!/bin/sh\ncd %q\n' "$FAKES"
		cat <<-'S'
			cat >"stdin.$CNI_COMMAND"
			result='{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.5/24"}]}'
			ports=$(ls /sys/class/net | grep -c '^pv')
			echo "$CNI_COMMAND $CNI_CONTAINERID $CNI_IFNAME $ports" >>log
		S
		cat
	} >"$FAKES/fake"
	chmod +x "$FAKES/fake"
	CNI_PATH=$FAKES:/usr/lib/cni
	l2 10100 '"vlan": 100, "ipam": {"type": "fake", "extra": "x"}' >"$CONF"
}

@test "plugins#666: IPAM is asked before there is an interface, and told to forget after it is gone" {
	fake <<<'[ $CNI_COMMAND != ADD ] || echo "$result"'
	works ADD pod1 <"$CONF"
	works DEL pod1 <"$CONF"
	is "$(<"$FAKES/log")" $'ADD c-pod1 net1 1\nDEL c-pod1 net1 1' # that of pod2
	cmp "$CONF" "$FAKES/stdin.ADD"
	cmp "$CONF" "$FAKES/stdin.DEL"
	same
}

@test "multus-cni#1449: IPAM gets the configuration of ADD when DEL brings a poorer one" {
	fake <<<'[ $CNI_COMMAND != ADD ] || echo "$result"'
	for poor in '{"cniVersion": "1.0.0", "name": "n10100", "type": "hbr-l2", "ipam": {"type": "fake"}}' \
		'{"cniVersion": "1.0.0", "name": "n10100", "type": "hbr-l2"}'; do
		works ADD pod1 <"$CONF"
		works DEL pod1 <<<"$poor"
		is "$(jq -c . "$FAKES/stdin.DEL")" "$(jq -c . "$CONF")"
	done
	same
}

# containerd#4666: a minute long.
is_killed_after_a_minute() {
	fake <<<'[ $CNI_COMMAND != ADD ] || { echo $$ >child; exec sleep 600; }'
	begun=$SECONDS
	plugin ADD pod1 <"$CONF"
	refused 11 'IPAM plugin fake' 60
	[ $((SECONDS - begun)) -ge 59 ]
	[ ! -e "/proc/$(<"$FAKES/child")" ]
	same
}

@test "plugins#29: whatever IPAM does on ADD, nothing is left, and it is told to forget" {
	while read -r code text script; do
		fake <<<"[ \$CNI_COMMAND != ADD ] || { $script; }"
		: >"$FAKES/log"
		plugin ADD pod1 <"$CONF"
		refused "$code" "${text//_/ }"
		is "$(<"$FAKES/log")" $'ADD c-pod1 net1 1\nDEL c-pod1 net1 1'
		same
		works DEL pod1 <"$CONF"
	done <<-'S'
		77 ipam:_the_range_is_empty echo '{"cniVersion": "1.0.0", "code": 77, "msg": "the range is empty"}'; exit 1
		105 exit_status_137 kill -9 $$
		105 exit_status_3 echo garbage; exit 3
		105 fake echo garbage
		105 gave_no_address echo '{"cniVersion": "1.0.0", "ips": []}'
		105 fake echo '{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.5/33"}]}'
	S
	[ -z "${SOAK:-}" ] || is_killed_after_a_minute
}

@test "plugins#568: IPAM fails on DEL: all else is clean, the error is told, the next DEL tries again" {
	fake <<-'S'
		[ $CNI_COMMAND != ADD ] || echo "$result"
		[ $CNI_COMMAND != DEL ] || [ ! -e broken ] || { echo '{"cniVersion": "1.0.0", "code": 77, "msg": "no lease server"}'; exit 1; }
	S
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	take -x '*/attachments/*'
	works ADD pod1 <"$CONF"
	: >"$FAKES/broken"
	for again in 1 2; do
		plugin DEL pod1 <"$CONF"
		refused 77 'ipam: no lease server'
		same -x '*/attachments/*'
		is "$(find "$NODE_STATE"/*/attachments -name '*.json' | wc -l)" 2
	done
	rm "$FAKES/broken"
	works DEL pod1 <<<'{"cniVersion": "1.0.0", "name": "n10100", "type": "hbr-l2"}'
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	same
	is "$(jq -c .ipam "$FAKES/stdin.DEL")" '{"extra":"x","type":"fake"}'
}

@test "lxc#3047, plugins#561: IPAM inherits 0, 1 and 2, and a child of it holds no lock" {
	fake <<-'S'
		ls /proc/self/fd | xargs >fds
		sleep 50 >/dev/null 2>&1 </dev/null &
		echo $! >>children
		[ $CNI_COMMAND != ADD ] || echo "$result"
	S
	begun=$SECONDS
	works ADD pod1 <"$CONF"
	is "$(<"$FAKES/fds")" '0 1 2 3' # the last one is of ls
	CONTAINERID=another works DEL pod1 net2 <"$CONF"
	works DEL pod1 <"$CONF"
	[ $((SECONDS - begun)) -lt 15 ]
	xargs kill <"$FAKES/children"
	same
}
