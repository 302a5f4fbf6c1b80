# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests of VRFs, which both plugins make. A file of them has "load vrf" after "load helpers".

# l3 VRF [KEYS]: a configuration of hbr-vrf. vrf, bridged: a call of that plugin, or of the other one.
l3() { printf '{"cniVersion": "1.1.0", "name": "%s", "type": "hbr-vrf", "vrf": "%s"%s}\n' "$1" "$1" "${2:+, $2}"; }
vrf() { local PLUGIN=$PLUGINS_DIR/hbr-vrf; "$@"; }
bridged() { local PLUGIN=$PLUGINS_DIR/hbr-l2; "$@"; }

# addresses_of N: of a pod in both families, as keys.
addresses_of() { echo "\"addresses\": [{\"address\": \"10.9.0.$1/24\"}, {\"address\": \"fd09::$1/64\"}]"; }
EVERYWHERE='"routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]'
# shellcheck disable=SC2034 # for those who load this
BLUE='"vrf": {"name": "red", "vni": 5000}, "gateway": ["10.1.0.1/24", "fd01::1/64"]'

# What pods say makes neighbours and learned entries that end by themselves.
# shellcheck disable=SC2034 # for those who load this
QUIET=(-x '*neighbour *' -x '* dynamic *')

# The ways into a VRF: a routed port, and an L2 domain with a gateway. as WAY: the plugin for it.
# shellcheck disable=SC2034 # of plugin
as() {
	case $1 in
	routed) PLUGIN=$PLUGINS_DIR/hbr-vrf ;;
	gateway) PLUGIN=$PLUGINS_DIR/hbr-l2 ;;
	esac
}

# way WAY N [VRF VNI]: a network that makes the VRF, for pod N.
way() {
	local vrf=${3:-red} vni=${4:-5000}
	case $1 in
	routed) l3 "$vrf" "\"vni\": $vni, $(addresses_of "$2"), $EVERYWHERE" ;;
	gateway) l2 $((vni + 5100)) "\"vrf\": {\"name\": \"$vrf\", \"vni\": $vni}, \"gateway\": [\"10.1.0.1/24\", \"fd01::1/64\"],
		\"addresses\": [{\"address\": \"10.1.0.$2/24\"}, {\"address\": \"fd01::$2/64\"}], \"routes\": [{\"dst\": \"10.2.0.0/16\", \"gw\": \"10.1.0.1\"}]" ;;
	esac
}
