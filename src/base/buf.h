/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer with a ceiling, for everything whose size a peer chooses.
 *
 * An operation that would pass the ceiling fails with TB_E_TOO_LARGE and leaves the buffer as it
 * was. Below the ceiling memory is allocated or the process ends. The owner calls init and fini;
 * an empty buffer holds no memory, so idle connections cost nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"

struct tb_buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max;
};

/* An empty buffer, for a variable; tb_buf_init is the same for a member. */
#define TB_BUF(ceiling) ((struct tb_buf){.max = (ceiling)})
void tb_buf_init(struct tb_buf *buf, size_t max);
/* Frees the memory; the buffer is empty again and keeps its ceiling. */
void tb_buf_fini(struct tb_buf *buf);
/* The same for what had a key in it: nothing is left in the memory. Keys come into a buffer that
 * does not grow again: what it had before lies elsewhere. */
void tb_buf_wipe(struct tb_buf *buf);
/* Empties the buffer and keeps its memory. */
void tb_buf_clear(struct tb_buf *buf);

/* Room for `extra` more bytes behind the content; *ret_room points at it. The caller adds to len
 * what it wrote. */
int tb_buf_reserve(struct tb_buf *buf, size_t extra, uint8_t **ret_room);
int tb_buf_append(struct tb_buf *buf, const void *data, size_t len);
int tb_buf_append_str(struct tb_buf *buf, struct tb_str str);
int tb_buf_append_cstr(struct tb_buf *buf, const char *text);
int tb_buf_append_char(struct tb_buf *buf, char c);
int tb_buf_printf(struct tb_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Drops `len` bytes from the front; when nothing is left the memory is freed. */
void tb_buf_consume(struct tb_buf *buf, size_t len);
/* Hands the memory to the caller, who frees it; the buffer is empty. NULL when it was empty. */
uint8_t *tb_buf_take(struct tb_buf *buf, size_t *ret_len);
/* The content as a slice, borrowed until the next change. */
struct tb_str tb_buf_str(const struct tb_buf *buf);

static inline void tb_buf_fini_auto(struct tb_buf *buf)
{
    tb_buf_fini(buf);
}

static inline void tb_buf_wipe_auto(struct tb_buf *buf)
{
    tb_buf_wipe(buf);
}
