#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The files that one browser_click passes on its way from the agent's socket to the browser's pipe: the stack of a debug build
# at the moment when it writes there. One line per file, in the order of the way; the last line counts them.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
command -v gdb > /dev/null || { echo "walk.sh: gdb is not installed" >&2; exit 1; }
make --no-print-directory -s MODE=debug -j"$(nproc)" all >&2
dir=$(mktemp -d)
program=build/debug/tabard
where=(--state-dir "$dir/state" --runtime-dir "$dir/run")
"$program" serve "${where[@]}" --listen 127.0.0.1:0 --agent-listen off > "$dir/out" 2> "$dir/log" &
started=($!)
trap 'exec 3>&-; kill "${started[@]}" 2> /dev/null; wait; rm -rf "$dir"' EXIT

# until_has FILE WORDS: waits for what comes; half a minute is more than a busy machine needs.
until_has() {
    for ((i = 0; i < 300; i++)); do
        ! grep -qsF -- "$2" "$1" || return 0
        sleep 0.1
    done
    echo "walk.sh: no $2" >&2
    cat "$dir/log" "$dir/replies" >&2
    exit 1
}

until_has "$dir/out" 'tabard ready'
mkfifo "$dir/in"
"$program" mcp --no-start "${where[@]}" < "$dir/in" > "$dir/replies" &
started+=($!)
exec 3> "$dir/in"
id=0
request() { # METHOD PARAMS
    id=$((id + 1))
    echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"method\":\"$1\",\"params\":$2}" >&3
}
ask() {
    request "$@"
    until_has "$dir/replies" "\"id\":$id,"
}
click='{"name":"browser_click","arguments":{"target":"button"}}'
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"walk","version":"1"}}'
ask tools/call '{"name":"browser_navigate","arguments":{"url":"about:blank"}}'
ask tools/call '{"name":"browser_evaluate","arguments":{"script":"document.body.innerHTML = `<button>Go</button>`"}}'
ask tools/call "$click" # the second is as any other
gdb -q -batch -p "${started[0]}" -ex 'break tb_cdp_op_click' -ex continue \
    -ex 'break tb_cdp_line_write' -ex continue -ex bt > "$dir/stack" 2>&1 &
gdb=$!
started=("$gdb" "${started[@]}") # it has to let go of the daemon first
until_has "$dir/stack" 'Breakpoint 1 at'
request tools/call "$click"
wait "$gdb"
until_has "$dir/replies" "\"id\":$id,"
exec 3>&-
# From the inside out; above the front is what every request has in common.
sed -n 's/^#[0-9].* at src\/\([^:]*\):[0-9]*$/\1/p' "$dir/stack" | awk '
    /^io\// {exit} {way[NR] = $0; n = NR}
    END {for (i = n; i > 0; i--) {if (way[i] != last) {entries++; if (!seen[way[i]]++) files++; print way[i]} last = way[i]}
        print files " files, entered " entries " times"; exit way[n] !~ /^front\//}'
