#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# hbr-vrf on one node without FRR: the VRF, its L3VNI, the routed port, and gateways of L2 domains in it.
load helpers

setup() { node_up; }
teardown() { node_down; }

# l3 VRF [KEYS]
l3() { printf '{"cniVersion": "1.1.0", "name": "%s", "type": "hbr-vrf", "vrf": "%s"%s}\n' "$1" "$1" "${2:+, $2}"; }
vrf() { local PLUGIN=$PLUGINS_DIR/hbr-vrf; "$@"; }

@test "ADD makes a VRF with an L3VNI and a routed port, and the last DEL removes all of it" {
	pod_add pod1 pod2
	snapshot_take
	vrf works ADD pod1 < <(l3 red '"vni": 5000, "addresses": [{"address": "10.9.0.1/24"}, {"address": "fd09::1/64"}], "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]')
	vrf works ADD pod2 < <(l3 red '"addresses": [{"address": "10.9.0.2/24"}, {"address": "fd09::2/64"}], "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]')
	reaches pod1 10.9.0.2
	reaches pod1 fd09::2
	prev=$out
	vrf works CHECK pod2 < <(l3 red | jq --argjson prev "$prev" '.prevResult = $prev | .addresses = [{"address": "10.9.0.2/24"}, {"address": "fd09::2/64"}]')
	vrf works DEL pod1 < <(l3 red)
	vrf works DEL pod2 < <(l3 red)
	snapshot_same
}

@test "an L2 domain with gateways in a VRF that it makes" {
	pod_add pod1 pod2
	snapshot_take
	works ADD pod1 < <(l2 10100 '"vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24", "fd01::1/64"], "addresses": [{"address": "10.1.0.5/24", "gateway": "10.1.0.1"}, {"address": "fd01::5/64"}], "routes": [{"dst": "0.0.0.0/0"}]')
	reaches pod1 10.1.0.1
	reaches pod1 fd01::1
	vrf works ADD pod2 < <(l3 red '"addresses": [{"address": "10.9.0.2/24"}], "routes": [{"dst": "0.0.0.0/0"}]')
	reaches pod2 10.1.0.5
	works DEL pod1 < <(l2 10100)
	vrf works DEL pod2 < <(l3 red)
	snapshot_same
}
