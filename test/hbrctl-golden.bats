#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# weight: 8
# What every verb of hbrctl says, to the letter (golden/), on a node with two domains, drift, a dead pod and
# an orphan; and what of it depends on where it is said.
load helpers
load hbrctl

# One node for all: what changes it comes last.
setup_file() { BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR busy_node; }
teardown_file() { node_down; }

# bats test_tags=vlan
@test "doctor, init: the transcript" {
	need vrf vlan
	transcript hbrctl-node
}

@test "help, manual, completion: the transcript, and every verb is in one" {
	local verb
	transcript hbrctl-words
	for verb in $("$HBRCTL" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		grep -q "^\$ hbrctl $verb" "$TREE"/test/golden/hbrctl*.txt || { echo "there is no transcript of $verb" >&2; return 1; }
	done
}

# texts: of a picture on standard input, which is well-formed: the name of its root, and all that stands in it.
texts() {
	python3 -c 'import sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(root.tag)
print("\n".join(e.text for e in root.iter("{http://www.w3.org/2000/svg}text")))'
}

@test "graph --svg: a well-formed picture with every name in it; without dot it says what is wanted" {
	ctl graph --svg
	is "$status $err" '0 '
	is "$(texts <<<"$out" | sort | xargs)" 'HBR netns br.10100 br.10200 br.10300 bridge bridge bridge default/a default/c default/d host net1 net1 net1 tr tr trunk trunk vx.10100 vx.10200 vxlan vxlan {http://www.w3.org/2000/svg}svg'
	mount --bind /dev/null /usr/bin/dot
	ctl graph --svg
	umount /usr/bin/dot
	is "$status $out$err" '2 hbrctl: --svg: there is no /usr/bin/dot: wanted Graphviz installed'
}

@test "show, graph, metrics, validate, plan, gc, restore: the transcript" {
	transcript hbrctl
}

# orphans N: so many bridges with our mark that nobody remembers.
orphans() {
	local n
	for ((n = 10301; n <= 10300 + $1; n++)); do echo "link add br.$n group $((0x68000000 | n)) type bridge"; done | ip -n hbr -batch -
}

# on_terminal COMMAND: with a terminal as standard error, and what was written to that.
on_terminal() { script -qec "$1 >/dev/null" /dev/null </dev/null 3>&- 4>&-; }

@test "gc tells how far it is, on a terminal, when there is much to do" {
	orphans 16
	is "$(on_terminal "$HBRCTL gc --dry-run")" ''
	is "$(on_terminal "$HBRCTL gc" | tr '\r' '\n' | tail -n +2)" "$(printf '%s of 16\n' {1..16})"
	# To a file it says nothing, however much it is; nor on a terminal when it is little.
	orphans 16
	ctl gc
	is "$status $(wc -l <<<"$out") $err" '0 16 '
	orphans 15
	is "$(on_terminal "$HBRCTL gc")" ''
}
