/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/json_plain.h"

#include <stdint.h>
#include <string.h>

#include "proto/json_token.h"

enum {
    FIRST = 0x80, /* below it an escape may be needed */
    SURROGATES = 0xd800,
    SURROGATES_END = 0xe000,
};

static int put_point(struct tb_buf *out, uint32_t point)
{
    uint8_t bytes[4];
    size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = len; i-- > 1;) {
        bytes[i] = (uint8_t)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    bytes[0] = (uint8_t)(heads[len] | point);
    return tb_buf_append(out, bytes, len);
}

/* The escape at the front of *rest, which it is taken from. */
static int put_escape(struct tb_buf *out, struct tb_str *rest)
{
    uint32_t point;
    size_t len = tb_json_token_escape(*rest, &point);
    len = len ? len : 1;
    bool plain = len > 2 && point >= FIRST && (point < SURROGATES || point >= SURROGATES_END);
    int rc = plain ? put_point(out, point) : tb_buf_append(out, rest->ptr, len);
    *rest = tb_str_sub(*rest, len, rest->len);
    return rc;
}

int tb_json_plain(struct tb_str json, struct tb_buf *out)
{
    size_t before = out->len;
    int rc = 0;
    while (json.len && rc == 0) {
        const char *mark = memchr(json.ptr, '\\', json.len);
        size_t len = mark ? (size_t)(mark - json.ptr) : json.len;
        rc = tb_buf_append(out, json.ptr, len);
        json = tb_str_sub(json, len, json.len);
        if (rc == 0 && json.len) {
            rc = put_escape(out, &json);
        }
    }
    if (rc < 0) {
        out->len = before;
    }
    return rc;
}
