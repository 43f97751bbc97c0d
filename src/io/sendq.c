/* SPDX-License-Identifier: Apache-2.0 */
#include "io/sendq.h"

#include <string.h>

#include "base/mem.h"

enum {
    /* With its header and that of malloc a shared chunk fills one page. */
    SHARED_ROOM = 4096 - 64,
};

struct tb_chunk {
    struct tb_chunk *next;
    uint8_t *taken; /* NULL: the bytes are in `room` */
    size_t from;
    size_t to;
    size_t spare; /* room behind `to` */
    uint8_t room[];
};

static const uint8_t *chunk_bytes(const struct tb_chunk *chunk)
{
    return (chunk->taken ? chunk->taken : chunk->room) + chunk->from;
}

static void chunk_free(struct tb_chunk *chunk)
{
    tb_free(chunk->taken);
    tb_free(chunk);
}

static struct tb_chunk *chunk_new(size_t room)
{
    struct tb_chunk *chunk = tb_realloc(NULL, sizeof(*chunk) + room);
    *chunk = (struct tb_chunk){.spare = room};
    return chunk;
}

static void link_last(struct tb_sendq *queue, struct tb_chunk *chunk)
{
    if (queue->last) {
        queue->last->next = chunk;
    } else {
        queue->first = chunk;
    }
    queue->last = chunk;
}

static struct tb_chunk *unlink_first(struct tb_sendq *queue)
{
    struct tb_chunk *chunk = queue->first;
    queue->first = chunk->next;
    if (!queue->first) {
        queue->last = NULL;
    }
    chunk->next = NULL;
    queue->bytes -= chunk->to - chunk->from;
    return chunk;
}

void tb_sendq_fini(struct tb_sendq *queue)
{
    while (queue->first) {
        chunk_free(unlink_first(queue));
    }
}

void tb_sendq_append(struct tb_sendq *queue, struct tb_str bytes)
{
    if (!bytes.len) {
        return;
    }
    struct tb_chunk *chunk = queue->last;
    if (!chunk || chunk->spare < bytes.len) {
        chunk = chunk_new(bytes.len > SHARED_ROOM ? bytes.len : SHARED_ROOM);
        link_last(queue, chunk);
    }
    memcpy(chunk->room + chunk->to, bytes.ptr, bytes.len);
    chunk->to += bytes.len;
    chunk->spare -= bytes.len;
    queue->bytes += bytes.len;
}

void tb_sendq_append_take(struct tb_sendq *queue, uint8_t *data, size_t len)
{
    struct tb_chunk *chunk = chunk_new(0);
    chunk->taken = data;
    chunk->to = len;
    link_last(queue, chunk);
    queue->bytes += len;
}

unsigned tb_sendq_peek(const struct tb_sendq *queue, uv_buf_t *ret_bufs, unsigned max)
{
    unsigned count = 0;
    for (struct tb_chunk *chunk = queue->first; chunk && count < max; chunk = chunk->next) {
        ret_bufs[count].base = (char *)chunk_bytes(chunk);
        ret_bufs[count].len = chunk->to - chunk->from;
        count++;
    }
    return count;
}

void tb_sendq_consume(struct tb_sendq *queue, size_t len)
{
    while (queue->first && len >= queue->first->to - queue->first->from) {
        struct tb_chunk *chunk = unlink_first(queue);
        len -= chunk->to - chunk->from;
        chunk_free(chunk);
    }
    if (queue->first) {
        queue->first->from += len;
        queue->bytes -= len;
    }
}

void tb_sendq_move(struct tb_sendq *to, struct tb_sendq *from, unsigned count)
{
    for (; count && from->first; count--) {
        struct tb_chunk *chunk = unlink_first(from);
        link_last(to, chunk);
        to->bytes += chunk->to - chunk->from;
    }
}
