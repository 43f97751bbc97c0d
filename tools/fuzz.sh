#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh TARGET SECONDS: runs libFuzzer on one target, or on each with "all"; without a target it
# lists them. The working corpus grows in build/fuzz/corpus/TARGET, seeded from tests/corpus/TARGET.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
target=${1:-}
seconds=${2:-60}

sources() { find src -name '*_fuzz.c' | sort; }
names() { sources | sed 's,.*/,,; s,_fuzz\.c$,,'; }

report_finding() {
    local name=$1 program=$2 findings=$3
    local input
    tail -n 40 "build/fuzz/$name.log"
    input=$(find "$findings" -type f -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
    echo "FOUND   $name: the input is ${input:-not kept, see build/fuzz/$name.log}"
    echo "replay: make MODE=asan build/asan/$program && build/asan/$program $input"
    echo "keep:   cp $input tests/corpus/$name/NAME-OF-THE-FAULT"
}

fuzz_one() {
    local name=$1 source program work findings
    source=$(sources | grep "/${name}_fuzz\.c$") || { echo "no target $name; there are: $(names | xargs)" >&2; return 2; }
    program=${source%.c}
    work=build/fuzz/corpus/$name
    findings=build/fuzz/findings/$name
    mkdir -p "$work" "$findings" "tests/corpus/$name"
    make --no-print-directory MODE=fuzz -j"$(nproc)" "build/fuzz/${program}er"
    if "build/fuzz/${program}er" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$findings/" "$work" "tests/corpus/$name" \
        > "build/fuzz/$name.log" 2>&1; then
        # A target that counts what it does in a run says so at its end.
        echo "ok      $name: $(awk '/number_of_executed_units/ {runs = $2 " runs"} /^[0-9]+ steps$/ {runs = runs ", " $0 ","}
            END {print runs}' "build/fuzz/$name.log") in $seconds s, nothing found"
    else
        report_finding "$name" "$program" "$findings"
        return 1
    fi
}

case $target in
    '') echo "targets: $(names | xargs)"; echo "usage: make fuzz T=TARGET S=SECONDS (T=all for each)" ;;
    all)
        rc=0
        for name in $(names); do
            fuzz_one "$name" || rc=1
        done
        exit $rc
        ;;
    *) fuzz_one "$target" ;;
esac
