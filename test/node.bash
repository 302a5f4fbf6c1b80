# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A throw-away node. Its host is the namespace that the test runs in, its HBR netns is
# /run/netns/hbr. A second node is host2 and hbr2; a spine routes between the two.
#
#	host: tr, hbn                    hbr: tr, hbn (VRF hbr), lo 10.0.0.1 (VTEP), ul 172.16.1.1
#	                                 spine: sp1 172.16.1.0, sp2 172.16.2.0
#
# These links have no link-local addresses: with them, and with permanent neighbours of the underlay,
# nothing of the node changes by itself. What a plugin makes gets the kernel's defaults.
#
# Every program costs 10 ms and more in a guest kernel, hence few of them, with much to do each.

NODE_STATE=/run/hbr-cni

# Before any link is there: "default" is what a new one gets.
NODE_SYSCTLS='ipv4/ip_forward=1 ipv6/conf/all/forwarding=1
	ipv4/conf/all/rp_filter=0 ipv4/conf/default/rp_filter=0 ipv6/conf/all/accept_dad=0
	ipv6/conf/default/accept_dad=0 ipv6/conf/all/keep_addr_on_down=1
	ipv6/conf/default/keep_addr_on_down=1'

# inside NETNS [PATH=VALUE...]: set sysctls there, then give the standard input to "ip -batch".
inside() {
	local netns=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	ip netns exec "$netns" sh -ec '
		for s; do echo "${s#*=}" >"/proc/sys/net/${s%%=*}"; done
		exec ip -batch -' sh "$@"
}

# node_up [-m MTU] [-t TABLE] [NUMBER]: MTU of the trunk (the underlay has 50 more), table of VRF hbr.
node_up() {
	local mtu=1500 table=1000 n=1 hbr=hbr here='' vrf=1 option OPTIND=1
	while getopts m:t: option; do
		case $option in
		m) mtu=$OPTARG ;;
		t) table=$OPTARG ;;
		*) return 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	n=${1:-1}
	kernel_has vrf || vrf=''
	if [ "$n" != 1 ]; then
		hbr=hbr$n here=host$n
	elif [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then
		# On in a new namespace; a warning in every test about it would help nobody.
		echo 0 >/proc/sys/net/bridge/bridge-nf-call-iptables
	fi
	ip -batch - <<-B
		netns add $hbr
		${here:+netns add $here}
		$([ -e /run/netns/spine ] || echo netns add spine)
	B
	# shellcheck disable=SC2086 # several words
	inside "$hbr" $NODE_SYSCTLS <<-B
		link set lo up
		addr add 10.0.0.$n/32 dev lo
		link add ul mtu $((mtu + 50)) address 02:00:00:00:0$n:01 type veth peer name sp$n netns spine mtu $((mtu + 50)) address 02:00:00:00:0$n:00
		addr add 172.16.$n.1/31 dev ul
		link set ul addrgenmode none
		link set ul up
		neigh add 172.16.$n.0 lladdr 02:00:00:00:0$n:00 dev ul nud permanent
		route add 10.0.0.0/24 via 172.16.$n.0 src 10.0.0.$n
		${vrf:+link add hbr type vrf table $table}
		${vrf:+link set hbr up}
	B
	inside spine ipv4/ip_forward=1 <<-B
		addr add 172.16.$n.0/31 dev sp$n
		link set sp$n addrgenmode none
		link set sp$n up
		neigh add 172.16.$n.1 lladdr 02:00:00:00:0$n:01 dev sp$n nud permanent
		route add 10.0.0.$n/32 via 172.16.$n.1
	B
	ip ${here:+-n "$here"} -batch - <<-B
		${here:+link set lo up}
		link add tr mtu $mtu type veth peer name tr mtu $mtu netns $hbr
		link add hbn mtu $mtu type veth peer name hbn mtu $mtu netns $hbr
		addr add 100.64.$n.0/31 dev hbn
		link set tr addrgenmode none
		link set tr up
		link set hbn addrgenmode none
		link set hbn up
	B
	ip -n "$hbr" -batch - <<-B
		link set tr addrgenmode none
		link set tr up
		${vrf:+link set hbn master hbr}
		addr add 100.64.$n.1/31 dev hbn
		link set hbn addrgenmode none
		link set hbn up
	B
	at "${here:-host}" sh -c "$await_carrier" sh tr hbn && at "$hbr" sh -c "$await_carrier" sh tr hbn ul
}

# The carrier comes a moment after "up", and routes with it: only then is a node as it stays.
# shellcheck disable=SC2016 # the inner shell's
await_carrier='
	for link; do
		tries=500
		while read -r state </sys/class/net/$link/operstate && [ "$state" != up ]; do
			tries=$((tries - 1))
			[ $tries -gt 0 ] || { echo "$link stays without carrier" >&2; exit 1; }
			sleep 0.02
		done
	done'

# Everything that a test may have left goes too: links of the host, namespaces, state.
node_down() {
	local path
	{
		for path in /sys/class/net/*; do
			case ${path##*/} in
			lo | bonding_masters) ;;
			*) echo "link del ${path##*/}" ;;
			esac
		done
		for path in /run/netns/*; do
			[ ! -e "$path" ] || echo "netns del ${path##*/}"
		done
	} | ip -force -batch - >/dev/null 2>&1 || : # the other end of a veth is gone already
	rm -rf "$NODE_STATE" "${NODE_STATE}2"
	rm -rf /var/lib/cni/* /etc/hbr-cni/* /etc/cni/net.d/*
}

# pod_add NAME...: namespaces, as a runtime makes them.
pod_add() { printf 'netns add %s\n' "$@" | ip -batch -; }
pod_del() { printf 'netns del %s\n' "$@" | ip -batch -; }

# flood VNI [NUMBER]: what EVPN would do: the two nodes' VXLANs send to each other what has no entry.
flood() {
	local vni=$1
	bridge -n hbr fdb append 00:00:00:00:00:00 dev "vx.$vni" dst 10.0.0.2 &&
		bridge -n hbr2 fdb append 00:00:00:00:00:00 dev "vx.$vni" dst 10.0.0.1
}
