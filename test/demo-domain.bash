# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Act 1 of the demo: an L2 domain, on one node and across two, and the ways to attach a pod to it.

NETWORK=l2-mac-ips
VNI=$(jq '.plugins[0].vni' "$EXAMPLES/$NETWORK.conflist")

# What a pod's annotation asks for, as the runtime hands it on.
annotated() { sed -n '/networks: |/,/^[a-z]/{/^      /p}' "$1" | jq -c '.[0] | {mac, ips}'; }

has_addresses() { # POD MAC ADDRESS...
	local pod=$1
	shift
	is "$(ip -n "$pod" -json addr show dev net1 |
		jq -r '.[0] | [.address, (.addr_info[] | select(.scope == "global") | "\(.local)/\(.prefixlen)")] | join(" ")')" "$*"
}

packets() { # NETNS rx|tx
	ip -n "$1" -s -json link show dev "vx.$VNI" | jq ".[0].stats64.$2.packets"
}

crossed() { # BEFORE on node 1, BEFORE on node 2: and it was more than the look-up of a neighbour
	[ $(($(packets hbr tx) - $1)) -ge 4 ] && [ $(($(packets hbr2 rx) - $2)) -ge 4 ]
}

refuses() { # the other network: and the node is as it was
	local now
	now=$(node_links | jq 'map([.place, .ifname])')
	! NETCONFPATH=$BATS_TEST_TMPDIR/net.d tool 1 add l2-other green && contains "$(<"$LAST")" 'vlan: 200 was asked for' &&
		is "$(node_links | jq 'map([.place, .ifname])')" "$now"
}

# What pod green hangs on: the kind of its interface, and who has its other end.
hangs() {
	is "$(fact green net1 .linkinfo.info_kind) host: $(ip -json link show master br.10200 2>/dev/null | jq -r 'map(.ifname[:2]) | sort | join(" ")') hbr: $(
		ip -n hbr -json link show master br.10200 | jq -r 'map(.ifname[:2]) | sort | join(" ")')" "$1"
}

# attached WAY WHAT: two pods so, which talk, and go again.
attached() {
	local -x NETCONFPATH=$BATS_TEST_TMPDIR/net.d
	tool 1 add "l2-$1" green "$(asks 10.106.0.1/24)" && tool 1 add "l2-$1" lime "$(asks 10.106.0.2/24)" &&
		hangs "$2" && reaches green 10.106.0.2 1500 && tool 1 del "l2-$1" green && tool 1 del "l2-$1" lime
}

act_domain() {
	local before want words sent received
	mkdir "$BATS_TEST_TMPDIR/net.d"
	for way in bridge macvlan direct; do
		jq --arg way "$way" '.name = "l2-" + $way | .plugins[0] |= (.vni = 10200 | .attach = $way)' "$EXAMPLES/$NETWORK.conflist" \
			>"$BATS_TEST_TMPDIR/net.d/$way.conflist"
	done
	jq '.name = "l2-other" | .plugins[0].vlan = 200' "$EXAMPLES/$NETWORK.conflist" >"$BATS_TEST_TMPDIR/net.d/other.conflist"
	step "everything on both nodes is written down, to be compared at the end" snapshot_take

	title "Pod blue1 asks for network $NETWORK, on node 1"
	shown $NETWORK
	before=$(node_links)
	want=$(annotated "$EXAMPLES/$NETWORK-pod.yaml")
	asked "CAP_ARGS='$want' cnitool add $NETWORK /run/netns/blue1"
	step "added" tool 1 add $NETWORK blue1 "$want"
	table "$before"
	step "these and no others: the domain was made for this pod" appeared "$before" \
		'hbr bridge, hbr vlan, hbr vxlan, host bridge, host veth, host vlan'
	mapfile -t words < <(jq -r '.mac, .ips[]' <<<"$want")
	step "blue1 has ${words[*]}" has_addresses blue1 "${words[@]}"

	title "Pod blue2 shares the domain"
	before=$(node_links)
	want=$(asks 10.105.0.2/24 fd00:105::2/64)
	asked "CAP_ARGS='$want' cnitool add $NETWORK /run/netns/blue2"
	step "added" tool 1 add $NETWORK blue2 "$want"
	step "one link appeared, blue2's port" appeared "$before" 'host veth'
	step "blue1 and blue2 talk, IPv4" reaches blue1 10.105.0.2
	step "blue1 and blue2 talk, IPv6" reaches blue1 fd00:105::2

	title "Pod blue3, on node 2"
	want=$(asks 10.105.0.3/24 fd00:105::3/64)
	asked "CAP_ARGS='$want' cnitool add $NETWORK /run/netns/blue3"
	step "added" tool 2 add $NETWORK blue3 "$want"
	step "a flood entry at both VXLANs does what EVPN does on a fabric" flood "$VNI"
	sent=$(packets hbr tx) received=$(packets hbr2 rx)
	step "blue1 and blue3 talk, IPv4" reaches blue1 10.105.0.3
	step "blue1 and blue3 talk, IPv6" reaches blue1 fd00:105::3
	step "so do packets of 1500 bytes that must not be fragmented" reaches blue1 10.105.0.3 1500
	step "their frames crossed VXLAN between the nodes" crossed "$sent" "$received"
	step "cnitool check finds all three as they should be" eval \
		"tool 1 check $NETWORK blue1 && tool 1 check $NETWORK blue2 && tool 2 check $NETWORK blue3"

	title "A network that contradicts it: the same VNI on VLAN 200"
	asked "cnitool add l2-other /run/netns/green"
	step "refused, and nothing was touched:" refuses
	said

	title "Three ways to attach a pod"
	step "bridge: a veth into a bridge of the host, which survives the HBR netns" attached bridge '"veth" host: pv pv tr hbr: tr vx'
	step "macvlan: on the host's VLAN, without bridge and port" attached macvlan '"macvlan" host:  hbr: tr vx'
	step "direct: a veth into the HBR netns, without VLAN" attached direct '"veth" host:  hbr: pv pv vx'

	title "The pods go"
	step "blue1 leaves" tool 1 del $NETWORK blue1
	step "the domain stays: blue2 and blue3 talk" reaches blue2 10.105.0.3
	step "blue2 leaves, the last one on node 1" tool 1 del $NETWORK blue2
	step "blue3 leaves, the last one on node 2" tool 2 del $NETWORK blue3
	step "both nodes are as they were before: links, addresses, routes, sysctls, state" snapshot_same
}
