#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 16
# bats file_tags=ubsan
# hbrctl gc: what is nobody's any more goes; nothing that lives, may live, or is not ours.
load helpers
load hbrctl

teardown() { node_down; }

links() { ip -n hbr -json link | jq -r '.[].ifname' | grep -E '^(br|vx)\.' | sort | tr '\n' ' '; }

# bats test_tags=any-kernel
@test "gc: a dead pod and a leftover go, the living stay; --dry-run only says it" {
	busy_node
	snapshot_take
	ctl gc --dry-run
	says 1 'would remove interface net1 of container c-d: its pod is gone
would remove bridge br.10300 in the HBR netns: nobody remembers it'
	snapshot_same
	ctl gc
	says 0 'removed interface net1 of container c-d: its pod is gone
removed bridge br.10300 in the HBR netns: nobody remembers it'
	is "$(links)" 'br.10100 br.10200 vx.10100 vx.10200 '
	works CHECK a < <(l2 10100 "$BLUE, \"prevResult\": $(jq .result "$NODE_STATE"/*/attachments/8e772d65dd6c98f6.json)")
	ctl gc
	says 0 ''
	pod_del a c
	until_true 10 gone pve39915512156
	until_true 10 gone pv8e772d65dd6c
	ctl gc --json
	is "$status $(jq -c '[.goes[] | .what + " " + .name], .stays' <<<"$out" | tr '\n' ' ')" '0 ["interface net1","interface net1","domain l2-10100","domain l2-10200"] [] '
	is "$(links)" ''
	is "$(find "$NODE_STATE" -path '*/locks' -prune -o -type f -print)" ''
}

is_locked() { ! flock -n "$1" true; }

# bats test_tags=any-kernel
@test "gc: what an ADD that was killed has left of its first record goes, unless an ADD is at work on it" {
	local half dead locks
	busy_node
	dead=.0123456789abcdef.json.tmp half=.fedcba9876543210.json.tmp
	cd "$NODE_STATE"/*/attachments
	locks=$(realpath ../locks)
	touch "$dead" "$half" .x.json.tmp
	flock "$locks/fedcba9876543210" sleep 60 3>&- 4>&- &
	until_true 10 is_locked "$locks/fedcba9876543210"
	ctl gc
	is "$(echo .*.tmp)" "$half .x.json.tmp"
	pkill -KILL -P $!
	wait $! || :
	ctl gc
	is "$(echo .*.tmp)" '.x.json.tmp'
}

@test "gc: with the state lost what pods may need stays, macvlans unseen included, and goes after them" {
	need vrf vlan
	node_up
	ip -n hbr link add br.10400 type bridge
	pod_add a b m
	snapshot_take
	works ADD a < <(l2 10100 '"name": "blue", "vlan": 100, "vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24"], "addresses": [{"address": "10.1.0.11/24"}]')
	vrf works ADD b < <(echo '{"cniVersion": "1.0.0", "name": "routed", "type": "hbr-vrf", "vrf": "red", "addresses": [{"address": "10.9.0.2/32"}]}')
	works ADD m < <(l2 10200 '"name": "mac", "vlan": 200, "attach": "macvlan"')
	rm -rf "$NODE_STATE"
	before=$(picture host hbr)
	for force in '' --force; do
		# shellcheck disable=SC2086 # none or one
		ctl gc $force
		is "$status $err" '1 '
		lacks "$out" removed
		contains "$out" 'stays: vlan tr.200 in the host: nobody remembers it' 'stays: vrf red in the HBR netns' ': a pod may live behind it: DEL it, or end the pod'
		is "$(picture host hbr)" "$before"
	done
	reaches a 10.1.0.1
	ip -n m link set net1 down # a macvlan that nothing tells of
	ctl gc
	is "$(picture host hbr)" "$before"
	pod_del a b m
	until_true 10 no_ports
	ctl gc
	is "$status" 1
	contains "$out" 'stays: vlan tr.200 in the host: nobody remembers it' 'removed vrf red in the HBR netns: nobody remembers it'
	ctl gc --force
	is "$status" 0
	snapshot_same -x '*/locks/*'
}

@test "gc: holders without a record, domains that nobody holds, an L2 domain's hold on a VRF that outlived it" {
	need vrf vlan
	node_up
	pod_add a b
	snapshot_take
	works ADD a < <(l2 10100 '"name": "blue", "vlan": 100, "vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24"]')
	works ADD b < <(l2 10200 '"name": "green", "vlan": 200')
	rm "$NODE_STATE"/*/attachments/*
	pod_del a
	until_true 10 gone_host "$(jq -r .port "$NODE_STATE"/*/domains/l2-10100/*[0-9a-f])"
	ctl gc
	says 0 'removed interface net1 of container c-a: its pod is gone
removed domain l2-10100: nobody holds it
removed domain vrf-red: nobody holds it'
	rm "$NODE_STATE"/*/domains/*-10200/*[0-9a-f]
	ctl gc # its pod lives: the port in the bridge keeps it
	is "$status" 1
	contains "$out" 'stays: domain l2-10200: nobody holds it' 'a pod may live behind it'
	pod_del b
	until_true 10 no_ports
	ctl gc
	says 0 'removed domain l2-10200: nobody holds it'
	snapshot_same -x '*/locks/*'
}
gone_host() { no_link host "$1" 2>/dev/null; }
no_ports() { ! { ip link && ip -n hbr link; } | grep -q ' pv'; }

# The links whose mark has that number.
of_ours() { { ip -json link; ip -n hbr -json link; } | jq -r '.[] | select(.group == "1744840564") | .ifname' | sed 's/^pv.*/pv/' | sort | xargs; }
routed() { echo '{"cniVersion": "1.0.0", "name": "routed", "type": "hbr-vrf", "vrf": "red", "table": 10100, "addresses": [{"address": "10.9.0.2/32"}]}'; }

@test "the state is lost, and a VRF's table has the number of an L2 domain's VNI: each goes with its own last pod" {
	need vrf vlan
	local attach last
	node_up
	pod_add a b
	snapshot_take
	# The marks are the same number: neither is kept by, nor goes with, the other.
	while read -r attach last; do
		works ADD a < <(l2 10100 "\"vlan\": 100, \"attach\": \"$attach\"")
		vrf works ADD b < <(routed)
		rm -rf "$NODE_STATE"
		if [ "$last" = vrf ]; then
			works DEL a < <(l2 10100 "\"vlan\": 100, \"attach\": \"$attach\"")
			is "$(of_ours)" 'pv red'
			vrf works DEL b < <(routed)
		else
			vrf works DEL b < <(routed)
			is "$(of_ours)" "$([ "$attach" = bridge ] && echo 'br.10100 br.10100 pv tr.100 tr.100 vx.10100' || echo 'br.10100 tr.100 tr.100 vx.10100')"
			works DEL a < <(l2 10100 "\"vlan\": 100, \"attach\": \"$attach\"")
		fi
		[ "$attach" = bridge ] || ctl gc --force
		snapshot_same -x '*/locks/*'
	done <<-'W'
		bridge vrf
		bridge domain
		macvlan domain
	W
}
