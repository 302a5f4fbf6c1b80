#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # the inner shell's
# weight: 127
# Many at once, and who holds a lock. ROUNDS repeats what is a matter of luck (see soak).

load helpers
load pinger

ROUNDS=${ROUNDS:-1}
STRACE=()

setup() {
	need vrf vlan
	[ -e /run/netns/hbr ] || { node_up && pinger_start; }
	snapshot_take
}
teardown() {
	[ ${#holders[@]} = 0 ] || kill "${holders[@]}" 2>/dev/null || :
	[ "${BATS_TEST_COMPLETED:-}" = 1 ] || { pinger_end; node_down; }
}
teardown_file() {
	pinger_end
	node_down
}
# The one that stays lost nothing; the next test gets a new node.
renew() { pinger_stop && node_down; }

pods() { # FUNCTION N: pod_add or pod_del
	mapfile -t names < <(seq -f pod%g 1 "$2")
	"$1" "${names[@]}"
}

links() { ip -n hbr -json link | jq -r 'map(.ifname | select(test("[.]") and (test("10999|^tr.99$") | not))) | sort | join(" ")'; }

# gather N CONFIGURATION: as many ADDs, which wait until the last one is there; then all start. The
# configuration is a function of the pod's number.
gather() {
	local gate=$BATS_TEST_TMPDIR/gate n=$1 i open
	mkfifo "$gate"
	WRAP=("${STRACE[@]}" /bin/sh -c 'echo >>"$0.there"; : <"$0"; exec "$1"' "$gate")
	for ((i = 1; i <= n; i++)); do begin $i ADD pod$i < <("$2" $i); done
	until_true 120 all_there "$gate.there" "$n" || return 1
	exec {open}<>"$gate"
	end
	i=$?
	exec {open}>&-
	rm "$gate" "$gate.there"
	WRAP=("${STRACE[@]}")
	return $i
}
all_there() { [ -e "$1" ] && [ "$(wc -l <"$1")" = "$2" ]; }

one_network() { l2 10100 '"vlan": 100'; }
own_network() { l2 $((20000 + $1)) "\"attach\": \"$([ $(($1 % 2)) = 0 ] && echo bridge || echo macvlan)\""; }

# crowd N: as many ADDs at once, then as many DELs; one domain, and nothing afterwards.
crowd() {
	local n=$1 i
	gather "$n" one_network || return 1
	is "$(links)" 'br.10100 tr.100 vx.10100' || return 1
	is "$(ip -json link show master br.10100 | jq length)" $((n + 1)) || return 1
	for ((i = 1; i <= n; i++)); do begin $i DEL pod$i < <(l2 10100 '"vlan": 100'); done
	end || return 1
	snapshot_same
}

@test "ecs-cni#90, koko#48: 32 ADDs at once on one domain, 32 DELs, with a net1 in the host" {
	ip link add net1 type dummy
	snapshot_take
	pods pod_add 32
	for ((round = 0; round < ROUNDS; round++)); do crowd 32; done
	pods pod_del 32
	ip link del net1
}

@test "the same with locks that do not lock: something goes wrong" {
	pods pod_add 32
	STRACE=(strace -qq -o /dev/null -e 'trace=flock,sendmsg' -e raw=all -e inject=flock:retval=0 -e inject=sendmsg:delay_enter=20000)
	SNAPSHOT_TRIES=2 run crowd 32
	echo "# ${output:0:160}" | head -n 1 >&3
	is "$status" 1
	# By what the kernel or the state says, not because something was wrong with the calls.
	lacks "$output" '"code":6,'
	lacks "$output" '"code":11,'
	[[ $output == *'"code":10'[137]* || $output == *'+++ now'* ]]
	renew
}

# vlans NETNS...: of our links there, "ID of NAME".
vlans() {
	local netns
	for netns; do
		at "$netns" ip -json -details link show type vlan | jq -r '.[] | select(.ifname != "theirs" and .ifname != "tr.99") | "\(.linkinfo.info_data.id) \(.ifname)"'
	done | sort -n
}

# vlan_range RANGE: the node's; its first one is taken in the host, its last one in the HBR netns.
vlan_range() {
	NODE_FILE=$BATS_TEST_TMPDIR/node.json
	echo "{\"vlanRange\": \"$1\"}" >"$NODE_FILE"
	ip link add link tr name theirs type vlan id "${1%-*}"
	ip -n hbr link add link tr name theirs type vlan id "${1#*-}"
}

@test "the first ADDs of 32 networks at once, on bridges and macvlans: 32 different VLANs of the range, none of which is in use" {
	pods pod_add 32
	vlan_range 100-133
	snapshot_take
	for ((round = 0; round < ROUNDS; round++)); do
		gather 32 own_network
		is "$(vlans host hbr)" "$(for ((i = 101; i <= 132; i++)); do printf '%s tr.%s\n' $i $i $i $i; done)"
		plugin ADD pod1 net2 < <(own_network 33)
		refused 103 'no VLAN is free on this node: the range 100-133 (vlanRange) is used up'
		for ((i = 1; i <= 32; i++)); do begin $i DEL pod$i < <(own_network $i); done
		end
		snapshot_same
	done
	pods pod_del 32
	renew
}

@test "the same with locks that do not lock: two networks take one VLAN" {
	pods pod_add 8
	vlan_range 100-133
	STRACE=(strace -qq -o /dev/null -e 'trace=flock,sendmsg' -e raw=all -e inject=flock:retval=0 -e inject=sendmsg:delay_enter=20000)
	run gather 8 own_network
	echo "# ${output:0:160}" | head -n 1 >&3
	is "$status" 1
	contains "$output" '"code":103,"msg":"domain: ' ' tr.10'
	renew
}

@test "multus-cni, meshnet-cni#70: the last DEL against the first ADD of a pod of the same name" {
	pods pod_add 2
	for ((round = 0; round < 8 * ROUNDS; round++)); do
		old=pod$((round % 2 + 1)) new=pod$(((round + 1) % 2 + 1))
		[ "$round" != 0 ] || ARGS='K8S_POD_NAME=web-0' works ADD $old < <(l2 10100 '"addresses": [{"address": "10.1.0.1/24"}]')
		ARGS='K8S_POD_NAME=web-0' begin old DEL $old < <(l2 10100)
		ARGS='K8S_POD_NAME=web-0' begin new ADD $new < <(l2 10100 '"addresses": [{"address": "10.1.0.1/24"}]')
		end
		no_link $old net1
		has_link $new net1
		is "$(links | sed 's/tr\.[0-9]*/tr/')" 'br.10100 tr vx.10100'
		is "$(ip -n hbr -json link show master br.10100 | jq length)" 2
	done
	works DEL "$new" < <(l2 10100)
	snapshot_same
	pods pod_del 2
}

@test "kubernetes#44100: parallel DELs of one attachment all succeed, and count once" {
	pods pod_add 2
	works ADD pod2 < <(l2 10100)
	for ((round = 0; round < ROUNDS; round++)); do
		works ADD pod1 < <(l2 10100)
		for i in 1 2 3 4 5 6 7 8; do begin $i DEL pod1 < <(l2 10100); done
		end
		no_link pod1 net1
		has_link pod2 net1
		is "$(links | sed 's/tr\.[0-9]*/tr/')" 'br.10100 tr vx.10100'
	done
	works DEL pod2 < <(l2 10100)
	snapshot_same
	pods pod_del 2
}

@test "parallel ADDs of one attachment: one succeeds, the others are refused" {
	pods pod_add 1
	for i in 1 2 3 4 5 6; do begin $i ADD pod1 < <(l2 10100); done
	wait
	is "$(cat "$BATS_TEST_TMPDIR"/many/*/status | grep -c '^0 ')" 1
	is "$(cat "$BATS_TEST_TMPDIR"/many/*/status | grep -c '"code":102,')" 5
	has_link pod1 net1
	works DEL pod1 < <(l2 10100)
	snapshot_same
	pods pod_del 1
}

@test "sriov-cni, multus-cni#1498: 32 DELs at once of what never was" {
	pods pod_add 1
	works ADD pod1 < <(l2 10100)
	for ((i = 1; i <= 32; i++)); do CONTAINERID=none$i begin $i DEL pod1 < <(l2 10100); done
	end
	has_link pod1 net1
	works DEL pod1 < <(l2 10100)
	snapshot_same
	pods pod_del 1
}

# hold LOCK: somebody has it, until let_go.
holders=()
let_go() { kill "${holders[@]}"; holders=(); }
hold() {
	exec {lock}>>"$NODE_STATE"/hbr-*/locks/"$1"
	flock -n "$lock"
	sleep 100 3>&- 4>&- &
	holders+=($!)
	exec {lock}>&-
}

both_ended() { [ -s "$BATS_TEST_TMPDIR/many/add/status" ] && [ -s "$BATS_TEST_TMPDIR/many/del/status" ]; }

@test "plugins#561: a lock that is held: code 11 after 20 s, which names it, and nothing is changed" {
	pods silent_pod 3
	works ADD pod2 < <(l2 10100 '"vlan": 100')
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	snapshot_take
	attachment=$(basename "$(grep -l '"c-pod2"' "$NODE_STATE"/hbr-*/attachments/*.json)" .json)
	hold l2-10100
	hold "$attachment"
	begun=$SECONDS
	begin add ADD pod1 < <(l2 10100)
	begin del DEL pod2 < <(l2 10100)
	# Another network does not wait.
	works ADD pod3 < <(l2 10900)
	works DEL pod3 < <(l2 10900)
	until_true 40 both_ended
	took=$((SECONDS - begun))
	echo "# code 11 after $took s" >&3
	[ "$took" -ge 19 ]
	[ "$took" -lt 30 ]
	for verb in add:l2-10100 del:"$attachment"; do
		read -r status out <"$BATS_TEST_TMPDIR/many/${verb%:*}/status"
		out=${out%\}*}\}
		refused 11 "lock ${verb#*:}: another call still has it after 20.000 s" "$NODE_STATE/hbr-"
	done
	snapshot_same
	let_go
	works ADD pod1 < <(l2 10100)
	works DEL pod1 < <(l2 10100)
	works DEL pod2 < <(l2 10100)
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	snapshot_same
	pods pod_del 3
}

@test "a lock that is held for a moment is waited for" {
	pods pod_add 1
	works ADD pod1 < <(l2 10100)
	works DEL pod1 < <(l2 10100)
	hold l2-10100
	begin add ADD pod1 < <(l2 10100)
	sleep 1
	[ ! -e "$BATS_TEST_TMPDIR/many/add/status" ]
	no_link hbr vx.10100
	let_go
	end
	has_link hbr vx.10100
	works DEL pod1 < <(l2 10100)
	snapshot_same
	pods pod_del 1
}

@test "one attachment that stays lost no packet through all of it" {
	pinger_stop
}
