# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Act 2 of the demo: FRR on both nodes and the spine; VRF red, and two L2 domains with gateways in it.

# A pod's address is the same in each family: 10.110.0.5 and fd00:110::5.
BLUE=l2-vrf-blue GREEN=l2-vrf-green RED=vrf-routed

# From now on the nodes' files have "frr": VRFs that are made are told to it.
frr_up() {
	local n
	for n in 1 2; do
		node_file "$n" "{\"frr\": {\"vtySocketDir\": \"$FRR_DIR/hbr${n#1}\"}}" || return 1
	done
	fabric_speak
}

frr_has() { # TEXT...: node 1's
	contains "$(frr_running hbr)" "$@"
}

# heard TYPE TEXT: node 2's FRR has that EVPN route, from node 1; it is shown.
heard() { within hbr2 "$@" && evpn hbr2 "$1" | grep -F -- "$2" | grep ' 10\.0\.0\.1$' | head -n 1; }

withdrawn() { # of what was heard
	gone_from hbr2 2 10.110.0.5 && gone_from hbr2 3 10.0.0.1 && gone_from hbr2 5 10.9.0.10
}

# answers POD ADDRESS TTL: what ping says of it; each router on the way back takes one off 64.
answers() {
	local said
	reaches "$1" "$2" && said=$(at "$1" ping -n -c 1 -W 5 "$2" | grep 'bytes from') && contains "$said" "ttl=$3 " && echo "$said"
}

same_gateway() { is "$(fact hbr br.10110 .address)" "$(fact hbr2 br.10110 .address)"; }

joins() { # NODE NETWORK POD ADDRESS...
	asked "CAP_ARGS='$(asks "${@:4}")' cnitool add $2 /run/netns/$3"
	step "pod $3 on node $1" tool "$1" add "$2" "$3" "$(asks "${@:4}")"
}

act_fabric() {
	local before
	title "The same nodes with FRR: BGP EVPN between each and the spine"
	step "FRR is in the spine and in both HBR netns, and the sessions are up" frr_up
	step "everything is written down, FRR's configuration too" fabric_take

	title "Pod red asks for a routed port in VRF red, on node 1"
	shown $RED
	before=$(node_links)
	asked "cnitool add $RED /run/netns/red"
	step "added" tool 1 add $RED red
	table "$before"
	step "these and no others: the VRF was made for this pod, with its L3VNI" appeared "$before" \
		'hbr bridge, hbr veth, hbr vrf, hbr vxlan'
	step "FRR was told of it before its links came up: vrf red, vni 5000" frr_has $'vrf red\n vni 5000' 'router bgp 65001 vrf red'

	title "Pods of two L2 domains with gateways in the same VRF, on both nodes"
	shown $BLUE
	joins 1 $BLUE blue1 10.110.0.5/24 fd00:110::5/64
	joins 2 $BLUE blue3 10.110.0.6/24 fd00:110::6/64
	step "the gateway 10.110.0.1 has the same MAC on both nodes" same_gateway
	joins 2 $GREEN green 10.111.0.7/24 fd00:111::7/64

	title "What the FRR of node 2 has heard of node 1 by now"
	step "a type-2 route: where blue1's MAC and address are" heard 2 10.110.0.5
	said
	step "a type-3 route: node 1 is in the blue domain" heard 3 10.0.0.1
	said
	step "a type-5 route: red is in VRF red, behind node 1" heard 5 10.9.0.10
	said

	title "Who talks to whom"
	step "blue1 to blue3 on the other node, bridged" answers blue1 10.110.0.6 64
	said
	step "blue1 to its gateway" answers blue1 10.110.0.1 64
	said
	step "blue1 to green, routed from domain to domain" answers blue1 10.111.0.7 62
	said
	step "red to green, routed from port to domain, IPv6" answers red fd00:111::7 62
	said

	title "The pods go"
	step "blue1 and red leave, the last ones on node 1" eval "tool 1 del $BLUE blue1 && tool 1 del $RED red"
	step "node 2's FRR has none of the three routes any more" withdrawn
	step "blue3 and green leave" eval "tool 2 del $BLUE blue3 && tool 2 del $GREEN green"
	step "both nodes are as they were before, FRR's configuration too" fabric_same
}
