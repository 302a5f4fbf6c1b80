#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=fabric
# weight: 30
# Two nodes with FRR: what the plugins make on one is known and reached on the other.
load helpers
load fabric

setup_file() {
	need vrf vlan
	fabric_up
	network red hbr-vrf '{"vrf": "red", "vni": 5000, "routes": [{"dst": "10.0.0.0/8"}, {"dst": "fd00::/8"}]}'
	network blue hbr-l2 '{"vni": 10100, "vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24", "fd01::1/64"], "routes": [{"dst": "10.0.0.0/8", "gw": "10.1.0.1"}, {"dst": "fd00::/8", "gw": "fd01::1"}]}'
	network green hbr-l2 '{"vni": 10200, "vrf": {"name": "red", "vni": 5000}, "gateway": ["10.2.0.1/24", "fd02::1/64"], "routes": [{"dst": "10.0.0.0/8", "gw": "10.2.0.1"}, {"dst": "fd00::/8", "gw": "fd02::1"}]}'
	network plain hbr-l2 '{"vni": 10300, "attach": "macvlan"}'
	network direct hbr-l2 '{"vni": 10300, "attach": "direct"}'
}
teardown_file() { fabric_down; }

setup() {
	pod_add pod1 pod2 pod3
	fabric_take
}
teardown() {
	pod_del pod1 pod2 pod3 2>/dev/null || :
	fabric_mend
}

@test "pods of one VRF on two nodes, IPv4 and IPv6: type-5 routes, no type-3, no default; all withdrawn" {
	on 1 add red pod1 10.9.0.1/24 fd09::1/64
	on 2 add red pod2 10.9.0.2/24 fd09::2/64
	within hbr2 5 '10.9.0.1'
	within hbr2 5 'fd09::1'
	reaches pod1 10.9.0.2
	reaches pod2 fd09::1
	reaches pod1 10.9.0.2 1500
	is "$(evpn hbr 3)" ''
	lacks "$(evpn hbr2 5)" '[0]:[0]'
	lacks "$(evpn hbr2 5)" '169.254.1.1'
	on 1 del red pod1
	gone_from hbr2 5 '10.9.0.1'
	on 2 del red pod2
	fabric_same
}

@test "pods of two domains of a VRF on two nodes: routed by the anycast gateway of each; a silent pod is known" {
	on 1 add blue pod1 10.1.0.5/24 fd01::5/64
	started=${EPOCHREALTIME/./}
	within hbr2 2 '10.1.0.5'
	echo "# MAC/IP at the peer after $(((${EPOCHREALTIME/./} - started) / 1000)) ms" >&3
	within hbr2 2 'fd01::5'
	on 2 add green pod2 10.2.0.6/24 fd02::6/64
	reaches pod2 10.1.0.5
	reaches pod2 fd01::5
	reaches pod1 10.2.0.1
	on 2 del green pod2
	on 1 del blue pod1
	gone_from hbr2 2 '10.1.0.5'
	fabric_same
}

@test "one domain on two nodes: the gateway has the same MAC on both, pods are bridged, the last DEL withdraws the type-3" {
	on 1 add blue pod1 10.1.0.5/24 fd01::5/64
	on 2 add blue pod2 10.1.0.6/24 fd01::6/64
	is "$(fact hbr br.10100 .address)" "$(fact hbr2 br.10100 .address)"
	reaches pod1 10.1.0.6 1500
	reaches pod2 fd01::5
	reaches pod1 10.1.0.1
	reaches pod2 10.1.0.1
	within hbr2 3 '10.0.0.1'
	on 1 del blue pod1
	gone_from hbr2 3 '10.0.0.1'
	on 2 del blue pod2
	fabric_same
}

@test "a domain without VRF, a macvlan on one node and a direct pod on the other, bridged with the full MTU" {
	on 1 add plain pod1 10.3.0.5/24 fd03::5/64
	on 2 add direct pod2 10.3.0.6/24 fd03::6/64
	within hbr2 2 "$(fact pod1 net1 -r .address 2>/dev/null || ip -n pod1 -json link show net1 | jq -r '.[0].address')"
	reaches pod1 10.3.0.6 1500
	reaches pod2 fd03::5 1500
	on 1 del plain pod1
	on 2 del direct pod2
	fabric_same
}

@test "FRR killed and started again: CHECK says what is lost, the next ADD tells it again, and its L3VNI is never an L2VNI" {
	on 1 add red pod1 10.9.0.1/24 fd09::1/64
	on 2 add red pod2 10.9.0.2/24 fd09::2/64
	reaches pod1 10.9.0.2
	SIGNAL=KILL frr_stop hbr
	gone_from hbr2 5 '10.9.0.1'
	fabric_frr hbr
	until_true 30 is_established hbr
	said=$(on 1 check red pod1 2>&1) && return 1
	contains "$said" 'FRR was started anew and has lost the VRF red'
	events=$BATS_TEST_TMPDIR/events
	ip -n hbr monitor link >"$events" 3>&- 4>&- &
	monitor=$!
	until_true 10 event hbr lo 65000
	on 1 add red pod3 10.9.0.3/24
	until_true 10 event hbr lo 65536
	kill "$monitor"
	is "$(grep -oE '(br|vx)\.5000: <[A-Z,_]*>' "$events" | sed 's/: <.*[<,]UP[,>].*/ up/; s/: <.*/ down/' | awk '!seen[$0]++' | sort)" 'br.5000 down
br.5000 up
vx.5000 down
vx.5000 up'
	for address in 10.9.0.1 fd09::1 10.9.0.3; do
		within hbr2 5 "$address"
	done
	gone_from hbr2 3 '10.0.0.1'
	reaches pod2 fd09::1
	reaches pod2 10.9.0.3
	on 1 check red pod1
	is "$(ip -n hbr -json link show up | jq -c 'map(.ifname) | map(select(. == "br.5000" or . == "vx.5000")) | sort')" '["br.5000","vx.5000"]'
	on 1 del red pod3
	on 1 del red pod1
	on 2 del red pod2
	fabric_same
}
