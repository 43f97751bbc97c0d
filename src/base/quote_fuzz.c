/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* One line of whole characters without controls, and no quote but those at the ends. */
static void check_quoted(struct tb_str text, size_t max)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1 << 20);
    tb_quote(text, max, &out);
    struct tb_str made = tb_buf_str(&out);
    require(made.len >= 2 && made.ptr[0] == '"' && made.ptr[made.len - 1] == '"');
    require(tb_utf8_valid(made));
    for (size_t i = 1; i + 1 < made.len; i++) {
        unsigned char c = (unsigned char)made.ptr[i];
        require(c >= ' ' && c != 0x7f && c != '"');
        i += c == '\\';
    }
    require(!memmem(made.ptr, made.len, "\xe2\x80\xae", 3));
    require(!memmem(made.ptr, made.len, "\xe2\x80\xa8", 3));
    require(max < 3 || made.len <= max + 2);
}

static void check_block(struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1 << 20);
    tb_quote_block(text, &out);
    struct tb_str rest = tb_buf_str(&out);
    require(tb_utf8_valid(rest));
    while (rest.ptr) {
        require(tb_str_starts(tb_str_cut(&rest, '\n'), TB_STR("  ")));
    }
}

static void check_url(struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1 << 20);
    tb_quote_url(text, SIZE_MAX, &out);
    for (size_t i = 0; i < out.len; i++) {
        require(out.data[i] > ' ' && out.data[i] < 0x7f && out.data[i] != '"');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > 4096) {
        return 0;
    }
    struct tb_str text = {(const char *)data + 1, size - 1};
    struct tb_quoted room;
    check_quoted(text, data[0]);
    check_quoted(text, 1 << 16);
    check_block(text);
    check_url(text);
    tb_quoted(&room, text, data[0]);
    tb_quoted_url(&room, text);
    return 0;
}
