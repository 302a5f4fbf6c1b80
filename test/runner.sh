#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The runner, from outside: what a command says and how it ends gets out, and what breaks is a failure.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=$(realpath -m "${BUILD:-build}")
export BUILD
work=$BUILD/runner
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
broken=0

# ends STATUS TEXT COMMAND...: it ends with that status, and its output has the text.
ends() {
	local status=$1 text=$2 output got
	shift 2
	output=$("$@" 2>&1 </dev/null)
	got=$?
	[ "$got" = "$status" ] && [[ $output == *"$text"* ]] && return
	broken=1
	printf '%s\n' "$*: ended with $got, wanted $status and \"$text\" in:" "$output"
}

file() { printf '%s\n' "${@:2}" >"$work/$1.bats"; }

# shellcheck disable=SC2016 # the inner shells expand
for kernel in native guest; do
	ends 7 'said it  twice' test/run -n $kernel -- sh -c 'echo "$1" >&2; exit 7' sh 'said it  twice'
	ends 0 'Read-only' test/run -n $kernel -- sh -c '! touch /left-behind Makefile "$BUILD/left-behind"'
	ends 0 'kept' test/run -n $kernel -o "$work" -- sh -c 'touch "$KEEP/kept" /etc/x /var/lib/x /tmp/x; ls "$KEEP"'
	[ -e "$work/kept" ] || { broken=1; echo "$kernel: what -o should keep is gone"; }
	ends 125 'ended after the limit of 3 s' test/run -n $kernel -t 3 -- sleep 60
done
ends 125 'without an exit status' test/run -n guest -- sh -c 'echo c >/proc/sysrq-trigger'

file good '@test "good" { true; }'
file bad '@test "good" { true; }' '@test "bad" { echo the reason; false; }'
file skipped '@test "good" { true; }' '@test "skipped" { skip "no kernel"; }'
file dead '@test "good" { true; }' '@test "dead" { kill -KILL -1; }'
file hanging '@test "with a daemon" { sleep 100 >/dev/null 2>&1 3>&- 4>&- & }'
# shellcheck disable=SC2317 # called by ends
all() { env -u STRICT -u SANITIZER test/run-all -n native "$@"; }
ends 0 '1 passed, 0 failed' all "$work/good.bats"
ends 0 '3 passed, 0 failed' all "$work/good.bats" "$work/skipped.bats" "$work/hanging.bats"
ends 1 'the reason' all "$work/bad.bats"
ends 1 '2 passed, 1 failed' all "$work/bad.bats" "$work/good.bats"
ends 1 ' failed' all "$work/dead.bats"
ends 1 '1 passed, 1 failed' env STRICT=1 test/run-all -n native "$work/skipped.bats"
ends 1 ' failed' all "$work/missing.bats"
exit $broken
