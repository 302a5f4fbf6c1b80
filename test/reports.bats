#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# weight: 5
# What went wrong elsewhere (reports.md), where any kernel shows it.

load helpers

setup() {
	node_up
	pod_add pod1 pod2
	mkdir -p /etc/hbr-cni
	echo '{"uplinks": ["ul"], "attach": "direct"}' >/etc/hbr-cni/node.json # where there is no VRF hbn looks like an uplink
}
teardown() { node_down; }

# check KEYS: CHECK of pod1, with these keys beside the three that every configuration has.
check() { plugin CHECK pod1 <<<"{\"cniVersion\": \"1.0.0\", \"name\": \"n10100\", \"type\": \"hbr-l2\"${1:+, $1}}"; }

@test "plugins#1221: CHECK where everything optional is absent, empty or null" {
	local keys result
	works ADD pod1 < <(l2 10100)
	result=$out
	is "$(jq -c keys <<<"$result")" '["cniVersion","interfaces"]'
	for keys in '"vni": 10100' '"vni": 10100, "ipam": {}, "dns": {}, "args": {}, "runtimeConfig": {}, "routes": [], "addresses": []' \
		'"vni": 10100, "ipam": null, "dns": null, "args": null, "runtimeConfig": null, "capabilities": null, "mac": null, "mtu": null, "vrf": null' \
		'"ipam": {}' ''; do
		check "${keys:+$keys, }\"prevResult\": $result" && is "$status$out$err" 0 || { echo "keys: $keys" >&2; return 1; }
	done
	for keys in '{}' '{"interfaces": null, "ips": null, "routes": null, "dns": null}' '{"interfaces": [{}]}' '{"interfaces": [{"name": "net1", "sandbox": ""}], "ips": []}'; do
		check "\"vni\": 10100, \"prevResult\": $keys" && refused 106 'prevResult has no interface net1 in the pod' ||
			{ echo "prevResult: $keys" >&2; return 1; }
	done
	for keys in '[]' '{"interfaces": [null]}' '{"ips": [{}]}' '{"routes": [null]}' '{"dns": []}'; do
		check "\"vni\": 10100, \"prevResult\": $keys" && refused 7 prevResult || { echo "prevResult: $keys" >&2; return 1; }
	done
	check '"vni": 10100, "prevResult": null'
	refused 7 'required prevResult missing'
	works DEL pod1 < <(l2 10100)
}

# underlay: the uplink that was deleted is there again, as node_up has made it.
underlay() {
	inside hbr <<-B
		link add ul mtu 1550 address 02:00:00:00:01:01 type veth peer name sp1 netns spine mtu 1550 address 02:00:00:00:01:00
		addr add 172.16.1.1/31 dev ul
		link set ul addrgenmode none
		link set ul up
		neigh add 172.16.1.0 lladdr 02:00:00:00:01:00 dev ul nud permanent
		route add 10.0.0.0/24 via 172.16.1.0 src 10.0.0.1
	B
	inside spine <<-B
		addr add 172.16.1.0/31 dev sp1
		link set sp1 addrgenmode none
		link set sp1 up
		neigh add 172.16.1.1 lladdr 02:00:00:00:01:01 dev sp1 nud permanent
		route add 10.0.0.1/32 via 172.16.1.1
	B
	at hbr sh -c "$await_carrier" sh ul
}

# far: on the other node, 10.1.0.9.
far() {
	node_up 2
	ip -n hbr2 -batch - <<-B
		link add vx.10100 mtu 1500 type vxlan id 10100 local 10.0.0.2 dstport 4789 nolearning
		addr add 10.1.0.9/24 dev vx.10100
		link set vx.10100 up
	B
	bridge -n hbr2 fdb append 00:00:00:00:00:00 dev vx.10100 dst 10.0.0.1
}
flooded() { bridge -n hbr fdb append 00:00:00:00:00:00 dev vx.10100 dst 10.0.0.2; }

pod() { l2 10100 "\"addresses\": [{\"address\": \"10.1.0.$1/24\"}]"; }

@test "flannel#2272: the underlay's link goes and comes back: our VXLAN stays; one that others bound to it is missed, and made by the next ADD" {
	local result index
	far
	works ADD pod1 < <(pod 1)
	result=$out
	flooded
	reaches pod1 10.1.0.9
	index=$(fact hbr vx.10100 .ifindex)
	ip -n hbr link del ul
	reaches_not pod1 10.1.0.9
	works CHECK pod1 < <(pod 1 | jq --argjson result "$result" '.prevResult = $result')
	underlay
	reaches pod1 10.1.0.9
	is "$(fact hbr vx.10100 .ifindex)" "$index"
	works DEL pod1 < <(pod 1)
	no_link hbr vx.10100

	ip -n hbr -batch - <<-B
		link add br.10100 mtu 1500 type bridge
		link set br.10100 addrgenmode none
		link set br.10100 up
		link add vx.10100 mtu 1500 master br.10100 type vxlan id 10100 local 10.0.0.1 dstport 4789 nolearning dev ul
		link set vx.10100 addrgenmode none
		link set vx.10100 up
	B
	works ADD pod1 < <(pod 1)
	result=$out
	flooded
	reaches pod1 10.1.0.9
	ip -n hbr link del ul
	no_link hbr vx.10100
	plugin CHECK pod1 < <(pod 1 | jq --argjson result "$result" '.prevResult = $result')
	refused 106 'vxlan vx.10100 in the HBR netns is missing'
	underlay
	works ADD pod2 < <(pod 2)
	flooded
	reaches pod1 10.1.0.9
	reaches pod2 10.1.0.9
	works CHECK pod1 < <(pod 1 | jq --argjson result "$result" '.prevResult = $result')
	works DEL pod1 < <(pod 1)
	works DEL pod2 < <(pod 2)
	no_link hbr vx.10100
	has_link hbr br.10100
}
