#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Agents call a page's tool through a bare relay on libuv and wslay (the limit), through ours, and through one on
# node. Rounds go from server to server, so that a noisy machine disturbs all alike; a cell is the median of its
# rounds. QUICK=1 makes one short round of some cells.
set -eu
# shellcheck source-path=SCRIPTDIR source=../net/lib.sh
. "$(dirname "$0")/../net/lib.sh"

rounds=3 run_ms=1000 warm_ms=500 rest_ms=0
[ -z "${QUICK:-}" ] || { rounds=1 run_ms=300; }
most=10000
spare=150 # descriptors that a process needs besides its connections
limit=$(ulimit -Hn)
[ "$limit" = unlimited ] || [ "$limit" -ge $((2 * most + spare)) ] || most=$(((limit - spare) / 2))
ulimit -n "$limit"
sizes=${SIZES:-"300 16384"}
sessions=${SESSIONS:-"1 100 1000 $most"}
flights=${FLIGHTS:-"1 16"}
result=bench/relay/RESULTS.md
programs=build/release/bench

# Nothing of what it keeps for later is to grow from cell to cell: a session ends with its page.
settings() {
    cat <<END
log: {level: error}
http: {connections_max: 100000, allowed_hosts: [127.0.0.1]}
sessions: {total: 200000, per_tenant: 100000, client_away_ms: 1}
END
}

# Each round has fresh servers. Sets $pid, $page_port and $agent_port.
start_bare() {
    start 0 "$programs/net/bare_ws" "$1"; answer port 5
    page_port=$number agent_port=$number
}

start_node() {
    start 0 node bench/relay/node_relay.mjs; answer port 10
    page_port=$number agent_port=$number
}

free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }

start_ours() {
    rm -rf "$scratch/state"
    mkdir -p "$scratch/state" "$scratch/run"
    settings >"$scratch/tabard.yaml"
    page_port=$(free_port) agent_port=$(free_port)
    start 0 build/release/tabard serve --config "$scratch/tabard.yaml" --state-dir "$scratch/state" --runtime-dir "$scratch/run" \
        --listen "127.0.0.1:$page_port" --agent-listen "127.0.0.1:$agent_port"
    tries=100
    until curl -sf "http://127.0.0.1:$page_port/health" >"$scratch/health"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || die "tabard does not answer"
        sleep 0.05
    done
}

# load NAME SESSIONS IN_FLIGHT BYTES: one round; its figures go to the file NAME.
load() {
    name=$1
    shift
    token=''
    "start_$name" "$1"
    case $name in
        ours) token=$(cat "$scratch/state/admin.token") ;;
        node) token=none ;;
    esac
    # shellcheck disable=SC2086
    line=$(on 1 "$programs/relay/load" "$page_port" "$agent_port" "$@" "$warm_ms" "$run_ms" "$pid" "$rest_ms" $token) || die "$name failed: $*"
    stop "$pid"
    echo "$line" | tr '= ' '  ' >>"$scratch/$name"
}

cell() {
    rm -f "$scratch/bare" "$scratch/ours" "$scratch/node"
    for ((round = 0; round < rounds; round++)); do
        load bare "$@"
        load ours "$@"
        load node "$@"
    done
    awk -v cell="$3 | $1 | $2" -v a="$(middle bare 2)" -v b="$(middle ours 2)" -v c="$(middle node 2)" \
        -v d="$(middle bare 4)" -v e="$(middle ours 4)" -v f="$(middle node 4)" \
        -v cost="$(middle bare 10) / $(middle ours 10) / $(middle node 10)" 'BEGIN {
        printf "| %s | %d | %d | %d | %.2f | %.2f | %.0f / %.0f / %.0f | %s |\n", cell, a, b, c, b / a, b / c, d, e, f, cost
    }'
}

# What a connection holds for a message that comes in is given back when it has been silent for a while.
weigh() {
    rounds=1 rest_ms=40000
    for name in ours node; do
        rm -f "$scratch/$name"
        load "$name" "$most" 1 300
        echo "| $name | $(middle "$name" 12) | $(middle "$name" 14) | $(middle "$name" 16) |" |
            awk '{printf "%s %.1f |\n", $0, $4 + $6 + $8}'
    done
}

head='| bytes | sessions | in flight | bare libuv+wslay, calls/s | ours | node ws | ours / bare | ours / node | p50 µs: bare / ours / node | server µs a call: bare / ours / node |'
rule='|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
{
    echo "$head"
    echo "$rule"
    for size in $sizes; do
        for flight in $flights; do
            for count in $sessions; do
                cell "$count" "$flight" "$size"
            done
        done
    done
    echo
    echo "| server, with $most sessions | KB of a page's connection | its session | an agent in it, with its connection | all |"
    echo '|---|--:|--:|--:|--:|'
    weigh
} | tee "$scratch/table.md"

[ -n "${QUICK:-}" ] || {
    echo "# From an agent to a page and back"
    echo
    echo "$(machine), node $(node --version). Server on one core, pages and agents on the other;"
    echo "median of $rounds rounds of $run_ms ms after $warm_ms ms of warm-up, each with fresh servers."
    cat <<'TEXT'
An agent calls a tool of a page, which answers: four messages, all of the size that is said. The bare relay passes on
what comes, between two connections that it knows; ours and node's read JSON, find the session, give the call an id of
their own and bring the answer to the agent that asked. Ours also checks the message and who may call, keeps deadlines, queues and
limits, and puts calls on record. So many calls are under way over all sessions, in turn. Memory is resident memory of
the server, 40 s after the last page or agent has come; by then connections have given back what they held for messages
on their way in, which serves those who come next, so that the last column says most.
Goals: at least 0.6 of bare, at least 4 times node, flat from one session to all (within 15 %), at most 8 KB a session.
TEXT
    echo "Written by \`make bench-relay\`."
    echo
    cat "$scratch/table.md"
} >"$scratch/result"
[ -n "${QUICK:-}" ] || cp "$scratch/result" "$result"
