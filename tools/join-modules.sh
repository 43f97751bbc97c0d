#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# join-modules.sh DIR: prints the modules that DIR/files.txt lists as one, each after those that it uses. The last one says what it gives.
# Imports are one line each, of types as well; all names share one scope then, so no two modules may define the same one.
set -eu
dir=$1
echo '// SPDX-License-Identifier: Apache-2.0'
grep -v '^#' "$dir/files.txt" | while read -r name; do
    grep -vE "^// SPDX-License|^import |^ \* @typedef \{import\('" "$dir/$name" |
        sed -E "s/^export \{ (.*) \} from '.*';/export { \1 };/; s/^export (class|const|function|async function) /\1 /"
done | cat -s
