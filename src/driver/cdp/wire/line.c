/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/line.h"

#include <stdbool.h>

#include "core/limits.h"
#include "io/ws_conn.h"

enum {
    TAKEN_FROM = 4096, /* a message this long is handed to the stream without a copy */
    WS_CLOSE_MS = 1000,
    /* A message over our own ceiling should cost its command and not the line. */
    WS_MESSAGE_MAX = 4 * TB_CDP_MESSAGE_MAX,
};

struct tb_cdp_line {
    const struct tb_cdp_line_ops *ops;
    void *user;
    struct tb_stream *to;
    struct tb_stream *from;
    struct tb_cdp_framer framer;
    struct tb_ws_conn *ws;
    bool ws_open;
    struct tb_buf early; /* messages that wait for the WebSocket, each ended by NUL */
    bool ended;
};

static void end(struct tb_cdp_line *line)
{
    if (!line->ended) {
        line->ended = true;
        line->ops->on_end(line->user);
    }
}

static void on_pipe_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct tb_cdp_line *line = user;
    (void)stream;
    if (!line->ended && tb_cdp_framer_feed(&line->framer, bytes, &line->ops->input, line->user) &&
        line->framer.held.len) {
        line->ops->on_part(tb_buf_str(&line->framer.held), line->user);
    }
}

static void on_pipe_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    end(user);
}

static void ignore_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    (void)bytes;
    (void)user;
}

static void on_ws_open(struct tb_ws_conn *ws, void *user)
{
    struct tb_cdp_line *line = user;
    line->ws_open = true;
    struct tb_str rest = tb_buf_str(&line->early);
    while (rest.len) {
        tb_ws_conn_send(ws, true, tb_str_cut(&rest, '\0'));
    }
    tb_buf_fini(&line->early);
}

static void on_ws_message(struct tb_ws_conn *ws, bool text, struct tb_str data, void *user)
{
    struct tb_cdp_line *line = user;
    (void)ws;
    (void)text;
    if (data.len > TB_CDP_MESSAGE_MAX) {
        line->ops->input.on_too_large(data, line->user);
    } else {
        line->ops->input.on_message(data, line->user);
    }
}

static void on_ws_close(struct tb_ws_conn *ws, int code, struct tb_str reason, void *user)
{
    (void)ws;
    (void)code;
    (void)reason;
    end(user);
}

static struct tb_cdp_line *line_new(const struct tb_cdp_line_ops *ops, void *user)
{
    struct tb_cdp_line *line = TB_NEW(struct tb_cdp_line);
    line->ops = ops;
    line->user = user;
    tb_cdp_framer_init(&line->framer, TB_CDP_MESSAGE_MAX);
    tb_buf_init(&line->early, TB_CDP_SEND_MAX);
    return line;
}

struct tb_cdp_line *tb_cdp_line_new_pipe_take(struct tb_stream *to, struct tb_stream *from,
                                              const struct tb_cdp_line_ops *ops, void *user)
{
    static const struct tb_stream_ops to_ops = {.on_read = ignore_read, .on_end = on_pipe_end};
    static const struct tb_stream_ops from_ops = {.on_read = on_pipe_read, .on_end = on_pipe_end};
    struct tb_cdp_line *line = line_new(ops, user);
    line->to = to;
    line->from = from;
    tb_stream_set_send_max(to, TB_CDP_SEND_MAX);
    tb_stream_start(to, &to_ops, line);
    tb_stream_start(from, &from_ops, line);
    return line;
}

struct tb_cdp_line *tb_cdp_line_new_ws_take(struct tb_stream *stream, struct tb_str host,
                                            struct tb_str target, const struct tb_cdp_line_ops *ops,
                                            void *user)
{
    static const struct tb_ws_conn_ops ws_ops = {
        .on_open = on_ws_open,
        .on_message = on_ws_message,
        .on_close = on_ws_close,
    };
    static const struct tb_ws_conn_opts opts = {
        .limits = {.message_max = WS_MESSAGE_MAX},
        .send_max = TB_CDP_SEND_MAX,
        .close_ms = WS_CLOSE_MS,
    };
    static const struct tb_str no_headers = {NULL, 0};
    struct tb_cdp_line *line = line_new(ops, user);
    tb_stream_set_peer_timeout(stream, TB_PEER_MS);
    line->ws = tb_ws_conn_client_take(stream, host, target, no_headers, &opts, &ws_ops, line);
    return line;
}

void tb_cdp_line_free(struct tb_cdp_line *line)
{
    if (!line) {
        return;
    }
    tb_stream_free(line->to);
    tb_stream_free(line->from);
    tb_ws_conn_free(line->ws);
    tb_cdp_framer_fini(&line->framer);
    tb_buf_fini(&line->early);
    tb_free(line);
}

int tb_cdp_line_write(struct tb_cdp_line *line, struct tb_buf *message)
{
    if (line->ws_open) {
        return tb_ws_conn_send(line->ws, true, tb_buf_str(message));
    }
    int rc = tb_buf_append_char(message, '\0');
    if (rc < 0) {
        return rc;
    }
    if (line->ws) {
        return tb_buf_append_str(&line->early, tb_buf_str(message));
    }
    if (message->len < TAKEN_FROM) {
        return tb_stream_write(line->to, tb_buf_str(message));
    }
    size_t len;
    uint8_t *data = tb_buf_take(message, &len);
    return tb_stream_write_take(line->to, data, len);
}
