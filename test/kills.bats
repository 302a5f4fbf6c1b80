#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=storm
# weight: 281
# kill -9 before every change that ADD and DEL make: a netlink request, a file or directory that is made,
# written, renamed or removed, a child that begins or ends. DEL, or "hbrctl gc" where no DEL comes, leaves
# nothing; and one attachment that stays loses no packet meanwhile. What takes long is killed at every second
# change, or at fewer (EVERY=N: at every N-th of all); soak has them all, a PART in each round.

load helpers
load modes
load vrf
load frr.bash
load injection
load kills.bash
load pinger

FEW=${EVERY:-9} SOME=${EVERY:-2} ALL=${EVERY:-1}

# pod2 is silent: what a bridge learns from a pod that stays is no leftover.
setup_file() {
	need vrf vlan
	node_up
	pinger_start
	pod_add pod1
	silent_pod pod2
	lease
}
teardown_file() {
	pinger_end
	frr_stop hbr
	node_down
}
setup() {
	CONF=$BATS_TEST_TMPDIR/conf CNI_PATH=$BATS_FILE_TMPDIR
	remember
}
# The test that comes next is not to fail with this one.
teardown() {
	[ "${BATS_TEST_COMPLETED:-}" != 1 ] || return 0
	for pod in pod1 pod2; do plugin DEL $pod <<<'{"cniVersion": "1.0.0", "name": "any", "type": "any"}'; done
}

@test "sriov-cni#212: hbr-l2 on a bridge, with IPAM, killed at every change: DEL is clean" {
	what='bridge, IPAM'
	l2 10100 "\"vlan\": 100, $IPAM" >"$CONF"
	struck ADD "$ALL"
	struck DEL "$ALL"
}

@test "sriov-cni#212: hbr-l2 with a gateway, in a VRF, killed at every change: DEL is clean" {
	what='gateway, VRF'
	as gateway
	way gateway 1 >"$CONF"
	struck ADD "$SOME"
	struck DEL "$SOME"
}

@test "sriov-cni#212: hbr-vrf, with IPAM, killed at every change: DEL is clean" {
	what='VRF, IPAM'
	as routed
	l3 red "\"vni\": 5000, $IPAM" >"$CONF"
	struck ADD "$ALL"
	struck DEL "$ALL"
}

@test "sriov-cni#212: macvlan and direct, in a domain that another pod keeps, killed at every change: DEL is clean" {
	local empty=$before
	for what in macvlan direct; do
		conf $what '{"vrf": "hbr", "addresses": [{"address": "10.1.0.1/24"}, {"address": "fd00:1::1/64"}]}' >"$CONF"
		works ADD pod2 < <(conf $what '{"vrf": "hbr"}')
		remember
		struck ADD "$ALL"
		struck DEL "$ALL"
		works DEL pod2 < <(conf $what)
		before=$empty
		clean
	done
}

# The pod dies too, and nobody calls DEL. What hbrctl says of it is in hbrctl-gc.bats.
collect() {
	pod_del pod1
	until_true 10 no_ports || return 1
	CNI_PATH=$CNI_PATH "$PLUGINS_DIR/sbin/hbrctl" gc >"$BATS_TEST_TMPDIR/collected" 2>&1 3>&- 4>&- || { cat "$BATS_TEST_TMPDIR/collected" >&2; return 1; }
	pod_add pod1
}
no_ports() { is "$(cd /sys/class/net && echo pv*)" "$PORTS" 2>/dev/null; }

@test "killed with its pod, at every change: hbrctl gc is clean" {
	local PORTS mend=collect
	PORTS=$(cd /sys/class/net && echo pv*)
	what='bridge, gc'
	l2 10100 "\"vlan\": 100, $IPAM" >"$CONF"
	struck ADD "$FEW"
	struck DEL "$FEW"
	what='VRF, gc'
	as routed
	way routed 1 >"$CONF"
	struck ADD "$FEW"
	struck DEL "$FEW"
}

told() { frr_says hbr 'show running-config' 'show vrf' | sed '1,/^service integrated/d; s/ id [0-9]* / /'; }
untold() { until_true 5 is_untold || { told | diff -U0 "$BATS_TEST_TMPDIR/told" - >&2; return 1; }; }
is_untold() { told | cmp -s "$BATS_TEST_TMPDIR/told" -; }

@test "where FRR is told, both plugins killed at every change: DEL is clean, in FRR too" {
	local which
	eval "looks_$(declare -f clean)"
	clean() { looks_clean && untold; }
	frr_start hbr
	frr_evpn hbr
	printf '{"frr": {"vtySocketDir": "%s"}}\n' "$FRR_DIR/hbr" >/etc/hbr-cni/node.json
	told >"$BATS_TEST_TMPDIR/told"
	remember
	for which in routed gateway; do
		what="$which, FRR"
		as $which
		way $which 1 >"$CONF"
		[ $which = gateway ] || l3 red "\"vni\": 5000, $IPAM" >"$CONF"
		struck ADD "${EVERY:-40}"
		struck DEL "${EVERY:-40}"
	done
	frr_stop hbr
	rm /etc/hbr-cni/node.json
}

@test "one attachment that stays lost no packet meanwhile" {
	pinger_stop
}
