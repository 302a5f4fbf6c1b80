#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 294
# VRFs that FRR is told of, by both plugins: FRR refuses, hangs, is gone, and who calls it dies, at every
# place where that is possible. What is said to FRR is in frr.bats.

# shellcheck disable=SC2016 # other shells' variables in single quotes
load helpers
load vrf
load frr.bash

setup_file() {
	need vrf vlan
	node_up
	frr_start hbr
	frr_evpn hbr
	told >"$BATS_FILE_TMPDIR/told"
}
teardown_file() {
	frr_stop hbr
	node_down
}

setup() {
	CONF=$BATS_TEST_TMPDIR/conf
	pod_add pod1 pod2
	node_file
	take
}
# The test that comes next is not to fail with this one.
teardown() {
	[ "${BATS_TEST_COMPLETED:-}" != 1 ] || { pod_del pod1 pod2; return; }
	node_file
	for pod in pod1 pod2; do vrf plugin DEL $pod <<<"$STRIPPED"; done
	frr_stop hbr && node_down
	node_up && frr_start hbr && frr_evpn hbr
}

STRIPPED='{"cniVersion": "1.0.0", "name": "stripped", "type": "any"}'

# What FRR and pods change by themselves.
ALIVE=(-x '*fdb * dynamic *' -x '*neighbour * dynamic *' -x '* rp_filter *')
take() { snapshot_take "${ALIVE[@]}" "$@"; }

# "show vrf" has what the configuration does not; what the kernel did is seen a moment later.
told() { frr_says hbr 'show running-config' 'show vrf' | sed '1,/^service integrated/d; s/ id [0-9]* / /'; }
is_untold() { told | cmp -s "$BATS_FILE_TMPDIR/told" -; }
untold() { until_true 5 is_untold || { told | diff -U0 "$BATS_FILE_TMPDIR/told" - >&2; }; }
restored() { snapshot_same "${ALIVE[@]}" "$@" && untold; }

node_file() { # [KEYS]: of "frr", as JSON text
	printf '{"frr": {"vtySocketDir": "%s"%s}}\n' "$FRR_DIR/hbr" "${1:+, $1}" >/etc/hbr-cni/node.json
}

#
# fake_vtysh: vtysh, but its call number N fails as the file "fault" in the test's directory says, "N HOW":
#
#	line=K   of what FRR is told at once, the K-th line is refused; the lines before it are told
#	half     half of its lines are told, then the caller is killed
#	before   the caller is killed before anything is said
#	after    the caller is killed after all is said
#	hang     all is said, and then it does not end
#
# "calls" has a line for each call: how many commands.
#
fake_vtysh() {
	cat >"$BATS_TEST_TMPDIR/vtysh" <<-'E'
		#!/bin/sh
		cd "${0%/*}" || exit
		n=0
		echo $((($# - 3) / 2)) >>calls
		while read -r _; do n=$((n + 1)); done <calls
		read -r at how <fault
		[ $n = "$at" ] || exec vtysh "$@"
		exec bash failing $how "$@"
	E
	cat >"$BATS_TEST_TMPDIR/failing" <<-'E'
		how=$1
		shift
		case $how in
		line=*)
			args=("$@") at=$((4 + 2 * ${how#*=}))
			echo "${args[at]}" >refused
			vtysh "${args[@]:0:at - 1}"
			echo "host(config)# ${args[at]}"
			echo '% Not today'
			exit 1
			;;
		half) vtysh "${@:1:3 + ($# - 3) / 4 * 2}" ;;
		after) vtysh "$@" >/dev/null ;;
		hang)
			vtysh "$@"
			exec sleep 100
			;;
		esac
		kill -KILL $PPID
	E
	chmod +x "$BATS_TEST_TMPDIR/vtysh"
	node_file "\"vtysh\": \"$BATS_TEST_TMPDIR/vtysh\""
	fault 0
}
fault() { echo "$*" >"$BATS_TEST_TMPDIR/fault"; : >"$BATS_TEST_TMPDIR/calls"; }
calls() { mapfile -t counted <"$BATS_TEST_TMPDIR/calls"; }

mapped() { frr_says hbr 'show vrf vni json' | jq -c '[.vrfs[] | [.vrf, .vni, .state]] | sort'; }
is_mapped() { is "$(mapped)" "$1" 2>/dev/null; }

@test "FRR refuses line k, for each k: ADD says which, and nothing of it stays in the kernel or in FRR" {
	local k=0 lines which
	fake_vtysh
	for which in routed gateway; do way $which 1 >"$BATS_TEST_TMPDIR/$which"; done
	# The last command asks whether FRR has it by now.
	until [ "$k" = "${lines:-x}" ]; do
		k=$((k + 1))
		if ((k % 2)); then which=routed; else which=gateway; fi
		as $which
		fault 2 line=$k
		plugin ADD pod1 <"$BATS_TEST_TMPDIR/$which"
		calls
		lines=$((counted[1] - 3)) # but for "configure terminal", "end" and the question
		refused 108 'VRF red in FRR: FRR refused line ' ", \"$(<"$BATS_TEST_TMPDIR/refused")\": Not today"
		no_link pod1 net1
		restored || { echo "line $k" >&2; return 1; }
	done
	echo "# lines refused: $k" >&3
	[ "$k" -gt 25 ]
}

# both COMMAND...: with each plugin's network in CONF.
both() {
	local which
	for which in routed gateway; do
		as $which
		way $which 1 >"$CONF"
		"$@" || { echo "$which" >&2; return 1; }
	done
}

# will_not CODE TEXT...: ADD says so, and leaves nothing.
will_not() {
	plugin ADD pod1 <"$CONF"
	refused "$@" && no_link pod1 net1 && snapshot_same "${ALIVE[@]}"
}

@test "vtysh is missing: ADD leaves nothing; DEL takes the links away, says so, and can be tried again" {
	as routed
	way routed 1 >"$CONF"
	works ADD pod1 <"$CONF"
	node_file '"vtysh": "/nowhere/vtysh"'
	plugin DEL pod1 <"$CONF"
	refused 108 'VRF red in FRR: running /nowhere/vtysh: does not exist'
	no_link pod1 net1
	no_link hbr red
	node_file
	works DEL pod1 <"$CONF"
	restored
	node_file '"vtysh": "/nowhere/vtysh"'
	both will_not 108 'VRF red in FRR: running /nowhere/vtysh: does not exist'
}

# DEL takes another 10 s.
@test "vtysh hangs: ADD and DEL end after 10 s with code 11; ADD leaves nothing, DEL can be tried again" {
	fake_vtysh
	as routed
	way routed 1 >"$CONF"
	fault 2 hang
	plugin ADD pod1 <"$CONF"
	refused 11 "VRF red in FRR: $BATS_TEST_TMPDIR/vtysh has not ended after 10000 ms and was killed"
	no_link pod1 net1
	restored
	[ -n "${SOAK:-}" ] || return 0
	as gateway
	way gateway 1 >"$CONF"
	works ADD pod1 <"$CONF"
	fault 2 hang
	plugin DEL pod1 <"$CONF"
	refused 11 "VRF red in FRR: $BATS_TEST_TMPDIR/vtysh has not ended after 10000 ms and was killed"
	no_link hbr red
	works DEL pod1 <"$CONF"
	restored
}

@test "FRR without EVPN, without BGP: a clear error, and nothing is left" {
	frr_says hbr 'configure terminal' 'router bgp 65001' 'address-family l2vpn evpn' 'no advertise-all-vni'
	both will_not 108 'VRF red in FRR: FRR has no EVPN instance: wanted "advertise-all-vni"'
	frr_says hbr 'configure terminal' 'no router bgp 65001'
	both will_not 108 'VRF red in FRR: FRR has no BGP instance: wanted "router bgp AS"'
	frr_evpn hbr
	restored
}

@test "FRR is down: ADD says so and leaves nothing, DEL warns and removes the pod; started again it is told anew" {
	works_again() { works ADD pod1 <"$CONF" && works DEL pod1 <"$CONF" && restored; }
	vrf works ADD pod1 < <(way routed 1)
	bridged works ADD pod2 < <(way gateway 2 blue 5001)
	frr_stop hbr bgpd
	vrf plugin ADD pod1 net2 < <(l3 green '"vni": 5002')
	refused 108 'VRF green in FRR: FRR refused line 2, "show bgp vrfs json": bgpd is not running'
	# zebra's part of it goes.
	bridged works DEL pod2 <<<"$STRIPPED"
	no_link hbr blue
	lacks "$(frr_running hbr)" blue
	frr_stop hbr zebra
	vrf works DEL pod1 <<<"$STRIPPED"
	contains "$err" 'warning: VRF red: FRR is not running: what it was told of it is gone'
	snapshot_same "${ALIVE[@]}"
	both will_not 108 "VRF red in FRR: FRR is not running, or its sockets are not in $FRR_DIR/hbr"
	frr_start hbr
	frr_evpn hbr
	both works_again
}

@test "FRR that was started anew refuses when it is told again: the new pod is undone, the old one stays, the next ADD mends it" {
	fake_vtysh
	vrf works ADD pod1 < <(way routed 1)
	frr_stop hbr
	frr_start hbr
	frr_evpn hbr
	fault 3 line=20 # does it know, what does it know, then it is told
	bridged plugin ADD pod2 < <(way gateway 2)
	refused 108 ", \"$(<"$BATS_TEST_TMPDIR/refused")\": Not today"
	no_link pod2 net1
	no_link hbr br.10100
	has_link pod1 net1
	fault 0
	bridged works ADD pod2 < <(way gateway 2)
	until_true 10 is_mapped '[["red",5000,"Up"]]' || { mapped >&2; false; }
	vrf works DEL pod1 <<<"$STRIPPED"
	bridged works DEL pod2 <<<"$STRIPPED"
	restored
}

#
# killed VERB "CALL WHEN"...: VERB is killed there, and DEL after it leaves nothing, in FRR neither.
#
killed() {
	local verb=$1 at
	shift
	for at; do
		fault 0
		[ "$verb" = ADD ] || works ADD pod1 <"$CONF" || return 1
		fault "$at"
		plugin "$verb" pod1 <"$CONF"
		is "$status" 137 || { echo "$verb at $at: $out" >&2; return 1; }
		fault 0
		works DEL pod1 <"$CONF"
		restored || { echo "$verb killed at vtysh $at" >&2; return 1; }
	done
	echo "# $verb of ${PLUGIN##*/} killed $# times around vtysh" >&3
}

# A call's end is the next one's beginning.
@test "ADD killed before, within and after each vtysh: DEL leaves nothing, in FRR neither" {
	fake_vtysh
	as routed
	way routed 1 >"$CONF"
	killed ADD '1 before' '2 before' '2 half' '2 after'
	as gateway
	way gateway 1 >"$CONF"
	killed ADD '2 half' ${SOAK:+'1 before' '2 before' '2 after'}
}

@test "DEL killed before, within and after each vtysh: the next DEL leaves nothing, in FRR neither" {
	fake_vtysh
	as routed
	way routed 1 >"$CONF"
	killed DEL '2 before' '2 half' '3 before' '4 half' '4 after' ${SOAK:+'1 before' '4 before'}
	as gateway
	way gateway 1 >"$CONF"
	killed DEL '3 before' ${SOAK:+'2 half' '4 after'}
}

@test "a netlink request fails after FRR was told: FRR is told to forget, and nothing is left" {
	local n after
	as routed
	way routed 1 >"$CONF"
	WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/strace" -e 'trace=sendmsg,clone,clone3,fork,vfork' -e raw=all)
	works ADD pod1 <"$CONF"
	works DEL pod1 <"$CONF"
	works ADD pod1 <"$CONF"
	WRAP=()
	works DEL pod1 <"$CONF"
	n=$(grep -c '^sendmsg' "$BATS_TEST_TMPDIR/strace")
	after=$(tac "$BATS_TEST_TMPDIR/strace" | sed '/^sendmsg/!q' | grep -c '^sendmsg')
	echo "# requests of ADD: $n, after FRR was told: $after" >&3
	[ "$after" -gt 5 ]
	[ "$after" -lt "$n" ]
	for at in $((n - after + 1)) $((n - after + 2)) $((n - 1)) "$n"; do
		WRAP=(strace -qq -o /dev/null -e trace=sendmsg -e raw=all -e "inject=sendmsg:error=ENOBUFS:when=$at")
		plugin ADD pod1 <"$CONF"
		WRAP=()
		refused 101 ''
		restored || { echo "request $at" >&2; return 1; }
	done
}

# all VERB VRF VNI...: 16 pods at once, dealt out over the VRFs and both plugins.
all() {
	local verb=$1 n at
	shift
	for ((n = 1; n <= 16; n++)); do
		at=$((n % ($# / 2) * 2 + 1))
		if ((n / 2 % 2)); then as routed; else as gateway; fi
		case $PLUGIN in
		*/hbr-vrf) way routed $n "${@:at:2}" ;;
		*) way gateway $n "${@:at:2}" ;;
		esac >"$BATS_TEST_TMPDIR/conf.$n"
		begin $n "$verb" many$n <"$BATS_TEST_TMPDIR/conf.$n"
	done
	end
}
slaves() { ip -n hbr -json link show master "$1" | jq -c '[(map(select(.ifname | startswith("pv"))) | length), (map(.ifname | select(startswith("br"))) | sort)]'; }

@test "16 pods at once, by both plugins, on one VRF and on two: one VRF each, told once, all gone after 16 DELs at once" {
	local -a names
	mapfile -t names < <(seq -f many%g 1 16)
	pod_add "${names[@]}"
	fake_vtysh
	all ADD red 5000
	is "$(slaves red)" '[8,["br.10100","br.5000"]]'
	until_true 10 is_mapped '[["red",5000,"Up"]]' || { mapped >&2; false; }
	is "$(awk '$1 > 20' "$BATS_TEST_TMPDIR/calls" | wc -l)" 1
	all DEL red 5000
	restored
	fault 0
	all ADD red 5000 blue 5001
	is "$(slaves red) $(slaves blue)" '[4,["br.10100","br.5000"]] [4,["br.10101","br.5001"]]'
	until_true 10 is_mapped '[["blue",5001,"Up"],["red",5000,"Up"]]' || { mapped >&2; false; }
	is "$(awk '$1 > 20' "$BATS_TEST_TMPDIR/calls" | wc -l)" 2
	all DEL red 5000 blue 5001
	restored
	pod_del "${names[@]}"
}

@test "the last DEL against the first ADD of a VRF, by the other plugin: it is there, in FRR too" {
	local round old=routed new=gateway
	as $old
	works ADD pod1 < <(way $old 1)
	for ((round = 0; round < ${ROUNDS:-2}; round++)); do
		as $old
		begin old DEL pod1 < <(way $old 1)
		as $new
		begin new ADD pod2 < <(way $new 2)
		end
		until_true 10 is_mapped '[["red",5000,"Up"]]' || { mapped >&2; false; }
		as $new
		begin new DEL pod2 < <(way $new 2)
		as $old
		begin old ADD pod1 < <(way $old 1)
		end
		until_true 10 is_mapped '[["red",5000,"Up"]]' || { mapped >&2; false; }
	done
	works DEL pod1 < <(way $old 1)
	restored
}

@test "the state is lost: DEL takes back what FRR was told of a VRF, with a VNI and without" {
	local keys
	for keys in '"vni": 5000' '"table": 7, "importVrfs": ["blue"]' '"importVrfs": ["blue"]'; do
		vrf works ADD pod1 < <(l3 red "$keys")
		contains "$(frr_running hbr)" 'router bgp 65001 vrf red'
		rm -r "$NODE_STATE"
		vrf works DEL pod1 <<<"$STRIPPED"
		rm -rf "$NODE_STATE"
		no_link hbr red
		untold
	done
	as gateway
	works ADD pod1 < <(way gateway 1)
	: >"$(echo "$NODE_STATE"/hbr-*/domains/vrf-red/domain.json)"
	works DEL pod1 <<<"$STRIPPED"
	untold
}

@test "HBR netns and FRR are made again: the next ADD tells FRR anew, and the DELs leave nothing" {
	local RANDOM_MACS=(-x '*link tr *' -x '*link hbn *' -x '*link hbr *' -x '*fdb tr *' -x '*fdb hbn *')
	take "${RANDOM_MACS[@]}"
	vrf works ADD pod1 < <(way routed 1)
	bridged works ADD pod2 < <(way gateway 2)
	frr_stop hbr
	ip netns del hbr
	until_true 5 eval '[ ! -e /sys/class/net/tr ] && ! has_link spine sp1'
	node_up
	frr_start hbr
	frr_evpn hbr
	pod_add pod3
	bridged works ADD pod3 < <(way gateway 3)
	until_true 10 is_mapped '[["red",5000,"Up"]]' || { mapped >&2; false; }
	reaches pod2 10.1.0.1
	vrf works DEL pod1 <<<"$STRIPPED"
	bridged works DEL pod2 <<<"$STRIPPED"
	bridged works DEL pod3 <<<"$STRIPPED"
	pod_del pod3
	restored "${RANDOM_MACS[@]}"
}
