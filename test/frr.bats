#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# weight: 87
# VRFs in a real FRR. The three calls are made by a program of their own (test/unit/frr.c); FRR takes
# a VRF that has no links yet, so most of it is true on any kernel.

# shellcheck disable=SC2016 # other shells' variables in single quotes
load helpers
load frr.bash

setup_file() {
	ip netns add hbr
	frr_start hbr
	frr_evpn hbr
	everything >"$BATS_FILE_TMPDIR/before"
}
teardown_file() {
	frr_stop hbr
	node_down
}

setup() { node_file ''; }
teardown() { as_before; }

# "show vrf" has what the configuration does not: VRFs without a link that FRR was told of.
everything() { frr_running hbr; frr_says hbr 'show vrf'; }
as_before() { everything | diff -U0 "$BATS_FILE_TMPDIR/before" - >&2; }

# node_file KEYS: of "frr", as JSON text
node_file() {
	printf '{"stateDir": "%s/state", "frr": {"vtySocketDir": "%s"%s}}\n' "$BATS_TEST_TMPDIR" "${SOCKETS:-$FRR_DIR/hbr}" \
		"${1:+, $1}" >"$BATS_TEST_TMPDIR/node.json"
}

# frr VERB VRF VNI [ROUTER-ID [IMPORTED...]]: sets said, "<code> <message>", and err.
frr() {
	local program=$BUILD/test/unit/frr
	[ ! -x "$PLUGINS_DIR/test/unit/frr" ] || program=$PLUGINS_DIR/test/unit/frr
	said=$(HBR_CNI_NODE=$BATS_TEST_TMPDIR/node.json "$program" "$@" 2>"$BATS_TEST_TMPDIR/err" 3>&- 4>&-) || :
	err=$(<"$BATS_TEST_TMPDIR/err")
	[ -z "${KEEP:-}" ] || printf '%s\n' "$said" >>"$KEEP/said"
}

says() { # SAID VERB...: it says just that, and warns of nothing
	frr "${@:2}"
	is "$said" "$1" && is "$err" ''
}

undo() { says '0 done' withdraw "$@" && says '0 done' forget "$@"; }

# fake_vtysh <<SCRIPT
fake_vtysh() {
	{ echo '#!/bin/bash'; cat; } >"$BATS_TEST_TMPDIR/vtysh"
	chmod +x "$BATS_TEST_TMPDIR/vtysh"
	node_file "\"vtysh\": \"$BATS_TEST_TMPDIR/vtysh\"${1:+, $1}"
}

# vtysh, but of what a VRF is told, the line whose number is in the file "line" is refused. With the file
# "fake" FRR is not told of those before it either.
refusing_vtysh() {
	fake_vtysh <<-'E'
		dir=${0%/*} args=("$@")
		case $* in
		*'configure terminal'*'-c show vrf vni json') ;;
		*'show running-config') [ ! -e "$dir/fake" ] || { cat "$dir/fake"; exit; } ;&
		*) exec vtysh "$@" ;;
		esac
		at=$((4 + 2 * $(<"$dir/line")))
		printf '%s\n' "${args[at]}" >"$dir/refused"
		if [ -e "$dir/fake" ]; then
			for ((i = 4; i < at; i += 2)); do echo "host(config)# ${args[i]}"; done
		else
			vtysh "${args[@]:0:at - 1}"
		fi
		echo "host(config)# ${args[at]}"
		echo '% Not today'
		exit 1
	E
}

# refused_at LINE VRF VNI...: provision fails there and says so
refused_at() {
	echo "$1" >"$BATS_TEST_TMPDIR/line"
	frr provision "${@:2}"
	line=$(<"$BATS_TEST_TMPDIR/refused")
	[[ "$said" =~ ^'108 VRF '$2' in FRR: FRR refused line '[0-9]+', "'"$line"'": Not today'$ ]] ||
		{ printf 'line %s, %s: %s\n' "$1" "$line" "$said" >&2; return 1; }
}

@test "a VRF is told whole, the second time changes nothing, and nothing of it stays" {
	says '0 touched' provision red 5000 10.0.0.1
	frr_running hbr >"$BATS_TEST_TMPDIR/told"
	is "$(sed -n '/^router bgp 65001$/,/^exit$/p' "$BATS_TEST_TMPDIR/told")" "$(sed '/^vrf /d' "$BATS_FILE_TMPDIR/before")"
	is "$(sed '/^router bgp 65001$/,/^exit$/d' "$BATS_TEST_TMPDIR/told")" 'vrf red
 vni 5000
exit-vrf
router bgp 65001 vrf red
 bgp router-id 10.0.0.1
 no bgp ebgp-requires-policy
 address-family ipv4 unicast
  redistribute kernel route-map hbr-cni-red
  redistribute connected route-map hbr-cni-red
 exit-address-family
 address-family ipv6 unicast
  redistribute kernel route-map hbr-cni-red
  redistribute connected route-map hbr-cni-red
 exit-address-family
 address-family l2vpn evpn
  advertise ipv4 unicast
  advertise ipv6 unicast
 exit-address-family
exit
ip prefix-list hbr-cni-red seq 5 deny 169.254.0.0/16 le 32
ip prefix-list hbr-cni-red seq 10 deny 0.0.0.0/0
ip prefix-list hbr-cni-red seq 15 permit 0.0.0.0/0 le 32
ipv6 prefix-list hbr-cni-red seq 5 deny fe80::/10 le 128
ipv6 prefix-list hbr-cni-red seq 10 deny ::/0
ipv6 prefix-list hbr-cni-red seq 15 permit ::/0 le 128
route-map hbr-cni-red permit 10
 match ip address prefix-list hbr-cni-red
exit
route-map hbr-cni-red permit 20
 match ipv6 address prefix-list hbr-cni-red
exit'
	says '0 touched' provision red 5000 10.0.0.1
	frr_running hbr | diff -U0 "$BATS_TEST_TMPDIR/told" - >&2
	undo red 5000
	undo red 5000
}

@test "with an IPv6 VTEP the router ID is the default instance's" {
	says '0 touched' provision red 5000 2001:db8::1
	contains "$(frr_running hbr)" $'router bgp 65001 vrf red\n bgp router-id 10.0.0.1\n'
	undo red 5000
}

@test "a VRF without VNI: nothing without importVrfs, and with them no EVPN" {
	says '0 done' provision red 0 10.0.0.1
	as_before
	says '0 touched' provision red 0 10.0.0.1 blue
	running=$(frr_running hbr)
	contains "$running" '  import vrf blue' 'router bgp 65001 vrf blue'
	lacks "$running" 'advertise ipv4'
	lacks "$running" $'\nvrf red'
	undo red 0 10.0.0.1 blue
}

@test "two VRFs import each other and go in either order" {
	for first in red blue; do
		says '0 touched' provision red 5000 10.0.0.1 blue
		says '0 touched' provision blue 5001 10.0.0.1 red
		is "$(frr_running hbr | grep -c 'import vrf')" 4
		undo "$first" 5000
		is "$(frr_running hbr | grep -c 'import vrf')" 2
		undo red 5000
		undo blue 5001
		as_before
	done
}

@test "what only an import has made goes with the last that imports it" {
	says '0 touched' provision red 5000 10.0.0.1 green
	says '0 touched' provision blue 5001 10.0.0.1 green
	undo red 5000
	contains "$(frr_running hbr)" 'router bgp 65001 vrf green'
	undo blue 5001
}

@test "a VRF that the site has declared is left as it is; half a declaration is refused" {
	frr_says hbr 'configure terminal' 'vrf red' 'vni 5000' exit-vrf 'router bgp 65001 vrf red' 'bgp router-id 9.9.9.9'
	frr_running hbr >"$BATS_TEST_TMPDIR/declared"
	says '0 done' provision red 5000 10.0.0.1
	undo red 5000
	frr provision red 5009 10.0.0.1
	is "$said" '103 VRF red in FRR: FRR'"'"'s configuration has a BGP instance and another VNI for VRF red that is not ours: wanted none, or both "router bgp 65001 vrf red" and VNI 5009'
	frr_running hbr | diff -U0 "$BATS_TEST_TMPDIR/declared" - >&2
	frr_says hbr 'configure terminal' 'no router bgp 65001 vrf red'
	frr provision red 5000 10.0.0.1
	is "$said" '103 VRF red in FRR: FRR'"'"'s configuration has a VNI for VRF red that is not ours: wanted none, or both "router bgp 65001 vrf red" and VNI 5000'
	frr_says hbr 'configure terminal' 'vrf red' 'no vni 5000' exit-vrf 'no vrf red'
}

@test "a VNI that another VRF has in FRR is refused, and nothing stays" {
	says '0 touched' provision blue 5000 10.0.0.1
	frr provision red 5000 10.0.0.1
	is "$said" '108 VRF red in FRR: FRR refused line 14, "vni 5000": Configuration failed. Error type: validation Error description: VNI 5000 is already configured as L3-VNI'
	undo red 5000
	contains "$(frr_running hbr)" $'vrf blue\n vni 5000\n'
	undo blue 5000
}

@test "FRR refuses line k, for each k: the error has the line and its words" {
	vtysh --vty_socket "$FRR_DIR/hbr" -E -c 'show vrf vni json' -c 'show bgp vrfs json' -c 'show running-config' >"$BATS_TEST_TMPDIR/fake"
	refusing_vtysh
	line='' k=0
	until [ "$line" = 'show vrf vni json' ]; do
		k=$((k + 1))
		echo $k >"$BATS_TEST_TMPDIR/line"
		frr provision red 5000 10.0.0.1
		line=$(<"$BATS_TEST_TMPDIR/refused")
		case $line in
		end | 'show vrf'*) is "$said" "108 VRF red in FRR: FRR refused \"$line\": Not today" ;;
		*) refused_at $k red 5000 10.0.0.1 ;;
		esac
	done
	is "$k" 33
}

@test "after a line that is refused all that was told before it is taken back" {
	refusing_vtysh
	for k in 2 13 14 16 26 30; do
		refused_at $k red 5000 10.0.0.1
		undo red 5000
		as_before
	done
}

@test "the site's template: its text, its line in errors, and it is undone" {
	cat >"$BATS_TEST_TMPDIR/template" <<-'E'
		! of the site
		vrf {vrf}
		 vni {vni}
		exit-vrf
		router bgp {as} vrf {vrf}
		 bgp router-id 7.7.7.7
		 address-family ipv4 unicast
		  redistribute static route-map {route_map}
		  import vrf {import_vrf}
		 exit-address-family
		exit
	E
	node_file "\"template\": \"$BATS_TEST_TMPDIR/template\""
	says '0 touched' provision red 5000 10.0.0.1 blue green
	contains "$(frr_running hbr)" ' bgp router-id 7.7.7.7' '  redistribute static route-map hbr-cni-red' \
		$'  import vrf blue\n  import vrf green'
	undo red 5000
	as_before

	echo 'router {vnii}' >>"$BATS_TEST_TMPDIR/template"
	frr provision red 5000
	contains "$said" "7 VRF red in FRR: frr.template: $BATS_TEST_TMPDIR/template: line 12: \"{vnii}\" is no placeholder: wanted {vrf}, {vni},"
	as_before
	rm "$BATS_TEST_TMPDIR/template"
	frr provision red 5000
	is "$said" "7 VRF red in FRR: frr.template: $BATS_TEST_TMPDIR/template: does not exist"
	node_file '"template": "/"'
	frr provision red 5000
	is "$said" '7 VRF red in FRR: frr.template: /: wanted a regular file of at most 65536 bytes'
}

@test "the README has our text, word for word" {
	fake_vtysh '"template": "'"$BATS_TEST_TMPDIR"'/template"' <<-'E'
		[[ "$*" != *'configure terminal'* ]] || printf '%s\n' "$@" >>"${0%/*}/lines"
		exec vtysh "$@"
	E
	sed -n '/^### VRFs in FRR/,/^## /p' "$TREE/README.md" | sed -n '/^```/,/^```/p' | sed '/^```/d' >"$BATS_TEST_TMPDIR/template"
	says '0 touched' provision red 5000 10.0.0.1 blue
	mv "$BATS_TEST_TMPDIR/lines" "$BATS_TEST_TMPDIR/readme"
	undo red 5000
	rm -f "$BATS_TEST_TMPDIR/lines"
	node_file "\"vtysh\": \"$BATS_TEST_TMPDIR/vtysh\""
	says '0 touched' provision red 5000 10.0.0.1 blue
	diff "$BATS_TEST_TMPDIR/readme" "$BATS_TEST_TMPDIR/lines" >&2
	undo red 5000
}

@test "an FRR without BGP, without EVPN: a clear error" {
	frr_says hbr 'configure terminal' 'router bgp 65001' 'address-family l2vpn evpn' 'no advertise-all-vni'
	frr provision red 5000 10.0.0.1
	is "$said" '108 VRF red in FRR: FRR has no EVPN instance: wanted "advertise-all-vni" in "address-family l2vpn evpn" of "router bgp 65001"'
	frr_says hbr 'configure terminal' 'no router bgp 65001'
	frr provision red 5000 10.0.0.1
	is "$said" '108 VRF red in FRR: FRR has no BGP instance: wanted "router bgp AS" in its configuration'
	is "$(frr_running hbr)" ''
	frr_evpn hbr
}

@test "vtysh that is missing, is no program, hangs" {
	node_file '"vtysh": "/nowhere/vtysh"'
	for verb in provision withdraw forget; do
		says '108 VRF red in FRR: running /nowhere/vtysh: does not exist' $verb red 5000
	done
	node_file '"vtysh": "/etc/passwd"'
	says '108 VRF red in FRR: running /etc/passwd: Permission denied' provision red 5000
	fake_vtysh <<<'exec sleep 100'
	says "11 VRF red in FRR: $BATS_TEST_TMPDIR/vtysh has not ended after 10000 ms and was killed" provision red 5000
	fake_vtysh <<<'echo what is this'
	says '108 VRF red in FRR: vtysh ended with status 0: what is this' provision red 5000
	fake_vtysh <<<'exit 3'
	says '108 VRF red in FRR: vtysh ended with status 3: ' forget red 5000
}

@test "a daemon that does not run is named; with none there is nothing to take back" {
	says '0 touched' provision red 5000 10.0.0.1
	frr_stop hbr bgpd
	says '108 VRF red in FRR: FRR refused line 2, "show bgp vrfs json": bgpd is not running' provision red 5000
	undo red 5000 # from zebra
	lacks "$(frr_running hbr)" red
	frr_stop hbr zebra
	says "108 VRF red in FRR: FRR is not running, or its sockets are not in $FRR_DIR/hbr (frr.vtySocketDir of the node's file)" provision red 5000
	for verb in withdraw forget; do
		frr $verb red 5000
		is "$said" '0 done'
		contains "$err" 'warning: VRF red: FRR is not running: what it was told of it is gone'
	done
	frr_start hbr bgpd
	says '108 VRF red in FRR: FRR refused line 1, "show vrf vni json": zebra is not running' provision red 5000
	frr_stop hbr bgpd
	frr_start hbr
	frr_evpn hbr
}

@test "FRR killed and started again: the VRF is told again, and is gone when it is to go" {
	says '0 touched' provision red 5000 10.0.0.1
	frr_stop hbr
	frr_start hbr
	frr_evpn hbr
	undo red 5000
	says '0 touched' provision red 5000 10.0.0.1
	undo red 5000
}

@test "two calls for two VRFs at once: one vtysh after the other" {
	fake_vtysh <<-'E'
		mkdir "${0%/*}/busy" || { echo '% somebody else configures'; exit 1; }
		vtysh "$@"
		status=$?
		rmdir "${0%/*}/busy"
		exit $status
	E
	(frr provision red 5000 10.0.0.1; echo "$said" >"$BATS_TEST_TMPDIR/red") 3>&- 4>&- &
	says '0 touched' provision blue 5001 10.0.0.1
	wait $!
	is "$(<"$BATS_TEST_TMPDIR/red")" '0 touched'
	undo red 5000
	undo blue 5001
}

@test "FRR is asked until it has the VNI for the VRF, for 5 s" {
	fake_vtysh <<-'E'
		vtysh "$@" >"${0%/*}/said" || exit
		[[ "$*" == *'configure terminal'* ]] && [[ "$*" == *'show vrf vni json' ]] && echo 3 >"${0%/*}/left"
		left=$(cat "${0%/*}/left" 2>/dev/null)
		if [ "${left:-0}" = 0 ] || [[ "$*" != *'show vrf vni json' ]]; then
			cat "${0%/*}/said"
		else
			sed 's/"vni":5000/"vni":4999/' "${0%/*}/said"
			[ -e "${0%/*}/never" ] || echo $((left - 1)) >"${0%/*}/left"
		fi
	E
	says '0 touched' provision red 5000 10.0.0.1
	is "$(<"$BATS_TEST_TMPDIR/left")" 0
	touch "$BATS_TEST_TMPDIR/never"
	says '108 VRF red in FRR: FRR was told of VNI 5000, and "show vrf vni" does not have it after 5 s' provision red 5000 10.0.0.1
	undo red 5000
}

# A VRF with an L3VNI that is down, and a port: what the plugins make.
links_add() { # VRF TABLE VNI
	inside hbr <<-B
		link add $1 type vrf table $2
		link set $1 up
		route add table $2 unreachable default metric 4278198272
		route add table $2 unreachable ::/0 metric 4278198272
		link add br.$3 master $1 type bridge
		link set br.$3 addrgenmode none
		link add vx.$3 master br.$3 type vxlan id $3 local 10.0.0.1 dstport 4789 nolearning
		link add pv$3 master $1 type veth peer name q$3
		link set q$3 up
		link set pv$3 up
		addr add 169.254.1.1/32 dev pv$3
		addr add fe80::1/64 dev pv$3 nodad
		route add 10.99.0.2/32 dev pv$3 table $2
		route add fd00:99::2/128 dev pv$3 table $2
	B
}
links_up() { inside hbr <<<"link set vx.$1 up"$'\n'"link set br.$1 up"; }
links_del() { # VRF TABLE VNI
	inside hbr <<-B
		link del pv$3
		link del vx.$3
		link del br.$3
		link del $1
		route del table $2 unreachable default
		route del table $2 unreachable ::/0
	B
}

exported() { frr_says hbr "show bgp vrf $1 ipv4 unicast json" "show bgp vrf $1 ipv6 unicast json" | jq -sc 'map(.routes | keys) | add'; }
exports() { is "$(exported "$1")" "$2" 2>/dev/null; }

# bats test_tags=vlan
@test "the pods' routes are exported; link-local addresses and the unreachable default are not" {
	need vrf
	ip -n hbr -batch - <<<$'link set lo up\naddr add 10.0.0.1/32 dev lo'
	links_add red 1000 5000
	says '0 touched' provision red 5000 10.0.0.1
	contains "$(frr_says hbr 'show evpn vni json' | jq -c '.["5000"] | [.vni, .type, .vxlanIf // .vxlanIntf, .tenantVrf]')" '[5000,"L3","vx.5000","red"]'
	links_up 5000
	until_true 10 exports red '["10.99.0.2/32","fd00:99::2/128"]' || { exported red >&2; false; }
	routes=$(frr_says hbr 'show bgp l2vpn evpn' | grep -o '\*> .*')
	is "$routes" $'*> [5]:[0]:[32]:[10.99.0.2]\n*> [5]:[0]:[128]:[fd00:99::2]'
	says '0 done' withdraw red 5000
	links_del red 1000 5000
	says '0 done' forget red 5000
}

# bats test_tags=vlan
@test "a VRF whose link is still there is waited for; one that stays is an error" {
	need vrf
	links_add red 1000 5000
	says '0 touched' provision red 5000 10.0.0.1
	says '0 done' withdraw red 5000
	frr forget red 5000
	is "$said" '108 VRF red in FRR: FRR refused line 1, "no vrf red": Only inactive VRFs can be deleted'
	contains "$(frr_running hbr)" 'route-map hbr-cni-red permit 10' # it can be tried again
	(sleep 1; links_del red 1000 5000) 3>&- 4>&- &
	says '0 done' forget red 5000
	wait $!
}
