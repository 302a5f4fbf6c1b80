#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=ubsan
# weight: 51
# hbrctl restore on one node without FRR: the HBR netns was made anew, or something of ours was lost.
load helpers
load hbrctl
load modes

setup() {
	need vrf vlan
	node_up
	pod_add pod1 pod2 pod3 pod4
	watching=()
}
teardown() {
	[ ${#watching[@]} = 0 ] || kill "${watching[@]}"
	node_down
}

# Everything in the HBR netns is gone, with the trunk; then there is another one at its path.
reborn() {
	ip netns del hbr
	until_true 10 gone_from_host
	node_up
}
# What the node has anew then, and what is learned.
REBORN=("${LEARNED[@]}" -x '* link tr address *' -x '* link hbn address *' -x '* link hbr address *')

gone_from_host() { no_link host tr 2>/dev/null; }

l3() { printf '{"cniVersion": "1.1.0", "name": "red", "type": "hbr-vrf", "vrf": "red"%s}\n' "${1:+, $1}"; }
addresses() { printf '"addresses": [{"address": "10.9.0.%s/24"}, {"address": "fd09::%s/64"}], "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]' "$1" "$1"; }

# What a pod has, whatever the index of its interface.
has() {
	ip -n "$1" -json addr show dev net1 | jq -c '.[0] | [.address, .mtu, ([.addr_info[] | select(.scope == "global") | .local, .prefixlen])]'
	# The way to the next hop has the index of the interface for its metric.
	ip -n "$1" -json route show dev net1 | jq -c 'map([.dst, .gateway, if .dst == "169.254.1.1" then "any" else .metric end])'
	ip -n "$1" -json -6 route show dev net1 | jq -c 'map(select(.dst | startswith("fe80") | not) | [.dst, .gateway])'
}

# What restore says of all but the VRF.
RESTORED='restored domain l2-10100
restored domain l2-10200
restored interface net1 of container c-pod1
restored interface net1 of container c-pod2
restored interface net1 of container c-pod3
restored interface net1 of container c-pod4'

# One of each: bridge and direct in a domain, macvlan in another, routed.
join_all() {
	join bridge pod1 1
	join direct pod2 2
	join macvlan pod3 3 '{"vni": 10200, "vlan": 200, "routes": [{"dst": "10.77.0.0/16", "gw": "10.1.0.9", "priority": 5}]}'
	PLUGIN=$PLUGINS_DIR/hbr-vrf works ADD pod4 < <(l3 "$(addresses 4)")
}
check_all() {
	local pod plugin
	for pod in pod1 pod2 pod3 pod4; do
		plugin=hbr-l2
		[ $pod != pod4 ] || plugin=hbr-vrf
		jq -c '.config + {prevResult: (.result | .cniVersion = "1.1.0")}' < <(record $pod) | jq -c '.cniVersion = "1.1.0"' >"$BATS_TEST_TMPDIR/check"
		PLUGIN=$PLUGINS_DIR/$plugin works CHECK $pod <"$BATS_TEST_TMPDIR/check" || return 1
	done
}
record() { jq -c "select(.containerID == \"c-$1\")" "$NODE_STATE"/*/attachments/*.json; }
leave_all() {
	leave pod1 && leave pod2 && leave pod3 && PLUGIN=$PLUGINS_DIR/hbr-vrf works DEL pod4 < <(l3)
}

@test "the HBR netns made anew: restore brings back domains, VLANs and the ports that went, again it keeps all, DEL is clean" {
	local pod before kept
	snapshot_take "${REBORN[@]}"
	join_all
	reach pod1 2
	for pod in pod1 pod2 pod3 pod4; do has $pod >"$BATS_TEST_TMPDIR/has.$pod"; done
	kept=$(kept pod1)
	reborn
	is "$(kept pod1)" "$kept"
	no_link pod2 net1
	no_link pod3 net1
	no_link pod4 net1
	ctl restore
	says 0 "restored domain vrf-red
$RESTORED"
	is "$err" ''
	is "$(kept pod1)" "$kept"
	for pod in pod1 pod2 pod3 pod4; do
		diff -u "$BATS_TEST_TMPDIR/has.$pod" <(has $pod) >&2 || return 1
	done
	reach pod1 2
	reach pod2 1
	reaches pod4 169.254.1.1
	check_all
	before=$(picture host hbr; ip -n hbr -json route show table all | jq -c 'map([.dst, .dev, .table])')
	ctl restore
	is "$status $(cut -d' ' -f1 <<<"$out" | sort | uniq -c | tr -s ' ')" '0  7 kept'
	is "$(picture host hbr; ip -n hbr -json route show table all | jq -c 'map([.dst, .dev, .table])')" "$before"
	leave_all
	snapshot_same "${REBORN[@]}"
}

@test "nothing lost: restore changes no link, address or route, and no file" {
	local before place
	join_all
	before=$(cd "$NODE_STATE" && find . -type f ! -path '*/locks/*' | sort | xargs md5sum)
	for place in host hbr pod2; do
		at "$place" ip monitor link address route >"$BATS_TEST_TMPDIR/events.$place" 3>&- 4>&- &
		watching+=("$!")
	done
	events=$BATS_TEST_TMPDIR/events.hbr
	until_true 10 event hbr lo 65000
	: >"$events"
	ctl restore
	is "$status $(grep -c ^kept <<<"$out")" '0 7'
	events=$BATS_TEST_TMPDIR/events.hbr
	until_true 10 event hbr lo 65200 # what came before it has been seen
	is "$(grep -v ' lo: \|link/loopback' "$BATS_TEST_TMPDIR"/events.*)" ''
	is "$(cd "$NODE_STATE" && find . -type f ! -path '*/locks/*' | sort | xargs md5sum)" "$before"
}

@test "killed at every request and every write: restore brings all back the next time" {
	local call n total=0
	snapshot_take "${REBORN[@]}"
	join_all
	for call in sendmsg renameat; do
		for ((n = 1; n < 400; n++)); do
			reborn
			status=0
			HBR_CNI_NODE='' strace -qq -o /dev/null -e "trace=$call" -e "raw=$call" -e "inject=$call:signal=KILL:when=$n" "$HBRCTL" restore >"$BATS_TEST_TMPDIR/out" 2>&1 || status=$?
			[ "$status" != 0 ] || break
			is "$status" 137 || { cat "$BATS_TEST_TMPDIR/out" >&2; return 1; }
			[ -n "${SOAK:-}" ] || n=$((n + 60)) # a part of them in each check
			total=$((total + 1))
			ctl restore
			is "$status" 0 || { echo "$call $n: $out $err" >&2; return 1; }
			check_all || { echo "killed at $call $n" >&2; return 1; }
		done
	done
	echo "# killed at $total places" >&3
	[ "$total" -ge 4 ]
	leave_all
	snapshot_same "${REBORN[@]}"
}

@test "an ADD alone heals its own domain after the HBR netns was made anew" {
	join bridge pod1 1
	join bridge pod2 2
	join bridge pod3 3 '{"vni": 10200, "vlan": 200}'
	reborn
	join bridge pod4 4
	reach pod1 2
	reach pod4 1
	has_link hbr br.10100
	no_link hbr br.10200
}

@test "a domain's file lost, a port out of its bridge, an entry gone, a route gone: restore mends each" {
	local port
	settled
	join_all
	rm "$NODE_STATE"/*/domains/l2-10100/domain.json
	port=$(jq -r .port < <(record pod1))
	ip link set "$port" nomaster
	bridge -n hbr fdb del "$(jq -r .mac < <(record pod3))" dev tr.200 master
	ip -n hbr route del 10.9.0.4 table "$(fact hbr red .linkinfo.info_data.table)"
	ip -n hbr link del vx.10200
	ctl restore
	# The domain is read out of its pods' records, the first of which makes it.
	says 0 "kept     domain vrf-red
$RESTORED"
	reach pod1 2
	check_all
	leave_all
	unchanged
}

@test "the dead, the unfinished, the unseen: restore says why it leaves them, and touches nothing of theirs" {
	join direct pod1 1
	join direct pod2 2
	join macvlan pod3 3 '{"vni": 10200, "vlan": 200}'
	join bridge pod4 4 '{"vni": 10300, "vlan": 300}'
	jq -c 'del(.result)' < <(record pod2) >"$BATS_TEST_TMPDIR/record"
	cat "$BATS_TEST_TMPDIR/record" >"$(grep -l c-pod2 "$NODE_STATE"/*/attachments/*.json)"
	reborn
	pod_del pod1
	# From where no pod is in sight.
	status=0
	out=$(unshare --mount sh -c "umount -l /run/netns/pod3; umount -l /run/netns/pod4; rm() { :; }; '$HBRCTL' restore") || status=$?
	is "$status" 1
	contains "$out" 'left     interface net1 of container c-pod1: its pod is gone: hbrctl gc removes what is left' \
		'left     interface net1 of container c-pod2: its ADD did not end: the runtime calls DEL for it'
	ctl restore
	is "$status" 0
	has_link pod3 net1
	ctl gc
	leave pod2
}

@test "somebody has taken the pod's name net1: told, the rest is restored" {
	join direct pod1 1
	join direct pod2 2
	reborn
	ip -n pod1 link add net1 type dummy
	ctl restore
	is "$status" 1
	contains "$out" 'failed   interface net1 of container c-pod1: port: the pod has an interface net1 already' 'restored interface net1 of container c-pod2'
	is "$(fact pod1 net1 .linkinfo.info_kind)" '"dummy"'
	ip -n pod1 link del net1
	ctl restore
	is "$status" 0
	reach pod1 2
}

@test "the VTEP is not there any more: restore names it and the link, and is done once it is back" {
	join direct pod1 1
	reborn
	ip -n hbr addr del 10.0.0.1/32 dev lo
	ctl restore
	is "$status" 1
	contains "$out" 'failed   domain l2-10100: vx.10100 has the VTEP 10.0.0.1, which is no address in the HBR netns: wanted it there'
	ip -n hbr addr add 10.0.0.1/32 dev lo
	ctl restore
	is "$status" 0
}

@test "no HBR netns: restore says so, and its status is 2" {
	join direct pod1 1
	ip netns del hbr
	ctl restore
	is "$status $out" '2 '
	is "$err" 'hbrctl: hbrNetns: network namespace /run/netns/hbr: does not exist (ENOENT)'
}

@test "the state directory wiped under living pods: restore says what it cannot know, gc kills nothing alive, DEL cleans" {
	settled
	join_all
	rm -rf "$NODE_STATE"
	ctl restore
	is "$status" 1
	contains "$out" "unknown  veth $(port host) in the host, c-pod1/net1: nobody remembers its pod's network and addresses: DEL it, or end the pod" \
		'unknown  bridge br.10100 in the HBR netns: nobody remembers what it was part of: an ADD on its network makes that whole, hbrctl gc removes it'
	ctl gc
	reach pod1 2
	reaches pod4 169.254.1.1
	leave pod1
	leave pod2
	works DEL pod3 < <(conf macvlan '{"vni": 10200, "vlan": 200}')
	PLUGIN=$PLUGINS_DIR/hbr-vrf works DEL pod4 < <(l3)
	ctl gc --force
	unchanged
}

@test "the state directory wiped and the HBR netns made anew: restore names what is left, the next ADD makes it whole" {
	join bridge pod1 1
	join bridge pod2 2
	rm -rf "$NODE_STATE"
	reborn
	ctl restore
	is "$status" 1
	contains "$out" 'unknown  bridge br.10100 in the host' "c-pod1/net1: nobody remembers"
	join bridge pod3 3
	reach pod3 1
	reach pod1 2
}

@test "restore --frr without FRR in the node file: VRFs are looked at, nothing else" {
	join_all
	reborn
	ctl restore --frr
	says 0 'restored domain vrf-red'
	no_link hbr br.10100
	ctl restore --json
	is "$(jq -c '[.domains[].did], [.attachments[].did], .unknown' <<<"$out")" '["kept","restored","restored"]
["restored","restored","restored","restored"]
[]'
}
