#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# soak.sh [SECONDS]: mixed load with random faults on build/release/tabard, then for a third of the time on
# build/asan/tabard; each ends with a line of figures. Before that, attacks at their full size: two tenants and a million
# operations on each other's sessions, a million ids, guesses and calls, times that must not tell, the ways out of a page in the full browser. See
# tests/soak/soak.mjs.
# soak.sh durable: the long run of tests/integration/durable.test.mjs.
set -euo pipefail
cd "$(dirname "$0")/.."
node=$(find tests/node_modules/node-linux-*/bin/node 2> /dev/null | head -n 1 || true)
export TABARD_LOG_LEVEL=info # a test has its daemons tell all, which takes time and room
if [ "${1:-}" = durable ]; then
    export TABARD_DURABLE_OPS=${TABARD_DURABLE_OPS:-10000} TABARD_DURABLE_KILLS=${TABARD_DURABLE_KILLS:-300}
    exec "${node:-node}" --test tests/integration/durable.test.mjs
fi
seconds=${1:-60}
reports=$PWD/build/test-logs/sanitizer
status=0
load() { "${node:-node}" --no-warnings tests/soak/soak.mjs "$1" || status=1; }

TABARD_OPERATIONS=1000000 build/asan/src/core/tenants_model_test || status=1
TABARD_TENANT_OPS=10000 "${node:-node}" --test tests/integration/tenants.test.mjs || status=1
TABARD_IDS=1000000 build/asan/src/base/id_test || status=1
TABARD_GUESSES=1000000 "${node:-node}" --test --test-name-pattern=AUTH-3 tests/integration/keys.test.mjs || status=1
TABARD_EQUAL_IDS=1000000 "${node:-node}" --test --test-name-pattern=TEN-3 tests/integration/attacks.test.mjs || status=1
TABARD_SLOW=2500 TABARD_OPENINGS=1000000 "${node:-node}" --test tests/integration/floods.test.mjs || status=1
TABARD_TIMING=200000 "${node:-node}" --test tests/soak/timing.test.mjs || status=1
TABARD_URLS=${TABARD_URLS:-3000000} "${node:-node}" --test tests/e2e/addresses.test.mjs || status=1
TABARD_ENGINE=chromium "${node:-node}" --test tests/e2e/egress.test.mjs || status=1
TABARD_BINARY=$PWD/build/release/tabard load "$seconds"
rm -rf "$reports"
mkdir -p "$reports"
TABARD_BINARY=$PWD/build/asan/tabard TABARD_SANITIZED=1 \
    ASAN_OPTIONS="abort_on_error=0:log_path=$reports/report" \
    UBSAN_OPTIONS="print_stacktrace=1:log_path=$reports/report" load "$((seconds / 3))"
if [ -n "$(ls -A "$reports")" ]; then
    cat "$reports"/*
    echo "soak: the sanitizers have found something"
    status=1
fi
exit $status
