#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The budget of the code: functions (in lines, signature and braces included) have a median of at
# most 16, 95 of 100 have at most 35, none more than 60; a .c file has at most 400 lines.
set -eu
cd "$(dirname "$0")/.."
files=(shared/*/*.c plugins/*/*.c hbrctl/*.c docs/*.c)

# A signature is what stands right before the brace, without comments and directives.
awk 'FNR == 1                        { first = 0 }
	/^\}$/                       { print FNR - start + 1, FILENAME ":" start }
	/^$|\*\/$|^#|^\/\/|^\}|^[^ \t].*;$/ { first = 0; next }
	!first                       { first = FNR }
	/^\{$/                       { start = first }' "${files[@]}" | sort -n |
	awk '{ length_of[NR] = $1; line[NR] = $0 }
		END {
			median = length_of[int((NR + 1) / 2)]; most = length_of[int(NR * 0.95)]; longest = length_of[NR]
			printf "%d functions: median %d, 95 %% %d, longest %d\n", NR, median, most, longest
			for (i = 1; i <= NR; i++) if (length_of[i] > 60) print "too long: " line[i]
			exit median > 16 || most > 35 || longest > 60
		}'
long=$(wc -l "${files[@]}" | awk '$2 != "total" && $1 > 400')
[ -z "$long" ] || { echo "more than 400 lines: $long"; exit 1; }
