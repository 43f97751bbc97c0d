# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What the scripts of bench/net share. Servers run on core 0, clients on core 1. Everything that was started
# is ended and the scratch directory removed, however the script ends. On a machine that others use too,
# BENCH_RT=1 runs servers and clients at real-time priority, if the system allows it.

cd "$(dirname "$0")/../.." || exit 1
bin=${BENCH_BIN:-build/release/bench/net}
scratch=$(mktemp -d)
pids=
serial=0
rt=
[ -z "${BENCH_RT:-}" ] || rt='chrt -r 5'

cleanup() {
    for each in $pids; do kill "$each" 2>/dev/null || true; done
    wait
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

die() { echo "$0: $*" >&2; exit 1; }

build() {
    [ -n "${BENCH_BIN:-}" ] || make --no-print-directory MODE=release bench-net-programs || exit 1
}

# on CORE COMMAND...: becomes the command, so it belongs behind "$(" or before "&".
on() {
    core=$1
    shift
    # shellcheck disable=SC2086
    exec $rt taskset -c "$core" "$@"
}

# start CORE COMMAND...: runs it in the background. Sets $pid and $out, the file with what it prints.
start() {
    core=$1
    shift
    serial=$((serial + 1))
    out=$scratch/$serial
    : >"$out"
    on "$core" "$@" >"$out" &
    pid=$!
    pids="$pids $pid"
}

# stop PID: ends it and waits for its end.
stop() {
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
    left=
    for each in $pids; do [ "$each" = "$1" ] || left="$left $each"; done
    pids=$left
}

# answer WORD SECONDS: the number behind WORD in $out, once it is there. Sets $number.
answer() {
    tries=$(($2 * 20))
    while number=$(sed -n "s/^$1 \([0-9]*\).*/\1/p" "$out") && [ -z "$number" ]; do
        tries=$((tries - 1))
        kill -0 "$pid" 2>/dev/null || die "the process that should say '$1' has ended"
        [ "$tries" -gt 0 ] || die "no '$1' within $2 s"
        sleep 0.05
    done
}

# middle NAME FIELD: the median of a figure over the rounds (2 per second, 4 p50, 6 p99, 8 load's own share,
# 10 the server's time an echo).
middle() {
    cut -d ' ' -f "$2" "$scratch/$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

# What was measured on, for the head of a result.
machine() {
    note=
    [ -z "$rt" ] || note=', real-time priority'
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%Y-%m-%d), $cpu, $(nproc) cores, Linux $(uname -r | sed 's/-.*//')$note"
}
