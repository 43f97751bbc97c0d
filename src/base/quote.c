/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quote.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum {
    PIECE_SIZE = 16, /* the longest escape is a pair of surrogates */
    REPLACEMENT = 0xfffd,
};

static const char ellipsis[] = "…";

/* What of a character is written as it is. */
enum keep {
    KEEP_QUOTES = 1, /* and backslashes */
    KEEP_LINES = 2,  /* and tabs */
};

static uint32_t decode(const uint8_t *p, size_t len)
{
    static const uint8_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = p[0] & masks[len];
    for (size_t i = 1; i < len; i++) {
        code = code << 6 | (p[i] & 0x3f);
    }
    return code;
}

/* Controls, and what is seen only by what it does to the text around it. The joiners U+200C and
 * U+200D and the variation selectors are left: writing systems and emoji need them. */
static bool is_hidden(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    for (size_t i = 0; i < TB_COUNT(ranges); i++) {
        if (code <= ranges[i][1]) {
            return code >= ranges[i][0];
        }
    }
    return false;
}

static int put_escape(uint32_t code, char piece[PIECE_SIZE])
{
    static const char named[][2] = {
        {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'"', '"'}, {'\\', '\\'}};
    for (size_t i = 0; i < TB_COUNT(named); i++) {
        if (code == (uint32_t)named[i][0]) {
            return snprintf(piece, PIECE_SIZE, "\\%c", named[i][1]);
        }
    }
    if (code > 0xffff) {
        code -= 0x10000;
        return snprintf(piece, PIECE_SIZE, "\\u%04x\\u%04x", (unsigned)(0xd800 + (code >> 10)),
                        (unsigned)(0xdc00 + (code & 0x3ff)));
    }
    return snprintf(piece, PIECE_SIZE, "\\u%04x", (unsigned)code);
}

/* The next character of the text as it is to be written; *text becomes what stands behind it. */
static struct tb_str next_piece(struct tb_str *text, unsigned keep, char piece[PIECE_SIZE])
{
    const uint8_t *p = (const uint8_t *)text->ptr;
    size_t len = tb_utf8_char(*text);
    uint32_t code = len ? decode(p, len) : REPLACEMENT;
    struct tb_str as_it_is = len ? tb_str_sub(*text, 0, len) : TB_STR("\xef\xbf\xbd");
    *text = tb_str_sub(*text, len ? len : 1, text->len);
    bool quotes = (code == '"' || code == '\\') && !(keep & KEEP_QUOTES);
    bool lines = (code == '\n' || code == '\t') && (keep & KEEP_LINES);
    if (!quotes && (lines || !is_hidden(code))) {
        return as_it_is;
    }
    return (struct tb_str){piece, (size_t)put_escape(code, piece)};
}

/* Most text needs nothing: its plain part is copied whole. */
static size_t plain_part(struct tb_str text)
{
    size_t at = 0;
    while (at < text.len && text.ptr[at] >= ' ' && text.ptr[at] < 0x7f && text.ptr[at] != '"' &&
           text.ptr[at] != '\\') {
        at++;
    }
    return at;
}

static void put(struct tb_str text, unsigned keep, struct tb_buf *out)
{
    char piece[PIECE_SIZE];
    while (text.len) {
        size_t plain = plain_part(text);
        tb_buf_append(out, text.ptr, plain);
        text = tb_str_sub(text, plain, text.len);
        if (text.len) {
            tb_buf_append_str(out, next_piece(&text, keep, piece));
        }
    }
}

/* How much of the text stands within `max` bytes as it will be written, and whether that is all. */
static struct tb_str fitting(struct tb_str text, size_t max, bool *ret_cut)
{
    const size_t mark = sizeof(ellipsis) - 1;
    struct tb_str rest = text;
    size_t used = 0;
    size_t fits = 0; /* with the ellipsis behind it */
    char piece[PIECE_SIZE];
    while (rest.len) {
        used += next_piece(&rest, 0, piece).len;
        if (used > max) {
            *ret_cut = true;
            return tb_str_sub(text, 0, fits);
        }
        if (used + mark <= max) {
            fits = text.len - rest.len;
        }
    }
    *ret_cut = false;
    return text;
}

void tb_quote_bare(struct tb_str text, size_t max, struct tb_buf *out)
{
    bool cut;
    put(fitting(text, max, &cut), 0, out);
    tb_buf_append_cstr(out, cut ? ellipsis : "");
}

void tb_quote(struct tb_str text, size_t max, struct tb_buf *out)
{
    tb_buf_append_char(out, '"');
    tb_quote_bare(text, max, out);
    tb_buf_append_char(out, '"');
}

void tb_quote_url(struct tb_str url, size_t max, struct tb_buf *out)
{
    size_t used = 0;
    for (size_t i = 0; i < url.len; i++) {
        char c = url.ptr[i];
        bool plain = c > ' ' && c < 0x7f && !strchr("\"\\<>`", c);
        used += plain ? 1 : 3;
        if (used > max) {
            tb_buf_append_cstr(out, ellipsis);
            return;
        }
        tb_buf_printf(out, plain ? "%c" : "%%%02X", (unsigned char)c);
    }
}

void tb_quote_block(struct tb_str text, struct tb_buf *out)
{
    const char *before = "  ";
    do {
        struct tb_str line = tb_str_cut(&text, '\n');
        if (line.len && line.ptr[line.len - 1] == '\r') {
            line.len--;
        }
        tb_buf_append_cstr(out, before);
        put(line, KEEP_QUOTES | KEEP_LINES, out);
        before = "\n  ";
    } while (text.ptr);
}

void tb_quote_json(struct tb_str json, struct tb_buf *out)
{
    put(json, KEEP_QUOTES | KEEP_LINES, out);
}

void tb_quote_line(struct tb_str text, struct tb_buf *out)
{
    put(text, KEEP_QUOTES, out);
}

static const char *keep_in(struct tb_quoted *room, struct tb_buf *made)
{
    snprintf(room->text, sizeof(room->text), "%.*s", TB_STR_ARG(tb_buf_str(made)));
    return room->text;
}

const char *tb_quoted(struct tb_quoted *room, struct tb_str text, size_t max)
{
    TB_AUTO(tb_buf_fini) struct tb_buf made = TB_BUF(sizeof(room->text));
    tb_quote(text, max && max < TB_QUOTED_MAX ? max : TB_QUOTED_MAX, &made);
    return keep_in(room, &made);
}

const char *tb_quoted_url(struct tb_quoted *room, struct tb_str url)
{
    TB_AUTO(tb_buf_fini) struct tb_buf made = TB_BUF(sizeof(room->text));
    tb_quote_url(url, TB_QUOTED_MAX, &made);
    return keep_in(room, &made);
}
