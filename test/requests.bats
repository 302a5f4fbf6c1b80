#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 37
# What it costs: netlink requests of a pod on a domain that is there, counted by type.

load helpers

setup() {
	need vrf vlan
	node_up
	pod_add pod1 pod2
}
teardown() { node_down; }

conf() { jq -cn '{cniVersion: "1.0.0", name: "blue", type: "hbr-l2", vni: 10100} + $k' --argjson k "${1:-{\}}"; }

# kinds: of the requests that were traced, "TYPE" or "TYPE DUMP", one a line. Types and flags come as
# names, or as numbers where strace does not see which protocol the socket has.
kinds() {
	awk -v names='16 RTM_NEWLINK 17 RTM_DELLINK 18 RTM_GETLINK 20 RTM_NEWADDR 21 RTM_DELADDR 22 RTM_GETADDR 24 RTM_NEWROUTE 25 RTM_DELROUTE 26 RTM_GETROUTE 28 RTM_NEWNEIGH 29 RTM_DELNEIGH 30 RTM_GETNEIGH' '
		function number(hex,   n, i) {
			for (i = 3; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		BEGIN { n = split(names, word); for (i = 1; i < n; i += 2) name[word[i]] = word[i + 1] }
		/^sendmsg\(.*nlmsg_type=/ {
			type = $0; sub(/.*nlmsg_type=/, "", type); sub(/[ ,].*/, "", type)
			if (type ~ /^0x/) type = name[number(type)]
			flags = $0; sub(/.*nlmsg_flags=/, "", flags); sub(/, .*/, "", flags)
			dump = flags ~ /NLM_F_(DUMP|ROOT|MATCH)/
			if (match(flags, /0x[0-9a-f]+/)) dump = dump || int(number(substr(flags, RSTART, RLENGTH)) / 256) % 4 > 0
			print type (dump && type ~ /_GET/ ? " DUMP" : "")
		}' "$BATS_TEST_TMPDIR/strace"
}

count() { kinds | sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2 ($3 ? " " $3 : ""); sep = ", " }'; }

# few MOST: of these there are so many at most, and no dump among them.
few() {
	echo "# $BATS_TEST_DESCRIPTION: $(requests) requests: $(count)" >&3
	is "$(kinds | wc -l)" "$(requests)"
	is "$(kinds | grep -c 'RTM_')" "$(requests)"
	is "$(kinds | grep -c DUMP)" 0
	[ "$(requests)" -gt 0 ]
	[ "$(requests)" -le "$1" ] || { echo "$(requests) requests, wanted at most $1" >&2; return 1; }
}

@test "a cold ADD dumps: that can be seen" {
	traced ADD pod1 < <(conf)
	echo "# $BATS_TEST_DESCRIPTION: $(requests) requests: $(count)" >&3
	is "$(kinds | wc -l)" "$(requests)"
	is "$(kinds | grep DUMP | sort -u | xargs)" 'RTM_GETADDR DUMP RTM_GETLINK DUMP'
}

@test "a warm ADD without IPAM sends at most 12 requests and no dump; of the domain's links it looks, once each" {
	works ADD pod1 < <(conf)
	traced ADD pod2 < <(conf)
	few 12
	# The pod's interface is not there, the five links are: only the port, its attributes and up are sent.
	is "$(kinds | xargs)" 'RTM_GETLINK RTM_GETLINK RTM_GETLINK RTM_GETLINK RTM_GETLINK RTM_GETLINK RTM_NEWLINK RTM_NEWLINK RTM_NEWLINK'
}

@test "with an address it is as many at most" {
	works ADD pod1 < <(conf)
	traced ADD pod2 < <(conf '{"addresses": [{"address": "10.1.0.2/24"}]}')
	few 12
}

@test "with two addresses, a route and a VRF it is one more for each" {
	works ADD pod1 < <(conf '{"vrf": "hbr"}')
	traced ADD pod2 < <(conf '{"addresses": [{"address": "10.1.0.2/24", "gateway": "10.1.0.1"}, {"address": "fd00:1::2/64"}],
		"routes": [{"dst": "10.9.0.0/16"}]}')
	few 15
}

@test "CHECK sends look-ups only, and no dump" {
	works ADD pod1 < <(conf)
	works ADD pod2 < <(conf)
	traced CHECK pod2 < <(conf "{\"prevResult\": $out}")
	few 12
	is "$(kinds | sort -u)" RTM_GETLINK
}

@test "DEL of one of two pods sends at most 12 requests and no dump" {
	works ADD pod1 < <(conf '{"addresses": [{"address": "10.1.0.1/24"}]}')
	works ADD pod2 < <(conf '{"addresses": [{"address": "10.1.0.2/24"}]}')
	traced DEL pod2 < <(conf)
	few 12
	is "$(kinds | grep -v GET | sort | xargs)" 'RTM_DELLINK RTM_DELNEIGH'
	has_link host br.10100
}

@test "other links and attachments on the node change no count" {
	local before n
	works ADD pod1 < <(conf)
	traced ADD pod2 < <(conf)
	before=$(count)
	works DEL pod2 < <(conf)
	for n in {1..200}; do echo "link add d$n type bridge"; done | ip -batch -
	for n in {1..20}; do works ADD pod1 "x$n" < <(conf); done
	traced ADD pod2 < <(conf)
	is "$(count)" "$before"
}

# files: how many were opened, by an ADD for pod2 that is DELeted again.
files() {
	WRAP=(strace -qq -o "$BATS_TEST_TMPDIR/strace" -e trace=openat)
	works ADD pod2 < <(conf)
	WRAP=()
	works DEL pod2 < <(conf)
	grep -c '^openat' "$BATS_TEST_TMPDIR/strace"
}

@test "nor do attachments change how many files an ADD opens" {
	local before n
	for n in {1..6}; do works ADD pod1 "x$n" < <(conf); done
	before=$(files)
	for n in {7..26}; do works ADD pod1 "x$n" < <(conf); done
	echo "# files: $before" >&3
	is "$(files)" "$before"
}
