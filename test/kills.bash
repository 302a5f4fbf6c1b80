# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What a node looks like before and after a kill, with as few programs as possible: in a guest kernel they are
# what takes the time. A file of kills has "load kills.bash" after "load injection", calls lease once, and
# has $BATS_FILE_TMPDIR in CNI_PATH.

# shellcheck disable=SC2034 # for those who load this
IPAM='"ipam": {"type": "lease"}'

# An IPAM plugin that starts no other program: each costs a guest more than all that is asked here.
lease() {
	mkdir -p /run/leases
	cat >"$BATS_FILE_TMPDIR/lease" <<-'E'
		#!/bin/sh
		case $CNI_COMMAND in
		ADD) echo given; echo '{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.5/24"}]}' >&3 ;;
		DEL) echo free ;;
		esac 3>&1 >"/run/leases/$CNI_CONTAINERID.$CNI_IFNAME"
	E
	chmod +x "$BATS_FILE_TMPDIR/lease"
}
all_free() {
	local lease state
	for lease in /run/leases/*; do
		[ ! -e "$lease" ] || { read -r state <"$lease"; is "$state" free; } || { echo "$lease" >&2; return 1; }
	done
}

# remember, clean: all is as it was, in the pod too, but for what comes and goes by itself.
look() {
	"$SNAPSHOT" -x '* link br.* operstate *' -x '* operstate *' -x '*fdb * dynamic *' -x '*neighbour * dynamic *' -x '* rp_filter *' \
		-x '*link red address *' -s "$NODE_STATE" /proc/self/ns/net hbr pod1
}
remember() {
	local tries
	for ((tries = 0; tries < 50; tries++)); do
		before=$(look)
		[ "$(look)" != "$before" ] || return 0
	done
	echo "the node does not settle" >&2
	return 1
}
clean() {
	local now tries
	for ((tries = 0; tries < 40; tries++)); do
		now=$(look)
		[ "$now" != "$before" ] || { all_free; return; }
	done
	diff -U0 <(echo "$before") <(echo "$now") >&2
	return 1
}
