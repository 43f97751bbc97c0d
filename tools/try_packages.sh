#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try_packages.sh [DIRECTORY]: the packages of `make deb` and `make npm` on a bare Debian 12, a root with nothing else in it, in
# build/bare-packages: installed, an agent drives a page, removed without a trace; then the steps of the Containerfile. The
# last line is the verdict. Has to be run as root.
set -euo pipefail
name=packages
# shellcheck source-path=SCRIPTDIR source=bare_root.sh
. "$(dirname "$0")/bare_root.sh"
here=/root/packages # in there

# Runs in the root: what an agent says over stdio to the command, as a user of its own, and what it has to hear.
agent() {
    local heard=/tmp/heard url=http://127.0.0.1:8000/
    {
        echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}'
        echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_navigate","arguments":{"url":"'$url'","snapshot":true}}}'
        for ((i = 0; i < 600; i++)); do ! grep -q '"id":2' "$heard" 2> /dev/null || break; sleep 0.1; done
    } | runuser -u agent -- env HOME=/home/agent XDG_RUNTIME_DIR=/home/agent "$@" > "$heard" 2> /tmp/agent.err || true
    if grep '"id":2' "$heard" | grep -q 'heading .*Arrived'; then
        say "an agent drives a page by: $*"
    else
        cat "$heard" /tmp/agent.err >&2
        stop "no page by: $*"
    fi
    pkill -u agent -f 'tabard serve' || true
    while pgrep -u agent > /tmp/left; do sleep 0.1; done
    rm -rf /home/agent/.local
}

apt() { apt-get "$@" > /root/apt.log 2>&1 || { tail -n 30 /root/apt.log >&2; stop "apt-get $* failed"; }; }

# What of tabard is on the disk, besides what people keep in their homes.
traces() { find / -xdev \( -path /proc -o -path "$here" -o -path /tmp -o -path /root -o -path /home \) -prune -o \( -name '*tabard*' -o -name 'btcp-server*' \) ! -name .tabard-bare -print; }

try_deb() {
    local left
    apt install -q -y "$here"/tabard_*.deb
    say "installed: $(tabard version)"
    runuser -u agent -- env HOME=/home/agent tabard doctor > /tmp/doctor || { cat /tmp/doctor; stop "doctor finds something"; }
    agent tabard mcp
    apt install -q -y man-db
    man -w tabard > /tmp/man || stop "there is no manual page"
    apt purge -q -y tabard
    left=$(traces)
    [ -z "$left" ] || stop "left behind: $left"
    apt autoremove -q -y --purge
    say "removed without a trace"
}

# Of Debian's libraries only those of glibc are there now, and a browser.
try_npm() {
    apt install -q -y --no-install-recommends npm chromium-headless-shell
    cd "$here"
    agent npx -y ./tabard-*.tgz mcp
    cd /
}

# No engine for containers runs everywhere: the steps of its file, one by one.
try_container() {
    local user run
    cp "$here"/tabard_*.deb /tmp/
    run=$(sed -n '/^RUN /,/[^\\]$/p' "$here/Containerfile" | sed 's/^RUN //')
    sh -euc "$run" > /root/container.log 2>&1 || { tail -n 30 /root/container.log >&2; stop "the steps of the Containerfile fail"; }
    user=$(sed -n 's/^USER //p' "$here/Containerfile")
    mapfile -t settings < <(sed -n 's/^ENV //p' "$here/Containerfile" | tr ' ' '\n')
    runuser -u "$user" -- env HOME=/var/lib/tabard "${settings[@]}" tabard serve > /tmp/serve.log 2>&1 &
    for ((i = 0; i < 100; i++)); do ! curl -fsS http://127.0.0.1:8765/health > /tmp/health 2>&1 || break; sleep 0.1; done
    grep -q '"ok"' /tmp/health || { cat /tmp/serve.log >&2; stop "the daemon of the container does not answer"; }
    pkill -u "$user" -f 'tabard serve'
    wait
    say "the steps of the Containerfile lead to a daemon that answers"
}

inside() {
    trap 'exit 130' INT TERM
    apt update -q
    apt install -q -y procps curl busybox
    useradd --create-home agent
    mkdir /tmp/site
    echo '<title>Inn</title><h1>Arrived</h1>' > /tmp/site/index.html
    busybox httpd -p 127.0.0.1:8000 -h /tmp/site
    try_deb
    try_npm
    try_container
    say "all packages work"
}

if [ "${1:-}" = inside ]; then
    inside
    exit
fi
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || stop "has to be run as root"
root=$(realpath -m "${1:-build/bare-packages}")
make_root "$root"
mkdir -p "$root$here"
cp tools/try_packages.sh tools/bare_root.sh packaging/Containerfile build/deb/tabard_*.deb build/npm/tabard-*.tgz "$root$here"
chmod -R a+rX "$root$here" "$root/root"
find_way
enter "$root" "${way[@]}" "$here/try_packages.sh" inside
