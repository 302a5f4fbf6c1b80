#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# weight: 22
# Links come and go while a plugin lists them: the kernel says that such a list is not whole.

load helpers

churning=()

setup() {
	node_up
	mkdir -p /etc/hbr-cni
	echo '{"uplinks": ["ul"]}' >/etc/hbr-cni/node.json # where there is no VRF hbn looks like one
}
teardown() {
	calm
	node_down
}

# churn NETNS LINK...: one of that kind comes and goes there as fast as it can, until calm. Nobody waits for it.
churn() {
	local -a netns=()
	[ "$1" = host ] || netns=(-n "$1")
	yes "link add churn ${*:2}"$'\n''link del churn' | nice -n 19 ip "${netns[@]}" -batch - >/dev/null 2>&1 3>&- 4>&- &
	churning+=($!)
	disown
}
calm() {
	local netns pid
	for pid in "${churning[@]}"; do
		kill "$pid"
		until_true 10 eval "! kill -0 $pid 2>/dev/null"
	done
	churning=()
	for netns in host hbr; do
		no_link $netns churn 2>/dev/null || at "$netns" ip link del churn
	done
}

# others NETNS N: links of somebody else's, so that a list is several messages long.
others() { seq -f 'link add other%g type bridge' "$2" | at "$1" ip -batch -; }

attached() { l2 "${1:-10100}" '"attach": "direct"'; }

# listed: how often the plugin asked for all links. Types and flags come as names, or as numbers where
# strace does not see which protocol the socket has.
listed() { grep -cE '^sendmsg.*nlmsg_type=(RTM_GETLINK|0x12 ).*nlmsg_flags=[^,]*(NLM_F_DUMP|0x300)' "$BATS_TEST_TMPDIR/strace" || :; }
listed_again() { [ "$(listed)" -gt 1 ]; }

# slowly: each message is waited for so long that something has changed before the next one.
slowly() {
	: >"$BATS_TEST_TMPDIR/strace"
	WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/strace" -e 'trace=sendmsg,recvmsg' -e inject=recvmsg:delay_exit=50000)
}

# interrupted: the last DEL lists the links while they change, and once more when that is over.
interrupted() {
	churn hbr type bridge
	slowly
	begin del DEL pod1 < <(attached)
	WRAP=()
	until_true 60 listed_again
	calm
	wait
	read -r status out <"$BATS_TEST_TMPDIR/many/del/status"
	echo "# $BATS_TEST_DESCRIPTION: listed $(listed) times" >&3
}

@test "wicked#459, netlink#1018: a list that was interrupted is asked for again, and a whole one counts" {
	others hbr 60
	pod_add pod1
	snapshot_take
	works ADD pod1 < <(attached)
	ip -n hbr link add guest master br.10100 type veth peer name guest0
	interrupted
	is "$status" 0
	contains "$out" 'stays: guest is still a port of br.10100'
	is "$(fact hbr vx.10100 .master)" '"br.10100"'
	ip -n hbr link del guest
	works ADD pod1 < <(attached)
	interrupted
	is "$status $out" '0 '
	snapshot_same
}

# each_interrupted: the last DEL gets no whole list, ten times.
each_interrupted() {
	churn hbr type bridge
	slowly
	works DEL pod1 < <(attached)
	WRAP=()
	calm
	is "$(listed)" 10
}

@test "a list that is interrupted at each try: DEL goes by all that any of them had: whoever is there all the while is seen" {
	others hbr 60
	pod_add pod1
	snapshot_take
	works ADD pod1 < <(attached)
	ip -n hbr link add guest master br.10100 type veth peer name guest0
	each_interrupted
	contains "$err" 'stays: guest is still a port of br.10100'
	is "$(fact hbr vx.10100 .master)" '"br.10100"'
	ip -n hbr link del guest
	works ADD pod1 < <(attached)
	each_interrupted
	is "$err" ''
	snapshot_same
}

# many VERB: of so many pods, 5 on a domain, at once.
many() {
	local i
	for ((i = 1; i <= n; i++)); do begin "$i" "$1" "pod$i" < <(attached $((10100 + i % (n / 5)))); done
	end
}

@test "plugins#1121, bond-cni#158: many pods at once, of many domains, while links come and go in the host and the HBR netns: no call fails" {
	local pods before n=50
	[ "$BED" != guest ] || [ -n "${SOAK:-}" ] || n=10 # a guest has one core
	mapfile -t pods < <(seq -f pod%g 0 $n)
	pod_add "${pods[@]}"
	others hbr 60
	others host 60
	snapshot_take
	works ADD pod0 < <(attached 10101)
	before=$(fact hbr br.10101 .ifindex)$(fact hbr vx.10101 .ifindex)
	churn hbr type veth
	churn host type veth
	many ADD
	is "$(ip -n hbr -json link | jq 'map(select(.ifname | test("^(br|vx)[.]"))) | length')" $((2 * n / 5))
	many DEL
	# What the one that stays needs was there all the time.
	is "$(fact hbr br.10101 .ifindex)$(fact hbr vx.10101 .ifindex)" "$before"
	is "$(fact hbr vx.10101 .master)" '"br.10101"'
	is "$(ip -n hbr -json link | jq -c 'map(.ifname | select(test("^(br|vx)[.]"))) | sort')" '["br.10101","vx.10101"]'
	calm
	works DEL pod0 < <(attached 10101)
	snapshot_same
}
