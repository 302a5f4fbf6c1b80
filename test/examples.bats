#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 30
# What a user reads first is run: the examples, the demo, the README's own commands.

load helpers

# shellcheck disable=SC2153 # TREE and BUILD come from the bed
EXAMPLES=$TREE/conf-examples

# A block of text in a YAML file: the lines below "KEY: |", without their indent.
block() {
	awk -v key="$2: |" '
		inside { match($0, /^ */); if (RLENGTH < indent && NF) exit; print substr($0, indent + 1) }
		index($0, key) && !inside { getline; match($0, /^ */); indent = RLENGTH; inside = 1; print substr($0, indent + 1) }' "$1"
}

setup() {
	NADS=$BATS_TEST_TMPDIR/nads
	mkdir "$NADS"
	for nad in "$EXAMPLES"/*.yaml; do
		grep -q '^kind: NetworkAttachmentDefinition' "$nad" || continue
		name=${nad##*/}
		block "$nad" config >"$NADS/${name%.yaml}.conflist"
	done
}

teardown() { node_down; }

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

# life NETWORK LOOK [CAP_ARGS [CNI_ARGS]]: from the conflist, and from the NAD: ADD, what LOOK sees,
# CHECK, DEL, nothing left. What is asked for the pod comes with ADD only, as from Multus.
life() {
	local form
	need vrf vlan
	node_up
	pod_add pod peer
	snapshot_take
	for form in "$EXAMPLES" "$NADS"; do
		NETCONFPATH=$form CAP_ARGS=${3:-} CNI_ARGS=${4:-} cni add "$1" pod >"$BATS_TEST_TMPDIR/result"
		"$2"
		NETCONFPATH=$form cni check "$1" pod
		NETCONFPATH=$form cni del "$1" pod
		is "$(ip -n pod -json link | jq -c 'map(.ifname)')" '["lo"]'
		snapshot_same
	done
}

addresses() {
	ip -n pod -json addr show dev net1 |
		jq -r '[.[0].addr_info[] | select(.scope == "global") | "\(.local)/\(.prefixlen)"] | join(" ")'
}

routes() { { ip -n pod -json route; ip -n pod -json -6 route; } | jq -rs 'add | map(select(.gateway) | "\(.dst) \(.gateway)") | join(", ")'; }

@test "every example is listed, is in both forms, and speaks 1.0.0" {
	for file in "$EXAMPLES"/*; do
		name=${file##*/}
		case $name in
		README.md) continue ;;
		*.conflist)
			[ -s "$NADS/$name" ]
			is "$(jq -r .name "$file")" "${name%.conflist}"
			is "$(sed -n 's/^  name: //p' "${file%.conflist}.yaml")" "${name%.conflist}"
			is "$(jq -S . "$NADS/$name")" "$(jq -S . "$file")"
			is "$(jq -r .cniVersion "$file")" 1.0.0
			grep -q "^	life ${name%.conflist} " "$BATS_TEST_FILENAME"
			name=${name%.conflist}
			;;
		*.yaml) [ -e "${file%.yaml}.conflist" ] || grep -q '^kind: Pod' "$file" || return 1; name=${name%.yaml} ;;
		esac
		grep -q "^| \`$name" "$EXAMPLES/README.md" || { echo "$name is not in the list" >&2; return 1; }
	done
	is "$(find "$NADS" -name '*.conflist' | wc -l)" "$(find "$EXAMPLES" -name '*.conflist' | wc -l)"
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
	is "$(fact hbr br.10108 .master)$(fact hbr br.5000 .master)" '"red""red"'
	reaches pod 10.108.0.1
	reaches pod fd00:108::1
}
@test "l2-gateway" {
	life l2-gateway look_gateway
}

look_routed() {
	is "$(addresses)" '10.9.0.10/32 fd09::10/128'
	is "$(routes)" '10.0.0.0/8 169.254.1.1, fd00::/8 fe80::1'
	reaches pod 169.254.1.1
	ip -n hbr addr add 10.9.0.1/32 dev red
	reaches pod 10.9.0.1
	ip -n hbr addr del 10.9.0.1/32 dev red
}
@test "vrf-routed" {
	life vrf-routed look_routed
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

@test "node.json: its keys are known, listed, and do what the list says" {
	need vrf vlan
	for key in $(jq -r 'keys[]' "$EXAMPLES/node.json"); do
		grep -q "\.key = \"$key\"" "$TREE/shared/node/node_fields.c"
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

# demo_with PLUGIN-TEXT [ARG]: the demo, with a script as the plugin.
demo_with() {
	mkdir -p "$BATS_TEST_TMPDIR/plugins"
	printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/plugins/hbr-l2"
	chmod +x "$BATS_TEST_TMPDIR/plugins/hbr-l2"
	SNAPSHOT_TRIES=3 PLUGINS_DIR=$BATS_TEST_TMPDIR/plugins run "$TREE/test/demo" "${@:2}"
}

@test "the demo holds, in less than 60 lines of plain text" {
	need vrf vlan
	run "$TREE/test/demo"
	is "$status" 0
	contains "$output" 'Every step held.' 'vlan: 200 was asked for, but the VLAN of VNI 10105 has 2'
	lacks "$output" $'\e'
	[ "$(wc -l <<<"$output")" -lt 60 ]
}

@test "the demo fails with a plugin that does nothing" {
	need vrf vlan
	demo_with '#!/bin/true'
	is "$status" 1
	contains "$output" '✗ added: this did not hold'
	cp /bin/true "$BATS_TEST_TMPDIR/plugins/hbr-l2"
	PLUGINS_DIR=$BATS_TEST_TMPDIR/plugins run "$TREE/test/demo"
	is "$status" 1
	lacks "$output" 'Every step held'
}

@test "the demo fails with a plugin that does nothing on the DEL of its pods" {
	need vrf vlan
	demo_with "#!/bin/sh
		case \$CNI_COMMAND\$CNI_NETNS in DEL*blue?) exit ;; esac
		exec '$PLUGIN'" --color
	is "$status" 1
	contains "$output" $'\e[32m✓\e[0m blue1 and blue3 talk, IPv4' 'blue3 leaves' '✗ both nodes are as they were before'
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
	is "$(grep '^<!-- test: ' "$TREE/README.md" | sort | xargs -d '\n')" \
		'<!-- test: by hand --> <!-- test: install --> <!-- test: look --> <!-- test: node --> <!-- test: start --> <!-- test: status -->'
}

@test "README: the first commands are targets of the Makefile" {
	commands start | grep -c '^make '
	while read -r make target _; do
		is "$make" make
		make -C "$TREE" -n "$target" >/dev/null
	done < <(commands start)
}

@test "README: a node by hand, installation, a pod by hand, its traces" {
	need vrf vlan
	local tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/build"
	cp -a "$TREE"/{Makefile,plugins,shared,conf-examples,test} "$tree"
	cp -a "$BUILD/static" "$tree/build/"
	cd "$tree"
	PATH=$BUILD/tools:$PATH
	bash -euxc "$(commands node)"
	bash -euxc "$(commands install)"
	[ -x /opt/cni/bin/hbr-l2 ]
	bash -euxc "$(commands status)"
	snapshot_take
	commands 'by hand' >"$BATS_TEST_TMPDIR/by-hand"
	# Its traces are looked for where the README says that there are some: between ADD and DEL.
	sed '/cnitool del/,$d' "$BATS_TEST_TMPDIR/by-hand" >"$BATS_TEST_TMPDIR/add"
	bash -euxc "$(<"$BATS_TEST_TMPDIR/add")"
	run bash -euc "$(commands look)"
	is "$status" 0
	contains "$output" 'hbr-cni:' '"vlan":101' l2-10101 trunk-10101
	bash -euxc "$(grep '^export' "$BATS_TEST_TMPDIR/add"; sed -n '/cnitool del/,$p' "$BATS_TEST_TMPDIR/by-hand")"
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
