#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=fabric
# weight: 188
# L2 domains across two nodes by EVPN: each way to attach a pod, gateways, silent pods, pods that move,
# and an FRR that is killed.
load helpers
load fabric

setup_file() {
	local way tenant='"vrf": {"name": "tenant", "vni": 5000}'
	need vrf vlan macvlan
	fabric_up
	for way in bridge macvlan direct; do
		network "blue-$way" hbr-l2 '{"vni": 10100, "attach": "'$way'"}'
	done
	network red hbr-l2 '{"vni": 10200, "attach": "macvlan"}'
	network routed hbr-l2 "{\"vni\": 10300, $tenant, $(gateway 1)}"
	network mobile hbr-l2 "{\"vni\": 10300, $tenant, $(gateway 1), \"mobile\": true}"
	network other hbr-l2 "{\"vni\": 10400, $tenant, $(gateway 2), \"attach\": \"macvlan\"}"
	network loud hbr-l2 "{\"vni\": 10700, $tenant, $(gateway 1), \"neighSuppress\": false}"
	network late hbr-l2 "{\"vni\": 10400, \"vrf\": {\"name\": \"late\", \"vni\": 5001}, $(gateway 2)}"
	network tenant1 hbr-l2 "{\"vni\": 10500, $tenant}"
	network tenant2 hbr-l2 "{\"vni\": 10600, $tenant, \"attach\": \"direct\"}"
}
teardown_file() { fabric_down; }

setup() {
	pods=(pod1 pod2 pod3 pod4 pod5)
	silent_pod "${pods[@]}"
	fabric_take
}
teardown() {
	pod_del "${pods[@]}" 2>/dev/null || :
	fabric_mend
}

# gateway SUBNET: keys of a network
gateway() {
	echo "\"gateway\": [\"10.$1.0.254/24\", \"fd0$1::fe/64\"], \"routes\": [
		{\"dst\": \"10.0.0.0/8\", \"gw\": \"10.$1.0.254\"}, {\"dst\": \"fd00::/8\", \"gw\": \"fd0$1::fe\"}]"
}

# join NODE NETWORK POD NUMBER [MAC]: with the addresses of that number, IPv4 and IPv6.
join() { CNI_ARGS=${5:+MAC=$5} on "$1" add "$2" "$3" "10.1.0.$4/24" "fd01::$4/64"; }

reach() { # POD NUMBER [SIZE]: in both families
	reaches "$1" "10.1.0.$2" "${3:-}" && reaches "$1" "fd01::$2" "${3:-}"
}
reach_not() { reaches_not "$1" "10.1.0.$2" && reaches_not "$1" "fd01::$2"; }

mac() { ip netns exec "$1" cat "/sys/class/net/${2:-net1}/address"; }

# entries POD NUMBER: the MACs by which the pod knows that number's addresses
entries() { ip -n "$1" -json neigh show dev net1 | jq -r ".[] | select(.dst == \"10.1.0.$2\" or .dst == \"fd01::$2\") | .lladdr"; }

# knows NETNS FROM MAC...: of the other node's, that FRR has just these MACs, without addresses, and the
# type-3 routes of FROM's VTEP that belong to them; without any, nothing.
knows() {
	local netns=$1 wanted='' mac
	for mac in "${@:3}"; do
		wanted+="[2]:[0]:[48]:[$mac] $2"$'\n'
	done
	[ $# = 2 ] || wanted+="[3]:[0]:[32]:[$2] $2"$'\n'
	wanted=$(sort <<<"${wanted%$'\n'}")
	until_true 10 has_just "$netns" "$2" "$wanted" || is "$(learned "$netns" "$2")" "$wanted"
}
has_just() { [ "$(learned "$1" "$2")" = "$3" ]; }
learned() { { evpn "$1" 2; evpn "$1" 3; } | grep -F " $2" | sort; }

@test "in each way, alone on its node: bridged at the full MTU in both families; the other node has the MAC and the type-3, until DEL" {
	local way mac1 mac2
	for way in bridge macvlan direct; do
		join 1 "blue-$way" pod1 1
		join 2 "blue-$way" pod2 2
		mac1=$(mac pod1) mac2=$(mac pod2)
		knows hbr2 10.0.0.1 "$mac1"
		knows hbr 10.0.0.2 "$mac2"
		reach pod1 2 1500
		reach pod2 1 1500
		on 1 check "blue-$way" pod1
		on 1 del "blue-$way" pod1
		knows hbr2 10.0.0.1
		on 2 del "blue-$way" pod2
		knows hbr 10.0.0.2
	done
	fabric_same
}

@test "mixed: bridge and direct on one node, macvlan and direct on the other are one domain, until the last has left" {
	local mac1 mac2
	join 1 blue-bridge pod1 1
	join 1 blue-direct pod2 2
	join 2 blue-macvlan pod3 3
	join 2 blue-direct pod4 4
	mac1=$(mac pod1) mac2=$(mac pod2)
	knows hbr2 10.0.0.1 "$mac1" "$mac2"
	reach pod1 3 1500
	reach pod1 4 1500
	reach pod2 3 1500
	reach pod2 4 1500
	on 1 del blue-bridge pod1
	knows hbr2 10.0.0.1 "$mac2"
	reach pod2 3
	on 1 del blue-direct pod2
	knows hbr2 10.0.0.1
	on 2 del blue-macvlan pod3
	on 2 del blue-direct pod4
	fabric_same
}

@test "two tenants with the same MACs and addresses, in domains of one VRF without gateway: MACs only, and each reaches its own" {
	local mac=02:00:00:00:00:01 routes
	join 1 tenant1 pod1 1 $mac
	join 1 tenant2 pod2 1 $mac
	join 2 tenant1 pod3 3
	join 2 tenant2 pod4 4
	reach pod1 3
	reach pod2 4
	reach_not pod1 4
	reach_not pod2 3
	# Neither its address nor its network is known to the VRF, here or there.
	is "$(evpn hbr2 2 | grep -F ' 10.0.0.1')" "[2]:[0]:[48]:[$mac] 10.0.0.1"
	lacks "$(evpn hbr2 5)" '10.1.0'
	lacks "$(evpn hbr2 5)" 'fd01:'
	routes=$(ip -n hbr2 route show vrf tenant; ip -n hbr2 -6 route show vrf tenant)
	contains "$routes" 'unreachable default'
	lacks "$routes" '10.1.0'
	lacks "$routes" 'fd01:'
	on 1 del tenant1 pod1
	reach pod2 4
	on 1 del tenant2 pod2
	on 2 del tenant1 pod3
	on 2 del tenant2 pod4
	fabric_same
}

# announced POD TEXT...: the other node has these type-2 routes soon after the ADD that has just ended.
announced() {
	local pod=$1 text started=${EPOCHREALTIME/./}
	shift
	for text; do
		within hbr2 2 "$text 10.0.0.1"
	done
	echo "# $pod: $# routes at the other node at most $(((${EPOCHREALTIME/./} - started) / 1000)) ms after ADD" >&3
}
failed() { [ -n "$(ip -n hbr neigh show "$1" dev br.10300 nud failed)" ]; }

@test "pods of which not a frame leaves the host are known to the other node at once, and stay so after all timers" {
	local mac1 mac2 mac3 mac4 mac5 text
	# What goes from the host into the trunk is lost.
	tc qdisc add dev tr root netem loss 100%
	join 1 blue-bridge pod1 1
	mac1=$(mac pod1)
	announced pod1 "[$mac1]"
	join 1 red pod2 2
	mac2=$(mac pod2)
	announced pod2 "[$mac2]"
	join 1 routed pod3 3
	mac3=$(mac pod3)
	announced pod3 "[$mac3]" "[$mac3]:[32]:[10.1.0.3]" "[$mac3]:[128]:[fd01::3]"
	is "$(ip -n hbr -s -json link show type vlan | jq -c 'map(.stats64.rx.packets)')" '[0,0,0]'
	join 1 blue-direct pod5 5
	at pod5 tc qdisc add dev net1 root netem loss 100%
	mac5=$(mac pod5)
	announced pod5 "[$mac5]"

	# A MAC that is learned ages out, and a neighbour that does not answer fails: so much time has passed.
	on 1 add blue-direct pod4
	mac4=$(mac pod4)
	ip -n pod4 addr add 10.1.0.4/24 dev net1
	at pod4 ping -q -c 1 -W 0.1 10.1.0.99 >/dev/null || :
	within hbr2 2 "[$mac4] 10.0.0.1"
	inside hbr ipv{4,6}/neigh/br.10300/{base_reachable_time_ms=500,retrans_time_ms=200,delay_first_probe_time=1,gc_stale_time=1} <<-B
		link set br.10100 type bridge ageing_time 100
		link set br.10200 type bridge ageing_time 100
		link set br.10300 type bridge ageing_time 100
		neigh add 10.1.0.98 lladdr 02:00:00:00:00:98 dev br.10300 nud delay
	B
	gone_from hbr2 2 "[$mac4] 10.0.0.1"
	until_true 10 failed 10.1.0.98
	for text in "[$mac1]" "[$mac2]" "[$mac5]" "[$mac3]" "[$mac3]:[32]:[10.1.0.3]" "[$mac3]:[128]:[fd01::3]"; do
		has_evpn hbr2 2 "$text 10.0.0.1"
	done

	on 1 del blue-bridge pod1
	gone_from hbr2 2 "[$mac1]"
	on 1 del routed pod3
	gone_from hbr2 2 "[$mac3]"
	has_evpn hbr2 2 "[$mac2] 10.0.0.1"
	on 1 del red pod2
	on 1 del blue-direct pod4
	on 1 del blue-direct pod5
	knows hbr2 10.0.0.1
	tc qdisc del dev tr root
	fabric_same
}

# moves NETWORK: pod1 leaves node 1, and pod2 has its MAC and addresses on node 2; those who know it reach
# it by the entry that they have.
moves() {
	local mac=02:00:00:00:00:01
	join 1 "$1" pod3 3
	join 2 "$1" pod4 4
	join 1 "$1" pod1 1 $mac
	reach pod3 1
	reach pod4 1
	on 1 del "$1" pod1
	gone_from hbr2 2 "[$mac] 10.0.0.1"
	join 2 "$1" pod2 1 $mac
	reach pod3 1
	reach pod4 1
	is "$(entries pod3 1; entries pod4 1)" $mac$'\n'$mac$'\n'$mac$'\n'$mac
	gone_from hbr 2 "[$mac] 10.0.0.1"
	has_evpn hbr 2 "[$mac] 10.0.0.2"
}

@test "DEL on one node and ADD with the same MAC and addresses on the other: its peers' entries go on working" {
	moves blue-bridge
	on 2 del blue-bridge pod2
	on 1 del blue-bridge pod3
	on 2 del blue-bridge pod4
	moves routed
	on 2 del routed pod2
	on 1 del routed pod3
	on 2 del routed pod4
	knows hbr2 10.0.0.1
	fabric_same
}

knows_by() { [ "$(entries "$1" 1)" = "$2"$'\n'"$2" ]; }

@test "cni#84: a new MAC for the same addresses is known on the other node at once where neighSuppress is off" {
	local net
	for net in blue-bridge loud; do
		join 1 $net pod3 3
		join 2 $net pod4 4
		join 1 $net pod1 1
		reach pod4 1
		on 1 del $net pod1
		join 1 $net pod2 1
		until_true 5 knows_by pod4 "$(mac pod2)"
		reach pod4 1
		on 1 del $net pod2
		on 1 del $net pod3
		on 2 del $net pod4
	done
	fabric_same
}

@test "ADD on the other node before DEL, of a mobile pod and of one that is not: the later one is reached, before the DEL and after it" {
	local net mac=02:00:00:00:00:01
	join 1 routed pod3 3
	join 2 routed pod4 4
	for net in mobile routed; do
		join 1 $net pod1 1 $mac
		reach pod3 1
		reach pod4 1
		ip -n pod1 link set net1 down
		join 2 $net pod2 1 $mac
		reach pod4 1
		reach pod3 1
		on 2 check $net pod2
		on 1 del $net pod1
		reach pod4 1
		reach pod3 1
		has_evpn hbr 2 "[$mac] 10.0.0.2"
		gone_from hbr2 2 "[$mac] 10.0.0.1"
		on 2 del $net pod2
	done
	on 2 del routed pod4
	on 1 del routed pod3
	fabric_same
}

@test "openperouter#222, openperouter#566, openperouter#564: two domains of one VRF, each with its gateway, across nodes that filter by reverse path" {
	local netns pod
	for netns in hbr hbr2; do
		inside "$netns" ipv4/conf/all/rp_filter=1 </dev/null
	done
	join 1 routed pod1 1
	join 2 routed pod2 2
	on 2 add other pod3 10.2.0.3/24 fd02::3/64
	# The gateway of a domain, which is the same on both nodes, to the MAC.
	for pod in pod1 pod2; do
		reaches "$pod" 10.1.0.254
		reaches "$pod" fd01::fe
	done
	is "$(entries pod1 254; entries pod1 fe)" "$(entries pod2 254; entries pod2 fe)"
	is "$(entries pod1 254)" "$(mac hbr2 br.10300)"
	reaches pod3 10.2.0.254
	reaches pod3 fd02::fe
	# The other domain, on the other node.
	reaches pod1 10.2.0.3 1500
	reaches pod1 fd02::3 1500
	reaches pod3 10.1.0.1
	reaches pod3 fd01::1
	# The other one stays when one of them goes.
	on 2 del routed pod2
	gone_from hbr 2 '[10.1.0.2]'
	reaches pod3 10.1.0.1
	reaches pod1 fd02::3
	on 2 del other pod3
	on 1 del routed pod1
	for netns in hbr hbr2; do
		inside "$netns" ipv4/conf/all/rp_filter=0 </dev/null
	done
	fabric_same
}

@test "zebra and bgpd killed between ADDs: bridging goes on as before, a VRF is refused until they are back, and told again by its next ADD" {
	local mac1 mac2 pod
	join 1 blue-bridge pod1 1
	join 1 routed pod2 2
	join 2 blue-bridge pod3 3
	on 2 add other pod4 10.2.0.4/24 fd02::4/64
	mac1=$(mac pod1) mac2=$(mac pod2)
	reach pod1 3
	reaches pod2 10.2.0.4
	SIGNAL=KILL frr_stop hbr
	run on 1 add late pod5
	is "$status" 1
	contains "$output" 'VRF late in FRR: FRR is not running'
	no_link hbr late
	join 1 blue-direct pod5 5
	gone_from hbr2 2 "[$mac1] 10.0.0.1"
	fabric_frr hbr
	within hbr2 2 "[$mac1] 10.0.0.1"
	within hbr2 2 "[$mac2]:[32]:[10.1.0.2] 10.0.0.1"
	reach pod1 3
	reach pod5 3
	on 1 del blue-direct pod5
	join 1 routed pod5 5
	for pod in pod2 pod5; do
		reaches "$pod" 10.2.0.4
		reaches "$pod" fd02::4
	done
	on 1 del routed pod5
	on 1 del routed pod2
	on 1 del blue-bridge pod1
	on 2 del blue-bridge pod3
	on 2 del other pod4
	knows hbr2 10.0.0.1
	fabric_same
}
