#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=any-kernel
# weight: 39
# What is written about the keys: the reference and the schemas are those of the tables, and an
# independent validator finds in documents what the parser finds.

load helpers

# shellcheck disable=SC2153 # TREE and BUILD come from the bed
DOCUMENTS=$TREE/test/documents
PROGRAMS=$BUILD
[ -z "${SANITIZER:-}" ] || PROGRAMS=$PLUGINS_DIR

# documents KIND: each a line, as it is written in the list with its mark taken off and its frame put
# around it.
documents() {
	local frame=''
	case $1 in
	hbr-l2) frame='"cniVersion": "1.1.0", "name": "n", "vni": 7, ' ;;
	hbr-vrf) frame='"cniVersion": "1.1.0", "name": "n", "vrf": "red", ' ;;
	esac
	awk -v frame="$frame" '/^[-+!] / { text = substr($0, 3); print text ~ /^"[^"]*": / ? "{" frame text "}" : text }' \
		"$DOCUMENTS/$1.txt"
}

# judged KIND: the list, what the parser says, what the validator says, and the document, for each
# that is not as the list wants it; then how many documents there are.
judged() {
	local dir=$BATS_TEST_TMPDIR
	documents "$1" >"$dir/documents"
	"$PROGRAMS/test/documents/judge" "$1" <"$dir/documents" >"$dir/parser"
	"$DOCUMENTS/validate" "${SCHEMA:-$TREE/docs/$1.schema.json}" <"$dir/documents" >"$dir/schema"
	sed -n 's/^\([-+!]\) .*/\1/p' "$DOCUMENTS/$1.txt" | paste - "$dir/parser" "$dir/schema" "$dir/documents" |
		awk -F '\t' '
			{ verdict = substr($2, 1, 1) substr($3, 1, 1) }
			verdict != ($1 == "+" ? "++" : $1 == "-" ? "--" : "-+") { print "wanted " $1 "\nparser " $2 "\nschema " $3 "\n" $4 }
			END { print NR }'
}

# agree KIND: on every document of that kind. No number or text of a schema is without one that is wrong.
agree() {
	local total said
	total=$(grep -c '^[-+!] ' "$DOCUMENTS/$1.txt")
	[ "$(grep -c '^+ ' "$DOCUMENTS/$1.txt")" -gt 80 ]
	[ "$(grep -c '^- ' "$DOCUMENTS/$1.txt")" -gt 120 ]
	said=$(judged "$1")
	echo "# $1: $said documents" >&3
	is "$said" "$total"
	while read -r key; do
		grep -q "^- .*\"$key\": " "$DOCUMENTS/$1.txt" || { echo "no document has a wrong $key" >&2; return 1; }
		grep -q "^+ .*\"$key\": " "$DOCUMENTS/$1.txt" || { echo "no document has a right $key" >&2; return 1; }
	done < <(jq -r '.properties | del(.type, .capabilities) | keys[]' "$TREE/docs/$1.schema.json")
}

@test "docs/ is what the tables say" {
	cd "$TREE"
	"$PROGRAMS/docs/generate" "$BATS_TEST_TMPDIR"
	for file in "$BATS_TEST_TMPDIR"/*.{md,json}; do
		diff -u "docs/${file##*/}" "$file" || { echo 'wanted: make docs' >&2; return 1; }
	done
	: >"$BATS_TEST_TMPDIR/errors.md" # it is written by hand
	is "$(cd "$BATS_TEST_TMPDIR" && echo *.md *.json)" "$(cd docs && echo *.md *.json)"
}

@test "every plugin has its schema, its list of documents, its chapter" {
	for main in "$TREE"/plugins/*/main.c; do
		name=${main%/main.c}
		name=${name##*/}
		[ -s "$TREE/docs/$name.schema.json" ]
		[ -s "$DOCUMENTS/$name.txt" ]
		grep -q "^## .*$name" "$TREE/docs/reference.md"
	done
}

@test "parser and schema agree on networks of hbr-l2" {
	agree hbr-l2
}

@test "parser and schema agree on networks of hbr-vrf" {
	agree hbr-vrf
}

@test "parser and schema agree on node files" {
	agree node
}

@test "a schema that says less is found out" {
	local key
	for key in mtu vlanRange vtep uplinks overridable frr; do
		jq --arg key "$key" 'del(.properties[$key])' "$TREE/docs/node.schema.json" >"$BATS_TEST_TMPDIR/schema.json"
		contains "$(SCHEMA=$BATS_TEST_TMPDIR/schema.json judged node)" "wanted -" "schema +" "\"$key\": "
	done
}

@test "every example validates" {
	local n=0
	for file in "$TREE"/conf-examples/*.conflist; do
		# What the runtime makes of a list for each of its plugins.
		while IFS=$'\t' read -r type network; do
			is "$("$DOCUMENTS/validate" "$TREE/docs/$type.schema.json" <<<"$network")" + || { echo "$file" >&2; return 1; }
			n=$((n + 1))
		done < <(jq -r '. as {$name, $cniVersion} | .plugins[] | select(.type | startswith("hbr-")) | "\(.type)\t\({$name, $cniVersion} + .)"' "$file")
	done
	[ "$n" -ge 20 ]
	for file in "$TREE"/conf-examples/node*.json; do
		is "$(jq -c . "$file" | "$DOCUMENTS/validate" "$TREE/docs/node.schema.json")" + || { echo "$file" >&2; return 1; }
	done
}
