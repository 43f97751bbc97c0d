/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spellings.h"

#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

static size_t begin_of(const struct tb_spellings *all, size_t at)
{
    return at ? all->ends[at - 1] : 0;
}

struct tb_str tb_spellings_at(const struct tb_spellings *all, size_t at)
{
    return tb_str_sub(tb_buf_str(&all->bytes), begin_of(all, at), all->ends[at]);
}

/* What was written since the last one is one more. */
static void end_spelling(struct tb_spellings *all)
{
    size_t begin = begin_of(all, all->count);
    struct tb_str text = tb_str_sub(tb_buf_str(&all->bytes), begin, all->bytes.len);
    bool known = text.len < TB_SPELLING_MIN || all->count == TB_SPELLINGS_MAX;
    for (size_t i = 0; i < all->count && !known; i++) {
        known = tb_str_eq(tb_spellings_at(all, i), text);
    }
    if (known) {
        all->bytes.len = begin;
    } else {
        all->ends[all->count++] = all->bytes.len;
    }
}

static void spell_base64(struct tb_spellings *all, struct tb_str value, size_t shift, bool for_url)
{
    /* Behind so many other bytes; what they, or those that follow, have a part in is left out. */
    TB_AUTO(tb_buf_wipe) struct tb_buf shifted = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_wipe) struct tb_buf text = TB_BUF(SIZE_MAX);
    tb_buf_append(&shifted, "\0\0", shift);
    tb_buf_append_str(&shifted, value);
    tb_base64_encode(shifted.data, shifted.len, &text);
    for (size_t i = 0; for_url && i < text.len; i++) {
        text.data[i] = text.data[i] == '+' ? '-' : text.data[i] == '/' ? '_' : text.data[i];
    }
    tb_buf_append_str(&all->bytes,
                      tb_str_sub(tb_buf_str(&text), shift ? shift + 1 : 0, shifted.len * 8 / 6));
    end_spelling(all);
}

/* `plain`: signs that stay as they are beside letters and digits. */
static void spell_url(struct tb_spellings *all, struct tb_str value, const char *plain)
{
    static const char hex[] = "0123456789ABCDEF"; /* whoever looks for it minds no case */
    bool is_form = strchr(plain, '+') != NULL;
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_form && c == ' ') {
            tb_buf_append_char(&all->bytes, '+');
        } else if (letter || (c != '+' && c && strchr(plain, c))) {
            tb_buf_append_char(&all->bytes, (char)c);
        } else {
            tb_buf_append(&all->bytes, (char[]){'%', hex[c >> 4], hex[c & 15]}, 3);
        }
    }
    end_spelling(all);
}

/* The first character of valid text, *ret_len bytes of it. */
static uint32_t first_char(struct tb_str text, size_t *ret_len)
{
    static const uint8_t lead[] = {[1] = 0x7f, [2] = 0x1f, [3] = 0x0f, [4] = 0x07};
    size_t len = tb_utf8_char(text);
    uint32_t c = (uint32_t)((uint8_t)text.ptr[0] & lead[len]);
    for (size_t i = 1; i < len; i++) {
        c = c << 6 | ((uint8_t)text.ptr[i] & 0x3f);
    }
    *ret_len = len;
    return c;
}

static void put_u(struct tb_buf *out, uint32_t unit)
{
    tb_buf_printf(out, "\\u%04x", unit);
}

/* JSON without a character above ASCII, as some write it. */
static void spell_json_ascii(struct tb_spellings *all, struct tb_str json)
{
    while (json.len) {
        size_t len;
        uint32_t c = first_char(json, &len);
        if (c < 0x80) {
            tb_buf_append_char(&all->bytes, (char)c);
        } else if (c < 0x10000) {
            put_u(&all->bytes, c);
        } else {
            put_u(&all->bytes, 0xd800 + ((c - 0x10000) >> 10));
            put_u(&all->bytes, 0xdc00 + ((c - 0x10000) & 0x3ff));
        }
        json = tb_str_sub(json, len, json.len);
    }
    end_spelling(all);
}

static void spell_json(struct tb_spellings *all, struct tb_str value)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf text = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_json_put_str(&json, value);
    struct tb_str inner = tb_str_sub(tb_buf_str(&text), 1, text.len - 1);
    tb_buf_append_str(&all->bytes, inner);
    end_spelling(all);
    spell_json_ascii(all, inner);
}

/* JSON in a text of JSON: what a script stringified and gave back. */
static void spell_json_twice(struct tb_spellings *all, struct tb_str value)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf once = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &once);
    tb_json_put_str(&json, value);
    spell_json(all, tb_str_sub(tb_buf_str(&once), 1, once.len - 1));
}

static void spell_html(struct tb_spellings *all, struct tb_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        switch (value.ptr[i]) {
        case '&':
            tb_buf_append_cstr(&all->bytes, "&amp;");
            break;
        case '<':
            tb_buf_append_cstr(&all->bytes, "&lt;");
            break;
        case '>':
            tb_buf_append_cstr(&all->bytes, "&gt;");
            break;
        case '"':
            tb_buf_append_cstr(&all->bytes, "&quot;");
            break;
        default:
            tb_buf_append_char(&all->bytes, value.ptr[i]);
        }
    }
    end_spelling(all);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* As outlines of pages write it: white space is one blank, and none at the ends. */
static void spell_squeezed(struct tb_spellings *all, struct tb_str value)
{
    struct tb_str text = tb_str_trim(value);
    for (size_t i = 0; i < text.len; i++) {
        if (!is_blank(text.ptr[i])) {
            tb_buf_append_char(&all->bytes, text.ptr[i]);
        } else if (i + 1 < text.len && !is_blank(text.ptr[i + 1])) {
            tb_buf_append_char(&all->bytes, ' ');
        }
    }
    end_spelling(all);
}

/* Two digits for each byte. */
static void spell_hex(struct tb_spellings *all, struct tb_str value)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        tb_buf_append(&all->bytes, (char[]){digits[c >> 4], digits[c & 15]}, 2);
    }
    end_spelling(all);
}

void tb_spellings_init(struct tb_spellings *all, struct tb_str value)
{
    uint8_t *room;
    *all = (struct tb_spellings){.bytes = TB_BUF(SIZE_MAX)};
    tb_buf_reserve(&all->bytes, 128 + 80 * value.len, &room); /* so that it does not grow */
    tb_buf_append_str(&all->bytes, value);
    end_spelling(all);
    spell_squeezed(all, value);
    spell_hex(all, value);
    spell_url(all, value, "-_.!~*'()");
    spell_url(all, value, "-_.*+");             /* of a form */
    spell_url(all, value, "-_.~!$&'()*,;=:@/"); /* in a path */
    spell_json(all, value);
    spell_json_twice(all, value);
    spell_html(all, value);
    for (size_t shift = 0; shift < 3; shift++) {
        spell_base64(all, value, shift, false);
        spell_base64(all, value, shift, true);
    }
}

void tb_spellings_fini(struct tb_spellings *all)
{
    tb_buf_wipe(&all->bytes);
}
