#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 213
# What a user reads first is run: the examples, the demo, the README's own commands.

load helpers
load fabric

# shellcheck disable=SC2153 # TREE and BUILD come from the bed
EXAMPLES=$TREE/conf-examples

# A block of text in a YAML file: the lines below "KEY: |", without their indent.
block() {
	awk -v key="$2: |" '
		inside { match($0, /^ */); if (RLENGTH < indent && NF) exit; print substr($0, indent + 1) }
		index($0, key) && !inside { getline; match($0, /^ */); indent = RLENGTH; inside = 1; print substr($0, indent + 1) }' "$1"
}

# The configurations of all NADs: what stands below "config: |", which is the end of each.
setup_file() {
	mkdir "$BATS_FILE_TMPDIR/nads"
	awk -v to="$BATS_FILE_TMPDIR/nads" '
		FNR == 1 { out = "" }
		out != "" { print substr($0, 5) > out }
		/^  config: \|$/ { out = FILENAME; sub(/.*\//, "", out); sub(/yaml$/, "conflist", out); out = to "/" out }' "$EXAMPLES"/*.yaml
}
setup() { NADS=$BATS_FILE_TMPDIR/nads; }

teardown() {
	frr_stop hbr
	frr_stop spine
	node_down
}

# meet VNI ADDRESS PEER...: another pod of the domain reaches each address of this one. PEER_ATTACH:
# how that is attached.
meet() {
	local vni=$1 pair
	shift
	works ADD peer <<<"$(jq -n --argjson vni "$vni" '{cniVersion: "1.0.0", name: "peer", vni: $vni,
		attach: $attach, addresses: [{address: $ARGS.positional[]}]}' --arg attach "${PEER_ATTACH:-bridge}" --args "${@#*=}")"
	for pair in "$@"; do
		reaches peer "${pair%=*}"
	done
	works DEL peer <<<"{\"cniVersion\": \"1.0.0\", \"name\": \"peer\", \"vni\": $vni}"
}

# life NETWORK LOOK [CAP_ARGS [CNI_ARGS]]: ADD, what LOOK sees, CHECK, DEL, nothing left (but for what
# LEFT_OUT says). From the NAD, for the conflist says the same. What is asked for the pod comes with ADD only, as from Multus.
life() {
	need vrf vlan
	if [ ! -e /run/netns/pod ]; then
		[ -e /run/netns/hbr ] || node_up
		pod_add pod peer
	fi
	snapshot_take "${LEFT_OUT[@]}"
	NETCONFPATH=$NADS CAP_ARGS=${3:-} CNI_ARGS=${4:-} cni add "$1" pod >"$BATS_TEST_TMPDIR/result"
	"$2"
	NETCONFPATH=$NADS cni check "$1" pod
	NETCONFPATH=$NADS cni del "$1" pod
	is "$(ip -n pod -json link | jq -c 'map(.ifname)')" '["lo"]'
	snapshot_same "${LEFT_OUT[@]}"
}

addresses() {
	ip -n pod -json addr show dev net1 |
		jq -r '[.[0].addr_info[] | select(.scope == "global") | "\(.local)/\(.prefixlen)"] | join(" ")'
}

routes() { { ip -n pod -json route; ip -n pod -json -6 route; } | jq -rs 'add | map(select(.gateway) | "\(.dst) \(.gateway)") | join(", ")'; }

@test "every example is listed, is run, is in both forms, and speaks 1.0.0" {
	cd "$EXAMPLES"
	listed=$(<README.md) tests=$(<"$BATS_TEST_FILENAME")
	for file in *; do
		name=$file
		case $file in
		README.md) continue ;;
		*.conflist)
			name=${file%.conflist}
			[ -e "$name.yaml" ] && [[ $tests == *"	life $name "* ]] || { echo "$name has no NAD, or is not run" >&2; return 1; }
			;;
		*.yaml) [ ! -e "${file%.yaml}.conflist" ] || name=${file%.yaml} ;;
		esac
		[[ $listed =~ \|\ ([^|]*,\ )?\`$name\`[^|]*\| ]] || { echo "$name is not in the list" >&2; return 1; }
	done
	jq -c . ./*.conflist >"$BATS_TEST_TMPDIR/lists"
	(cd "$NADS" && jq -c . ./*.conflist) | diff "$BATS_TEST_TMPDIR/lists" - >&2
	is "$(jq -r '"\(input_filename) \(.name) \(.cniVersion)"' ./*.conflist | awk '$1 != "./" $2 ".conflist" || $3 != "1.0.0"')" ''
	is "$(grep -H '^  name: ' ./*.yaml | awk -F '.yaml:  name: ' '$1 != "./" $2')" './l2-mac-ips-pod.yaml:  name: blue-1'
}

look_no_ipam() {
	is "$(addresses)" ''
	is "$(jq -c '[.ips, .interfaces[0].name]' "$BATS_TEST_TMPDIR/result")" '[null,"net1"]'
	ip -n pod addr add 10.100.0.7/24 dev net1
	meet 10100 10.100.0.7=10.100.0.8/24
}
@test "l2-no-ipam" {
	life l2-no-ipam look_no_ipam
}

look_addresses() {
	is "$(addresses)" '10.101.0.10/24 fd00:101::10/64'
	is "$(routes)" '10.200.0.0/16 10.101.0.1, fd00:200::/32 fd00:101::fe'
	is "$(fact hbr tr.101 .linkinfo.info_data.id)" 101
	meet 10101 10.101.0.10=10.101.0.8/24 fd00:101::10=fd00:101::8/64
}
@test "l2-addresses" {
	life l2-addresses look_addresses
}

look_macvlan() {
	is "$(addresses)" '10.106.0.10/24 fd00:106::10/64'
	is "$(fact pod net1 .linkinfo.info_kind)$(fact host tr.106 .master)" '"macvlan"null'
	PEER_ATTACH=macvlan meet 10106 10.106.0.10=10.106.0.8/24 fd00:106::10=fd00:106::8/64
}
@test "l2-macvlan" {
	life l2-macvlan look_macvlan
}

look_direct() {
	is "$(addresses)" '10.107.0.10/24 fd00:107::10/64'
	is "$(ip -n hbr -json link show master br.10107 | jq -c 'map(.ifname[:2]) | sort')" '["pv","vx"]'
	no_link host br.10107
	meet 10107 10.107.0.10=10.107.0.8/24 fd00:107::10=fd00:107::8/64
}
@test "l2-direct" {
	life l2-direct look_direct
}

look_gateway() {
	is "$(addresses)" '10.108.0.10/24 fd00:108::10/64'
	is "$(routes)" '10.0.0.0/8 10.108.0.1, fd00::/8 fd00:108::1'
	is "$(fact hbr br.10108 .master)" '"hbr"'
	reaches pod 10.108.0.1
	reaches pod fd00:108::1
}
@test "l2-gateway" {
	life l2-gateway look_gateway
}

# Both are in VRF red: the pod of one reaches the other's.
look_vrf() { # THIS OTHER
	is "$(addresses)" "10.$1.0.10/24 fd00:$1::10/64"
	is "$(fact hbr "br.10$1" .master)$(fact hbr br.5000 .master)" '"red""red"'
	NETCONFPATH=$NADS CAP_ARGS="{\"ips\": [\"10.$2.0.11/24\", \"fd00:$2::11/64\"]}" cni add "$3" peer
	reaches pod "10.$2.0.11"
	reaches pod "fd00:$2::11"
	NETCONFPATH=$NADS cni del "$3" peer
}
look_blue() { look_vrf 110 111 l2-vrf-green; }
look_green() { look_vrf 111 110 l2-vrf-blue; }
@test "l2-vrf-blue, l2-vrf-green" {
	life l2-vrf-blue look_blue '{"ips": ["10.110.0.10/24", "fd00:110::10/64"]}'
	life l2-vrf-green look_green '{"ips": ["10.111.0.10/24", "fd00:111::10/64"]}'
}

look_macs() {
	is "$(addresses)" 10.112.0.10/24
	is "$(fact hbr br.10112 .master)" '"hbr"'
	is "$(ip -n hbr -json neigh show dev br.10112)" '[]'
	meet 10112 10.112.0.10=10.112.0.8/24
}
@test "l2-vrf-macs" {
	life l2-vrf-macs look_macs
}

look_mobile() {
	is "$(fact pod net1 .address)$(fact hbr br.10113 .master)" '"02:00:5e:10:00:13""red"'
	ip -n pod addr add 10.113.0.7/24 dev net1
	reaches pod 10.113.0.1
	is "$(ip -n hbr -json neigh show dev br.10113 | jq -c 'map(select(.dst == "10.113.0.7") | .state | index("PERMANENT"))')" '[null]'
}
@test "l2-mobile" {
	life l2-mobile look_mobile '{"mac": "02:00:5e:10:00:13"}'
}

# crosses ADDRESS...: the pod reaches addresses of VRF red.
crosses() {
	printf 'addr add %s dev red\n' "$@" | ip -n hbr -batch -
	for address; do
		reaches pod "$address"
	done
	printf 'addr del %s dev red\n' "$@" | ip -n hbr -batch -
}

look_routed() {
	is "$(addresses)" '10.9.0.10/32 fd09::10/128'
	is "$(routes)" '10.0.0.0/8 169.254.1.1, fd00::/8 fe80::1'
	reaches pod 169.254.1.1
	crosses 10.9.0.1 fd09::1
}
@test "vrf-routed" {
	life vrf-routed look_routed
}

look_routed_range() {
	local all
	all=$(addresses)
	[[ $all =~ ^10\.10\.0\.(1[6-9]|2[0-9]|3[01])/32\ fd0a::1[0-9a-f]/128$ ]] || { echo "$all" >&2; return 1; }
	is "$(routes)" 'default 169.254.1.1, default fe80::1'
	crosses 10.10.1.1 fd0a:1::1
}
@test "vrf-host-local" {
	life vrf-host-local look_routed_range
}

look_ipv6() {
	is "$(addresses)" fd0b::10/128
	is "$(routes)" 'default fe80::1'
	crosses fd0c::1
}
@test "vrf-ipv6" {
	life vrf-ipv6 look_ipv6
}

look_unnumbered() {
	is "$(addresses)$(jq -c .ips "$BATS_TEST_TMPDIR/result")" null
	reaches pod fe80::1%net1
}
@test "vrf-unnumbered" {
	life vrf-unnumbered look_unnumbered
}

look_local() {
	is "$(addresses)" 10.12.0.10/32
	is "$(fact hbr lab .linkinfo.info_data.table)" 900000
	reaches pod 169.254.1.1
}
@test "vrf-local" {
	life vrf-local look_local
}

# What the template has, and what only this site's has.
told() { # VRF OTHER VNI
	contains "$(frr_running hbr)" "router bgp 65001 vrf $1" "  import vrf $2" "  redistribute static route-map hbr-cni-$1" \
		'  maximum-paths 2' "  route-target import 65000:$3" "  route-target export 65000:$3"
}
look_shop() {
	told shop services 5001
	NETCONFPATH=$NADS cni add vrf-services peer
	told services shop 5002
	reaches pod 10.14.0.10
	reaches pod fd0e::10
	NETCONFPATH=$NADS cni del vrf-services peer
}
look_services() { told services shop 5002; }
@test "vrf-shop, vrf-services, with node-frr.json and frr.template" {
	need vrf vlan
	local -a LEFT_OUT=("${ALIVE[@]}")
	node_up
	frr_start hbr
	frr_evpn hbr
	cp "$EXAMPLES/node-frr.json" /etc/hbr-cni/node.json
	cp "$EXAMPLES/frr.template" /etc/hbr-cni/
	frr_running hbr >"$BATS_TEST_TMPDIR/running"
	life vrf-shop look_shop
	life vrf-services look_services
	frr_running hbr | diff -U0 "$BATS_TEST_TMPDIR/running" - >&2
}

look_static() {
	is "$(addresses)" '10.102.0.10/24 fd00:102::10/64'
	is "$(routes)" '10.200.0.0/16 10.102.0.1'
	meet 10102 10.102.0.10=10.102.0.8/24 fd00:102::10=fd00:102::8/64
}
@test "l2-static" {
	life l2-static look_static
}

look_host_local() {
	local all
	all=$(addresses)
	[[ $all =~ ^10\.103\.0\.(1[6-9]|2[0-9]|3[01])/24\ fd00:103::1[0-9a-f]/64$ ]] || { echo "$all" >&2; return 1; }
	set -- "${all% *}" "${all#* }"
	[ -e "/var/lib/cni/networks/l2-host-local/${1%/*}" ]
	meet 10103 "${1%/*}=10.103.0.8/24" "${2%/*}=fd00:103::8/64"
}
@test "l2-host-local" {
	life l2-host-local look_host_local
	is "$(find /var/lib/cni/networks/l2-host-local -name '*.103.*' -o -name 'fd00*')" ''
}

look_tuning() {
	is "$(addresses)" '10.104.0.10/24 fd00:104::10/64'
	is "$(fact pod net1 .mtu)" 1400
	is "$(at pod cat /proc/sys/net/ipv4/conf/net1/arp_ignore)" 1
	meet 10104 10.104.0.10=10.104.0.8/24
}
@test "l2-tuning" {
	life l2-tuning look_tuning
}

look_mac_ips() {
	is "$(fact pod net1 .address)" '"02:00:5e:10:00:01"'
	is "$(addresses)" '10.105.0.1/24 fd00:105::1/64'
	meet 10105 10.105.0.1=10.105.0.8/24 fd00:105::1=fd00:105::8/64
}
@test "l2-mac-ips, asked for as in the pod's annotation" {
	local wanted
	wanted=$(block "$EXAMPLES/l2-mac-ips-pod.yaml" k8s.v1.cni.cncf.io/networks | jq -c '.[0]')
	is "$(jq -r '.name, .interface' <<<"$wanted" | xargs)" 'l2-mac-ips net1'
	life l2-mac-ips look_mac_ips "$(jq -c '{mac, ips}' <<<"$wanted")"
}

@test "l2-mac-ips, asked for by CNI_ARGS" {
	life l2-mac-ips look_mac_ips '' 'IgnoreUnknown=1;MAC=02:00:5e:10:00:01;IP=10.105.0.1/24,fd00:105::1/64'
}

@test "node.json, node-frr.json: their keys are known, listed, and do what the list says" {
	need vrf vlan
	for key in $(jq -r 'keys[]' "$EXAMPLES/node.json") $(jq -r 'keys[] as $key | $key, "\($key).\(.[$key] | keys[])"' "$EXAMPLES/node-frr.json"); do
		grep -q "^| \`$key\` | " "$TREE/docs/reference.md"
		grep -q "^| .*\`$key\`.* | " "$EXAMPLES/README.md"
	done
	node_up
	cp "$EXAMPLES/node.json" /etc/hbr-cni/
	pod_add pod
	works ADD pod <<<'{"cniVersion": "1.1.0", "name": "n", "vni": 7}'
	is "$(fact pod net1 .mtu)" 1450
	works DEL pod <<<'{"cniVersion": "1.1.0", "name": "n", "vni": 7}'
	works ADD pod <<<'{"cniVersion": "1.1.0", "name": "n", "vni": 7, "hbr": {"mtu": 1400}}'
	is "$(fact pod net1 .mtu)" 1400
	works DEL pod <<<'{"cniVersion": "1.1.0", "name": "n", "vni": 7}'
	plugin ADD pod <<<'{"cniVersion": "1.1.0", "name": "n", "vni": 7, "hbr": {"vxlanPort": 8472}}'
	refused 7 'hbr.vxlanPort: ' 'does not list "vxlanPort" in overridable'
}

@test "systemd units: it knows every key, hbrctl every command; the drop-in fits; as in README" {
	local units=$BATS_TEST_TMPDIR/units command
	mkdir -p "$units/hbr.service.d"
	cp "$EXAMPLES"/hbr-cni-restore* "$units"
	cp "$EXAMPLES/hbr.service.conf" "$units/hbr.service.d/hbr-cni.conf"
	printf '[Service]\nExecStart=/bin/true\n' >"$units/hbr.service"
	cd "$units"
	is "$(sed -n 's/^ExecStart=//p' hbr-cni-restore*)" '/usr/local/sbin/hbrctl restore --frr
/usr/local/sbin/hbrctl restore'
	while read -r _ command; do
		# shellcheck disable=SC2086 # several words
		"$PLUGINS_DIR/sbin/hbrctl" $command --help >help
	done < <(sed -n 's/^ExecStart=//p' hbr-cni-restore*)
	# What is not installed here.
	sed -i 's,/usr/local/sbin/[a-z-]*,/bin/true,' hbr-cni-restore* hbr.service.d/*
	run systemd-analyze verify --man=no ./hbr-cni-restore.service ./hbr-cni-restore-frr.service ./hbr-cni-restore-frr.path ./hbr.service
	is "$status $output" '0 '
	cd "$TREE"
	SYSTEMD_OFFLINE=1 follow units
	is "$(cd /etc/systemd/system && find . -name 'hbr-*' | sort)" './hbr-cni-restore-frr.path
./hbr-cni-restore-frr.service
./hbr-cni-restore.service
./hbr.service.wants/hbr-cni-restore.service
./multi-user.target.wants/hbr-cni-restore-frr.path'
}

# demo_with PLUGIN TEXT [ARG...]: the demo, with a script as that plugin.
demo_with() {
	mkdir -p "$BATS_TEST_TMPDIR/plugins"
	cp "$PLUGINS_DIR"/hbr-{l2,vrf} "$BATS_TEST_TMPDIR/plugins/"
	printf '%s\n' "$2" >"$BATS_TEST_TMPDIR/plugins/$1"
	SNAPSHOT_TRIES=3 PLUGINS_DIR=$BATS_TEST_TMPDIR/plugins run "$TREE/test/demo" "${@:3}"
}

@test "the demo holds, in two acts of less than 60 lines of plain text each" {
	need vrf vlan
	run "$TREE/test/demo"
	is "$status" 0
	contains "$output" 'Every step held.' 'vlan: 200 was asked for, but the VLAN of VNI 10105 has 2' \
		'✓ bridge: ' '✓ macvlan: ' '✓ direct: ' \
		'[2]:[0]:[48]:[' ']:[32]:[10.110.0.5] 10.0.0.1' '[3]:[0]:[32]:[10.0.0.1] 10.0.0.1' '[5]:[0]:[32]:[10.9.0.10] 10.0.0.1' \
		'64 bytes from 10.110.0.6: icmp_seq=1 ttl=64 ' '64 bytes from 10.111.0.7: icmp_seq=1 ttl=62 ' \
		'64 bytes from fd00:111::7: icmp_seq=1 ttl=62 '
	is "$(grep -c '✗' <<<"$output")" 0
	is "$(grep -c '✓ both nodes are as they were before' <<<"$output")" 2
	lacks "$output" $'\e'
	[ "$(wc -l <<<"$output")" -lt 120 ]
}

@test "the demo fails with a plugin that does nothing" {
	need vrf vlan
	demo_with hbr-l2 '#!/bin/true'
	is "$status" 1
	contains "$output" '✗ added: this did not hold'
	lacks "$output" 'Every step held'
}

@test "the demo fails with a plugin that does nothing on the DEL of its pods" {
	need vrf vlan
	demo_with hbr-l2 "#!/bin/sh
		case \$CNI_COMMAND\$CNI_NETNS in DEL*blue?) exit ;; esac
		exec '$PLUGIN'" --color 1
	is "$status" 1
	contains "$output" $'\e[32m✓\e[0m blue1 and blue3 talk, IPv4' 'blue3 leaves' '✗ both nodes are as they were before'
}

@test "the demo's second act fails with a plugin that leaves what it told FRR" {
	need vrf vlan
	demo_with hbr-vrf "#!/bin/sh
		[ \$CNI_COMMAND != DEL ] || exit 0
		exec '$PLUGINS_DIR/hbr-vrf'" 2
	is "$status" 1
	contains "$output" '✓ blue1 to green, routed from domain to domain' '✗ node 2'"'"'s FRR has none of the three routes any more'
}

# commands NAME: those below "<!-- test: NAME -->".
commands() {
	awk -v mark="<!-- test: $1 -->" '
		$0 == mark { marked = 1; next }
		marked && /^```sh$/ { inside = 1; next }
		inside && /^```$/ { exit }
		inside { print }' "$TREE/README.md"
}

@test "README: every block of commands is one that a test runs" {
	is "$(grep -c '^```sh$' "$TREE/README.md")" "$(grep -c '^<!-- test: ' "$TREE/README.md")"
	is "$(sed -n 's/^<!-- test: \(.*\) -->$/\1/p' "$TREE/README.md" | sort | paste -sd,)" \
		'by hand,by hand in a VRF,frr,hbn,hbrctl,install,look,netns,node file,restore,start,status,trunk,trunk on a bridge,units'
}

@test "README: the first commands are targets of the Makefile" {
	commands start | grep -c '^make '
	while read -r make target _; do
		is "$make" make
		make -C "$TREE" -n "$target" >/dev/null
	done < <(commands start)
}

# follow NAME...: these blocks, one after the other. What they start keeps none of bats' descriptors.
follow() {
	for block; do
		bash -euxc "$(commands "$block")" 3>&- 4>&- || { echo "README, $block: that did not work" >&2; return 1; }
	done
}

# What the README's node has on the other end of its uplink: a spine, AS 65000.
spine() {
	ip -batch - <<-B
		netns add spine
		link add eth1 type veth peer name sp1 mtu 1600 netns spine
	B
	ip -n spine link set sp1 up
	BGP_PORT=179 frr_start spine
	frr_says spine 'configure terminal' 'router bgp 65000' 'bgp router-id 10.255.0.1' 'no bgp ebgp-requires-policy' \
		'neighbor sp1 interface remote-as external' 'address-family l2vpn evpn' 'neighbor sp1 activate'
}

@test "README: a node by hand, installation, a pod by hand, its traces; pods in VRFs, known to the spine" {
	need vrf vlan
	local tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/build"
	cp -a "$TREE"/{Makefile,plugins,shared,hbrctl,conf-examples,test} "$tree"
	cp -a "$BUILD/static" "$tree/build/"
	cd "$tree"
	PATH=$BUILD/tools:$PATH
	spine
	follow netns trunk hbn frr 'node file' install status
	[ -x /opt/cni/bin/hbr-l2 ] && [ -x /usr/local/sbin/hbrctl ]
	until_true 30 is_established spine
	snapshot_take "${ALIVE[@]}"
	commands 'by hand' >"$BATS_TEST_TMPDIR/by-hand"
	# Its traces are looked for where the README says that there are some: between ADD and DEL.
	sed '/cnitool del/,$d' "$BATS_TEST_TMPDIR/by-hand" >"$BATS_TEST_TMPDIR/add"
	bash -euxc "$(<"$BATS_TEST_TMPDIR/add")"
	is "$(fact pod1 net1 .mtu)" 1500
	run bash -euc "$(commands look)"
	is "$status" 0
	contains "$output" 'hbr-cni:' '"vlan":101' l2-10101 trunk-10101
	bash -euxc "$(grep '^export' "$BATS_TEST_TMPDIR/add"; sed -n '/cnitool del/,$p' "$BATS_TEST_TMPDIR/by-hand")"
	snapshot_same "${ALIVE[@]}"

	running=$(frr_running hbr)
	pod_add pod1 pod2
	NETCONFPATH=$EXAMPLES cni add l2-gateway pod1
	is "$(fact hbr br.10108 .master)" '"hbr"'
	reaches pod1 10.108.0.1
	reaches host 100.64.0.0
	within spine 2 10.108.0.10
	NETCONFPATH=$EXAMPLES cni add vrf-routed pod2
	reaches pod2 169.254.1.1
	within spine 5 fd09::10
	NETCONFPATH=$EXAMPLES cni del vrf-routed pod2
	run bash -euc "$(grep '^export' "$BATS_TEST_TMPDIR/add"; commands 'by hand in a VRF' | sed 's/pod2/pod3/')" 3>&- 4>&-
	is "$status" 0
	contains "$output" '"10.9.0.10/32"' 'vx.5000'
	NETCONFPATH=$EXAMPLES cni del l2-gateway pod1
	snapshot_same "${ALIVE[@]}"
	is "$(frr_running hbr)" "$running"
	/usr/lib/frr/frrinit.sh stop hbr
}

@test "README: a trunk on a bridge; the HBR netns goes, and another one comes" {
	need vrf vlan
	ip link add eth1 type veth peer name far
	follow netns trunk 'trunk on a bridge' hbn
	mkdir -p /etc/hbr-cni /opt/cni/bin
	cp "$PLUGIN" /opt/cni/bin/
	grep -qF '"hostTrunk": "trunk0"' "$TREE/README.md"
	echo '{"hostTrunk": "trunk0"}' >/etc/hbr-cni/node.json
	follow status
	snapshot_take
	pod_add pod
	NETCONFPATH=$EXAMPLES cni add l2-macvlan pod
	is "$(fact host tr.106 .link)" '"trunk0"'
	ip netns del hbr
	until_true 5 no_link host tr 2>/dev/null
	has_link pod net1
	until_true 5 no_link host eth1 2>/dev/null
	ip link add eth1 type veth peer name far
	follow netns trunk
	ip link set tr master trunk0
	output=$(PATH=$PLUGINS_DIR/sbin:$PATH follow restore)
	contains "$output" 'restored domain l2-10106' 'restored interface net1 of container '
	ip -n hbr addr add 10.106.0.8/24 dev br.10106
	reaches pod 10.106.0.8
	NETCONFPATH=$EXAMPLES cni del l2-macvlan pod
	no_link host tr.106
}

@test "README: hbrctl makes a node, foresees, shows and draws two pods; nothing is left" {
	need vrf vlan
	node_down
	snapshot_take
	mkdir -p /opt/cni/bin
	cp "$PLUGINS_DIR"/hbr-* /opt/cni/bin
	PATH=$PLUGINS_DIR/sbin:$BUILD/tools:$PATH
	cd "$TREE"
	run bash -euxc "$(commands hbrctl)"
	is "$status" 0 || { echo "$output" >&2; return 1; }
	contains "$output" 'made the vrf hbr' 'create  in the host: tr.2 type vlan' 'l2-10103  10103  2 ' ' 0% packet loss' '"host/tr.2" -- "host/tr"'
	rm -rf "$NODE_STATE"
	snapshot_same
}

@test "README: its table has every code" {
	is "$(sed -n 's/^| \([0-9]*\) | .*/\1/p' "$TREE/README.md" | xargs)" \
		"$(sed -n 's/^	ERROR_[A-Z_]* = \([0-9]*\),.*/\1/p' "$TREE/shared/base/error.h" | xargs)"
}

@test "README: what it links to is there" {
	local n=0
	while IFS='#' read -r file anchor; do
		[ -e "$TREE/${file:-README.md}" ] || { echo "there is no $file" >&2; return 1; }
		[ -z "$anchor" ] || sed -n 's/^##* //p' "$TREE/${file:-README.md}" | tr 'A-Z ' 'a-z-' | grep -qx -- "$anchor" ||
			{ echo "${file:-README.md} has no chapter $anchor" >&2; return 1; }
		n=$((n + 1))
	done < <(grep -o '](\([^):]*\))' "$TREE/README.md" | sed 's/^](//; s/)$//')
	[ "$n" -gt 5 ]
}

@test "reports.md: each row names a test that is there, and each report in a test's name has a row" {
	run awk -F ' *[|] *' '
		FILENAME ~ /md$/ && $2 ~ /\/.*#[0-9]+$/ { gsub(/`/, "", $4); sub(/.*#/, "#", $2); n++; file[n] = $4; number[n] = $2; begins[n] = $5 }
		/^@test "/ { sub(/.*\//, "", FILENAME); sub(/^@test "/, ""); m++; where[m] = FILENAME; test[m] = $0 }
		END {
			for (i = 1; i <= n; i++) {
				for (j = m; j > 0 && (where[j] != file[i] || index(test[j], begins[i]) != 1); j--);
				if (!j) print "no test in " file[i] " begins with: " begins[i]
			}
			for (j = 1; j <= m; j++)
				for (name = test[j]; match(name, /#[0-9]+/); name = substr(name, RSTART + RLENGTH)) {
					id = substr(name, RSTART, RLENGTH)
					for (i = n; i > 0 && (number[i] != id || file[i] != where[j] || index(test[j], begins[i]) != 1); i--);
					if (!i) print "no row for " id ": " where[j] ": " test[j]
				}
			print (n > 80), (m > 150)
		}' "$TREE/test/reports.md" "$TREE"/test/*.bats
	is "$output" '1 1'
}
