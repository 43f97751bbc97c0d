#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# soak.sh [SECONDS]: mixed load with random faults; the last line is the summary. See tests/soak/soak.mjs.
# soak.sh durable: the long run of tests/integration/durable.test.mjs.
set -euo pipefail
cd "$(dirname "$0")/.."
node=$(find tests/node_modules/node-linux-*/bin/node 2> /dev/null | head -n 1 || true)
if [ "${1:-}" = durable ]; then
    export TABARD_DURABLE_OPS=${TABARD_DURABLE_OPS:-10000} TABARD_DURABLE_KILLS=${TABARD_DURABLE_KILLS:-300}
    exec "${node:-node}" --test tests/integration/durable.test.mjs
fi
exec "${node:-node}" --no-warnings tests/soak/soak.mjs "${1:-60}"
