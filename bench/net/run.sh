#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Echo servers in one run: bare libuv and wslay (the limit), ours, node. Rounds go from server to server, so that
# a noisy machine disturbs all alike; a cell is the median of its rounds. QUICK=1 makes one short round.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=3 run_ms=400
[ -z "${QUICK:-}" ] || { rounds=1 run_ms=300; }
warm_ms=300
sizes=${SIZES:-"300 16384"}
connections=${CONNECTIONS:-"1 50 1000"}
flights=${FLIGHTS:-"1 16"}
result=bench/net/RESULTS.md

build
ulimit -n "$(ulimit -Hn)"
start 0 "$bin/bare_ws"; answer port 5; bare=$number bare_pid=$pid
start 0 "$bin/tabard_echo"; answer port 5; ours=$number ours_pid=$pid
start 0 node bench/net/node_ws.mjs; answer port 10; node_ws=$number node_ws_pid=$pid
start 0 node bench/net/node_http.mjs; answer port 10; node_http=$number node_http_pid=$pid

# load NAME MODE PORT PID CONNECTIONS IN_FLIGHT BYTES: one round; its figures go to the file NAME.
load() {
    line=$(on 1 "$bin/load" "$2" "$3" "$5" "$6" "$7" "$warm_ms" "$run_ms" "$4") || die "$1 failed: $*"
    echo "$line" | tr '= ' '  ' >>"$scratch/$1"
}

# row CELL BARE OURS NODE: a line of the table; the last three are names of load's files.
row() {
    awk -v cell="$1" -v a="$(middle "$2" 2)" -v b="$(middle "$3" 2)" -v c="$(middle "$4" 2)" \
        -v cost="$(middle "$2" 10) / $(middle "$3" 10) / $(middle "$4" 10)" \
        -v d="$(middle "$2" 6)" -v e="$(middle "$3" 6)" -v f="$(middle "$4" 6)" 'BEGIN {
        printf "| %s | %d | %d | %d | %.2f | %.2f | %s | %.0f / %.0f / %.0f |\n",
            cell, a, b, c, b / a, b / c, cost, d, e, f
    }'
}

cell() {
    rm -f "$scratch/bare" "$scratch/ours" "$scratch/node" "$scratch/post" "$scratch/node_post"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        load bare ws "$bare" "$bare_pid" "$@"
        load ours ws "$ours" "$ours_pid" "$@"
        load node ws "$node_ws" "$node_ws_pid" "$@"
        load post post "$ours" "$ours_pid" "$@"
        load node_post post "$node_http" "$node_http_pid" "$@"
        round=$((round + 1))
    done
    row "$3 | $1 | $2" bare ours node | tee -a "$scratch/ws.md"
    row "$3 | $1 | $2" bare post node_post >>"$scratch/http.md"
}

columns='| bytes | connections | in flight'
figures='ours / bare | ours / node | server µs an echo: bare / ours / node | p99 µs: bare / ours / node |'
rule='|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
ws_head="$columns | bare libuv+wslay, echoes/s | ours | node ws | $figures"
http_head="$columns | bare WebSocket, echoes/s | ours, POST | node:http, POST | $figures"

echo "$ws_head"
echo "$rule"
for size in $sizes; do
    for count in $connections; do
        for flight in $flights; do
            cell "$count" "$flight" "$size"
        done
    done
done
echo
echo "$http_head"
echo "$rule"
cat "$scratch/http.md"

{
    echo "# Echo over loopback"
    echo
    echo "$(machine), node $(node --version). Server on one core, load generator on the other;"
    echo "median of $rounds rounds of $run_ms ms after $warm_ms ms of warm-up, rounds interleaved between the servers."
    cat <<'TEXT'
Text messages over one loopback device. With one message in flight the load generator makes as many system
calls as the server, so its core is the limit there: compare the processor time of the server for one echo.
The bare server uses wslay's event API, which takes the mask off and checks UTF-8 byte by byte; ours does both
a word at a time.
TEXT
    echo "Written by \`make bench-net\`."
    echo
    echo "## WebSocket"
    echo
    echo "$ws_head"
    echo "$rule"
    cat "$scratch/ws.md"
    echo
    echo "## HTTP POST (in flight: pipelined)"
    echo
    echo "The bare WebSocket server stands here as a common measure, not as a limit of HTTP."
    echo
    echo "$http_head"
    echo "$rule"
    cat "$scratch/http.md"
} >"$scratch/result"
[ -n "${QUICK:-}" ] || cp "$scratch/result" "$result"
