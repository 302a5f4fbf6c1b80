#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# hbrctl, the verbs that only look: a node with two L2 domains, a VRF, drift, a dead pod, a leftover.
load helpers
load hbrctl

setup_file() {
	need vrf vlan
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR busy_node
}
teardown_file() { node_down; }
