#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=ubsan
# weight: 25
# GC and STATUS.

# shellcheck disable=SC2016 # other shells' variables in single quotes
load helpers

setup_file() {
	need vrf vlan
	build
}
teardown_file() { node_down; }

build() {
	node_up
	pod_add p1 p2
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR snapshot_take
}

left_nothing() { BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR snapshot_same; } 2> >(head -n 40 >&2)

# Nothing but the node is left by any test; after one that failed it is made anew.
teardown() {
	[ -z "${BATS_TEST_COMPLETED:-}" ] || ! left_nothing || return 0
	node_down
	build
	false
}

# net NAME [KEYS]
net() { printf '{"cniVersion": "1.1.0", "name": "%s", "vni": 10400%s}' "$1" "${2:+, $2}"; }

add() { works ADD "$2" "${3:-net1}" < <(net "$1"); }
del() { works DEL "$2" "${3:-net1}" < <(net "$1"); }

# silent VERB [NETWORK [KEYS]]: it succeeds, and says nothing.
silent() {
	works "$1" < <(net "${2:-a}" "${3:-}")
	is "$out$err" ''
}

# list KEY [CONTAINER IFNAME]...: a list of attachments.
list() {
	local key=$1 entries=''
	shift
	while [ $# -gt 0 ]; do
		entries+=", {\"containerID\": \"$1\", \"ifname\": \"$2\"}"
		shift 2
	done
	printf '"cni.dev/%s": [%s]' "$key" "${entries#, }"
}

# What is attached, by records and by the ports: CONTAINER/IFNAME...
attached() {
	local -a records=("$NODE_STATE"/*/attachments/*.json) aliases=()
	local path alias
	for path in /sys/class/net/pv*/ifalias; do
		[ ! -e "$path" ] || { read -r alias <"$path" && aliases+=("${alias##*:port:}"); }
	done
	[ ! -e "${records[0]}" ] || is "${#records[@]}" "${#aliases[@]}" || return 1
	printf '%s\n' "${aliases[@]}" | sort | paste -sd ' '
}

# fake SCRIPT: an IPAM plugin of that name, which notes what it is given.
fake() {
	FAKE=$BATS_TEST_TMPDIR/fake
	mkdir -p "$FAKE"
	printf '#!/bin/sh\necho "$CNI_COMMAND" >>%s\ncat >%s\nenv >%s\n%s\n' "$FAKE/verbs" "$FAKE/stdin" "$FAKE/env" "$1" >"$FAKE/fake"
	chmod +x "$FAKE/fake"
	CNI_PATH=$FAKE
}

@test "cni#1103: GC knows both keys; what is in neither list goes, what is in one stays" {
	add a p1
	add a p1 net2
	add a p2
	is "$(attached)" 'c-p1/net1 c-p1/net2 c-p2/net1'
	silent GC a "$(list valid-attachments c-p1 net1 c-gone net1 c-p1 eth0), $(list attachments c-p2 net1)"
	is "$(attached)" 'c-p1/net1 c-p2/net1'
	is "$(ip -n p1 -json link | jq -c 'map(.ifname)')" '["lo","net1"]'
	silent GC a "$(list attachments c-p1 net1)"
	is "$(attached)" 'c-p1/net1'
	silent GC a "$(list valid-attachments c-p1 net1)"
	is "$(attached)" 'c-p1/net1'
	silent GC a "$(list valid-attachments)"
	is "$(attached)" ''
	silent GC a "$(list valid-attachments)"
}

@test "GC: null is an empty list, as CRI-O gives it" {
	add a p1
	is "$(attached)" 'c-p1/net1'
	silent GC a '"cni.dev/valid-attachments": null'
	is "$(attached)" ''
}

@test "GC without a list reaps what is dead and nothing else" {
	pod_add p3
	add a p1
	add a p3
	pod_del p3
	silent GC a
	is "$(attached)" 'c-p1/net1'
	is "$(find "$NODE_STATE"/*/domains/l2-10400 -type f | wc -l)" 3 # domain.json, one holder, and its MAC
	del a p1
}

@test "cni#1091: GC of one network leaves another on the same VNI alone" {
	add a p1
	add b p2
	before=$(fact hbr vx.10400 .ifindex)
	silent GC a "$(list valid-attachments)"
	is "$(attached)" 'c-p2/net1'
	is "$(ip -n p2 -json link | jq -c 'map(.ifname)')" '["lo","net1"]'
	is "$(fact hbr vx.10400 '[.ifindex, .master]')" "[$before,\"br.10400\"]"
	silent GC a "$(list valid-attachments)"
	silent GC c '"cni.dev/valid-attachments": null'
	is "$(attached)" 'c-p2/net1'
	del b p2
}

@test "GC with a list that is none removes nothing" {
	add a p1
	for value in '"x"' '{}' 5 true '[5]' '["c-p1"]' '[{"containerID": "c-p1"}]' '[{"containerID": 5, "ifname": "net1"}]' \
		'[{"containerID": "c-p2", "ifname": "net1"}, {"ifname": "net1"}]' '[null]'; do
		for key in valid-attachments attachments; do
			plugin GC < <(net a "\"cni.dev/$key\": $value")
			refused 7 "cni.dev/$key" ': wanted'
		done
	done
	plugin GC < <(net a "$(list valid-attachments), \"cni.dev/attachments\": 5")
	refused 7 'cni.dev/attachments: 5 is not allowed: wanted a list of attachments'
	is "$(attached)" 'c-p1/net1'
	del a p1
}

@test "plugins#1289: GC removes records of its network only, whatever else is in the directory" {
	add a p1
	dir=$(echo "$NODE_STATE"/*/attachments)
	for name in README .half-written lock; do echo x >"$dir/$name"; done
	echo '{"plugin": "hbr-l2", "config":' >"$dir/0123456789abcdef.json"
	works GC < <(net a "$(list valid-attachments)")
	is "$out" ''
	is "$(find "$dir" -type f -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')" '.half-written 0123456789abcdef.json README lock'
	rm -f "$dir"/{README,.half-written,lock,0123456789abcdef.json}
}

@test "GC leaves an attachment that is being worked on to who does" {
	add a p1
	id=$(basename "$NODE_STATE"/*/attachments/*.json .json)
	lock=$(echo "$NODE_STATE"/*/locks)/$id
	exec {held}<>"$lock"
	flock -n "$held"
	silent GC a "$(list valid-attachments)"
	is "$(attached)" 'c-p1/net1'
	exec {held}>&-
	silent GC a "$(list valid-attachments)"
	is "$(attached)" ''
}

@test "GC and STATUS reach the IPAM plugin with the same bytes, and its error is ours" {
	fake ''
	for verb in GC STATUS; do
		text=$(net a '"ipam": {"type": "fake",  "x": [1.50, 12345678901234567890]}')
		TRACEPARENT=00-1 WRAP=(env TRACEPARENT=00-1)
		plugin $verb < <(printf '%s \n\n' "$text")
		WRAP=()
		is "$status$out" 0
		is "$(cat "$FAKE/stdin"; echo .)" "$text "$'\n\n.'
		contains "$(<"$FAKE/env")" TRACEPARENT=00-1 "CNI_COMMAND=$verb" "CNI_PATH=$FAKE"
		lacks "$(<"$FAKE/env")" CNI_CONTAINERID
	done
	is "$(paste -sd ' ' "$FAKE/verbs")" 'GC STATUS'
	fake 'echo "{\"code\": 50, \"msg\": \"no more addresses\", \"details\": \"full\"}"; exit 1'
	plugin STATUS < <(net a '"ipam": {"type": "fake"}')
	refused 50 'no more addresses: full'
	works ADD p1 < <(net a)
	plugin GC < <(net a "$(list valid-attachments), \"ipam\": {\"type\": \"fake\"}")
	refused 50 'no more addresses: full'
	is "$(attached)" ''
	plugin STATUS < <(net a '"ipam": {"type": "nosuch"}')
	refused 104 'ipam.type: there is no IPAM plugin "nosuch" in CNI_PATH'
}

# A node that cannot serve: CODE NODE_FILE TEXT...
status() {
	local code=$1 NODE_FILE=$BATS_TEST_TMPDIR/node.json
	printf '%s' "$2" >"$NODE_FILE"
	shift 2
	plugin STATUS < <(net a)
	refused "$code" "$@"
}

@test "multus-cni#1490: GC and STATUS know no pod, and do not look at what stands there" {
	add a p1
	WRAP=(env CNI_CONTAINERID=%% CNI_NETNS=/nowhere CNI_IFNAME=a/b 'CNI_ARGS=x;;=')
	silent GC a "$(list valid-attachments c-p1 net1)"
	is "$(attached)" 'c-p1/net1'
	silent GC a "$(list valid-attachments)"
	is "$(attached)" ''
	silent STATUS
	status 50 '{"trunk": "trunk0"}' 'there is no trunk trunk0 in the HBR netns'
	for words in 'env -u CNI_PATH' 'env CNI_CONTAINERID= CNI_NETNS= CNI_IFNAME= CNI_ARGS='; do
		read -ra WRAP <<<"$words"
		silent GC
		silent STATUS
	done
	WRAP=()
}

@test "GC and STATUS came with 1.1.0" {
	for verb in GC STATUS; do
		plugin $verb < <(net a '"cniVersion": "1.0.0"')
		refused 1 "config version does not allow $verb: cniVersion is 1.0.0, wanted 1.1.0 or later"
	done
}

@test "STATUS says what an ADD would fail of" {
	silent STATUS
	status 50 '{"hbrNetns": "/run/netns/gone"}' 'hbrNetns: network namespace /run/netns/gone: does not exist'
	status 50 '{"hbrNetns": "/etc/hostname"}' 'hbrNetns: /etc/hostname is not a network namespace'
	status 50 '{"hbrNetns": "/proc/self/ns/net"}' "hbrNetns: /proc/self/ns/net is the host's own network namespace"
	status 50 '{"trunk": "trunk0"}' 'there is no trunk trunk0 in the HBR netns'
	status 50 '{"hostTrunk": "trunk0"}' 'there is no trunk trunk0 in the host'
	status 50 '{"stateDir": "/usr/hbr-cni"}' 'stateDir: write to /usr: Read-only file system'
	status 51 '{"vtep": {"dev": "lo", "family": 6}}' 'no VTEP: lo in the HBR netns has no global IPv6 address'
	status 51 '{"vtep": {"address": "10.0.0.9"}}' 'no VTEP: 10.0.0.9 is no address of the HBR netns'
	status 7 '{"mtu": 5}' 'mtu: 5 is not allowed'
	ip link set tr down
	status 50 '{}' 'the trunk tr in the host is down'
	ip link set tr up
	ip -n hbr link set tr down
	status 50 '{}' 'the trunk tr in the HBR netns is down'
	ip -n hbr link set tr up
	WRAP=(setpriv --bounding-set -sys_admin)
	status 50 '{}' 'CAP_SYS_ADMIN'
	WRAP=()
	silent STATUS
	add a p1
	del a p1
}

@test "STATUS says which kind of link the kernel does not make, and that we may not make any" {
	[ "$BED" = guest ] || skip 'the modules of a machine are its own'
	rmmod vxlan
	status 50 '{}' 'the kernel knows no links of the kind vxlan'
	modprobe -d "$BUILD/guest" vxlan
	WRAP=(setpriv --bounding-set -net_admin)
	status 50 '{}' 'ask for a bridge in the HBR netns: Operation not permitted' 'CAP_NET_ADMIN'
	WRAP=()
	silent STATUS
}

@test "STATUS asks for no trunk where none is needed: attach direct, hbr-vrf" {
	local NODE_FILE=$BATS_TEST_TMPDIR/node.json
	echo '{"trunk": "trunk0", "attach": "direct"}' >"$NODE_FILE"
	silent STATUS
	echo '{"hostTrunk": "trunk0"}' >"$NODE_FILE"
	PLUGIN=$PLUGINS_DIR/hbr-vrf silent STATUS
	status 50 '{"hostTrunk": "trunk0"}' 'there is no trunk trunk0 in the host'
}

@test "STATUS and VERSION take no lock and write nothing" {
	add a p1
	dir=$(echo "$NODE_STATE"/*/locks)
	: >"$dir/node"
	for lock in "$dir"/*; do
		exec {held}<>"$lock"
		flock -n "$held"
		fds+=("$held")
	done
	[ "${#fds[@]}" -ge 4 ] # the attachment's, two domains', the node's
	snapshot_take -x '* dynamic *' # what the pod's own words make the kernel learn
	WRAP=(strace -qq -f -o "$BATS_TEST_TMPDIR/calls" -e 'trace=flock,fcntl,%file')
	silent STATUS
	WRAP=()
	works VERSION </dev/null
	! grep -E 'flock|SETLK|mkdir|rename|unlink|O_CREAT|O_WRONLY|O_RDWR' "$BATS_TEST_TMPDIR/calls" || return 1
	[ -s "$BATS_TEST_TMPDIR/calls" ]
	snapshot_same -x '* dynamic *'
	for held in "${fds[@]}"; do exec {held}>&-; done
	del a p1
}
