#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, and is silent when nothing is: setup.sh [run] [test] [dev] [bare] [package]
#   run   what the daemon is built from, and the browsers
#   test  that, and what the tests need (the default)
#   dev   what the daemon is built from, and the tools of lint, fuzz and cov
#   bare  what makes a bare Debian for tools/bare.sh
#   package  what makes Debian packages
set -eu
cd "$(dirname "$0")/.."

build='gcc libc6-dev make pkg-config libuv1-dev libwslay-dev libcjson-dev libcurl4-openssl-dev libsodium-dev libcyaml-dev libyaml-dev libssl-dev libsqlite3-dev libidn2-dev libpsl-dev libcmocka-dev openssl curl'
run='chromium chromium-headless-shell ca-certificates' # the last for webhooks and remote browsers behind TLS
dev='clang libclang-rt-dev clang-format clang-tidy llvm gcovr gdb wrk'

say() { echo "setup: $*"; }
stop() { say "$*" >&2; exit 1; }
have() { command -v "$1" > /dev/null 2>&1; }

want=$build
npm=''
[ $# -gt 0 ] || set -- test
for set; do
    case $set in
        run) want="$want $run" ;;
        test) want="$want $run iproute2 strace" npm=1 ;;
        dev | --dev) want="$want $dev" ;;
        bare) want="$want debootstrap git" ;;
        package) want="$want dpkg-dev debhelper git" ;;
        *) stop "usage: tools/setup.sh [run] [test] [dev] [bare] [package]" ;;
    esac
done
# Where node comes from elsewhere, Debian's npm would be in its way.
if [ -n "$npm" ]; then
    have node || want="$want nodejs"
    have npm || want="$want npm"
fi

if ! have dpkg-query || ! have apt-get; then
    say "this is no Debian with apt. Needed are, by their names there:" >&2
    # shellcheck disable=SC2086
    printf '  %s\n' $want >&2
    exit 1
fi

missing_packages() {
    # shellcheck disable=SC2086
    here=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' $want 2> /dev/null) || true
    for package in $want; do
        case "
$here
" in
            *"
$package=installed
"*) ;;
            *) echo "$package" ;;
        esac
    done
}

install_packages() {
    as_root=''
    if [ "$(id -u)" -ne 0 ]; then
        have sudo || stop "not root and no sudo here. As root: apt-get install $*"
        as_root='sudo'
    fi
    say "installing with ${as_root:+$as_root }apt-get: $*"
    $as_root apt-get update -q || say "the package lists could not be brought up to date; trying with the old ones"
    # Another apt, such as the one that brings updates by itself, is waited for.
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends "$@" ||
        stop "apt-get failed; the lines above say why"
}

missing=$(missing_packages)
# shellcheck disable=SC2086
[ -z "$missing" ] || install_packages $missing

# The clients that the tests use. npm writes the inner file last.
if [ -n "$npm" ] && [ -f tests/package.json ] &&
    [ -z "$(find tests/node_modules/.package-lock.json -newer tests/package-lock.json 2> /dev/null)" ]; then
    say "installing the tests' npm packages in tests/node_modules"
    (cd tests && npm ci --no-audit --no-fund --loglevel=error) || stop "npm ci failed in tests/"
fi
