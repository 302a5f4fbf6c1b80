#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 5
# bats file_tags=any-kernel
# hbrctl, the verbs that only look: a node with two domains, drift, a dead pod and a leftover. What they say to
# the letter is in hbrctl-golden.bats.
load helpers
load hbrctl

setup_file() { BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR busy_node; }
teardown_file() { node_down; }

@test "verbs that only look change nothing" {
	local call words
	snapshot_take
	for call in show 'show --json' 'show 10200' graph metrics doctor "validate $TREE/test/golden/networks.yaml" "plan $TREE/test/golden/networks.yaml" 'gc --dry-run'; do
		read -ra words <<<"$call"
		ctl "${words[@]}"
		[ -n "$out" ]
		snapshot_same || { echo "after $call" >&2; return 1; }
	done
}

@test "show of a VNI, a domain, a container, its beginning: only what has to do with it" {
	local name
	for name in l2-10100 10100 c-a; do
		ctl show "$name" --json
		is "$(jq -c '[[.domains[].name], [.attachments[].container], .leftovers]' <<<"$out")" '[["l2-10100"],["c-a"],[]]'
	done
	ctl show 1010
	is "$status $err" '1 hbrctl: no domain, VNI, VRF or container "1010" is known'
	ctl show --json nobody
	is "$status $(jq -c .domains <<<"$out")" '1 []'
}

@test "what an attachment has beside links is looked at, too" {
	local port
	port=$(jq -r 'select(.containerID == "c-a").port' "$NODE_STATE"/*/attachments/*)
	bridge -n hbr fdb del 02:07:28:bb:d3:79 dev "$port" master
	ctl show c-a
	contains "$out" "the static forwarding entry of 02:07:28:bb:d3:79 on $port in the HBR netns is missing"
	bridge -n hbr fdb replace 02:07:28:bb:d3:79 dev "$port" master static
	ctl show c-a
	lacks "$out" DRIFT
}

@test "a record that is lost or unfinished, a damaged domain, an HBR netns that is away" {
	local state=$NODE_STATE
	cp -a "$state" "$BATS_TEST_TMPDIR/kept"
	jq 'del(.result)' "$BATS_TEST_TMPDIR/kept"/*/attachments/8e772d65dd6c98f6.json >"$(echo "$state"/*/attachments/8e772d65dd6c98f6.json)"
	rm "$state"/*/attachments/e399155121564590.json
	: >"$(echo "$state"/*/domains/l2-10100)/domain.json"
	ctl show --json
	is "$(jq -c '[.domains[].state], [.attachments[] | .container, .state]' <<<"$out" | tr '\n' ' ')" '["damaged","drift"] ["c-c","unrecorded","c-a","unfinished","c-d","dead"] '
	contains "$err" 'l2-10100/domain.json is damaged'
	rm -rf "${state:?}"/*
	cp -a "$BATS_TEST_TMPDIR/kept"/* "$state"
	ip netns add spare
	mount --bind /run/netns/hbr /run/netns/spare
	umount /run/netns/hbr
	ctl show --json
	is "$(jq -c '.hbrThere, [.domains[].state], [.attachments[].state], .leftovers' <<<"$out" | tr '\n' ' ')" 'false ["away","away"] ["away","away","dead"] [] '
	ctl show
	contains "$out" 'The HBR netns /run/netns/hbr is not there.'
	mount --bind /run/netns/spare /run/netns/hbr
	umount /run/netns/spare
}

@test "colours on a terminal only, and not with NO_COLOR" {
	ctl show
	lacks "$out" $'\e['
	contains "$(script -qec "$HBRCTL show" /dev/null </dev/null 3>&- 4>&-)" $'\e[32mok\e[0m' $'\e[31mdead\e[0m' $'\e[33mdrift\e[0m'
	lacks "$(NO_COLOR=1 script -qec "$HBRCTL show" /dev/null </dev/null 3>&- 4>&-)" $'\e['
}

@test "wrong usage is status 2 and says what is wanted; so is an answer that cannot be written" {
	ctl show a b
	is "$status $err" '2 hbrctl: show: wanted hbrctl show [OPTION]... [NAME]'
	ctl show --nonsense
	is "$status $err" '2 hbrctl: show --nonsense: wanted hbrctl show [OPTION]... [NAME]'
	ctl graph --json
	is "$status" 2
	ctl shwo
	is "$status ${err%%$'\n'*}" '2 hbrctl: there is no verb "shwo"'
	ctl show --node /nowhere/node.json
	is "$status $err" '2 hbrctl: node file /nowhere/node.json: does not exist (ENOENT)'
	status=0
	"$HBRCTL" show >/dev/full 2>/dev/null || status=$?
	is "$status" 2
}

@test "help, man page and completion know every verb and its options" {
	local verbs verb
	ctl help
	is "$status" 0
	mapfile -t verbs < <(sed -n 's/^  \([a-z]*\) .*/\1/p' <<<"$out")
	[ ${#verbs[@]} -ge 6 ]
	ctl manual
	is "$(sed -n 's/^\.SS \([a-z]*\).*/\1/p' <<<"$out")" "$(printf '%s\n' "${verbs[@]}")"
	is "$(man --warnings -E UTF-8 -l -Tutf8 -Z <(echo "$out") 2>&1 >/dev/null)" ''
	ctl completion
	words() { # WORD...: what completes the last one
		bash -c 'eval "$1"; shift; COMP_WORDS=(hbrctl "$@"); COMP_CWORD=$#; _hbrctl; echo "${COMPREPLY[@]}"' bash "$out" "$@"
	}
	is "$(words '')" "${verbs[*]}"
	is "$(words sh)" show
	is "$(words show --j)" --json
	is "$(words graph --)" '--svg --node --help --version'
	for verb in "${verbs[@]}"; do
		is "$("$HBRCTL" "$verb" --help | sed -n 's/^  --\([a-z-]*\).*/--\1/p' | sort)" "$(words "$verb" -- | tr ' ' '\n' | sort)"
	done
}
