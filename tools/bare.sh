#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bare.sh [DIRECTORY] [ROUNDS]: `make run`, then `make test` twice, from a fresh clone on a bare Debian 12: a root with nothing
# else in it, in build/bare. Packages come by the way that this machine's own come: its mirrors, proxies and
# certificates. The last line is the verdict; what was printed is kept below DIRECTORY/root. Has to be run as root.
set -euo pipefail
suite=bookworm
tree=/root/tabard # in there

say() { echo "bare: $*"; }
stop() { say "$*" >&2; exit 1; }

# Packages that this machine gets from Debian 12, as lines of a sources.list.
sources() {
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | awk -v s="$suite" '$3 ~ "^" s'
}

# npm's settings that say where packages are, as variables.
npm_way() {
    local key value
    for key in registry proxy https-proxy noproxy; do
        value=$(npm config get "$key" 2> /dev/null) || continue
        case $value in '' | null | undefined) ;; *) echo "npm_config_${key//-/_}=$value" ;; esac
    done
}

make_root() {
    local root=$1 mirror proxy=''
    mirror=$(sources | awk -v s="$suite" '$3 == s {print $2; exit}')
    [ -n "$mirror" ] || stop "apt has no mirror of $suite here"
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [ -z "$proxy" ] || export http_proxy=$proxy
    if [ -e "$root" ]; then
        [ -e "$root/.tabard-bare" ] || stop "$root is there already and not from here"
        rm -rf --one-file-system "$root"
    fi
    mkdir -p "$root"
    touch "$root/.tabard-bare"
    say "debootstrap of $suite in $root"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; stop "debootstrap failed"; }
    sources > "$root/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(https?|Check-Valid-Until|Retries)[: ]' > "$root/etc/apt/apt.conf.d/90way" || true
    cp -L /etc/hosts /etc/resolv.conf "$root/etc/"
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    git clone -q --no-hardlinks . "$root$tree"
}

# What is mounted and started there is gone when this ends, however it ends: it has namespaces of its own. A change of the
# root alone would not do, since the sandbox of a browser does not work in one.
enter() {
    local root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child -- sh -euc '
        root=$1
        shift
        mount --bind "$root" "$root"
        for each in dev sys; do mount --rbind "/$each" "$root/$each"; done
        mount -t proc proc "$root/proc"
        cd "$root"
        pivot_root . .
        umount -l .
        exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$root" "$@"
}

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
mapfile -t way < <(npm_way; env | grep -iE '^(https?|all|no)_proxy=' || true)
enter "$root" "${way[@]}" "$tree/tools/bare.sh" inside "${2:-2}"
