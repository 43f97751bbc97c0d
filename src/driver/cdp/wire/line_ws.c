/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/line_ws.h"

#include <stdbool.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/ws_conn.h"

enum {
    CLOSE_MS = 1000,
    /* A message over our own ceiling should cost its command and not the line. */
    MESSAGE_MAX = 4 * TB_CDP_MESSAGE_MAX,
};

struct ws_line {
    struct tb_cdp_line line;
    struct tb_ws_conn *ws;
    bool open;
    struct tb_buf early; /* messages that wait until it is, each ended by NUL */
};

static struct ws_line *ws_of(struct tb_cdp_line *line)
{
    return TB_CONTAINER(line, struct ws_line, line);
}

static void on_open(struct tb_ws_conn *conn, void *user)
{
    struct ws_line *ws = user;
    ws->open = true;
    struct tb_str rest = tb_buf_str(&ws->early);
    while (rest.len) {
        tb_ws_conn_send(conn, true, tb_str_cut(&rest, '\0'));
    }
    tb_buf_fini(&ws->early);
}

static void on_message(struct tb_ws_conn *conn, bool text, struct tb_str data, void *user)
{
    const struct tb_cdp_line *line = &((struct ws_line *)user)->line;
    (void)conn;
    (void)text;
    if (data.len > TB_CDP_MESSAGE_MAX) {
        line->ops->input.on_too_large(data, line->user);
    } else {
        line->ops->input.on_message(data, line->user);
    }
}

static void on_close(struct tb_ws_conn *conn, int code, struct tb_str reason, void *user)
{
    const struct tb_cdp_line *line = &((struct ws_line *)user)->line;
    (void)conn;
    (void)code;
    (void)reason;
    line->ops->on_end(line->user);
}

static int write_to_ws(struct tb_cdp_line *line, struct tb_buf *message)
{
    struct ws_line *ws = ws_of(line);
    if (ws->open) {
        return tb_ws_conn_send(ws->ws, true, tb_buf_str(message));
    }
    int rc = tb_buf_append_char(message, '\0');
    return rc < 0 ? rc : tb_buf_append_str(&ws->early, tb_buf_str(message));
}

static void free_ws(struct tb_cdp_line *line)
{
    struct ws_line *ws = ws_of(line);
    tb_ws_conn_free(ws->ws);
    tb_buf_fini(&ws->early);
    tb_free(ws);
}

struct tb_cdp_line *tb_cdp_line_ws_new_take(struct tb_stream *stream, struct tb_str host,
                                            struct tb_str target)
{
    static const struct tb_cdp_line_kind kind = {write_to_ws, free_ws};
    static const struct tb_ws_conn_ops ops = {
        .on_open = on_open,
        .on_message = on_message,
        .on_close = on_close,
    };
    static const struct tb_ws_conn_opts opts = {
        .limits = {.message_max = MESSAGE_MAX},
        .send_max = TB_CDP_SEND_MAX,
        .close_ms = CLOSE_MS,
    };
    static const struct tb_str no_headers = {NULL, 0};
    struct ws_line *ws = TB_NEW(struct ws_line);
    ws->line.kind = &kind;
    tb_buf_init(&ws->early, TB_CDP_SEND_MAX);
    tb_stream_set_peer_timeout(stream, TB_PEER_MS);
    ws->ws = tb_ws_conn_client_take(stream, host, target, no_headers, &opts, &ops, ws);
    return &ws->line;
}
