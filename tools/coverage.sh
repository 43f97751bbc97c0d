#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Line and branch coverage of the product by the unit tests and the replayed corpora.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
make --no-print-directory MODE=cov -j"$(nproc)" unit-programs
# Counts of an earlier run would add up.
find build/cov -name '*.gcda' -delete
find src -name '*_test.c' | sort | while read -r c; do
    timeout 120 "build/cov/${c%.c}" > /dev/null 2>&1 < /dev/null || echo "failed: ${c%.c}"
done
find src -name '*_fuzz.c' | sort | while read -r c; do
    corpus=tests/corpus/$(basename "$c" _fuzz.c)
    [ ! -d "$corpus" ] || timeout 120 "build/cov/${c%.c}" "$corpus" > /dev/null 2>&1 || echo "failed: ${c%.c}"
done
report() { gcovr -r . --object-directory build/cov -f src/ -e '.*_test\.c' -e '.*_fuzz\.c' "$@" build/cov; }
report
report --branches --print-summary | tail -n 3
# What agents may do is decided there, and nowhere else: no branch of it goes without a test.
if ! gcovr -r . --object-directory build/cov -f 'src/core/policy\.c' --branches --fail-under-branch 100 build/cov > /dev/null; then
    echo "coverage: src/core/policy.c has branches that no test takes" >&2
    exit 1
fi
