#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures, not a test. QUICK=1 makes it shorter.
set -eu
cd "$(dirname "$0")/../.."
export TABARD_LOG_LEVEL=info
exec node bench/rest/run.mjs
