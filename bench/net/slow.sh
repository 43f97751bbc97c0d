#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# 5,000 connections that send one byte of a request head every ten seconds; the server closes them at its
# deadline and they come again. Meanwhile a normal client asks GET after GET on one connection. Its p99 with
# the slow ones should be at most twice that without. Rounds with and without take turns.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

total=${CONNECTIONS:-5000}
period_ms=10000
rounds=3 run_ms=3000
[ -z "${QUICK:-}" ] || { rounds=1 run_ms=1000; }

build
ulimit -n "$(ulimit -Hn)"
start 0 "$bin/tabard_echo"; answer port 5
port=$number

# measure NAME: one round of the normal client.
measure() {
    line=$(on 1 "$bin/load" get "$port" 1 1 1 300 "$run_ms") || die "load failed"
    echo "$1: $line"
    echo "$line" | tr '= ' '  ' >>"$scratch/$1"
}

machine
round=0
while [ "$round" -lt "$rounds" ]; do
    measure without
    # The slow client gives way to the measuring one, which shares its core.
    start 1 chrt -o 0 nice -n 19 "$bin/slow" "$port" "$total" "$period_ms"
    answer ready 60
    # After one period the first ones have met their deadline and the flow of new ones is even.
    sleep 11
    measure with
    slow=$pid
    stop "$slow"
    sed -n 's/^open/  slow connections: open/p' "$out"
    sleep 1
    round=$((round + 1))
done

awk -v a="$(middle without 4)" -v b="$(middle with 4)" -v c="$(middle without 6)" -v d="$(middle with 6)" 'BEGIN {
    printf "GET p50: %.1f us without, %.1f us with slow connections (%.2f times)\n", a, b, b / a
    printf "GET p99: %.1f us without, %.1f us with slow connections (%.2f times); goal at most 2 times: %s\n",
        c, d, d / c, d / c <= 2 ? "met" : "MISSED"
}'
