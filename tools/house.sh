#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The house in figures, from the code alone: what ARCHITECTURE.md says of its size and shape. `make house` prints them;
# tools/gen-docs.sh puts them into ARCHITECTURE.md and checks that they are still true.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/shape.sh
export LC_ALL=C # for the order of files and of what is equal

# What is for tests, or part of tabard-fixtures only, does not count as product.
for_tests='_test\.c$|_fuzz\.c$|_rig\.h$|/testing\.h$|/fake/|/fixtures/'
product() { find "$@" -name '*.[ch]' | { grep -vE "$for_tests" || true; } | sort; }
tests() { find "$@" -name '*.[ch]' | { grep -E "$for_tests" || true; } | sort; }
lines() { xargs -r cat | wc -l; }
hundreds() { awk -v n="$1" 'BEGIN {print int((n + 50) / 100) * 100}'; }

function_lines() { product "$@" | { grep '\.c$' || true; } | code | functions; }

spread() { awk '{n[NR] = $1} END {print n[int((NR + 1) / 2)], n[int(NR * 0.9 + 0.5)], n[int(NR * 0.99 + 0.5)], n[NR]}'; }

# Includes from one folder of src into another, as "folder other".
folders() {
    product src | { xargs -r grep -H '^#include "[a-z]*/' || true; } | awk -F '[/:"]' '$2 != $5 {print $2, $5}'
}

# The same for ranks, which tools/check-layers.sh knows: into one that is not lower.
uphill() {
    folders | awk -v ranks="$(grep -oE '(base|proto|io|core|driver|store|tool|front|daemon|cli)=[0-7]' tools/check-layers.sh | paste -sd ' ')" '
        BEGIN {n = split(ranks, list, " "); for (i = 1; i <= n; i++) {split(list[i], kv, "="); if (!(kv[1] in rank)) rank[kv[1]] = kv[2]}}
        rank[$2] >= rank[$1] {count++}
        END {print count + 0}'
}

# Includes from one room of driver/cdp into another, as "room other".
rooms() {
    product src/driver/cdp | { xargs -r grep -H '^#include "driver/cdp/' || true; } | awk -F '[/:"]' '
        {from = $5 == "" || $4 ~ /\./ ? "cdp" : $4; to = $(NF - 2); if (to == "cdp" || to ~ /\./) to = "cdp"; if (from != to) print from, to}'
}

# Rooms from the ground up; keep and op stand beside each other. A room may use those below it.
upward() {
    rooms | awk 'BEGIN {rank["wire"] = 1; rank["page"] = 2; rank["browser"] = 3; rank["keep"] = 4; rank["op"] = 4; rank["cdp"] = 5}
        rank[$2] >= rank[$1] {count++; pairs[$1 " to " $2]++}
        END {print count + 0; for (pair in pairs) print pair ": " pairs[pair] | "sort"}'
}

# Places in the product where six lines or more stand that stand elsewhere too; braces, blanks, comments and includes do not count.
repeated() {
    product src | xargs -r awk '
        FNR == 1 {n = 0; run = 0}
        {text = $0; gsub(/^[ \t]+|[ \t]+$/, "", text)}
        text == "" || text ~ /^[{}]+;?$/ || text ~ /^(\/?\*|#include|#pragma|break;|return;|default:)/ {next}
        {
            line[++n % 6] = text; if (n < 6) next
            key = ""; for (i = 1; i <= 6; i++) key = key "\n" line[(n + i) % 6]
            if (key in seen) {if (FNR - last[FILENAME] > 6 || !last[FILENAME]) count++; last[FILENAME] = FNR}
            seen[key] = 1
        }
        END {print count + 0}'
}

row() {
    local name=$1 files all
    shift
    files=$(product "$@" | wc -l)
    all=$(function_lines "$@")
    read -r median p90 p99 longest < <(spread <<< "$all")
    echo "| $name | $files | $(hundreds "$(product "$@" | lines)") | $(hundreds "$(tests "$@" | lines)") | $(wc -l <<< "$all") | $median / $p90 / $p99 / $longest |"
}

echo '| folder | files | lines | lines of tests | functions | lines of a function: median / 90 % / 99 % / longest |'
echo '| --- | --: | --: | --: | --: | --: |'
for folder in base proto io core driver store tool front daemon cli; do
    row "$folder" "src/$folder"
done
row 'all' src
# What is not part of tabard: sessions without browsers, and the tools of the MCP conformance suite.
for folder in src/driver/fake src/front/mcp/fixtures tests/fixtures; do
    [ ! -d "$folder" ] || for_tests='_test\.c$' row "(\`$folder\`)" "$folder"
done
echo
echo "The longest functions: $(function_lines src | tail -n 3 | tac | awk '{sub(/^src\//, "", $2); sub(/:/, ": ", $2); print "`" $2 "` (" $1 ")"}' | paste -sd, | sed 's/,/, /g')."
echo "The structs with the most members: $(find src -name '*.[ch]' | sort | code | structs | tail -n 4 | tac | awk '{print "`" $2 "` (" $1 ")"}' | paste -sd, | sed 's/,/, /g')."
echo "Includes from one folder of \`src\` into another: $(hundreds "$(folders | wc -l)"); into one that is not of a lower rank: $(uphill)."
echo "Includes from a room of \`driver/cdp\` into one that is not below it: $(upward | paste -sd, | sed '/,/ {s/,/ (/; s/,/, /g; s/$/)/}')."
echo "Places where six lines stand that also stand elsewhere: $(repeated)."
