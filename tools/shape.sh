# SPDX-License-Identifier: Apache-2.0
# How large functions and structs are, for tools/check-style.sh and tools/house.sh, which source this.

# The code of the files that are named on stdin, as file:line:text, without comments and with empty strings; a // comment
# shows as //.
code() {
    xargs -r awk '
    FNR == 1 { inside = 0 }
    {
        rest = $0; out = ""
        while (rest != "") {
            if (inside) {
                at = index(rest, "*/")
                if (!at) break
                rest = substr(rest, at + 2); inside = 0
            } else if (match(rest, /["\047]|\/[*\/]/)) {
                out = out substr(rest, 1, RSTART - 1); what = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                if (what == "/*") { inside = 1; out = out " " }
                else if (what == "//") { out = out what; break }
                else {
                    while (match(rest, /\\.|["\047]/) && substr(rest, RSTART, RLENGTH) != what)
                        rest = substr(rest, RSTART + RLENGTH)
                    rest = RSTART ? substr(rest, RSTART + 1) : ""
                    out = out what what
                }
            } else { out = out rest; break }
        }
        if (out ~ /[^ \t]/) print FILENAME ":" FNR ":" out
    }'
}

# From that, the lines between the braces of each function, as "lines file:name". Only functions have a brace in the first column.
functions() {
    awk '
    {match($0, /:[0-9]+:/); file = substr($0, 1, RSTART - 1); at = substr($0, RSTART + 1, RLENGTH - 2) + 0; text = substr($0, RSTART + RLENGTH)}
    file != before {start = 0; before = file}
    text == "{" {start = at; next}
    text == "}" && start {print at - start - 1, file ":" name; start = 0}
    !start && text ~ /^[a-z].*\(/ {name = text; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)}' | sort -n
}

# From the same, "members name file". Members of a part without a name of its own count as members of the whole; those that
# come from a table do not count.
structs() {
    awk '
    {match($0, /:[0-9]+:/); file = substr($0, 1, RSTART - 1); text = substr($0, RSTART + RLENGTH); sub(/ +$/, "", text)}
    !depth && text ~ /^[a-z ]*(struct|union)( [a-z_0-9]+)? \{$/ {name = text; sub(/ \{$/, "", name); sub(/.* /, "", name); n = 0; depth = 1; next}
    depth && text ~ /^ *(struct|union|enum)( [a-z_0-9]+)? \{$/ {depth++; next}
    depth && text ~ /^ *\}/ {depth--; if (!depth) print n, name, file; next}
    depth && text ~ /;/ {n++}' | sort -n
}
