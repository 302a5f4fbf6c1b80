#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 45
# Frames: who reaches whom, how large, and what is seen on the wire.

load helpers

setup() { need vrf vlan; }
teardown() {
	[ -z "${capturing:-}" ] || kill "$capturing" 2>/dev/null || :
	node_down
}

conf() { jq -cn '{cniVersion: "1.0.0", name: "blue", type: "hbr-l2", vni: 10100, vlan: 100} + $k' --argjson k "${1:-{\}}"; }

# join POD NUMBER [KEYS [VERB]]: a pod with the addresses of that number, IPv4 and IPv6.
join() {
	works "${4:-ADD}" "$1" < <(jq -cn '{cniVersion: "1.0.0", name: "blue", type: "hbr-l2", vni: 10100, vlan: 100,
		addresses: [{address: "10.1.0.\($n)/24"}, {address: "fd00:1::\($n)/64"}]} + $k' --arg n "$2" --argjson k "${3:-{\}}")
}

# too_large POD ADDRESS SIZE: that many bytes are one more than the interface takes.
too_large() {
	local header=28
	[[ $2 != *:* ]] || header=48
	run at "$1" ping -c 1 -W 1 -M "do" -s $(($3 - header)) "$2"
	is "$status" 1
	[[ $output =~ mtu[=:]\ ?$(($3 - 1)) ]] || { echo "$output" >&2; return 1; }
}

# seen FRAME: the plugin sends it once; the kernel does the same when the link comes up.
seen() {
	local n
	n=$(grep -c "$1" <<<"$frames")
	[ "$n" = 1 ] || [ "$n" = 2 ] || { printf '%s\nhas %s times: %s\n' "$frames" "$n" "$1" >&2; return 1; }
}

@test "two pods on one node: IPv4 and IPv6, the full MTU and not a byte more" {
	node_up
	pod_add pod1 pod2
	join pod1 1
	join pod2 2
	reach pod1 2 1500
	reach pod2 1 1500
	too_large pod1 10.1.0.2 1501
	too_large pod1 fd00:1::2 1501
}

@test "two nodes: IPv4 and IPv6 through VXLAN, the full MTU and not a byte more, until the last pod has left" {
	node_up -m 1400
	node_up -m 1400 2
	pod_add pod1 pod2
	snapshot_take
	join pod1 1
	join2 pod2 2
	reach_not pod1 2
	flood 10100
	reach pod1 2 1400
	reach pod2 1 1400
	too_large pod1 10.1.0.2 1401
	too_large pod2 fd00:1::1 1401
	is "$({ fact host br.10100 .address; fact host2 br.10100 .address; fact hbr br.10100 .address; fact hbr2 br.10100 .address; } | sort -u | wc -l)" 4
	join pod1 1 '{}' DEL
	join2 pod2 2 '{}' DEL
	snapshot_same
}

@test "another VNI with the same addresses is not reached, on one node and on two" {
	node_up
	node_up 2
	pod_add pod1 pod2 red1 red3
	join pod1 1
	join red1 1 '{"vni": 10200, "vlan": 200}'
	join red3 3 '{"vni": 10200, "vlan": 200}'
	join2 pod2 2
	flood 10100
	bridge -n hbr fdb append 00:00:00:00:00:00 dev vx.10200 dst 10.0.0.2
	reach pod1 2
	reach red1 3
	reach_not pod1 3
	reach_not red1 2
}

@test "pods of one VNI on VLANs of their own on each node reach each other" {
	node_up
	node_up 2
	pod_add pod1 pod2
	join pod1 1
	join2 pod2 2 '{"vlan": 777}'
	flood 10100
	reach pod1 2
	has_link host tr.100
	at host2 test -e /sys/class/net/tr.777
}

@test "a gratuitous ARP and an unsolicited NA are sent at ADD, one for each address" {
	node_up
	pod_add pod1 pod2
	join pod2 2
	capture pod2 net1 'arp or (icmp6 and ip6[40] = 136)'
	WRAP=(strace -qq -xx -s 64 -o "$BATS_TEST_TMPDIR/strace" -e trace=sendto)
	works ADD pod1 < <(conf '{"mac": "02:00:00:00:00:01", "addresses": [{"address": "10.1.0.1/24"}, {"address": "10.2.0.1/24"},
		{"address": "fd00:1::1/64"}, {"address": "fd00:2::1/64"}]}')
	WRAP=()
	frames=$(captured)
	is "$(grep -c '^sendto.*AF_PACKET' "$BATS_TEST_TMPDIR/strace")" 4
	seen 'who-has 10.1.0.1.* tell 10.1.0.1,\|Reply 10.1.0.1 is-at'
	seen 'who-has 10.2.0.1.* tell 10.2.0.1,\|Reply 10.2.0.1 is-at'
	seen 'neighbor advertisement, tgt is fd00:1::1,'
	seen 'neighbor advertisement, tgt is fd00:2::1,'
	is "$(grep -v '^02:00:00:00:00:01 > \(ff:ff:ff:ff:ff:ff\|33:33:00:00:00:01\)' <<<"$frames")" ''
}

@test "the announcement tells the peer a new MAC at once" {
	node_up
	pod_add pod1 pod2 pod3
	join pod1 1 '{"mac": "02:00:00:00:00:01"}'
	join pod2 2
	reach pod2 1
	join pod1 1 '{}' DEL
	join pod3 1 '{"mac": "02:00:00:00:00:03"}'
	is "$(ip -n pod2 -json neigh show dev net1 | jq -r '.[] | select(.dst == "10.1.0.1" or .dst == "fd00:1::1") | .lladdr' | sort -u)" '02:00:00:00:00:03'
	reach pod2 1
}

@test "isolated pods reach others, and those on the other node, but not each other" {
	node_up
	node_up 2
	pod_add pod1 pod2 pod3 pod4
	join pod1 1 '{"isolated": true}'
	join pod2 2 '{"isolated": true}'
	join pod3 3
	join2 pod4 4 '{"isolated": true}'
	flood 10100
	reach pod1 3
	reach pod1 4
	reach pod2 4
	reach_not pod1 2
}

@test "hairpin: frames come back by the port that they came from" {
	node_up
	pod_add pod1 pod2
	join pod1 1 '{"hairpin": true}'
	join pod2 2
	capture pod1 net1 -Q in 'arp[24:4] = 0x0a010063' # who has 10.1.0.99
	at pod1 ping -c 1 -W 1 10.1.0.99 >/dev/null || :
	frames=$(captured)
	contains "$frames" 'who-has 10.1.0.99 tell 10.1.0.1'
	ip -n pod1 addr flush dev net1
	capture pod2 net1 -Q in 'arp[24:4] = 0x0a010063'
	at pod2 ping -c 1 -W 1 10.1.0.99 >/dev/null || :
	frames=$(captured)
	is "$frames" ''
}

# spoof POD: frames with another source MAC than the pod's own.
spoof() {
	ip -n "$1" -batch - <<-B
		link set net1 address 02:00:00:00:00:66
		addr flush dev net1
		addr add 10.1.0.1/24 dev net1
		neigh flush dev net1
	B
}

@test "macspoofchk: frames with another source MAC do not pass" {
	node_up
	pod_add pod1 pod2 pod3
	join pod1 1 '{"macspoofchk": true}'
	join pod2 2
	join pod3 3 '{"macspoofchk": true}'
	reach pod1 2
	reach pod1 3
	spoof pod1
	reaches_not pod1 10.1.0.2
	join pod1 1 '{}' DEL
	join pod1 1
	spoof pod1
	reaches pod1 10.1.0.2
}

@test "a VM's C-tags pass" {
	node_up
	node_up 2
	pod_add pod1 pod2
	join pod1 1
	join2 pod2 2
	flood 10100
	for n in 1 2; do
		ip -n "pod$n" -batch - <<-B
			link add link net1 name net1.7 type vlan id 7
			addr add 10.7.0.$n/24 dev net1.7
			link set net1.7 up
		B
	done
	reaches pod1 10.7.0.2
}
