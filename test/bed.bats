#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 22
# bats file_tags=any-kernel
# The bed itself: a test that cannot fail proves nothing.

load helpers
load injection

setup() { node_up; }
teardown() { node_down; }

# planted TEXT COMMAND...: the command makes a difference, and the comparison names it.
planted() {
	local text=$1
	shift
	"$@" || return 1
	if SNAPSHOT_TRIES=1 snapshot_same 2>"$BATS_TEST_TMPDIR/diff"; then
		echo "not seen: $*" >&2
		return 1
	fi
	contains "$(<"$BATS_TEST_TMPDIR/diff")" "$text" || return 1
	snapshot_take
}

sysctl_write() { at hbr sh -c "echo $2 >/proc/sys/net/$1"; }

@test "snapshots of an unchanged node are equal" {
	snapshot_take
	snapshot_same
	[ "$(wc -l <"$BATS_TEST_TMPDIR/before")" -gt 300 ]
}

@test "links and their attributes are seen" {
	ip -n hbr link add br.7 type bridge
	ip -n hbr link add vx.7 type vxlan id 7 local 10.0.0.1 dstport 4789
	snapshot_take
	planted '+self link dummy-to-be' ip link add dummy-to-be type bridge
	planted '-self link dummy-to-be' ip link del dummy-to-be
	planted '+hbr link br.7 mtu 1400' ip -n hbr link set br.7 mtu 1400
	planted '+hbr link br.7 alias somebody' ip -n hbr link set br.7 alias somebody
	planted '+hbr link br.7 group 77' ip -n hbr link set br.7 group 77
	planted '+hbr link br.7 address 02:00:00:00:00:77' ip -n hbr link set br.7 address 02:00:00:00:00:77
	planted '+hbr link br.7 flags 0x1003' ip -n hbr link set br.7 up
	planted '+hbr link br.7 af.inet6.addrgenmode 1' ip -n hbr link set br.7 addrgenmode none
	planted '+hbr link br.7 data.mcast_snooping 0' ip -n hbr link set br.7 type bridge mcast_snooping 0
	planted '+hbr link vx.7 data.ttl 9' ip -n hbr link set vx.7 type vxlan ttl 9
	planted '+hbr link vx.7 master br.7' ip -n hbr link set vx.7 master br.7
	planted '+hbr link vx.7 port.neigh_suppress 1' ip -n hbr link set vx.7 type bridge_slave neigh_suppress on
	planted '+hbr link vx.7 port.learning 0' ip -n hbr link set vx.7 type bridge_slave learning off
	planted '+hbr link br.7 prop.altname another-name' ip -n hbr link property add dev br.7 altname another-name
}

@test "a veth's other end is seen by name, wherever it is" {
	snapshot_take
	contains "$(<"$BATS_TEST_TMPDIR/before")" 'self link tr lower hbr/tr' 'hbr link tr lower self/tr' \
		'hbr link ul lower elsewhere'
	ip -n hbr link set tr down
	snapshot_take
	planted '+self link tr lower hbr/renamed' ip -n hbr link set tr name renamed
}

@test "addresses, routes of any table, rules and neighbours are seen" {
	snapshot_take
	planted '192.0.2.1' ip -n hbr addr add 192.0.2.1/24 dev ul
	planted '2001:db8::1' ip -n hbr addr add 2001:db8::1/64 dev ul nodad
	planted 'table 777 to 198.51.100.0 dev ul' true_route add 198.51.100.0/24 dev ul table 777
	planted 'table 778 to 2001:db8:1::' true_route add 2001:db8:1::/48 dev ul table 778
	planted 'type 7' true_route add unreachable default metric 4278198272 table 779
	planted 'via 192.0.2.8' true_route add 203.0.113.0/24 nexthop via 192.0.2.7 dev ul nexthop via 192.0.2.8 dev ul
	planted 'proto 104' true_route add 203.0.113.7/32 dev ul proto 104
	planted 'priority 555' ip -n hbr rule add from 192.0.2.0/24 table 777 priority 555
	planted 'hbr neighbour ul dst 192.0.2.7' ip -n hbr neigh add 192.0.2.7 lladdr 02:00:00:00:00:07 dev ul nud permanent
	planted '2001:db8::7' ip -n hbr neigh add 2001:db8::7 lladdr 02:00:00:00:00:07 dev ul nud permanent
	planted '192.0.2.9' ip -n hbr neigh add proxy 192.0.2.9 dev ul
}

true_route() { ip -n hbr route "$@"; }

@test "forwarding databases are seen" {
	ip -n hbr -batch - <<-B
		link add br.7 type bridge
		link add vx.7 master br.7 type vxlan id 7 local 10.0.0.1 dstport 4789
	B
	snapshot_take
	planted 'hbr fdb vx.7 lladdr 02:00:00:00:00:07' bridge -n hbr fdb add 02:00:00:00:00:07 dev vx.7 master static
	planted 'dst 10.0.0.2' bridge -n hbr fdb append 00:00:00:00:00:00 dev vx.7 dst 10.0.0.2
}

# bats test_tags=vlan
@test "VRF tables, VLAN ids and bridge VLANs are seen" {
	need vrf vlan
	ip -n hbr link add br.7 type bridge
	snapshot_take
	planted '+hbr bridge-vlan br.7 vlan' bridge -n hbr vlan add vid 77 dev br.7 self
	planted '+hbr link red data.table 66' ip -n hbr link add red type vrf table 66
	planted '+hbr link tr.9 data.id 9' ip -n hbr link add link tr name tr.9 type vlan id 9
	planted '+hbr link tr.9 port.table 66' ip -n hbr link set tr.9 master red
	ip -n hbr link del red
	ip -n hbr link add red type vrf table 67
	planted '+hbr link tr.9 port.table 67' ip -n hbr link set tr.9 master red
}

@test "sysctls are seen, names with dots too" {
	ip -n hbr link add br.7 type bridge
	snapshot_take
	planted '+hbr sysctl ipv4/conf/br.7/arp_accept 1' sysctl_write ipv4/conf/br.7/arp_accept 1
	planted '+hbr sysctl ipv4/conf/br.7/rp_filter 1' sysctl_write ipv4/conf/br.7/rp_filter 1
	planted '+hbr sysctl ipv6/conf/br.7/disable_ipv6 1' sysctl_write ipv6/conf/br.7/disable_ipv6 1
	planted '+hbr sysctl ipv6/conf/br.7/accept_ra 0' sysctl_write ipv6/conf/br.7/accept_ra 0
	planted '+hbr sysctl ipv4/ip_forward 0' sysctl_write ipv4/ip_forward 0
}

@test "state files are seen, lock files and the empty frame are not" {
	snapshot_take
	mkdir -p "$NODE_STATE"/hbr-1/{locks,attachments,domains}
	: >"$NODE_STATE"/hbr-1/locks/l2-7
	snapshot_same
	planted "state $NODE_STATE/hbr-1/domains/l2-7" mkdir "$NODE_STATE"/hbr-1/domains/l2-7
	planted "attachments/a.json mode 644 size 3" eval "echo {} >$NODE_STATE/hbr-1/attachments/a.json"
	planted "attachments/a.json mode 644 size 3" eval "echo [] >$NODE_STATE/hbr-1/attachments/a.json"
	planted "attachments/a.json mode 600" chmod 600 "$NODE_STATE"/hbr-1/attachments/a.json
	planted "state $NODE_STATE/hbr-1/.tmp" eval ": >$NODE_STATE/hbr-1/.tmp"
	planted "state $NODE_STATE/other" eval ": >$NODE_STATE/other"
}

@test "what may differ is left out by pattern only" {
	snapshot_take -x '*mtu *'
	ip link set tr mtu 1400
	snapshot_same -x '*mtu *'
}

@test "two nodes reach each other's VTEP, and real frames cross VXLAN" {
	node_up 2
	reaches hbr 10.0.0.2
	for n in hbr:1 hbr2:2; do
		ip -n "${n%:*}" -batch - <<-B
			link add vx.7 mtu 1500 address 02:00:00:00:07:0${n#*:} type vxlan id 7 local 10.0.0.${n#*:} dstport 4789 nolearning
			addr add 10.7.0.${n#*:}/24 dev vx.7
			link set vx.7 up
		B
	done
	reaches_not hbr 10.7.0.2
	flood 7
	reaches hbr 10.7.0.2 1500
}

@test "a failing assertion fails, and says what is and what was wanted" {
	run is a b
	is "$status" 1
	contains "$output" 'is     a' 'wanted b'
	run contains abc x
	is "$status" 1
	run lacks abc b
	is "$status" 1
}

@test "every request is injected, one after the other" {
	CONF=/dev/null
	plugin() {
		status=0 out=''
		"${WRAP[@]}" ip link add injected type bridge 2>/dev/null || status=$? out=refused
	}
	attempts=0
	verify() { attempts=$((attempts + 1)); ! has_link host injected; }
	each_request ADD verify
	[ "$injected" -gt 0 ]
	is "$attempts" "$injected"
	has_link host injected
	ip link del injected
	run each_request ADD false
	is "$status" 1
	contains "$output" 'after failure of request 1'
}

@test "every change is struck: what is written before it stays, what comes behind it does not come" {
	cd "$BATS_TEST_TMPDIR"
	"$STRIKE" -o trace sh -c 'echo 1 >one; mv one two; echo done'
	is "$(cut -d' ' -f1 trace | xargs)" 'truncate write child child write'
	rm two
	"$STRIKE" -n 2 -o trace sh -c 'echo 1 >one; mv one two; echo done' && return 1
	[ -e one ]
	is "$(<one)" ''
	"$STRIKE" -n 5 -o trace sh -c 'echo 1 >one; mv one two; echo done' >said && return 1
	is "$(<said)" ''
	[ -e two ]
	"$STRIKE" -n 1 -o trace ip link add struck type bridge && return 1
	no_link host struck
	is "$(<trace)" 'request 16'
	"$STRIKE" -n 2 -o trace ip link add struck type bridge
	ip link del struck
}

@test "a plugin gets its environment and its input, and nothing else" {
	PLUGIN=$BATS_TEST_TMPDIR/plugin SANITIZER=''
	printf '#!/bin/sh\ncat\n/usr/bin/env | /usr/bin/sort >&2\nls /proc/self/fd | /usr/bin/wc -l\nexit 3\n' >"$PLUGIN"
	chmod +x "$PLUGIN"
	plugin DEL pod1 <<<'{"a": 1}'
	is "$status" 3
	contains "$out" '{"a": 1}' $'\n4'
	is "$err" "CNI_COMMAND=DEL
CNI_CONTAINERID=c-pod1
CNI_IFNAME=net1
CNI_NETNS=/run/netns/pod1
CNI_PATH=$CNI_PATH
PWD=$PWD"
}
