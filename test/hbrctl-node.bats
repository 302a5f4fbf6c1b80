#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 4
# hbrctl init and doctor: a node from nothing, and what it lacks; show of all kinds of domains on it.
load helpers
load hbrctl

setup() { need vrf vlan; }
teardown() { node_down; }

results() { jq -r '.[] | select(.result != "ok") | "\(.result) \(.check)"' <<<"$out"; }

@test "init: a node from nothing, on which doctor finds no error and pods of each kind are shown; it keeps what is there" {
	local pod
	ctl init
	says 0 'made the HBR netns /run/netns/hbr
made the bridge tr in the host
made the veth tr-hbr in the host
made the VTEP 10.0.0.1 on lo in the HBR netns
made the vrf hbr in the HBR netns
made the veth hbn in the host'
	snapshot_take -x '*fe80::*' -x '* operstate *'
	ctl init 10.0.0.9
	says 0 ''
	snapshot_same -x '*fe80::*' -x '* operstate *'
	ping -q -c 1 -W 5 -i 0.2 100.64.0.1 >/dev/null
	ctl doctor --json
	is "$status $(results | grep error)" '0 '
	contains "$out" 'pods can have 1450 (no uplink is up: 1500 assumed, less 50 for VXLAN)' # a VRF is none
	pod_add a b m
	as a works ADD a < <(l2 10100 '"name": "blue", "vlan": 100, "vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24"], "addresses": [{"address": "10.1.0.11/24"}]')
	as b vrf works ADD b < <(echo '{"cniVersion": "1.0.0", "name": "routed", "type": "hbr-vrf", "vrf": "red", "addresses": [{"address": "10.9.0.2/32"}]}')
	as m works ADD m < <(l2 10200 '"name": "mac", "attach": "macvlan"')
	ctl show
	says 0 'DOMAIN    VNI    VLAN  VRF  TABLE    MTU   ATTACH   HOLDERS  STATE
l2-10100  10100  100   red  -        1450  bridge   1        ok
l2-10200  10200  2     -    -        1450  macvlan  1        ok
vrf-red   5000   -     red  1005000  1450  -        2        ok

POD        CONTAINER  INTERFACE  NETWORK  DOMAIN    MAC                ADDRESSES     STATE
default/a  c-a        net1       blue     l2-10100  02:07:28:bb:d3:79  10.1.0.11/24  ok
default/b  c-b        net1       routed   vrf-red   02:7f:d3:75:0f:d3  10.9.0.2/32   ok
default/m  c-m        net1       mac      l2-10200  02:bc:3f:e6:2e:8a  -             ok'
	ctl show red
	is "$(sed -n '/^LINK/,$p' <<<"$out")" 'LINK      KIND    IN         ON  MASTER    STATE
br.10100  bridge  HBR netns  -   red       ok
vx.10100  vxlan   HBR netns  -   br.10100  ok
br.10100  bridge  host       -   -         ok
tr.100    vlan    host       tr  br.10100  ok
tr.100    vlan    HBR netns  tr  br.10100  ok
red       vrf     HBR netns  -   -         ok
br.5000   bridge  HBR netns  -   red       ok
vx.5000   vxlan   HBR netns  -   br.5000   ok'
	# Drift of what links do not tell: a gateway, a route of a pod's, what closes the table.
	ip -n hbr addr del 10.1.0.1/24 dev br.10100
	ip -n hbr route del 10.9.0.2 table 1005000
	ctl show
	contains "$out" 'br.10100 in the HBR netns has lost its gateway address 10.1.0.1/24' 'the route to 10.9.0.2/32 through'
	ip -n hbr link del tr.2
	ctl show --json
	is "$(jq -c '[.domains[] | .name, .state, (.links[] | select(.state != "ok") | .name + " " + .state)]' <<<"$out")" '["l2-10100","ok","l2-10200","drift","tr.2 missing","vrf-red","ok"]'
	for pod in a b m; do
		# shellcheck disable=SC2015 # one of both
		[ "$pod" != b ] && works DEL "$pod" < <(l2 10100) || vrf works DEL "$pod" < <(echo '{"cniVersion": "1.0.0", "name": "routed", "type": "hbr-vrf", "vrf": "red"}')
	done
	ip netns del hbr
	ip link del tr
	ctl gc
	says 0 ''
}

@test "doctor: each thing that is missing is an error or a warning that says what is wanted" {
	node_up
	ctl doctor
	is "$status" 0
	contains "$out" 'ok       VTEP              10.0.0.1' 'ok       MTU               pods can have 1500 (the uplink ul has 1550, less 50 for VXLAN)' "ok       FRR               somebody else's"
	NODE_FILE=$BATS_TEST_TMPDIR/node.json
	echo '{"mtu": 9000}' >"$NODE_FILE"
	ctl doctor
	contains "$out" 'mtu of the node file is 9000, but the path carries 1500'
	# shellcheck disable=SC2016 # the inner shell's
	at hbr sh -c 'cd /proc/sys/net; echo 0 >ipv4/ip_forward; echo 0 >ipv6/conf/all/forwarding; echo 1 >ipv4/conf/all/rp_filter; echo 0 >ipv4/tcp_l3mdev_accept; ip addr del 10.0.0.1/32 dev lo'
	ip link set tr down
	echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || mkdir "$BATS_TEST_TMPDIR/no-netfilter"
	mkdir -p /run/NetworkManager
	echo '{"mtu": 9000, "Trunk": "tr", "frr": {"vtysh": "/bin/false"}}' >"$NODE_FILE"
	ctl doctor --json
	is "$status" 1
	[ -d "$BATS_TEST_TMPDIR/no-netfilter" ] || contains "$(results)" 'warning bridge netfilter'
	contains "$out" "$NODE_FILE: Trunk: is no key and ignored: did you mean trunk?"
	is "$(results | grep -v netfilter)" 'warning node file
warning link managers
error trunk
error VTEP
error MTU
error IPv4 forwarding
warning IPv6 forwarding
warning rp_filter
warning l3mdev
error FRR'
	is "$(jq '[.[] | select(.result != "ok") | select(.text | contains("wanted") | not) | .check]' <<<"$out")" '[]' || echo "$out" >&2
	mkdir -p /etc/NetworkManager/conf.d
	echo 'unmanaged-devices=interface-name:pv*' >/etc/NetworkManager/conf.d/hbr.conf
	echo '{"hbrNetns": "/run/netns/nowhere", "bridgeNetfilter": "ignore"}' >"$NODE_FILE"
	ctl doctor --json
	is "$status $(results)" '1 error HBR netns'
	rm -rf /run/NetworkManager /etc/NetworkManager/conf.d/hbr.conf
	echo '{"mtuu": }' >"$NODE_FILE"
	ctl doctor
	is "$status" 2
	contains "$err" "node file $NODE_FILE: line 1"
}
