# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests of hbrctl. A file of them has "load hbrctl" after "load helpers".
# shellcheck disable=SC2034 # for those who load this

HBRCTL=$PLUGINS_DIR/sbin/hbrctl

# ctl VERB [ARGUMENT...]: sets status, out, err. The node file is NODE_FILE, where there is one.
ctl() {
	status=0
	HBR_CNI_NODE=${NODE_FILE-} CNI_PATH=$CNI_PATH "$HBRCTL" "$@" >"$BATS_TEST_TMPDIR/ctl.out" 2>"$BATS_TEST_TMPDIR/ctl.err" 3>&- 4>&- || status=$?
	out=$(<"$BATS_TEST_TMPDIR/ctl.out")
	err=$(<"$BATS_TEST_TMPDIR/ctl.err")
}

# says STATUS TEXT: what hbrctl did last.
says() {
	diff -u --label wanted --label is <(printf '%s\n' "$2") <(printf '%s\n' "$out") >&2 || { echo "$err" >&2; return 1; }
	is "$status" "$1" || { echo "$err" >&2; return 1; }
}

vrf() { local PLUGIN=$PLUGINS_DIR/hbr-vrf; "$@"; }

# as POD COMMAND...: for a pod of that name in the namespace "default", as Multus says it.
as() { local ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=$1"; shift; "$@"; }

BLUE='"name": "blue", "attach": "direct", "addresses": [{"address": "10.1.0.11/24"}]'
GREEN='"name": "green", "attach": "direct"'

# Two domains, three pods; one link that is not as it should be, one that nobody remembers, and a pod
# that died without a DEL. Nothing of it needs a VLAN or a VRF.
busy_node() {
	local port
	node_up
	echo '{"uplinks": ["ul"]}' >/etc/hbr-cni/node.json # where there is no VRF hbn looks like one
	pod_add a c d
	as a works ADD a < <(l2 10100 "$BLUE") && as c works ADD c < <(l2 10200 "$GREEN") && as d works ADD d < <(l2 10200 "$GREEN") || return 1
	bridge -n hbr link set dev vx.10200 learning on
	ip -n hbr link add br.10300 group $((0x68000000 | 10300)) type bridge
	port=$(jq -r 'select(.containerID == "c-d").port' "$NODE_STATE"/*/attachments/*)
	pod_del d
	until_true 10 gone "$port"
}
gone() { no_link hbr "$1" 2>/dev/null; }

# The lines of the standard input that are calls, "$ hbrctl ...", each with what it prints and its status.
calls() {
	local line words
	while IFS= read -r line; do
		case $line in "\$ hbrctl "*) ;; *) continue ;; esac
		read -ra words <<<"${line#\$ hbrctl }"
		ctl "${words[@]}" </dev/null
		echo "$line"
		[ -z "$out" ] || echo "$out"
		[ -z "$err" ] || echo "$err"
		echo "[$status]"
	done
}

# transcript NAME: hbrctl says what stands in test/golden/NAME.txt, call by call, but for a kernel's version.
# It is made anew by the test itself: "test/run -o DIR ... bats test/hbrctl*.bats" leaves it in DIR.
transcript() {
	local is=$BATS_TEST_TMPDIR/$1.txt
	cd "$TREE" || return 1
	calls <"test/golden/$1.txt" | sed 's/Linux [0-9]*\.[0-9]*\b/Linux 6.1/' >"$is"
	[ -z "${KEEP:-}" ] || cp "$is" "$KEEP/"
	diff -u "test/golden/$1.txt" "$is" >&2
}
