#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# flaky.sh [UNIT_ROUNDS] [DAEMON_ROUNDS]: all tests again and again while every core is kept busy. A test that fails
# once here fails by chance elsewhere. What failed is printed as it happens; the last line is the tally.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
unit_rounds=${1:-30}
daemon_rounds=${2:-5}
busy=()
failed_rounds=0
passed=0
failed=0

# The load ends with us, however we end.
spin() { while kill -0 $$ 2> /dev/null; do for _ in {1..100000}; do :; done; done; }
stop() { [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2> /dev/null || true; }
trap stop EXIT

tools/run-tests.sh build
for _ in $(seq "$(nproc)"); do
    spin &
    busy+=($!)
done

# round KIND NUMBER ROUNDS: one pass over all tests of a kind; only what failed is shown.
round() {
    local log=build/test-logs/flaky-$1-$2.log tally
    tools/run-tests.sh "$1" > "$log" 2>&1 || failed_rounds=$((failed_rounds + 1))
    grep -v '^ok ' "$log" | head -n -1 || true
    tally=$(tail -n 1 "$log")
    echo "$1, round $2 of $3: $tally"
    if [[ $tally =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    fi
}

for n in $(seq "$unit_rounds"); do round unit "$n" "$unit_rounds"; done
for n in $(seq "$daemon_rounds"); do
    round integration "$n" "$daemon_rounds"
    round e2e "$n" "$daemon_rounds"
done
echo "$passed passed, $failed failed"
[ "$failed_rounds" -eq 0 ]
