#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the tests: run-tests.sh {all|unit|replay|page|web|integration|e2e|asan|selftest}; `build` only builds.
# One line a program, the output of what failed, and as the last line "N passed, N failed".
# What a program printed is kept whole in build/test-logs/.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
what=${1:-all}
unit_seconds=${TABARD_UNIT_SECONDS:-120} # for one program; a machine that is kept busy needs more
logs=${TABARD_TEST_LOGS:-build/test-logs}
passed=0
failed=0

# count NAME PASSED FAILED NOTE: one line of the report. The tally grows by it.
count() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" -eq 0 ]; then
        printf 'ok      %s (%s)%s\n' "$1" "$2" "${4:+ $4}"
    else
        printf 'FAILED  %s (%s of %s)%s\n' "$1" "$3" "$(($2 + $3))" "${4:+ $4}"
    fi
}

log_of() { echo "$logs/${1//\//.}.log"; }

# build NAME TARGETS...: a build that fails counts as one failed test.
build() {
    local name=$1 log
    shift
    log=$(log_of "build-$name")
    if ! make --no-print-directory -k -j"$(nproc)" -Otarget "$@" > "$log" 2>&1; then
        grep -v '^  \(CC\|LINK\) ' "$log" || true
        count "build for $name" 0 1
        return 1
    fi
}

# lines LOG REGEX: how many lines match.
lines() { grep -cE "$2" "$1" || true; }

# run SECONDS LOG COMMAND...: sets `status`. The inner shell keeps its words about a crash to itself.
run() {
    local seconds=$1 log=$2
    shift 2
    status=0
    (
        timeout -k 5 "$seconds" "$@" > "$log" 2>&1 < /dev/null
        exit $?
    ) 2> /dev/null || status=$?
}

why() {
    case $1 in
        0) ;;
        124 | 137) echo "timed out" ;;
        *) echo "exit status $1" ;;
    esac
}

# A test that was begun and did not end well has failed, also if it took the program with it. A
# leak, found after the last test, is one more failure.
unit_program() {
    local name=$1 log good bad skipped
    log=$(log_of "$name")
    run "$unit_seconds" "$log" "build/asan/$name"
    good=$(lines "$log" '^\[       OK \]')
    skipped=$(awk '/^\[  SKIPPED \] [0-9]+ test/ {n += $4} END {print n + 0}' "$log")
    bad=$(($(lines "$log" '^\[ RUN      \]') - good - skipped))
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ $((good + skipped)) -eq 0 ]; }; then
        bad=1
    fi
    if [ "$bad" -ne 0 ]; then
        awk '/^\[ RUN / {begun = $0; next} /^\[       OK / {begun = ""; next} /^\[(=|  PASSED)/ {next}
             begun != "" {print begun; begun = ""} {print}
             END {if (begun != "") print begun}' "$log"
    fi
    [ "$skipped" -eq 0 ] || echo "skipped $name: $skipped"
    count "$name" "$good" "$bad" "$(why $status)"
}

# Unit tests and replay programs come from one build, which fails once.
asan_build=''
build_asan() {
    [ -n "$asan_build" ] || { build asan MODE=asan unit-programs && asan_build=good || asan_build=bad; }
    [ "$asan_build" = good ]
}

unit() {
    build_asan || return 0
    local c
    while read -r c; do
        unit_program "${c%.c}"
    done < <(find src -name '*_test.c' | sort)
}

replay() {
    build_asan || return 0
    local c name corpus log
    while read -r c; do
        name=$(basename "$c" _fuzz.c)
        corpus=tests/corpus/$name
        log=$(log_of "replay-$name")
        if [ ! -d "$corpus" ]; then
            count "replay $name" 0 1 "no corpus in $corpus"
            continue
        fi
        run 120 "$log" "build/asan/${c%.c}" "$corpus"
        if [ "$status" -eq 0 ]; then
            count "replay $name" 1 0 "$(tail -n 1 "$log")"
        else
            tail -n 60 "$log"
            count "replay $name" 0 1 "$(why $status)"
        fi
    done < <(find src -name '*_fuzz.c' | sort)
}

# summary LOG WORD: the number in a closing line of node's TAP ("# pass 12").
summary() { awk -v word="$2" '$1 == "#" && $2 == word && NF == 3 {n = $3} END {print n + 0}' "$1"; }

# The official clients want a newer node than Debian's; npm brought one along with them.
node=$(find tests/node_modules/node-linux-*/bin/node 2> /dev/null | head -n 1 || true)

node_file() {
    local file=$1 log good bad skipped
    log=$(log_of "$file")
    run 600 "$log" "${node:-node}" --test --test-reporter=tap "$file"
    good=$(summary "$log" pass)
    bad=$(($(summary "$log" fail) + $(summary "$log" cancelled)))
    # node counts a file without tests as one that passed; its only line then is its path.
    if [ "$good" -eq 1 ] && grep -qE "^ok 1 - /.*\.test\.mjs" "$log"; then
        good=0
    fi
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        bad=1
    fi
    if [ "$bad" -ne 0 ]; then
        # Each failed test with its details; all there is if nothing says "not ok".
        awk '/^ *(not )?ok / || /^ *# Subtest/ {show = /^ *not ok /} show {print; any = 1}
             /^ *[.][.][.]$/ {show = 0} END {exit !any}' "$log" || cat "$log"
    fi
    skipped=$(summary "$log" skipped)
    [ "$skipped" -eq 0 ] || echo "skipped $file: $skipped"
    count "$file" "$good" "$bad" "$(why $status)"
}

node_files() {
    local file
    for file in "$1"/*.test.mjs; do
        [ -e "$file" ] || continue
        node_file "$file"
    done
}

# The scripts of page/ alone, in a real browser.
page() { node_files page/test; }

# The client for pages, without a daemon.
web() {
    build web web || return 0
    node_files web/btcp-client/test
}

# The daemon with real clients.
integration() {
    build integration MODE=release all fixtures web || return 0
    node_files tests/integration
}

# The daemon with real clients and real browsers.
e2e() {
    build e2e MODE=release all fixtures web npm || return 0
    node_files tests/e2e
}

# Both with a daemon built with ASan and UBSan. What a sanitizer says counts even if no test noticed;
# the report of a leak comes when a daemon ends.
asan() {
    build asan-daemon MODE=asan all fixtures web || return 0
    local reports=$PWD/$logs/sanitizer file
    export TABARD_BINARY=$PWD/build/asan/tabard TABARD_SANITIZED=1
    for file in tests/integration/*.test.mjs tests/e2e/*.test.mjs; do
        rm -rf "$reports"
        mkdir -p "$reports"
        ASAN_OPTIONS="$ASAN_OPTIONS:log_path=$reports/report" UBSAN_OPTIONS="$UBSAN_OPTIONS:log_path=$reports/report" \
            node_file "$file"
        if [ -n "$(ls -A "$reports")" ]; then
            cat "$reports"/*
            count "sanitizer, $file" 0 "$(find "$reports" -type f | wc -l)"
        fi
    done
}

everything() {
    build_asan || true
    build release MODE=release all fixtures web npm || true
}

selftest() {
    if ! command -v clang-format > /dev/null || ! command -v clang-tidy > /dev/null; then
        echo 'left out: lint-selftest (clang-format and clang-tidy are not installed)'
        return 0
    fi
    local log
    log=$(log_of lint-selftest)
    run 120 "$log" tools/lint-selftest.sh
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        [ "$status" -eq 0 ] || grep -v '^ok ' "$log" | head -n -1
        count lint-selftest "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    else
        cat "$log"
        count lint-selftest 0 1 "$(why $status)"
    fi
}

mkdir -p "$logs"
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
case $what in
    unit | replay | page | web | integration | e2e | asan | selftest) "$what" ;;
    build)
        everything
        [ "$failed" -eq 0 ]
        exit
        ;;
    all)
        selftest
        unit
        replay
        page
        web
        integration
        e2e
        ;;
    *)
        echo "usage: tools/run-tests.sh {all|build|unit|replay|page|web|integration|e2e|asan|selftest}" >&2
        exit 2
        ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
