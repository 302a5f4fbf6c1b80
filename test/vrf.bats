#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=ubsan
# weight: 58
# VRFs on one node without FRR: hbr-vrf, its routed port, gateways of L2 domains, what both plugins share.
load helpers
load vrf

setup() {
	need vrf vlan
	node_up
	pod_add pod1 pod2
}
teardown() { node_down; }

@test "ADD makes a VRF with an L3VNI and a routed port, CHECK agrees, the last DEL removes all of it" {
	snapshot_take
	vrf works ADD pod1 < <(l3 red "\"vni\": 5000, $(addresses_of 1), $EVERYWHERE")
	is "$(jq -c '[.ips[] | .address, .gateway], [.routes[].gw], .interfaces[0].mtu' <<<"$out")" '["10.9.0.1/32","169.254.1.1","fd09::1/128","fe80::1"]
["169.254.1.1","fe80::1"]
1500'
	is "$(fact hbr red '[.linkinfo.info_data.table, .group]')" '[1005000,"1744835464"]'
	is "$(fact hbr br.5000 '[.master, .operstate, .inet6_addr_gen_mode]')" '["red","UP","none"]'
	is "$(fact hbr vx.5000 '[.master, .linkinfo.info_data.id, .linkinfo.info_slave_data.learning]')" '["br.5000",5000,false]'
	is "$(ip -n hbr -json route show table 1005000 proto 104 | jq -c 'map([.type, .dst, .metric])')" '[["unreachable","default",4278198272],[null,"10.9.0.1",null]]'
	is "$(ip -n hbr -json -6 route show table 1005000 proto 104 | jq -c 'map([.type, .dst])')" '[[null,"fd09::1"],["unreachable","default"]]'
	vrf works ADD pod2 < <(l3 red "$(addresses_of 2), $EVERYWHERE")
	prev=$out
	reaches pod1 10.9.0.2 1500
	reaches pod1 fd09::2
	vrf works CHECK pod2 < <(l3 red "$(addresses_of 2), $EVERYWHERE, \"prevResult\": $prev")
	vrf works DEL pod1 < <(l3 red)
	vrf works DEL pod2 < <(l3 red)
	snapshot_same
}

@test "without a VNI there is only the VRF, with the lowest free table; without addresses the port is unnumbered" {
	ip -n hbr link add other type vrf table 900000
	snapshot_take
	vrf works ADD pod1 < <(l3 red)
	is "$(jq -c '[.ips, .routes]' <<<"$out")" '[null,null]'
	is "$(fact hbr red .linkinfo.info_data.table)" 900001
	vrf works ADD pod2 < <(l3 blue)
	is "$(fact hbr blue .linkinfo.info_data.table)" 900002
	is "$(ip -n hbr -json link show type vxlan | jq -c 'map(.ifname // empty)')" '[]'
	reaches pod1 fe80::1%net1
	# A table is its domain's, also while the VRF is away.
	pod_add pod3
	ip -n hbr link del blue
	vrf works ADD pod3 < <(l3 green)
	is "$(fact hbr green .linkinfo.info_data.table)" 900003
	vrf works DEL pod1 < <(l3 red)
	vrf works DEL pod2 < <(l3 blue)
	vrf works DEL pod3 < <(l3 green)
	snapshot_same
}

@test "addresses of an IPAM plugin become a host's; routes keep mtu, advmss, priority and table; no default route by itself" {
	local ipam='"cniVersion": "1.0.0", "ipam": {"type": "static", "addresses": [{"address": "10.9.0.7/24", "gateway": "10.9.0.254"}]}'
	vrf works ADD pod1 < <(l3 red "$ipam")
	is "$(jq -c '[.ips[0].address, .ips[0].gateway, .routes]' <<<"$out")" '["10.9.0.7/32","169.254.1.1",null]'
	is "$(ip -n pod1 -json route | jq -c 'map(.dst)')" '["169.254.1.1"]'
	vrf works DEL pod1 < <(l3 red "$ipam")
	vrf works ADD pod1 < <(l3 red '"addresses": [{"address": "10.9.0.7/24"}], "routes": [{"dst": "10.0.0.0/8", "mtu": 1400, "advmss": 1300, "priority": 77}, {"dst": "11.0.0.0/8", "table": 50}]')
	is "$(ip -n pod1 -json route show 10.0.0.0/8 | jq -c '.[0] | [.gateway, .metric, .metrics[0].mtu, .metrics[0].advmss]')" '["169.254.1.1",77,1400,1300]'
	is "$(ip -n pod1 -json route show table 50 | jq -c '.[0] | [.dst, .gateway]')" '["11.0.0.0/8","169.254.1.1"]'
}

@test "a VRF that is there is used with its table, and stays as it was" {
	ip -n hbr -batch - <<-B
		link add red type vrf table 77
		link set red up
		route add 10.77.0.0/16 dev red table 77
	B
	snapshot_take
	vrf works ADD pod1 < <(l3 red "\"vni\": 5000, $(addresses_of 1)")
	is "$(ip -n hbr -json route show table 77 proto 104 | jq -c 'map(.dst)')" '["10.9.0.1"]'
	vrf works DEL pod1 < <(l3 red)
	snapshot_same
	vrf plugin ADD pod1 < <(l3 red '"table": 78')
	refused 103 'table: 78 was asked for, but the VRF red in the HBR netns has 77'
	snapshot_same
}

@test "what differs from what is there or remembered is refused with both values, and nothing changes" {
	ip -n hbr link add other type vrf table 77
	works ADD pod2 < <(l2 10100)
	vrf works ADD pod1 < <(l3 red '"vni": 5000')
	snapshot_take "${QUIET[@]}"
	while IFS='|' read -r code name keys text; do
		vrf plugin ADD pod2 net2 < <(l3 "$name" "$keys")
		refused "$code" "$text" && snapshot_same "${QUIET[@]}" || { echo "$name $keys" >&2; return 1; }
	done <<-'E'
		103|blue|"table": 77|table: 77 is the table of the VRF other on this node: wanted another one
		103|blue|"table": 1005000|table: 1005000 is the table of the VRF red on this node
		103|blue|"vni": 5000|vni: 5000 is in use on this node by the VRF red: wanted another one
		103|blue|"vni": 10100|vni: 10100 is in use on this node by the L2 domain 10100: wanted another one
		103|red|"vni": 5001|vni: 5001 was asked for, but the VRF red has 5000
		103|red|"table": 7|table: 7 was asked for, but the VRF red has 1005000
		103|red|"routeTargets": {"import": ["1:1"]}|routeTargets: {"import":["1:1"],"export":[]} was asked for, but the VRF red has {"import":[],"export":[]}
		103|ul|"vni": 6000|vrf: "ul" in the HBR netns is a veth: wanted a VRF
		7|blue|"table": 254|table: 254 is not allowed
		7|red|"mtu": 1501|mtu: 1501 is more than the VRF red can carry: wanted at most 1500
	E
	plugin ADD pod2 net2 < <(l2 5000)
	refused 103 'vni: 5000 is in use on this node by the VRF red: wanted another one'
	snapshot_same "${QUIET[@]}"
}

@test "what a VRF does not know does not leave by the main table, and would without its last route" {
	ip -n hbr route add default via 172.16.1.0
	vrf works ADD pod1 < <(l3 red "$(addresses_of 1), $EVERYWHERE")
	leaving() { # left: how many of three packets
		capture hbr ul dst 198.51.100.1
		at pod1 ping -q -c 3 -i 0.2 -W 1 198.51.100.1 >/dev/null || :
		left=$(captured | wc -l)
	}
	leaving
	is "$left" 0
	ip -n hbr route del unreachable default table 900000 metric 4278198272
	leaving
	is "$left" 3
}

@test "openperouter#564: the L3VNI takes packets whatever way leads back, and ADD warns of what overrides that" {
	at hbr sh -c 'echo 1 >/proc/sys/net/ipv4/conf/default/rp_filter'
	vrf works ADD pod1 < <(l3 red '"vni": 5000')
	is "$err" ''
	is "$(at hbr cat /proc/sys/net/ipv4/conf/br.5000/{rp_filter,forwarding})" $'0\n1'
	vrf works DEL pod1 < <(l3 red)
	for value in 1 2; do
		at hbr sh -c "echo $value >/proc/sys/net/ipv4/conf/all/rp_filter"
		vrf works ADD pod1 < <(l3 red '"vni": 5000')
		contains "$err" "the VRF red: net.ipv4.conf.all.rp_filter is $value in the HBR netns: wanted 0: "
		vrf works ADD pod2 < <(l3 red)
		is "$err" ''
		vrf works DEL pod1 < <(l3 red)
		vrf works DEL pod2 < <(l3 red)
	done
}

@test "a spoofed source does not pass a routed port" {
	vrf works ADD pod1 < <(l3 red "$(addresses_of 1), $EVERYWHERE")
	vrf works ADD pod2 < <(l3 red "$(addresses_of 2), $EVERYWHERE")
	ip -n pod1 addr add 10.66.0.1/32 dev lo
	ip -n pod1 link set lo up
	seen() { at pod2 cat /proc/net/snmp | awk '/^Icmp:/ && $2 ~ /[0-9]/ { print $2 }'; }
	reaches pod1 10.9.0.2
	before=$(seen)
	at pod1 ping -q -c 3 -i 0.2 -W 1 -I 10.66.0.1 10.9.0.2 >/dev/null || :
	is "$(seen)" "$before"
	for port in $(ip -n hbr -json link show master red | jq -r '.[].ifname'); do
		at hbr sh -c "echo 0 >/proc/sys/net/ipv4/conf/$port/rp_filter"
	done
	at pod1 ping -q -c 3 -i 0.2 -W 1 -I 10.66.0.1 10.9.0.2 >/dev/null || :
	[ "$(seen)" -gt "$before" ]
}

@test "two tenants with the same addresses do not see each other" {
	pod_add pod3
	vrf works ADD pod1 < <(l3 red "$(addresses_of 1), $EVERYWHERE")
	vrf works ADD pod2 < <(l3 blue "$(addresses_of 1), $EVERYWHERE")
	vrf works ADD pod3 < <(l3 blue "$(addresses_of 2), $EVERYWHERE")
	reaches pod2 10.9.0.2
	reaches_not pod1 10.9.0.2
	reaches_not pod1 fd09::2
}

@test "a gateway: addresses, MAC, neighbours of pods whose addresses are known, gone with them" {
	local leased='"ipam": {"type": "static", "addresses": [{"address": "10.1.0.6/24"}, {"address": "fd01::6/64"}]}'
	snapshot_take
	works ADD pod1 < <(l2 10100 "$BLUE, \"addresses\": [{\"address\": \"10.1.0.5/24\"}, {\"address\": \"fd01::5/64\"}]")
	works ADD pod2 < <(l2 10100 "$leased")
	is "$(ip -n hbr -json addr show dev br.10100 | jq -c '[.[0].addr_info[].local]')" '["10.1.0.1","fd01::1","fe80::1"]'
	permanent() { ip -n hbr -json neigh show dev br.10100 nud permanent | jq -c 'map(.dst) | sort'; }
	is "$(permanent)" '["10.1.0.5","10.1.0.6","fd01::5","fd01::6"]'
	reaches pod1 10.1.0.1
	reaches pod2 fd01::1
	plugin ADD pod2 net2 < <(l2 10100 '"addresses": [{"address": "10.1.0.5/24"}]')
	refused 103 'the address 10.1.0.5 is taken: the pod with the MAC address'
	plugin ADD pod2 net2 < <(l2 10100 '"gateway": ["10.1.0.2/24"]')
	refused 103 'gateway: ["10.1.0.2/24"] was asked for, but the L2 domain of VNI 10100 has ["10.1.0.1/24","fd01::1/64"]'
	is "$(permanent)" '["10.1.0.5","10.1.0.6","fd01::5","fd01::6"]'
	works DEL pod2 < <(l2 10100 "$leased")
	is "$(permanent)" '["10.1.0.5","fd01::5"]'
	# When ADD dies before its end, what IPAM gave is written down nowhere.
	WRAP=(strace -qq -o /dev/null -e trace=sendto -e inject=sendto:signal=KILL:when=1)
	plugin ADD pod2 < <(l2 10100 "$leased")
	WRAP=()
	is "$status$(permanent)" '137["10.1.0.5","10.1.0.6","fd01::5","fd01::6"]'
	works DEL pod2 < <(l2 10100 "$leased")
	is "$(permanent)" '["10.1.0.5","fd01::5"]'
	works DEL pod1 < <(l2 10100)
	snapshot_same
}

@test "a domain in a VRF without a gateway announces MACs only" {
	works ADD pod1 < <(l2 10100 '"vrf": "hbr", "addresses": [{"address": "10.1.0.5/24"}, {"address": "fd01::5/64"}]')
	is "$(ip -n hbr -json neigh show dev br.10100 | jq -c 'map(.dst)')" '[]'
	is "$(at hbr cat /proc/sys/net/ipv6/conf/br.10100/disable_ipv6)" 1
}

@test "one VRF, both plugins, three networks: it stays while one of them is left, in every order" {
	local order step
	pod_add pod3
	add() {
		case $1 in
		1) works ADD pod1 < <(l2 10100 "$BLUE, \"addresses\": [{\"address\": \"10.1.0.5/24\"}]") ;;
		2) works ADD pod2 < <(l2 10200 '"vrf": {"name": "red", "vni": 5000}, "gateway": ["10.2.0.1/24"], "addresses": [{"address": "10.2.0.5/24"}]') ;;
		3) vrf works ADD pod3 < <(l3 red '"vni": 5000, "addresses": [{"address": "10.9.0.1/32"}]') ;;
		esac
	}
	del() {
		case $1 in
		1) works DEL pod1 < <(l2 10100) ;;
		2) works DEL pod2 < <(l2 10200) ;;
		3) vrf works DEL pod3 < <(l3 red) ;;
		esac
	}
	snapshot_take
	for order in '1 2 3' '1 3 2' '2 1 3' '2 3 1' '3 1 2' '3 2 1'; do
		add 1 && add 2 && add 3 || return 1
		mac=$(fact hbr br.5000 .address)
		is "$mac" "${router:-$mac}"
		router=$mac
		for step in $order; do
			has_link hbr red || { echo "gone before $step of $order" >&2; return 1; }
			del "$step" || return 1
		done
		snapshot_same || { echo "after $order" >&2; return 1; }
	done
}

@test "CHECK says what a VRF, its port or a gateway has lost; DEL takes the rest" {
	snapshot_take "${QUIET[@]}"
	vrf works ADD pod1 < <(l3 red "\"vni\": 5000, $(addresses_of 1)")
	routed=$out
	works ADD pod2 < <(l2 10100 "$BLUE, \"addresses\": [{\"address\": \"10.1.0.5/24\"}]")
	bridged=$out
	port=$(ip -n hbr -json link show master red | jq -r '.[].ifname | select(startswith("pv"))')
	# LOSS|PLUGIN|TEXT
	while IFS='|' read -r loss which text; do
		eval "ip -n hbr $loss"
		if [ "$which" = vrf ]; then
			vrf plugin CHECK pod1 < <(l3 red "\"vni\": 5000, $(addresses_of 1), \"prevResult\": $routed")
		else
			plugin CHECK pod2 < <(l2 10100 "$BLUE, \"addresses\": [{\"address\": \"10.1.0.5/24\"}], \"prevResult\": $bridged")
		fi
		refused 106 "$text" || { echo "$loss" >&2; return 1; }
	done <<-'E'
		neigh del 10.1.0.5 dev br.10100|l2|the permanent neighbour 10.1.0.5 on br.10100 in the HBR netns is missing
		addr del 10.1.0.1/24 dev br.10100|l2|br.10100 in the HBR netns has lost its gateway address 10.1.0.1/24
		-6 route del fd09::1 dev $port table 1005000|vrf|the route to fd09::1/128 through
		addr del 169.254.1.1/32 dev $port|vrf|in the HBR netns has lost its address 169.254.1.1
		route del unreachable default table 1005000 metric 4278198272|vrf|the VRF red in the HBR netns has lost its unreachable default
		link set lo up|l2|the VRF red in the HBR netns has lost its unreachable default
		link set vx.5000 down|vrf|vxlan vx.5000 in the HBR netns is down, wanted up
	E
	works DEL pod2 < <(l2 10100)
	vrf works DEL pod1 < <(l3 red)
	snapshot_same "${QUIET[@]}"
}

@test "state that is lost: DEL goes by the marks, and takes the VRF, its L3VNI and its table's end" {
	snapshot_take
	vrf works ADD pod1 < <(l3 red "\"vni\": 5000, $(addresses_of 1)")
	works ADD pod2 < <(l2 10100 "$BLUE, \"addresses\": [{\"address\": \"10.1.0.5/24\"}]")
	rm -rf "$NODE_STATE"
	works DEL pod2 < <(l2 10100)
	has_link hbr red
	vrf works DEL pod1 <<<'{"cniVersion": "1.1.0", "name": "red", "type": "hbr-vrf"}'
	rm -rf "$NODE_STATE"
	snapshot_same
	is "$(ip -n hbr -json route show table 1005000)" '[]'
}

@test "links that a crash left down are finished by the next ADD" {
	works ADD pod1 < <(l2 10100 "$BLUE")
	ip -n hbr -batch - <<-B
		link set br.10100 down
		addr flush dev br.10100
		link set vx.5000 down
		link set br.5000 down
		route del unreachable default table 1005000 metric 4278198272
	B
	works ADD pod2 < <(l2 10100 '"addresses": [{"address": "10.1.0.6/24"}, {"address": "fd01::6/64"}]')
	reaches pod2 10.1.0.1
	reaches pod2 fd01::1
	is "$(ip -n hbr -json link show up | jq -c 'map(.ifname) | map(select(. == "br.5000" or . == "vx.5000")) | sort')" '["br.5000","vx.5000"]'
	is "$(ip -n hbr -json route show table 1005000 type unreachable | jq length)" 1
}

@test "the type of a network was changed since ADD: DEL is the recorded plugin's; where that is missing, the pod's part goes, and the rest by hbrctl gc" {
	local other LEASED='"ipam": {"type": "host-local", "dataDir": "/run/leases", "ranges": [[{"subnet": "10.9.0.0/24"}]]}'
	leased() { find /run/leases -name '10.9.*' | wc -l; }
	routed() { l3 red "\"vni\": 5000, $LEASED" | jq -c '.cniVersion = "1.0.0"'; }
	snapshot_take
	vrf works ADD pod1 < <(routed)
	is "$(leased)" 1
	bridged works DEL pod1 < <(l2 10100)
	is "$out$err$(leased)" 0
	no_link pod1 net1
	snapshot_same
	bridged works ADD pod1 < <(l2 10100 "$LEASED, $BLUE")
	vrf works DEL pod1 < <(l3 red)
	is "$out$err$(leased)" 0
	no_link pod1 net1
	snapshot_same

	for other in hbr-vrf hbr-l2; do
		if [ $other = hbr-vrf ]; then
			vrf works ADD pod1 < <(routed)
			printf '#!/bin/sh\nexit 3\n' >"$BATS_TEST_TMPDIR/hbr-vrf"
			chmod +x "$BATS_TEST_TMPDIR/hbr-vrf"
			CNI_PATH=$BATS_TEST_TMPDIR bridged plugin DEL pod1 < <(l2 10100)
			refused 105 'plugin hbr-vrf: exit status 3, and no CNI error on its standard output: (nothing)'
			has_link pod1 net1
			CNI_PATH=/usr/lib/cni bridged works DEL pod1 < <(l2 10100)
		else
			bridged works ADD pod1 < <(l2 10100 "$LEASED, $BLUE")
			CNI_PATH=/usr/lib/cni vrf works DEL pod1 < <(l3 red)
		fi
		contains "$err" "there is no plugin \"$other\" in CNI_PATH \"/usr/lib/cni\"; what it leaves goes with \"hbrctl gc\""
		is "$out$(leased)" 0
		no_link pod1 net1
		has_link hbr red
		pod_del pod1
		"$PLUGINS_DIR/sbin/hbrctl" gc 3>&- 4>&-
		snapshot_same -x '*/locks/*'
		pod_add pod1
	done
	# Something else has its name: it is asked once, and does not ask itself.
	vrf works ADD pod1 < <(l3 red)
	ln -sf "$PLUGINS_DIR/hbr-l2" "$BATS_TEST_TMPDIR/hbr-vrf"
	CNI_PATH=$BATS_TEST_TMPDIR bridged works DEL pod1 < <(l2 10100)
	no_link pod1 net1
}
