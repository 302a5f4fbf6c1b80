#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The house has five floors, and a module may include only what stands before it here: the floors
# below, and the earlier modules of its own floor. Modules joined by + are one place: they know each
# other. A plugin sees itself and the floors.
set -eu

cd "$(dirname "$0")/.."
floors='
base/cleanup base/error base/steps base/patience base/parse base/field base/fields base/field_types base/child
kernel/netlink kernel/netns kernel/sysctl kernel/link+link_find+kinds+message kernel/walk kernel/links kernel/links_remove
kernel/bridge_vlan kernel/vlan_probe kernel/resolver kernel/fib kernel/address+route+fdb+neighbor kernel/announce
node/store_file node/store node/node node/frr node/site node/vlan node/domain node/holder node/vrf node/port node/pod
cni/document cni/request cni/result+entry cni/delegate cni/ipam cni/interface cni/attachment cni/claim cni/attach cni/detach cni/restore+reattach
cni/plugin cni/verbs cni/collect cni/status
'
declare -A rank=()
n=0
for group in $floors; do
	n=$((n + 1)) floor=${group%/*}
	for module in ${group//+/ }; do
		rank[$floor/${module#*/}]=$n
	done
done

me='' status=0
complain() { echo "layers: $*"; status=1; }

# A file is part of the module that its name begins with: store_lock.c is of store.
module_of() {
	local name=${1%.*}
	until [ -n "${rank[$name]:-}" ]; do
		[[ $name == *_* ]] || return 1
		name=${name%_*}
	done
	echo "$name"
}

for file in shared/*/*.[ch]; do
	name=${file#shared/}
	if ! me=$(module_of "$name"); then
		complain "$file is of no module that is listed: give it a place"
		continue
	fi
	while read -r included; do
		case $included in
		plugins/* | hbrctl/* | docs/* | test/*)
			complain "$file may not include $included"
			continue
			;;
		esac
		other=$(module_of "${included#shared/}") || { complain "$file includes $included, which is not listed"; continue; }
		[ "${rank[$other]}" -le "${rank[$me]}" ] || complain "$file may not include $included, which stands above it"
	done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
done

for file in plugins/*/*.[ch]; do
	[ -e "$file" ] || continue
	while read -r included; do
		[[ $included == shared/* || $included == "${file%/*}"/* ]] || complain "$file may not include $included"
	done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
done

# hbrctl stands on the floors; one file of it knows which plugins there are.
for file in hbrctl/*.[ch]; do
	while read -r included; do
		[[ $included == shared/* || $included == hbrctl/* ]] ||
			[[ $file == hbrctl/types.c && $included == plugins/*/type.h ]] || complain "$file may not include $included"
	done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
done

for module in "${!rank[@]}"; do
	compgen -G "shared/$module.*" >/dev/null || complain "$module is listed and does not exist"
done
exit $status
