#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 77
# DEL: it always succeeds, it leaves nothing, and it takes nothing of others.

load helpers

# The node is shared: every test leaves it as it was, and the one that does not takes it down.
setup() {
	need vrf vlan
	[ -e /run/netns/hbr ] || node_up
	for pod in pod1 pod2; do
		[ -e "/run/netns/$pod" ] || pod_add $pod
	done
	[ ! -e /run/leases ] || rm -r /run/leases
	snapshot_take
}
teardown() { [ "${BATS_TEST_COMPLETED:-}" = 1 ] || node_down; }
teardown_file() { node_down; }

FULL='"vlan": 100, "vrf": "hbr", "mtu": 1400, "mac": "02:00:00:00:77:01", "isolated": true,
	"hairpin": true, "macspoofchk": true, "neighSuppress": true, "promisc": true, "allmulti": true,
	"addresses": [{"address": "10.1.0.1/24"}, {"address": "fd00:1::1/64", "gateway": "fd00:1::fe"}],
	"routes": [{"dst": "10.2.0.0/16", "gw": "10.1.0.254"}], "dns": {"nameservers": ["10.1.0.53"]},
	"attach": "bridge"'
LEASED='"vlan": 100, "mobile": true, "enabledad": true, "ipam": {"type": "host-local", "dataDir": "/run/leases",
	"ranges": [[{"subnet": "10.1.0.0/24"}], [{"subnet": "fd00:1::/64"}]]}'
BARE='"disableContainerInterface": true, "attach": "bridge"'
STRIPPED='{"cniVersion": "1.0.0", "name": "n10100", "type": "hbr-l2"}'

# What another node has of its own.
RANDOM_MACS=(-x '*link hbn *' -x '*link hbr *' -x '*fdb hbn*')

# added POD KEYS: an ADD that did something.
added() {
	works ADD "$1" < <(l2 10100 "$2")
	contains "$out" '"interfaces"' net1
	has_link "$1" net1
	has_link hbr vx.10100
}

# deleted [POD] <CONFIGURATION: DEL says nothing, and nothing is left.
deleted() {
	works DEL "${1:-pod1}"
	is "$out" ''
	snapshot_same
}

leases() { find /run/leases -type f -name '*[.:]*' -not -name 'last*' -printf '%f\n' | sort | xargs; }

@test "DEL of the last attachment leaves what was before the first ADD, whatever was asked for" {
	for keys in "$FULL" "$LEASED" "$BARE" ''; do
		added pod1 "$keys"
		[ "$(snapshot | wc -l)" -gt "$(wc -l <"$BATS_TEST_TMPDIR/before")" ]
		deleted < <(l2 10100 "$keys")
		no_link pod1 net1
		deleted < <(l2 10100 "$keys")
	done
	is "$(leases)" ''
}

@test "sriov-cni#219: DEL of one, three times, takes nothing of another on its domain" {
	local before=$BATS_TEST_TMPDIR/before
	cp "$before" "$before.first"
	added pod2 "$LEASED"
	snapshot_take
	added pod1 "$LEASED"
	deleted < <(l2 10100 "$LEASED")
	NETNS='' deleted < <(l2 10100 "$LEASED")
	NETNS=/run/netns/gone deleted < <(l2 10100 "$LEASED")
	is "$(leases)" '10.1.0.2 fd00:1::2'
	cp "$before.first" "$before"
	deleted pod2 < <(l2 10100 "$LEASED")
	is "$(leases)" ''
}

@test "cni#548, cilium#40843: DEL with no netns, one that is gone, a plain file" {
	: >/run/plain
	for NETNS in '' /run/netns/gone /run/plain /run/plain/pod /run/no/directory /run /proc/self/ns/mnt; do
		NETNS=/run/netns/pod1 added pod1 "$FULL"
		deleted < <(l2 10100 "$FULL")
		no_link pod1 net1
		deleted <<<"$STRIPPED"
	done
	unset NETNS
	added pod1 "$FULL"
	WRAP=(env -u CNI_NETNS)
	deleted < <(l2 10100 "$FULL")
	no_link pod1 net1
}

@test "antrea#276, sriov-cni#164: the pod's namespace went first, its lease goes too" {
	added pod1 "$LEASED"
	is "$(leases)" '10.1.0.2 fd00:1::2'
	pod_del pod1
	NETNS='' deleted < <(l2 10100 "$LEASED")
	is "$(leases)" ''
}

@test "cri-o#9301: the namespace's mount is gone, its file stays" {
	added pod1 "$LEASED"
	umount /run/netns/pod1
	[ -f /run/netns/pod1 ]
	deleted < <(l2 10100 "$LEASED")
	is "$(leases)" ''
	plugin ADD pod1 < <(l2 10100 "$LEASED")
	refused 8 'CNI_NETNS: /run/netns/pod1 is not a network namespace' 'mount propagation'
	snapshot_same
	is "$(leases)" ''
	rm /run/netns/pod1
}

@test "ovn-kubernetes#4631, multus-cni#1449: a configuration stripped to name and type" {
	for keys in "$FULL" "$LEASED"; do
		added pod1 "$keys"
		deleted <<<"$STRIPPED"
		no_link pod1 net1
	done
	is "$(leases)" ''
	added pod1 "$LEASED"
	deleted <<<'{"cniVersion": "1.0.0", "name": "n10100", "type": "hbr-l2", "ipam": {"type": "host-local"}}'
	is "$(leases)" ''
	# The name is not what an attachment is known by.
	added pod1 "$FULL"
	deleted <<<'{"cniVersion": "1.0.0", "name": "another", "type": "hbr-l2", "vni": 7, "vlan": 7}'
}

@test "ovs-cni#276, plugins#29: DEL after a failed ADD" {
	local one='"vlan": 100, "ipam": {"type": "host-local", "dataDir": "/run/leases", "ranges": [[{"subnet": "10.1.0.0/24", "rangeStart": "10.1.0.9", "rangeEnd": "10.1.0.9"}]]}'
	added pod2 "$one"
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	snapshot_take
	for again in 1 2 3; do
		plugin ADD pod1 < <(l2 10100 "$one")
		refused 999 'ipam: failed to allocate for range 0: no IP addresses available in range set'
		snapshot_same
	done
	deleted < <(l2 10100 "$one")
	deleted <<<"$STRIPPED"
	NETNS='' deleted <<<"$STRIPPED"
	is "$(leases)" 10.1.0.9
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	deleted pod2 < <(l2 10100 "$one")
	is "$(leases)" ''
}

@test "an IPAM plugin that refuses ADD and DEL alike leaves no record to stumble over" {
	plugin ADD pod1 < <(l2 10100 '"vlan": 100, "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.1.0.0/33"}]]}')
	refused 999 'ipam: invalid CIDR address: 10.1.0.0/33'
	snapshot_same
	deleted < <(l2 10100 "$FULL")
}

@test "plugins#953: the trunk is gone, on a DEL by record and by marks" {
	node_down
	for state in there wiped; do
		node_up
		pod_add pod1
		ip link del tr
		snapshot_take "${RANDOM_MACS[@]}"
		node_down
		node_up
		pod_add pod1
		added pod1 "$FULL"
		ip link del tr
		[ $state = there ] || rm -rf "$NODE_STATE"
		works DEL pod1 < <(l2 10100 "$FULL")
		is "$out" ''
		snapshot_same "${RANDOM_MACS[@]}"
		no_link pod1 net1
		node_down
	done
}

@test "openperouter#463: the HBR netns is gone" {
	added pod1 "$LEASED"
	ip netns del hbr
	for twice in 1 2; do
		works DEL pod1 < <(l2 10100 "$LEASED")
		is "$out" ''
		no_link pod1 net1
		is "$(ls /sys/class/net)" lo
		is "$(find "$NODE_STATE" -mindepth 2 -not -name node -not -name '*-10100' -type f)" ''
		is "$(find "$NODE_STATE"/*/domains -mindepth 1)" ''
	done
	is "$(leases)" ''
	node_down
}

@test "ovs-cni#180: the pod's interface was deleted by hand" {
	added pod1 "$LEASED"
	ip -n pod1 link del net1
	deleted < <(l2 10100 "$LEASED")
	is "$(leases)" ''
}

@test "KubeVirt: the pod's interface has another name and MAC, and a dummy has its name" {
	added pod1 "$FULL"
	ip -n pod1 -batch - <<-B
		link set net1 down
		link set net1 name net1-nic
		link set net1-nic address 02:00:00:00:99:99
		link add net1 address 02:00:00:00:77:01 type dummy
		link set net1-nic up
	B
	dummy=$(fact pod1 net1 '[.ifindex, .address, .linkinfo.info_kind]')
	deleted < <(l2 10100 "$FULL")
	no_link pod1 net1-nic
	is "$(fact pod1 net1 '[.ifindex, .address, .linkinfo.info_kind]')" "$dummy"
	ip -n pod1 link del net1
}

@test "multus-cni#1498: DEL for a container that was never added makes no file" {
	[ ! -e "$NODE_STATE" ] || rm -rf "$NODE_STATE"
	for NETNS in /run/netns/pod1 /run/netns/gone ''; do
		works DEL pod1 < <(l2 10100 "$FULL")
		is "$out" ''
		works DEL pod1 <<<"$STRIPPED"
		[ ! -e "$NODE_STATE" ]
	done
	unset NETNS
	added pod2 "$LEASED"
	before=$(find "$NODE_STATE" /run/leases | sort)
	snapshot_take
	for config in "$(l2 10100 "$LEASED")" "$(l2 7 '"vlan": 7')" "$STRIPPED"; do
		deleted pod1 <<<"$config"
		is "$(find "$NODE_STATE" /run/leases | sort)" "$before"
	done
	works DEL pod2 <<<"$STRIPPED"
}

@test "plugins#714: CNI_NETNS is the plugin's own namespace, or the HBR netns" {
	ip link add net1 type dummy
	ip -n hbr link add net1 type dummy
	snapshot_take
	for own in /proc/self/ns/net /run/netns/hbr; do
		NETNS=$own plugin ADD pod1 < <(l2 10100 "$FULL")
		refused 8 "CNI_NETNS: $own is the"
		snapshot_same
		NETNS=$own deleted < <(l2 10100 "$FULL")
		added pod1 "$FULL"
		NETNS=$own deleted < <(l2 10100 "$FULL")
		no_link pod1 net1
	done
	ip link del net1
	ip -n hbr link del net1
}

@test "cni#155: an interface that exists in the pod is refused, and stays" {
	mkdir -p /run/leases/n10100
	ip -n pod1 link add net1 type dummy
	net1=$(fact pod1 net1 .)
	for again in 1 2; do
		plugin ADD pod1 < <(l2 10100 "$LEASED")
		refused 102 'interface net1 already exists in /run/netns/pod1'
		is "$(fact pod1 net1 .)" "$net1"
		is "$(leases)" ''
		snapshot_same
	done
	# What the runtime does then: there was no attachment, and somebody's link is not ours to delete.
	deleted < <(l2 10100 "$LEASED")
	is "$(fact pod1 net1 .)" "$net1"
	ip -n pod1 link del net1
}

@test "plugins#327: a repeated ADD is refused, the first one and its lease are unharmed" {
	added pod1 "$LEASED"
	result=$out
	lease=$(leases)
	cp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/clean"
	snapshot_take
	inside=$(kept pod1; ip -n pod1 -json route)
	for keys in "$LEASED" "$FULL"; do
		plugin ADD pod1 < <(l2 10100 "$keys")
		refused 102 'container c-pod1 has an attachment net1 already'
	done
	plugin ADD pod1 < <(l2 7 '"vlan": 7')
	refused 102 'container c-pod1 has an attachment net1 already'
	# Another container in that namespace is not the owner either.
	CONTAINERID=other plugin ADD pod1 < <(l2 10100 "$LEASED")
	refused 102 'interface net1 already exists in /run/netns/pod1'
	snapshot_same
	is "$(kept pod1; ip -n pod1 -json route)" "$inside"
	is "$(leases)" "$lease"
	works CHECK pod1 < <(l2 10100 "$LEASED" | jq --argjson result "$result" '. + {prevResult: $result}')
	cp "$BATS_TEST_TMPDIR/clean" "$BATS_TEST_TMPDIR/before"
	deleted < <(l2 10100 "$LEASED")
	is "$(leases)" ''
}

@test "a port of somebody else's on the domain's bridge keeps the domain, and is named" {
	added pod1 '"vlan": 100'
	ip link add theirs type dummy
	ip link set theirs master br.10100
	works DEL pod1 <<<"$STRIPPED"
	contains "$err" 'the VLAN of VNI 10100 stays: theirs is still a port of br.10100'
	no_link pod1 net1
	is "$(fact host tr.100 .master)$(fact hbr tr.100 .master)$(fact hbr vx.10100 .master)" '"br.10100""br.10100""br.10100"'
	ip link del theirs
	# It is the same domain to the next pod, and to the last one.
	added pod1 ''
	has_link host tr.100
	deleted <<<"$STRIPPED"
}

@test "calico#5506: containers whose ids begin, or end, alike are not one" {
	long=0123456789abcdef0123456789abcdef
	CONTAINERID=${long}x added pod1 "$FULL"
	mac=$(fact pod1 net1 .address)
	for other in "${long}y" "y${long}x" "$long"; do
		CONTAINERID=$other works DEL pod1 < <(l2 10100 "$FULL")
		is "$(fact pod1 net1 .address)" "$mac"
	done
	CONTAINERID=${long}x deleted < <(l2 10100 "$FULL")
}
