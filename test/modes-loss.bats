#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 71
# However a pod is attached: what is left of it when something under it goes, and what DEL makes of
# that.

load helpers
load modes

@test "KubeVirt: DEL finds the pod's interface under another name, and leaves whatever has its name now" {
	local mode
	for mode in $MODES; do
		join "$mode" pod2 2 # else a macvlan goes with the VLAN under it
		settled
		join "$mode" pod1 1
		ip -n pod1 -batch - <<-B
			link set net1 down
			link set net1 name net1-nic
			link set net1-nic address 02:00:00:00:00:99
			link add net1 type dummy
		B
		leave pod1
		is "$(ip -n pod1 -json -details link | jq -c 'map([.ifname, .linkinfo.info_kind])')" '[["lo",null],["net1","dummy"]]'
		ip -n pod1 link del net1
		unchanged
		leave pod2
	done
}

@test "a macvlan of somebody else's in the pod stays, whatever it is called" {
	settled
	ip link add link tr name net1 netns pod1 type macvlan mode bridge
	ip link add link tr name net2 netns pod1 group 1744840564 type macvlan mode bridge
	ip -n pod1 link set net2 alias hbr-cni:hbr-2:port:c-pod1/net1
	plugin ADD pod1 < <(conf macvlan)
	refused 102 'interface net1 already exists in /run/netns/pod1'
	CONTAINERID=c-pod1 works ADD pod1 net3 < <(conf macvlan)
	works DEL pod1 net3 < <(conf macvlan)
	leave pod1
	is "$(ip -n pod1 -json link | jq -c 'map(.ifname) | sort')" '["lo","net1","net2"]'
	unchanged
}

@test "cni#548: DEL when the pod's namespace is gone, and when it is another one by now" {
	local mode NETNS
	settled
	for mode in $MODES; do
		for NETNS in '' /run/netns/pod1; do
			NETNS=/run/netns/pod1 join "$mode" pod1 1
			pod_del pod1
			leave pod1
			unchanged
			pod_add pod1
		done
		join "$mode" pod1 1
		pod_del pod1
		pod_add pod1
		ip -n pod1 link add net1 type dummy
		leave pod1
		has_link pod1 net1
		unchanged
		ip -n pod1 link del net1
	done
}

# checks TEXT RESULT MODE: CHECK of pod1 says so.
checks() {
	plugin CHECK pod1 < <(conf "$3" "{\"prevResult\": $2}")
	refused 106 "$1"
}

@test "what the pod's interface stands on is gone: CHECK says which, DEL succeeds" {
	local result port
	settled
	works ADD pod1 < <(conf macvlan)
	result=$out
	ip -n pod1 link set net1 type macvlan mode private
	checks 'macvlan net1 in the pod has mode 1, wanted 4' "$result" macvlan
	ip -n pod1 link set net1 type macvlan mode bridge
	ip -n pod1 link set net1 mtu 1400
	plugin CHECK pod1 < <(conf macvlan "{\"cniVersion\": \"1.1.0\", \"prevResult\": $(jq '.cniVersion = "1.1.0" | .interfaces[0].mtu = 1500' <<<"$result")}")
	refused 106 'net1 in the pod has mtu 1400, wanted 1500'
	ip link del tr.100
	no_link pod1 net1
	checks 'vlan tr.100 in the host is missing' "$result" macvlan
	leave pod1
	unchanged

	join direct pod1 1
	result=$out
	port=$(port hbr)
	ip -n hbr link set "$port" nomaster
	checks "veth $port in the HBR netns has master none, wanted br.10100" "$result" direct
	ip -n hbr link set "$port" master br.10100
	ip -n hbr link set "$port" down
	checks "veth $port in the HBR netns is down, wanted up" "$result" direct
	ip -n hbr link set "$port" up
	checks "the static forwarding entry of $(jq -r '.interfaces[0].mac' <<<"$result") on $port in the HBR netns is missing" "$result" direct
	ip -n hbr link del br.10100
	checks 'bridge br.10100 in the HBR netns is missing' "$result" direct
	leave pod1
	unchanged
}

@test "multus-cni#1008: the VLAN under macvlan pods goes: CHECK says so, the next ADD makes it again, and each DEL counts" {
	local result
	settled
	works ADD pod1 < <(conf macvlan)
	result=$out
	join macvlan pod2 2
	ip link del tr.100
	no_link pod1 net1
	no_link pod2 net1
	checks 'vlan tr.100 in the host is missing' "$result" macvlan
	pod_add pod3
	join macvlan pod3 3
	checks 'net1 in the pod is missing' "$result" macvlan
	ip -n hbr addr add 10.1.0.254/24 dev br.10100
	leave pod1
	leave pod2
	reaches pod3 10.1.0.254
	pod_add pod4
	join macvlan pod4 4
	leave pod3
	reaches pod4 10.1.0.254
	leave pod4
	unchanged
	pod_del pod3 pod4
}

# The HBR netns goes, and another one of that name comes.
kill_hbr() {
	ip netns del hbr
	until_true 5 eval '[ ! -e /sys/class/net/hbn ] && ! has_link spine sp1'
}
RANDOM_MACS=(-x '*link tr *' -x '*link hbn *' -x '*link hbr *' -x '*fdb tr *' -x '*fdb hbn *')

@test "openperouter#463: the HBR netns is gone: what is left of a pod, DEL then, and ADD in the next one" {
	local mode
	snapshot_take "${RANDOM_MACS[@]}"
	for mode in $MODES; do
		join "$mode" pod1 1
		join "$mode" pod2 2
		kill_hbr
		[ "$mode" = bridge ] || until_true 5 no_link pod1 net1 2>/dev/null
		leave pod1
		node_up
		# The domain is made again by the next ADD; the dead pod's part of it is DELeted any time.
		pod_add pod3
		join "$mode" pod3 3
		leave pod2
		join "$mode" pod2 2
		reach pod2 3
		leave pod2
		leave pod3
		pod_del pod3
		snapshot_same "${RANDOM_MACS[@]}"
	done
}

# The trunk's end in the host is a port of a bridge.
trunk_bridge() {
	node_file '{"hostTrunk": "trunk0"}'
	ip -batch - <<-B
		link add trunk0 mtu 1500 address 02:00:00:00:01:00 type bridge ${1:-}
		link set trunk0 addrgenmode none
		link set tr master trunk0
		link set trunk0 up
	B
}

@test "a host trunk that is a bridge: macvlan pods survive the HBR netns, and are reached again" {
	local before index
	trunk_bridge
	join macvlan pod1 1
	join macvlan pod2 2
	reach pod1 2 1500
	is "$(fact host tr.100 '[.link, .master]')" '["trunk0",null]'
	index=$(fact host tr.100 .ifindex)
	before=$(ip -n pod1 -json addr show dev net1 | jq -c '.[0] | [.ifindex, .address, (.addr_info | map(.local))]')
	kill_hbr
	is "$(fact host tr.100 .ifindex)" "$index"
	is "$(ip -n pod1 -json addr show dev net1 | jq -c '.[0] | [.ifindex, .address, (.addr_info | map(.local))]')" "$before"
	node_up
	ip link set tr master trunk0
	pod_add pod3
	join macvlan pod3 3
	is "$(fact host tr.100 .ifindex)" "$index"
	reach pod1 3 1500
	ip -n hbr addr add 10.1.0.254/24 dev br.10100
	reaches pod1 10.1.0.254 1500
	leave pod1
	leave pod2
	leave pod3
	is "$(picture host hbr)" ''
	has_link host trunk0
}

@test "a VLAN-aware bridge as host trunk: macvlan gets the VLAN added there, and taken away at the end" {
	trunk_bridge 'vlan_filtering 1'
	bridge vlan add dev tr vid 100
	join macvlan pod1 1
	is "$(bridge -json vlan show dev trunk0 | jq -c '[.[0].vlans[].vlan]')" '[1,100]'
	ip -n hbr addr add 10.1.0.254/24 dev br.10100
	reaches pod1 10.1.0.254 1500
	leave pod1
	is "$(bridge -json vlan show dev trunk0 | jq -c '[.[0].vlans[].vlan]')" '[1]'
	join direct pod1 1
	is "$(bridge -json vlan show dev trunk0 | jq -c '[.[0].vlans[].vlan]')" '[1]'
}

@test "the state is lost: DEL finds port and domain by their marks; under a macvlan the VLAN stays" {
	settled
	join direct pod1 1
	rm -r "$NODE_STATE"
	join direct pod1 1 '{}' DEL
	unchanged

	join macvlan pod1 1
	rm -r "$NODE_STATE"
	join macvlan pod1 1 '{}' DEL
	no_link pod1 net1
	# Others may be on it, in namespaces that nobody sees.
	has_link host tr.100
	# The next pod's record knows again.
	join macvlan pod2 2
	leave pod2
	unchanged
}

@test "multus: a dead pod's attachment is reaped by the next call, also without a port on the node" {
	local mode
	settled
	for mode in $MODES; do
		join "$mode" pod1 1
		pod_del pod1
		join "$mode" pod2 2
		is "$(find "$NODE_STATE" -path "*/attachments/*" | wc -l)" 1
		leave pod2
		unchanged
		pod_add pod1
	done
}

@test "a dead pod that only its holder is left of says nothing of how the next one is attached" {
	local mode other
	settled
	for mode in $MODES; do
		for other in $MODES; do
			[ "$mode" != "$other" ] || continue
			join "$mode" pod1 1
			rm "$NODE_STATE"/*/attachments/*.json
			pod_del pod1
			join "$other" pod2 2
			is "$(fact pod2 net1 .linkinfo.info_kind)" "$([ "$other" = macvlan ] && echo '"macvlan"' || echo '"veth"')"
			is "$(picture host | grep -c '^host [bt]r')" "$(case "$other" in bridge) echo 2 ;; macvlan) echo 1 ;; direct) echo 0 ;; esac)"
			leave pod2
			unchanged
			pod_add pod1
		done
	done
}
