#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 294
# shellcheck disable=SC2016 # the inner shell's
# VRFs without FRR, made by a routed port (hbr-vrf) and by an L2 domain with a gateway (hbr-l2): what
# fails, what is lost, at every place where that is possible. Where FRR is told of them:
# frr-faults.bats.

load helpers
load vrf
load injection

# pod9 has an attachment of another VRF, which nothing here may touch.
setup() {
	need vrf vlan
	CONF=$BATS_TEST_TMPDIR/conf
	[ -e /run/netns/hbr ] || { node_up && pod_add pod1 pod2 pod3 && silent_pod pod9 && vrf works ADD pod9 < <(l3 other); }
	take
}
teardown() { [ "${BATS_TEST_COMPLETED:-}" = 1 ] || node_down; }
teardown_file() { node_down; }

# What was learned goes by itself, after minutes. The kernel gives a VRF a MAC.
LEARNED=(-x '*fdb * dynamic *' -x '*neighbour * dynamic *' -x '*link other address *')
take() { snapshot_take "${LEARNED[@]}" "$@"; }
same() { snapshot_same "${LEARNED[@]}" "$@"; }

STRIPPED='{"cniVersion": "1.0.0", "name": "stripped", "type": "any"}'
state() { echo "$NODE_STATE"/hbr-*; }

# begin_with WAY: pod1's network. shared: pod2 keeps the VRF, and the L2 domain.
begin_with() { as "$1" && way "$1" 1 >"$CONF"; }
# A DEL that brings nothing but the plugin.
leave() { works DEL "$1" <<<"$STRIPPED"; }
second() { bridged works "$1" pod2 < <(way gateway 2); }
shared() {
	second ADD
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	take
}
unshared() {
	same
	second DEL
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	same
}

clean() { no_link pod1 net1 && same; }

@test "plugins#29: hbr-vrf, ADD of a new VRF: each netlink request fails once, and nothing is left" {
	begin_with routed
	attached
	same
}

@test "hbr-l2 with gateway and VRF, ADD of both: each netlink request fails once, and nothing is left" {
	begin_with gateway
	attached
	same
}

@test "hbr-vrf, ADD to a VRF in use: each netlink request fails once, and nothing is left" {
	begin_with routed
	shared
	attached
	unshared
}

@test "hbr-l2 with gateway, ADD to a domain in use: each netlink request fails once, and nothing is left" {
	begin_with gateway
	shared
	attached
	unshared
}

@test "hbr-vrf, DEL of the last pod: each netlink request fails once, says so, and the next DEL is clean" {
	begin_with routed
	detached
	same
}

@test "hbr-l2 with gateway, DEL of the last pod: each netlink request fails once, says so, and the next DEL is clean" {
	begin_with gateway
	detached
	same
}

@test "hbr-vrf, DEL of one of two: each netlink request fails once, says so, and the next DEL is clean" {
	begin_with routed
	shared
	detached
	unshared
}

@test "hbr-l2 with gateway, DEL of one of two: each netlink request fails once, says so, and the next DEL is clean" {
	begin_with gateway
	shared
	detached
	unshared
}

# The HBR netns goes, and another one of that name comes.
replace_hbr() {
	ip netns del hbr
	until_true 5 eval '[ ! -e /sys/class/net/tr ] && ! has_link spine sp1'
	node_up
}
RANDOM_MACS=(-x '*link tr *' -x '*link hbn *' -x '*link hbr *' -x '*fdb tr *' -x '*fdb hbn *')

# table_ends VRF TABLE: it is that one's, and what it does not know ends there.
table_ends() {
	is "$(fact hbr "$1" .linkinfo.info_data.table)" "$2"
	is "$(ip -n hbr -json route show table "$2" type unreachable | jq length)" 1
	is "$(ip -n hbr -json -6 route show table "$2" type unreachable | jq length)" 1
}

@test "openperouter#19, openperouter#463: the HBR netns is made again: the next ADD makes its VRF again, and every DEL works" {
	local comes
	# What is looked at is what stays with nobody there: not even the other VRF.
	vrf works DEL pod9 < <(l3 other)
	take "${RANDOM_MACS[@]}"
	for comes in routed gateway; do
		vrf works ADD pod1 < <(way routed 1)
		bridged works ADD pod2 < <(way gateway 2)
		vrf works ADD pod9 < <(l3 white "$(addresses_of 9)")
		table_ends white 900000
		replace_hbr
		until_true 5 no_link pod1 net1 2>/dev/null
		as $comes
		works ADD pod3 < <(way $comes 3)
		table_ends red 1005000
		is "$(fact hbr vx.5000 '[.master, .operstate]')" '["br.5000","UNKNOWN"]'
		[ $comes = routed ] || { reaches pod2 10.1.0.1 && reaches pod2 fd01::3; }
		[ $comes = gateway ] || { no_link hbr br.10100 && reaches pod3 fe80::1%net1; }
		# Its table is remembered, also while it is not there.
		CONTAINERID=another vrf works ADD pod9 net2 < <(l3 green)
		is "$(fact hbr green .linkinfo.info_data.table)" 900001
		vrf leave pod1
		bridged leave pod2
		leave pod3
		vrf leave pod9
		no_link hbr red
		CONTAINERID=another vrf works DEL pod9 net2 < <(l3 green)
		same "${RANDOM_MACS[@]}"
	done
	node_down
}

@test "an adopted VRF that does not come back with the HBR netns is not made: ADD names it, DEL works" {
	site_vrf() { inside hbr <<<$'link add site type vrf table 77\nlink set site up'; }
	site_vrf
	take "${RANDOM_MACS[@]}" -x '*link other *' -x '*link site *'
	vrf works ADD pod1 < <(l3 site "$(addresses_of 1)")
	bridged works ADD pod2 < <(l2 10100 '"vrf": "site", "gateway": ["10.1.0.1/24"], "addresses": [{"address": "10.1.0.5/24"}]')
	replace_hbr
	vrf plugin ADD pod3 < <(l3 site "$(addresses_of 3)")
	refused 103 'vrf site in the HBR netns is gone, and not ours to make'
	bridged plugin ADD pod3 < <(l2 10100)
	refused 103 'vrf site in the HBR netns is gone, and not ours to make'
	no_link pod3 net1
	site_vrf
	vrf works ADD pod3 < <(l3 site "$(addresses_of 3)")
	vrf leave pod1
	bridged leave pod2
	vrf leave pod3
	vrf leave pod9
	vrf works ADD pod9 < <(l3 other)
	same "${RANDOM_MACS[@]}" -x '*link other *' -x '*link site *'
	node_down
}

@test "ovs-cni#304: the state is lost, the table has the VNI's number: DEL goes by the marks, whoever comes last" {
	local first keys='"vni": 5000, "table": 5000'
	for first in 1 2; do
		vrf works ADD pod1 < <(l3 red "$keys")
		bridged works ADD pod2 < <(way gateway 2 | jq -c '.vrf.table = 5000')
		rm -r "$(state)"/domains/{vrf-red,l2-10100,trunk-10100} "$(state)"/attachments
		if [ $first = 1 ]; then vrf leave pod1; else bridged leave pod2; fi
		has_link hbr red
		if [ $first = 2 ]; then vrf leave pod1; else bridged leave pod2; fi
		is "$(ip -n hbr -json route show table 5000)" '[]'
		mkdir -m 700 "$(state)/attachments"
		vrf leave pod9
		vrf works ADD pod9 < <(l3 other)
		same
	done
}

spoil() { # HOW FILE...
	local file
	for file in "${@:2}"; do
		case $1 in
		emptied) : >"$file" ;;
		halved) head -c $(($(stat -c %s "$file") / 2)) "$file" >"$file.cut" && mv "$file.cut" "$file" ;;
		nonsense) echo '{"config": {"vni": "x"}, "vrf": {"name": 7}, "vni": [], "table": "y"}' >"$file" ;;
		esac
	done
}

@test "sriov-cni#178: records and domains of VRFs emptied, halved, garbage: each DEL cleans up, in either order" {
	local how what order pod
	vrf works DEL pod9 < <(l3 other)
	take
	for how in emptied halved nonsense; do
		for what in 'attachments/*.json' domains/vrf-red/domain.json domains/l2-10100/domain.json '*/*.json domains/*/*'; do
			for order in 'pod1 pod2' 'pod2 pod1'; do
				vrf works ADD pod1 < <(way routed 1)
				bridged works ADD pod2 < <(way gateway 2)
				# shellcheck disable=SC2046,SC2086 # several names, patterns
				spoil $how $(cd "$(state)" && realpath $what)
				for pod in $order; do
					[ "$pod" = pod1 ] || as gateway
					[ "$pod" = pod2 ] || as routed
					works DEL "$pod" <<<"$STRIPPED"
				done
				same || { echo "$how: $what; $order" >&2; return 1; }
			done
		done
	done
	node_down
}

@test "the domain is damaged, and none of its pods' networks names its VRF: it is found by the bridge in it" {
	local keys
	vrf works DEL pod9 < <(l3 other)
	take
	for keys in "$BLUE" '"gateway": ["10.1.0.1/24"]'; do
		as gateway
		works ADD pod1 < <(l2 10100 "$keys")
		works ADD pod2 < <(l2 10100)
		works DEL pod1 <<<"$STRIPPED"
		: >"$(state)/domains/l2-10100/domain.json"
		works DEL pod2 <<<"$STRIPPED"
		same
	done
	node_down
}

@test "an interface of another plugin's in the chain: code 2, by both, and nothing is touched; one beside it is made" {
	local which previous='{"cniVersion": "1.0.0", "interfaces": [{"name": "net1", "mac": "02:00:00:00:00:09", "sandbox": "/run/netns/pod1"}]}'
	for which in routed gateway; do
		as $which
		way $which 1 | jq -c --argjson previous "$previous" '. + {cniVersion: "1.0.0", prevResult: $previous}' >"$CONF"
		plugin ADD pod1 <"$CONF"
		refused 2 "prevResult has an interface net1 in the pod: ${PLUGIN##*/} makes its own and does not work on that of another plugin: wanted another CNI_IFNAME"
		no_link pod1 net1
		same
		works ADD pod1 net2 <"$CONF"
		is "$(jq -c '[.interfaces[] | [.name, .sandbox]]' <<<"$out")" '[["net1","/run/netns/pod1"],["net2","/run/netns/pod1"]]'
		works DEL pod1 net2 <"$CONF"
		same
	done
}

@test "systemd#17562, felix#1993, examples#86: an L3VNI is not made of what somebody else has there" {
	local link which text
	while IFS='|' read -r link text; do
		# shellcheck disable=SC2086 # several words
		ip -n hbr link add $link
		take
		for which in routed gateway; do
			as $which
			plugin ADD pod1 < <(way $which 1)
			refused 103 "$text" && no_link pod1 net1 && same || { echo "$which: $link" >&2; return 1; }
		done
		ip -n hbr link del "${link%% *}"
	done <<-'E'
		vx.5000 type vxlan id 5999 local 10.0.0.1 dstport 4789|vx.5000 in the HBR netns
		vx.5000 type bridge|vx.5000 in the HBR netns
		foo0 type vxlan id 5000 local 10.0.0.1 dstport 4789|foo0
		br.5000 type dummy|br.5000 in the HBR netns
	E
}

alone() { is "$(ip -n hbr -json link show master red | jq -c 'map(.ifname | select(startswith("pv")))')" "[\"$owner\"]" 2>/dev/null; }

@test "cni-plugin#352, calico#1253, calico#10723: a pod's address that another link has in the VRF: the link is named" {
	vrf works ADD pod2 < <(way routed 2)
	owner=$(ip -n hbr -json link show master red | jq -r 'map(.ifname | select(startswith("pv")))[0]')
	ip -n hbr -batch - <<-B
		link add stale type dummy
		link set stale master red
		link set stale up
		route add 10.9.0.1/32 dev stale table 1005000
		route add fd09::7/128 dev stale table 1005000
	B
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	take
	while IFS='|' read -r keys text; do
		vrf plugin ADD pod1 < <(l3 red "\"addresses\": $keys")
		refused 103 "$text"
		same
	done <<-E
		[{"address": "10.9.0.1/24"}]|add the route 10.9.0.1/32 in the HBR netns: there is another one through stale
		[{"address": "fd09::7/64"}]|add the route fd09::7/128 in the HBR netns: there is another one through stale
		[{"address": "10.9.0.2/24"}]|add the route 10.9.0.2/32 in the HBR netns: there is another one through $owner
	E
	ip -n hbr link del stale
	# A dead pod's address is free.
	silent_pod pod4
	vrf works ADD pod4 < <(l3 red '"addresses": [{"address": "10.9.0.4/24"}]')
	pod_del pod4
	until_true 5 alone
	vrf works ADD pod1 < <(l3 red '"addresses": [{"address": "10.9.0.4/24"}]')
	vrf works DEL pod1 < <(l3 red)
	vrf works DEL pod2 < <(l3 red)
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	same
}

@test "netlab#692: the links of a VRF go down and up: what the kernel took meanwhile is missed by CHECK" {
	local routed bridged port
	vrf works ADD pod1 < <(way routed 1)
	routed=$out
	bridged works ADD pod2 < <(way gateway 2)
	bridged=$out
	port=$(ip -n hbr -json link show master red | jq -r 'map(.ifname | select(startswith("pv")))[0]')
	printf 'link set %s down\nlink set %s up\n' "$port" "$port" br.10100 br.10100 | ip -n hbr -batch -
	vrf plugin CHECK pod1 < <(way routed 1 | jq -c --argjson result "$routed" '.prevResult = $result')
	refused 106 "$port in the HBR netns has lost its address fe80::1"
	is "$(ip -n hbr -json addr show dev br.10100 | jq -c '[.[0].addr_info[].local]')" '["10.1.0.1","fd01::1"]'
	bridged plugin CHECK pod2 < <(way gateway 2 | jq -c --argjson result "$bridged" '.prevResult = $result')
	refused 106 'br.10100 in the HBR netns has lost its gateway address fe80::1/64'
	vrf works DEL pod1 < <(l3 red)
	bridged works DEL pod2 < <(l2 10100)
	same
}

@test "plugins#102: a kernel without IPv6: VRFs for IPv4 are made, by both" {
	local which
	# That directory is another one in each network namespace.
	local -a blind=(unshare --mount sh -c 'for at in /proc/self/ns/net /run/netns/hbr /run/netns/pod1; do
		nsenter --net=$at mount -t tmpfs none /proc/sys/net/ipv6 || exit 9; done; exec "$@"' sh)
	for which in 'l3 red "\"vni\": 5000, \"addresses\": [{\"address\": \"10.9.0.1/24\"}]"' \
		'l2 10100 "\"vrf\": {\"name\": \"red\", \"vni\": 5000}, \"gateway\": [\"10.1.0.1/24\"], \"addresses\": [{\"address\": \"10.1.0.5/24\"}]"'; do
		eval "$which" >"$CONF"
		[[ $which == l2* ]] || as routed
		[[ $which == l3* ]] || as gateway
		WRAP=("${blind[@]}")
		works ADD pod1 <"$CONF"
		is "$err" ''
		WRAP=()
		has_link hbr vx.5000
		works DEL pod1 <"$CONF"
		same
	done
}
