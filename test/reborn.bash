# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests of an HBR netns that goes, and comes again as another one. A file of them has "load reborn"
# after "load helpers", "load fabric" and "load hbrctl". It is node 1's that goes; pods of node 2 are far.
# shellcheck disable=SC2034,SC2154 # for those who load this, and of plugin

# A pod's name is a letter, which says its network, and a number, which are its addresses too; from 100
# on it is far. Pools give addresses of their own.
NEAR=(b11 b12 b13 b14 b15 p1 p2 o13 o14 o15 s11 m12 m13 d11 d12 x17 r11 r12 r13 r14 q1)
FAR=(b100 o100 m100 d100 r100)
RED='"vrf": {"name": "red", "vni": 5000}'
declare -gA CONF=(
	[b]='"type": "hbr-l2", "vni": 10100, '$RED', "gateway": ["10.1.0.1/24", "fd01::1/64"], "routes": [{"dst": "10.0.0.0/8", "gw": "10.1.0.1"}]'
	[x]='"type": "hbr-l2", "vni": 10100, "attach": "direct"'
	[p]='"type": "hbr-l2", "vni": 10200, "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.2.0.0/24"}], [{"subnet": "fd02::/64"}]]}'
	[o]='"type": "hbr-l2", "vni": 10200'
	[m]='"type": "hbr-l2", "vni": 10300, "attach": "macvlan"'
	[s]='"type": "hbr-l2", "vni": 10300, "attach": "macvlan", "ipam": {"type": "static"}'
	[d]='"type": "hbr-l2", "vni": 10400, "attach": "direct", '$RED', "gateway": ["10.4.0.1/24", "fd04::1/64"],
		"routes": [{"dst": "10.0.0.0/8", "gw": "10.4.0.1"}, {"dst": "fd00::/8", "gw": "fd04::1"}]'
	[r]='"type": "hbr-vrf", "vrf": "red", "vni": 5000, "routes": [{"dst": "10.0.0.0/8"}, {"dst": "fd00::/8"}]'
	[q]='"type": "hbr-vrf", "vrf": "red", "ipam": {"type": "host-local", "subnet": "10.8.0.0/24", "routes": [{"dst": "10.0.0.0/8"}]}')
declare -gA V4=([b]=10.1.0. [o]=10.2.0. [m]=10.3.0. [s]=10.3.0. [d]=10.4.0. [x]=10.1.0. [r]=10.9.0.)
declare -gA V6=([b]=fd01:: [o]=fd02:: [m]=fd03:: [s]=fd03:: [d]=fd04:: [x]=fd01:: [r]=fd09::)

# everyone VERB POD...: on the node where the pod is. What ADD says is kept for CHECK, and the addresses
# for all: address, address6.
declare -gA address address6
everyone() {
	local pod
	for pod in "${@:2}"; do one "$1" "$pod" || { echo "$1 of $pod" >&2; return 1; }; done
}
one() { # VERB POD
	local kind=${2:0:1} number=${2:1} conf ARGS='' NODE_FILE=/etc/hbr-cni/node.json PLUGIN all
	local -a WRAP=()
	[ "$number" -lt 100 ] || { NODE_FILE=/etc/hbr-cni/node2.json && WRAP=("$(type -P ip)" netns exec host2); }
	conf="{\"cniVersion\": \"1.0.0\", \"name\": \"$kind\", ${CONF[$kind]}"
	[[ $conf == *hbr-l2* ]] && PLUGIN=$PLUGINS_DIR/hbr-l2 || PLUGIN=$PLUGINS_DIR/hbr-vrf
	if [ -n "${V4[$kind]-}" ]; then
		address[$2]=${V4[$kind]}$number address6[$2]=${V6[$kind]}$number
		ARGS="IP=${address[$2]}/24,${address6[$2]}/64"
	fi
	[ "$1" != CHECK ] || conf+=", \"prevResult\": $(<"$BATS_TEST_TMPDIR/result.$2")"
	works "$1" "$2" <<<"$conf}" || return 1
	[ "$1" = ADD ] || return 0
	echo "$out" >"$BATS_TEST_TMPDIR/result.$2"
	[ -z "${V4[$kind]-}" ] || return 0
	all=$(jq -r '[.ips[].address | sub("/.*"; "")] | join(" ")' <<<"$out")
	address[$2]=${all% *} address6[$2]=${all#* }
}

# The pods' own side: what there is of their interfaces, addresses and routes.
pods_now() {
	local -a places=()
	local pod
	for pod; do places+=("/run/netns/$pod"); done
	while [ ${#places[@]} -gt 0 ]; do
		"$SNAPSHOT" -x '*neighbour *' -x '*sysctl *' "${places[@]:0:12}"
		places=("${places[@]:12}")
	done
}
indexes() { local pod; for pod; do ip -n "$pod" -json link show dev net1 | jq -r --arg pod "$pod" '.[0] | "\($pod) \(.ifindex) \(.address)"'; done; }

# The HBR netns goes, with all that runs in it.
hbr_dies() {
	local pid
	SIGNAL=KILL frr_stop hbr
	for pid in $(ip netns pids hbr); do kill -KILL "$pid"; done
	ip netns del hbr
	until_true 5 eval '[ ! -e /sys/class/net/hbn ] && ! has_link spine sp1'
}
# And another one comes: with trunk, VTEP and FRR; BGP is established.
hbr_comes() { node_up && fabric_frr hbr && until_true 30 is_established hbr; }

now() { echo "${EPOCHREALTIME%???}"; } # with milliseconds

# pinging NAME POD ADDRESS: from now on, five times a second.
pinging() {
	(exec ip netns exec "$2" ping -n -D -i 0.2 "$3") >"$BATS_TEST_TMPDIR/ping.$1" 2>&1 3>&- 4>&- &
	started+=("$!")
}

# answers SINCE: NAME MS, of each ping that was answered after that: when first, in milliseconds.
answers() {
	awk -v since="$1" '/ bytes from / && !(FILENAME in seen) && substr($1, 2) + 0 > since {
		seen[FILENAME]; name = FILENAME; sub(/.*ping[.]/, "", name); printf "%s %d\n", name, (substr($1, 2) - since) * 1000 }' \
		"$BATS_TEST_TMPDIR"/ping.* | sort
}
# talks SINCE: the same of connections: when each end has heard the other one.
talks() {
	awk -v since="$1" '$3 == "broken" { print; next } $1 > since && !(($2, $3) in seen) { seen[$2, $3]; if (++ends[$2] == 2) printf "%s %d\n", $2, ($1 - since) * 1000 }' \
		"$BATS_TEST_TMPDIR/talk" | sort
}
# all N COMMAND SINCE: what it prints, when those are so many lines.
all() {
	local end=$((SECONDS + 90)) said
	while said=$("$2" "$3") && [ "$(grep -c . <<<"$said")" -lt "$1" ]; do
		[ "$SECONDS" -lt "$end" ] || { printf '%s %s:\n%s\n' "$1" "$2" "$said" >&2; return 1; }
		sleep 0.5
	done
	echo "$said"
}

# ms SINCE NOW: in milliseconds.
ms() { echo $((${2/./} - ${1/./})); }

reborn_stop() {
	[ ${#started[@]} = 0 ] || kill "${started[@]}" 2>/dev/null || :
	wait "${started[@]}" 2>/dev/null || :
	started=()
}

# Names are random here, and what EVPN and BGP change by themselves.
CHANGES=("${ALIVE[@]}" -x '*link tr *' -x '*link hbn *' -x '*link hbr *' -x '*fdb tr *' -x '*fdb hbn *')

# lost NAME N: of its pings at most so many had no answer (the last one may still be on its way).
lost() {
	local lost
	lost=$(awk '/ bytes from / { match($0, /icmp_seq=[0-9]+/); last = substr($0, RSTART + 9, RLENGTH - 9); n++ } END { print last - n }' "$BATS_TEST_TMPDIR/ping.$1")
	echo "# $1: $lost pings of $(grep -c ' bytes from ' "$BATS_TEST_TMPDIR/ping.$1") lost" >&3
	[ "$lost" -le "$2" ]
}
