#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# embed.sh DIR: joins the files that DIR/files.txt lists and prints them as a C source that defines
# what src/driver/page_script.h declares.
set -eu
dir=$1
joined=$(mktemp)
trap 'rm -f "$joined"' EXIT
while read -r name; do
    [ -z "$name" ] || cat "$dir/$name" >> "$joined"
done < "$dir/files.txt"
echo '#include "driver/page_script.h"'
echo 'const char tb_page_script[] = {'
od -An -v -td1 -w20 "$joined" | sed 's/  */ /g; s/ \([-0-9][0-9]*\)/\1,/g'
echo '0};'
echo 'const size_t tb_page_script_len = sizeof(tb_page_script) - 1;'
