#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel,storm
# weight: 60
# Races on all cores that there are: a guest kernel has one. Pods are attached directly, which needs neither
# VLAN nor VRF; the others are in races.bats. RACES, STORM: how often (half as often for all but the first),
# and how many seconds (see soak).

load helpers
load pinger
load injection
load kills.bash

RACES=${RACES:-6} STORM=${STORM:-4} SEED=${SEED:-$RANDOM}
FEWER=$(((RACES + 1) / 2))

setup_file() {
	node_up
	pinger_start
}
teardown_file() {
	pinger_end
	node_down
}
setup() { take; }
teardown() {
	local pod
	[ "${BATS_TEST_COMPLETED:-}" != 1 ] || return 0
	[ ! -e "$BATS_TEST_TMPDIR/churning" ] || rm "$BATS_TEST_TMPDIR/churning"
	for pod in /run/netns/pod*; do
		[ -e "$pod" ] || continue
		plugin DEL "${pod##*/}" < <(net 10100) || :
		ip netns del "${pod##*/}"
	done
}

# What is learned comes and goes by itself.
LEARNED=(-x '*fdb * dynamic *' -x '*neighbour * dynamic *' -x '* operstate *')
take() { snapshot_take "${LEARNED[@]}"; }
same() { snapshot_same "${LEARNED[@]}"; }

net() { # VNI [KEYS]
	printf '{"cniVersion": "'"${VERSION:-1.0.0}"'", "name": "n%s", "type": "hbr-l2", "vni": %s, "attach": "direct"%s}\n' "$1" "$1" "${2:+, $2}"
}

# slowly CALL: after each such call nothing is done for a moment: what comes in between comes there.
slowly() { WRAP=(strace -qq -o /dev/null -e "trace=$1${UNLOCKED:+,flock}" -e raw=all -e "inject=$1:delay_exit=4000" ${UNLOCKED:+-e inject=flock:retval=0}); }
plainly() { WRAP=(${UNLOCKED:+strace -qq -o /dev/null -e trace=flock -e inject=flock:retval=0}); }

# whole POD: its domain is all there, with one port.
whole() {
	{ has_link "$1" net1 && has_link hbr vx.10100; } || { echo "$1: $(ip -n hbr -br link)" >&2; return 1; }
	is "$(fact hbr vx.10100 '[.master, (.flags | index("UP") != null)]') $(ip -n hbr -json link show master br.10100 | jq length)" '["br.10100",true] 2'
}

# last_against_first N: the last DEL, slowed down, and the first ADD of the pod that comes in its place.
last_against_first() {
	local n old new
	ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' works ADD pod1 < <(net 10100) || return 1
	for ((n = 0; n < $1; n++)); do
		old=pod$((n % 2 + 1)) new=pod$(((n + 1) % 2 + 1))
		slowly "${CALLS[n % ${#CALLS[@]}]}"
		ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' begin old DEL $old < <(net 10100)
		plainly
		sleep 0.0$((n % 5))
		ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' begin new ADD $new < <(net 10100)
		WRAP=()
		end || return 1
		no_link $old net1 && whole $new || return 1
	done
	works DEL "$new" < <(net 10100)
}
CALLS=(unlinkat sendmsg unlinkat flock)

# changes VERB: what strike counts of a plain run is what strace shows of another.
changes() {
	local struck traced
	WRAP=("$BUILD/test/strike/strike" -o "$BATS_TEST_TMPDIR/struck")
	works "$1" pod1 < <(net 10100)
	struck=$(wc -l <"$BATS_TEST_TMPDIR/struck")
	WRAP=()
	[ "$1" = ADD ] || works ADD pod1 < <(net 10100)
	[ "$1" = DEL ] || works DEL pod1 < <(net 10100)
	WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/traced" -e "trace=sendmsg,openat,mkdir,mkdirat,renameat,unlinkat,write,fsync")
	works "$1" pod1 < <(net 10100)
	WRAP=()
	traced=$(grep -cE '^(sendmsg\(.*nlmsg_type=(RTM_(NEW|DEL|SET)|0x[0-9a-f]*[01345789bcdf] )|openat\(.*O_EXCL.* = [0-9]|(mkdir|mkdirat|renameat|unlinkat|fsync)\(.* = 0$|write\(([13-9]|[0-9]{2}),)' "$BATS_TEST_TMPDIR/traced")
	# Its lock's file is new, which strace does not tell from one that is there.
	[ "$1" = DEL ] || traced=$((traced + 1))
	echo "# $1: $struck changes struck, $traced traced" >&3
	is "$struck" "$traced"
}

@test "each change that strace sees is one that kills.bats kills at" {
	silent_pod pod1
	works ADD pod1 < <(net 10100) # the files of locks stay
	works DEL pod1 < <(net 10100)
	changes ADD
	changes DEL
	pod_del pod1
	same
}

@test "direct, with IPAM, killed at every change: DEL is clean" {
	CONF=$BATS_TEST_TMPDIR/conf CNI_PATH=$BATS_FILE_TMPDIR what='direct, IPAM, running kernel'
	lease
	silent_pod pod1
	net 10100 "$IPAM" >"$CONF"
	remember
	struck ADD
	struck DEL
	pod_del pod1
	same
}

@test "the last DEL against the first ADD, on all cores, with the window widened" {
	silent_pod pod1 pod2
	last_against_first "$RACES"
	same
	pod_del pod1 pod2
	echo "# races: last DEL against first ADD: $RACES" >&3
}

@test "parallel DELs of one attachment, on all cores: all succeed, and it counts once" {
	local n i
	silent_pod pod1 pod2
	works ADD pod2 < <(net 10100)
	for ((n = 0; n < FEWER; n++)); do
		works ADD pod1 < <(net 10100)
		for i in 1 2 3 4 5 6; do
			if ((i % 2)); then slowly sendmsg; else plainly; fi
			begin $i DEL pod1 < <(net 10100)
		done
		WRAP=()
		end
		no_link pod1 net1
		whole pod2
	done
	works DEL pod2 < <(net 10100)
	same
	pod_del pod1 pod2
	echo "# races: parallel DELs of one attachment: $((6 * FEWER))" >&3
}

@test "ADD of the new sandbox beside DEL of the old one, of two addresses, while others stay" {
	local n old new keys='"ipam": {"type": "host-local", "dataDir": "/run/leases",
		"ranges": [[{"subnet": "10.1.0.0/24", "rangeStart": "10.1.0.2", "rangeEnd": "10.1.0.3"}]]}'
	silent_pod pod1 pod2 pod3
	works ADD pod3 < <(net 10100)
	ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' works ADD pod1 < <(net 10100 "$keys")
	for ((n = 0; n < FEWER; n++)); do
		old=pod$((n % 2 + 1)) new=pod$(((n + 1) % 2 + 1))
		slowly sendmsg
		ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' begin old DEL $old < <(net 10100 "$keys")
		plainly
		ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' begin new ADD $new < <(net 10100 "$keys")
		WRAP=()
		end
		no_link $old net1
		has_link $new net1
		is "$(find /run/leases -name '10.1.0.*' | wc -l) $(ip -n hbr -json link show master br.10100 | jq length)" '1 3'
	done
	works DEL "$new" < <(net 10100 "$keys")
	works DEL pod3 < <(net 10100)
	is "$(find /run/leases -name '10.1.0.*')" ''
	same
	pod_del pod1 pod2 pod3
	echo "# races: ADD of the new sandbox beside DEL of the old one: $FEWER" >&3
}

@test "GC of one network beside ADD and DEL on another: what is listed stays, what is not goes" {
	local n
	silent_pod pod1 pod2 pod3
	works ADD pod1 < <(net 10100)
	for ((n = 0; n < FEWER; n++)); do
		works ADD pod2 < <(net 10100)
		slowly unlinkat
		begin gc GC < <(VERSION=1.1.0 net 10100 '"cni.dev/valid-attachments": [{"containerID": "c-pod1", "ifname": "net1"}]')
		plainly
		begin add ADD pod3 < <(net 10200)
		WRAP=()
		end
		no_link pod2 net1
		has_link pod3 net1
		whole pod1
		slowly unlinkat
		begin gc GC < <(VERSION=1.1.0 net 10100 '"cni.dev/valid-attachments": [{"containerID": "c-pod1", "ifname": "net1"}]')
		plainly
		begin del DEL pod3 < <(net 10200)
		WRAP=()
		end
		no_link hbr vx.10200
		whole pod1
	done
	works DEL pod1 < <(net 10100)
	same
	pod_del pod1 pod2 pod3
	echo "# races: GC beside ADD and DEL on another network: $((2 * FEWER))" >&3
}

hangs() { pid=$(pgrep -nx hbr-l2) && [[ $(sed 's/.*) //' "/proc/$pid/stat") == [Tt]* ]]; }

@test "a call that hangs while it has the lock of a domain: others wait for it, and go on when it dies" {
	local pid
	silent_pod pod1 pod2
	net 10100 >"$BATS_TEST_TMPDIR/conf"
	WRAP=(strace -qq -o /dev/null -e trace=sendmsg -e raw=all -e inject=sendmsg:signal=STOP:when=12)
	begin hangs ADD pod1 <"$BATS_TEST_TMPDIR/conf"
	WRAP=()
	until_true 10 hangs
	begin waits ADD pod2 <"$BATS_TEST_TMPDIR/conf"
	sleep 1
	[ ! -e "$BATS_TEST_TMPDIR/many/waits/status" ]
	# Another domain is nobody's to wait for.
	works ADD pod2 net2 < <(net 10200)
	works DEL pod2 net2 < <(net 10200)
	kill -KILL "$pid"
	until_true 10 test -s "$BATS_TEST_TMPDIR/many/waits/status"
	is "$(cut -c 1 "$BATS_TEST_TMPDIR/many/waits/status")" 0
	wait
	works DEL pod1 < <(net 10100)
	whole pod2
	works DEL pod2 < <(net 10100)
	same
	pod_del pod1 pod2
}

#
# The storm: 8 workers with 8 pods each, one in each of 8 domains; what comes next is by the seed.
#
worker() { # NUMBER UNTIL
	local dir=$BATS_TEST_TMPDIR/worker.$1 n pod conf
	local -A result=()
	local -A count=([ADD]=0 [CHECK]=0 [DEL]=0)
	mkdir "$dir"
	BATS_TEST_TMPDIR=$dir
	RANDOM=$((SEED + $1))
	while [ "$SECONDS" -lt "$2" ]; do
		n=$((RANDOM % 8))
		pod=pod$((8 * $1 - n))
		conf=$(net $((20000 + n)) "\"addresses\": [{\"address\": \"10.$n.0.${pod#pod}/24\"}]")
		if [ -z "${result[$pod]:-}" ]; then
			works ADD $pod <<<"$conf" || return 1
			result[$pod]=$out
			count[ADD]=$((count[ADD] + 1))
		elif ((RANDOM % 3 == 0)); then
			works CHECK $pod <<<"${conf%\}*}, \"prevResult\": ${result[$pod]}}" || return 1
			count[CHECK]=$((count[CHECK] + 1))
		else
			works DEL $pod <<<"$conf" || return 1
			result[$pod]=''
			count[DEL]=$((count[DEL] + 1))
		fi
	done
	for pod in "${!result[@]}"; do
		[ -z "${result[$pod]}" ] || works DEL "$pod" < <(net $((20000 + (64 - ${pod#pod}) % 8))) || return 1
	done
	echo "${count[ADD]} ${count[CHECK]} ${count[DEL]}" >"$dir/count"
}

# churn NETNS NUMBER: links come and go there, until the file is gone.
churn() {
	local n=0
	while [ -e "$BATS_TEST_TMPDIR/churning" ]; do
		at "$1" ip -batch - <<<$'link add churn'"$2"$' type veth peer name nruhc'"$2"$'\nlink del churn'"$2" || return 1
		n=$((n + 1))
	done
	echo $n >"$BATS_TEST_TMPDIR/churned.$2"
}

@test "a storm: 64 pods of 8 domains by 8 workers in random order, while links come and go beside 1,500 others" {
	local i
	local -a pods workers=() churners=()
	mapfile -t pods < <(seq -f pod%g 1 64)
	silent_pod "${pods[@]}"
	take
	echo "# storm: seed $SEED" >&3
	for i in host hbr; do at $i ip -batch - < <(printf 'link add other%s group 77 type veth peer name rehto%s\n' {1..375}{,}); done
	: >"$BATS_TEST_TMPDIR/churning"
	for i in 1 2 3 4 5 6 7 8; do
		churn "$( ((i % 2)) && echo host || echo hbr)" $i 3>&- 4>&- &
		churners+=($!)
	done
	for i in 1 2 3 4 5 6 7 8; do
		worker $i $((SECONDS + STORM)) 3>&- 4>&- &
		workers+=($!)
	done
	for i in "${workers[@]}"; do wait "$i"; done
	rm "$BATS_TEST_TMPDIR/churning"
	for i in "${churners[@]}"; do wait "$i"; done
	for i in host hbr; do at $i ip link del group 77; done
	same
	printf '%s\n' "${pods[@]/#/netns del }" | ip -batch -
	awk '{ a += $1; c += $2; d += $3 } END { printf "# storm: %d ADD, %d CHECK, %d DEL in '"$STORM"' s\n", a, c, d }' "$BATS_TEST_TMPDIR"/worker.*/count >&3
	awk '{ n += $1 } END { printf "# storm: %d other links made and removed by 8 loops, beside 1500 that stay\n", n }' "$BATS_TEST_TMPDIR"/churned.* >&3
}

@test "one attachment that stays lost no packet through all of it" {
	pinger_stop
}

# Behind all others: what it leaves goes with the node.
@test "with locks that do not lock the last DEL tears the domain down under the first ADD's pod" {
	local UNLOCKED=1
	CALLS=(unlinkat)
	silent_pod pod1 pod2
	run last_against_first 40
	echo "# ${output:0:160}" | head -n 1 >&3
	is "$status" 1
	lacks "$output" '"code":6,'
	lacks "$output" '"code":11,'
}
