#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The files that one browser_click passes, from stacks of a debug build: down from the agent's socket to the browser's pipe, and up from what
# the browser tells last to the write of the answer. The way up is several stacks, since core goes on from the loop: one where the driver hands
# over, one where core has the result, one where the answer is written. Beside it goes the record of the call, for which the answer waits.
# One line per file, in the order of the way. Fails if a way enters a rank twice, or the way down passes more than 12 files.
# With --check it prints only what ARCHITECTURE.md says differently: the number of files each way, or a file that "Life of a call" does not name.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS # a make that called us has other targets in mind
command -v gdb > /dev/null || { echo "walk.sh: gdb is not installed" >&2; exit 1; }
if [ "$(id -u)" != 0 ] && [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" != 0 ]; then
    echo "walk.sh: not traced, since this machine lets gdb attach to no other process (kernel.yama.ptrace_scope)"
    exit 0
fi
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
ask tools/call '{"name":"browser_evaluate","arguments":{"script":"document.body.innerHTML = `<button onclick=this.append(1)>Go</button>`"}}'
ask tools/call "$click" # the second is as any other
cat > "$dir/commands" << 'END'
break tb_cdp_op_click
continue
delete
break write_to_pipe
continue
echo == down\n
bt
delete
break tb_op_done
commands
echo == up\n
bt
continue
end
break tb_call_deliver
commands
echo == up\n
bt
continue
end
break tb_store_append
commands
echo == record\n
bt
continue
end
break tb_hold_release
commands
echo == back\n
bt
continue
end
break tb_mcp_result_send
continue
delete
break tb_stream_write_take
continue
echo == up\n
bt
END
gdb -q -batch -p "${started[0]}" -x "$dir/commands" > "$dir/stacks" 2>&1 &
gdb=$!
started=("$gdb" "${started[@]}") # it has to let go of the daemon first
until_has "$dir/stacks" 'Breakpoint 1 at'
request tools/call "$click"
wait "$gdb"
until_has "$dir/replies" "\"id\":$id,"
exec 3>&-
# Each stack is printed from the inside out. What is in io, and above the first of it, every request has in common.
trace=$(sed -n 's/^== //p; s/^#[0-9].* at src\/\([^:]*\):[0-9]*$/\1/p' "$dir/stacks" | awk '
    function join(  i) {
        for (i = n; i > 0; i--) if (stack[i] != last[way]) {last[way] = stack[i]; walk[way, ++count[way]] = stack[i]}
        n = 0; common = 0
    }
    function show(way, title,  i, file, rank, before, files, entered, seen, ranks, again) {
        print title
        for (i = 1; i <= count[way]; i++) {
            file = walk[way, i]; rank = file; sub(/\/.*/, "", rank)
            if (!seen[file]++) files++
            if (rank != before) {if (entered[rank]++) again = again " " rank; ranks = ranks " " rank; before = rank}
            print "    " file
        }
        print "  " files " files;" ranks (again ? "; again:" again : ", each once")
        if (way != "record" && again || way == "down" && files > 12) failed = 1
    }
    /^[a-z]+$/ {join(); way = $0 == "back" ? "record" : $0; next}
    /^io\// {if (n) common = 1; next}
    !common {stack[++n] = $0}
    END {
        join()
        show("down", "down, to the pipe:"); show("up", "up, from the pipe:"); show("record", "beside it, the record:")
        exit failed
    }') || { echo "$trace"; exit 1; }
[ "${1:-}" = --check ] || { echo "$trace"; exit 0; }

# What ARCHITECTURE.md says: "12 files down; 14 up, or 15 if ...", and files by their names.
life=$(sed -n '/^## Life of a call/,/^## A session/p' ARCHITECTURE.md)
said_down=$(grep -oE '[0-9]+ files down' <<< "$life" | grep -oE '^[0-9]+')
said_up=$(grep -oE 'files down; [0-9]+ up(, or [0-9]+)?' <<< "$life" | grep -oE '[0-9]+')
read -r down up < <(grep -oE '^  [0-9]+ files' <<< "$trace" | grep -oE '[0-9]+' | paste -sd ' ' | cut -d ' ' -f 1,2)
status=0
differs() { echo "$1"; status=1; }
[ "$down" = "$said_down" ] || differs "ARCHITECTURE.md says that a click passes $said_down files down; it passes $down"
grep -qx "$up" <<< "$said_up" || differs "ARCHITECTURE.md says that a click passes $(paste -sd ' ' <<< "$said_up") files up; it passes $up"
while read -r file; do
    grep -qE "[/\`]${file##*/}\`" <<< "$life" || differs "a click passes $file, which \"Life of a call\" in ARCHITECTURE.md does not name"
done < <(sed '/^beside it/,$d' <<< "$trace" | grep -oE '[a-z]+/[a-z_/]+\.c' | sort -u) # how the store works is its own business
exit $status
