/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

enum {
    FIRST_CAP = 256,
};

void tb_buf_init(struct tb_buf *buf, size_t max)
{
    *buf = TB_BUF(max);
}

void tb_buf_fini(struct tb_buf *buf)
{
    tb_free(buf->data);
    tb_buf_init(buf, buf->max);
}

void tb_buf_clear(struct tb_buf *buf)
{
    buf->len = 0;
}

int tb_buf_reserve(struct tb_buf *buf, size_t extra, uint8_t **ret_room)
{
    if (extra > buf->max || buf->len > buf->max - extra) {
        return TB_E_TOO_LARGE;
    }
    size_t need = buf->len + extra;
    if (need > buf->cap) {
        size_t cap = buf->cap ? buf->cap : FIRST_CAP;
        while (cap < need) {
            cap = cap > buf->max / 2 ? buf->max : cap * 2;
        }
        cap = cap > buf->max ? buf->max : cap;
        buf->data = tb_realloc(buf->data, cap);
        buf->cap = cap;
    }
    assert(buf->data || !extra);
    *ret_room = buf->data ? buf->data + buf->len : NULL;
    return 0;
}

int tb_buf_append(struct tb_buf *buf, const void *data, size_t len)
{
    uint8_t *room;
    int rc = tb_buf_reserve(buf, len, &room);
    if (rc < 0) {
        return rc;
    }
    if (len) {
        memcpy(room, data, len);
        buf->len += len;
    }
    return 0;
}

int tb_buf_append_str(struct tb_buf *buf, struct tb_str str)
{
    return tb_buf_append(buf, str.ptr, str.len);
}

int tb_buf_append_cstr(struct tb_buf *buf, const char *text)
{
    return tb_buf_append(buf, text, strlen(text));
}

int tb_buf_append_char(struct tb_buf *buf, char c)
{
    return tb_buf_append(buf, &c, 1);
}

int tb_buf_printf(struct tb_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_list again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);

    uint8_t *room;
    int rc = TB_E_INVALID;
    if (len >= 0) {
        /* One more for the NUL that vsnprintf writes; it is no part of the content, so a buffer
         * filled to its ceiling goes through a copy instead. */
        rc = tb_buf_reserve(buf, (size_t)len + 1, &room);
        if (rc == 0) {
            vsnprintf((char *)room, (size_t)len + 1, fmt, again);
            buf->len += (size_t)len;
        } else if (buf->max - buf->len == (size_t)len) {
            char *copy = tb_zalloc((size_t)len + 1);
            vsnprintf(copy, (size_t)len + 1, fmt, again);
            rc = tb_buf_append(buf, copy, (size_t)len);
            tb_free(copy);
        }
    }
    va_end(again);
    return rc;
}

void tb_buf_consume(struct tb_buf *buf, size_t len)
{
    if (len >= buf->len) {
        tb_buf_fini(buf);
        return;
    }
    if (len) {
        memmove(buf->data, buf->data + len, buf->len - len);
        buf->len -= len;
    }
}

uint8_t *tb_buf_take(struct tb_buf *buf, size_t *ret_len)
{
    *ret_len = buf->len;
    if (!buf->len) {
        tb_buf_fini(buf);
        return NULL;
    }
    uint8_t *data = buf->data;
    tb_buf_init(buf, buf->max);
    return data;
}

struct tb_str tb_buf_str(const struct tb_buf *buf)
{
    return (struct tb_str){(const char *)buf->data, buf->len};
}
