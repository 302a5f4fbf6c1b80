#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 79
# What is remembered: damaged, lost, out of date, of another HBR netns; and who counts as alive.

load helpers
load vrf

KEYS='"vlan": 100, "macspoofchk": true, "addresses": [{"address": "10.1.0.1/24"}]'
LEASED='"vlan": 100, "ipam": {"type": "host-local", "dataDir": "/run/leases", "ranges": [[{"subnet": "10.1.0.0/24"}]]}'
STRIPPED='{"cniVersion": "1.0.0", "name": "n10100", "type": "hbr-l2"}'

setup() {
	need vrf vlan
	[ -e /run/netns/hbr ] || node_up
	for pod in pod1 pod2; do
		[ -e "/run/netns/$pod" ] || pod_add $pod
	done
	[ ! -e /run/leases ] || rm -r /run/leases
	rm -rf "$NODE_STATE"
	snapshot_take
}
teardown() { [ "${BATS_TEST_COMPLETED:-}" = 1 ] || node_down; }
teardown_file() { node_down; }

state() { echo "$NODE_STATE"/hbr-*; }
leases() { find /run/leases -type f -name '*[.:]*' -not -name 'last*' -printf '%f\n' | sort | xargs; }
records() { find "$NODE_STATE" -path '*/attachments/*.json' | wc -l; }

spoil() { # HOW FILE...
	local file
	for file in "${@:2}"; do
		case $1 in
		removed) rm "$file" ;;
		emptied) : >"$file" ;;
		halved) head -c $(($(stat -c %s "$file") / 2)) "$file" >"$file.cut" && mv "$file.cut" "$file" ;;
		nuls) head -c "$(stat -c %s "$file")" /dev/zero >"$file.new" && mv "$file.new" "$file" ;;
		array) echo '[{"config": {"vni": 10100}}]' >"$file" ;;
		cut) head -c 40 "$file" >"$file.cut" && mv "$file.cut" "$file" ;;
		nonsense) echo '{"config": {"vni": "x"}, "vlan": "y", "vni": []}' >"$file" ;;
		unreadable) jq '.config.vni = "x"' "$file" >"$file.new" && mv "$file.new" "$file" ;;
		directory) rm "$file" && mkdir "$file" ;;
		symlink) rm "$file" && ln -s /etc/passwd "$file" ;;
		pipe) rm "$file" && mkfifo "$file" ;;
		esac
	done
}

# survives HOW FILE... <CONFIGURATION: DEL cleans up all the same.
survives() {
	spoil "$@"
	works DEL pod1
	is "$out" ''
	[ "$1" = removed ] || contains "$err" 'warning: '
	no_link pod1 net1
	snapshot_same
}

@test "sriov-cni#178: a record that is gone or damaged: DEL cleans up by the marks" {
	passwd=$(md5sum </etc/passwd)
	for how in removed emptied cut nonsense unreadable directory symlink pipe; do
		works ADD pod1 < <(l2 10100 "$KEYS")
		survives $how "$(state)"/attachments/*.json <<<"$STRIPPED"
	done
	is "$(md5sum </etc/passwd)" "$passwd"
}

@test "a domain that is forgotten or damaged: DEL cleans up by the marks" {
	for how in removed emptied cut nonsense directory symlink; do
		works ADD pod1 < <(l2 10100 "$KEYS")
		survives $how "$(state)"/domains/*/domain.json < <(l2 10100 "$KEYS")
	done
}

@test "record, domains and holders damaged at once: DEL cleans up by the marks" {
	for how in removed emptied nonsense symlink; do
		works ADD pod1 < <(l2 10100 "$KEYS")
		survives $how "$(state)"/attachments/*.json "$(state)"/domains/*/* <<<"$STRIPPED"
	done
}

# Of both plugins, one after the other: a bridge with a gateway in a VRF, and a routed port of that VRF.
damaged() { # HOW PATTERN: below the state directory
	local which
	for which in gateway routed; do
		as $which
		works ADD pod1 < <(way $which 1 | jq -c "$([ $which = routed ] || echo '.macspoofchk = true')")
		# shellcheck disable=SC2046,SC2086 # several names, a pattern
		survives "$1" $(cd "$(state)" && realpath $2) <<<'{"cniVersion": "1.0.0", "name": "stripped", "type": "any"}' || { echo "$which: $1 $2" >&2; return 1; }
	done
}

@test "both plugins: record, domains, holders emptied, halved, filled with NULs, of another type, a directory: DEL cleans up" {
	local how
	for how in emptied halved nuls array directory; do damaged $how 'attachments/*.json'; done
	for how in nuls array directory; do damaged $how 'domains/*/domain.json'; done
	damaged halved 'domains/*/????????????????'
	damaged directory '*/*.json domains/*/*'
}

@test "the claim of a MAC is damaged: DEL cleans up, and the MAC is the next pod's" {
	local how mac='"vlan": 100, "mac": "02:00:00:00:00:07"'
	for how in emptied nuls array directory; do
		works ADD pod1 < <(l2 10100 "$mac, \"macspoofchk\": true")
		spoil $how "$(state)"/domains/l2-10100/*.mac
		works DEL pod1 <<<"$STRIPPED"
		snapshot_same
		works ADD pod2 < <(l2 10100 "$mac")
		works DEL pod2 <<<"$STRIPPED"
		snapshot_same
	done
}

@test "a domain's file with a value of another type: ADD says so with code 107, DEL cleans up" {
	works ADD pod1 < <(l2 10100 '"vlan": 100, "mtu": 1400')
	for key in '.mtu = "y"' '.mtu = [1400]' '.vni = {}'; do
		cp "$(state)"/domains/l2-10100/domain.json "$BATS_TEST_TMPDIR/whole"
		jq "$key" "$BATS_TEST_TMPDIR/whole" >"$(state)"/domains/l2-10100/domain.json
		plugin ADD pod2 < <(l2 10100 '"mtu": 1400')
		refused 107 'the L2 domain of VNI 10100: ' ' is not allowed: wanted '
		no_link pod2 net1
		cp "$BATS_TEST_TMPDIR/whole" "$(state)"/domains/l2-10100/domain.json
	done
	jq '.mtu = "y"' "$BATS_TEST_TMPDIR/whole" >"$(state)"/domains/l2-10100/domain.json
	works DEL pod1 <<<"$STRIPPED"
	snapshot_same
}

@test "a directory in the place of a file: ADD says which" {
	works ADD pod1 < <(l2 10100 "$KEYS")
	directory=$(state)/attachments
	works DEL pod1 < <(l2 10100 "$KEYS")
	rmdir "$directory"
	: >"$directory"
	plugin ADD pod1 < <(l2 10100 "$KEYS")
	refused 107 "$directory is a plain file: wanted a directory"
	rm "$directory"
	snapshot_same
}

@test "ovs-cni#304: the whole state is lost: each DEL takes its own, the last one all" {
	works ADD pod1 < <(l2 10100 "$KEYS")
	works ADD pod2 < <(l2 10100)
	for config in "$(l2 10100 "$KEYS")" "$STRIPPED"; do
		rm -r "$NODE_STATE"
		works DEL pod1 <<<"$config"
		no_link pod1 net1
		has_link pod2 net1
		is "$(fact hbr vx.10100 '[.master, .operstate]')" '["br.10100","UNKNOWN"]'
		works ADD pod1 < <(l2 10100 "$KEYS")
	done
	rm -r "$NODE_STATE"
	works DEL pod1 <<<"$STRIPPED"
	works DEL pod2 <<<"$STRIPPED"
	snapshot_same
}

@test "files are 0600 in directories 0700, whatever the umask" {
	for mask in 000 077 777; do
		rm -rf "$NODE_STATE"
		umask $mask
		works ADD pod1 < <(l2 10100 "$KEYS")
		umask 022
		is "$(find "$NODE_STATE" -printf '%y %m\n' | sort | uniq | xargs)" 'd 700 f 600'
		works DEL pod1 < <(l2 10100 "$KEYS")
	done
	snapshot_same
}

@test "cri-o#4727, multus-cni: a holder whose pod is gone is reaped by the next ADD on its domain" {
	works ADD pod1 < <(l2 10100 "$LEASED")
	is "$(leases)" 10.1.0.2
	pod_del pod1
	works ADD pod2 < <(l2 10100 "$LEASED")
	is "$(leases)" 10.1.0.3
	is "$(records)" 1
	works DEL pod2 < <(l2 10100 "$LEASED")
	is "$(leases)" ''
	snapshot_same
}

@test "a holder whose pod is gone is reaped by the last DEL on its domain" {
	works ADD pod1 < <(l2 10100 "$LEASED")
	works ADD pod2 < <(l2 10100 "$LEASED")
	is "$(leases) $(records)" '10.1.0.2 10.1.0.3 2'
	pod_del pod1
	works DEL pod2 < <(l2 10100 "$LEASED")
	is "$(leases)" ''
	is "$(records)" 0
	snapshot_same
}

@test "a holder in whose place another namespace is, is reaped" {
	works ADD pod1 < <(l2 10100 "$LEASED")
	pod_del pod1
	pod_add pod1
	works ADD pod2 < <(l2 10100 "$LEASED")
	is "$(leases)" 10.1.0.3
	works DEL pod2 < <(l2 10100 "$LEASED")
	snapshot_same
}

# unknown_is_alive: pod1's holder is none that is proven dead: it is neither reaped nor disregarded.
unknown_is_alive() {
	works ADD pod2 < <(l2 10100 "$LEASED")
	works DEL pod2 < <(l2 10100 "$LEASED")
	is "$(leases)" 10.1.0.2
	is "$(records)" 1
	has_link hbr vx.10100
	works DEL pod1 < <(l2 10100 "$LEASED")
	is "$(leases)" ''
	snapshot_same
}

@test "a holder whose file is damaged is alive" {
	works ADD pod1 < <(l2 10100 "$LEASED")
	for how in emptied cut nonsense; do
		spoil $how "$(state)"/domains/l2-10100/????????????????
		works ADD pod2 < <(l2 10100 "$LEASED")
		works DEL pod2 < <(l2 10100 "$LEASED")
		is "$(leases) $(records)" '10.1.0.2 1'
		has_link pod1 net1
		has_link hbr vx.10100
	done
	works DEL pod1 < <(l2 10100 "$LEASED")
	is "$(leases)" ''
	snapshot_same
}

@test "a domain that only a dead holder without a record kept is made anew, as is asked now" {
	for mtu in 1300 1400; do
		works ADD pod1 < <(l2 10100 '"vlan": 100, "mtu": 1350')
		rm "$(state)"/attachments/*.json
		pod_del pod1
		works ADD pod2 < <(l2 10100 "\"vlan\": 101, \"mtu\": $mtu")
		is "$(fact hbr vx.10100 .mtu) $(fact pod2 net1 .mtu)" "$mtu $mtu"
		works DEL pod2 < <(l2 10100)
		pod_add pod1
	done
	snapshot_same
}

@test "a holder whose namespace cannot be seen is alive: a plain file" {
	works ADD pod1 < <(l2 10100 "$LEASED")
	ip -n pod1 link del net1
	umount /run/netns/pod1
	unknown_is_alive
	rm /run/netns/pod1
}

@test "a holder whose namespace cannot be seen is alive: its directory is not there" {
	mkdir /run/elsewhere
	: >/run/elsewhere/pod1
	mount --bind /run/netns/pod1 /run/elsewhere/pod1
	NETNS=/run/elsewhere/pod1 works ADD pod1 < <(l2 10100 "$LEASED")
	ip -n pod1 link del net1
	umount /run/elsewhere/pod1
	rm -r /run/elsewhere
	unknown_is_alive
}

# The HBR netns goes, and another one of that name comes.
replace_hbr() {
	ip netns del hbr
	until_true 5 eval '[ ! -e /sys/class/net/tr ] && ! has_link spine sp1'
	node_up
}
RANDOM_MACS=(-x '*link tr *' -x '*link hbn *' -x '*link hbr *' -x '*fdb tr *' -x '*fdb hbn *')

@test "openperouter#19: the HBR netns is replaced: the next ADD rebuilds, the pod that lived on is reached" {
	snapshot_take "${RANDOM_MACS[@]}"
	works ADD pod1 < <(l2 10100 "$KEYS")
	inside=$(kept pod1)
	replace_hbr
	is "$(kept pod1)" "$inside"
	works ADD pod2 < <(l2 10100 '"addresses": [{"address": "10.1.0.2/24"}]')
	is "$(fact hbr vx.10100 '[.master, .linkinfo.info_data.id]')" '["br.10100",10100]'
	is "$(fact hbr tr.100 '[.master, .linkinfo.info_data.id]')" '["br.10100",100]'
	is "$(fact host tr.100 .master)" '"br.10100"'
	ip -n hbr addr add 10.1.0.254/24 dev br.10100
	reaches pod1 10.1.0.254
	reaches pod1 10.1.0.2
	works DEL pod1 < <(l2 10100 "$KEYS")
	works DEL pod2 <<<"$STRIPPED"
	snapshot_same "${RANDOM_MACS[@]}"
}

@test "the HBR netns is replaced: DEL of what was made for the old one" {
	snapshot_take "${RANDOM_MACS[@]}"
	works ADD pod1 < <(l2 10100 "$LEASED")
	works ADD pod2 < <(l2 10100 "$LEASED")
	is "$(leases) $(records)" '10.1.0.2 10.1.0.3 2'
	replace_hbr
	works DEL pod1 < <(l2 10100 "$LEASED")
	works DEL pod2 <<<"$STRIPPED"
	is "$(leases)" ''
	snapshot_same "${RANDOM_MACS[@]}"
}

@test "cri-o#4727: after a loss of all but the state, a new pod comes up and leaves nothing" {
	snapshot_take "${RANDOM_MACS[@]}"
	works ADD pod1 < <(l2 10100 "$LEASED")
	pod_del pod1
	replace_hbr
	works ADD pod2 < <(l2 10100 "$LEASED")
	has_link hbr vx.10100
	works DEL pod2 < <(l2 10100 "$LEASED")
	is "$(leases)$(records)" 0
	snapshot_same "${RANDOM_MACS[@]}"
}

@test "a network with an HBR netns of its own: DEL without that key finds the record" {
	ip netns add other
	ip -batch - <<-B
		link add tr2 type veth peer name tr netns other
		link set tr2 addrgenmode none
		link set tr2 up
	B
	ip -n other -batch - <<-B
		addr add 10.0.0.9/32 dev lo
		link set lo up
		link set tr addrgenmode none
		link set tr up
	B
	snapshot_take
	keys='"vlan": 100, "mtu": 1400, "hbr": {"hbrNetns": "/run/netns/other", "hostTrunk": "tr2"}'
	plugin ADD pod1 < <(l2 10100 "$keys")
	refused 7 'hbr.hbrNetns: ' 'overridable'
	echo '{"overridable": ["hbrNetns", "hostTrunk"]}' >/etc/hbr-cni/node.json
	for config in "$STRIPPED" "$(l2 10100 '"vlan": 100')" "$(l2 10100 "$keys")"; do
		works ADD pod1 < <(l2 10100 "$keys")
		is "$(ip -n other -json link | jq -r 'map(.ifname) | sort | join(" ")')" 'br.10100 lo tr tr.100 vx.10100'
		works DEL pod1 <<<"$config"
		is "$(ip -n other -json link | jq -r 'map(.ifname) | sort | join(" ")')" 'lo tr'
		no_link pod1 net1
		snapshot_same
	done
	rm /etc/hbr-cni/node.json
	ip netns del other
}

@test "the node's file names another HBR netns by now: DEL goes to that of ADD" {
	ip netns add other
	snapshot_take
	for named in other gone; do
		works ADD pod1 < <(l2 10100 "$LEASED")
		echo "{\"hbrNetns\": \"/run/netns/$named\"}" >/etc/hbr-cni/node.json
		works DEL pod1 <<<"$STRIPPED"
		rm /etc/hbr-cni/node.json
		no_link pod1 net1
		is "$(leases)$(records)" 0
		snapshot_same
	done
	ip netns del other
}
