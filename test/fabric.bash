# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Two nodes and a spine (node.bash) with an FRR in the spine and in each HBR netns: eBGP, EVPN. Node 1
# is the host that the test runs in, and hbr; node 2 is host2 and hbr2. On each the plugins tell FRR.

# shellcheck source=test/frr.bash
. "$TREE/test/frr.bash"

# frr_bgp NETNS AS ROUTER_ID [NEIGHBOR REMOTE_AS]...: an EVPN speaker, which logs each update.
frr_bgp() {
	local netns=$1 as=$2 id=$3
	local -a commands=()
	shift 3
	while [ $# -gt 0 ]; do
		commands+=("neighbor $1 remote-as $2" "neighbor $1 timers 3 9" "neighbor $1 timers connect 1"
			"neighbor $1 advertisement-interval 0" 'address-family l2vpn evpn' "neighbor $1 activate" 'exit-address-family')
		shift 2
	done
	[ "$netns" = spine ] || commands+=('address-family l2vpn evpn' 'advertise-all-vni')
	frr_says "$netns" 'debug bgp updates' 'configure terminal' "router bgp $as" "bgp router-id $id" 'no bgp ebgp-requires-policy' \
		'no bgp default ipv4-unicast' "${commands[@]}"
}

is_established() {
	frr_says "$1" 'show bgp l2vpn evpn summary json' | jq -e '.peers | length > 0 and all(.state == "Established")' >/dev/null 2>&1
}

# fabric_frr NETNS: its FRR, with what the site has configured.
fabric_frr() {
	BGP_PORT=179 frr_start "$1" || return 1
	case $1 in
	spine) frr_bgp spine 65000 10.255.0.1 172.16.1.1 65001 172.16.2.1 65002 ;;
	hbr) frr_bgp hbr 65001 10.0.0.1 172.16.1.0 65000 ;;
	hbr2) frr_bgp hbr2 65002 10.0.0.2 172.16.2.0 65000 ;;
	esac
}

# fabric_speak: FRR on nodes that are up, until they know each other.
fabric_speak() {
	local netns
	for netns in spine hbr hbr2; do
		fabric_frr "$netns" || return 1
	done
	for netns in spine hbr hbr2; do
		until_true 30 is_established "$netns" || { echo "BGP of $netns does not come up" >&2; return 1; }
	done
}

fabric_up() {
	node_up && node_up 2 || return 1
	mkdir -p /etc/hbr-cni
	echo '{"frr": {"vtySocketDir": "/run/frr/hbr"}}' >/etc/hbr-cni/node.json
	echo '{"hbrNetns": "/run/netns/hbr2", "stateDir": "/run/hbr-cni2", "frr": {"vtySocketDir": "/run/frr/hbr2"}}' >/etc/hbr-cni/node2.json
	fabric_speak
}

fabric_down() {
	local netns
	for netns in spine hbr hbr2; do
		frr_stop "$netns" bgpd || :
		frr_stop "$netns" zebra || :
	done
	node_down
}

# What EVPN and BGP change by themselves.
ALIVE=(-x '*neighbour *' -x '* dynamic *' -x '* rp_filter *')

# Both nodes as they are, FRR's configuration included; and as they were.
fabric_take() {
	frr_both >"$BATS_TEST_TMPDIR/running"
	snapshot_take "${ALIVE[@]}"
}
fabric_same() {
	frr_both | diff -U0 --label before --label now "$BATS_TEST_TMPDIR/running" - >&2 && snapshot_same "${ALIVE[@]}"
}
frr_both() { frr_running hbr; frr_running hbr2; }

# For teardown: what FRR has to say about a failure, and another fabric, with the same networks, for the
# next test.
fabric_mend() {
	local networks=$BATS_TEST_TMPDIR/networks
	[ "${BATS_TEST_COMPLETED:-}" != 1 ] || return 0
	frr_says hbr 'show bgp l2vpn evpn route' 'show evpn vni' || :
	tail -n 40 "$FRR_DIR"/hbr*/*.log || :
	mv /etc/cni/net.d "$networks"
	fabric_down
	fabric_up
	mv "$networks" /etc/cni/net.d
} >&2

# network NAME PLUGIN KEYS: a list for cnitool.
network() {
	mkdir -p /etc/cni/net.d
	jq -n --arg name "$1" --arg type "$2" --argjson keys "$3" \
		'{cniVersion: "1.0.0", $name, plugins: [{$type, capabilities: {ips: true, mac: true}} + $keys]}' >"/etc/cni/net.d/$1.conflist"
}

# on NODE add|check|del NETWORK POD [IP...]: the real cnitool on that node.
on() {
	local node=$1 verb=$2 net=$3 pod=$4 ips=''
	local -a place=(env)
	shift 4
	[ "$node" = 1 ] || place=(ip netns exec "host$node" env "HBR_CNI_NODE=/etc/hbr-cni/node$node.json")
	[ $# = 0 ] || printf -v ips ', "%s"' "$@"
	CNI_PATH=$CNI_PATH NETCONFPATH=/etc/cni/net.d CNI_IFNAME=net1 CAP_ARGS=${ips:+"{\"ips\": [${ips#, }]}"} \
		"${place[@]}" "$CNITOOL" "$verb" "$net" "/run/netns/$pod" 3>&- 4>&-
}

# evpn NETNS TYPE: the EVPN routes of a type that this FRR has, a line each: prefix, and the VTEP.
evpn() {
	frr_says "$1" "show bgp l2vpn evpn route type $2 json" |
		jq -r '.. | objects | select(has("paths")) | .prefix as $prefix | [.paths[][] | objects | .nexthops[]?.ip] | unique[] | "\($prefix) \(.)"' 2>/dev/null |
		sort -u
}
has_evpn() { evpn "$1" "$2" | grep -qF -- "$3"; }
lacks_evpn() { ! has_evpn "$@"; }

# within NETNS TYPE TEXT: such a route comes within 10 s; gone: it goes.
within() { until_true 10 has_evpn "$@" || { echo "no type-$2 route with $3 at $1:" >&2; evpn "$1" "$2" >&2; return 1; }; }
gone_from() { until_true 10 lacks_evpn "$@" || { echo "a type-$2 route with $3 stays at $1" >&2; return 1; }; }
