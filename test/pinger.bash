# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# One attachment that stays while others come, go and die: nobody else loses a packet. Two pods of one
# domain, "direct" and, where the kernel has VLANs, on a bridge: the way between them is the trunk's.

# pinger_start: a file's, on its node; a ping every 10 ms from then on.
pinger_start() {
	local how='"attach": "direct"'
	silent_pod still1 still2
	works ADD still2 < <(l2 10999 "$how, \"addresses\": [{\"address\": \"10.99.0.2/24\"}]") || return 1
	! kernel_has vlan || how='"vlan": 99'
	works ADD still1 < <(l2 10999 "$how, \"addresses\": [{\"address\": \"10.99.0.1/24\"}]") || return 1
	reaches still1 10.99.0.2 || return 1
	# It is told of each ping that came back, not of the time: a guest's clock jumps.
	ip netns exec still1 ping -n -q -i 0.01 10.99.0.2 >"$BATS_FILE_TMPDIR/pings" 2>&1 3>&- 4>&- &
	echo $! >"$BATS_FILE_TMPDIR/pinger"
	disown # "wait" is for others
}

# pinger_stop: prints what it sent and what of it was lost: at most 1 of 1,000. What was just on its way counts
# as lost.
pinger_stop() {
	local pid sent lost
	read -r pid <"$BATS_FILE_TMPDIR/pinger" && rm "$BATS_FILE_TMPDIR/pinger" && kill -INT "$pid" || return 1
	until_true 10 grep -q 'packets transmitted' "$BATS_FILE_TMPDIR/pings" || return 1
	read -r sent lost < <(awk '/packets transmitted/ { print $1, $1 - $4 }' "$BATS_FILE_TMPDIR/pings")
	echo "# pings: $sent sent, $lost lost" >&3
	[ "$sent" -gt 100 ] && [ "$lost" -le $(((sent + 999) / 1000)) ]
}

# pinger_end: when a file ends, whatever was before.
pinger_end() {
	local pid
	[ ! -e "$BATS_FILE_TMPDIR/pinger" ] || { read -r pid <"$BATS_FILE_TMPDIR/pinger" && kill -KILL "$pid"; } || :
}
