#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A rule that cannot fail holds nothing. For every rule of lint this puts a bad example into a small
# tree of its own and expects the right check to refuse it, with the right words.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
passed=0
failed=0
licence='/* SPDX-License-Identifier: Apache-2.0 */'

# A small tree that breaks no rule; every case adds one file to it.
mkdir -p "$tree"/{docs,tests,src/base,src/proto,src/io,src/core,src/driver/cdp,src/store,src/tool,src/front,src/daemon,src/cli}
cp -r Makefile VERSION .clang-format .clang-tidy tools "$tree"
cp src/base/err.def "$tree/src/base/"
cd "$tree" || exit 1
header() { printf '%s\n/* A header. */\n#pragma once\n%s' "$licence" "${1:+$'\n'$1$'\n'}"; }
header 'int tb_good(int value);' > src/base/good.h
header 'int tb_cdp(int value);' > src/driver/cdp/cdp.h
header 'int tb_http(int value);' > src/proto/http.h
cat > src/base/good.c << END
$licence
#include "base/good.h"

/* Words that only look bad: http://example.org, system (the), gets(). */
static const char *const words[] = {"// no comment", "strcpy(", "a\"b /* "};

int tb_good(int value)
{
    return value + words[0][0] + '"' + (value ? '/' : 0);
}
END
printf '<!-- house: -->\n<!-- end of house -->\n' > ARCHITECTURE.md
tools/gen-docs.sh > /dev/null
echo "test('S0-01: it is good', () => {});" > tests/good.test.mjs
echo S0-01 > tests/acceptance.txt
printf 'S0-01 tests/good.test.mjs\nEXT-2 -\n' > tests/attacks.txt
echo '| EXT-2 | impersonation | waits for the extension |' > docs/SECURITY.md

format() { clang-format --dry-run -Werror "$1"; }
layers() { tools/check-layers.sh; }
headers() { tools/check-headers.sh; }
docs() { tools/gen-docs.sh --check; }
acceptance() { tools/check-acceptance.sh; }
style() {
    make --no-print-directory MODE=debug "build/debug/${1%.*}.o" > /dev/null 2>&1
    tools/check-style.sh build/debug
}
tidy() { make --no-print-directory MODE=debug "build/debug/${1%.c}.tidy"; }

tally() { # tally GOOD NAME OUTPUT
    if [ "$1" -eq 1 ]; then
        passed=$((passed + 1))
        echo "ok      $2"
    else
        failed=$((failed + 1))
        printf '%s\nFAILED  %s\n' "$3" "$2"
    fi
}

# refuses CHECK NAME FILE WORDS: the file is read from stdin; WORDS is what the check has to say.
refuses() {
    local out status=0 good=0
    mkdir -p "$(dirname "$3")"
    [ ! -f "$3" ] || cp "$3" "$tree/kept"
    cat > "$3"
    out=$("$1" "$3" 2>&1) || status=$?
    [ "$status" -eq 0 ] || ! grep -qF -- "$4" <<< "$out" || good=1
    tally $good "$1 refuses $2" "$out"
    rm -f "$3" "build/debug/${3%.*}".*
    [ ! -f "$tree/kept" ] || mv "$tree/kept" "$3"
}

accepts() {
    local out status=0
    out=$("$@" 2>&1) || status=$?
    tally $((status == 0)) "$1 accepts the good tree" "$out"
}

# in_function TEXT: a source whose one function has the text as its body.
in_function() { printf '%s\nint tb_bad(char *text);\n\nint tb_bad(char *text)\n{\n    %s\n}\n' "$licence" "$1"; }
including() { printf '%s\n#include %s\n' "$licence" "$1"; }
repeat() { for ((n = 0; n < $1; n++)); do echo "$2"; done; }

accepts format src/base/good.c
accepts layers
accepts headers
accepts style src/base/good.c
accepts tidy src/base/good.c
accepts docs
accepts acceptance

refuses format 'a file that is not formatted' src/base/bad.c 'clang-format-violations' \
    < <(printf '%s\nint  tb_x;\n' "$licence")
refuses format 'includes out of order' src/base/bad.c 'clang-format-violations' \
    < <(printf '%s\n#include <string.h>\n#include <errno.h>\n' "$licence")

refuses layers 'a higher layer' src/base/bad.c 'base may not include proto' < <(including '"proto/http.h"')
refuses layers 'a sibling of the same rank' src/store/bad.c 'store may not include driver' < <(including '"driver/driver.h"')
refuses layers 'a sibling sub-folder' src/driver/fake/bad.c 'fake may not include driver/cdp' < <(including '"driver/cdp/cdp.h"')
refuses layers 'one driver in what all share' src/driver/bad.c 'bad.c may not include driver/cdp' < <(including '"driver/cdp/cdp.h"')
refuses layers 'a higher room' src/driver/cdp/page/bad.c 'room page may not include browser' < <(including '"driver/cdp/browser/session.h"')
refuses layers 'a room beside' src/driver/cdp/op/bad.c 'room op may not include keep' < <(including '"driver/cdp/keep/keep.h"')
refuses layers 'what stands above the rooms' src/driver/cdp/browser/bad.c 'room browser may not include cdp' < <(including '"driver/cdp/cdp.h"')
refuses layers 'a room without a place' src/driver/cdp/attic/bad.c 'driver/cdp/attic is no room' < <(including '"driver/cdp/wire/conn.h"')
refuses layers 'the daemon including the cli' src/daemon/bad.c 'daemon may not include cli' < <(including '"cli/cli.h"')
refuses layers 'an include without its folder' src/base/bad.c 'not folder/name.h' < <(including '"good.h"')
refuses layers 'an include with a space after the hash' src/base/bad.c 'base may not include io' < <(printf '#  include "io/loop.h"\n')
refuses layers 'a folder without a rank' src/extra/bad.c 'src/extra has no rank' < <(including '<stdio.h>')
while read -r header from home; do
    refuses layers "<$header> outside its home" "src/$from/bad.c" "<$header> belongs in $home" < <(including "<$header>")
done << 'END'
uv.h base io
curl/curl.h daemon io
wslay/wslay.h io proto
cjson/cJSON.h proto base
sodium.h io base
cyaml/cyaml.h core daemon
openssl/evp.h io base
openssl/ssl.h base io
sqlite3.h core store
hiredis/hiredis.h core store
END
refuses layers 'an OpenSSL header without a home' src/base/bad.c 'has no home yet' < <(including '<openssl/rand.h>')
refuses layers 'cmocka in the product' src/base/bad.c 'belongs in unit tests' < <(including '<cmocka.h>')

refuses layers 'a test header in the product' src/io/bad.c 'is for tests only' < <(including '"io/http_rig.h"')
refuses layers 'test support in the product' src/io/bad.c 'is for tests only' < <(including '"support/cases.h"')

for import in "import { x } from 'ws';" "import 'ws';" "export * from '../tests/support/daemon.mjs';" "const x = import('node:fs');"; do
    refuses layers "a module for pages with $import" web/client/src/bad.js 'needs nothing but its own folder' < <(echo "$import")
done

refuses headers 'a header that lacks an include' src/base/bad.h 'src/base/bad.h: does not compile alone' \
    < <(header 'size_t tb_bad(void);')
refuses headers 'a header with a warning' src/base/bad.h 'src/base/bad.h: does not compile alone' \
    < <(header 'int tb_bad();')

for name in strcpy strcat strncpy strncat sprintf vsprintf gets strtok strtok_r atoi atol atof alloca \
    system popen mktemp tmpnam localtime gmtime ctime asctime usleep uv_default_loop; do
    refuses style "$name" src/base/bad.c 'banned function' < <(in_function "return $name (text);")
done
refuses style 'a // comment' src/base/bad.c '// comment' < <(printf '%s\nint tb_x(void); // here\n' "$licence")
refuses style 'a // comment after a string' src/base/bad.c '// comment' < <(in_function 'return text == "//"; // x')
refuses style 'a typedef of a struct' src/base/bad.h 'typedef of a struct' < <(header 'typedef struct tb_x tb_x;')
refuses style 'a typedef of an enum' src/base/bad.h 'typedef of a struct' < <(header 'typedef enum { A } tb_x;')
refuses style 'TB_AUTO without an initialiser' src/base/bad.c 'TB_AUTO on a variable' \
    < <(in_function 'TB_AUTO(tb_free) char *copy; copy = text; return 0;')
refuses style 'TB_AUTO without an initialiser on the next line' src/base/bad.c 'TB_AUTO on a variable' \
    < <(in_function $'TB_AUTO(tb_free)\n    char *copy;\n    copy = text;\n    return 0;')
refuses style 'NOLINT' src/base/bad.c 'no exception' < <(printf '%s\nint tb_x(void); /* NOLINT */\n' "$licence")
refuses style 'clang-format off' src/base/bad.c 'no exception' < <(printf '%s\n/* clang-format off */\n' "$licence")
refuses style 'a warning switched off' src/base/bad.c 'no exception' \
    < <(printf '%s\n#pragma GCC diagnostic ignored "-Wall"\n' "$licence")
refuses style 'TODO without a number' src/base/bad.c 'TODO without' < <(printf '%s\n/* TODO: later */\n' "$licence")
refuses style 'a message that names a tool' src/base/bad.c 'message that names a tool' < <(in_function 'return text == "call browser_click";')
refuses style 'a second classifier of addresses (NET-5)' src/base/bad.c 'second classifier' < <(in_function 'return text[0] == inet_addr(text);')
refuses style 'a comparison with the start of an address (NET-5)' src/base/bad.c 'second classifier' < <(in_function 'return text == "127.";')
refuses style 'SQL that a text is printed into (DATA-4)' src/base/bad.c 'SQL that a text' < <(in_function 'return text == "DELETE FROM audit WHERE tool = %s";')
refuses style 'an event that nobody publishes' src/core/events.def 'event that nobody publishes' < <(echo 'TB_EVENT(BAD, "bad", "Never.", NULL)')
refuses style 'a source of 601 lines' src/base/bad.c '601 lines (limit 600)' < <(echo "$licence"; repeat 600 '')
refuses style 'a header of 201 lines' src/base/bad.h '201 lines (limit 200)' < <(header; repeat 198 '')
refuses style 'a function of 61 lines' src/driver/fake/bad.c 'bad.c:tb_bad: 61 lines (limit 60)' < <(in_function "$(repeat 60 'text++;'; echo 'return 0;')")
refuses style 'a test of 61 lines' src/base/bad_test.c 'bad_test.c:tb_bad: 61 lines (limit 60)' < <(in_function "$(repeat 60 'text++;'; echo 'return 0;')")
refuses style 'a struct of 31 members' src/driver/fake/bad.h 'bad.h: struct tb_bad: 31 members (limit 30)' \
    < <(header "struct tb_bad {
$(repeat 29 '    int x; /* one; of many */')
    struct {
        int x;
        int y;
    } z;
};")
refuses style 'a file without the licence' src/base/bad.c 'no licence' < <(echo 'int tb_x(void);')
refuses style 'a header without an overview' src/base/bad.h 'header without an overview' \
    < <(printf '%s\n#pragma once\n' "$licence")
refuses style 'an overview of twelve lines' src/base/bad.h 'header without an overview' \
    < <(printf '%s\n/* One.\n' "$licence"; repeat 10 ' * More.'; printf ' * End. */\n#pragma once\n')
refuses style 'a script without the licence' web/client/src/bad.js 'script without the licence' < <(echo 'export const x = 1;')
refuses style 'a script of 601 lines' web/client/src/bad.js 'more than 600 lines' < <(echo '// SPDX-License-Identifier: Apache-2.0'; repeat 600 '')
refuses style 'an exception in a script' web/client/src/bad.js 'exception from a rule' < <(echo '// eslint-disable-next-line')
refuses style 'a header without #pragma once' src/base/bad.h 'without #pragma once' \
    < <(printf '%s\n/* A header. */\n' "$licence")
while IFS='|' read -r what text; do
    refuses style "$what" src/base/bad.c 'src/base/bad.c: x' < <(in_function "$text return (int)(text - (char *)&x);")
done << 'END'
a global in .data|static int x = 1;
a global in .bss|static int x;
a global pointer with a relocation|static const char *x = "a";
a thread-local global|static _Thread_local int x;
END
refuses style 'a name that two files define' src/base/bad.c 'name defined twice' \
    < <(printf '%s\n#include "base/good.h"\n\nint tb_good(int value)\n{\n    return value;\n}\n' "$licence")
refuses style 'an object that was not built' src/base/bad.c 'has no object' < <(echo "$licence"; echo 'int x = ;')

refuses tidy 'a function that is too complex' src/base/bad.c 'cognitive-complexity' < <(in_function \
    "$(echo 'int n = 0;'; repeat 4 'for (int i = 0; i < 9; i++) { for (int j = 0; j < i; j++) { if (text[j] && text[i]) { n++; } } }'; echo 'return n;')")
refuses tidy 'a function of more than 60 lines' src/base/bad.c 'readability-function-size' < <(in_function \
    "$(repeat 62 '*text = 1;'; echo 'return 0;')")
refuses tidy 'eight parameters' src/base/bad.c 'readability-function-size' < <(
    echo "$licence"
    echo 'int tb_bad(int a, int b, int c, int d, int e, int f, int g, int h);'
    echo 'int tb_bad(int a, int b, int c, int d, int e, int f, int g, int h) { return a + b + c + d + e + f + g + h; }')
refuses tidy 'a body without braces' src/base/bad.c 'braces-around-statements' < <(in_function $'if (text)\n        return 1;\n    return 0;')
refuses tidy 'a null pointer that is used' src/base/bad.c 'clang-analyzer' < <(in_function 'if (!text) { return *text; } return 0;')
refuses tidy 'a warning of the compiler' src/base/bad.c 'Werror=unused-variable' < <(in_function 'int unused; return text ? 1 : 0;')

refuses acceptance 'an id that no test names' tests/acceptance.txt 'S0-02: no test names it' < <(printf 'S0-01\nS0-02\n')
refuses acceptance 'an id that stands in no title' tests/good.test.mjs 'S0-01: no test names it' < <(echo '// S0-01')

refuses acceptance 'an attack that its file does not name' tests/attacks.txt 'AUTH-1: tests/good.test.mjs does not name it' < <(echo 'AUTH-1 tests/good.test.mjs')
refuses acceptance 'an attack whose file is not there' tests/attacks.txt 'AUTH-1: tests/none.test.mjs does not name it' < <(echo 'AUTH-1 tests/none.test.mjs')
refuses acceptance 'an attack that waits for nothing' tests/attacks.txt 'EXT-1: docs/SECURITY.md does not say' < <(echo 'EXT-1 -')

refuses docs 'a page that is stale' docs/ERRORS.md 'docs/ERRORS.md is stale' < <(echo old)
refuses docs 'figures that are stale' ARCHITECTURE.md 'figures of ARCHITECTURE.md are stale' < <(printf '<!-- house: -->\n<!-- end of house -->\n')

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
