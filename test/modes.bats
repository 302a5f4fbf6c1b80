#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=ubsan
# weight: 227
# Three ways to attach a pod: what each makes of it, and how they get on with each other. What holds
# for all is tried in all.

load helpers
load modes

links_of_blue='hbr br.10100 bridge up mtu 1500 group 1744840564 mode none on - in - stp 0 snooping 0 filtering 0'
vxlan_of_blue='hbr vx.10100 vxlan up mtu 1500 group 1744840564 mode none on - in br.10100 id 10100 local 10.0.0.1 port 4789 learning false port 00000'

@test "direct: the pod's other end is a port in the HBR netns; there is no VLAN and nothing in the host" {
	local port all
	settled
	works ADD pod1 < <(conf direct)
	port=$(port hbr)
	[[ $port =~ ^pv[0-9a-f]{12}$ ]]
	is "$(picture host hbr pod1)" "$links_of_blue
hbr $port veth up mtu 1500 group 1744840564 mode none on - in br.10100 port 10000
$vxlan_of_blue
pod1 net1 veth up mtu 1500 group 1744840564 mode eui64 on - in -"
	is "$(cd "$NODE_STATE"/hbr-*/domains && echo *)" l2-10100
	all=$(marks hbr br.10100 vx.10100 "$port"; marks pod1 net1)
	contains "$all" "$port hbr-cni:$(basename "$NODE_STATE"/hbr-*):port:c-pod1/net1 02:"
	is "$(grep -c ' 02:[0-9a-f:]* 3$' <<<"$all")" 4
	is "$(jq -r '.interfaces | map(.name + " " + .mac + " " + .sandbox)[]' <<<"$out")" \
		"net1 $(fact pod1 net1 .address | jq -r .) /run/netns/pod1"
	works CHECK pod1 < <(conf direct "{\"prevResult\": $out}")
	leave pod1
	unchanged

	# Made again, everything has the same names and MACs.
	works ADD pod1 < <(conf direct)
	is "$(marks hbr br.10100 vx.10100 "$port"; marks pod1 net1)" "$all"
}

@test "macvlan: the pod's interface is one on the host's VLAN, which is in no bridge" {
	local slug all
	settled
	works ADD pod1 < <(conf macvlan)
	is "$(picture host hbr pod1)" "host tr.100 vlan up mtu 1500 group 1744840564 mode none on tr in - 802.1Q id 100
$links_of_blue
hbr tr.100 vlan up mtu 1500 group 1744840564 mode none on tr in br.10100 802.1Q id 100 port 10000
$vxlan_of_blue
pod1 net1 macvlan up mtu 1500 group 1744840564 mode eui64 on - in - bridge"
	slug=$(basename "$NODE_STATE"/hbr-*)
	is "$(cd "$NODE_STATE/$slug/domains" && echo *)" 'l2-10100 trunk-10100'
	all=$(marks host tr.100; marks hbr br.10100 tr.100 vx.10100; marks pod1 net1)
	contains "$all" "net1 hbr-cni:$slug:port:c-pod1/net1 02:"
	is "$(grep -c ' 02:[0-9a-f:]* 3$' <<<"$all")" 5
	is "$(fact pod1 net1 .link_index)" "$(fact host tr.100 .ifindex)"
	is "$(jq -r '.interfaces | map(.name + " " + .mac + " " + .sandbox)[]' <<<"$out")" \
		"net1 $(fact pod1 net1 .address | jq -r .) /run/netns/pod1"
	works CHECK pod1 < <(conf macvlan "{\"prevResult\": $out}")
	works ADD pod2 < <(conf macvlan)
	leave pod1
	has_link host tr.100
	leave pod2
	unchanged
	works ADD pod1 < <(conf macvlan)
	is "$(marks host tr.100; marks hbr br.10100 tr.100 vx.10100; marks pod1 net1)" "$all"
}

@test "each way: pods reach each other on one node and on two, in both families, at the full MTU" {
	local mode result1 result2
	node_up 2
	pod_add pod3
	for mode in $MODES; do
		settled
		join "$mode" pod1 1
		result1=$out
		join "$mode" pod2 2
		result2=$out
		join2 "$mode" pod3 3
		flood 10100
		reach pod1 2 1500
		reach pod1 3 1500
		reach pod3 2 1500
		join "$mode" pod1 1 "{\"prevResult\": $result1}" CHECK
		join "$mode" pod2 2 "{\"prevResult\": $result2}" CHECK
		leave pod1
		reach pod2 3
		leave pod2
		join2 "$mode" pod3 3 '{}' DEL
		unchanged
	done
}

@test "mixed: direct beside bridge, and direct beside macvlan, are one domain; on the other node it is another" {
	local mode
	node_up 2
	pod_add pod3 pod4
	settled
	for mode in bridge macvlan; do
		other=bridge
		[ "$mode" != bridge ] || other=macvlan
		join direct pod1 1
		join "$mode" pod2 2
		join2 direct pod3 3
		join2 "$other" pod4 4
		flood 10100
		reach pod1 2 1500
		reach pod1 4 1500
		reach pod2 3 1500
		reach pod2 4 1500
		# The leg on the trunk goes with the last one that needs it.
		leave pod2
		is "$(picture host hbr | grep -c ' tr\.')" 0
		reach pod1 3
		join "$mode" pod2 2
		leave pod1
		reach pod2 3
		leave pod2
		join2 bridge pod3 3 '{}' DEL
		join2 bridge pod4 4 '{}' DEL
		unchanged
	done
}

@test "multus-cni#715: bridge and macvlan do not go together on one VLAN: refused by name, in both orders" {
	local result
	join bridge pod1 1
	result=$out
	settled
	refuses 103 'attach: "macvlan" was asked for, but the VLAN of VNI 10100 has "bridge"' < <(conf macvlan)
	join bridge pod1 1 "{\"prevResult\": $result}" CHECK
	join bridge pod2 2
	reach pod1 2
	leave pod1
	leave pod2

	join macvlan pod1 1
	result=$out
	settled
	refuses 103 'attach: "bridge" was asked for, but the VLAN of VNI 10100 has "macvlan"' < <(conf bridge)
	refuses 103 'attach: "bridge" was asked for, but the VLAN of VNI 10100 has "macvlan"' < <(conf bridge '{"attach": null}')
	join macvlan pod1 1 "{\"prevResult\": $result}" CHECK
	join macvlan pod2 2
	reach pod1 2
}

@test "attach of the node is for networks that name none" {
	local mode
	for mode in $MODES; do
		node_file "{\"attach\": \"$mode\"}"
		join bridge pod1 1 '{"attach": null}'
		is "$(fact pod1 net1 .linkinfo.info_kind)$(ip -n hbr -json link show type vlan | jq length)" \
			"$(case "$mode" in bridge) echo '"veth"1' ;; macvlan) echo '"macvlan"1' ;; direct) echo '"veth"0' ;; esac)"
		# Another default by now is no matter of pods that are there.
		node_file '{}'
		join bridge pod1 1 "{\"attach\": null, \"prevResult\": $out}" CHECK
		join bridge pod1 1 '{"attach": null}' DEL
		is "$(picture host hbr)" ''
	done
}

@test "koko#48, vishvananda/netlink#27: interfaces of that name in the host and in the HBR netns are in nobody's way" {
	local mode
	ip link add net1 type dummy
	ip -n hbr link add net1 type dummy
	settled
	for mode in $MODES; do
		join "$mode" pod1 1
		join "$mode" pod2 2
		reach pod1 2
		is "$(fact pod1 net1 .ifname)$(fact host net1 .linkinfo.info_kind)" '"net1""dummy"'
		leave pod1
		leave pod2
		unchanged
	done
}

# stale NETNS ALIAS: what a run that was killed left under the port's name.
stale() { ip -n "$1" link add "$port" group 1744840564 type veth peer name other && ip -n "$1" link set "$port" alias "$2"; }

@test "cni-plugin#275: a stranger under the port's name stays and is named; what an earlier try left is replaced" {
	local port slug
	works ADD pod1 < <(conf direct)
	port=$(port hbr) slug=$(basename "$NODE_STATE"/hbr-*)
	leave pod1
	ip -n hbr link add "$port" type dummy
	settled
	plugin ADD pod1 < <(conf direct)
	refused 103 "$port in the HBR netns is there already and not ours: rename or remove it"
	unchanged
	ip -n hbr link del "$port"
	stale hbr "hbr-cni:$slug:port:c-pod1/net1"
	works ADD pod1 < <(conf direct)
	is "$(fact hbr "$port" .master)" '"br.10100"'
	leave pod1

	# A macvlan has that name for a moment only; some kernels want it free in the host too.
	ip link add "$port" type dummy
	settled
	plugin ADD pod1 < <(conf macvlan)
	[ "$status" = 0 ] || refused 103 "$port in the host is there already and not ours: rename or remove it"
	[ "$status" != 0 ] || leave pod1
	unchanged
	ip link del "$port"
	ip link add link tr name "$port" netns pod1 group 1744840564 type macvlan mode bridge
	works ADD pod1 < <(conf macvlan)
	is "$(ip -n pod1 -json link | jq -c 'map(.ifname)')" '["lo","net1"]'
}

@test "the pod's side: mac, mtu, promisc, allmulti, disableContainerInterface" {
	local mode
	for mode in macvlan direct; do
		works ADD pod1 < <(conf "$mode" '{"cniVersion": "1.1.0", "mac": "02:00:00:00:00:01", "mtu": 1400, "promisc": true, "allmultiMode": true, "allmulti": true}')
		is "$(fact pod1 net1 '[.address, .mtu, (.flags - ["LOWER_UP"] | join(" "))]')" '["02:00:00:00:00:01",1400,"BROADCAST MULTICAST ALLMULTI PROMISC UP"]'
		is "$(jq -c '.interfaces[0] | [.mac, .mtu]' <<<"$out")" '["02:00:00:00:00:01",1400]'
		is "$(picture host hbr pod1 | grep -o 'mtu [0-9]*' | sort -u)" 'mtu 1400'
		works ADD pod2 < <(conf "$mode" '{"disableContainerInterface": true}')
		is "$(fact pod2 net1 '[(.flags | index("UP")), .operstate, .mtu]')" '[null,"DOWN",1400]'
		works CHECK pod2 < <(conf "$mode" "{\"prevResult\": $out}")
		leave pod1
		leave pod2
	done
}

@test "the pod's side: duplicate address detection, when asked for" {
	local mode
	for mode in macvlan direct; do
		works ADD pod1 < <(conf "$mode" '{"addresses": [{"address": "fd00:1::1/64"}], "enabledad": true}')
		is "$(ip -n pod1 -json addr show dev net1 | jq -c '.[0].addr_info[] | select(.scope == "global") | [.local, .nodad, .tentative]')" '["fd00:1::1",null,null]'
		settled
		refuses 103 'address fd00:1::1/64: another station has it already (duplicate address detection failed)' \
			< <(conf "$mode" '{"addresses": [{"address": "fd00:1::1/64"}], "enabledad": true}')
		join "$mode" pod2 1
		is "$(ip -n pod2 -json addr show dev net1 | jq -c '.[0].addr_info[] | select(.scope == "global" and .family == "inet6") | [.nodad, .tentative]')" '[true,null]'
		leave pod1
		leave pod2
	done
}

@test "the port's side needs a bridge: isolated, hairpin, macspoofchk with direct, and refused with macvlan" {
	local key
	settled
	for key in isolated hairpin macspoofchk portIsolation hairpinMode; do
		case $key in portIsolation) name=isolated ;; hairpinMode) name=hairpin ;; *) name=$key ;; esac
		refuses 2 "$name: true is not possible with attach \"macvlan\": wanted \"bridge\" or \"direct\"" < <(conf macvlan "{\"$key\": true}")
	done
	node_file '{"attach": "macvlan"}'
	refuses 2 'isolated: true is not possible with attach "macvlan": wanted "bridge" or "direct"' < <(conf bridge '{"attach": null, "isolated": true}')
	unset NODE_FILE
	works ADD pod1 < <(conf macvlan '{"isolated": false, "hairpin": false, "macspoofchk": false}')
	leave pod1

	join direct pod1 1 '{"hairpin": true, "macspoofchk": true, "mac": "02:00:00:00:00:01"}'
	is "$(picture hbr | sed -n 's/^hbr pv.* port //p')" 00011
	join direct pod1 1 "{\"prevResult\": $out}" CHECK
	is "$(bridge -n hbr -json fdb show br br.10100 | jq -c 'map(select(.mac == "02:00:00:00:00:01" and .vlan == null and (.ifname | startswith("pv"))) | [.master, .state])')" '[["br.10100","static"]]'
}

@test "direct: isolated pods reach others, but not each other" {
	pod_add pod3
	join direct pod1 1 '{"isolated": true}'
	join direct pod2 2 '{"isolated": true}'
	join direct pod3 3
	is "$(picture hbr | sed -n 's/^hbr pv.* port //p' | sort | xargs)" '10000 10100 10100'
	reach pod1 3
	reach pod2 3
	reaches_not pod1 10.1.0.2
}

@test "direct: macspoofchk lets no other MAC pass" {
	join direct pod1 1 '{"macspoofchk": true}'
	join direct pod2 2
	reach pod1 2
	ip -n pod1 -batch - <<-B
		link set net1 address 02:00:00:00:00:66
		addr flush dev net1
		addr add 10.1.0.1/24 dev net1
		neigh flush dev net1
	B
	reaches_not pod1 10.1.0.2
}

static() { bridge -n hbr -json fdb show br br.10100 | jq -r 'map(select(.state == "static" and .vlan == null) | "\(.ifname) \(.mac) \(.master)")[]' | sed 's/^pv[0-9a-f]*/pv/'; }

@test "a pod with addresses has a static entry where its frames come from: tr.<vlan>, or its port" {
	local mode where
	for mode in $MODES; do
		where=tr.100
		[ "$mode" != direct ] || where=pv
		works ADD pod2 < <(conf "$mode")
		is "$(static)" ''
		join "$mode" pod1 1 '{"mac": "02:00:00:00:00:01"}'
		is "$(static)" "$where 02:00:00:00:00:01 br.10100"
		leave pod1
		is "$(static)" ''
		join "$mode" pod1 1 '{"mobile": true}'
		is "$(static)" ''
		leave pod1
		leave pod2
	done
}

@test "cni#84, podman#24432, moby#47176: every way, each address is announced at ADD, and a peer forgets the old MAC at once" {
	local mode seen
	for mode in $MODES; do
		join "$mode" pod2 2
		ip -n pod2 -batch - <<-B
			neigh add 10.1.0.1 lladdr 02:00:00:00:00:66 dev net1 nud reachable
			neigh add fd00:1::1 lladdr 02:00:00:00:00:66 dev net1 nud reachable
		B
		# What the bridge in the HBR netns gets, EVPN gets.
		capture hbr br.10100 'arp or (icmp6 and ip6[40] = 136)'
		join "$mode" pod1 1 '{"mac": "02:00:00:00:00:01"}'
		seen=$(captured)
		contains "$seen" '02:00:00:00:00:01 > ff:ff:ff:ff:ff:ff, ethertype ARP (0x0806), length 42: Request who-has 10.1.0.1 tell 10.1.0.1'
		contains "$seen" '02:00:00:00:00:01 > 33:33:00:00:00:01' 'neighbor advertisement, tgt is fd00:1::1,'
		is "$(ip -n pod2 -json neigh show dev net1 | jq -r '.[] | select(.dst == "10.1.0.1" or .dst == "fd00:1::1") | .lladdr' | uniq)" '02:00:00:00:00:01'
		reach pod2 1
		leave pod1
		leave pod2
	done
}

@test "a queue of the trunk's that drops the announcement is a warning: the pod is there, and reached" {
	settled
	tc qdisc replace dev tr root pfifo limit 0
	join macvlan pod1 1
	contains "$err" 'warning: the announcement of 10.1.0.1 out of net1 was dropped on its way' 'warning: the announcement of fd00:1::1 out of net1 was dropped'
	tc qdisc del dev tr root
	join macvlan pod2 2
	lacks "$err" announcement
	reach pod2 1
	leave pod1
	leave pod2
	unchanged
}

@test "k3s#9957, kubevirt#1494: the pod's MAC follows from network, container and interface, however it is attached" {
	local mode first=''
	for mode in $MODES; do
		works ADD pod1 < <(conf "$mode")
		mac=$(jq -r '.interfaces[0].mac' <<<"$out")
		[[ $mac == 02:* ]]
		is "$mac" "${first:=$mac}"
		works ADD pod1 net2 < <(conf "$mode")
		works ADD pod2 < <(conf "$mode")
		CONTAINERID=c-pod3 works ADD pod2 net3 < <(conf "$mode")
		is "$({ ip -n pod1 -json link; ip -n pod2 -json link; } | jq -s 'add | map(select(.ifname != "lo") | .address) | unique | length')" 4
		CONTAINERID=c-pod3 works DEL pod2 net3 < <(conf "$mode")
		works DEL pod1 net2 < <(conf "$mode")
		leave pod1
		leave pod2
	done
	works ADD pod1 < <(conf bridge '{"name": "red"}')
	[ "$(jq -r '.interfaces[0].mac' <<<"$out")" != "$first" ]
}

# taken MAC POD: what a second one with it is told.
taken() { echo "mac: $1 is taken: net1 of container c-$2 has it in the L2 domain of VNI 10100: wanted another one"; }

@test "the second pod of a domain with a MAC is refused, and who has it is named; the first loses nothing" {
	local mode entry same='{"mac": "02:00:00:00:00:01", "addresses": [{"address": "10.1.0.2/24"}]}'
	for mode in $MODES; do
		join "$mode" pod1 1 '{"mac": "02:00:00:00:00:01"}'
		entry=$(static)
		[ -n "$entry" ]
		settled
		refuses 103 "$(taken 02:00:00:00:00:01 pod1)" < <(conf "$mode" "$same")
		refuses 103 "$(taken 02:00:00:00:00:01 pod1)" < <(conf "$mode" '{"mac": "02:00:00:00:00:01"}')
		refuses 103 "$(taken 02:00:00:00:00:01 pod1)" < <(conf direct "$same")
		leave pod2
		# An ADD that got no further than its record.
		WRAP=(strace -qq -o /dev/null -e trace=renameat -e inject=renameat:signal=KILL:when=2)
		plugin ADD pod2 < <(conf "$mode" "$same")
		WRAP=()
		is "$status$(find "$NODE_STATE" -path '*/attachments/*.json' | wc -l)" 1372
		leave pod2
		is "$(static)" "$entry"
		unchanged
		# Somewhere else it is nobody's, and here it is free again with the first one's DEL.
		works ADD pod2 net2 < <(conf direct '{"vni": 10200, "mac": "02:00:00:00:00:01"}')
		works DEL pod2 net2 < <(conf direct)
		leave pod1
		join "$mode" pod2 2 '{"mac": "02:00:00:00:00:01"}'
		leave pod2
		is "$(picture host hbr)$(find "$NODE_STATE"/*/domains -mindepth 1)" ''
	done
}

@test "a MAC that is mobile can be there twice, but for two macvlans; the entry of one that is not stays" {
	local mode entry
	join bridge pod1 1 '{"mac": "02:00:00:00:00:01"}'
	entry=$(static)
	join bridge pod2 2 '{"mac": "02:00:00:00:00:01", "mobile": true}'
	leave pod2
	is "$(static)" "$entry"
	leave pod1
	for mode in bridge direct; do
		join "$mode" pod1 1 '{"mac": "02:00:00:00:00:01", "mobile": true}'
		join "$mode" pod2 2 '{"mac": "02:00:00:00:00:01", "mobile": true}'
		is "$(fact pod1 net1 .address)$(fact pod2 net1 .address)" '"02:00:00:00:00:01""02:00:00:00:00:01"'
		leave pod1
		leave pod2
	done
	join macvlan pod1 1 '{"mac": "02:00:00:00:00:01", "mobile": true}'
	settled
	refuses 103 'the MAC address 02:00:00:00:00:01 is taken: another pod on the VLAN has it' < <(conf macvlan '{"mac": "02:00:00:00:00:01", "mobile": true}')
}

@test "a dead pod's MAC is free, whoever else is in the domain, and so is one whose record is lost" {
	local mode n
	pod_add pod3
	for mode in $MODES; do
		join "$mode" pod1 1 '{"mac": "02:00:00:00:00:01"}'
		for n in 2 3 4 5 6 7; do works ADD pod2 "net$n" < <(conf "$mode"); done
		pod_del pod1
		join "$mode" pod3 3 '{"mac": "02:00:00:00:00:01"}'
		is "$err$(find "$NODE_STATE" -path '*/attachments/*.json' | wc -l)" 7
		rm "$(grep -l c-pod3 "$NODE_STATE"/*/attachments/*.json)"
		pod_add pod1
		works ADD pod1 < <(conf "$mode" '{"mac": "02:00:00:00:00:01", "disableContainerInterface": true}')
		leave pod1
		# One that has come back with another MAC claims the old one no more.
		leave pod3
		join "$mode" pod3 3 '{"mac": "02:00:00:00:00:01"}'
		rm "$(grep -l c-pod3 "$NODE_STATE"/*/attachments/*.json)"
		leave pod3
		join "$mode" pod3 3 '{"mac": "02:00:00:00:00:03"}'
		join "$mode" pod1 1 '{"mac": "02:00:00:00:00:01"}'
		leave pod1
		leave pod3
		for n in 2 3 4 5 6 7; do works DEL pod2 "net$n" < <(conf "$mode"); done
		is "$(picture host hbr)$(find "$NODE_STATE"/*/domains -mindepth 1)" ''
	done
}

@test "direct: the trunk is not asked: not for its MTU, and not at all" {
	local mode result
	ip link set tr mtu 1400
	join direct pod1 1
	result=$out
	is "$(fact hbr br.10100 .mtu)$(fact pod1 net1 .mtu)" 15001500
	settled
	for mode in bridge macvlan; do
		refuses 103 "mtu: the L2 domain of VNI 10100 has 1500, but attach \"$mode\" needs at most 1400 (the trunk tr of the host has 1400)" < <(conf "$mode")
	done
	join direct pod1 1 "{\"prevResult\": $result}" CHECK
	ip link del tr
	join direct pod2 2
	reach pod1 2 1500
	leave pod1
	leave pod2
	is "$(picture host hbr)" ''
}

@test "macvlan and direct: the VLAN is the lowest free one where a pod needs one, and the MTU what its path carries" {
	node_file '{"vlanRange": "5-7"}'
	ip link set tr mtu 1400
	ip link add link tr name other type vlan id 5
	works ADD pod1 < <(conf direct '{"vlan": null, "vni": 10200}')
	is "$(fact pod1 net1 .mtu)$(find "$NODE_STATE" -name 'trunk-*')" 1500
	works ADD pod1 net2 < <(conf macvlan '{"vlan": null}')
	works ADD pod2 < <(conf macvlan '{"vlan": null, "name": "other"}')
	is "$(fact pod1 net2 .mtu)$(fact pod2 net1 '[.mtu, .link_index]')" "1400[1400,$(fact host tr.6 .ifindex)]"
	is "$(picture host hbr | grep 10100 | grep -o 'mtu [0-9]*' | sort -u)" 'mtu 1400'
	works ADD pod2 net2 < <(conf macvlan '{"vlan": null, "vni": 10300}')
	has_link host tr.7
	settled
	plugin ADD pod2 net3 < <(conf macvlan '{"vlan": null, "vni": 10400}')
	refused 103 'no VLAN is free on this node: the range 5-7 (vlanRange) is used up'
	unchanged
	# The domain has it as long as anybody is in it, and whatever becomes of its links.
	works DEL pod1 net2 < <(conf macvlan)
	ip link del tr.6
	ip -n hbr link del tr.6
	works DEL pod2 net2 < <(conf macvlan)
	works ADD pod2 net3 < <(conf macvlan '{"vlan": null, "vni": 10400}')
	has_link host tr.7
	works ADD pod1 net2 < <(conf macvlan '{"vlan": null}')
	is "$(fact pod1 net2 .link_index)" "$(fact host tr.6 .ifindex)"
}

@test "the pod's side: IPv6 that is off in the pod is on where an IPv6 address is, and there only" {
	local mode off='cd /proc/sys/net/ipv6/conf; cat lo/disable_ipv6 default/disable_ipv6 net1/disable_ipv6'
	at pod1 sh -c 'cd /proc/sys/net/ipv6/conf; echo 1 >all/disable_ipv6'
	for mode in $MODES; do
		works ADD pod1 < <(conf "$mode" '{"addresses": [{"address": "10.1.0.1/24"}]}')
		is "$(at pod1 sh -c "$off" | xargs)" '1 1 1'
		leave pod1
		join "$mode" pod1 1
		is "$(at pod1 sh -c "$off" | xargs)" '1 1 0'
		join "$mode" pod2 2
		reach pod2 1
		leave pod1
		leave pod2
	done
}
