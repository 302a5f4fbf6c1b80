#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=fabric
# weight: 235
# VRFs across two nodes by EVPN: routed pods, tenants, leaks, what FRR announces and what it does not.
load helpers
load fabric
load vrf # without cnitool, on node 1

setup_file() {
	need vrf vlan
	fabric_up
	tenant red 5000
	tenant blue 5001
}
teardown_file() { fabric_down; }

setup() {
	pods=(pod1 pod2 pod3 pod4)
	pod_add "${pods[@]}"
	fabric_take
	log_mark
	read -rd '' -a daemons < <(cat "$FRR_DIR"/*/*.pid) || :
}
teardown() {
	pod_del "${pods[@]}" 2>/dev/null || :
	fabric_mend
}

# tenant VRF VNI [KEYS]: a network of that name, the pods of which send all of 10/8 and fd00::/8 there.
tenant() {
	network "$1" hbr-vrf "$(jq -n --arg vrf "$1" --argjson vni "$2" --argjson keys "${3:-{\}}" \
		'{$vrf, $vni, routes: [{dst: "10.0.0.0/8"}, {dst: "fd00::/8"}]} + $keys')"
}

# join NODE NETWORK POD NUMBER: with the addresses of that number, IPv4 and IPv6.
join() { on "$1" add "$2" "$3" "10.9.0.$4/24" "fd09::$4/64"; }
leave() { on "$1" del "$2" "$3"; }

# at_once CALL...: each of these lines at the same time; all must succeed.
at_once() {
	local call status=0
	local -a running=()
	for call; do
		eval "$call" 3>&- 4>&- &
		running+=($!)
	done
	for call in "${running[@]}"; do
		wait "$call" || status=1
	done
	return $status
}

reach() { reaches "$1" "10.9.0.$2" && reaches "$1" "fd09::$2"; } # POD NUMBER
reach_not() { reaches_not "$1" "10.9.0.$2" && reaches_not "$1" "fd09::$2"; }
known() { within "$1" 5 "[10.9.0.$2]" && within "$1" 5 "[fd09::$2]"; } # NETNS NUMBER
forgotten() { gone_from "$1" 5 "[10.9.0.$2]" && gone_from "$1" 5 "[fd09::$2]"; }

# The EVPN routes of its own that node 1's bgpd has sent since log_mark, as its log has them: a line for each.
log_mark() { marked=$(stat -c %s "$FRR_DIR/hbr/bgpd.log"); }
logged() { tail -c +$((marked + 1)) "$FRR_DIR/hbr/bgpd.log" | grep 'send UPDATE RD 10\.0\.0\.1:' | grep -o '\[[1-5]\]:[^ ]*' | sort -u; }
has_logged() { [[ "$(logged)" == *"$1"* ]]; }

# echoes POD: how many pings it has got, in both families.
echoes() {
	at "$1" cat /proc/net/snmp /proc/net/snmp6 |
		awk '/^Icmp: [0-9]/ { n += $10 } $1 == "Icmp6InEchos" { n += $2 } END { print n }'
}

# routes NETNS VRF: where they lead to.
routes() {
	{ ip -n "$1" -json route show vrf "$2"; ip -n "$1" -json -6 route show vrf "$2"; } | jq -sr 'add |
		map(select((.type // "unicast" | IN("unicast", "unreachable")) and (.dst | startswith("fe80") | not)) | .dst) | unique | join(" ")'
}

# port_in VRF [NETNS]: of the pod that came last.
port_in() { ip -n "${2:-hbr}" -json link show master "$1" | jq -r 'map(.ifname | select(startswith("pv")))[-1]'; }

@test "pods of one VRF on two nodes, dual-stack, IPv6-only, without addresses: type-5 routes come and go, no type-3, no default" {
	# cni-plugin#380: a pod in which no link gets a link-local address by itself.
	at pod3 sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/addr_gen_mode'
	# frr#17483: while pods come no link of the VRF goes down, or up again.
	events=$BATS_TEST_TMPDIR/events
	ip -n hbr monitor link >"$events" 3>&- 4>&- &
	monitor=$!
	until_true 10 event hbr hbn 1498
	join 1 red pod1 1
	join 2 red pod2 2
	on 1 add red pod3 fd09::3/64
	until_true 10 event hbr hbn 1500
	kill "$monitor"
	is "$(ups '(vx|br)[.]|red')" 'br.5000 1
red 1
vx.5000 1'
	on 2 add red pod4
	known hbr2 1
	known hbr 2
	within hbr2 5 '[fd09::3]'
	reach pod1 2
	reaches pod1 10.9.0.2 1500
	reaches pod2 fd09::1 1500
	reaches pod3 fd09::2
	is "$(ip -n pod3 -json addr show dev net1 | jq -c '[.[0].addr_info[] | [.local, .prefixlen, .tentative // false]]')" '[["fd09::3",128,false]]'

	# Nothing is known of the last one's, until the site says what it brings.
	reaches pod4 fe80::1%net1
	is "$(evpn hbr 5 | grep -c ' 10.0.0.2$')" 2
	ip -n pod4 addr add 10.9.0.4/32 dev net1
	ip -n hbr2 route add 10.9.0.4/32 dev "$(port_in red hbr2)" vrf red
	within hbr 5 '[10.9.0.4]'
	reaches pod1 10.9.0.4

	is "$(evpn hbr 3)" ''
	lacks "$(evpn hbr 5; evpn hbr2 5)" '[5]:[0]:[0]:'
	lacks "$(evpn hbr 5; evpn hbr2 5)" '169.254.'
	is "$(logged)" '[5]:[0]:[128]:[fd09::1]
[5]:[0]:[128]:[fd09::3]
[5]:[0]:[32]:[10.9.0.1]'

	leave 2 red pod4
	gone_from hbr 5 '[10.9.0.4]'
	leave 1 red pod3
	gone_from hbr2 5 '[fd09::3]'
	has_evpn hbr2 5 '[fd09::1]'
	slow_frr
	leave 1 red pod1
	forgotten hbr2 1
	unset HBR_CNI_NODE
	leave 2 red pod2
	forgotten hbr 2
	fabric_same
	lacks "$(logged)" '[3]:'
}

# Node 1's FRR is left to itself for a while after each thing that it was told.
slow_frr() {
	cat >"$BATS_TEST_TMPDIR/vtysh" <<-'E'
		#!/bin/bash
		vtysh "$@" || exit
		[[ "$*" != *'configure terminal'* ]] ||
			for time in 1 2 3; do vtysh "${@:1:2}" -c 'show bgp l2vpn evpn' >/dev/null; done
	E
	chmod +x "$BATS_TEST_TMPDIR/vtysh"
	echo "{\"frr\": {\"vtySocketDir\": \"/run/frr/hbr\", \"vtysh\": \"$BATS_TEST_TMPDIR/vtysh\"}}" >"$BATS_TEST_TMPDIR/node.json"
	export HBR_CNI_NODE=$BATS_TEST_TMPDIR/node.json
}

@test "the logs that these tests look into would show a type-3 of an L3VNI, and a default" {
	echo '{}' >"$BATS_TEST_TMPDIR/node.json"
	export HBR_CNI_NODE=$BATS_TEST_TMPDIR/node.json
	# Nobody has told FRR: the links come up, and it is an L2VNI for zebra.
	join 1 red pod1 1
	until_true 10 has_logged '[3]:[0]:[32]:[10.0.0.1]'
	within hbr2 3 '10.0.0.1'
	leave 1 red pod1
	gone_from hbr2 3 '10.0.0.1'

	# The site has told it before, without a filter: now it finds the links whole.
	frr_says hbr 'configure terminal' 'vrf red' 'vni 5000' exit-vrf 'router bgp 65001 vrf red' 'bgp router-id 10.0.0.1' \
		'address-family ipv4 unicast' 'redistribute kernel' exit-address-family 'address-family l2vpn evpn' 'advertise ipv4 unicast'
	log_mark
	join 1 red pod1 1
	within hbr2 5 '[10.9.0.1]'
	until_true 10 has_logged '[5]:[0]:[0]:[0.0.0.0]'
	is "$(logged)" '[5]:[0]:[0]:[0.0.0.0]
[5]:[0]:[32]:[10.9.0.1]'
	frr_says hbr 'configure terminal' 'vrf red' 'no vni 5000' exit-vrf 'no router bgp 65001 vrf red'
	leave 1 red pod1
	frr_says hbr 'configure terminal' 'no vrf red'
	fabric_same
}

@test "two VRFs made at once on both nodes, with the same addresses: neither sees the other; a node has one router MAC, and keeps it" {
	local mac mac2 before
	pods+=(pod5)
	pod_add pod5
	at_once 'join 1 red pod1 1' 'join 1 blue pod2 1' 'join 2 red pod3 2' 'join 2 blue pod4 2'
	join 2 blue pod5 3
	mac=$(fact hbr br.5000 .address) mac2=$(fact hbr2 br.5000 .address)
	is "$(fact hbr br.5001 .address) $(fact hbr2 br.5001 .address)" "$mac $mac2"
	lacks "$mac" "$mac2"
	reach pod2 3
	before=$(echoes pod4)
	reach pod1 2
	is "$(echoes pod4)" "$before"
	before=$(echoes pod3)
	reach pod2 2
	is "$(echoes pod3)" "$before"
	reach_not pod1 3
	is "$(routes hbr red)" '10.9.0.1 10.9.0.2 default fd09::1 fd09::2'
	is "$(frr_says hbr2 'show evpn rmac vni all json' | jq -c 'map_values(keys)' | grep -o '[0-9a-f:]\{17\}' | sort -u)" "${mac//\"/}"
	lacks "$(logged)" '[3]:'

	at_once 'leave 1 red pod1' 'leave 1 blue pod2' 'leave 2 red pod3' 'leave 2 blue pod4'
	leave 2 blue pod5
	fabric_same
	join 1 blue pod1 1
	is "$(fact hbr br.5001 .address)" "$mac"
	leave 1 blue pod1
}

@test "importVrfs: two VRFs that import each other reach each other on both nodes, a third one sees nothing" {
	tenant north 5002 '{"importVrfs": ["south"]}'
	tenant south 5003 '{"importVrfs": ["north"]}'
	tenant west 5004
	join 1 north pod1 1
	join 1 south pod2 2
	join 2 south pod3 3
	join 2 west pod4 4
	reach pod1 2
	reach pod1 3
	reach pod2 3
	reach pod3 1
	reach_not pod1 4
	reach_not pod4 1
	is "$(routes hbr north)" '10.9.0.1 10.9.0.2 10.9.0.3 default fd09::1 fd09::2 fd09::3'
	is "$(routes hbr south)" "$(routes hbr north)"
	is "$(routes hbr2 south)" "$(routes hbr north)"
	is "$(routes hbr2 west)" '10.9.0.4 default fd09::4'
	lacks "$(evpn hbr 5; evpn hbr2 5)" '[5]:[0]:[0]:'
	lacks "$(logged)" '[3]:'

	# One that is imported goes, and comes again.
	leave 1 north pod1
	forgotten hbr2 1
	reach pod2 3
	join 1 north pod1 1
	reach pod1 2
	reach pod3 1
	leave 1 north pod1
	leave 2 south pod3
	leave 1 south pod2
	leave 2 west pod4
	fabric_same
}

@test "what a VRF no longer knows does not leave by the underlay, and would without its last route; a spoofed source does not pass" {
	local before port
	inside hbr <<-B
		route add default via 172.16.1.0
		neigh add fd99::2 lladdr 02:00:00:00:01:00 dev ul nud permanent
		route add default via fd99::2 dev ul onlink
	B
	join 1 red pod1 1
	join 2 red pod2 2
	ip -n pod1 addr add 10.66.0.1/32 dev net1
	reach pod1 2
	spoofing() { at pod1 ping -q -c 3 -i 0.2 -W 1 -I 10.66.0.1 10.9.0.2 >/dev/null || :; }
	before=$(echoes pod2)
	spoofing
	is "$(echoes pod2)" "$before"
	port=$(port_in red)
	inside hbr "ipv4/conf/$port/rp_filter=0" </dev/null
	spoofing
	is "$(echoes pod2)" $((before + 3))

	leave 2 red pod2
	forgotten hbr 2
	until_true 10 has_no_route 10.9.0.2
	until_true 10 has_no_route fd09::2
	leaving # left: how many of three packets of each family
	is "$left" 0
	ip -n hbr -batch - <<-B
		route del unreachable default table 1005000 metric 4278198272
		route del unreachable ::/0 table 1005000 metric 4278198272
	B
	leaving
	is "$left" 6
	leave 1 red pod1
	inside hbr <<-B
		route del default
		route del default via fd99::2 dev ul
		neigh del fd99::2 dev ul
	B
	fabric_same
}
has_no_route() { [[ " $(routes hbr red) " != *" $1 "* ]]; }
leaving() {
	capture hbr ul dst 10.9.0.2 or dst fd09::2
	at_once 'at pod1 ping -q -c 3 -i 0.2 -W 1 10.9.0.2 || :' 'at pod1 ping -q -c 3 -i 0.2 -W 1 fd09::2 || :'
	left=$(captured | wc -l)
}

@test "a VRF of the site with its own L3VNI: a pod in it is reached from a VRF of ours on the other node, and it stays as it was" {
	tenant site 5009
	network adopted hbr-vrf '{"vrf": "site", "routes": [{"dst": "10.0.0.0/8"}]}'
	inside hbr <<-B
		link add site type vrf table 77
		link set site up
		route add 10.9.9.0/24 dev site table 77
		link add l3 address 02:00:00:00:77:01 master site type bridge
		link set l3 addrgenmode none
		link add v5009 address 02:00:00:00:77:02 master l3 type vxlan id 5009 local 10.0.0.1 dstport 4789 nolearning
		link set v5009 addrgenmode none
	B
	frr_says hbr 'configure terminal' 'ip prefix-list pods permit 10.9.0.0/16 ge 17' 'route-map pods permit 10' 'match ip address prefix-list pods' exit \
		'vrf site' 'vni 5009' exit-vrf 'router bgp 65001 vrf site' 'address-family ipv4 unicast' \
		'redistribute kernel route-map pods' exit-address-family 'address-family l2vpn evpn' 'advertise ipv4 unicast'
	ip -n hbr -batch - <<<$'link set v5009 up\nlink set l3 up'
	join 2 site pod2 2
	within hbr 5 '[10.9.0.2]'
	fabric_take
	on 1 add adopted pod1 10.9.0.1/24
	within hbr2 5 '[10.9.0.1]'
	reaches pod1 10.9.0.2
	on 1 del adopted pod1
	gone_from hbr2 5 '[10.9.0.1]'
	fabric_same

	leave 2 site pod2
	frr_says hbr 'configure terminal' 'vrf site' 'no vni 5009' exit-vrf 'no router bgp 65001 vrf site'
	ip -n hbr -batch - <<<$'link del v5009\nlink del l3\nlink del site'
	frr_says hbr 'configure terminal' 'no vrf site' 'no route-map pods' 'no ip prefix-list pods'
}

gateway() { # NUMBER: a domain of VRF red
	l2 "10${1}00" '"vrf": {"name": "red", "vni": 5000}, "gateway": ["10.'"$1"'.0.1/24"], "addresses": [{"address": "10.'"$1"'.0.5/24"}],
		"routes": [{"dst": "10.0.0.0/8", "gw": "10.'"$1"'.0.1"}]'
}

@test "openperouter#222, openperouter#568: one VRF, both plugins, three networks: it stays while one of them is left, in every order, in FRR too" {
	local order step
	for order in '1 2 3' '1 3 2' '2 1 3' '2 3 1' '3 1 2' '3 2 1'; do
		works ADD pod1 < <(gateway 1)
		works ADD pod2 < <(gateway 2)
		vrf works ADD pod3 < <(l3 red '"vni": 5000, "addresses": [{"address": "10.9.0.1/32"}], "routes": [{"dst": "10.0.0.0/8"}]')
		[ "$order" != '1 2 3' ] || reaches pod3 10.1.0.5
		[ "$order" != '3 2 1' ] || reaches pod3 10.2.0.5
		for step in $order; do
			has_link hbr vx.5000 && contains "$(frr_running hbr)" $'vrf red\n vni 5000' 'router bgp 65001 vrf red' || { echo "gone before $step of $order" >&2; return 1; }
			case $step in
			3) vrf works DEL pod3 < <(l3 red) ;;
			*) works DEL "pod$step" < <(gateway "$step") ;;
			esac
		done
		fabric_same || { echo "after $order" >&2; return 1; }
	done
}

@test "netlab#692: addresses of gateways and ports stay when their link goes down and up; CHECK says what does not" {
	local port routed
	inside hbr ipv6/conf/{all,default}/keep_addr_on_down=0 </dev/null
	works ADD pod1 < <(l2 10100 '"vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24", "fd01::1/64"]')
	vrf works ADD pod2 < <(l3 red '"addresses": [{"address": "10.9.0.1/32"}, {"address": "fd09::1/128"}]')
	routed=$out
	port=$(port_in red)
	is "$(ip -n hbr -json addr show dev "$port" | jq -c '[.[0].addr_info[].local]')" '["169.254.1.1","fe80::1"]'
	is "$(routes hbr red)" '10.1.0.0/24 10.9.0.1 default fd01::/64 fd09::1'
	ip -n hbr -batch - <<<"link set br.10100 down"$'\n'"link set br.10100 up"$'\n'"link set $port down"$'\n'"link set $port up"
	contains "$(ip -n hbr -json addr show dev br.10100 | jq -c '[.[0].addr_info[].local]')" '"10.1.0.1","fd01::1"'
	vrf plugin CHECK pod2 < <(l3 red "\"prevResult\": $routed")
	refused 106 "$port in the HBR netns has lost its address fe80::1"
	works DEL pod1 < <(l2 10100)
	vrf works DEL pod2 < <(l3 red)
	inside hbr ipv6/conf/{all,default}/keep_addr_on_down=1 </dev/null
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

@test "a pod comes and goes, first and last of its VRF, again and again: nothing stays, and FRR lives" {
	local n pid rounds=${CYCLES:-12} started=$SECONDS
	for ((n = 0; n < rounds; n++)); do
		vrf works ADD pod1 < <(l3 red '"vni": 5000, "addresses": [{"address": "10.9.0.1/32"}, {"address": "fd09::1/128"}]')
		[ $n != 0 ] || within hbr2 5 '[10.9.0.1]'
		vrf works DEL pod1 < <(l3 red)
	done
	echo "# $rounds times in $((SECONDS - started)) s" >&3
	forgotten hbr2 1
	for pid in "${daemons[@]}"; do kill -0 "$pid"; done
	fabric_same
	lacks "$(logged)" '[3]:'
}
