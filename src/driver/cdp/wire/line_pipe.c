/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/line_pipe.h"

#include <stdbool.h>

#include "base/mem.h"
#include "core/limits.h"

enum {
    TAKEN_FROM = 4096, /* a message this long is handed to the stream without a copy */
};

struct pipe_line {
    struct tb_cdp_line line;
    struct tb_stream *to;
    struct tb_stream *from;
    struct tb_cdp_framer framer;
    bool ended;
};

static struct pipe_line *pipe_of(struct tb_cdp_line *line)
{
    return TB_CONTAINER(line, struct pipe_line, line);
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct pipe_line *pipe = user;
    const struct tb_cdp_line_ops *ops = pipe->line.ops;
    (void)stream;
    if (!pipe->ended && tb_cdp_framer_feed(&pipe->framer, bytes, &ops->input, pipe->line.user) &&
        pipe->framer.held.len) {
        ops->on_part(tb_buf_str(&pipe->framer.held), pipe->line.user);
    }
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    struct pipe_line *pipe = user;
    (void)stream;
    (void)status;
    if (!pipe->ended) {
        pipe->ended = true;
        pipe->line.ops->on_end(pipe->line.user);
    }
}

static void ignore_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    (void)bytes;
    (void)user;
}

static int write_to_pipe(struct tb_cdp_line *line, struct tb_buf *message)
{
    const struct pipe_line *pipe = pipe_of(line);
    int rc = tb_buf_append_char(message, '\0');
    if (rc < 0) {
        return rc;
    }
    if (message->len < TAKEN_FROM) {
        return tb_stream_write(pipe->to, tb_buf_str(message));
    }
    size_t len;
    uint8_t *data = tb_buf_take(message, &len);
    return tb_stream_write_take(pipe->to, data, len);
}

static void free_pipe(struct tb_cdp_line *line)
{
    struct pipe_line *pipe = pipe_of(line);
    tb_stream_free(pipe->to);
    tb_stream_free(pipe->from);
    tb_cdp_framer_fini(&pipe->framer);
    tb_free(pipe);
}

struct tb_cdp_line *tb_cdp_line_pipe_new_take(struct tb_stream *to, struct tb_stream *from)
{
    static const struct tb_cdp_line_kind kind = {write_to_pipe, free_pipe};
    static const struct tb_stream_ops to_ops = {.on_read = ignore_read, .on_end = on_end};
    static const struct tb_stream_ops from_ops = {.on_read = on_read, .on_end = on_end};
    struct pipe_line *pipe = TB_NEW(struct pipe_line);
    pipe->line.kind = &kind;
    pipe->to = to;
    pipe->from = from;
    tb_cdp_framer_init(&pipe->framer, TB_CDP_MESSAGE_MAX);
    tb_stream_set_send_max(to, TB_CDP_SEND_MAX);
    tb_stream_start(to, &to_ops, pipe);
    tb_stream_start(from, &from_ops, pipe);
    return &pipe->line;
}
