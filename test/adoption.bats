#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 105
# Links of others: used where they fit, in each way to attach a pod, never changed and never removed;
# what does not fit is refused with what is and what was wanted; what others need stays.

load helpers
load modes

# ready NETNS NAME WORDS...: a link of somebody else's, as it is to be to fit.
ready() {
	local netns=$1 name=$2
	shift 2
	printf 'link %s\n' "add $* " "set $name addrgenmode none" "set $name up" | at "$netns" ip -batch -
}

their_domain() {
	node_file '{"uplinks": ["ul"]}'
	ready hbr br.10100 br.10100 mtu 1500 type bridge ageing_time 1000
	ready hbr vx.10100 vx.10100 mtu 1500 alias theirs master br.10100 type vxlan id 10100 local 10.0.0.1 dstport 4789
	ready hbr tr.100 link tr name tr.100 mtu 1500 master br.10100 type vlan id 100
}

@test "plugins#865, plugins#243: macvlan pods use a VLAN of somebody else's, direct pods a bridge; neither is changed nor removed" {
	their_domain
	ready host tr.100 link tr name tr.100 mtu 1500 type vlan id 100
	settled
	join macvlan pod1 1
	join direct pod2 2
	is "$(picture host hbr | grep -vc ' pv')" 0
	reach pod1 2
	leave pod1
	leave pod2
	unchanged
}

@test "their VLAN serves bridge pods where it is in our bridge's place, and only then" {
	their_domain
	ready host br.10100 br.10100 mtu 1500 type bridge
	ready host tr.100 link tr name tr.100 mtu 1500 master br.10100 type vlan id 100
	settled
	refuses 103 'vlan tr.100 in the host has master br.10100, wanted none' < <(conf macvlan)
	join bridge pod1 1
	leave pod1
	unchanged
	ip link set tr.100 nomaster
	settled
	refuses 103 'vlan tr.100 in the host has master none, wanted br.10100' < <(conf bridge)
	join macvlan pod1 1
	leave pod1
	unchanged
}

# foreign MODE KEYS TEXT NETNS IP-COMMAND...: with this in the way ADD is refused so, and it stays.
foreign() {
	local mode=$1 keys=$2 text=$3 netns=$4
	shift 4
	at "$netns" ip link "$@" || return 1
	settled || return 1
	refuses 103 "$text" < <(conf "$mode" "$keys") || { echo "in the way: $*" >&2; return 1; }
}

gone() { at "$1" ip link del "$2"; }

@test "what does not fit a macvlan or a direct pod is refused with both values" {
	node_file '{"uplinks": ["ul"]}'
	foreign macvlan '{}' 'vlan tr.100 in the host has id 101, wanted 100' host add link tr name tr.100 type vlan id 101
	gone host tr.100
	foreign macvlan '{}' 'vlan tr.100 in the host is on hbn, wanted on tr' host add link hbn name tr.100 type vlan id 100
	gone host tr.100
	foreign macvlan '{}' 'tr.100 in the host cannot be made: the vlan eth.100 has id 100 already' host add link tr name eth.100 type vlan id 100
	gone host eth.100
	foreign macvlan '{}' 'tr.100 in the host is a macvlan, wanted a vlan' host add link tr name tr.100 type macvlan mode bridge
	gone host tr.100
	foreign macvlan '{}' 'vlan tr.100 in the host has mtu 1400, wanted 1500' host add link tr name tr.100 mtu 1400 type vlan id 100
	gone host tr.100
	foreign macvlan '{}' 'vlan tr.100 in the host is down, wanted up' host add link tr name tr.100 type vlan id 100
	gone host tr.100
	foreign macvlan '{}' 'tr.100 in the host cannot be made: it is an alternative name of hbn' host property add dev hbn altname tr.100
	ip link property del dev hbn altname tr.100

	foreign direct '{}' 'bridge br.10100 in the HBR netns has mtu 1400, wanted 1500' hbr add br.10100 mtu 1400 type bridge
	gone hbr br.10100
	foreign direct '{}' 'bridge br.10100 in the HBR netns has vlan_filtering 1, wanted 0' hbr add br.10100 mtu 1500 type bridge vlan_filtering 1
	gone hbr br.10100
	ready hbr br.10100 br.10100 mtu 1500 type bridge
	foreign direct '{"vrf": "hbr"}' 'bridge br.10100 in the HBR netns has master none, wanted hbr' hbr set br.10100 nomaster
	ip -n hbr link add red type vrf table 99
	foreign direct '{"vrf": "hbr"}' 'bridge br.10100 in the HBR netns has master red, wanted hbr' hbr set br.10100 master red
	foreign direct '{}' 'bridge br.10100 in the HBR netns has master red, wanted none' hbr set red up
	foreign direct '{"vrf": "red"}' 'vxlan vx.10100 in the HBR netns has master none, wanted br.10100' hbr \
		add vx.10100 mtu 1500 type vxlan id 10100 local 10.0.0.1 dstport 4789
	ip -n hbr link set vx.10100 addrgenmode none
	foreign direct '{"vrf": "red"}' 'vxlan vx.10100 in the HBR netns has local 10.0.0.9, wanted 10.0.0.1' hbr \
		set vx.10100 type vxlan local 10.0.0.9
	gone hbr vx.10100
	foreign direct '{"vrf": "red"}' 'vx.10100 in the HBR netns cannot be made: the vxlan foo0 has id 10100 already' hbr \
		add foo0 type vxlan id 10100 dstport 4789
}

@test "a gateway on a bridge of somebody else's: with its address and its MAC it is used, else refused" {
	local gateway='{"vrf": "hbr", "gateway": ["10.1.0.254/24"], "gatewayMac": "02:00:00:00:00:fe"}' theirs
	ready hbr br.10100 br.10100 mtu 1500 address 02:00:00:00:00:77 master hbr type bridge
	foreign direct "$gateway" 'gateway: 10.1.0.254/24 was asked for, but br.10100 in the HBR netns, which is not ours, does not have it' hbr \
		set br.10100 mtu 1500
	ip -n hbr addr add 10.1.0.254/24 dev br.10100
	foreign direct "$gateway" 'bridge br.10100 in the HBR netns has address 02:00:00:00:00:77, wanted 02:00:00:00:00:fe' hbr \
		set br.10100 mtu 1500
	ip -n hbr link set br.10100 address 02:00:00:00:00:fe
	theirs=$(kept hbr)
	join direct pod1 1 "$gateway"
	reaches pod1 10.1.0.254
	leave pod1
	is "$(kept hbr)" "$theirs"
	# Without a gateway its MAC is nobody's business.
	join direct pod1 1 '{"vrf": "hbr"}'
}

@test "links of an hbr-cni with another HBR netns are not ours" {
	local mode
	ip link add link tr name tr.100 group 1744840564 type vlan id 100
	ip link set tr.100 alias hbr-cni:hbr-2:host-vlan:10100
	settled
	for mode in bridge macvlan; do
		refuses 103 'tr.100 belongs to somebody else: it is "hbr-cni:hbr-2:host-vlan:10100", wanted "hbr-cni:hbr-' < <(conf "$mode")
	done
	join direct pod2 2
	leave pod2
	has_link host tr.100
}

@test "the same VNI with other keys from a second network: each is refused with both values, and the first is unharmed" {
	local mode result
	ip -n hbr link add red type vrf table 99
	for mode in macvlan direct; do
		join "$mode" pod1 1 '{"vrf": "hbr", "mtu": 1400, "neighSuppress": true}'
		result=$out
		settled
		refuses 103 'vrf: "red" was asked for, but the L2 domain of VNI 10100 has "hbr"' < <(conf "$mode" '{"name": "other", "vrf": "red"}')
		refuses 103 'vrf: "" was asked for, but the L2 domain of VNI 10100 has "hbr"' < <(conf "$mode" '{"name": "other", "vrf": ""}')
		refuses 103 'mtu: 1300 was asked for, but the L2 domain of VNI 10100 has 1400' < <(conf "$mode" '{"name": "other", "mtu": 1300}')
		refuses 103 'neighSuppress: false was asked for, but the L2 domain of VNI 10100 has true' < <(conf "$mode" '{"name": "other", "neighSuppress": false}')
		[ "$mode" = direct ] ||
			refuses 103 'vlan: 101 was asked for, but the VLAN of VNI 10100 has 100' < <(conf "$mode" '{"name": "other", "vlan": 101}')
		join "$mode" pod1 1 "{\"prevResult\": $result}" CHECK
		# What it does not say it inherits; a direct pod has no VLAN.
		works ADD pod2 < <(conf "$mode" '{"name": "other", "vlan": null}')
		is "$(fact pod2 net1 .mtu)" 1400
		leave pod2
		works ADD pod2 < <(conf direct '{"name": "other", "vlan": 101}')
		leave pod2
		join "$mode" pod1 1 '{}' DEL
	done
}

@test "our VLAN is taken by another VNI of ours: refused by name" {
	join macvlan pod1 1
	settled
	refuses 103 'vlan: 100 is taken on this node by the domain trunk-10100: wanted another one' < <(conf macvlan '{"name": "red", "vni": 10200}')
	refuses 103 'vlan: 100 is taken on this node by the domain trunk-10100: wanted another one' < <(conf bridge '{"name": "red", "vni": 10200}')
	works ADD pod2 < <(conf direct '{"name": "red", "vni": 10200}')
}

# guest NETNS LINK MODE TEXT IP-LINK-ADD...: with somebody's link in it or on it the domain outlives its
# last pod, and goes with the next one, when that link has gone.
guest() {
	local netns=$1 mode=$3 text="stays: guest is still $4 $2" links there
	shift 4
	snapshot_take
	join "$mode" pod1 1
	at "$netns" ip link add guest "$@"
	at "$netns" ip link set guest up
	there=$(at "$netns" ip -json -details link show dev guest | jq -c '.[0] | [.ifindex, .link, .master, .linkinfo.info_kind]')
	links=$(picture host hbr | grep -v ' pv')
	leave pod1
	contains "$err" "$text" || return 1
	is "$(at "$netns" ip -json -details link show dev guest | jq -c '.[0] | [.ifindex, .link, .master, .linkinfo.info_kind]')" "$there" || return 1
	# Pods come and go.
	join "$mode" pod2 2
	is "$(picture host hbr | grep -v ' pv')" "$links" || return 1
	leave pod2
	contains "$err" "$text" || return 1
	at "$netns" ip link del guest
	join "$mode" pod1 1
	leave pod1
	is "$err" ''
	snapshot_same
}

@test "a domain with a foreign port in it is not torn down, until the port has gone" {
	guest host br.10100 bridge 'a port of' master br.10100 type dummy
	guest hbr br.10100 bridge 'a port of' master br.10100 type dummy
	guest hbr br.10100 macvlan 'a port of' master br.10100 type dummy
	guest hbr br.10100 direct 'a port of' master br.10100 type dummy
}

@test "a domain with a foreign macvlan or VLAN on a link of it is not torn down, until that has gone" {
	guest host tr.100 macvlan 'on top of' link tr.100 type macvlan mode bridge
	guest host tr.100 bridge 'on top of' link tr.100 type vlan id 7
	guest hbr tr.100 macvlan 'on top of' link tr.100 type vlan id 7
	guest host br.10100 bridge 'on top of' link br.10100 type macvlan mode bridge
	guest hbr br.10100 direct 'on top of' link br.10100 type macvlan mode bridge
}

@test "a pod's own interface is nobody's guest, whatever numbers links have elsewhere" {
	local n
	snapshot_take
	join macvlan pod1 1
	# A veth's other end in another namespace, with the very index that our VLAN has here.
	n=$(fact host tr.100 .ifindex)
	ip -n pod2 link add other index "$n" type veth peer name theirs netns $$
	is "$(fact host theirs .link_index)" "$n"
	leave pod1
	is "$err" ''
	ip link del theirs
	snapshot_same
}

@test "a VLAN that had to stay goes with the last pod, also when that one has no use for it" {
	snapshot_take
	join bridge pod1 1
	ip link add guest master br.10100 type dummy
	leave pod1
	contains "$err" 'the VLAN of VNI 10100 stays: guest is still a port of br.10100'
	join direct pod2 2
	leave pod2
	contains "$err" 'the L2 domain of VNI 10100 stays: guest is still a port of br.10100'
	has_link host tr.100
	join direct pod1 1
	join direct pod2 2
	ip link del guest
	leave pod1
	has_link host tr.100
	leave pod2
	is "$err" ''
	snapshot_same
}

@test "the state is lost, and somebody has a VLAN on ours: it stays too" {
	snapshot_take
	join bridge pod1 1
	ip -n hbr link add link tr.100 name guest type vlan id 7
	rm -r "$NODE_STATE"
	join bridge pod1 1 '{}' DEL
	no_link pod1 net1
	has_link hbr guest
	has_link host br.10100
	ip -n hbr link del guest
	join bridge pod2 2
	leave pod2
	snapshot_same
}

@test "a bridge that a domain has adopted is no uplink; others are" {
	local mode
	their_domain
	unset NODE_FILE
	ip -n hbr link add br.7 up mtu 1000 type bridge
	settled
	for mode in $MODES; do
		join "$mode" pod1 1
		is "$(fact pod1 net1 .mtu)" 1500
		leave pod1
		unchanged
	done
	ip -n hbr link add br.ul up mtu 1400 type bridge
	settled
	refuses 103 'bridge br.10100 in the HBR netns has mtu 1500, wanted 1350' < <(conf direct)
}

entries() { bridge -n hbr -json fdb show br br.10100 | jq -c 'map(select(.mac == "02:00:00:00:00:09" and .vlan == null) | [.ifname, .state])'; }

@test "a forwarding entry of somebody else's for a pod's MAC outlives an ADD that fails" {
	local mode
	for mode in bridge macvlan; do
		join "$mode" pod1 1
		bridge -n hbr fdb add 02:00:00:00:00:09 dev tr.100 master static
		plugin ADD pod2 < <(conf "$mode" '{"mac": "02:00:00:00:00:09", "addresses": [{"address": "10.1.0.2/24"}], "routes": [{"dst": "10.9.0.0/16", "gw": "10.8.0.1"}]}')
		refused 101 'add the route 10.9.0.0/16 via 10.8.0.1' 'unreachable'
		is "$(entries)" '[["tr.100","static"]]'
		leave pod1
	done
}
