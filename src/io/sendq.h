/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way out, for the streams of this folder: a chain of chunks. Small writes share a
 * chunk; a block that was taken is a chunk of its own and is not copied. One system call writes
 * many chunks. An empty queue holds no memory. The ceiling is the stream's business, since it
 * counts what libuv holds too. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/str.h"

struct tb_chunk;

struct tb_sendq {
    struct tb_chunk *first;
    struct tb_chunk *last;
    size_t bytes;
};

/* A zeroed queue is an empty one. */
void tb_sendq_fini(struct tb_sendq *queue);
void tb_sendq_append(struct tb_sendq *queue, struct tb_str bytes);
/* Takes memory from malloc. */
void tb_sendq_append_take(struct tb_sendq *queue, uint8_t *data, size_t len);
/* The first `max` chunks; returns how many there are. */
unsigned tb_sendq_peek(const struct tb_sendq *queue, uv_buf_t *ret_bufs, unsigned max);
/* Drops bytes from the front. */
void tb_sendq_consume(struct tb_sendq *queue, size_t len);
/* Moves the first `count` chunks to the end of another queue. */
void tb_sendq_move(struct tb_sendq *to, struct tb_sendq *from, unsigned count);
