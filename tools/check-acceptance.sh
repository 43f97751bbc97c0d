#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every id of tests/acceptance.txt is named by a test: in the title of one that node runs, or in the
# comment above a unit test. Every attack of tests/attacks.txt is named so by the file that stands
# behind it; a minus sign says that it waits for a feature, which docs/SECURITY.md names.
set -u
cd "$(dirname "$0")/.." || exit 1
missing=$({
    grep -rhsE '^ *test\(' --include='*.test.mjs' --exclude-dir=node_modules tests page web
    grep -rhsE '^/\*|^ \*' --include='*_test.c' src
} | grep -oE '\b[A-Z]+[0-9]*-[0-9]+\b' | sort -u | grep -vxFf - tests/acceptance.txt)
# Of titles that a loop makes, the table has the words: in quotes, at the start of a line.
titles() { grep -hsE "^ *test\(|^ *\[?['\"\`]|^ *\.\.\.Object\.fromEntries|^ *\[\`|^/\*|^ \*" "$1"; }
unproven=$(while read -r id file; do
    if [ "$file" = - ]; then
        grep -qE "^\| $id \|.*\| waits for " docs/SECURITY.md || echo "$id: docs/SECURITY.md does not say what it waits for"
    else
        titles "$file" | grep -qE "(^|[^A-Z0-9-])$id([^0-9]|\$)" || echo "$id: $file does not name it"
    fi
done < tests/attacks.txt)
# shellcheck disable=SC2086
[ -z "$missing" ] || printf '%s: no test names it\n' $missing
[ -z "$unproven" ] || echo "$unproven"
[ -z "$missing$unproven" ]
