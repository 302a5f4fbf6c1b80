#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 96
# What went wrong elsewhere (reports.md), in each way to attach a pod.

# shellcheck disable=SC2016 # the inner shells'
load helpers
load modes

# The node is shared: every test leaves it as it was, and the one that does not takes it down.
setup() {
	need vrf vlan macvlan
	[ -e /run/netns/hbr ] || node_up
	pod_add pod1 pod2
}
teardown() {
	[ -z "${background:-}" ] || kill "$background" 2>/dev/null || :
	[ "${BATS_TEST_COMPLETED:-}" = 1 ] || { node_down; return; }
	pod_del pod1 pod2
}
teardown_file() { node_down; }

# macs NETNS: of all our links there, the MACs, and how they were assigned.
macs() {
	# shellcheck disable=SC2016 # the inner shell's
	at "$1" sh -c 'cd /sys/class/net; for l in br.* tr.* vx.* pv* net*; do [ ! -e $l ] || echo $l $(cat $l/address $l/addr_assign_type); done'
}

@test "systemd#21185, plugins#808: the MAC of the result is the kernel's, explicit from its first moment on; CHECK sees another" {
	local mode result
	for mode in $MODES; do
		events=$BATS_TEST_TMPDIR/events.$mode
		ip -n pod1 monitor link >"$events" 3>&- 4>&- &
		background=$!
		until_true 10 event pod1 lo 1551
		works ADD pod1 < <(conf "$mode" '{"mac": "02:00:00:00:00:01"}')
		result=$out
		until_true 10 event pod1 lo 1552
		kill "$background"
		# Not one event with another MAC: nobody (udev) is tempted to see to it.
		is "$(awk '/^[0-9]+: / { name = $2 } name !~ /^lo/ && $1 == "link/ether" { print $2 }' "$events" | sort -u)" '02:00:00:00:00:01'
		is "$(jq -c '.interfaces | map(.mac)' <<<"$result")" '["02:00:00:00:00:01"]'
		works ADD pod2 < <(conf "$mode")
		is "$(macs pod1; macs pod2)" "net1 02:00:00:00:00:01 3
net1 $(jq -r '.interfaces[0].mac' <<<"$out") 3"
		is "$({ macs host; macs hbr; } | awk '{ print $3 }' | uniq)" 3
		ip -n pod1 link set net1 address 02:00:00:00:00:66
		plugin CHECK pod1 < <(conf "$mode" "{\"prevResult\": $result}")
		refused 106 'net1 in the pod has address 02:00:00:00:00:66, wanted 02:00:00:00:00:01'
		leave pod1
		leave pod2
	done
}

# half MODE TEXT NETNS IP-COMMAND...: what is there of the domain's own links is completed by the next ADD.
half() {
	local mode=$1 text=$2 netns=$3 now
	shift 3
	printf '%s\n' "$@" | at "$netns" ip -batch - || return 1
	works ADD pod2 < <(conf "$mode" "$half") || { echo "$mode: $text" >&2; return 1; }
	now=$(picture host hbr | grep -v ' pv'; macs host; macs hbr)
	is "$(grep -v '^pv' <<<"$now")" "$whole" || { echo "$mode: $text" >&2; return 1; }
	leave pod2
}

@test "plugins#366: what is missing or different of our own links is made and mended by the next ADD, of macvlan and direct pods too" {
	local mode half='{"vrf": "hbr"}' whole
	settled
	for mode in macvlan direct; do
		works ADD pod1 < <(conf "$mode" "$half")
		whole=$(picture host hbr; macs host; macs hbr)
		whole=$(grep -v ' pv\|^pv' <<<"$whole")
		half "$mode" 'only the vxlan' hbr 'link del br.10100' 'link set vx.10100 down'
		half "$mode" 'other attributes' hbr 'link set vx.10100 nomaster' 'link set vx.10100 mtu 1400 address 02:00:00:00:00:77' \
			'link set br.10100 nomaster' 'link set br.10100 type bridge stp_state 1 mcast_snooping 1'
		if [ "$mode" = macvlan ]; then
			half macvlan 'no VLAN' host 'link del tr.100'
			half macvlan 'other attributes' host 'link set tr.100 down' 'link set tr.100 mtu 1400 address 02:00:00:00:00:77 addrgenmode eui64'
			half macvlan 'in a bridge' host 'link add other type bridge' 'link set tr.100 master other'
			ip link del other
		fi
		leave pod1
		unchanged
	done
}

names() { at "$1" sh -c 'cd /sys/class/net && echo br.* tr.* vx.* pv*' | tr ' ' '\n' | grep -v '[*]' | sort | xargs; }

@test "spiderpool#5528, kube-ovn#7196: names are short enough, and different, whatever they are made of" {
	local mode id port first='' most='{"vni": 16777215, "vlan": 4094, "vrf": "customer-prod-a"}'
	id=$(printf 'x%.0s' {1..254})
	printf 'link %s\n' 'set tr down' 'set tr name eth_p0_rail0.12' 'set eth_p0_rail0.12 up' | ip -batch -
	ip -n hbr -batch - <<-B
		link set tr down
		link set tr name hbr_p0_rail0.12
		link set hbr_p0_rail0.12 up
		link add customer-prod-a type vrf table 99
		link set customer-prod-a up
	B
	node_file '{"trunk": "hbr_p0_rail0.12", "hostTrunk": "eth_p0_rail0.12"}'
	settled
	for mode in $MODES; do
		CONTAINERID=${id}1 works ADD pod1 net-23456789.15 < <(conf "$mode" "$most")
		port=$({ names host; names hbr; } | grep -o 'pv[0-9a-f]*' || :)
		CONTAINERID=${id}2 works ADD pod2 net-23456789.15 < <(conf "$mode" "$most")
		case $mode in
		bridge) is "$(names host | sed 's/ pv[0-9a-f]\{12\}/ pv/g')" 'br.16777215 pv pv tr.4094' ;;
		macvlan) is "$(names host)" tr.4094 ;;
		direct) is "$(names host)$(names hbr | sed 's/ pv[0-9a-f]\{12\}/ pv/g')" 'br.16777215 pv pv vx.16777215' ;;
		esac
		is "$(fact hbr br.16777215 .master)$(fact pod1 net-23456789.15 .ifname)" '"customer-prod-a""net-23456789.15"'
		[ "$mode" = macvlan ] || is "$port" "${first:=$port}"
		CONTAINERID=${id}1 works DEL pod1 net-23456789.15 < <(conf "$mode")
		CONTAINERID=${id}2 works DEL pod2 net-23456789.15 < <(conf "$mode")
		unchanged
	done
	node_file '{"hostTrunk": "eth_p0_rail0.123"}'
	refuses 7 'hostTrunk: "eth_p0_rail0.123" is not allowed: wanted the name of a network device: 1 to 15 ASCII characters' < <(conf bridge)
	node_down
	pod_add pod1 pod2
}

@test "lxc#1600: the name of a pod's port is another pod's: refused, and that one keeps it" {
	local mode where mine theirs before
	for mode in bridge direct; do
		where=host
		[ "$mode" = bridge ] || where=hbr
		works ADD pod2 < <(conf "$mode")
		mine=$(port "$where")
		leave pod2
		join "$mode" pod1 1
		theirs=$(port "$where")
		printf 'link %s\n' "set $theirs down" "set $theirs name $mine" "set $mine up" | at "$where" ip -batch -
		before=$(fact "$where" "$mine" '[.ifindex, .ifalias, .address, .master]')
		settled
		refuses 103 "$mine belongs to somebody else: it is \"hbr-cni:" ':port:c-pod1/net1", wanted "hbr-cni:' ':port:c-pod2/net1"' < <(conf "$mode")
		is "$(fact "$where" "$mine" '[.ifindex, .ifalias, .address, .master]')" "$before"
		no_link pod2 net1
		printf 'link %s\n' "set $mine down" "set $mine name $theirs" "set $theirs up" | at "$where" ip -batch -
		join "$mode" pod2 2
		reach pod2 1
		leave pod1
		leave pod2
	done
}

# What is not as it should be with addresses in a pod, right now.
unready() { ip -n "$1" -json addr show dev net1 | jq -c '.[0].addr_info | map(select(.tentative or .dadfailed or .deprecated) | .local)'; }
static6() { ip -n "$1" -json addr show dev net1 | jq -c '.[0].addr_info | map(select(.family == "inet6" and .scope == "global") | [.local, .nodad])'; }

@test "plugins#680, plugins#571: an IPv6 address is usable when ADD returns, also where another pod still has it" {
	local mode
	for mode in $MODES; do
		works ADD pod1 < <(conf "$mode" '{"addresses": [{"address": "fd00:1::5/64"}]}')
		is "$(unready pod1)$(static6 pod1)" '[][["fd00:1::5",true]]'
		works ADD pod2 < <(conf "$mode" '{"addresses": [{"address": "fd00:1::5/64"}]}')
		is "$(unready pod2)$(static6 pod2)" '[][["fd00:1::5",true]]'
		leave pod1
		pod_add pod3
		join "$mode" pod3 3
		reaches pod3 fd00:1::5
		leave pod2
		leave pod3
		pod_del pod3
	done
}

# A router that tells everybody of a prefix, twenty times a second, until it is killed.
advertise() { # NETNS
	ip netns exec "$1" perl -MSocket=:all -e '
		my ($icmpv6, $multicast_if, $hops) = (58, 17, 18);
		my ($index) = `cat /proc/net/if_inet6` =~ /^fe80\w+ (\w+) .* net1$/m or die;
		socket(my $s, AF_INET6, SOCK_RAW, $icmpv6) or die $!;
		setsockopt($s, IPPROTO_IPV6, $hops, pack("i", 255)) or die $!;
		setsockopt($s, IPPROTO_IPV6, $multicast_if, pack("i", hex $index)) or die $!;
		my $prefix = pack("CCCCNNN", 3, 4, 64, 0xc0, 86400, 14400, 0) . inet_pton(AF_INET6, "2001:db8:bad::");
		my $advertisement = pack("CCnCCnNN", 134, 0, 0, 64, 0, 1800, 0, 0) . $prefix;
		for (;;) {
			send($s, $advertisement, 0, pack_sockaddr_in6(0, inet_pton(AF_INET6, "ff02::1"), hex $index)) or die $!;
			select(undef, undef, undef, 0.05);
		}' 3>&- 4>&- &
	background=$!
}

# advertised NETNS: what was taken from it there: addresses, routes.
advertised() {
	local -a there=()
	[ "$1" = host ] || there=(-n "$1")
	{ ip "${there[@]}" -json addr && ip "${there[@]}" -json -6 route show table all; } | jq -rs '
		(.[0][].addr_info[].local | select(startswith("2001:db8:bad")) | "address"),
		(.[1][] | select(.protocol == "ra") | "route \(.dst)")' | sort -u | xargs
}

@test "plugins#160, cni#923: a router on the network gives no address and no route to pods that have theirs, nor to the node" {
	local mode
	pod_add pod3 router
	for mode in $MODES; do
		join direct router 254
		advertise router
		join "$mode" pod1 1
		works ADD pod2 < <(conf "$mode" '{"addresses": [{"address": "10.1.0.2/24"}]}')
		# A pod without addresses is what such a router is for: by then the others have heard it too.
		works ADD pod3 < <(conf "$mode")
		until_true 20 eval '[[ $(advertised pod3) == "address route "* ]]'
		kill -0 "$background"
		is "$(advertised pod1) $(advertised pod2) $(advertised host) $(advertised hbr)" '   '
		kill "$background"
		leave pod1
		leave pod2
		leave pod3
		leave router
	done
	pod_del pod3 router
}

ours() { # NETNS: all addresses of our links there
	local -a there=()
	[ "$1" = host ] || there=(-n "$1")
	ip "${there[@]}" -json addr | jq -c 'map(select(.group | tonumber? // 0 | . / 16777216 | floor == 104) | .addr_info[].local)'
}

@test "cni-plugin#380: a route through a link-local gateway needs none of the pod's own, and none on the node" {
	local mode
	at pod1 sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/addr_gen_mode'
	for mode in $MODES; do
		works ADD pod1 < <(conf "$mode" '{"addresses": [{"address": "fd00:1::1/64"}], "routes": [{"dst": "::/0", "gw": "fe80::1"}]}')
		is "$(ours pod1)$(ours host)$(ours hbr)" '["fd00:1::1"][][]'
		is "$(ip -n pod1 -json -6 route show default | jq -c 'map([.gateway, .dev])')" '[["fe80::1","net1"]]'
		works CHECK pod1 < <(conf "$mode" "{\"prevResult\": $out}")
		leave pod1
	done
}

defaults() { { ip -n pod2 -json route show default && ip -n pod2 -json -6 route show default; } | jq -sc 'add | map([.gateway, .dev, .metric])'; }

@test "multus-cni#749, multus-cni#241: the default route of eth0 stays; another one is refused, or has a metric of its own" {
	local mode eth0 address='"addresses": [{"address": "10.1.0.2/24"}, {"address": "fd00:1::2/64"}]'
	ip -n pod2 -batch - <<-B
		link add eth0 type dummy
		link set eth0 up
		addr add 10.9.0.2/24 dev eth0
		addr add fd00:9::2/64 dev eth0 nodad
		route add default via 10.9.0.1 dev eth0
		route add default via fd00:9::1 dev eth0 metric 1024
	B
	eth0=$(defaults)
	is "$eth0" '[["10.9.0.1","eth0",null],["fd00:9::1","eth0",1024]]'
	for mode in $MODES; do
		join "$mode" pod2 2
		is "$(defaults)" "$eth0"
		leave pod2
		settled
		refuses 103 'add the route 0.0.0.0/0 via 10.1.0.254 in the pod: there is another one through eth0 to the same destination with the same metric' \
			< <(conf "$mode" "{$address, \"routes\": [{\"dst\": \"0.0.0.0/0\", \"gw\": \"10.1.0.254\"}]}")
		refuses 103 'add the route ::/0 via fd00:1::fe in the pod: there is another one through eth0 to the same destination with the same metric' \
			< <(conf "$mode" "{$address, \"routes\": [{\"dst\": \"::/0\", \"gw\": \"fd00:1::fe\"}]}")
		is "$(defaults)" "$eth0"
		works ADD pod2 < <(conf "$mode" "{$address, \"routes\": [{\"dst\": \"0.0.0.0/0\", \"gw\": \"10.1.0.254\", \"priority\": 500},
			{\"dst\": \"::/0\", \"gw\": \"fd00:1::fe\", \"priority\": 500}]}")
		is "$(defaults)" '[["10.9.0.1","eth0",null],["10.1.0.254","net1",500],["fd00:1::fe","net1",500],["fd00:9::1","eth0",1024]]'
		leave pod2
		is "$(defaults)" "$eth0"
	done
}

@test "plugins#798: a dot in an interface's name is one in the path of its sysctls, on the node and in the pod" {
	local mode look='cd /proc/sys/net; cat ipv4/conf/eth0.100/arp_notify ipv6/conf/eth0.100/ndisc_notify ipv6/conf/eth0.100/accept_ra ipv6/conf/eth0.100/autoconf'
	settled
	for mode in $MODES; do
		works ADD pod1 eth0.100 < <(conf "$mode" '{"addresses": [{"address": "10.1.0.1/24"}]}')
		is "$(at pod1 sh -c "$look" | xargs)" '1 1 0 0'
		is "$(at hbr cat /proc/sys/net/ipv6/conf/br.10100/disable_ipv6)" 1
		[ "$mode" != bridge ] || is "$(cat /proc/sys/net/ipv6/conf/br.10100/disable_ipv6)" 1
		[ "$mode" != macvlan ] || is "$(cat /proc/sys/net/ipv6/conf/tr.100/disable_ipv6)" 1
		works DEL pod1 eth0.100 < <(conf "$mode")
		unchanged
	done
	# By no name is another link's reached.
	for name in .. all default eth0/100; do
		plugin ADD pod1 "$name" < <(conf bridge)
		refused 4 "CNI_IFNAME: \"$name\" is not allowed"
	done
	unchanged
}

@test "plugins#438: DEL again, with the pod there, says nothing and takes nothing" {
	local mode
	for mode in $MODES; do
		join "$mode" pod2 2
		settled
		join "$mode" pod1 1
		for again in 1 2 3; do
			leave pod1
			is "$out$err" ''
			no_link pod1 net1
			unchanged
		done
		join "$mode" pod1 1
		reach pod1 2
		leave pod1
		leave pod2
	done
}

@test "ovs-cni#106: after a node's failure only the state is left: DEL without a namespace, and another pod's ADD, are fine" {
	local mode node=$BATS_TEST_TMPDIR/state
	for mode in $MODES; do
		join "$mode" pod1 1
		join "$mode" pod2 2
		cp -a "$NODE_STATE" "$node"
		node_down
		mv "$node" "$NODE_STATE"
		NETNS='' leave pod1
		is "$out" ''
		node_up
		pod_add pod3
		join "$mode" pod3 3
		NETNS='' leave pod2
		is "$out" ''
		is "$(find "$NODE_STATE" -path '*/attachments/*' | wc -l)" 1
		leave pod3
		is "$(picture host hbr)$(find "$NODE_STATE"/*/{attachments,domains} -mindepth 1)" ''
		pod_del pod3
		pod_add pod1 pod2
	done
}
