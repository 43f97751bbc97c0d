#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# flaky.sh [UNIT_ROUNDS] [DAEMON_ROUNDS]: all tests again and again, several rounds at a time, and a loop on each core, so
# that every core is busy all the while, also when the last round runs alone. A test that fails once here fails by chance
# elsewhere. What failed is printed as it happens and kept in build/flaky/; the last line is the tally.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
unit_rounds=${1:-30}
daemon_rounds=${2:-5}
at_once=$(($(nproc) * 2))
logs=build/flaky

if [ "${1:-}" = round ]; then # round NUMBER KIND: what xargs runs below
    log=$logs/$3-$2.log
    TABARD_UNIT_SECONDS=600 TABARD_TEST_LOGS=$logs/$3-$2 tools/run-tests.sh "$3" > "$log" 2>&1 || true
    words=$(grep -v '^ok ' "$log" | head -n -1 || true)
    echo "${words:+$words
}$3, round $2: $(tail -n 1 "$log")"
    exit
fi

tools/run-tests.sh build
rm -rf "$logs"
mkdir -p "$logs"
burners=()
trap 'kill "${burners[@]}"' EXIT
for ((core = 0; core < $(nproc); core++)); do
    while kill -0 $$; do :; done 2> /dev/null &
    burners+=($!)
done
seq "$unit_rounds" | xargs -P "$at_once" -I N "$0" round N unit
for kind in integration e2e; do
    seq "$daemon_rounds" | xargs -P "$at_once" -I N "$0" round N "$kind"
done
# A round without a tally has broken off, which is one more failure.
tail -qn 1 "$logs"/*.log | awk '
    /^[0-9]+ passed, [0-9]+ failed$/ {passed += $1; failed += $3; next} {failed++}
    END {print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0}'
