#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# 10,000 idle WebSocket connections: the server's memory and processor time. Goals: at most 200 MB, below 1 %.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

total=${CONNECTIONS:-10000}
seconds=10
spare=100 # descriptors that a process needs besides its connections

build
limit=$(ulimit -Hn)
[ "$limit" != unlimited ] || limit=1000000
[ "$limit" -ge $((total + spare)) ] || die "the server needs $((total + spare)) descriptors, the hard limit is $limit"
ulimit -n "$limit"

start 0 "$bin/tabard_echo"; answer port 5
server=$pid port=$number

memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status"; }
# User and system time in clock ticks; the name of the program has no space.
ticks() { cut -d ' ' -f 14,15 "/proc/$server/stat" | tr ' ' '+'; }
share() { awk -v t=$(($2 - $1)) -v s="$3" -v hz="$(getconf CLK_TCK)" 'BEGIN {printf "%.2f", t * 100 / hz / s}'; }

empty=$(memory)
left=$total
while [ "$left" -gt 0 ]; do
    part=$((limit - spare))
    [ "$left" -ge "$part" ] || part=$left
    start 1 "$bin/idle" "$port" "$part"
    answer ready 60
    left=$((left - part))
done
sleep 1
t0=$(($(ticks)))
sleep "$seconds"
t1=$(($(ticks)))
full=$(memory)
# A whole period of pings: each connection is asked once.
sleep 20
t2=$(($(ticks)))

machine
awk -v e="$empty" -v f="$full" -v n="$total" 'BEGIN {
    printf "resident memory: %.1f MB with %d idle connections (%.1f MB empty, %.1f KB each); goal 200 MB: %s\n",
        f / 1024, n, e / 1024, (f - e) / n, f / 1024 <= 200 ? "met" : "MISSED"
}'
idle=$(share "$t0" "$t1" "$seconds")
pings=$(share "$t0" "$t2" 30)
echo "processor: $idle % over $seconds s; $pings % over 30 s with one ping to each; goal below 1 %:" \
    "$(awk -v a="$idle" -v b="$pings" 'BEGIN {print (a < 1 && b < 1) ? "met" : "MISSED"}')"
