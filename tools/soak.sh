#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# soak.sh [SECONDS]: mixed load with random faults; the last line is the summary. See tests/soak/soak.mjs.
set -euo pipefail
cd "$(dirname "$0")/.."
node=$(find tests/node_modules/node-linux-*/bin/node 2> /dev/null | head -n 1 || true)
exec "${node:-node}" --no-warnings tests/soak/soak.mjs "${1:-60}"
