#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 153
# Pods on a macvlan, and wired directly: each netlink request of ADD and DEL fails once. What holds
# for a pod on a bridge is tried in faults.bats.

load helpers
load modes
load injection

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
# Nothing is in the pod, under whatever name.
bare() { is "$(at "$1" sh -c 'cd /sys/class/net && echo *')" lo; }

clean() { bare pod1 && snapshot_same "${SETTLING[@]}"; }

# A macvlan's VLAN is to be found.
keys() { # MODE
	conf "$1" '{"vrf": "hbr", "promisc": true, "addresses": [{"address": "10.1.0.1/24"}, {"address": "fd00:1::1/64"}],
		"routes": [{"dst": "10.2.0.0/16", "gw": "10.1.0.254"}]}' |
		jq -c "$([ "$1" = direct ] && echo '.macspoofchk = true' || echo 'del(.vlan)')" >"$CONF"
}

cold() {
	keys "$1"
	attached
	clean
}

warm() {
	keys "$1"
	silent pod3
	works ADD pod3 < <(conf "$1" '{"vrf": "hbr"}')
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	snapshot_take "${SETTLING[@]}"
	attached
	clean
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	works DEL pod3 < <(conf "$1")
	pod_del pod3
	clean
}

gone() {
	keys "$1"
	detached
	clean
}

@test "macvlan, ADD of a new domain: each netlink request fails once, and nothing is left" { cold macvlan; }

@test "direct, ADD of a new domain: each netlink request fails once, and nothing is left" { cold direct; }

@test "macvlan, ADD to a domain in use: each netlink request fails once, and nothing is left" { warm macvlan; }

@test "direct, ADD to a domain in use: each netlink request fails once, and nothing is left" { warm direct; }

@test "macvlan, DEL: each netlink request fails once, says so, and the next DEL is clean" { gone macvlan; }

@test "direct, DEL: each netlink request fails once, says so, and the next DEL is clean" { gone direct; }
