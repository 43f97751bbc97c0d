#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bare.sh [DIRECTORY] [ROUNDS]: `make run`, then `make test` twice, from a fresh clone on a bare Debian 12: a root with nothing
# else in it, in build/bare. Packages come by the way that this machine's own come: its mirrors, proxies and
# certificates. The last line is the verdict; what was printed is kept below DIRECTORY/root. Has to be run as root.
set -euo pipefail
name=bare
tree=/root/tabard # in there
# shellcheck source-path=SCRIPTDIR source=bare_root.sh
. "$(dirname "$0")/bare_root.sh"

# `make run` until its daemon answers. Sets `answered`.
run() {
    local log=/root/run.log url='' end=$((SECONDS + 1800))
    make run ARGS='--listen 127.0.0.1:0 --agent-listen 127.0.0.1:0' > "$log" 2>&1 &
    local make=$!
    while [ -z "$url" ] && kill -0 "$make" 2> /dev/null && [ "$SECONDS" -lt "$end" ]; do
        sleep 1
        url=$(sed -n 's/^tabard ready \(http[^ ]*\).*/\1/p' "$log")
    done
    if [ -n "$url" ] && curl -fsS "${url%/}/health"; then
        echo
        answered=yes
    else
        tail -n 60 "$log"
    fi
    kill "$make" 2> /dev/null || true
    wait "$make" || true
}

inside() {
    local rounds=$1 answered=no verdict=0 round tally all=''
    trap 'exit 130' INT TERM
    cd "$tree"
    say "apt-get install make"
    { apt-get update -q && apt-get install -q -y --no-install-recommends make; } > /root/make.log 2>&1 || { cat /root/make.log; stop "no make"; }
    say "make run"
    run
    [ "$answered" = yes ] || verdict=1
    for ((round = 1; round <= rounds; round++)); do
        say "make test, round $round"
        make test 2>&1 | tee "/root/test-$round.log" | grep -v '^ok ' || true
        tally=$(tail -n 1 "/root/test-$round.log")
        [[ $tally =~ ^[1-9][0-9]*\ passed,\ 0\ failed$ ]] || verdict=1
        all="$all; make test: $tally"
    done
    say "make run answered: $answered$all"
    exit "$verdict"
}

if [ "${1:-}" = inside ]; then
    inside "$2"
fi
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || stop "has to be run as root"
[ -z "$(git status --porcelain)" ] || say "what is not committed is left out"
root=$(realpath -m "${1:-build/bare}")
make_root "$root"
git clone -q --no-hardlinks . "$root$tree"
find_way
enter "$root" "${way[@]}" "$tree/tools/bare.sh" inside "${2:-2}"
