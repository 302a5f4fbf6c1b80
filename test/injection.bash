# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Faults from outside: a netlink request that fails (strace), a plugin that dies (strike). A file of such
# tests has "load injection" after "load helpers". It attaches pod1 by $CONF, and its function "clean"
# says that all is as it was before.

# shellcheck disable=SC2034,SC2154 # what plugin takes, and what it sets

STRIKE=$BUILD/test/strike/strike

#
# each_request VERB VERIFY: call it with its 1st, 2nd, ... netlink request failing, until there is none
# left to fail; VERIFY after each. What is done for good measure may fail with a warning (tolerated).
# Sets injected. All errors are looked at once, at the end: one program instead of fifty. (raw: to
# decode a request costs strace 90 ms in a guest.)
#
each_request() {
	said=() tolerated=0
	for ((injected = 0; injected < 200; injected++)); do
		WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/strace" -e 'trace=sendmsg,clock_nanosleep' -e raw=all -e "inject=sendmsg:error=ENOBUFS:when=$((injected + 1))")
		plugin "$1" pod1 <"$CONF"
		WRAP=()
		[[ $(<"$BATS_TEST_TMPDIR/strace") == *INJECTED* ]] || break
		{ note && "$2"; } || { echo "after failure of request $((injected + 1)) of $1: $out" >&2; return 1; }
	done
	is "$status" 0
}

note() {
	if [ "$status" = 0 ]; then
		tolerated=$((tolerated + 1))
		contains "$err" 'warning: '
	elif [ -n "$out" ]; then
		said+=("$out")
	else
		echo "no error on standard output: $err" >&2
		return 1
	fi
}

# VERIFY after ADD, and after DEL.
unharmed() {
	[ "$status" != 0 ] || works DEL pod1 <"$CONF"
	SNAPSHOT_TRIES=2 clean
}
again() { works DEL pod1 <"$CONF" && SNAPSHOT_TRIES=10 clean && works ADD pod1 <"$CONF"; }

# Whether a port forwards already when it is looked at is the kernel's to say: each pause is a request
# more. This is how many there are without those, in the run that was traced last.
needed() { awk '/^sendmsg/ { n++ } /^clock_nanosleep/ { n-- } END { print n }' "$BATS_TEST_TMPDIR/strace"; }

# as_plainly VERB: nothing was left out: all requests that a plain run needs were injected.
as_plainly() {
	local last plain
	last=$(needed)
	WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/strace" -e 'trace=sendmsg,clock_nanosleep' -e raw=all)
	works "$1" pod1 <"$CONF"
	WRAP=()
	plain=$(requests)
	echo "# ${PLUGIN##*/} $1: requests injected: $injected, of a plain run: $plain (a warning is enough for $tolerated)" >&3
	is "$last" "$(needed)"
	[ "$injected" -ge "$last" ]
	[ "$injected" -le $((last + 10)) ]
}

# each_names_its_object: as many errors as failures, each complete, each with what it is about.
each_names_its_object() {
	local object='(br|vx|tr)\\.[0-9]+|pv[0-9a-f]{12}|([0-9a-f]{2}:){5}|(links|addresses) in the|\\b(net1|lo|tr|ul|hbn|hbr|red)\\b|[0-9.]+/|[0-9a-f]+::|route|neighbour|table|VRF'
	is "${#said[@]}" $((injected - tolerated))
	is "$(printf '%s\n' "${said[@]}" | jq -cs "map(select((.cniVersion // \"\") == \"\" or .code != 101 or
		(.msg | test(\"$object\") | not) or (.msg + .details | test(\"not found|no such file\"; \"i\")))) | map(.msg)")" '[]'
}

# attached, detached: each request of ADD, of DEL; nothing of pod1 is there, before and after.
attached() {
	each_request ADD unharmed
	each_names_its_object
	works DEL pod1 <"$CONF"
	as_plainly ADD
	works DEL pod1 <"$CONF"
}
detached() {
	works ADD pod1 <"$CONF"
	each_request DEL again
	each_names_its_object
	works ADD pod1 <"$CONF"
	as_plainly DEL
}

#
# struck VERB [STEP]: it is killed before its 1st, 2nd, ... change, for each change that it makes when it
# lives; with STEP only at every STEP-th. After each, "mend" (DEL) must leave all clean. Prints how many of
# how many. With PART="K N" it is the K-th part of N: at the K-th change, the K+N-th, and so on.
#
struck() {
	local verb=$1 step=${2:-1} i=0 killed=0 n plain
	[ -z "${PART:-}" ] || step=${PART#* } i=$((${PART% *} - 1))
	count_changes "$verb" || return 1
	for (( ; i < plain; i += step)); do
		n=$((i + 1))
		struck_at "$verb" $n || { echo "$verb killed at change $n of $plain: $(tail -n 1 "$BATS_TEST_TMPDIR/strace")" >&2; return 1; }
		[ "$status" = 0 ] || killed=$((killed + 1))
	done
	echo "# kills: ${PLUGIN##*/} $verb, $what: $killed of $plain changes" >&3
	[ "$plain" -ge 5 ] && { [ $killed -gt 0 ] || [ -n "${PART:-}" ]; }
}

# Sets plain: how many changes there are when nobody kills it.
count_changes() {
	[ "$1" = ADD ] || works ADD pod1 <"$CONF" || return 1
	WRAP=("$STRIKE" -o "$BATS_TEST_TMPDIR/strace")
	works "$1" pod1 <"$CONF" || return 1
	WRAP=()
	plain=$(wc -l <"$BATS_TEST_TMPDIR/strace")
	[ "$1" != ADD ] || works DEL pod1 <"$CONF" || return 1
	clean
}

# The files of locks stay: who is not the first makes fewer changes, and that is what is plain from then on.
struck_at() {
	[ "$1" = ADD ] || works ADD pod1 <"$CONF" || return 1
	WRAP=("$STRIKE" -n "$2" -o "$BATS_TEST_TMPDIR/strace")
	plugin "$1" pod1 <"$CONF"
	WRAP=()
	local ended=$status
	if [ "$ended" = 0 ]; then plain=$(wc -l <"$BATS_TEST_TMPDIR/strace"); else is "$ended" 137; fi &&
		{ [ "$ended" != 0 ] || [ "$2" -gt "$plain" ]; } && "${mend:-mend}" && clean || return 1
	status=$ended
}

# By turns with ADD's configuration, and with one that tells nothing: the record knows better. Nothing is to be
# said about it, but that what was written half is.
mend() {
	if ((n % 2)); then plugin DEL pod1 <"$CONF"; else plugin DEL pod1 <<<'{"cniVersion": "1.0.0", "name": "n", "type": "any"}'; fi
	is "$status$out" 0 || { echo "$err" >&2; return 1; }
}
