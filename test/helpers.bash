# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests are written with. A file of tests begins with "load helpers".

# shellcheck source=test/node.bash
. "$TREE/test/node.bash"

PLUGINS_DIR=${PLUGINS_DIR:-$BUILD/static}
PLUGIN=${PLUGIN:-$PLUGINS_DIR/hbr-l2}
CNITOOL=$BUILD/tools/cnitool
SNAPSHOT=$BUILD/test/snapshot/snapshot
CNI_PATH=$PLUGINS_DIR:/usr/lib/cni
mapfile -t EXPORTED < <(compgen -e)

# The same language, and started in a sixth of the time; it sorts the members of objects.
jq() { gojq "$@"; }

is() { [ "$1" = "$2" ] || { printf 'is     %s\nwanted %s\n' "$1" "$2" >&2; return 1; }; }

contains() {
	local text=$1 part
	shift
	for part in "$@"; do
		[[ $text == *"$part"* ]] || { printf 'is     %s\nwanted in it: %s\n' "$text" "$part" >&2; return 1; }
	done
}

lacks() { [[ $1 != *"$2"* ]] || { printf 'is     %s\nnot wanted in it: %s\n' "$1" "$2" >&2; return 1; }; }

# kernel_has KIND: vrf, vlan, vxlan, bridge, macvlan, dummy
kernel_has() {
	local options=''
	[ "${BED:-}" != guest ] || return 0
	case $1 in
	vrf) options='table 1' ;;
	vxlan) options='id 1 dstport 4789' ;;
	vlan | macvlan)
		[ "$1" = macvlan ] || options='id 2'
		# shellcheck disable=SC2086 # several words
		unshare --net sh -c "ip link add a type veth peer name b && ip link add link a name probe type $1 $options" 2>/dev/null
		return
		;;
	esac
	# shellcheck disable=SC2086 # several words
	unshare --net ip link add probe type "$1" $options 2>/dev/null
}

# A kernel without the kind skips the test, except with STRICT=1, where that is a failure.
need() {
	local kind
	for kind in "$@"; do
		kernel_has "$kind" && continue
		[ -z "${STRICT:-}" ] || { echo "this kernel has no $kind" >&2; return 1; }
		skip "this kernel has no $kind"
	done
}

# Every run of a plugin in a sanitized suite is a run of a sanitized plugin.
assert_sanitized() {
	[ -n "${SANITIZER:-}" ] && [ "${sanitized:-}" != "$PLUGIN" ] || return 0
	grep -q "__${SANITIZER}_handle\|__${SANITIZER}_init" "$PLUGIN" ||
		{ echo "$PLUGIN is not built with $SANITIZER" >&2; return 1; }
	sanitized=$PLUGIN
}

#
# plugin VERB [POD [IFNAME]] <CONFIGURATION: run $PLUGIN as a runtime does, in an environment with
# nothing else in it. Sets status, out, err. CONTAINERID, NETNS, ARGS and NODE_FILE override what it
# is told; WRAP=(strace ...) is put before it.
#
plugin() {
	local verb=$1 pod=${2:-} ifname=${3:-net1} dir=${BATS_TEST_TMPDIR:-/tmp}
	assert_sanitized || return 1
	status=0
	(
		export -n "${EXPORTED[@]}"
		export CNI_COMMAND=$verb CNI_PATH
		[ -z "$pod" ] || export CNI_CONTAINERID=${CONTAINERID-c-$pod} CNI_NETNS=${NETNS-/run/netns/$pod} CNI_IFNAME=$ifname
		[ -z "${ARGS+set}" ] || export CNI_ARGS=$ARGS
		[ -z "${NODE_FILE+set}" ] || export HBR_CNI_NODE=$NODE_FILE
		# The leak check is made with ptrace, and refuses to run under strace.
		[ "${SANITIZER:-}" != asan ] || [ ${#WRAP[@]} = 0 ] || export ASAN_OPTIONS=detect_leaks=0
		# Descriptors from 3 on are bats' own, and whoever keeps one keeps bats waiting.
		exec "${WRAP[@]}" "$PLUGIN" >"$dir/out" 2>"$dir/err" 3>&- 4>&-
	) || status=$?
	IFS= read -rd '' out <"$dir/out" || out=${out%$'\n'}
	IFS= read -rd '' err <"$dir/err" || err=${err%$'\n'}
	# For the list of errors (docs/errors.md), each of which has to be said somewhere.
	[ "$status" = 0 ] || [ -z "${KEEP:-}" ] || printf '%s\n' "$out" >>"$KEEP/said"
}

# The same, and it must succeed (works), or fail with that code and a message with these texts in it.
works() {
	plugin "$@" || return 1
	[ "$status" = 0 ] || { printf '%s failed with status %s\n%s\n%s\n' "$1" "$status" "$out" "$err" >&2; return 1; }
}

refused() { # CODE TEXT...: what the plugin said last
	local code=$1 said
	shift
	[ "$status" != 0 ] || { printf 'succeeded, wanted code %s\n%s\n' "$code" "$out" >&2; return 1; }
	said=$(jq -r '"\(.code) \(.msg): \(.details // "")"' <<<"$out") ||
		{ printf 'no error on standard output: %s\n%s\n' "$out" "$err" >&2; return 1; }
	is "${said%% *}" "$code" || { echo "$said" >&2; return 1; }
	contains "$said" "$@"
}

# event NETNS LINK MTU: the link gets that MTU, and the monitor that writes to $events has seen it: what
# came before it has been seen too. By way of another value: what is set already is no event.
# shellcheck disable=SC2154 # events is the caller's
event() {
	printf 'link set %s mtu %s\n' "$2" $(($3 + 100)) "$2" "$3" | ip -n "$1" -batch - && grep -q " $2[:@].* mtu $3 " "$events"
}

# ups PATTERN: how often each of the links whose names begin like that has come up, by $events; and those
# that were up in one event, and not in a later one.
ups() {
	awk -v names="^($1)" '/^[0-9]+: / && $2 ~ names { sub(/[:@].*/, "", $2); up = /[<,]UP[,>]/
			if (was[$2] && !up) print $2 " went down"; if (up && !was[$2]) ups[$2]++; was[$2] = up }
		END { for (name in ups) print name " " ups[name] }' "$events" | sort
}

# begin NAME VERB POD <CONFIGURATION: in the background; end waits for all, and shows what did not succeed.
begin() {
	local dir=$BATS_TEST_TMPDIR/many/$1 input
	mkdir -p "$dir"
	IFS= read -rd '' input || : # the shell gives /dev/null to what it puts into the background
	(
		BATS_TEST_TMPDIR=$dir plugin "${@:2}" <<<"$input"
		echo "$status $out $err" >"$dir/status"
	) &
}
end() {
	wait
	! cat "$BATS_TEST_TMPDIR"/many/*/status | grep -v '^0 ' || return 1
	rm -r "$BATS_TEST_TMPDIR/many"
}

# cni add|del|check NETWORK POD [IFNAME]: the same with the real cnitool, from /etc/cni/net.d.
cni() {
	CNI_PATH=$CNI_PATH NETCONFPATH=${NETCONFPATH:-/etc/cni/net.d} CNI_IFNAME=${4:-net1} \
		"$CNITOOL" "$1" "$2" "/run/netns/$3" 3>&- 4>&-
}

# l2 VNI [KEYS]: a configuration of hbr-l2; KEYS is JSON text: '"vlan": 100, "mtu": 1400'.
l2() { printf '{"cniVersion": "1.0.0", "name": "n%s", "type": "hbr-l2", "vni": %s%s}\n' "$1" "$1" "${2:+, $2}"; }

# silent_pod NAME...: pods that say nothing by themselves, for what bridges learn is in a snapshot too.
silent_pod() {
	local name
	pod_add "$@"
	for name in "$@"; do
		at "$name" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
	done
}

# at NETNS COMMAND...: there; "host" is here.
at() {
	local netns=$1
	shift
	if [ "$netns" = host ]; then "$@"; else ip netns exec "$netns" "$@"; fi
}

# fact NETNS LINK FILTER: a fact of one link, as JSON. Ask for an array of all you want to know.
fact() {
	local -a netns=()
	[ "$1" = host ] || netns=(-n "$1")
	ip "${netns[@]}" -json -details link show dev "$2" | jq -c ".[0] | $3"
}

# picture NETNS...: a line for each link that is marked as ours, with all that makes it what it is.
picture() {
	local netns
	for netns; do
		at "$netns" ip -json -details link | jq -r --arg netns "$netns" '
			def port: .linkinfo | select(.info_slave_kind == "bridge") | .info_slave_data |
				" port \([.learning, .neigh_suppress, .isolated, .hairpin, .locked] | map(if . then 1 else 0 end | tostring) | add)" // "";
			def data: .linkinfo.info_kind as $kind | .linkinfo.info_data // {} | {
				bridge: " stp \(.stp_state) snooping \(.mcast_snooping) filtering \(.vlan_filtering)",
				macvlan: " \(.mode)",
				vlan: " \(.protocol) id \(.id)",
				vxlan: " id \(.id) local \(.local // .local6) port \(.port) learning \(.learning)"
			}[$kind] // "";
			.[] | select(.group | tonumber? // 0 | . / 16777216 | floor == 104) |
			"\($netns) \(.ifname) \(.linkinfo.info_kind) \(if .flags | index("UP") then "up" else "down" end) mtu \(.mtu)" +
			" group \(.group) mode \(.inet6_addr_gen_mode) on \(.link // "-") in \(.master // "-")" + data + ([port] | add // "")' |
			sort
	done
}

marks() { # NETNS LINK...: alias, MAC and how that was assigned (3: explicitly)
	# shellcheck disable=SC2016 # the inner shell's
	at "$1" sh -c 'for l; do cd /sys/class/net/$l; echo $l $(cat ifalias address addr_assign_type); done' sh "${@:2}"
}

# join2 ...: what the file's join() does, on the second node.
join2() {
	NODE_FILE=$BATS_TEST_TMPDIR/node2.json
	echo '{"hbrNetns": "/run/netns/hbr2"}' >"$NODE_FILE"
	WRAP=(/usr/bin/env ip netns exec host2)
	PATH=$PATH join "$@" || return 1
	WRAP=()
	unset NODE_FILE
}

# POD NUMBER [SIZE]: whoever has the addresses of that number, in both families.
reach() { reaches "$1" "10.1.0.$2" "${3:-}" && reaches "$1" "fd00:1::$2" "${3:-}"; }
reach_not() { reaches_not "$1" "10.1.0.$2" && reaches_not "$1" "fd00:1::$2"; }

# capture NETNS LINK FILTER...: until captured, which prints it.
capture() {
	(exec ip netns exec "$1" tcpdump -n -e -t -U -p --immediate-mode -i "$2" -w "$BATS_TEST_TMPDIR/frames" "${@:3}") 2>"$BATS_TEST_TMPDIR/tcpdump" 3>&- 4>&- &
	capturing=$!
	until_true 10 grep -q 'listening on' "$BATS_TEST_TMPDIR/tcpdump"
}
captured() {
	sleep 0.3
	kill "$capturing"
	wait "$capturing" || :
	capturing=''
	tcpdump -n -e -t -r "$BATS_TEST_TMPDIR/frames" 2>/dev/null
}

# kept NETNS: what nothing changes by itself there. Link-local addresses come to an end of their own.
kept() {
	ip -n "$1" -json addr | jq -c 'map([.ifname, .ifindex, .address, .mtu, (.addr_info[] | select(.scope == "global") | .local)])'
}

has_link() { if [ "$1" = host ]; then [ -e "/sys/class/net/$2" ]; else ip -n "$1" link show dev "$2" >/dev/null 2>&1; fi; }

# A plain "! has_link" in a test does not fail it.
no_link() {
	if has_link "$@"; then
		echo "$2 is in $1" >&2
		return 1
	fi
}

# until_true SECONDS COMMAND...: poll, never wait longer than needed.
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# reaches NETNS ADDRESS [SIZE]: a ping gets there and back; of that size on the wire, unfragmented.
reaches() {
	local -a size=()
	local header=28
	[[ $2 != *:* ]] || header=48
	[ -z "${3:-}" ] || size=(-M "do" -s $(($3 - header)))
	until_true 10 at "$1" ping -q -c 1 -W 1 "${size[@]}" "$2" >/dev/null ||
		{ echo "$1 does not reach $2${3:+ with $3 bytes}" >&2; return 1; }
}

reaches_not() { ! at "$1" ping -q -c 2 -i 0.2 -W 1 "$2" >/dev/null || { echo "$1 reaches $2" >&2; return 1; }; }

# Everything of the host and the HBR namespaces, and the state. -x PATTERN leaves out lines.
snapshot() {
	local -a places=(/proc/self/ns/net)
	local name
	for name in hbr host2 hbr2; do
		[ ! -e "/run/netns/$name" ] || places+=("$name")
	done
	# What a bridge calls its state follows that of its ports within a second.
	"$SNAPSHOT" -x '* link br.* operstate *' "$@" -s "$NODE_STATE" -s "${NODE_STATE}2" "${places[@]}"
}

# snapshot_take [-x PATTERN...]: when the kernel has settled (carrier comes a moment after "up").
snapshot_take() {
	local file=$BATS_TEST_TMPDIR/before tries
	snapshot "$@" >"$file"
	for ((tries = 0; tries < 50; tries++)); do
		snapshot "$@" >"$file.now"
		! cmp -s "$file" "$file.now" || return 0
		cat "$file.now" >"$file"
	done
	echo "the node does not settle" >&2
	return 1
}

# snapshot_same [-x PATTERN...]: all is as it was. A pod's namespace goes a moment after its name.
snapshot_same() {
	local file=$BATS_TEST_TMPDIR/before tries
	for ((tries = 0; tries < ${SNAPSHOT_TRIES:-40}; tries++)); do
		snapshot "$@" >"$file.now"
		! cmp -s "$file" "$file.now" || return 0
		sleep 0.05
	done
	diff -U0 --label before --label now "$file" "$file.now" >&2
	return 1
}

# traced VERB...: it works, and what it sent is in $BATS_TEST_TMPDIR/strace; then requests is how many
# netlink requests that were.
traced() {
	WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/strace" -e trace=sendmsg)
	works "$@" || return 1
	WRAP=()
}
requests() { grep -c '^sendmsg' "$BATS_TEST_TMPDIR/strace"; }
