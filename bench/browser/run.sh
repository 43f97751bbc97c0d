#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the peers if they are missing, then measures. run.mjs says which variables it looks at.
set -eu
cd "$(dirname "$0")"

# npm writes the inner file last. The packages' own scripts would fetch browsers.
if [ -z "${QUICK:-}" ] && [ -z "$(find node_modules/.package-lock.json -newer package-lock.json 2> /dev/null)" ]; then
    echo "bench: installing the peers in bench/browser/node_modules" >&2
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
cd ../..
exec node bench/browser/run.mjs
