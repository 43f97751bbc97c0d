# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# A bare Debian 12 in a directory, for scripts that try what people do on a fresh machine: a root with nothing else in it.
# Packages come by the way that this machine's own come: its mirrors, proxies and certificates. Whoever includes this sets
# `name` (for what it says), and is root.
suite=bookworm

say() { echo "$name: $*"; }
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
}

# The variables of `way` bring packages from where this machine gets them.
find_way() {
    mapfile -t way < <(npm_way; env | grep -iE '^(https?|all|no)_proxy=' || true)
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
