#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weight: 36
# bats file_tags=builds
# What is shipped: static and dynamic plugins, their size, memory, installation.

load helpers

setup() { need vrf vlan; }
teardown() { node_down; }

conf() { echo '{"cniVersion": "1.0.0", "name": "blue", "type": "hbr-l2", "vni": 10100, "vlan": 100, "addresses": [{"address": "10.1.0.1/24"}]}'; }

# ADD gives a result, CHECK takes it, DEL leaves nothing.
smoke() {
	node_up
	pod_add pod1
	snapshot_take
	works ADD pod1 < <(conf)
	result=$out
	is "$(jq -r '.interfaces[0].name, .ips[0].address' <<<"$result" | tr '\n' ' ')" 'net1 10.1.0.1/24 '
	works CHECK pod1 < <(conf | jq --argjson r "$result" '. + {prevResult: $r}')
	works DEL pod1 < <(conf)
	snapshot_same
}

@test "the static plugins work" {
	PLUGIN=$BUILD/static/hbr-l2
	lacks "$(readelf -l "$PLUGIN")" INTERP
	smoke
}

@test "the dynamic plugins work" {
	PLUGIN=$BUILD/hbr-l2
	contains "$(readelf -l "$PLUGIN")" INTERP
	smoke
}

@test "valgrind finds nothing in ADD, CHECK and DEL" {
	PLUGIN=$BUILD/hbr-l2
	WRAP=(/usr/bin/valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --trace-children=no)
	smoke
}

@test "a stripped static plugin has at most 1.5 MB" {
	strip -o "$BATS_TEST_TMPDIR/stripped" "$BUILD/static/hbr-l2"
	size=$(stat -c %s "$BATS_TEST_TMPDIR/stripped")
	echo "hbr-l2: $size bytes"
	[ "$size" -le 1500000 ]
}

@test "install replaces by rename, uninstall removes" {
	bin=$BATS_TEST_TMPDIR/root/opt/cni/bin
	mkdir -p "$bin"
	echo old >"$bin/hbr-l2"
	exec 9<"$bin/hbr-l2"
	make -s -C "$TREE" BUILD="$BUILD" DESTDIR="$BATS_TEST_TMPDIR/root" install
	cmp "$bin/hbr-l2" "$BUILD/hbr-l2"
	is "$(stat -c %a "$bin/hbr-l2")" 755
	is "$(cat <&9)" old
	exec 9<&-
	is "$(cd "$BATS_TEST_TMPDIR/root/usr/local" && find . -type f -printf '%m %p\n' | sort)" '644 ./share/bash-completion/completions/hbrctl
644 ./share/man/man8/hbrctl.8
755 ./sbin/hbrctl'
	cmp "$BATS_TEST_TMPDIR/root/usr/local/sbin/hbrctl" "$BUILD/sbin/hbrctl"
	make -s -C "$TREE" BUILD="$BUILD" DESTDIR="$BATS_TEST_TMPDIR/root" uninstall
	is "$(find "$BATS_TEST_TMPDIR/root" -type f)" ''
}
