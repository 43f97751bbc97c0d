#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, with the warnings of the Makefile.
set -eu
cd "$(dirname "$0")/.."
flags=$(MAKEFLAGS='' make -s --no-print-directory MODE=debug flags)
# The flags are written for a shell (they hold a quoted macro), so a shell takes them apart.
# shellcheck disable=SC2016
find src -name '*.h' | sort | xargs -P "$(nproc)" -I{} sh -c '
    eval "set -- $1"
    echo "#include \"{}\"" | gcc "$@" -I. -MF /dev/null -fsyntax-only -x c - ||
        { echo "{}: does not compile alone"; exit 1; }' sh "$flags" 2>&1
