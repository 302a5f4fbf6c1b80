#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=fabric
# weight: 102
# The HBR netns dies, and another one comes: what stays of pods, and what brings back the rest.
load helpers
load fabric
load hbrctl
load reborn

setup_file() {
	need vrf vlan macvlan
	fabric_up
	mkdir -p /etc/cni/net.d
}
teardown_file() { fabric_down; }

setup() { started=(); }
teardown() {
	reborn_stop
	fabric_mend
}

# The pods that talk with each other: kind, one, another one here, one on the other node.
TALKS='gateway b11 b12 b100
bridge p1 o13 o100
macvlan s11 m12 m100
direct d11 d12 d100
routed r11 r12 r100'

start_talking() {
	local kind one here there
	while read -r kind one here there; do
		printf '%s %s %s %s %s\n' "$kind" "$here" "${address[$here]}" "$one" "${address[$one]}" \
			"$kind-far" "$there" "${address6[$there]}" "$one" "${address6[$one]}"
		pinging "$kind" "$one" "${address[$here]}"
		pinging "$kind-far" "$one" "${address[$there]}"
	done <<<"$TALKS" >"$BATS_TEST_TMPDIR/talks"
	"$TREE/test/talk.py" <"$BATS_TEST_TMPDIR/talks" >"$BATS_TEST_TMPDIR/talk" 2>&1 3>&- 4>&- &
	started+=("$!")
}

# look FILE: what the pods are. An interface that is made again has another number, and with it the route
# to its gateway another metric; bridge pods have the same.
look() {
	pods_now "${NEAR[@]}" | sed '/ to 169.254.1.1 /s/ metric [0-9]*//' >"$1"
	indexes "${NEAR[@]:0:10}" >>"$1"
}

# said WORD: how many domains and attachments hbrctl has that word for.
said() { jq -r --arg word "$1" '[.domains, .attachments | map(select(.did == $word)) | length] | join(" ")' <<<"$out"; }

@test "multus-cni#1008, openperouter#19: the HBR netns dies under bridge, macvlan, direct and routed pods; restore brings all back into the next" {
	local dir=$BATS_TEST_TMPDIR died began ended
	pod_add "${NEAR[@]}" "${FAR[@]}"
	snapshot_take "${CHANGES[@]}"
	frr_both >"$dir/running"
	everyone ADD "${NEAR[@]}" "${FAR[@]}"
	find /var/lib/cni/networks -type f -printf '%p %C@ ' -exec cat {} + >"$dir/leases"
	look "$dir/first"
	start_talking
	all 10 talks "$(now)" >"$dir/answers"
	all 10 answers "$(now)" >"$dir/answers"
	died=$(now)
	hbr_dies
	hbr_comes
	is "$(ip -n hbr -json link | jq -c 'map(.ifname) | map(select(test("[.]|^pv|^red$")))')" '[]'
	began=$(now)
	ctl restore --json
	ended=$(now)
	is "$status" 0 || { echo "$out $err" >&2; return 1; }
	is "$(said restored)" '5 21'
	echo "# the HBR netns was away for $(ms "$died" "$began") ms, restore took $(ms "$began" "$ended"); first answers after, in ms:" >&3
	all 10 answers "$began" >"$dir/answers"
	echo "# $(paste -sd, "$dir/answers")" >&3
	all 10 talks "$began" >"$dir/talks"
	lacks "$(<"$dir/talks")" broken
	echo "# connections go on after, in ms: $(paste -sd, "$dir/talks")" >&3
	reborn_stop
	lost gateway 1
	lost bridge 1
	look "$dir/now"
	diff "$dir/first" "$dir/now" >&2
	find /var/lib/cni/networks -type f -printf '%p %C@ ' -exec cat {} + | diff "$dir/leases" - >&2
	everyone CHECK "${NEAR[@]}"
	cp "$dir/before" "$dir/empty"
	snapshot_take "${CHANGES[@]}"
	ctl restore --json
	is "$status $(said kept)" "0 $(jq -r '[.domains, .attachments | length] | join(" ")' <<<"$out")" || { jq -c . <<<"$out" >&2; return 1; }
	snapshot_same "${CHANGES[@]}"
	mv "$dir/empty" "$dir/before"
	everyone DEL "${NEAR[@]}" "${FAR[@]}"
	frr_both | diff -U0 --label before --label now "$dir/running" - >&2
	snapshot_same "${CHANGES[@]}"
	pod_del "${NEAR[@]}" "${FAR[@]}"
}

@test "without restore the next ADD heals its own domain, others stay away; macvlan pods on a bridge keep their interface" {
	local dir=$BATS_TEST_TMPDIR began pods=(b11 m11 m12)
	sed -i 's/^{/{"hostTrunk": "trunk0", /' /etc/hbr-cni/node.json
	ip -batch - <<-B
		link add trunk0 mtu 1500 address 02:00:00:00:01:00 type bridge mcast_snooping 0
		link set trunk0 addrgenmode none
		link set tr master trunk0
		link set trunk0 up
	B
	until_true 10 grep -q up /sys/class/net/trunk0/operstate
	pod_add "${pods[@]}" b12 b100 m100
	snapshot_take "${CHANGES[@]}"
	everyone ADD "${pods[@]}" b100 m100
	reaches b11 10.1.0.100
	reaches m11 10.3.0.100
	{ pods_now "${pods[@]}" && indexes "${pods[@]}"; } >"$dir/first"
	hbr_dies
	hbr_comes
	ip link set tr master trunk0
	everyone ADD b12
	reaches b11 10.1.0.100
	reaches b100 fd01::12
	reaches_not m11 10.3.0.100
	ctl show --json
	is "$(jq -c '[.domains[] | [.name, .state]]' <<<"$out")" '[["l2-10100","ok"],["l2-10300","drift"],["vrf-red","ok"]]'
	began=$(now)
	ctl restore
	is "$status" 0 || { echo "$out $err" >&2; return 1; }
	reaches m11 10.3.0.100
	reaches m100 fd03::12
	echo "# macvlan pods on a bridge reach the other node after $(ms "$began" "$(now)") ms" >&3
	reborn_stop
	{ pods_now "${pods[@]}" && indexes "${pods[@]}"; } | diff "$dir/first" - >&2
	everyone CHECK "${pods[@]}" b12
	everyone DEL "${pods[@]}" b12 b100 m100
	snapshot_same "${CHANGES[@]}"
	pod_del "${pods[@]}" b12 b100 m100
	ip link del trunk0
	sed -i 's/"hostTrunk": "trunk0", //' /etc/hbr-cni/node.json
}

watch_links() { # FILE
	events=$BATS_TEST_TMPDIR/$1
	ip -n hbr monitor link >"$events" 3>&- 4>&- &
	started+=("$!")
	until_true 10 event hbr lo 65000
}
# What became of the L3VNI's links since then.
changes() { grep -oE '(br|vx)\.5000: <[A-Z,_]*>' "$events" | sed 's/: <.*[<,]UP[,>].*/ up/; s/: <.*/ down/' | awk '!seen[$0]++' | sort; }

@test "FRR killed and started again: restore --frr tells it of the VRF, whose L3VNI is not an L2VNI meanwhile" {
	local dir=$BATS_TEST_TMPDIR began
	pod_add r11 r100
	fabric_take
	everyone ADD r11 r100
	reaches r11 10.9.0.100
	SIGNAL=KILL frr_stop hbr
	ctl restore --frr
	is "$status" 1
	gone_from hbr2 5 10.9.0.11
	fabric_frr hbr
	until_true 30 is_established hbr
	pinging routed r11 10.9.0.100
	watch_links first
	wc -l <"$FRR_DIR/hbr2/bgpd.log" >"$dir/seen"
	began=$(now)
	ctl restore --frr
	echo "# restore --frr took $(ms "$began" "$(now)") ms" >&3
	says 0 'restored domain vrf-red'
	until_true 10 event hbr lo 65536
	is "$(changes)" 'br.5000 down
br.5000 up
vx.5000 down
vx.5000 up'
	echo "# first answer after, in ms: $(all 1 answers "$began")" >&3
	within hbr2 5 fd09::11
	is "$(tail -n +"$(($(<"$dir/seen") + 1))" "$FRR_DIR/hbr2/bgpd.log" | grep -F '[3]:[0]:[32]:[10.0.0.1]' | grep 'rcvd UPDATE' | grep -v withdrawn)" ''
	gone_from hbr2 3 10.0.0.1
	everyone CHECK r11
	watch_links again
	ctl restore --frr
	says 0 'kept     domain vrf-red'
	until_true 10 event hbr lo 65536
	is "$(changes)" ''
	reborn_stop
	everyone DEL r11 r100
	fabric_same
	pod_del r11 r100
}
