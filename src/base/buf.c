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

void tb_buf_wipe(struct tb_buf *buf)
{
    if (buf->data) {
        explicit_bzero(buf->data, buf->cap);
    }
    tb_buf_fini(buf);
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

/* For what did not fit into the room that there was. */
static int print_again(struct tb_buf *buf, size_t len, const char *fmt, va_list args)
{
    uint8_t *room;
    /* One more for the NUL that vsnprintf writes; it is no part of the content, so a buffer filled
     * to its ceiling goes through a copy instead. */
    int rc = tb_buf_reserve(buf, len + 1, &room);
    if (rc == 0) {
        vsnprintf((char *)room, len + 1, fmt, args);
        buf->len += len;
    } else if (buf->max - buf->len == len) {
        char *copy = tb_zalloc(len + 1);
        vsnprintf(copy, len + 1, fmt, args);
        rc = tb_buf_append(buf, copy, len);
        tb_free(copy);
    }
    return rc;
}

int tb_buf_printf(struct tb_buf *buf, const char *fmt, ...)
{
    va_list args;
    size_t left = buf->cap - buf->len;
    va_start(args, fmt);
    int len = vsnprintf(left ? (char *)buf->data + buf->len : NULL, left, fmt, args);
    va_end(args);
    if (len < 0) {
        return TB_E_INVALID;
    }
    if ((size_t)len < left) {
        buf->len += (size_t)len;
        return 0;
    }
    va_start(args, fmt);
    int rc = print_again(buf, (size_t)len, fmt, args);
    va_end(args);
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
