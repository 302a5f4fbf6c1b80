#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 155
# What hbr-l2 makes, keeps, uses and refuses: the links of a domain and their attributes.

load helpers

setup() {
	need vrf vlan
	node_up
	pod_add pod1 pod2
}
teardown() {
	[ -z "${monitor:-}" ] || kill "$monitor" 2>/dev/null || :
	node_down
}

# conf [KEYS]: a network, with these keys over the usual ones.
conf() { jq -cn '{cniVersion: "1.0.0", name: "blue", type: "hbr-l2", vni: 10100, vlan: 100} + $k' --argjson k "${1:-{\}}"; }

domain_marks() { marks host br.10100 tr.100; marks hbr br.10100 tr.100 vx.10100; }

# legs: every MTU on the path of pod1, and how many links have it.
legs() { picture host hbr pod1 | grep -o 'mtu [0-9]*' | sort | uniq -c | xargs; }

# What the bridge in the HBR netns learns of a pod's neighbour discovery comes in its own time.
settled() { snapshot_take -x '*neighbour br.*'; }
unchanged() { snapshot_same -x '*neighbour br.*'; }

# refuses CODE TEXT... <CONFIGURATION: ADD for pod2 fails so, and nothing has changed since settled.
refuses() {
	plugin ADD pod2 || return 1
	refused "$@" && unchanged
}

node_file() {
	NODE_FILE=$BATS_TEST_TMPDIR/node.json
	echo "$1" >"$NODE_FILE"
}

links_of_blue='host br.10100 bridge up mtu 1500 group 1744840564 mode none on - in - stp 0 snooping 0 filtering 0
host tr.100 vlan up mtu 1500 group 1744840564 mode none on tr in br.10100 802.1Q id 100 port 10000
hbr br.10100 bridge up mtu 1500 group 1744840564 mode none on - in - stp 0 snooping 0 filtering 0
hbr tr.100 vlan up mtu 1500 group 1744840564 mode none on tr in br.10100 802.1Q id 100 port 10000
hbr vx.10100 vxlan up mtu 1500 group 1744840564 mode none on - in br.10100 id 10100 local 10.0.0.1 port 4789 learning false port 00000'

@test "ADD makes the links of an L2 domain, with exactly these attributes" {
	local slug port all
	snapshot_take
	works ADD pod1 < <(conf)
	result=$out
	port=$(cd /sys/class/net && echo pv*)
	[[ $port =~ ^pv[0-9a-f]{12}$ ]]
	is "$(picture host hbr | grep -v ' pv')" "$links_of_blue"
	is "$(picture host pod1 | grep ' pv\| net1 ')" "host $port veth up mtu 1500 group 1744840564 mode none on - in br.10100 port 10000
pod1 net1 veth up mtu 1500 group 1744840564 mode eui64 on - in -"

	slug=$(basename "$NODE_STATE"/hbr-*)
	all=$(domain_marks; marks host "$port"; marks pod1 net1)
	is "$(cut -d' ' -f1,2 <<<"$all")" "br.10100 hbr-cni:$slug:host-bridge:10100
tr.100 hbr-cni:$slug:host-vlan:10100
br.10100 hbr-cni:$slug:bridge:10100
tr.100 hbr-cni:$slug:vlan:10100
vx.10100 hbr-cni:$slug:vxlan:10100
$port hbr-cni:$slug:port:c-pod1/net1
net1 $(jq -r '.interfaces[0].mac' <<<"$result")"
	# Each has a MAC of its own, given by us: local, unicast.
	is "$(grep -c ' 02:[0-9a-f:]* 3$' <<<"$all")" 7
	is "$(grep -o '02:[0-9a-f:]*' <<<"$all" | sort -u | wc -l)" 7

	# No address is on any of them, the VXLAN is at home in the HBR netns.
	is "$({ ip -json addr; ip -n hbr -json addr; } | jq -c '[.[] | select(.group | startswith("17448")) | .addr_info[].local]')" $'[]\n[]'
	# Nor is IPv6: on a bridge it would take neighbours from what pods say.
	is "$(cat /proc/sys/net/ipv6/conf/br.10100/disable_ipv6; at hbr cat /proc/sys/net/ipv6/conf/br.10100/disable_ipv6)" $'1\n1'
	is "$(fact hbr vx.10100 '[.link_netnsid, .link_index, .linkinfo.info_data.ttl, .linkinfo.info_data.group]')" '[null,null,0,null]'

	# Made again, in another namespace, the same ones have the same MACs.
	works DEL pod1 < <(conf)
	snapshot_same
	pod_del pod1
	pod_add pod1
	works ADD pod1 < <(conf)
	is "$(domain_marks; marks host "$port"; marks pod1 net1)" "$all"
}

@test "containernetworking/cni#285: a pod with a lower MAC changes no other" {
	local before
	works ADD pod1 < <(conf)
	before=$(domain_marks)
	works ADD pod2 < <(conf '{"mac": "00:00:00:00:00:02"}')
	is "$(domain_marks)" "$before"
	is "$(fact pod2 net1 .address)" '"00:00:00:00:00:02"'
}

@test "FRRouting/frr#17483: each link goes up once; at CHECK, and for a second pod, nothing happens in the HBR netns" {
	events=$BATS_TEST_TMPDIR/events
	ip -n hbr monitor link >"$events" 3>&- 4>&- &
	monitor=$!
	until_true 10 event hbr ul 1551
	works ADD pod1 < <(conf '{"vrf": "hbr"}')
	until_true 10 event hbr ul 1552
	works CHECK pod1 < <(conf "{\"vrf\": \"hbr\", \"prevResult\": $out}")
	works ADD pod2 < <(conf)
	until_true 10 event hbr ul 1553
	kill "$monitor"
	is "$(ups '(vx|br|tr)[.]')" 'br.10100 1
tr.100 1
vx.10100 1'
	is "$(sed '1,/mtu 1552 /d' "$events" | grep '^[0-9]' | grep -vc ' ul@')" 0
}

@test "cloud-api-adaptor#67, openperouter#304: the MTU is what the path carries, on every leg" {
	ip link set tr mtu 1400
	works ADD pod1 < <(conf '{"cniVersion": "1.1.0"}')
	is "$(legs)" '7 mtu 1400'
	is "$(jq '.interfaces[0].mtu' <<<"$out")" 1400
	works DEL pod1 < <(conf)

	ip link set tr mtu 1500
	ip -n hbr link set tr mtu 1300
	works ADD pod1 < <(conf)
	is "$(legs)" '7 mtu 1300'
	works DEL pod1 < <(conf)

	ip -n hbr link set tr mtu 1500
	ip -n hbr link set ul mtu 1500
	works ADD pod1 < <(conf)
	is "$(legs)" '7 mtu 1450'
	works DEL pod1 < <(conf)

	node_file '{"mtu": 1280}'
	works ADD pod1 < <(conf)
	is "$(legs)" '7 mtu 1280'
	works DEL pod1 < <(conf)
	works ADD pod1 < <(conf '{"mtu": 1200}')
	is "$(legs)" '7 mtu 1200'
}

@test "containernetworking/plugins#404: a larger MTU is refused with both numbers, and so is a second one" {
	settled
	refuses 7 'mtu: 1501 is more than the path can carry: wanted at most 1500 (the uplink ul has 1550, less 50 for VXLAN)' < <(conf '{"mtu": 1501}')
	ip link set tr mtu 1400
	settled
	refuses 7 'mtu: 1500 is more than the path can carry: wanted at most 1400 (the trunk tr of the host has 1400)' < <(conf '{"mtu": 1500}')
	works ADD pod1 < <(conf '{"mtu": 1300}')
	settled
	refuses 103 'mtu: 1200 was asked for, but the L2 domain of VNI 10100 has 1300' < <(conf '{"mtu": 1200}')
	works ADD pod2 < <(conf)
	is "$(fact pod2 net1 .mtu)" 1300
}

@test "a VLAN is the lowest free one of the node's range, kept for all, and reserved" {
	node_file '{"vlanRange": "5-8"}'
	ip link add link tr name tr.5 type vlan id 5
	ip -n hbr link add link tr name seven type vlan id 7
	works ADD pod1 < <(conf '{"vlan": null}')
	is "$(picture host hbr | grep -o ' tr\.[0-9]* .* id [0-9]*' | sort -u | sed 's/ tr.*802/802/')" '802.1Q id 6'
	works ADD pod2 < <(conf '{"vlan": null}')
	works DEL pod1 < <(conf)
	ip link del tr.6
	ip -n hbr link del tr.6

	# Its links are away, and still it has its VLAN: the next one is 8, then there is none.
	works ADD pod1 net8 < <(conf '{"vlan": null, "vni": 10200}')
	has_link host tr.8
	settled
	plugin ADD pod1 net9 < <(conf '{"vlan": null, "vni": 10300}')
	refused 103 'no VLAN is free on this node: the range 5-8 (vlanRange) is used up'
	plugin ADD pod1 net9 < <(conf '{"vlan": 6, "vni": 10300}')
	refused 103 'vlan: 6 is taken on this node by the domain trunk-10100: wanted another one'
	plugin ADD pod1 net9 < <(conf '{"vlan": 9}')
	refused 103 'vlan: 9 was asked for, but the VLAN of VNI 10100 has 6'
	unchanged
	works ADD pod1 net6 < <(conf '{"vlan": null}')
	has_link host tr.6
	has_link hbr tr.6
}

@test "the HBR bridge is in the VRF that is named, which must be there" {
	settled
	refuses 7 'vrf: "red" is no VRF in the HBR netns: wanted one that is there, or {"name": "red", ...}, which makes it' < <(conf '{"vrf": "red"}')
	refuses 103 'vrf: "ul" in the HBR netns is a veth: wanted a VRF' < <(conf '{"vrf": "ul"}')
	works ADD pod1 < <(conf '{"vrf": "hbr"}')
	is "$(picture hbr | sed -n 's/^hbr br.* in \([^ ]*\) .*/\1/p')" hbr
	is "$(fact host br.10100 .master)" null
	settled
	refuses 103 'vrf: "" was asked for, but the L2 domain of VNI 10100 has "hbr"' < <(conf '{"vrf": ""}')
	works ADD pod2 < <(conf)
	works DEL pod1 < <(conf)
	works DEL pod2 < <(conf)
	works ADD pod1 < <(conf) # nobody said anything: it is as fixed as what somebody did
	settled
	refuses 103 'vrf: "hbr" was asked for, but the L2 domain of VNI 10100 has ""' < <(conf '{"vrf": "hbr"}')
}

@test "kubevirt#7055: MAC and addresses from four channels, each goes before the next" {
	local n all='{"mac": "02:00:00:00:00:04", "addresses": [{"address": "10.1.0.4/24"}],
		"args": {"cni": {"mac": "02:00:00:00:00:02", "ips": ["10.1.0.2/24"]}},
		"runtimeConfig": {"mac": "02:00:00:00:00:01", "ips": ["10.1.0.1/24"]}}'
	ARGS='IgnoreUnknown=1;MAC=02:00:00:00:00:03;IP=10.1.0.3/24'
	for n in 1 2 3 4; do
		works ADD pod1 < <(conf "$all")
		is "$(jq -r '.interfaces[0].mac + " " + .ips[].address' <<<"$out")" "02:00:00:00:00:0$n 10.1.0.$n/24"
		is "$(ip -n pod1 -json addr show dev net1 | jq -r '.[0] | .address + " " + (.addr_info | map(select(.scope == "global"))[].local)')" \
			"02:00:00:00:00:0$n 10.1.0.$n"
		works DEL pod1 < <(conf)
		case $n in
		1) all=$(jq 'del(.runtimeConfig)' <<<"$all") ;;
		2) all=$(jq 'del(.args)' <<<"$all") ;;
		3) unset ARGS ;;
		esac
	done
}

@test "what the pod's interface is to be: promisc, allmulti, down, with addresses and without" {
	local sysctls='cd /proc/sys/net; cat ipv4/conf/net1/arp_notify ipv6/conf/net1/ndisc_notify ipv6/conf/net1/accept_ra ipv6/conf/net1/autoconf'
	works ADD pod1 < <(conf '{"promiscMode": true, "allmulti": true}')
	is "$(fact pod1 net1 '.flags - ["LOWER_UP"] | join(" ")')" '"BROADCAST MULTICAST ALLMULTI PROMISC UP"'
	is "$(at pod1 sh -c "$sysctls" | xargs)" '1 1 1 1'
	works ADD pod2 < <(conf '{"addresses": [{"address": "fd00:1::2/64"}]}')
	is "$(fact pod2 net1 '.flags - ["LOWER_UP"] | join(" ")')" '"BROADCAST MULTICAST UP"'
	is "$(at pod2 sh -c "$sysctls" | xargs)" '1 1 0 0'
	works DEL pod2 < <(conf)
	works ADD pod2 < <(conf '{"disableContainerInterface": "true"}')
	is "$(fact pod2 net1 '[(.flags | index("UP")), .operstate]')" '[null,"DOWN"]'
	works CHECK pod2 < <(conf "{\"prevResult\": $out}")
	plugin ADD pod2 net2 < <(conf '{"disableContainerInterface": true, "addresses": [{"address": "10.1.0.2/24"}]}')
	refused 7 'disableContainerInterface: not together with addresses or routes'
}

@test "enabledad: detection of duplicates is on and waited for" {
	local look='.[0].addr_info[] | select(.scope == "global") | [.local, .nodad, .tentative]'
	works ADD pod1 < <(conf '{"addresses": [{"address": "fd00:1::1/64"}]}')
	is "$(ip -n pod1 -json addr show dev net1 | jq -c "$look")" '["fd00:1::1",true,null]'
	is "$(at pod1 cat /proc/sys/net/ipv6/conf/net1/accept_dad)" 0
	works ADD pod2 < <(conf '{"addresses": [{"address": "fd00:1::2/64"}], "enabledad": true}')
	is "$(ip -n pod2 -json addr show dev net1 | jq -c "$look")" '["fd00:1::2",null,null]'
	is "$(at pod2 cat /proc/sys/net/ipv6/conf/net1/accept_dad)" 1
	works DEL pod2 < <(conf)
	settled
	refuses 103 'address fd00:1::1/64: another station has it already (duplicate address detection failed)' < <(conf '{"addresses": [{"address": "fd00:1::1/64"}], "enabledad": true}')
}

@test "what the port is to be: isolated, hairpin, macspoofchk, in either spelling" {
	ports() { picture host | sed -n 's/^host pv.* port //p' | xargs; }
	works ADD pod1 < <(conf '{"isolated": true}')
	is "$(ports)" 10100
	works DEL pod1 < <(conf)
	works ADD pod1 < <(conf '{"portIsolation": "true", "hairpinMode": true}')
	is "$(ports)" 10110
	works DEL pod1 < <(conf)
	works ADD pod1 < <(conf '{"macspoofchk": true, "mac": "02:00:00:00:00:01"}')
	is "$(ports)" 00001
	is "$(bridge -json fdb | jq -c 'map(select(.mac == "02:00:00:00:00:01" and .vlan == null and (.ifname | startswith("pv"))) | [.master, .state])')" '[["br.10100","static"]]'
}

@test "a pod with addresses has a static forwarding entry in the HBR netns, a mobile one has not" {
	entries() { bridge -n hbr -json fdb show br br.10100 | jq -c 'map(select(.ifname == "tr.100" and .state == "static" and .vlan == null) | [.mac, .master])'; }
	local address='"addresses": [{"address": "10.1.0.1/24"}], "mac": "02:00:00:00:00:01"'
	works ADD pod2 < <(conf '{"mac": "02:00:00:00:00:02"}')
	is "$(entries)" '[]'
	works ADD pod1 < <(conf "{$address}")
	is "$(entries)" '[["02:00:00:00:00:01","br.10100"]]'
	works DEL pod1 < <(conf)
	is "$(entries)" '[]'
	works ADD pod1 < <(conf "{$address, \"mobile\": true}")
	is "$(entries)" '[]'
}

@test "an IPv6 VTEP: the VXLAN is local there, and takes 70 bytes" {
	node_file '{"vtep": {"dev": "lo", "family": 6}}'
	ip -n hbr addr add fd00::1/128 dev lo
	works ADD pod1 < <(conf)
	is "$(fact hbr vx.10100 '.linkinfo.info_data | [.id, .local, .local6, .port]')" '[10100,null,"fd00::1",4789]'
	is "$(legs)" '7 mtu 1480'
}

# half TEXT NETNS IP-COMMAND...: what is there of the domain's own links is completed by the next ADD.
half() {
	local text=$1 netns=$2 now
	shift 2
	printf '%s\n' "$@" | at "$netns" ip -batch - || return 1
	works ADD pod2 < <(conf) || { echo "$text" >&2; return 1; }
	now=$(picture host hbr | grep -v ' pv'; domain_marks)
	is "$now" "$whole" || { echo "$text" >&2; return 1; }
	works DEL pod2 < <(conf)
}

@test "containernetworking/plugins#366: what is missing or different of our own links is made and mended by the next ADD" {
	works ADD pod1 < <(conf)
	whole=$(picture host hbr | grep -v ' pv'; domain_marks)
	half 'only the vxlan' hbr 'link del br.10100' 'link del tr.100'
	half 'only the bridge' hbr 'link del vx.10100' 'link del tr.100'
	half 'all gone' hbr 'link del vx.10100' 'link del tr.100' 'link del br.10100'
	half 'host vlan gone' host 'link del tr.100'
	half 'down' hbr 'link set vx.10100 down' 'link set tr.100 down' 'link set br.10100 down'
	half 'down' host 'link set tr.100 down' 'link set br.10100 down'
	half 'no port' hbr 'link set vx.10100 nomaster' 'link set tr.100 nomaster'
	half 'in another bridge' host 'link add other type bridge' 'link set tr.100 master other'
	half 'in a VRF' hbr 'link set br.10100 master hbr'
	half 'as after a crash between the messages' hbr 'link del vx.10100' \
		'link add vx.10100 group 1744840564 type vxlan id 10100 local 10.0.0.1 dstport 4789'
	half 'attributes' hbr 'link set vx.10100 mtu 1400 addrgenmode eui64 alias somebody' \
		'link set vx.10100 type vxlan learning' 'link set vx.10100 address 02:00:00:00:00:77' \
		'link set vx.10100 type bridge_slave learning on neigh_suppress on isolated on hairpin on' \
		'link set br.10100 type bridge stp_state 1 mcast_snooping 1 vlan_filtering 1' 'link set tr.100 group 7'
	half 'attributes' host 'link set br.10100 mtu 1400 addrgenmode eui64 group 7' \
		'link set br.10100 type bridge stp_state 1 mcast_snooping 1' 'link set tr.100 address 02:00:00:00:00:77' \
		'link set tr.100 type bridge_slave learning off locked on isolated on'
}

@test "containernetworking/plugins#865: links of others that fit are used, and neither changed nor removed" {
	node_file '{"uplinks": ["ul"]}'
	ip -batch - <<-B
		link add br.10100 mtu 1500 type bridge ageing_time 1000
		link set br.10100 addrgenmode none
		link set br.10100 up
		link add link tr name tr.100 mtu 1500 master br.10100 type vlan id 100
		link set tr.100 addrgenmode none
		link set tr.100 up
	B
	ip -n hbr -batch - <<-B
		link add br.10100 mtu 1500 type bridge forward_delay 500
		link set br.10100 addrgenmode none
		link set br.10100 up
		link add vx.10100 mtu 1500 alias theirs master br.10100 type vxlan id 10100 local 10.0.0.1 dstport 4789
		link set vx.10100 addrgenmode none
		link set vx.10100 up
		link add link tr name tr.100 mtu 1500 master br.10100 type vlan id 100
		link set tr.100 addrgenmode none
		link set tr.100 type bridge_slave neigh_suppress on
		link set tr.100 up
	B
	# Learned entries come and go by themselves.
	snapshot_take -x '*neighbour br.*' -x '* dynamic *' -x '* operstate *'
	works ADD pod1 < <(conf)
	is "$(picture host hbr | grep -vc ' pv')" 0
	works ADD pod2 < <(conf '{"addresses": [{"address": "10.1.0.2/24"}]}')
	works CHECK pod2 < <(conf "{\"prevResult\": $out}")
	works DEL pod1 < <(conf)
	works DEL pod2 < <(conf)
	snapshot_same -x '*neighbour br.*' -x '* dynamic *' -x '* operstate *'
}

@test "a bridge of the host's own is not ours to change, whatever else of the domain we make" {
	ip link add br.10100 mtu 1500 address 02:00:00:00:00:77 type bridge
	ip link set br.10100 addrgenmode none
	ip link set br.10100 up
	snapshot_take -x '*link br.10100 *' -x '*dev br.10100 *'
	works ADD pod1 < <(conf)
	is "$(cat /proc/sys/net/ipv6/conf/br.10100/disable_ipv6)" 0
	works DEL pod1 < <(conf)
	snapshot_same -x '*link br.10100 *' -x '*dev br.10100 *'
	is "$(fact host br.10100 '[.mtu, .address, .inet6_addr_gen_mode]')" '[1500,"02:00:00:00:00:77","none"]'
}

# foreign NETNS CODE TEXT IP-COMMAND...: with this in the way ADD is refused so, and it stays.
foreign() {
	local netns=$1 code=$2 text=$3
	shift 3
	at "$netns" ip link "$@" || return 1
	settled || return 1
	refuses "$code" "$text" < <(conf) || { echo "in the way: $*" >&2; return 1; }
}

gone() { ip ${2:+-n "$2"} link del "$1"; }

@test "systemd#17562, felix#1993, examples#86: what is in the way is named, with both values, and stays" {
	foreign hbr 103 'vx.10100 in the HBR netns cannot be made: the vxlan foo0 has id 10100 already' add foo0 type vxlan id 10100 dstport 4789
	gone foo0 hbr
	foreign hbr 103 'vxlan vx.10100 in the HBR netns has id 10999, wanted 10100' add vx.10100 mtu 1500 type vxlan id 10999 local 10.0.0.1 dstport 4789
	gone vx.10100 hbr
	foreign hbr 103 'vxlan vx.10100 in the HBR netns has local 10.0.0.9, wanted 10.0.0.1' add vx.10100 mtu 1500 type vxlan id 10100 local 10.0.0.9 dstport 4789
	gone vx.10100 hbr
	foreign hbr 103 'vxlan vx.10100 in the HBR netns has dstport 8472, wanted 4789' add vx.10100 mtu 1500 type vxlan id 10100 local 10.0.0.1 dstport 8472
	gone vx.10100 hbr
	foreign hbr 103 'vx.10100 in the HBR netns is a bridge, wanted a vxlan' add vx.10100 type bridge
	gone vx.10100 hbr
	foreign hbr 103 'bridge br.10100 in the HBR netns has mtu 1400, wanted 1500' add br.10100 mtu 1400 type bridge
	gone br.10100 hbr
	foreign hbr 103 'bridge br.10100 in the HBR netns is down, wanted up' add br.10100 type bridge
	gone br.10100 hbr
	foreign hbr 103 'br.10100 in the HBR netns is a veth, wanted a bridge' add br.10100 type veth peer name other
	gone br.10100 hbr
	foreign host 103 'tr.100 in the host cannot be made: the vlan eth.100 has id 100 already' add link tr name eth.100 type vlan id 100
	gone eth.100
	foreign host 103 'vlan tr.100 in the host has id 101, wanted 100' add link tr name tr.100 type vlan id 101
	gone tr.100
	foreign host 103 'vlan tr.100 in the host is on hbn, wanted on tr' add link hbn name tr.100 type vlan id 100
	gone tr.100
	foreign host 103 'vlan tr.100 in the host has master none, wanted br.10100' add link tr name tr.100 type vlan id 100
	ip link add theirs type bridge
	foreign host 103 'vlan tr.100 in the host has master theirs, wanted br.10100' set tr.100 master theirs
	gone tr.100
	foreign hbr 103 'vx.10100 in the HBR netns cannot be made: it is an alternative name of ul' property add dev ul altname vx.10100
	ip -n hbr link property del dev ul altname vx.10100
	ip link add br.10100 group 1744840564 type bridge
	foreign host 103 'br.10100 belongs to somebody else: it is "hbr-cni:hbr-2:host-bridge:10100", wanted "hbr-cni:hbr-' set br.10100 alias hbr-cni:hbr-2:host-bridge:10100
}

@test "multus-cni#569: two pods share one VLAN, until the last one leaves" {
	snapshot_take
	works ADD pod1 < <(conf)
	works ADD pod2 < <(conf)
	is "$(picture host hbr | grep -v ' pv')" "$links_of_blue"
	works DEL pod1 < <(conf)
	is "$(picture host hbr | grep -v ' pv')" "$links_of_blue"
	works DEL pod2 < <(conf)
	snapshot_same
}

@test "keys that are out of range or not offered are refused, and nothing is touched" {
	local keys code
	settled
	while IFS='|' read -r code keys text; do
		refuses "$code" "$text" < <(conf "$keys") || { echo "$keys" >&2; return 1; }
	done <<-'E'
		7|{"vlan": 0}|vlan: 0 is not allowed: wanted a number from 1 to 4094
		7|{"vlan": 4095}|vlan: 4095 is not allowed: wanted a number from 1 to 4094
		7|{"vlan": 4294967396}|vlan: 4294967396 is not allowed
		7|{"vni": 16777216}|vni: 16777216 is not allowed: wanted a number from 1 to 16777215
		7|{"mtu": 67}|mtu: 67 is not allowed
		7|{"mac": "01:00:00:00:00:01"}|mac: "01:00:00:00:00:01" is not allowed
		7|{"gateway": "10.1.0.1/24"}|gateway: "10.1.0.1/24" is not allowed: wanted a list
		7|{"gateway": ["10.1.0.1/24"], "vrf": ""}|gateway: not possible without a VRF
		7|{"gatewayMac": "02:00:00:00:00:01"}|gatewayMac: not possible without gateway
		7|{"vrf": {"name": "red", "vni": 0}}|vrf: vni: 0 is not allowed: wanted a number from 1 to 16777215
		103|{"vni": 5, "vrf": {"name": "red", "vni": 5}}|vni: 5 is in use on this node by the L2 domain 5
	E
}
