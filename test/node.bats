#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 45
# Every key of node.json has its effect on the kernel, and DEL takes that back.

# shellcheck disable=SC2016 # other shells' variables in single quotes
load helpers

setup() {
	need vrf vlan
	node_up
	pod_add pod
	NODE_FILE=$BATS_TEST_TMPDIR/node.json
	NETWORK='"cniVersion": "1.0.0", "name": "n", "vni": 10500'
}
teardown() { node_down; }

# node FILE; up [KEYS]; down [KEYS]: an ADD and a DEL on a node with that file.
node() { printf '%s' "$1" >"$NODE_FILE"; }
up() { works ADD pod <<<"{$NETWORK${1:+, $1}}"; }
down() { works DEL pod <<<"{$NETWORK${1:+, $1}}"; }

# effect FILE KEYS NETNS LINK FILTER WANTED: what a link is like, with that file and those keys.
effect() {
	node "$1"
	up "$2" || return 1
	is "$(fact "$3" "$4" "$5")" "$6" || { echo "with $1 $2" >&2; return 1; }
	down "$2"
}

@test "vtep, vxlanPort, mtu, uplinks, vlanRange, attach" {
	ip -n hbr -batch - <<-B
		addr add 10.0.0.7/32 dev lo
		addr add fd00::1/128 dev lo nodad
	B
	snapshot_take
	vxlan='[.linkinfo.info_data | (.local // .local6), .port] + [.mtu]'
	effect '{}' '' hbr vx.10500 "$vxlan" '["10.0.0.1",4789,1500]'
	effect '{"vtep": null, "nonsense": 1}' '' hbr vx.10500 "$vxlan" '["10.0.0.1",4789,1500]'
	effect '{"vtep": {"dev": "ul"}}' '' hbr vx.10500 "$vxlan" '["172.16.1.1",4789,1500]'
	effect '{"vtep": {"address": "10.0.0.7"}}' '' hbr vx.10500 "$vxlan" '["10.0.0.7",4789,1500]'
	effect '{"vtep": {"family": 6}}' '' hbr vx.10500 "$vxlan" '["fd00::1",4789,1480]'
	effect '{"vtep": {"address": "fd00::1"}}' '' hbr vx.10500 "$vxlan" '["fd00::1",4789,1480]'
	effect '{"vxlanPort": 4790}' '' hbr vx.10500 "$vxlan" '["10.0.0.1",4790,1500]'
	effect '{"mtu": 1400}' '' hbr vx.10500 "$vxlan" '["10.0.0.1",4789,1400]'
	effect '{"mtu": 1400}' '"mtu": 1300' pod net1 .mtu 1300
	effect '{"uplinks": ["hbn"]}' '' hbr vx.10500 .mtu 1450
	effect '{"uplinks": ["ul", "hbn"], "vtep": {"family": 6}}' '' hbr vx.10500 .mtu 1430
	effect '{"vlanRange": "7-9"}' '' hbr tr.7 '[.link, .linkinfo.info_data.id]' '["tr",7]'
	effect '{"vlanRange": "7-9"}' '"vlan": 4094' host tr.4094 .linkinfo.info_data.id 4094
	effect '{"attach": "bridge"}' '' host br.10500 .linkinfo.info_kind '"bridge"'
	snapshot_same
}

@test "vlanRange: one after the other, and no more than there are" {
	pod_add pod2 pod3
	snapshot_take
	node '{"vlanRange": "7-8"}'
	ip -n hbr link add link tr name other type vlan id 7
	up
	is "$(fact hbr tr.8 .master)" '"br.10500"'
	plugin ADD pod2 <<<"{$NETWORK, \"vni\": 10501}"
	refused 103 'no VLAN is free on this node: the range 7-8 (vlanRange) is used up'
	ip -n hbr link del other
	works ADD pod2 <<<"{$NETWORK, \"vni\": 10501}"
	is "$(fact hbr tr.7 .master)" '"br.10501"'
	works DEL pod2 <<<"{$NETWORK, \"vni\": 10501}"
	down
	snapshot_same
}

@test "a VLAN that nobody sees is in use too: in a pod, or untagged on a port of the trunk's bridge; one that is asked for is told" {
	pod_add pod2
	trunk_bridge vlan_filtering 1
	node '{"hostTrunk": "trunk0", "vlanRange": "1-7"}'
	ip -batch - <<-B
		link add link trunk0 name eth0.2 type vlan id 2
		link set eth0.2 netns pod2
		link add vm0 master trunk0 type dummy
	B
	ip -n hbr link add link tr name eth0.3 type vlan id 3
	ip -n hbr link set eth0.3 netns pod2
	bridge vlan add dev trunk0 vid 4 self
	bridge vlan add dev vm0 vid 5 pvid untagged
	bridge vlan add dev vm0 vid 7
	ip link add tr.6 type dummy
	snapshot_take "${LEAVE_OUT[@]}"
	up
	is "$(fact host tr.7 '[.link, .master]')$(fact hbr tr.7 .link)" '["trunk0","br.10500"]"tr"'
	down
	plugin ADD pod <<<"{$NETWORK, \"vlan\": 2}"
	refused 103 'tr.2 in the host cannot be made: a vlan in another network namespace has id 2 already' 'VLAN device already exists'
	plugin ADD pod <<<"{$NETWORK, \"vlan\": 3}"
	refused 103 'tr.3 in the HBR netns cannot be made: a vlan in another network namespace has id 3 already'
	snapshot_same "${LEAVE_OUT[@]}"
}

@test "hbrNetns, trunk, hostTrunk, stateDir: another HBR beside the first" {
	ip netns add hbr2
	inside hbr2 ipv6/conf/default/accept_dad=0 <<-B
		link set lo up
		addr add 10.0.0.2/32 dev lo
		link add trunk0 mtu 1400 type veth peer name hosttrunk netns 1 mtu 1400
		link set trunk0 addrgenmode none
		link set trunk0 up
	B
	ip link set hosttrunk addrgenmode none
	ip link set hosttrunk up
	snapshot_take
	NODE_STATE=/run/other snapshot >"$BATS_TEST_TMPDIR/other"
	node '{"hbrNetns": "/run/netns/hbr2", "trunk": "trunk0", "hostTrunk": "hosttrunk", "stateDir": "/run/other"}'
	up '"vlan": 100'
	is "$(fact hbr2 tr.100 '[.link, .master, .mtu]')" '["trunk0","br.10500",1400]'
	is "$(fact host tr.100 '[.link, .master, .mtu]')" '["hosttrunk","br.10500",1400]'
	is "$(fact hbr2 vx.10500 .linkinfo.info_data.local)" '"10.0.0.2"'
	! has_link hbr br.10500 || return 1
	is "$(find /run/other -name '*.json' | wc -l)" 3 # the record and two domains; a holder has no such name
	[ ! -e "$NODE_STATE" ]
	down '"vlan": 100'
	snapshot_same
	[ -z "$(find /run/other -path '*/locks/*' -prune -o -type f -print)" ]
	rm -rf /run/other
}

@test "the file is /etc/hbr-cni/node.json, or what the runtime says" {
	echo '{"mtu": 1390}' >/etc/hbr-cni/node.json
	unset NODE_FILE
	up
	is "$(fact pod net1 .mtu)" 1390
	down
	NODE_FILE=$BATS_TEST_TMPDIR/node.json
	effect '{}' '' pod net1 .mtu 1500
}

@test "overridable: a network brings these keys, and they win" {
	snapshot_take
	hbr='"hbr": {"mtu": 1400, "vxlanPort": "4790", "trunk": null}'
	effect '{"overridable": ["mtu", "vxlanPort"], "mtu": 1300}' "$hbr" hbr vx.10500 '[.mtu, .linkinfo.info_data.port]' '[1400,4790]'
	effect '{"overridable": ["mtu", "vxlanPort"], "mtu": 1300}' '"hbr": null' hbr vx.10500 '[.mtu, .linkinfo.info_data.port]' '[1300,4789]'
	effect '{"overridable": ["mtu", "vxlanPort"], "mtu": 1300}' '"hbr": {}' hbr vx.10500 .mtu 1300
	snapshot_same
}

@test "a /proc/sys that is read-only is in the way of IPv6 only, and only where it is switched off" {
	WRAP=(unshare --mount sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec "$@"' sh)
	NODE_FILE=''
	snapshot_take
	for attach in bridge macvlan direct; do
		for address in 10.50.0.2/24 fd00:50::2/64; do
			up "\"attach\": \"$attach\", \"addresses\": [{\"address\": \"$address\"}]"
			is "$(ip -n pod -json addr show dev net1 | jq -c '[.[0].flags[] | select(. == "UP")]')" '["UP"]'
			down
		done
	done
	at pod sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
	up '"addresses": [{"address": "10.50.0.2/24"}]'
	down
	plugin ADD pod <<<"{$NETWORK, \"addresses\": [{\"address\": \"fd00:50::2/64\"}]}"
	refused 101 'set /proc/sys/net/ipv6/conf/net1/disable_ipv6 to 0, from 1: Read-only file system'
	snapshot_same
}

@test "plugins#102: a kernel without IPv6 is in the way of IPv6 addresses only" {
	# That directory is another one in each network namespace.
	WRAP=(unshare --mount sh -c 'for at in /proc/self/ns/net /run/netns/pod; do
		nsenter --net=$at mount -t tmpfs none /proc/sys/net/ipv6 || exit 9; done; exec "$@"' sh)
	NODE_FILE=''
	snapshot_take
	for attach in bridge macvlan direct; do
		up "\"attach\": \"$attach\", \"addresses\": [{\"address\": \"10.50.0.2/24\"}]"
		is "$err" ''
		is "$(ip -n pod -json addr show dev net1 | jq -c '[.[0].addr_info[] | select(.family == "inet") | .local]')" '["10.50.0.2"]'
		down
		plugin ADD pod <<<"{$NETWORK, \"attach\": \"$attach\", \"addresses\": [{\"address\": \"fd00:50::2/64\"}]}"
		refused 101 'set /proc/sys/net/ipv6/conf/net1/disable_ipv6 to 0: does not exist'
	done
	snapshot_same
}

# trunk_bridge [OPTION...]: the host's end of the trunk becomes a port of the bridge trunk0.
trunk_bridge() {
	ip -batch - <<-B
		link add trunk0 address 02:00:00:00:00:99 type bridge mcast_snooping 0 $*
		link set trunk0 addrgenmode none
		link set tr master trunk0
		link set trunk0 up
	B
	node '{"hostTrunk": "trunk0"}'
}

# What such a bridge learns, and when it says that it is up, is its own business.
LEAVE_OUT=(-x '*fdb tr * dynamic *' -x '*link trunk0 operstate *')

# The pod reaches the HBR netns over the trunk.
crosses() {
	up "\"vlan\": 100, \"addresses\": [{\"address\": \"10.50.0.2/24\"}]"
	is "$(fact host tr.100 '[.link, .master]')" '["trunk0","br.10500"]'
	ip -n hbr addr add 10.50.0.1/24 dev br.10500
	reaches pod 10.50.0.1 1500
}

@test "hostTrunk may be a bridge" {
	trunk_bridge
	snapshot_take "${LEAVE_OUT[@]}"
	crosses
	down
	snapshot_same "${LEAVE_OUT[@]}"
}

@test "hostTrunk may be a bridge: one that the veth has left carries nothing, and ADD says what waits for it" {
	trunk_bridge
	ip -batch - <<-B
		link set tr nomaster
		link set tr up
	B
	until_true 10 sh -c '! grep -q up /sys/class/net/trunk0/operstate'
	snapshot_take "${LEAVE_OUT[@]}"
	plugin ADD pod <<<"{$NETWORK, \"vlan\": 100, \"addresses\": [{\"address\": \"10.50.0.2/24\"}]}"
	refused 11 'tr.100 does not forward: the port of br.10500 stays without carrier'
	snapshot_same "${LEAVE_OUT[@]}"
}

vlans() { bridge -json vlan show dev "$1" | jq -c '[.[0].vlans[].vlan]'; }

@test "hostTrunk may be a VLAN-aware bridge: the VLAN is added to itself, and taken away at the end" {
	trunk_bridge vlan_filtering 1
	bridge vlan add dev tr vid 2-4094
	pod_add pod2
	snapshot_take "${LEAVE_OUT[@]}"
	is "$(vlans trunk0)" '[1]'
	crosses
	is "$(vlans trunk0)" '[1,100]'
	works ADD pod2 <<<"{$NETWORK}"
	down
	is "$(vlans trunk0)" '[1,100]'
	works DEL pod2 <<<"{$NETWORK}"
	is "$(vlans trunk0)" '[1]'
	snapshot_same "${LEAVE_OUT[@]}"
}

@test "a VLAN that the bridge had before stays" {
	trunk_bridge vlan_filtering 1
	bridge vlan add dev trunk0 vid 100 self
	snapshot_take "${LEAVE_OUT[@]}"
	up '"vlan": 100'
	is "$(fact host tr.100 .link)" '"trunk0"'
	is "$(vlans trunk0)" '[1,100]'
	down
	snapshot_same "${LEAVE_OUT[@]}"
}

@test "bridgeNetfilter: warn, refuse, ignore" {
	local at=/proc/sys/net/bridge/bridge-nf-call-iptables
	[ -e "$at" ] || modprobe br_netfilter
	echo 0 >"$at"
	snapshot_take
	for word in warn refuse ignore; do
		node "{\"bridgeNetfilter\": \"$word\"}"
		up
		is "$err" ''
		down
	done
	echo 1 >"$at"
	node '{}'
	up
	contains "$err" 'hbr-l2: warning: net.bridge.bridge-nf-call-iptables is on in the host: bridged frames pass its FORWARD chain and conntrack (bridgeNetfilter)'
	is "$(jq -sc 'map(.interfaces | length)' <<<"$out")" '[1]'
	down
	node '{"bridgeNetfilter": "refuse"}'
	plugin ADD pod <<<"{$NETWORK}"
	refused 103 'net.bridge.bridge-nf-call-iptables is on in the host' 'bridgeNetfilter says "refuse": switch it off, or say "warn" or "ignore"'
	node '{"bridgeNetfilter": "ignore"}'
	up
	is "$err" ''
	down
	echo 0 >"$at"
	snapshot_same
}
