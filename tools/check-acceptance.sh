#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every id in tests/acceptance.txt is named by a test: in the title of one that node runs, or in the
# comment above a unit test.
set -u
cd "$(dirname "$0")/.." || exit 1
missing=$({
    grep -rhsE '^ *test\(' --include='*.test.mjs' --exclude-dir=node_modules tests page
    grep -rhsE '^/\*|^ \*' --include='*_test.c' src
} | grep -oE '\b[A-Z]+[0-9]*-[0-9]+\b' | sort -u | grep -vxFf - tests/acceptance.txt)
# shellcheck disable=SC2086
[ -z "$missing" ] || { printf '%s: no test names it\n' $missing; exit 1; }
