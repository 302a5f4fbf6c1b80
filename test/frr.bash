# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A real FRR: zebra and bgpd in a namespace, their sockets in /run/frr/<namespace>.

FRR_DIR=/run/frr

# Whoever keeps one of bats' descriptors keeps bats waiting.
frr_daemon() { # NETNS DAEMON [OPTION...]
	local dir=$FRR_DIR/$1
	ip netns exec "$1" "/usr/lib/frr/$2" -d -u frr -g frr -i "$dir/$2.pid" -z "$dir/zserv.api" --vty_socket "$dir" \
		-f /dev/null -P 0 --log "file:$dir/$2.log" "${@:3}" </dev/null >/dev/null 2>&1 3>&- 4>&-
}

# frr_start NETNS [DAEMON...]: zebra and bgpd, without any configuration; bgpd listens at BGP_PORT, if
# that is set.
frr_start() {
	local dir=$FRR_DIR/$1
	mkdir -p "$dir"
	chown frr:frr "$FRR_DIR" "$dir"
	[ $# != 1 ] || set -- "$1" zebra bgpd
	for daemon in "${@:2}"; do
		case $daemon in
		zebra) frr_daemon "$1" zebra -A 127.0.0.1 ;;
		bgpd) frr_daemon "$1" bgpd -p "${BGP_PORT:-0}" ;;
		esac || return 1
	done
	until_true 10 frr_says "$1" 'show version' >/dev/null
}

frr_stop() { # NETNS [DAEMON...]: by SIGNAL
	local dir=$FRR_DIR/$1 pid
	[ $# != 1 ] || set -- "$1" bgpd zebra
	for daemon in "${@:2}"; do
		[ -s "$dir/$daemon.pid" ] || continue
		read -r pid <"$dir/$daemon.pid"
		kill -"${SIGNAL:-TERM}" "$pid" && until_true 10 gone "$pid" || return 1
		rm -f "$dir/$daemon".{pid,vty}
	done
}
gone() { ! kill -0 "$1" 2>/dev/null; }

frr_says() { # NETNS COMMAND...
	local -a commands=()
	local command
	for command in "${@:2}"; do commands+=(-c "$command"); done
	env -u HOME vtysh --vty_socket "$FRR_DIR/$1" "${commands[@]}" 2>&1 3>&- 4>&-
}

# The configuration without its head and its separators.
frr_running() { frr_says "$1" 'show running-config' | sed -n '/^service integrated/,$p' | sed '1d; /^ *!$/d; /^end$/d'; }

# The least that a node's FRR has; AS 65001.
frr_evpn() {
	frr_says "$1" 'configure terminal' 'router bgp 65001' 'bgp router-id 10.0.0.1' 'no bgp default ipv4-unicast' \
		'address-family l2vpn evpn' 'advertise-all-vni'
}
