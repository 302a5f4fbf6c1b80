#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 4
# bats file_tags=any-kernel
# hbrctl validate and plan: networks in files, against each other and against the node.
load helpers
load hbrctl

teardown() { [ ! -e /run/netns/hbr ] || node_down; }

# finds STATUS LINE...: validate of the standard input; the last line is the count.
finds() {
	local status_wanted=$1
	shift
	ctl validate - <"$BATS_TEST_TMPDIR/file"
	says "$status_wanted" "$(printf '%s\n' "$@")"
}
file() { cat >"$BATS_TEST_TMPDIR/file"; }

@test "validate: every example is right, in each of its forms" {
	ctl validate "$TREE"/conf-examples/*.{yaml,conflist}
	is "$status" 0
	[[ $out =~ ^networks:\ [0-9]{2},\ findings:\ 0$ ]]
}

@test "validate: a key that is none, and which was meant; what runtimes put in is no finding" {
	file <<-'F'
		{"cniVersion": "1.0.0", "name": "a", "type": "hbr-l2", "vni": 7, "vlann": 7, "GATEWAY": [], "colour": 1,
		 "prevResult": {}, "runtimeConfig": {}, "args": {}, "cni.dev/attachments": [], "deviceID": "x", "portIsolation": true,
		 "vrf": {"name": "red", "vnI": 3, "args": 1}, "ownVlan": true, "hbr": {"mtuu": null}}
	F
	finds 1 '-: a: vlann: is no key and ignored: did you mean vlan?' \
		'-: a: GATEWAY: is no key and ignored: did you mean gateway?' \
		'-: a: colour: is no key and ignored' \
		'-: a: vrf.vnI: is no key and ignored: did you mean vni?' \
		'-: a: vrf.args: is no key and ignored' \
		'-: a: ownVlan: is no key and ignored' \
		'-: a: hbr.mtuu: is no key and ignored: did you mean mtu?' \
		'networks: 1, findings: 7'
}

@test "validate: what ADD would refuse, in its words" {
	file <<-'F'
		{"cniVersion": "1.0.0", "name": "a", "plugins": [
		  {"type": "hbr-l2", "vni": 99999999}, {"type": "tuning"},
		  {"type": "hbr-l2", "vni": 8, "attach": "macvlan", "isolated": true},
		  {"type": "hbr-vrf", "vrf": "a/b"}, {"type": "hbr-vrf", "vrf": "red", "hbr": {"stateDir": "/x"}}]}
	F
	finds 1 '-: a: vni: 99999999 is not allowed: wanted a number from 1 to 16777215' \
		'-: a: isolated: true is not possible with attach "macvlan": wanted "bridge" or "direct"' \
		'-: a: vrf: "a/b" is not allowed: wanted the name of a VRF: 1 to 15 ASCII characters without blanks, '"'/', ':' and '%', and not \".\", \"..\", \"all\", \"default\" or \"lo\"" \
		'-: a: hbr.stateDir: the node'"'"'s file /etc/hbr-cni/node.json does not list "stateDir" in overridable' \
		'networks: 4, findings: 4'
	file <<<'{"cniVersion": "9.0", "name": "a", "type": "hbr-l2", "vni": 8}'
	ctl validate - <"$BATS_TEST_TMPDIR/file"
	is "$status" 1
	contains "$out" '-: a: ' '"9.0"'
	file <<<'{"cniVersion": "1.0.0", "type": "hbr-l2", "vni": 8}'
	finds 1 '-: missing network name' 'networks: 1, findings: 1'
}

@test "validate: files that contradict each other: a domain's keys, one VNI, VLAN or table for two" {
	one() { printf 'apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata: {name: %s}\nspec:\n  config: |\n    {"cniVersion": "1.0.0", %s}\n' "$1" "$2" >"$BATS_TEST_TMPDIR/$1.yaml"; }
	one a '"type": "hbr-l2", "vni": 10, "vlan": 100, "vrf": {"name": "red", "vni": 5000, "table": 77}'
	one b '"type": "hbr-l2", "vni": 10, "vlan": 101'
	one c '"type": "hbr-l2", "vni": 11, "vlan": 100'
	one d '"type": "hbr-vrf", "vrf": "blue", "vni": 10'
	one e '"type": "hbr-vrf", "vrf": "green", "table": 77'
	one f '"type": "hbr-vrf", "vrf": "red", "vni": 5001'
	one g '"type": "hbr-l2", "vni": 10, "mtu": 1400'
	one h '"type": "hbr-l2", "vni": 10, "mtu": 1300'
	one i '"type": "hbr-l2", "vni": 10, "attach": "direct"'
	cd "$BATS_TEST_TMPDIR"
	ctl validate {a..i}.yaml
	says 1 'b.yaml: b: vlan: 101 was asked for, but the VLAN of VNI 10 in a.yaml has 100
c.yaml: c: vlan: 100 is that of the domain trunk-10 in a.yaml: no two domains of a node can have the same
d.yaml: d: vni: 10 is that of the domain l2-10 in a.yaml: no two domains of a node can have the same
e.yaml: e: table: 77 is that of the domain vrf-red in a.yaml: no two domains of a node can have the same
f.yaml: f: vni: 5001 was asked for, but the VRF red in a.yaml has 5000
h.yaml: h: mtu: 1300 was asked for, but the L2 domain of VNI 10 in a.yaml, g.yaml has 1400
networks: 9, findings: 6'
}

@test "validate: YAML of several documents, a List, other kinds; what is no YAML or JSON, with line and column" {
	file <<-'F'
		kind: List
		items:
		- kind: NetworkAttachmentDefinition
		  metadata: {name: a}
		  spec: {config: '{"cniVersion": "1.0.0", "type": "hbr-l2", "vni": "7"}'}
		- kind: Pod
		---
		kind: Pod
		spec: {config: nothing}
		---
		{name: b, cniVersion: 1.0.0, type: hbr-l2, vni: 8, mobile: true, dns: ~}
		---
		kind: NetworkAttachmentDefinition
		metadata: {name: c}
	F
	finds 0 'networks: 2, findings: 0'
	file <<<'{"a": 1, "a": 2}'
	finds 1 '-: line 1, column 12: duplicate object key near '"'\"a\"'" 'networks: 0, findings: 1'
	printf 'a: [1\nb: {' | file
	finds 1 "-: line 2, column 2: did not find expected ',' or ']'" 'networks: 0, findings: 1'
	printf '? [a]\n: 1\n' | file
	ctl validate - <"$BATS_TEST_TMPDIR/file"
	contains "$out" '-: line 1: it has what JSON has not'
	printf 'a: &x\n  b: *x\n' | file
	ctl validate - <"$BATS_TEST_TMPDIR/file"
	is "$status" 1
	local n
	{ # aliases that stand for 10^6 values
		echo 'a0: &a0 [x]'
		for n in {1..6}; do
			printf 'a%s: &a%s [%s]\n' "$n" "$n" "$(printf "*a$((n - 1)),%.0s" {1..10})"
		done
	} | file
	finds 1 '-: line 1: it has what JSON has not: keys that are no texts, bytes that are no text, more than 64 levels or 100000 values' 'networks: 0, findings: 1'
	{ printf '[%.0s' {1..70}; printf ']%.0s' {1..70}; } | file
	ctl validate - <"$BATS_TEST_TMPDIR/file"
	contains "$out" 'more than 64 levels'
	printf 'kind: NetworkAttachmentDefinition\nspec: {config: "{"}\n' | file
	ctl validate - <"$BATS_TEST_TMPDIR/file"
	contains "$out" '-: spec.config: line 1, column 1: '
	ctl validate /nowhere --json
	is "$status $(jq -c . <<<"$out")" '1 {"findings":[{"file":"/nowhere","network":"","what":"cannot be read: does not exist"}],"networks":0}'
}

network() { printf '{"cniVersion": "1.0.0", "name": "n", "type": "hbr-l2", "attach": "direct", "vni": %s%s}' "$1" "${2:+, $2}"; }
# brief: what would be done, without how.
brief() { jq -c 'map(.steps | map([.do, .name // .how]))[]' <<<"$out"; }

@test "plan: keep, change, adopt, create or refuse, and nothing is done" {
	busy_node
	ip -n hbr -batch - <<-B
		link add br.10700 mtu 1500 address 02:00:00:00:00:07 type bridge mcast_snooping 0
		link set br.10700 up
		link add br.10800 type vxlan id 1 dstport 1
		link add foreign type vxlan id 10900 dstport 4789 local 10.0.0.1
	B
	snapshot_take
	ctl plan - < <(network 10100)
	is "$status" 0
	contains "$out" $'n (hbr-l2)\n  keep    in the HBR netns: br.10100 type bridge '
	ctl plan --json - < <(network 10100)
	is "$status $(brief)" '0 [["keep","br.10100"],["keep","vx.10100"]]'
	ctl plan --json - < <(network 10200)
	is "$status $(jq -c '.[].steps[1] | .do, .how' <<<"$out" | tr '\n' ' ')" '0 "change" "vxlan vx.10200 in the HBR netns has learning 1, wanted 0" '
	ctl plan --json - < <(network 10300)
	is "$status $(brief)" '0 [["change","br.10300"],["create","vx.10300"]]'
	ctl plan --json - < <(network 10700)
	is "$status $(brief)" '0 [["adopt","br.10700"],["create","vx.10700"]]'
	ctl plan --json - < <(network 10800)
	is "$status $(brief)" '1 [["refuse","br.10800 in the HBR netns is a vxlan, wanted a bridge"]]'
	ctl plan --json - < <(network 10900)
	is "$status $(brief)" '1 [["create","br.10900"],["refuse","vx.10900 in the HBR netns cannot be made: the vxlan foreign has id 10900 already"]]'
	ctl plan --json - < <(network 10100 '"mtu": 1300')
	is "$status $(brief)" '1 [["refuse","mtu: 1300 was asked for, but the L2 domain of VNI 10100 has 1500"]]'
	ctl plan - < <(echo '{}')
	is "$status $err" '2 hbrctl: -: there is no network of hbr-l2 or hbr-vrf in it'
	snapshot_same
	# What was foreseen is what ADD does.
	pod_add e f
	works ADD e < <(network 10700)
	plugin ADD f < <(network 10900)
	refused 103 'vx.10900 in the HBR netns cannot be made: the vxlan foreign has id 10900 already'
}

# bats test_tags=vlan
@test "plan: a gateway in a VRF that is made with its L3VNI, on a node that has nothing yet" {
	need vrf vlan
	node_up
	snapshot_take
	ctl plan --json - < <(l2 10108 '"vlan": 108, "vrf": {"name": "red", "vni": 5000}, "gateway": ["10.108.0.1/24"]')
	is "$status $(brief)" '0 [["create","red"],["create","br.5000"],["create","vx.5000"],["create","br.10108"],["create","vx.10108"],["create","br.10108"],["create","tr.108"],["create","tr.108"]]'
	ctl plan - < <(l2 10109 '"gateway": ["10.109.0.1/24"]')
	is "$status $(sed -n 's/^  \([a-z]*\) .*: \([^ ]*\) type.*/\1 \2/p' <<<"$out" | xargs)" '0 adopt hbr create br.10109 create vx.10109 create br.10109 create tr.2 create tr.2'
	contains "$out" 'tr.2 type vlan id 2 '
	snapshot_same
}
