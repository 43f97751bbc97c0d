#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the applications if they are missing, then runs the jobs. harness/run.mjs says which variables it looks at.
set -eu
cd "$(dirname "$0")"

# npm writes the inner file last. The packages' own scripts would fetch browsers.
if [ -z "$(find node_modules/.package-lock.json -newer package-lock.json 2> /dev/null)" ]; then
    echo "apps: installing the applications in tests/apps/node_modules" >&2
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
cd ../..
# A part of the applications is no table.
[ -n "${APPS:-}" ] || export OUT="${OUT:-bench/APPS.md}"
# The official clients want a newer node than Debian's; npm brought one along with them.
node=$(find tests/node_modules/node-linux-*/bin/node 2> /dev/null | head -n 1)
export TABARD_LOG_LEVEL=info
exec "${node:-node}" tests/apps/harness/run.mjs
