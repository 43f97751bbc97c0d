#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the reference pages that follow from tables in the source. With --check it writes nothing
# and fails when a page is stale. A new page: a function page_NAME that prints it, and NAME in `pages`. The figures in
# ARCHITECTURE.md come from tools/house.sh.
set -eu
cd "$(dirname "$0")/.."
pages='ERRORS CONFIG EVENTS'
# The tree of lint-selftest.sh is a small one.
[ ! -f src/tool/tools.def ] || pages="$pages TOOLS METRICS"

page_ERRORS() {
    cat <<'END'
<!-- Written by tools/gen-docs.sh from src/base/err.def. Change it there, then run `make docs`. -->
# Errors

Every failure has one of these codes. REST, events (`call_done`) and the audit log name it; a tool that fails over MCP gives the message and
what to do, and an error of JSON-RPC has the number. The code is stable; the message that comes with it is for people and may change. *Retry* says whether the same request can succeed
later: `no`, `once` (try one more time) or `later` (wait first). Callers of another toolset are told what to do with the names of
their own tools.

| code | HTTP | JSON-RPC | retry | what to do |
| --- | --- | --- | --- | --- |
END
    rows 'TB_ERR(name, wire, http, rpc, retry, advice)' 'wire @ http @ rpc @ retry @ advice' \
        base/err.def | awk -F ' @ ' '{
            gsub(/"/, "", $1); sub(/^"/, "", $5); sub(/"$/, "", $5)
            gsub(/\\"/, "\"", $5); sub(/\|.*/, "", $5); gsub(/[{}]/, "`", $5) # see src/base/hint.h
            sub(/TB_RETRY_/, "", $4)
            print "| `" $1 "` | " $2 " | " $3 " | " tolower($4) " | " $5 " |"
        }'
}

page_CONFIG() {
    cat <<'END'
<!-- Written by tools/gen-docs.sh from src/core/config.def. Change it there, then run `make docs`. -->
# Settings

Every setting is optional. A setting comes from the file, from the environment, or from an option; the last of these wins. The file
is the one that `--config` names, else `~/.config/tabard/tabard.yaml` (`$XDG_CONFIG_HOME/tabard/tabard.yaml`) if it exists; the daemon
logs which one it has read. It must belong to you or to root, and if it contains a secret (`webhooks`, or a password in `proxy.upstream`), nobody else may read it:
`chmod 600`. The part before the dot is the section of the file:

```yaml
listen: 127.0.0.1:8765
http:
  idle_ms: 75000
```

In the environment, commas separate the items of a list. *Reload* says whether `kill -HUP` applies a change.

`webhooks` is a list and can be set only in the file:

```yaml
webhooks:
  - url: https://example.org/tabard
    secret: at least sixteen characters
    types: [session_ended, global_stop]   # without it: all of EVENTS.md
```

| setting | environment | option | default | reload | what it does |
| --- | --- | --- | --- | --- | --- |
END
    rows 'TB_CONFIG(field, path, type, fallback, min, max, words, flag, when, help)' \
        'path @ fallback @ flag @ when @ help @ type' core/config.def | awk -F ' @ ' '{
            for (i = 1; i <= 5; i++) { sub(/^"/, "", $i); sub(/"$/, "", $i); gsub(/\\"/, "\"", $i) }
            env = "`TABARD_" toupper($1) "`"; gsub(/\./, "_", env); gsub(/\|/, "\\|", $5)
            if ($6 == "HOOKS") { env = "" }
            flag = $3 ~ /^--/ ? "`" $3 "`" : ""
            print "| `" $1 "` | " env " | " flag " | " ($2 == "" ? "" : "`" $2 "`") " | " \
                ($4 == "RELOAD" ? "yes" : "no") " | " $5 " |"
        }'
    # The tree of lint-selftest.sh is a small one.
    [ ! -f src/daemon/config_btcp.def ] || names_of_btcp
}

names_of_btcp() {
    cat <<'END'

## Names of BTCP's own server

Installed as `btcp-server`, and as `tabard`, the program also reads these names: keys of `btcp-server.yaml`, which is the file that `--config` names, the one
where `btcp-server` was started, or that in `~/.config/tabard`; and variables. Settings by the names above win. The log names what has no use here, and
variables `BTCP_*` that there are not; a key that there is not is an error.

| key | environment | option | setting |
| --- | --- | --- | --- |
END
    rows 'TB_BTCP_NAME(key, env, flag, path, how)' 'key @ env @ flag @ path @ how' \
        daemon/config_btcp.def | awk -F ' @ ' '
            function code(text) { return text == "NULL" ? "" : "`" text "`" }
            $5 != "CLIENTS" {
                for (i = 1; i <= 4; i++) { gsub(/"/, "", $i) }
                note = $5 == "SECONDS" ? ", in seconds" : $5 == "OPPOSITE" ? ", the reverse" : \
                    $5 == "HOST" ? " and `agent_listen`, the host" : $5 == "PORT" ? ", the port" : ""
                print "| " code($1) " | " code($2) " | " code($3) " | " ($5 == "USELESS" ? "none" : code($4) note) " |"
            }'
}

page_EVENTS() {
    cat <<'END'
<!-- Written by tools/gen-docs.sh from src/core/events.def. Change it there, then run `make docs`. -->
# Events

`GET /api/events` sends events as they happen: as server-sent events or, if the request says `Upgrade: websocket`, as WebSocket
messages. An event looks like this:

```json
{"id":"5f0c2a9e41d7-17","type":"session_ended","time":"2026-01-31T12:00:00.000Z","tenant":"default","sessionId":"browser-1","kind":"browser","data":{"reason":"closed"}}
```

`?session=`, `?kind=` and `?type=` select events; the last two accept several values, separated by commas. A client that reconnects
passes the id of the last event it received, in the header `Last-Event-ID` or as `?after=`, and receives the events it missed. If the
daemon no longer keeps those, or has restarted, the first event is `resync`, with `next`, the id of the event that follows, and
`reason`: `expired`, `restarted`, or `unknown_id` if no event ever had that id. The daemon drops a reader that is too slow: the stream ends with an event `dropped`, or the
WebSocket closes with code 1013 and, as the reason, the id to reconnect with. A WebSocket that does not answer pings
closes with code 1008.

A webhook (see `webhooks` in CONFIG.md) receives each event as a POST of the same JSON, one at a time and in order, with the headers
`X-Tabard-Event` (type), `X-Tabard-Delivery` (id, the same on every attempt), `X-Tabard-Timestamp` (Unix seconds) and
`X-Tabard-Signature`: `sha256=` and, in hexadecimal, the HMAC-SHA256 of the timestamp, a dot and the body, keyed with the secret. After
any answer other than 2xx, or none within 5 s, the daemon tries again, at growing intervals, for about half an hour.

| event | when | `data`, as far as it is known |
| --- | --- | --- |
END
    rows 'TB_EVENT(name, wire, when, ...)' 'wire @ when @ __VA_ARGS__' core/events.def | awk -F ' @ ' '{
            gsub(/"/, "", $1); sub(/^"/, "", $2); sub(/"$/, "", $2); gsub(/"/, "`", $3)
            print "| `" $1 "` | " $2 " | " ($3 == "NULL" ? "" : $3) " |"
        }'
    cat <<'END'

`name` and `session` are the name of the session, and `type` is its kind (of a dialog: `alert`, `confirm`
or `prompt`). Of a call, `code` is `ok` or one of ERRORS.md, `action` the number of the call in its session and `step` that of the step in
its call. A session ends for a `reason`:

| reason | the session |
| --- | --- |
END
    rows 'TB_REASON(name, wire, expired, words, after)' 'wire @ words @ after' core/reasons.def | awk -F ' @ ' '{
            for (i = 1; i <= 3; i++) { sub(/^"/, "", $i); sub(/"$/, "", $i) }
            print "| `" $1 "` | " $2 ($3 == "NULL" ? "" : " …" $3) " |"
        }'
}

page_METRICS() {
    cat <<'END'
<!-- Written by tools/gen-docs.sh from src/core/metrics.def. Change it there, then run `make docs`. -->
# Metrics

`GET /metrics` gives these in Prometheus' text format. They count what all tenants do: a collector needs the admin token or a key of the tenant
`default` with the scope `observe`. [packaging/grafana/tabard.json](../packaging/grafana/tabard.json) is a dashboard for Grafana that shows them.

```yaml
scrape_configs:
  - job_name: tabard
    authorization: {credentials_file: /etc/prometheus/tabard.key}
    static_configs: [{targets: ['127.0.0.1:8765']}]
```

| metric | type | labels | what |
| --- | --- | --- | --- |
END
    table='{
            for (i = 1; i <= NF; i++) gsub(/"/, "", $i)
            labels = $3 == "" ? "" : "`" $3 "`" ($4 == "" ? "" : ", `" $4 "`")
            print "| `" $1 "` | " tolower($2) " | " labels " | " $5 " |"
        }'
    rows 'TB_METRIC(name, wire, kind, help)' 'wire @ kind @ "" @ "" @ help' core/metrics.def | sed 's/COUNTER_SECONDS/COUNTER/' | awk -F ' @ ' "$table"
    rows 'TB_SERIES(name, wire, kind, one, other, help)' 'wire @ kind @ one @ other @ help' core/metrics.def | awk -F ' @ ' "$table"
    rows 'TB_HISTOGRAM(name, wire, label, help)' 'wire @ HISTOGRAM @ label @ "" @ help' core/metrics.def | awk -F ' @ ' "$table"
}

# The tables of the tools are C, so the program prints this page itself. Lint has its objects by now.
page_TOOLS() {
    make --no-print-directory -s MODE=debug build/debug/tabard >&2
    build/debug/tabard tools --markdown
}

# The rows of a .def file, one a line, as its macro $1 with the body $2 gives them. The C
# preprocessor reads the table, so what the program sees and what is printed are the same.
rows() {
    printf '#define %s NEXT_ROW %s\n#include "%s"\n' "$1" "$2" "$3" | gcc -E -P -Isrc -x c - |
        tr '\n' ' ' | awk '{ gsub(/NEXT_ROW /, "\n"); print }' | sed -e 's/ *$//' -e '/^$/d'
}

# ARCHITECTURE.md with the figures of the house as they are now.
architecture() {
    figures=$(tools/house.sh) || return 1
    if ! grep -q '^<!-- house:' ARCHITECTURE.md || ! grep -q '^<!-- end of house' ARCHITECTURE.md; then
        echo "ARCHITECTURE.md has no place for the figures of tools/house.sh" >&2
        return 1
    fi
    awk -v figures="$figures" '/^<!-- end of house/ {skip = 0} !skip {print} /^<!-- house:/ {print figures; skip = 1}' ARCHITECTURE.md
}

check=''
[ "${1:-}" = --check ] && check=1
rc=0
if [ -f ARCHITECTURE.md ]; then # the tree of lint-selftest.sh has none at first
    fresh=$(architecture)
    if [ -z "$check" ]; then
        printf '%s\n' "$fresh" > ARCHITECTURE.md
        echo ARCHITECTURE.md
    elif ! printf '%s\n' "$fresh" | cmp -s - ARCHITECTURE.md; then
        echo "the figures of ARCHITECTURE.md are stale: run make docs"
        rc=1
    fi
fi
for page in $pages; do
    file=docs/$page.md
    fresh=$("page_$page")
    if [ -z "$check" ]; then
        mkdir -p docs
        printf '%s\n' "$fresh" > "$file"
        echo "$file"
    elif ! printf '%s\n' "$fresh" | cmp -s - "$file"; then
        echo "$file is stale: run make docs"
        rc=1
    fi
done
exit $rc
