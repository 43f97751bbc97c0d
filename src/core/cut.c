/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cut.h"

enum {
    ESCAPE_MAX = 6,  /* \u001f */
    LINE_LOOK = 512, /* how far back a line's end is worth looking for */
    MARK_MAX = 200,
};

static size_t escaped_len(char c)
{
    if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') {
        return 2;
    }
    /* A byte that is no UTF-8 becomes three. */
    return (unsigned char)c < ' ' ? ESCAPE_MAX : (unsigned char)c >= 0x80 ? 3 : 1;
}

size_t tb_cut_fits(struct tb_str text, size_t max)
{
    size_t used = 0;
    size_t at = 0;
    if (text.len <= max / ESCAPE_MAX) {
        return text.len;
    }
    while (at < text.len && used + escaped_len(text.ptr[at]) <= max) {
        used += escaped_len(text.ptr[at++]);
    }
    if (at == text.len) {
        return at;
    }
    for (size_t back = 0; back < LINE_LOOK && back < at; back++) {
        if (text.ptr[at - back - 1] == '\n') {
            return at - back;
        }
    }
    while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

struct tb_str tb_cut(struct tb_str text, size_t max, struct tb_buf *room)
{
    size_t fits = tb_cut_fits(text, max);
    if (fits == text.len) {
        return text;
    }
    fits = tb_cut_fits(text, max > MARK_MAX ? max - MARK_MAX : 0);
    tb_buf_append_str(room, tb_str_sub(text, 0, fits));
    tb_buf_printf(room, "\n[cut here: %zu of %zu bytes omitted; ask for a part, or for less]",
                  text.len - fits, text.len);
    return tb_buf_str(room);
}
