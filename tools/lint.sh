#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every rule that a machine can hold. Runs all steps, shows what each has to say, and fails at the
# end if one failed. The second run is quick: objects and clang-tidy's stamps are kept in build/debug.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
failed=''
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() {
    name=$1
    shift
    if "$@" > "$log" 2>&1; then
        echo "ok      $name"
    else
        grep -vE "^  (CC|LINK|TIDY) " "$log" || true
        echo "FAILED  $name"
        failed="$failed $name"
    fi
}

format() {
    find src bench tools tests -name node_modules -prune -o -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run -Werror
}

build() { make --no-print-directory MODE=debug -k -j"$(nproc)" -Otarget "$@"; }

step format format
step layers tools/check-layers.sh
step headers tools/check-headers.sh
step objects build objects
step style tools/check-style.sh build/debug
step tidy build tidy
step docs tools/gen-docs.sh --check
step walk tools/walk.sh --check
step acceptance tools/check-acceptance.sh

[ -z "$failed" ] || { echo "lint failed:$failed"; exit 1; }
