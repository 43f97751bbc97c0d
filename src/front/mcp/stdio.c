/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/stdio.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "core/limits.h"
#include "front/mcp/address.h"
#include "front/mcp/limits.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "front/reply.h"
#include "front/target.h"

enum {
    LOOK_MS = 250,    /* how often we look whether a peer that ended its input is still there */
    LINGER_MS = 5000, /* for the last bytes to leave */
    LINE_KEEP = 4096, /* a line's memory above this is given back */
    HEAD_MAX = 8192,  /* of what opens the connection: as many settings as there can be headers */
};

struct conn {
    struct tb_list link; /* of mcp->stdio */
    struct tb_mcp_peer peer;
    struct tb_mcp_out out;
    struct tb_stream *stream;
    struct tb_buf line; /* the start of one whose end has not come */
    bool skipping;      /* the rest of one that was too long */
    bool paused;
    bool input_over;
    bool broken;
    struct tb_deferred settle;
    struct tb_timer look;
};

/* Ending. Never inside a callback that still uses the connection: `settle` runs at the end of the
 * turn. */

static void conn_free(struct conn *conn)
{
    tb_list_remove(&conn->link);
    tb_mcp_peer_fini(&conn->peer);
    tb_deferred_cancel(&conn->settle); /* a request that ended here may have asked for it */
    tb_timer_fini(&conn->look);
    tb_buf_fini(&conn->line);
    if (conn->broken) {
        tb_stream_free(conn->stream);
    } else {
        tb_stream_finish_and_free(conn->stream, LINGER_MS);
    }
    tb_free(conn);
}

static void settle_later(struct conn *conn)
{
    tb_loop_defer(conn->peer.mcp->core->loop, &conn->settle);
}

/* A peer that came back before we saw that it had gone. */
static bool is_back(const struct conn *gone)
{
    LIST_FOREACH(link, &gone->peer.mcp->stdio) {
        const struct conn *conn = TB_CONTAINER(link, struct conn, link);
        if (conn != gone && conn->peer.who == gone->peer.who &&
            strcmp(conn->peer.conversation, gone->peer.conversation) == 0) {
            return true;
        }
    }
    return false;
}

static void on_settle(struct tb_deferred *job)
{
    struct conn *conn = TB_CONTAINER(job, struct conn, settle);
    if (conn->broken || (conn->input_over && conn->peer.request_count == 0)) {
        if (!is_back(conn)) {
            tb_mcp_peer_left(&conn->peer);
        }
        conn_free(conn);
    }
}

/* Whoever only ended its input waits for answers; whoever was killed does not. */
static void on_look(struct tb_timer *timer, void *user)
{
    struct conn *conn = user;
    if (tb_stream_hung_up(conn->stream)) {
        conn->broken = true;
        settle_later(conn);
    } else {
        tb_timer_start(timer, LOOK_MS);
    }
}

/* Output. */

static void write_line(struct conn *conn, struct tb_buf *message)
{
    size_t len;
    tb_buf_append_char(message, '\n');
    uint8_t *data = tb_buf_take(message, &len);
    if (conn->broken || tb_stream_write_take(conn->stream, data, len) < 0) {
        if (conn->broken) {
            tb_free(data);
        }
        conn->broken = true;
        settle_later(conn);
    }
    if (!conn->paused && tb_stream_queued(conn->stream) > TB_STDIO_PAUSE_BYTES) {
        conn->paused = true;
        tb_stream_pause(conn->stream);
    }
}

static void write_copy(struct conn *conn, struct tb_str message)
{
    struct tb_buf copy;
    tb_buf_init(&copy, SIZE_MAX);
    tb_buf_append_str(&copy, message);
    write_line(conn, &copy);
}

static void out_send(struct tb_mcp_out *out, struct tb_str message)
{
    write_copy(TB_CONTAINER(out, struct conn, out), message);
}

static void out_answer(struct tb_mcp_out *out, int status, struct tb_buf *message)
{
    struct conn *conn = TB_CONTAINER(out, struct conn, out);
    (void)status;
    message->max = SIZE_MAX; /* for the newline */
    write_line(conn, message);
    if (conn->input_over) {
        settle_later(conn);
    }
}

static void out_drop(struct tb_mcp_out *out)
{
    struct conn *conn = TB_CONTAINER(out, struct conn, out);
    if (conn->input_over) {
        settle_later(conn);
    }
}

static const struct tb_mcp_out_ops out_ops = {out_send, out_answer, out_drop, NULL};

static void notify(struct tb_mcp_peer *peer, struct tb_str message)
{
    write_copy(TB_CONTAINER(peer, struct conn, peer), message);
}

/* Input. */

static void refuse(struct conn *conn, struct tb_str id, int code, const char *text)
{
    struct tb_mcp_fault fault;
    tb_mcp_fail(&fault, 0, code, "%s", text);
    tb_mcp_out_fault(&conn->out, id, &fault);
}

static void take_line(struct conn *conn, struct tb_str line)
{
    if (line.len && line.ptr[line.len - 1] == '\r') {
        line.len--;
    }
    if (tb_str_trim(line).len) {
        tb_mcp_peer_receive_text(&conn->peer, line, &conn->out);
    }
}

/* The start of a line waits for its end. */
static void keep_rest(struct conn *conn, struct tb_str rest)
{
    if (conn->skipping || !rest.len) {
        return;
    }
    if (tb_buf_append_str(&conn->line, rest) < 0) {
        struct tb_jsonrpc begin; /* its id, if that stands near the front */
        tb_jsonrpc_parse(tb_buf_str(&conn->line), &tb_mcp_json_limits, 0, &begin, NULL);
        conn->skipping = true;
        refuse(conn, begin.id.text, tb_err_info(TB_E_TOO_LARGE)->rpc_code,
               "the line is too long and was skipped");
        tb_buf_fini(&conn->line);
    }
}

static void end_line(struct conn *conn, struct tb_str piece)
{
    if (conn->skipping) {
        conn->skipping = false;
        return;
    }
    if (!conn->line.len) {
        take_line(conn, piece); /* the usual case: nothing is copied */
        return;
    }
    keep_rest(conn, piece);
    if (!conn->skipping) {
        take_line(conn, tb_buf_str(&conn->line));
    }
    conn->skipping = false;
    if (conn->line.cap > LINE_KEEP) {
        tb_buf_fini(&conn->line);
    } else {
        tb_buf_clear(&conn->line);
    }
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct conn *conn = user;
    (void)stream;
    while (bytes.len) {
        const char *newline = memchr(bytes.ptr, '\n', bytes.len);
        if (!newline) {
            keep_rest(conn, bytes);
            return;
        }
        size_t len = (size_t)(newline - bytes.ptr);
        end_line(conn, tb_str_sub(bytes, 0, len));
        bytes = tb_str_sub(bytes, len + 1, bytes.len);
    }
}

static void on_drain(struct tb_stream *stream, void *user)
{
    struct conn *conn = user;
    if (conn->paused) {
        conn->paused = false;
        tb_stream_resume(stream);
    }
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    struct conn *conn = user;
    conn->input_over = true;
    conn->broken = conn->broken || status < 0 || tb_stream_hung_up(stream);
    tb_mcp_peer_end_listens(&conn->peer);
    settle_later(conn);
    tb_timer_start(&conn->look, LOOK_MS);
}

static const struct tb_stream_ops stream_ops = {on_read, on_drain, on_end};

/* Opening. */

/* A secret that is too short could be guessed. */
static int check_secret(struct tb_str secret, struct tb_err *err)
{
    if (secret.len && secret.len != TB_TOKEN_SIZE - 1) {
        return tb_fail(err, TB_E_INVALID, "X-Conversation-Id must have %d characters, not %zu",
                       TB_TOKEN_SIZE - 1, secret.len);
    }
    return 0;
}

/* The conversation's name says nothing about its secret. */
static void name_conversation(struct tb_mcp_peer *peer, struct tb_str secret)
{
    char token[TB_TOKEN_SIZE];
    uint8_t hash[TB_HASH_BYTES];
    tb_token_make(token);
    const struct tb_str parts[] = {TB_STR("stdio"), secret.len ? secret : tb_str_of(token)};
    tb_hash_keyed(peer->mcp->core->secret, parts, TB_COUNT(parts), hash);
    size_t used = (size_t)snprintf(peer->conversation, sizeof(peer->conversation), "stdio-");
    tb_hex(hash, sizeof(hash), peer->conversation + used);
}

static void on_revoked(struct tb_live *live)
{
    struct conn *conn = TB_CONTAINER(live, struct conn, peer.live);
    conn->broken = true;
    settle_later(conn);
}

static struct conn *conn_new(struct tb_mcp *mcp, struct tb_principal *who, struct tb_view *view,
                             struct tb_str secret)
{
    struct conn *conn = TB_NEW(struct conn);
    conn->out.ops = &out_ops;
    conn->settle.run = on_settle;
    tb_buf_init(&conn->line, TB_STDIO_LINE_MAX);
    tb_timer_init(&conn->look, mcp->core->loop, on_look, conn);
    tb_mcp_peer_init(&conn->peer, mcp, who, view, on_revoked);
    name_conversation(&conn->peer, secret);
    tb_mcp_peer_listens(&conn->peer, notify);
    tb_list_append(&mcp->stdio, &conn->link);
    return conn;
}

static bool is_same(struct tb_str path, struct tb_str value, const struct tb_config *config)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    struct tb_config other;
    bool same = false;
    tb_config_init(&other);
    for (size_t i = 0; i < count; i++) {
        same = same || (tb_str_eq_cstr(path, keys[i].path) &&
                        tb_config_set(&other, &keys[i], value, NULL) == 0 &&
                        !tb_config_differs(&other, config, &keys[i]));
    }
    tb_config_fini(&other);
    return same;
}

/* Which of the settings that the bridge was given are ours as well: it warns of the others. */
static void put_same(const struct tb_front_req *front, struct tb_buf *out)
{
    const struct tb_http1_head *head = tb_http_req_head(front->http);
    const char *before = "Tabard-Same: ";
    for (size_t i = 0; i < head->header_count; i++) {
        struct tb_str value = head->headers[i].value;
        if (tb_str_eq_nocase(head->headers[i].name, TB_STR("Tabard-Setting"))) {
            struct tb_str path = tb_str_cut(&value, '=');
            if (value.ptr && is_same(path, value, front->core->config)) {
                tb_buf_printf(out, "%s%.*s", before, TB_STR_ARG(path));
                before = ",";
            }
        }
    }
    tb_buf_append_cstr(out, before[0] == ',' ? "\r\n" : "");
}

static void upgrade(struct tb_front_req *front, const struct tb_mcp_address *address,
                    struct tb_str secret)
{
    struct conn *conn = conn_new(front->state, front->who, address->view, secret);
    snprintf(conn->peer.session, sizeof(conn->peer.session), "%s", address->session);
    char *rest;
    size_t rest_len;
    front->status = 101;
    TB_AUTO(tb_buf_fini) struct tb_buf head = TB_BUF(HEAD_MAX);
    tb_buf_append_cstr(&head, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n");
    put_same(front, &head);
    tb_buf_append_cstr(&head, "Upgrade: tabard-mcp\r\n\r\n");
    conn->stream = tb_http_upgrade_take(front->http, tb_buf_str(&head), &rest, &rest_len);
    if (!conn->stream) {
        conn->broken = true;
        conn_free(conn);
        return;
    }
    tb_stream_set_send_max(conn->stream, TB_STDIO_SEND_MAX);
    tb_stream_start(conn->stream, &stream_ops, conn);
    if (rest_len) {
        on_read(conn->stream, (struct tb_str){rest, rest_len}, conn);
    }
    tb_free(rest);
}

static int read_address(const struct tb_front_req *front, struct tb_mcp_address *ret_address,
                        struct tb_err *err)
{
    static const char *const known[] = {"toolset", "groups", "session", NULL};
    TB_AUTO(tb_buf_fini) struct tb_buf toolset = TB_BUF(TB_KIB);
    if (tb_target_query(tb_http_req_head(front->http)->query, "toolset", &toolset) < 0) {
        return tb_fail(err, TB_E_INVALID, "the query string is malformed");
    }
    return tb_mcp_address_read(front, tb_buf_str(&toolset), known, ret_address, err);
}

void tb_mcp_stdio_open(struct tb_front_req *front)
{
    struct tb_mcp_address address = {0};
    struct tb_err err;
    const struct tb_http1_head *head = tb_http_req_head(front->http);
    struct tb_str secret = tb_http1_header(head, "X-Conversation-Id");
    if (!head->upgrade ||
        !tb_str_eq_nocase(tb_http1_header(head, "Upgrade"), TB_STR("tabard-mcp"))) {
        tb_reply_error(front, TB_E_INVALID, "this address accepts only 'Upgrade: tabard-mcp'");
    } else if (check_secret(secret, &err) < 0 || read_address(front, &address, &err) < 0) {
        tb_reply_error(front, err.code, err.text);
    } else {
        upgrade(front, &address, secret);
    }
    tb_view_unref(address.view, "opened");
}

void tb_mcp_stdio_stop(struct tb_mcp *mcp)
{
    while (!tb_list_empty(&mcp->stdio)) {
        struct conn *conn = TB_CONTAINER(mcp->stdio.next, struct conn, link);
        conn->broken = true;
        conn_free(conn);
    }
}
