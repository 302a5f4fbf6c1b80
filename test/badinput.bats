#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# weight: 61
# What an operator or a tenant can get wrong, one row each: the code, one CNI error whose message
# names the key, the value and what is allowed, and nothing changed anywhere.

# shellcheck disable=SC2016 # other shells' variables in single quotes
load helpers

setup_file() {
	node_up
	pod_add pod
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR snapshot_take
}
teardown_file() { node_down; }

setup() {
	rows=0 bad=0
	NETWORK='"cniVersion": "1.0.0", "name": "n", "vni": 10300'
}

# A row that fails does not hide those after it. One look at all that was said: a document each.
teardown() {
	[ "$bad" = 0 ] && is "$(ip -n pod -json link | jq -c 'map(.ifname)')" '["lo"]' && unchanged 40 &&
		is "$(jq -s 'map(select((.code, .msg, .details) | [type] | inside(["number", "string"]))) | length / 3' \
			"$BATS_TEST_TMPDIR/said")" "$rows"
}

# unchanged TRIES: the whole node is as it was before the first test.
unchanged() { BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR SNAPSHOT_TRIES=$1 snapshot_same; }

# What takes no program to see: no link of the host, no record, no domain is left. (The names of what
# is there; a row that gets as far as making something is looked after by "unchanged" too: THOROUGH.)
looks_unchanged() {
	local -a left=(/sys/class/net/{br,vx,tr}.* /sys/class/net/pv* "$NODE_STATE"/*/{attachments,domains}/*)
	local path
	for path in "${left[@]}"; do
		[ ! -e "$path" ] || { echo "left: $path" >&2; return 1; }
	done
	[ -z "${THOROUGH:-}" ] || unchanged 4
}

# tells CODE TEXT...: like "refused", without a program.
tells() {
	local said code=$1
	shift
	[[ $out =~ ^\{\"cniVersion\":\"[01]\.[0-4]\.[01]\",\"code\":([0-9]+),\"msg\":\"(.+)\",\"details\":\"(.*)\"\}$ ]] ||
		{ echo "no error on standard output: $out" >&2; return 1; }
	printf '%s\n' "$out" >>"$BATS_TEST_TMPDIR/said"
	said="${BASH_REMATCH[2]}: ${BASH_REMATCH[3]}"
	printf -v said %b "${said//\\\"/\"}"
	is "${BASH_REMATCH[1]}" "$code" || { echo "$said" >&2; return 1; }
	contains "$said" "$@" && lacks "${said,,}" 'not found' && lacks "${said,,}" 'no such file or directory'
}

# judged NAME CODE TEXT...: what the plugin said last is that refusal, and changed nothing.
judged() {
	local name=$1
	shift
	rows=$((rows + 1))
	{ is "$status" 1 && tells "$@" && looks_unchanged; } || { bad=1; printf 'in the row: %s\n\n' "$name" >&2; }
}

# row CODE KEYS TEXT...: an ADD with these keys, the last of one name wins; environment by variables.
row() {
	local code=$1 keys=$2
	shift 2
	plugin ADD pod "${IFNAME:-net1}" <<<"{$NETWORK${keys:+, $keys}}" || bad=1
	judged "$keys ${ROW:-}" "$code" "$@"
}

# input CODE TEXT... <INPUT: an ADD with just that.
input() {
	plugin ADD pod || bad=1
	judged "standard input" "$@"
}

# node CODE FILE TEXT...: an ADD on a node with that file.
node() {
	local code=$1 text=$2 NODE_FILE=$BATS_TEST_TMPDIR/node.json
	shift 2
	printf '%s' "$text" >"$NODE_FILE"
	ROW="node file: $text" row "$code" "${KEYS:-}" "$@"
}

@test "the standard input" {
	input 5 'reading standard input: Bad file descriptor' <&-
	input 5 'reading standard input: Is a directory' </tmp
	input 6 'the configuration is empty' </dev/null
	input 6 'the configuration is no JSON: line 2, column 0' <<<'{'
	input 6 'the configuration is no JSON: line 1, column' <<<"{$NETWORK} {$NETWORK}"
	input 6 'the configuration is no JSON: line 1, column' <<<"{$NETWORK} x"
	input 6 'the configuration is no JSON: line 2, column' <<<"{
		\"name\": n}"
	input 6 'the configuration is no JSON' <<<$'{"name": "\xff"}'
	input 6 'the configuration is no JSON object' <<<'[]'
	input 6 'the configuration is no JSON: line 1' "'[' or '{' expected" <<<'"x"'
	input 6 'the configuration is no JSON: line 1' "'[' or '{' expected" <<<'null'
	{ printf '{%s, "x": "' "$NETWORK" && head -c 5M /dev/zero | tr '\0' x && printf '"}'; } >"$BATS_TEST_TMPDIR/large"
	input 7 'configuration is larger than 4 MiB' <"$BATS_TEST_TMPDIR/large"
	input 6 'the configuration is no JSON: line 1' < <(head -c 4000000 "$BATS_TEST_TMPDIR/large")
}

@test "cniVersion" {
	for version in 1.0 1.2.0 9.9.9 foo 1.0.0x ' 1.0.0'; do
		row 1 "\"cniVersion\": \"$version\"" "cniVersion \"$version\" is not supported" \
			"config is \"$version\"" '"0.1.0" "0.2.0" "0.3.0" "0.3.1" "0.4.0" "1.0.0" "1.1.0"'
	done
	row 6 '"cniVersion": 1' 'cniVersion: 1 is not allowed: wanted a text'
	row 6 '"cniVersion": ["1.0.0"]' 'cniVersion: ["1.0.0"] is not allowed'
}

long=$(printf 'x%.0s' {1..5000})
name_rule="wanted 1 to 255 of A-Z, a-z, 0-9, '_', '.', '-', the first a letter or a digit"

@test "cni#679: names of networks and containers stay out of paths" {
	row 7 '"name": null' 'missing network name'
	row 7 '"name": ""' 'missing network name'
	row 6 '"name": 5' 'name: 5 is not allowed: wanted a text'
	for name in a/b -a .a _a 'a b' .. ../../etc/x 'a\n' 'é' 'a\u0000b'; do
		row 7 "\"name\": \"$name\"" 'name: "' 'is not allowed' "$name_rule"
	done
	row 7 "\"name\": \"$long\"" 'name: "xxx' 'xxx...' "$name_rule"
	for id in a/b -a .a _a 'a b' 'a%b' .. ../../etc/x $'a\n' é; do
		CONTAINERID=$id row 4 '' "CNI_CONTAINERID: \"$id" 'is not allowed' "$name_rule"
	done
	CONTAINERID=$long row 4 '' 'CNI_CONTAINERID: "xxx' "$name_rule"
}

@test "cni#712: rules for the interface's name" {
	for name in 1234567890123456 . .. a/b a:b 'a b' $'a\tb' $'a\nb' 'a%d' $'a\u00a0b' $'a\u0085b' é \
		$'a\x01' $'a\xff' all default lo "$long"; do
		IFNAME=$name row 4 '' 'CNI_IFNAME: "' 'is not allowed' '1 to 15 printable ASCII characters' '"lo"'
	done
}

@test "the environment" {
	WRAP=(env CNI_COMMAND=add)
	row 4 '' 'unknown CNI_COMMAND: add: wanted ADD, CHECK, DEL, GC, STATUS or VERSION'
	WRAP=(env -u CNI_IFNAME -u CNI_NETNS CNI_CONTAINERID=)
	row 4 '' 'required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing'
	WRAP=()
	ARGS='FOO=BAR' row 4 '' 'CNI_ARGS: unknown key "FOO": wanted MAC, IP or K8S_*'
	ARGS='ignoreunknown=true;FOO=B' row 4 '' 'CNI_ARGS: unknown key'
	ARGS='IgnoreUnknown=yes' row 4 '' 'CNI_ARGS: IgnoreUnknown: "yes" is not allowed: wanted 1, 0, true or false'
	ARGS='IgnoreUnknown=1;x' row 4 '' 'CNI_ARGS: "x" is not allowed: wanted KEY=VALUE'
	ARGS='IgnoreUnknown=1;=x' row 4 '' 'CNI_ARGS: "=x" is not allowed: wanted KEY=VALUE'
	ARGS='mac=02:00:00:00:00:01' row 4 '' 'CNI_ARGS: unknown key "mac"'
}

@test "plugins#714, cri-o#9301: a CNI_NETNS that is no pod's" {
	NETNS=/run/netns/gone row 8 '' 'CNI_NETNS: network namespace /run/netns/gone: does not exist'
	NETNS=/etc/hostname row 8 '' 'CNI_NETNS: /etc/hostname is not a network namespace (a plain file' 'mount propagation'
	NETNS=/tmp row 8 '' 'CNI_NETNS: /tmp is not a network namespace'
	NETNS=/proc/self/status row 8 '' 'CNI_NETNS: /proc/self/status is not a network namespace'
	NETNS=/proc/self/ns/mnt row 8 '' 'CNI_NETNS: /proc/self/ns/mnt is not a network namespace (a namespace of another kind)'
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	NETNS=$BATS_TEST_TMPDIR/fifo row 8 '' "CNI_NETNS: $BATS_TEST_TMPDIR/fifo is not a network namespace"
	NETNS=$'/run/netns/\xff' row 4 '' 'CNI_NETNS: "/run/netns/?" is not allowed: wanted a path in UTF-8'
	NETNS=/proc/self/ns/net row 8 '' "CNI_NETNS: /proc/self/ns/net is the plugin's own network namespace: wanted the pod's"
	NETNS=/run/netns/hbr row 8 '' "CNI_NETNS: /run/netns/hbr is the HBR netns: wanted the pod's"
	CNI_NETNS_OVERRIDE=1 NETNS=/run/netns/hbr row 8 '' "CNI_NETNS: /run/netns/hbr is the HBR netns"
}

@test "plugins#394, harvester#6309: vni and vlan" {
	row 7 '"vni": null' 'vni is missing: wanted a number from 1 to 16777215'
	for vni in 0 16777216 4294967396 -1 '"abc"' '""' '"0x10"' '"010"' '" 1"' true 1.5 '[]' '{}' 1e400 \
		18446744073709551617; do
		case $vni in
		1e400) row 6 "\"vni\": $vni" 'the configuration is no JSON' 'real number overflow' ;;
		18446744073709551617) row 7 "\"vni\": $vni" 'vni: 1.8446744073709552e19 is not allowed: wanted a number from 1 to 16777215' ;;
		*) row 7 "\"vni\": $vni" "vni: $vni is not allowed: wanted a number from 1 to 16777215" ;;
		esac
	done
	for vlan in 0 4095 4096 '""' 4294967396 -1 '"abc"' '"4095"' false 1.5 '[100]' '{"id":100}'; do
		row 7 "\"vlan\": $vlan" "vlan: $vlan is not allowed: wanted a number from 1 to 4094"
	done
}

@test "a vrf that is none" {
	THOROUGH=1 row 7 '"vrf": "red"' 'vrf: "red" is no VRF in the HBR netns: wanted one that is there, or {"name": "red", ...}, which makes it'
	row 103 '"vrf": "ul"' 'vrf: "ul" in the HBR netns is a veth: wanted a VRF'
	for vrf in 5 true '["hbr"]'; do
		row 7 "\"vrf\": $vrf" "vrf: $vrf is not allowed: wanted the name of a VRF that is there, \"\" for none, or an object"
	done
	for vrf in '"a/b"' '"1234567890123456"' '"lo"' '"default"'; do
		row 7 "\"vrf\": $vrf" "vrf: $vrf is not allowed: wanted the name of a VRF: 1 to 15 ASCII characters"
	done
	row 7 '"vrf": {}' 'vrf: name is missing: wanted the name of a VRF'
	row 7 '"vrf": {"name": "red", "vni": 0}' 'vrf: vni: 0 is not allowed: wanted a number from 1 to 16777215'
	row 7 '"vrf": {"name": "red", "table": 254}' 'vrf: table: 254 is not allowed: wanted a number from 1 to 4294967295 except 253, 254 and 255'
}

@test "gateways that are none, or without a VRF" {
	row 7 '"gateway": "10.0.0.1/24"' 'gateway: "10.0.0.1/24" is not allowed: wanted a list of at most 16 addresses with prefix length'
	for gateway in '"10.0.0.1"' 5 '"224.0.0.1/24"' '"::1/64"' '"fe80::1/64"'; do
		row 7 "\"gateway\": [$gateway]" "gateway: $gateway is not allowed: wanted unicast addresses with prefix length"
	done
	THOROUGH=1 row 7 '"gateway": ["10.0.0.1/24"], "vrf": ""' 'gateway: not possible without a VRF: wanted vrf to name one'
	row 7 '"gatewayMac": "02:00:00:00:00:01"' 'gatewayMac: not possible without gateway: wanted both or none'
	row 7 '"gateway": ["10.0.0.1/24"], "gatewayMac": "01:00:00:00:00:01"' 'gatewayMac: "01:00:00:00:00:01" is not allowed: wanted a unicast MAC address'
}

@test "plugins#404: an mtu that the path cannot carry" {
	NODE_FILE=$BATS_TEST_TMPDIR/node.json # where there are no VRFs, hbn is an uplink too
	echo '{"uplinks": ["ul"]}' >"$NODE_FILE"
	THOROUGH=1 row 7 '"mtu": 1501' 'mtu: 1501 is more than the path can carry: wanted at most 1500 (the uplink ul has 1550, less 50 for VXLAN)'
	row 7 '"mtu": 65535' 'mtu: 65535 is more than the path can carry: wanted at most 1500'
	for attach in macvlan direct; do
		row 7 "\"attach\": \"$attach\", \"mtu\": 1501" 'mtu: 1501 is more than the path can carry: wanted at most 1500 (the uplink ul has 1550, less 50 for VXLAN)'
	done
	for mtu in 1 67 -1 65536 4294968796 '"1500x"' 1400.5 true '[]'; do
		row 7 "\"mtu\": $mtu" "mtu: $mtu is not allowed: wanted a number from" '65535'
	done
}

@test "MAC addresses, by whichever way they come" {
	for mac in 01:00:5e:00:00:01 33:33:00:00:00:01 ff:ff:ff:ff:ff:ff 00:00:00:00:00:00 02:00:00:00:00 \
		02:00:00:00:00:00:01 02:00:00:00:00:0g 2:0:0:0:0:1 zz '02:00:00:00:00:01 '; do
		row 7 "\"mac\": \"$mac\"" "mac: \"$mac\" is not allowed: wanted a unicast MAC address like 02:"
	done
	row 7 '"mac": 5' 'mac: 5 is not allowed: wanted a unicast MAC address'
	row 7 '"runtimeConfig": {"mac": "01:00:5e:00:00:01"}' 'mac: "01:00:5e:00:00:01" was asked for this pod: wanted a unicast MAC address'
	row 7 '"runtimeConfig": {"mac": 5}' 'runtimeConfig.mac: 5 is not allowed: wanted a MAC address'
	row 7 '"args": {"cni": {"mac": "zz"}}' 'mac: "zz" was asked for this pod: wanted a unicast MAC address'
	ARGS=MAC=00:00:00:00:00:00 row 7 '' 'mac: "00:00:00:00:00:00" was asked for this pod: wanted a unicast MAC address'
}

@test "keys of a wrong type" {
	for key in mobile isolated portIsolation hairpin hairpinMode macspoofchk neighSuppress promisc promiscMode \
		allmulti enabledad disableContainerInterface; do
		row 7 "\"$key\": 1" ": 1 is not allowed: wanted true or false"
	done
	row 7 '"isolated": "yes"' 'isolated: "yes" is not allowed: wanted true or false'
	row 7 '"attach": 5' 'attach: 5 is not allowed: wanted one of bridge, macvlan, direct'
	row 7 '"attach": "bridged"' 'attach: "bridged" is not allowed: wanted one of bridge, macvlan, direct'
	row 7 '"dns": "10.0.0.1"' 'dns: "10.0.0.1" is not allowed: wanted an object'
	row 7 '"prevResult": 5' 'prevResult: 5 is not allowed: wanted an object'
	row 7 '"prevResult": {"cniVersion": "1.0.0", "interfaces": 5}' 'prevResult: interfaces'
}

@test "addresses and routes" {
	row 7 '"addresses": {}' 'addresses: {} is not allowed: wanted a list'
	row 7 '"addresses": [5]' 'addresses[0].address is missing: wanted address/prefix'
	for address in 10.0.0.1 10.0.0.1/33 10.0.0.1/ 10.0.0.1/a 010.0.0.1/24 ::ffff:10.0.0.1/128 fd00::1/129 fd00::g/64 \
		10.0.0/24 x ''; do
		row 7 "\"addresses\": [{\"address\": \"$address\"}]" "addresses[0].address: \"$address\" is not allowed: wanted address/prefix"
	done
	row 7 '"addresses": [{"address": "10.0.0.1/24"}, {"address": 5}]' 'addresses[1].address: 5 is not allowed: wanted address/prefix'
	row 7 '"addresses": [{"address": "10.0.0.1/24", "gateway": "10.0.1.1"}]' \
		'addresses[0].gateway: "10.0.1.1" is not allowed: wanted an address of the same network'
	row 7 '"addresses": [{"address": "10.0.0.1/24", "gateway": "fd00::1"}]' \
		'addresses[0].gateway: "fd00::1" is not allowed: wanted an address of the family of address'
	row 7 '"addresses": [{"address": "10.0.0.1/24", "gateway": 5}]' 'addresses[0].gateway: 5 is not allowed: wanted an IP address'
	many=$(printf '{"address": "10.0.0.%s/24"},' {1..65})
	row 7 "\"addresses\": [${many%,}]" 'addresses: 65 entries: wanted at most'
	row 7 '"routes": "x"' 'routes: "x" is not allowed: wanted a list'
	row 7 '"routes": [{}]' 'routes[0].dst is missing: wanted address/prefix'
	row 7 '"routes": [{"dst": "10.0.0.0"}]' 'routes[0].dst: "10.0.0.0" is not allowed: wanted address/prefix'
	row 7 '"routes": [{"dst": "10.0.0.0/8", "gw": "x"}]' 'routes[0].gw: "x" is not allowed: wanted an IP address'
	row 7 '"routes": [{"dst": "10.0.0.0/8", "gw": "fd00::1"}]' 'routes[0].gw: "fd00::1" is not allowed: wanted an address of the family of dst'
	row 7 '"routes": [{"dst": "10.0.0.0/8", "table": -1}]' 'routes[0].table: -1 is not allowed: wanted a number from 0 to 4294967295'
	row 7 '"routes": [{"dst": "10.0.0.0/8", "scope": 256}]' 'routes[0].scope: 256 is not allowed: wanted a number from 0 to 255'
	row 7 '"runtimeConfig": {"ips": ["10.0.0.1"]}' 'ips: "10.0.0.1" was asked for this pod: wanted an address with its prefix length such as 10.0.0.1/24'
	row 7 '"runtimeConfig": {"ips": "10.0.0.1/24"}' 'runtimeConfig.ips: "10.0.0.1/24" is not allowed: wanted a list of address/prefix'
	row 7 '"args": {"cni": {"ips": [5]}}' 'args.cni.ips: [5] is not allowed: wanted a list of address/prefix'
	ARGS=IP=10.0.0.1/24,x row 7 '' 'ips: "x" was asked for this pod: wanted an address with its prefix length'
}

@test "combinations that make no sense" {
	local address='"addresses": [{"address": "10.0.0.1/24"}]' route='"routes": [{"dst": "10.0.0.0/8"}]'
	row 7 "$address, \"ipam\": {\"type\": \"static\"}" 'addresses: not together with ipam: wanted one of the two'
	row 7 "$route, \"ipam\": {\"type\": \"static\"}" 'routes: not together with ipam: wanted one of the two'
	for with in "$address" "$route"; do
		row 7 "$with, \"disableContainerInterface\": true" 'disableContainerInterface: not together with addresses or routes'
	done
	row 7 '"disableContainerInterface": true, "ipam": {"type": "static"}' 'disableContainerInterface: not together with ipam'
	for names in isolated:portIsolation hairpin:hairpinMode promisc:promiscMode; do
		row 7 "\"${names%:*}\": true, \"${names#*:}\": \"false\"" \
			"${names%:*}: true contradicts ${names#*:}: \"false\", another name of the same key: wanted one of the two"
	done
}

@test "what is known, and not offered" {
	row 2 '"attach": "macvlan", "isolated": true' 'isolated: true is not possible with attach "macvlan": wanted "bridge" or "direct"'
	KEYS='"hairpin": true' node 2 '{"attach": "macvlan"}' 'hairpin: true is not possible with attach "macvlan"'
}

@test "sriov-network-device-plugin#346: an ipam.type runs nothing but a plugin of CNI_PATH" {
	local dir=$BATS_TEST_TMPDIR/plugins touched=$BATS_TEST_TMPDIR/touched
	mkdir -p "$dir/directory"
	printf '#!/bin/sh\n: >%s\necho "{\\"cniVersion\\": \\"1.0.0\\"}"\n' "$touched" | tee "$dir/../evil" >"$dir/not-executable"
	chmod +x "$dir/../evil"
	echo garbage >"$dir/garbage"
	printf '#!/nonexistent\n' >"$dir/no-interpreter"
	chmod +x "$dir/garbage" "$dir/no-interpreter"
	CNI_PATH=$dir
	row 7 '"ipam": 5' 'ipam: 5 is not allowed: wanted an object'
	for type in '"../evil"' "\"$BATS_TEST_TMPDIR/evil\"" '"a/b"' '"/"' '"a\u0000b"' 5 '[]'; do
		row 7 "\"ipam\": {\"type\": $type}" 'ipam.type: ' "is not allowed: wanted the name of a plugin in CNI_PATH, without '/'"
	done
	for type in nosuch directory evil true .. .; do
		row 104 "\"ipam\": {\"type\": \"$type\"}" "ipam.type: there is no IPAM plugin \"$type\" in CNI_PATH \"$dir\""
	done
	row 104 '"ipam": {"type": "not-executable"}' "not-executable" 'Permission denied'
	row 104 '"ipam": {"type": "garbage"}' "garbage" 'Exec format error'
	row 104 '"ipam": {"type": "no-interpreter"}' "no-interpreter"
	CNI_PATH='' row 4 '"ipam": {"type": "static"}' 'CNI_PATH' 'missing' '"static"'
	[ ! -e "$touched" ]
}

@test "an IPAM plugin that answers nonsense" {
	local dir=$BATS_TEST_TMPDIR/plugins
	mkdir "$dir"
	for answer in '' x '[]' '{}' '{"cniVersion": "9.9.9"}' '{"cniVersion": "1.0.0", "ips": []}' \
		'{"cniVersion": "1.0.0", "ips": 5}' '{"cniVersion": "1.0.0", "ips": [{"address": "10.0.0.1"}]}'; do
		printf '#!/bin/sh\ncat >/dev/null\n[ "$CNI_COMMAND" = DEL ] || echo %q\n' "$answer" >"$dir/fake"
		chmod +x "$dir/fake"
		CNI_PATH=$dir ROW=$answer row 105 '"ipam": {"type": "fake"}' 'IPAM plugin'
	done
	printf '#!/bin/sh\ncat >/dev/null\n[ $CNI_COMMAND = DEL ] || { echo oops; exit 3; }\n' >"$dir/fake"
	CNI_PATH=$dir row 105 '"ipam": {"type": "fake"}' 'IPAM plugin fake: exit status 3' 'oops'
}

@test "the node file" {
	NODE_FILE=$BATS_TEST_TMPDIR/none row 7 '' "node file $BATS_TEST_TMPDIR/none: does not exist"
	NODE_FILE=/tmp row 7 '' 'node file /tmp: wanted a regular file'
	node 7 '' 'node.json: line 1'
	node 7 '{"mtu": 1400,}' 'node.json: line 1, column'
	node 7 '[]' 'node.json: wanted a JSON object'
	node 7 '{"mtu": 1400, "mtu": 1500}' 'node.json: line 1' 'duplicate'
	node 7 '{"hbrNetns": "hbr"}' 'node.json: hbrNetns: "hbr" is not allowed: wanted an absolute path'
	node 7 '{"hbrNetns": 5}' 'node.json: hbrNetns: 5 is not allowed: wanted an absolute path'
	node 7 '{"trunk": ""}' 'node.json: trunk: "" is not allowed: wanted the name of a network device'
	node 7 '{"hostTrunk": "a/b"}' 'node.json: hostTrunk: "a/b" is not allowed: wanted the name of a network device'
	node 7 '{"vrf": "a b"}' 'node.json: vrf: "a b" is not allowed: wanted the name of a network device'
	node 7 '{"attach": "x"}' 'node.json: attach: "x" is not allowed: wanted one of bridge, macvlan, direct'
	node 7 '{"vtep": "10.0.0.1"}' 'node.json: vtep: "10.0.0.1" is not allowed: wanted an object with "dev" and "family", or with "address"'
	node 7 '{"vtep": {"address": "10.0.0.1/32"}}' 'node.json: vtep: address: "10.0.0.1/32" is not allowed: wanted an IP address without prefix length'
	node 7 '{"vtep": {"address": "10.0.0.1", "dev": "lo"}}' 'node.json: vtep: ' 'is not allowed: wanted either "dev" and "family" or "address"'
	node 7 '{"vtep": {"dev": "lo", "family": 5}}' 'node.json: vtep: family: 5 is not allowed: wanted 4 or 6'
	node 7 '{"vxlanPort": 0}' 'node.json: vxlanPort: 0 is not allowed: wanted a number from 1 to 65535'
	node 7 '{"mtu": 67}' 'node.json: mtu: 67 is not allowed: wanted a number from 68 to 65535'
	node 7 '{"uplinks": "ul"}' 'node.json: uplinks: "ul" is not allowed: wanted a list of at most'
	node 7 '{"uplinks": ["ul", ""]}' 'node.json: uplinks: "" is not allowed: wanted the name of a network device'
	node 7 '{"vlanRange": "2-4095"}' 'node.json: vlanRange: "2-4095" is not allowed: wanted a range "LOWEST-HIGHEST" within 1-4094'
	node 7 '{"vlanRange": "9-2"}' 'node.json: vlanRange: "9-2" is not allowed: wanted a range'
	node 7 '{"tableBase": -1}' 'node.json: tableBase: -1 is not allowed: wanted a number from 0 to'
	node 7 '{"tableRange": "0-5"}' 'node.json: tableRange: "0-5" is not allowed: wanted a range'
	node 7 '{"bridgeNetfilter": true}' 'node.json: bridgeNetfilter: true is not allowed: wanted one of warn, refuse, ignore'
	node 7 '{"stateDir": "run"}' 'node.json: stateDir: "run" is not allowed: wanted an absolute path'
	node 7 '{"frr": "yes"}' 'node.json: frr: "yes" is not allowed: wanted an object with "vtysh", "vtySocketDir" and "template"'
	node 7 '{"frr": {"template": "x"}}' 'node.json: frr: template: "x" is not allowed: wanted an absolute path of at most 255 bytes'
	node 2 '{"policy": []}' 'node.json: policy: [] is not allowed: wanted no value, the key is not supported'
	node 7 '{"overridable": "mtu"}' 'node.json: overridable: "mtu" is not allowed: wanted a list of keys of this file'
	for key in stateDir frr policy overridable vtepp; do
		node 7 "{\"overridable\": [\"mtu\", \"$key\"]}" "node.json: overridable: \"$key\" is not allowed: wanted keys of this file other than stateDir, frr, policy and overridable"
	done
}

@test "a network that overrides what it may not" {
	KEYS='"hbr": {"mtu": 1400}' node 7 '{}' "hbr.mtu: the node's file $BATS_TEST_TMPDIR/node.json does not list \"mtu\" in overridable"
	row 7 '"hbr": {"mtu": 1400}' "hbr.mtu: the node's file /etc/hbr-cni/node.json does not list \"mtu\" in overridable"
	for key in stateDir hbrNetns trunk nonsense; do
		KEYS="\"hbr\": {\"mtu\": 1400, \"$key\": \"/x\"}" node 7 '{"overridable": ["mtu"]}' "hbr.$key: the node's file" "does not list \"$key\""
	done
	KEYS='"hbr": {"mtu": 5}' node 7 '{"overridable": ["mtu"]}' 'hbr: mtu: 5 is not allowed: wanted a number from 68 to 65535'
	KEYS='"hbr": [5]' node 7 '{"overridable": ["mtu"]}' "hbr: [5] is not allowed: wanted an object with keys of the node's file"
}

@test "an HBR netns that is none" {
	node 8 '{"hbrNetns": "/run/netns/gone"}' 'hbrNetns: network namespace /run/netns/gone: does not exist'
	node 8 '{"hbrNetns": "/etc/hostname"}' 'hbrNetns: /etc/hostname is not a network namespace'
	node 8 '{"hbrNetns": "/proc/self/ns/net"}' "hbrNetns: /proc/self/ns/net is the host's own network namespace: wanted one of its own"
	node 8 '{"hbrNetns": "/run/netns/pod"}' "CNI_NETNS: /run/netns/pod is the HBR netns: wanted the pod's"
}

@test "a trunk that is missing or down" {
	node 7 '{"trunk": "trunk0"}' 'trunk: there is no trunk trunk0 in the HBR netns'
	THOROUGH=1 node 7 '{"hostTrunk": "trunk0"}' 'hostTrunk: there is no trunk trunk0 in the host'
	KEYS='"attach": "macvlan"' node 7 '{"hostTrunk": "trunk0"}' 'hostTrunk: there is no trunk trunk0 in the host'
	for attach in bridge macvlan; do
		ip link set tr down
		row 11 "\"attach\": \"$attach\"" 'hostTrunk: the trunk tr in the host is down: wanted it up'
		ip link set tr up
		ip -n hbr link set tr down
		row 11 "\"attach\": \"$attach\"" 'trunk: the trunk tr in the HBR netns is down: wanted it up'
		ip -n hbr link set tr up
	done
}

@test "a node without VTEP, and names of devices that are not there" {
	node 7 '{"vtep": {"dev": "lo", "family": 6}}' 'no VTEP: lo in the HBR netns has no global IPv6 address'
	THOROUGH=1 node 7 '{"vtep": {"dev": "dum0"}}' 'no VTEP: the HBR netns has no link dum0'
	node 7 '{"vtep": {"address": "10.0.0.9"}}' 'no VTEP: 10.0.0.9 is no address of the HBR netns'
	node 7 '{"vtep": {"address": "fd00::9"}}' 'no VTEP: fd00::9 is no address of the HBR netns'
	node 7 '{"uplinks": ["ul", "ul2"]}' 'uplinks: the HBR netns has no link ul2'
}

@test "a UDP port that is taken" {
	ip netns exec hbr perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Proto => "udp", LocalPort => 4789) or die; sleep 60' 3>&- &
	local holder=$!
	until_true 10 at hbr sh -c 'ss -Hlun "sport = 4789" | grep -q .'
	for attach in bridge macvlan direct; do
		THOROUGH=1 row 101 "\"attach\": \"$attach\"" 'UDP port 4789 (vxlanPort) is taken: set up vx.10300 in the HBR netns: Address already in use'
	done
	kill "$holder"
}

@test "a plugin without capabilities says which one it wants" {
	WRAP=(setpriv --bounding-set -net_admin)
	for attach in bridge macvlan direct; do
		THOROUGH=1 row 101 "\"attach\": \"$attach\"" 'br.10300 in the HBR netns' 'not permitted' 'CAP_NET_ADMIN'
	done
	WRAP=(setpriv --bounding-set -sys_admin)
	row 8 '' 'HBR netns: enter a network namespace (needs CAP_SYS_ADMIN): Operation not permitted'
	WRAP=(setpriv --reuid nobody --regid nogroup --clear-groups)
	row 107 '' "state directory $NODE_STATE: open $NODE_STATE: Permission denied"
	WRAP=()
}

# What gets as far as the pod needs the kernel's VLANs, but for direct pods.
ways() { if kernel_has vlan; then echo bridge macvlan direct; else echo direct; fi; }

@test "a /proc/sys that is read-only, with IPv6 off in the pod" {
	at pod sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
	WRAP=(unshare --mount sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec "$@"' sh)
	for attach in $(ways); do
		THOROUGH=1 row 101 "\"attach\": \"$attach\", \"addresses\": [{\"address\": \"fd00:50::2/64\"}]" \
			'set /proc/sys/net/ipv6/conf/net1/disable_ipv6 to 0, from 1: Read-only file system'
	done
	WRAP=()
	at pod sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
}

# unheard TEXT SCRIPT: an ADD by the script, to which nobody can listen: no error there, but on standard
# error, and nothing has changed.
unheard() {
	WRAP=(bash -c "$2" sh)
	plugin ADD pod <<<"{$NETWORK, \"attach\": \"$attach\", \"addresses\": [{\"address\": \"10.50.0.2/24\"}]}" || bad=1
	WRAP=()
	{ is "$status$out" 1 && contains "$err" "$1" 'ADD was undone' && THOROUGH=1 looks_unchanged; } ||
		{ bad=1; printf 'with %s: %s\n\n' "$attach" "$2" >&2; }
}

@test "a standard output that is full, closed, or has no reader" {
	for attach in $(ways); do
		unheard 'writing the result to standard output: No space left on device' 'exec "$@" >/dev/full'
		unheard 'writing the result to standard output: Bad file descriptor' 'exec "$@" >&-'
		unheard 'writing the result to standard output: Broken pipe' 'set -o pipefail; "$@" | exec <&-'
	done
	: >"$BATS_TEST_TMPDIR/said"
}

@test "a state directory that takes no state" {
	node 107 '{"stateDir": "/usr/hbr-cni"}' 'state directory /usr/hbr-cni: ' 'Read-only file system'
	node 107 '{"stateDir": "/etc/hostname"}' 'state directory /etc/hostname: /etc/hostname is a plain file: wanted a directory'
	node 107 '{"stateDir": "/etc/hostname/x/y"}' 'state directory /etc/hostname/x/y: Not a directory'
	node 7 "{\"stateDir\": \"/$(printf 'a%.0s' {1..300})\"}" 'stateDir: "/aaa' 'wanted an absolute path of at most 255 bytes'
}
