/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_string.h"

#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "proto/json_token.h"

enum {
    UTF8_MAX = 4,
};

static bool strip_quotes(struct tb_str *raw)
{
    if (raw->len < 2 || raw->ptr[0] != '"' || raw->ptr[raw->len - 1] != '"') {
        return false;
    }
    *raw = tb_str_sub(*raw, 1, raw->len - 1);
    return true;
}

static size_t encode(uint32_t point, char ret_bytes[UTF8_MAX])
{
    if (point >= 0xd800 && point <= 0xdfff) {
        point = 0xfffd;
    }
    if (point < 0x80) {
        ret_bytes[0] = (char)point;
        return 1;
    }
    size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        ret_bytes[i] = (char)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    ret_bytes[0] = (char)((0xf00 >> len) | point);
    return len;
}

/* Takes the next piece from the front: a run without escapes, borrowed from *rest, or one escape,
 * decoded into `bytes`. A NULL pointer when the escape is bad. */
static struct tb_str next_piece(struct tb_str *rest, char bytes[UTF8_MAX])
{
    struct tb_str piece = *rest;
    size_t used;
    if (rest->ptr[0] == '\\') {
        uint32_t point;
        used = tb_json_token_escape(*rest, &point);
        piece = used ? (struct tb_str){bytes, encode(point, bytes)} : (struct tb_str){NULL, 0};
    } else {
        const char *escape = memchr(rest->ptr, '\\', rest->len);
        used = escape ? (size_t)(escape - rest->ptr) : rest->len;
        piece.len = used;
    }
    *rest = tb_str_sub(*rest, used, rest->len);
    return piece;
}

int tb_json_string_decode(struct tb_str raw, struct tb_buf *out)
{
    const size_t before = out->len;
    if (!strip_quotes(&raw)) {
        return TB_E_PARSE;
    }
    while (raw.len) {
        char bytes[UTF8_MAX];
        struct tb_str piece = next_piece(&raw, bytes);
        int rc = piece.ptr ? tb_buf_append_str(out, piece) : TB_E_PARSE;
        if (rc < 0) {
            out->len = before;
            return rc;
        }
    }
    return 0;
}

bool tb_json_string_eq(struct tb_str raw, struct tb_str plain)
{
    if (!strip_quotes(&raw)) {
        return false;
    }
    while (raw.len) {
        char bytes[UTF8_MAX];
        struct tb_str piece = next_piece(&raw, bytes);
        if (!piece.ptr || !tb_str_starts(plain, piece)) {
            return false;
        }
        plain = tb_str_sub(plain, piece.len, plain.len);
    }
    return plain.len == 0;
}
