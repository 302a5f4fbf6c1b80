#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 51
# What a runtime and hbr-l2 say to each other: the specification's seven versions.

# shellcheck disable=SC2016 # other shells' variables in single quotes
load helpers

VERSIONS=(0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0)
SUPPORTED='"supportedVersions":["0.1.0","0.2.0","0.3.0","0.3.1","0.4.0","1.0.0","1.1.0"]'
MAC=02:00:00:00:00:aa

setup_file() {
	need vrf vlan
	build
}
teardown_file() { node_down; }

build() {
	node_up
	pod_add pod
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR snapshot_take
}

# Nothing but the node is left by any test; after one that failed it is made anew.
teardown() {
	[ -z "${BATS_TEST_COMPLETED:-}" ] || ! left_nothing || return 0
	node_down
	build
	false
}

left_nothing() { BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR snapshot_same; } 2> >(head -n 40 >&2)

# net VERSION [KEYS]
net() { printf '{"cniVersion": "%s", "name": "n", "type": "hbr-l2", "vni": 10600, "mac": "%s"%s}' "$1" "$MAC" "${2:+, $2}"; }

# quiet VERB VERSION [KEYS]: success, and not a byte on either stream.
quiet() {
	works "$1" pod < <(net "$2" "${3:-}") || return 1
	if [ -s "$BATS_TEST_TMPDIR/out" ] || [ -s "$BATS_TEST_TMPDIR/err" ]; then
		echo "$1 says $out$err" >&2
		return 1
	fi
}

# result VERSION KEYS RESULT: ADD says just that and nothing else, and DEL is quiet.
result() {
	works ADD pod < <(net "$1" "$2") || return 1
	is "$out$err" "$3" && is "$(wc -l <"$BATS_TEST_TMPDIR/out")" 1 && quiet DEL "$1" "$2"
}

POD='{"name":"net1","mac":"02:00:00:00:00:aa","sandbox":"/run/netns/pod"}'
POD_MTU='{"name":"net1","mac":"02:00:00:00:00:aa","mtu":1500,"sandbox":"/run/netns/pod"}'

@test "multus-cni#211: results without addresses, in all versions" {
	for version in 0.1.0 0.2.0; do result $version '' "{\"cniVersion\":\"$version\",\"dns\":{}}"; done
	for version in 0.3.0 0.3.1 0.4.0 1.0.0; do
		result $version '' "{\"cniVersion\":\"$version\",\"interfaces\":[$POD]}"
	done
	result 1.1.0 '' "{\"cniVersion\":\"1.1.0\",\"interfaces\":[$POD_MTU]}"
}

@test "cni#296: no cniVersion is 0.1.0" {
	result '' '' '{"cniVersion":"0.1.0","dns":{}}'
	result 1.1.0 '"cniVersion": null' '{"cniVersion":"0.1.0","dns":{}}'
}

ADDRESSES='"addresses": [{"address": "10.9.0.2/24", "gateway": "10.9.0.1"}, {"address": "FD00:9::2/64"}, {"address": "10.9.0.3/24"}],
	"routes": [{"dst": "10.0.0.0/8"}, {"dst": "fd00::/16", "gw": "fd00:9::1", "mtu": 1400, "priority": 7}],
	"dns": {"nameservers": ["10.9.0.53"], "domain": "example.org"}'
IPS='{VERSION4"interface":0,"address":"10.9.0.2/24","gateway":"10.9.0.1"},{VERSION6"interface":0,"address":"fd00:9::2/64"},{VERSION4"interface":0,"address":"10.9.0.3/24"}'
DNS='"dns":{"nameservers":["10.9.0.53"],"domain":"example.org"}'

@test "plugins#661, cni#896, multus-cni#165: results with addresses, routes and dns, in all versions" {
	for version in 0.1.0 0.2.0; do
		result $version "$ADDRESSES" "{\"cniVersion\":\"$version\",\
\"ip4\":{\"ip\":\"10.9.0.2/24\",\"gateway\":\"10.9.0.1\",\"routes\":[{\"dst\":\"10.0.0.0/8\",\"gw\":\"10.9.0.1\"}]},\
\"ip6\":{\"ip\":\"fd00:9::2/64\",\"routes\":[{\"dst\":\"fd00::/16\",\"gw\":\"fd00:9::1\"}]},$DNS}"
	done
	routes='"routes":[{"dst":"10.0.0.0/8","gw":"10.9.0.1"},{"dst":"fd00::/16","gw":"fd00:9::1"'
	ips=${IPS//VERSION4/\"version\":\"4\",}
	for version in 0.3.0 0.3.1 0.4.0; do
		result $version "$ADDRESSES" "{\"cniVersion\":\"$version\",\"interfaces\":[$POD],\"ips\":[${ips//VERSION6/\"version\":\"6\",}],$routes}],$DNS}"
	done
	result 1.0.0 "$ADDRESSES" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD],\"ips\":[${IPS//VERSION?/}],$routes}],$DNS}"
	result 1.1.0 "$ADDRESSES" "{\"cniVersion\":\"1.1.0\",\"interfaces\":[$POD_MTU],\"ips\":[${IPS//VERSION?/}],$routes,\"mtu\":1400,\"priority\":7}],$DNS}"
}

@test "network-attachment-definition-client#72: what the result says is what is there; CHECK, STATUS, GC and DEL are silent" {
	works ADD pod < <(net 1.1.0 "$ADDRESSES")
	said=$out
	is "$(jq -c '[.interfaces[0] | .mac, .mtu]' <<<"$said")" "$(fact pod net1 '[.address, .mtu]')"
	is "$(jq -c '[.interfaces[] | select(.sandbox)] | length' <<<"$said")" 1
	for version in 0.4.0 1.0.0 1.1.0; do
		quiet CHECK "$version" "$ADDRESSES, \"prevResult\": $said"
	done
	quiet STATUS 1.1.0
	quiet GC 1.1.0 '"cni.dev/valid-attachments": [{"containerID": "c-pod", "ifname": "net1"}]'
	is "$(fact pod net1 .address)" "\"$MAC\""
	quiet DEL 1.1.0 "$ADDRESSES, \"prevResult\": $said"
	quiet DEL 0.4.0 '"prevResult": {"x": 5}'
	quiet DEL 0.3.1 '"prevResult": "x"'
}

@test "verbs that a version does not have" {
	for version in "${VERSIONS[@]:0:4}"; do
		plugin CHECK pod < <(net "$version" '"prevResult": {}')
		refused 1 "config version does not allow CHECK: cniVersion is $version, wanted 0.4.0 or later"
	done
	for verb in GC STATUS; do
		plugin $verb < <(net 1.0.0)
		refused 1 "config version does not allow $verb: cniVersion is 1.0.0, wanted 1.1.0 or later"
	done
	plugin CHECK pod < <(net 0.4.0)
	refused 7 'required prevResult missing'
	plugin CHECK pod < <(net 1.0.0 '"prevResult": {}')
	refused 106 'no attachment net1 of container c-pod is known'
	is "$(command jq -c keys_unsorted <<<"$out")" '["cniVersion","code","msg","details"]'
}

@test "VERSION needs nothing, and waits for nobody" {
	for input in '' 'x' '{}' '[]' '{"cniVersion": 5}' '{"cniVersion": "1.1"}' '{"cniVersion": "1.1.0"}'; do
		works VERSION <<<"$input"
		is "$out$err" "{\"cniVersion\":\"1.1.0\",$SUPPORTED}"
	done
	for version in 0.1.0 0.4.0 9.9.9; do
		works VERSION <<<"{\"cniVersion\": \"$version\"}"
		is "$out" "{\"cniVersion\":\"$version\",$SUPPORTED}"
	done
	works VERSION <&-
	is "$out" "{\"cniVersion\":\"1.1.0\",$SUPPORTED}"
	mkfifo "$BATS_TEST_TMPDIR/open"
	exec {held}<>"$BATS_TEST_TMPDIR/open"
	start=$SECONDS
	WRAP=(timeout 20 setpriv --reuid nobody --regid nogroup --clear-groups env CNI_CONTAINERID=%% CNI_IFNAME=a/b CNI_NETNS=dummy)
	works VERSION <&"$held"
	is "$out$err" "{\"cniVersion\":\"1.1.0\",$SUPPORTED}"
	[ $((SECONDS - start)) -lt 10 ]
	exec {held}>&-
}

@test "without CNI_COMMAND it tells a person what it is" {
	for unset in CNI_COMMAND= -uCNI_COMMAND; do
		WRAP=(env "$unset")
		works ADD pod </dev/null
		is "$out" ''
		[[ $err =~ ^"CNI hbr-l2 plugin "[^$'\n']+$'\nCNI protocol versions supported: 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0'$ ]]
	done
}

@test "standard input comes in any pieces, arguments and directory do not matter" {
	WRAP=(sh -c 'cd /proc && exec "$@" --help ADD' sh)
	works ADD pod < <(net 1.0.0 "\"x\": \"$(printf 'x%.0s' {1..70000})\"" | perl -e '$| = 1; while (read STDIN, $_, ++$n < 200 ? 1 : 4000) { print; select undef, undef, undef, 0.001 }')
	is "$out" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD]}"
	WRAP=()
	quiet DEL 1.0.0
	head -c 1M /dev/zero | tr '\0' x >"$BATS_TEST_TMPDIR/large"
	works ADD pod < <(printf '%s' "$(net 1.0.0)" | sed 's/}$/, "x": "/'; cat "$BATS_TEST_TMPDIR/large"; printf '"}\n\n')
	quiet DEL 1.0.0
}

@test "keys that are not ours, and null, are nothing" {
	result 1.0.0 '"capabilities": {"mac": true}, "deviceID": "0000:00:00.1", "pciBusID": "x", "disableCheck": true, "cni.dev/x": 5,
		"runtimeConfig": {"portMappings": [], "aliases": {"n": ["a"]}, "bandwidth": 5}, "args": {"cni": {"labels": [5]}, "x": 1},
		"ipam": null, "dns": null, "prevResult": null, "vlan": null, "mtu": null, "huge": 12345678901234567890' \
		"{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD]}"
	for other in '"args": null, "runtimeConfig": null' '"args": 5, "runtimeConfig": "x"' '"args": [], "runtimeConfig": []' \
		'"args": {"cni": [5]}' '"mtu": 1300, "mtu": 1400' '"vlan": "100", "mtu": "0", "isolated": "false"'; do
		result 1.0.0 "$other" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD]}"
	done
}

@test "plugins#307: no IPAM is absent, null, {}, or a type that is empty" {
	for ipam in null '{}' '{"type": ""}' '{"type": null}'; do
		result 1.0.0 "\"ipam\": $ipam" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD]}"
	done
}

@test "kubernetes#24983: CNI_ARGS, as Multus, CRI-O and podman write them" {
	other=02:00:00:00:00:bb
	their=${POD/$MAC/$other}
	for ARGS in "IgnoreUnknown=1;FOO=BAR" "IgnoreUnknown=TRUE;K=a=b;" "IgnoreUnknown=true;MAC=" ";;" "K8S_POD_NAME=p;K8S_POD_INFRA_CONTAINER_ID=" \
		"IgnoreUnknown=0;K8S_POD_UID=x"; do
		works ADD pod < <(net 1.0.0)
		is "$out" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD]}"
		quiet DEL 1.0.0
	done
	ARGS="IgnoreUnknown=true;K8S_POD_NAMESPACE=ns1;K8S_POD_NAME=p;IgnoreUnknown=1;K8S_POD_NAME=p;MAC=02:00:00:00:00:01;MAC=$other"
	works ADD pod < <(net 1.0.0)
	is "$out" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$their]}"
	is "$(fact pod net1 .address)" "\"$other\""
	ARGS='=;x;MAC' quiet CHECK 1.0.0 "\"prevResult\": $out"
	ARGS='=;x;MAC' quiet DEL 1.0.0
}

@test "prevResult passes through, and our indexes come behind it" {
	theirs='{"cniVersion": "1.0.0", "interfaces": [{"name": "veth1"}, {"name": "eth0", "sandbox": "/run/netns/pod"}],
		"ips": [{"address": "192.0.2.5/24", "interface": 1}], "routes": [{"dst": "0.0.0.0/0", "gw": "192.0.2.1"}],
		"dns": {"nameservers": ["192.0.2.53"]}}'
	works ADD pod < <(net 1.0.0 "\"prevResult\": $theirs, \"addresses\": [{\"address\": \"10.9.0.2/24\"}]")
	is "$(jq . <<<"$out")" "$(jq --argjson pod "$POD" '.interfaces += [$pod] | .ips += [{address: "10.9.0.2/24", interface: 2}]' <<<"$theirs")"
	quiet CHECK 1.0.0 "\"prevResult\": $out"
	quiet DEL 1.0.0
	works ADD pod < <(net 1.1.0 "\"prevResult\": ${theirs/\"cniVersion\": \"1.0.0\", /}, \"dns\": {\"domain\": \"d\"}")
	is "$(jq -c '[.dns, .ips[0].interface, .interfaces[2].mtu]' <<<"$out")" '[{"domain":"d"},1,1500]'
	quiet DEL 1.1.0
}

# undone CLOSING: an ADD whose standard output is like that fails, and is undone.
undone() {
	WRAP=(bash -c "$1" sh)
	plugin ADD pod < <(net 1.0.0 "$ADDRESSES")
	WRAP=()
	is "$status" 1 && left_nothing && is "$(ip -n pod -json link | jq -c 'map(.ifname)')" '["lo"]'
}

@test "cni#571, cilium#7978: an ADD whose result nobody gets is undone" {
	undone 'exec "$@" >/dev/full'
	contains "$err" 'writing the result to standard output: No space left on device; ADD was undone'
	undone 'exec "$@" >&-'
	undone 'set -o pipefail; { "$@"; } | { exec <&-; sleep 1; }'
	contains "$err" 'Broken pipe; ADD was undone'
	undone 'exec "$@" 0<&- >&- 2>&-'
	WRAP=(bash -c 'exec "$@" 2>&-' sh)
	result 1.0.0 '' "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD]}"
}

@test "amazon-vpc-cni-k8s#1248: the IPAM plugin gets our environment and our input, to the byte" {
	ipam=$BATS_TEST_TMPDIR/ipam
	mkdir "$ipam"
	printf '#!/bin/sh\ncat >%s.$CNI_COMMAND\nenv >%s.$CNI_COMMAND\necho junk >&2\n[ "$CNI_COMMAND" != ADD ] || echo %q\n' "$ipam/in" "$ipam/env" \
		'{"cniVersion": "0.2.0", "ip4": {"ip": "10.9.0.4/24"}, "dns": {"domain": "ipam"}}' >"$ipam/fake"
	chmod +x "$ipam/fake"
	CNI_PATH=::$ipam:/nowhere
	text=$(net 1.0.0 '"ipam": {"type": "fake",  "x": 1.50}')
	WRAP=(env TRACEPARENT=00-1 OTHER='a b')
	works ADD pod <<<"$text"
	is "$out" "{\"cniVersion\":\"1.0.0\",\"interfaces\":[$POD],\"ips\":[{\"interface\":0,\"address\":\"10.9.0.4/24\"}],\"dns\":{\"domain\":\"ipam\"}}"
	is "$err" junk
	works CHECK pod < <(net 1.0.0 "\"ipam\": {\"type\": \"fake\"}, \"prevResult\": $out")
	works DEL pod <<<"$text"
	WRAP=()
	for verb in ADD CHECK DEL; do
		contains "$(<"$ipam/env.$verb")" "CNI_COMMAND=$verb" TRACEPARENT=00-1 'OTHER=a b' CNI_CONTAINERID=c-pod CNI_NETNS=/run/netns/pod CNI_IFNAME=net1 "CNI_PATH=$CNI_PATH"
	done
	is "$(<"$ipam/in.ADD")" "$text"
	is "$(<"$ipam/in.DEL")" "$text"
}

@test "the real cnitool understands all versions that it has, and a chain with tuning" {
	export NETCONFPATH=$BATS_TEST_TMPDIR/net.d
	mkdir "$NETCONFPATH"
	printf '{"cniVersion": "0.2.0", "name": "n", "plugins": [%s]}' "$(net 0.2.0 "$ADDRESSES")" >"$NETCONFPATH/n.conflist"
	is "$(cni add n pod | jq -c '[.cniVersion, .ip4.ip, .ip6.ip]')" '["0.2.0","10.9.0.2/24","fd00:9::2/64"]'
	cni del n pod
	for version in 0.3.1 0.4.0 1.0.0; do
		printf '{"cniVersion": "%s", "name": "n", "plugins": [%s, {"type": "tuning", "mac": "02:00:00:00:00:bb", "mtu": 1400}]}' \
			"$version" "$(net "$version" "$ADDRESSES")" >"$NETCONFPATH/n.conflist"
		is "$(cni add n pod | jq -c '[.cniVersion, (.interfaces | map([.name, .mac, .sandbox])), (.ips | map(.address))]')" \
			"[\"$version\",[[\"net1\",\"02:00:00:00:00:bb\",\"/run/netns/pod\"]],[\"10.9.0.2/24\",\"fd00:9::2/64\",\"10.9.0.3/24\"]]"
		[ "$version" = 0.3.1 ] || cni check n pod
		cni del n pod
	done
}
