#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 86
# CHECK: each thing that was changed by hand is named, with what it is and what was wanted.

load helpers

setup() {
	need vrf vlan
	node_up
	pod_add pod1 pod2
}
teardown() { node_down; }

conf() {
	jq -cn '{cniVersion: "1.1.0", name: "blue", type: "hbr-l2", vni: 10100, vlan: 100, vrf: "hbr", mac: "02:00:00:00:00:01",
		addresses: [{address: "10.1.0.1/24", gateway: "10.1.0.254"}, {address: "fd00:1::1/64"}],
		routes: [{dst: "10.9.0.0/16"}]} + $k' --argjson k "${1:-{\}}"
}

up() { # [KEYS]
	works ADD pod1 < <(conf "${1:-}")
	checked=$(conf "{\"prevResult\": $out}")
	works CHECK pod1 <<<"$checked"
	port=$(cd /sys/class/net && echo pv*)
}

# says TEXT: CHECK fails with just that.
says() {
	plugin CHECK pod1 <<<"$checked" || return 1
	[ "$status" != 0 ] || { echo "CHECK is content, wanted: $1" >&2; return 1; }
	contains "$out" "\"msg\":\"${1//\"/\\\"}\""
}

fine() { works CHECK pod1 <<<"$checked"; }

# The rows of the attribute tables, "TABLE ROW", as the source has them.
rows() {
	awk '/^static const struct attr [a-z]*_attrs\[\] = \{/ { table = $5; sub(/_attrs.*/, "", table) }
		/^\t\{ "[a-z0-9_]*", *ATTR_/ { row = $2; gsub(/[",]/, "", row); print table, row }' "$TREE/shared/kernel/kinds.c"
}

#
# How to change a row, of a link of any kind, and what it is then: "IP-LINK ARGUMENTS|VALUE|BACK", BACK
# being how it gets its value again. LINK stands for the link. A fixed row: the link is made anew.
#
vxlan='link del LINK;link add LINK mtu 1500 group 1744840564 type vxlan'
vlan='link del LINK;link add link tr name LINK mtu 1500 group 1744840564 type vlan'
declare -gA ways=(
	[common group]='link set LINK group 7|7|link set LINK group 1744840564'
	[common alias]='link set LINK alias somebody|"somebody"|link set LINK alias ALIAS'
	[common address]='link set LINK address 02:00:00:00:00:77|02:00:00:00:00:77|link set LINK address ADDRESS'
	[common mtu]='link set LINK mtu 1400|1400|link set LINK mtu 1500'
	[common addrgenmode]='link set LINK addrgenmode eui64|0|link set LINK addrgenmode none'
	[port learning]='link set LINK type bridge_slave learning NOT_LEARNING|OTHER_LEARNING|link set LINK type bridge_slave learning LEARNING'
	[port neigh_suppress]='link set LINK type bridge_slave neigh_suppress on|1|link set LINK type bridge_slave neigh_suppress off'
	[port isolated]='link set LINK type bridge_slave isolated on|1|link set LINK type bridge_slave isolated off'
	[port hairpin]='link set LINK type bridge_slave hairpin on|1|link set LINK type bridge_slave hairpin off'
	[port locked]='link set LINK type bridge_slave locked on|1|link set LINK type bridge_slave locked off'
	[bridge stp_state]='link set LINK type bridge stp_state 1|1|link set LINK type bridge stp_state 0'
	[bridge mcast_snooping]='link set LINK type bridge mcast_snooping 1|1|link set LINK type bridge mcast_snooping 0'
	[bridge vlan_filtering]='link set LINK type bridge vlan_filtering 1|1|link set LINK type bridge vlan_filtering 0'
	[vxlan learning]='link set LINK type vxlan learning|1|link set LINK type vxlan nolearning'
	[vlan id]="$vlan id 99|99|ADD"
	[vxlan id]="$vxlan id 10999 local 10.0.0.1 dstport 4789 nolearning|10999|ADD"
	[vxlan local]="$vxlan id 10100 local 10.0.0.9 dstport 4789 nolearning|10.0.0.9|ADD"
	[vxlan dstport]="$vxlan id 10100 local 10.0.0.1 dstport 8472 nolearning|8472|ADD"
)

# Rows that no link of hbr-l2 has, or that CHECK leaves alone on purpose.
declare -gA without=(
	[macvlan mode]='pods are not wired so'
	[vrf table]='hbr-l2 makes none'
	[veth common address]='udev may give the end of the node another one: it has no meaning'
)

links='host bridge br.10100
hbr bridge br.10100
hbr vxlan vx.10100
host vlan tr.100
hbr vlan tr.100
host veth PORT'

# batch NETNS COMMANDS: with ";" between.
batch() {
	local -a there=()
	[ "$1" = host ] || there=(-n "$1")
	tr ';' '\n' <<<"$2" | ip "${there[@]}" -batch -
}

# fill TEXT: the link's own values in it.
fill() {
	local text=${1//LINK/$name} learning=on
	[ "$kind" != vxlan ] || learning=off
	text=${text//ALIAS/$alias}
	text=${text//ADDRESS/$address}
	if [ $learning = on ]; then
		text=${text//NOT_LEARNING/off} text=${text//OTHER_LEARNING/0}
	else
		text=${text//NOT_LEARNING/on} text=${text//OTHER_LEARNING/1}
	fi
	echo "${text// LEARNING/ $learning}"
}

was() { # of the row, before
	case $1 in
	group) echo 1744840564 ;;
	alias) echo "\"$alias\"" ;;
	address) echo "$address" ;;
	mtu) echo 1500 ;;
	addrgenmode) echo 1 ;;
	learning) if [ "$2 $kind" = 'port vxlan' ] || [ "$2" = vxlan ]; then echo 0; else echo 1; fi ;;
	local) echo 10.0.0.1 ;;
	dstport) echo 4789 ;;
	id) if [ "$kind" = vlan ]; then echo 100; else echo 10100; fi ;;
	*) echo 0 ;;
	esac
}

# tamper TABLE ROW: change it on the link (netns, kind, name), see that CHECK says so, change it back.
tamper() {
	local place='HBR netns' change value back
	[ "$netns" = hbr ] || place=host
	IFS='|' read -r change value back <<<"${ways[$1 $2]:-}"
	[ -n "$back" ] || { echo "no way to change $2 of a $1: add one, or the reason why not" >&2; return 1; }
	batch "$netns" "$(fill "$change")" || return 1
	says "$kind $name in the $place has $2 $(fill "$value"), wanted $(was "$2" "$1")" || return 1
	if [ "$back" = ADD ]; then
		# Not changeable: only when it is gone the next pod makes a right one.
		batch "$netns" "link del $name" || return 1
		works ADD pod2 < <(conf '{"addresses": null, "routes": null, "mac": null}') && works DEL pod2 < <(conf)
	else
		batch "$netns" "$(fill "$back")"
	fi
}

@test "each row of the attribute tables, on each link of the domain and on the port" {
	local row table n=0 all
	# The forwarding entry of one that is not goes with the VLAN, and no other pod's ADD brings it back.
	up '{"mobile": true}'
	all=$(rows)
	is "$(wc -l <<<"$all")" "$(grep -c 'ATTR_[A-Z0-9]*, *NEST_' "$TREE/shared/kernel/kinds.c")"
	# The bridges' own MTUs are set, not those of their ports.
	ip link set br.10100 mtu 1500
	ip -n hbr link set br.10100 mtu 1500
	while read -r netns kind name; do
		name=${name/PORT/$port}
		read -r alias address <<<"$(fact "$netns" "$name" '"\(.ifalias) \(.address)"' | tr -d '"')"
		while read -r table row; do
			case $table in
			common | "$kind") ;;
			port) [ "$kind" != bridge ] || continue ;;
			*) continue ;;
			esac
			[ -z "${without[$kind $table $row]:-}" ] || continue
			tamper "$table" "$row" || { echo "$netns $kind $name: $table $row" >&2; return 1; }
			n=$((n + 1))
		done <<<"$all"
		fine
	done <<<"$links"
	echo "# $BATS_TEST_DESCRIPTION: $n changes, each named" >&3
	[ "$n" -gt 55 ]
	while read -r row; do
		[ -n "${ways[$row]:-}" ] || [ -n "${without[$row]:-}" ] || { echo "nothing is known of $row" >&2; return 1; }
	done <<<"$all"
}

@test "the MAC of the node's end has no meaning: CHECK leaves it alone" {
	up
	ip link set "$port" address 02:00:00:00:00:77
	fine
}

# broken TEXT NETNS COMMANDS BACK
broken() {
	batch "$2" "$3" && says "$1" && { [ -z "$4" ] || batch "$2" "$4"; } && { [ -z "$4" ] || fine; }
}

@test "a link that is down, elsewhere, or missing" {
	local place netns kind name
	up '{"mobile": true}'
	while read -r netns kind name; do
		name=${name/PORT/$port} place=host
		[ "$netns" = host ] || place='HBR netns'
		broken "$kind $name in the $place is down, wanted up" "$netns" "link set $name down" "link set $name up"
		if [ "$kind" = bridge ]; then
			[ "$netns" = host ] || broken "bridge $name in the HBR netns has master none, wanted hbr" hbr "link set $name nomaster" "link set $name master hbr"
		else
			batch "$netns" 'link add other type bridge'
			broken "$kind $name in the $place has master other, wanted br.10100" "$netns" "link set $name master other" ''
			broken "$kind $name in the $place has master none, wanted br.10100" "$netns" "link set $name nomaster;link del other" ''
			works ADD pod2 < <(conf '{"addresses": null, "routes": null, "mac": null}')
			works DEL pod2 < <(conf)
			# Of the port nobody else's ADD cares.
			[ "$kind" != veth ] || ip link set "$name" master br.10100 addrgenmode none
			[ "$kind" != vxlan ] || ip -n hbr link set vx.10100 type bridge_slave learning off
			fine
		fi
	done <<<"$links"
	broken 'vxlan vx.10100 in the HBR netns is missing' hbr 'link del vx.10100' ''
	broken 'bridge br.10100 in the HBR netns is missing' hbr 'link del br.10100' ''
	works ADD pod2 < <(conf '{"addresses": null, "routes": null, "mac": null}')
	fine
	broken 'vlan tr.100 in the HBR netns is missing' hbr 'link del tr.100' ''
	works ADD pod2 net2 < <(conf '{"addresses": null, "routes": null, "mac": null}')
	fine
	broken 'vlan tr.100 in the host is missing' host 'link del tr.100' ''
	broken 'bridge br.10100 in the host is missing' host 'link del br.10100' ''
	works ADD pod2 net3 < <(conf '{"addresses": null, "routes": null, "mac": null}')
	ip link set "$port" master br.10100
	fine
	broken "veth $port in the host is missing" host "link del $port" ''
}

@test "a bridge that is in a VRF and should not be, a link over another trunk, another kind" {
	works ADD pod1 < <(conf '{"vrf": null}')
	checked=$(conf "{\"vrf\": null, \"prevResult\": $out}")
	broken 'bridge br.10100 in the HBR netns has master hbr, wanted none' hbr 'link set br.10100 master hbr' 'link set br.10100 nomaster'
	broken 'vlan tr.100 in the host is on hbn, wanted on tr' host \
		'link del tr.100;link add link hbn name tr.100 mtu 1500 group 1744840564 type vlan id 100;link set tr.100 addrgenmode none alias x;link set tr.100 alias ""' '' ||
		contains "$out" 'vlan tr.100 in the host has'
	batch hbr 'link del vx.10100;link add vx.10100 type bridge'
	says 'vx.10100 in the HBR netns is a bridge, wanted a vxlan'
}

@test "the pod's interface: addresses, routes, MAC, MTU, up, missing; more than was asked for is the pod's business" {
	up
	batch pod1 'addr add 10.1.0.77/24 dev net1;addr add fd00:1::77/64 dev net1;route add 10.77.0.0/16 via 10.1.0.254 dev net1'
	fine
	broken 'net1 in the pod has lost its address 10.1.0.1/24' pod1 'addr del 10.1.0.1/24 dev net1' ''
	batch pod1 'addr add 10.1.0.1/24 dev net1;route replace 10.9.0.0/16 via 10.1.0.254 dev net1'
	fine
	broken 'net1 in the pod has lost its address 10.1.0.1/24' pod1 'addr del 10.1.0.1/24 dev net1;addr add 10.1.0.1/25 dev net1' \
		'addr del 10.1.0.1/25 dev net1;addr add 10.1.0.1/24 dev net1;route replace 10.9.0.0/16 via 10.1.0.254 dev net1'
	broken 'net1 in the pod has lost its address fd00:1::1/64' pod1 'addr del fd00:1::1/64 dev net1' 'addr add fd00:1::1/64 dev net1'
	broken 'net1 in the pod has lost its route 10.9.0.0/16 via 10.1.0.254' pod1 'route del 10.9.0.0/16' 'route add 10.9.0.0/16 via 10.1.0.254'
	broken 'net1 in the pod has lost its route 10.9.0.0/16 via 10.1.0.254' pod1 'route replace 10.9.0.0/16 via 10.1.0.77' 'route replace 10.9.0.0/16 via 10.1.0.254'
	broken 'net1 in the pod has address 02:00:00:00:00:77, wanted 02:00:00:00:00:01' pod1 'link set net1 address 02:00:00:00:00:77' 'link set net1 address 02:00:00:00:00:01'
	broken 'net1 in the pod has mtu 1400, wanted 1500' pod1 'link set net1 mtu 1400' 'link set net1 mtu 1500'
	broken 'net1 in the pod is missing' pod1 'link set net1 down;link set net1 name net7' 'link set net7 name net1;link set net1 up;route replace 10.9.0.0/16 via 10.1.0.254 dev net1'
	ip -n pod1 link set net1 down
	says "net1 in the pod is down, wanted up"
	# As KubeVirt does it: the name and the MAC are somebody else's now.
	batch pod1 'link set net1 name net1-nic address 02:00:00:00:00:99;link add net1 address 02:00:00:00:00:01 type dummy;link set net1 up'
	says 'net1 in the pod is another link, wanted the one that ADD made'
}

@test "the forwarding entries of a pod whose addresses are known, and of a locked port" {
	up
	bridge -n hbr fdb del 02:00:00:00:00:01 dev tr.100 master
	says 'the static forwarding entry of 02:00:00:00:00:01 on tr.100 in the HBR netns is missing'
	works DEL pod1 < <(conf)
	works ADD pod1 < <(conf '{"mobile": true, "macspoofchk": true}')
	checked=$(conf "{\"mobile\": true, \"macspoofchk\": true, \"prevResult\": $out}")
	fine
	bridge fdb del 02:00:00:00:00:01 dev "$port" master
	says "the static forwarding entry of 02:00:00:00:00:01 on $port in the host is missing"
}

@test "after tuning in a chain CHECK is content, and still sees what nobody asked for" {
	local chain='{"cniVersion": "1.0.0", "name": "blue", "plugins": [{"type": "hbr-l2", "vni": 10100,
		"addresses": [{"address": "10.1.0.1/24"}]},
		{"type": "tuning", "mac": "02:00:00:00:00:05", "mtu": 1400, "promisc": true}]}'
	echo "$chain" >/etc/cni/net.d/blue.conflist
	cni add blue pod1 >"$BATS_TEST_TMPDIR/result"
	is "$(fact pod1 net1 '[.mtu, .address]')" '[1400,"02:00:00:00:00:05"]'
	cni check blue pod1
	ip -n pod1 link set net1 address 02:00:00:00:00:77
	run cni check blue pod1
	[ "$status" != 0 ]
	contains "$output" 'net1 in the pod has address 02:00:00:00:00:77, wanted 02:00:00:00:00:05'
	cni del blue pod1
}
