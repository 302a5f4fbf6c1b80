#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# hbrctl, the verbs that only look: a node with two domains, drift, a dead pod and a leftover.
load helpers
load hbrctl

setup_file() { BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR busy_node; }
teardown_file() { node_down; }

@test "show: domains, pods, drift, the dead, leftovers; nothing is changed" {
	snapshot_take
	ctl show
	says 0 'DOMAIN    VNI    VLAN  VRF  TABLE  MTU   ATTACH  HOLDERS  STATE
l2-10100  10100  -     -    -      1500  -       1        ok
l2-10200  10200  -     -    -      1500  -       2        drift

POD        CONTAINER  INTERFACE  NETWORK  DOMAIN    MAC                ADDRESSES     STATE
default/a  c-a        net1       blue     l2-10100  02:07:28:bb:d3:79  10.1.0.11/24  ok
default/c  c-c        net1       green    l2-10200  02:0a:fb:a1:d9:d8  -             drift
default/d  c-d        net1       green    l2-10200  02:fa:ed:e0:6e:a5  -             dead

DRIFT
  vxlan vx.10200 in the HBR netns has learning 1, wanted 0

LEFTOVERS
  bridge br.10300 in the HBR netns'
	snapshot_same
}

@test "show of a VNI, a domain, a container, its beginning: only what has to do with it, and the links" {
	local name
	ctl show 10200
	says 0 'DOMAIN    VNI    VLAN  VRF  TABLE  MTU   ATTACH  HOLDERS  STATE
l2-10200  10200  -     -    -      1500  -       2        drift

POD        CONTAINER  INTERFACE  NETWORK  DOMAIN    MAC                ADDRESSES  STATE
default/c  c-c        net1       green    l2-10200  02:0a:fb:a1:d9:d8  -          drift
default/d  c-d        net1       green    l2-10200  02:fa:ed:e0:6e:a5  -          dead

LINK      KIND    IN         ON  MASTER    STATE
br.10200  bridge  HBR netns  -   -         ok
vx.10200  vxlan   HBR netns  -   br.10200  drift

DRIFT
  vxlan vx.10200 in the HBR netns has learning 1, wanted 0'
	for name in l2-10100 10100 c-a; do
		ctl show "$name" --json
		is "$(jq -c '[[.domains[].name], [.attachments[].container], .leftovers]' <<<"$out")" '[["l2-10100"],["c-a"],[]]'
	done
	ctl show 1010
	is "$status $err" '1 hbrctl: no domain, VNI, VRF or container "1010" is known'
	ctl show --json nobody
	is "$status $(jq -c .domains <<<"$out")" '1 []'
}

@test "show --json has all that is known" {
	ctl show --json
	is "$(jq -c '[keys, .hbrThere, .trunk, (.domains[1] | .state, .fixed, .links[1])]' <<<"$out")" '[["attachments","domains","hbrNetns","hbrThere","leftovers","stateDir","trunk"],true,["tr","tr"],"drift",{"vni":10200,"vrf":"","gateway":[],"neighSuppress":false,"mtu":1500,"local":"10.0.0.1","vxlanPort":4789},{"name":"vx.10200","in":"HBR netns","kind":"vxlan","on":"","master":"br.10200","state":"drift","wrong":"vxlan vx.10200 in the HBR netns has learning 1, wanted 0"}]'
	is "$(jq -c '.attachments[0]' <<<"$out")" '{"id":"8e772d65dd6c98f6","container":"c-a","interface":"net1","network":"blue","plugin":"hbr-l2","pod":{"namespace":"default","name":"a"},"netns":"/run/netns/a","mac":"02:07:28:bb:d3:79","mtu":1500,"addresses":["10.1.0.11/24"],"domains":["l2-10100"],"port":"pv8e772d65dd6c","state":"ok","in":"HBR netns","on":"br.10100"}'
	is "$(jq -c .leftovers <<<"$out")" '[{"name":"br.10300","in":"HBR netns","kind":"bridge","alias":"","key":10300}]'
}

@test "what an attachment has beside links is looked at, too" {
	local port
	port=$(jq -r 'select(.containerID == "c-a").port' "$NODE_STATE"/*/attachments/*)
	bridge -n hbr fdb del 02:07:28:bb:d3:79 dev "$port" master
	ctl show c-a
	contains "$out" "the static forwarding entry of 02:07:28:bb:d3:79 on $port in the HBR netns is missing"
	bridge -n hbr fdb replace 02:07:28:bb:d3:79 dev "$port" master static
	ctl show c-a
	lacks "$out" DRIFT
}

@test "a record that is lost or unfinished, a damaged domain, an HBR netns that is away" {
	local state=$NODE_STATE
	cp -a "$state" "$BATS_TEST_TMPDIR/kept"
	jq 'del(.result)' "$BATS_TEST_TMPDIR/kept"/*/attachments/8e772d65dd6c98f6.json >"$(echo "$state"/*/attachments/8e772d65dd6c98f6.json)"
	rm "$state"/*/attachments/e399155121564590.json
	: >"$(echo "$state"/*/domains/l2-10100)/domain.json"
	ctl show --json
	is "$(jq -c '[.domains[].state], [.attachments[] | .container, .state]' <<<"$out" | tr '\n' ' ')" '["damaged","drift"] ["c-c","unrecorded","c-a","unfinished","c-d","dead"] '
	contains "$err" 'l2-10100/domain.json is damaged'
	rm -rf "${state:?}"/*
	cp -a "$BATS_TEST_TMPDIR/kept"/* "$state"
	ip netns add spare
	mount --bind /run/netns/hbr /run/netns/spare
	umount /run/netns/hbr
	ctl show --json
	is "$(jq -c '.hbrThere, [.domains[].state], [.attachments[].state], .leftovers' <<<"$out" | tr '\n' ' ')" 'false ["away","away"] ["away","away","dead"] [] '
	ctl show
	contains "$out" 'The HBR netns /run/netns/hbr is not there.'
	mount --bind /run/netns/spare /run/netns/hbr
	umount /run/netns/spare
}

@test "metrics" {
	ctl metrics
	says 0 '# HELP hbr_cni_hbr_netns_there Whether the HBR netns is there.
# TYPE hbr_cni_hbr_netns_there gauge
hbr_cni_hbr_netns_there 1
# HELP hbr_cni_domains Domains on this node.
# TYPE hbr_cni_domains gauge
hbr_cni_domains{state="ok"} 1
hbr_cni_domains{state="drift"} 1
hbr_cni_domains{state="away"} 0
hbr_cni_domains{state="unheld"} 0
hbr_cni_domains{state="damaged"} 0
# HELP hbr_cni_attachments Interfaces of pods on this node.
# TYPE hbr_cni_attachments gauge
hbr_cni_attachments{state="ok"} 1
hbr_cni_attachments{state="drift"} 1
hbr_cni_attachments{state="away"} 0
hbr_cni_attachments{state="dead"} 1
hbr_cni_attachments{state="unfinished"} 0
hbr_cni_attachments{state="unrecorded"} 0
hbr_cni_attachments{state="unseen"} 0
# HELP hbr_cni_domain_holders What holds a domain: pods, L2 domains of a VRF.
# TYPE hbr_cni_domain_holders gauge
hbr_cni_domain_holders{domain="l2-10100"} 1
hbr_cni_domain_holders{domain="l2-10200"} 2
# HELP hbr_cni_domain_drift Links of a domain that the kernel has otherwise.
# TYPE hbr_cni_domain_drift gauge
hbr_cni_domain_drift{domain="l2-10100"} 0
hbr_cni_domain_drift{domain="l2-10200"} 1
# HELP hbr_cni_leftovers Links with our mark that nobody remembers.
# TYPE hbr_cni_leftovers gauge
hbr_cni_leftovers 1'
}

@test "graph: dot of all that; SVG where dot is" {
	ctl graph
	says 0 'graph hbr {
  rankdir=LR;
  node [shape=box];
  subgraph cluster_0 {
    label="host";
  }
  subgraph cluster_1 {
    label="HBR netns";
    "HBR netns/br.10100" [label="br.10100\nbridge"];
    "HBR netns/vx.10100" [label="vx.10100\nvxlan"];
    "HBR netns/br.10200" [label="br.10200\nbridge"];
    "HBR netns/vx.10200" [label="vx.10200\nvxlan", color=red];
    "HBR netns/br.10300" [label="br.10300\nbridge", color=red];
  }
  "HBR netns/vx.10100" -- "HBR netns/br.10100";
  "HBR netns/vx.10200" -- "HBR netns/br.10200";
  "host/tr" -- "HBR netns/tr" [style=bold];
  "pod/8e772d65dd6c98f6" [shape=ellipse, label="default/a\nnet1"];
  "pod/8e772d65dd6c98f6" -- "HBR netns/br.10100";
  "pod/e399155121564590" [shape=ellipse, label="default/c\nnet1", color=red];
  "pod/e399155121564590" -- "HBR netns/br.10200";
  "pod/d8d53edaa2f1893d" [shape=ellipse, label="default/d\nnet1", color=red];
  "pod/d8d53edaa2f1893d" -- "HBR netns/br.10200";
}'
	ctl graph --svg
	if [ -x /usr/bin/dot ]; then
		contains "$out" '<svg' 'vx.10200'
	else
		is "$status $err" '2 hbrctl: --svg: there is no /usr/bin/dot: wanted Graphviz installed'
	fi
}

@test "colours on a terminal only, and not with NO_COLOR" {
	ctl show
	lacks "$out" $'\e['
	contains "$(script -qec "$HBRCTL show" /dev/null </dev/null 3>&- 4>&-)" $'\e[32mok\e[0m' $'\e[31mdead\e[0m' $'\e[33mdrift\e[0m'
	lacks "$(NO_COLOR=1 script -qec "$HBRCTL show" /dev/null </dev/null 3>&- 4>&-)" $'\e['
}

@test "wrong usage is status 2 and says what is wanted; so is an answer that cannot be written" {
	ctl show a b
	is "$status $err" '2 hbrctl: show: wanted hbrctl show [OPTION]... [NAME]'
	ctl show --nonsense
	is "$status $err" '2 hbrctl: show --nonsense: wanted hbrctl show [OPTION]... [NAME]'
	ctl graph --json
	is "$status" 2
	ctl shwo
	is "$status ${err%%$'\n'*}" '2 hbrctl: there is no verb "shwo"'
	ctl show --node /nowhere/node.json
	is "$status $err" '2 hbrctl: node file /nowhere/node.json: does not exist (ENOENT)'
	status=0
	"$HBRCTL" show >/dev/full 2>/dev/null || status=$?
	is "$status" 2
}

@test "help, man page and completion know every verb and its options" {
	local verbs verb
	ctl help
	is "$status" 0
	mapfile -t verbs < <(sed -n 's/^  \([a-z]*\) .*/\1/p' <<<"$out")
	[ ${#verbs[@]} -ge 6 ]
	ctl manual
	is "$(sed -n 's/^\.SS \([a-z]*\).*/\1/p' <<<"$out")" "$(printf '%s\n' "${verbs[@]}")"
	is "$(man --warnings -E UTF-8 -l -Tutf8 -Z <(echo "$out") 2>&1 >/dev/null)" ''
	ctl completion
	words() { # WORD...: what completes the last one
		bash -c 'eval "$1"; shift; COMP_WORDS=(hbrctl "$@"); COMP_CWORD=$#; _hbrctl; echo "${COMPREPLY[@]}"' bash "$out" "$@"
	}
	is "$(words '')" "${verbs[*]}"
	is "$(words sh)" show
	is "$(words show --j)" --json
	is "$(words graph --)" '--svg --node --help --version'
	for verb in "${verbs[@]}"; do
		is "$("$HBRCTL" "$verb" --help | sed -n 's/^  --\([a-z-]*\).*/--\1/p' | sort)" "$(words "$verb" -- | tr ' ' '\n' | sort)"
	done
}
