/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/http_sse.h"

#include <stdio.h>

#include "base/id.h"
#include "core/limits.h"
#include "front/mcp/address.h"
#include "front/mcp/http.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "front/mcp/sse_out.h"
#include "front/reply.h"
#include "io/timer.h"
#include "proto/sse.h"

enum {
    PIECE_BYTES = 256 * TB_KIB, /* that an empty send queue takes */
};

struct stream {
    struct tb_list link; /* of mcp->streams */
    struct tb_mcp_reader reader;
    struct tb_mcp_peer peer;
    struct tb_mcp_out out;
    struct tb_front_req *front; /* NULL: the client has left */
    char id[TB_TOKEN_SIZE];
    struct tb_buf waiting; /* for the client to read what came before */
    bool ends;             /* when nothing is due any more */
    bool broken;           /* at once */
    struct tb_deferred settle;
    struct tb_timer keepalive;
};

static void stream_free(struct stream *stream)
{
    struct tb_front_req *front = stream->front;
    tb_list_remove(&stream->link);
    tb_map_remove(&stream->peer.mcp->streams_by_id, tb_str_of(stream->id));
    tb_mcp_peer_fini(&stream->peer);
    tb_deferred_cancel(&stream->settle);
    tb_timer_fini(&stream->keepalive);
    if (front) {
        front->user = NULL;
        tb_http_reply_finish(front->http, tb_buf_str(&stream->waiting));
    }
    tb_buf_fini(&stream->waiting);
    tb_free(stream);
}

/* Never inside a callback that still uses the stream. */
static void on_settle(struct tb_deferred *job)
{
    struct stream *stream = TB_CONTAINER(job, struct stream, settle);
    if (stream->ends) {
        tb_mcp_peer_end_listens(&stream->peer);
    }
    if (stream->broken || (stream->ends && !stream->peer.request_count)) {
        tb_mcp_peer_left(&stream->peer);
        stream_free(stream);
    }
}

static void settle_later(struct stream *stream)
{
    if (stream->ends || stream->broken) {
        tb_loop_defer(stream->peer.mcp->core->loop, &stream->settle);
    }
}

static void break_off(struct stream *stream)
{
    stream->broken = true;
    settle_later(stream);
}

/* Output. */

static void on_drain(struct tb_http_req *http);

static void flush(struct stream *stream)
{
    while (stream->front && stream->waiting.len) {
        struct tb_str piece = tb_str_sub(tb_buf_str(&stream->waiting), 0, PIECE_BYTES);
        if (tb_http_reply_write(stream->front->http, piece) < 0) {
            tb_http_reply_on_drain(stream->front->http, on_drain);
            return;
        }
        tb_buf_consume(&stream->waiting, piece.len);
    }
    tb_buf_fini(&stream->waiting);
}

static void on_drain(struct tb_http_req *http)
{
    const struct tb_front_req *front = tb_http_req_user(http);
    struct tb_mcp_reader *reader = front->user;
    if (reader) {
        flush(TB_CONTAINER(reader, struct stream, reader));
    }
}

/* What cannot be sent must not be missing in silence: the stream ends. */
static void write_event(struct stream *stream, const struct tb_sse_event *event)
{
    if (!stream->front || stream->broken) {
        return;
    }
    bool behind = stream->waiting.len > 0; /* somebody waits for the queue already */
    if (tb_sse_write(&stream->waiting, event) < 0) {
        break_off(stream);
    } else if (!behind) {
        flush(stream);
    }
}

static void send(struct stream *stream, struct tb_str message)
{
    write_event(stream, &(struct tb_sse_event){.event = TB_STR("message"), .data = message});
}

static void out_send(struct tb_mcp_out *out, struct tb_str message)
{
    send(TB_CONTAINER(out, struct stream, out), message);
}

static void out_answer(struct tb_mcp_out *out, int status, struct tb_buf *message)
{
    struct stream *stream = TB_CONTAINER(out, struct stream, out);
    (void)status;
    send(stream, tb_buf_str(message));
    settle_later(stream);
}

static void out_drop(struct tb_mcp_out *out)
{
    settle_later(TB_CONTAINER(out, struct stream, out));
}

static const struct tb_mcp_out_ops out_ops = {out_send, out_answer, out_drop, NULL};

static void notify(struct tb_mcp_peer *peer, struct tb_str message)
{
    send(TB_CONTAINER(peer, struct stream, peer), message);
}

static void on_keepalive(struct tb_timer *timer, void *user)
{
    write_event(user, &(struct tb_sse_event){.comment = TB_STR("keepalive")});
    tb_timer_start(timer, TB_MCP_KEEPALIVE_MS);
}

/* Opening. */

static void on_gone(struct tb_mcp_reader *reader)
{
    struct stream *stream = TB_CONTAINER(reader, struct stream, reader);
    stream->front = NULL;
    tb_mcp_peer_left(&stream->peer);
    stream_free(stream);
}

static void on_revoked(struct tb_live *live)
{
    break_off(TB_CONTAINER(live, struct stream, peer.live));
}

static struct stream *stream_new(struct tb_front_req *front, const struct tb_mcp_address *address)
{
    struct tb_mcp *mcp = front->state;
    struct stream *stream = TB_NEW(struct stream);
    char secret[TB_TOKEN_SIZE];
    stream->reader.gone = on_gone;
    stream->out.ops = &out_ops;
    stream->settle.run = on_settle;
    stream->front = front;
    front->user = &stream->reader;
    tb_token_make(stream->id);
    tb_token_make(secret);
    tb_buf_init(&stream->waiting, TB_STDIO_SEND_MAX);
    tb_timer_init(&stream->keepalive, mcp->core->loop, on_keepalive, stream);
    tb_mcp_peer_init(&stream->peer, mcp, front->who, address->view, on_revoked);
    snprintf(stream->peer.conversation, sizeof(stream->peer.conversation), "sse-%s", secret);
    snprintf(stream->peer.session, sizeof(stream->peer.session), "%s", address->session);
    stream->peer.passing = true;
    tb_mcp_peer_listens(&stream->peer, notify);
    tb_list_append(&mcp->streams, &stream->link);
    tb_map_add(&mcp->streams_by_id, tb_str_of(stream->id), stream);
    return stream;
}

static void tell_endpoint(struct stream *stream)
{
    TB_AUTO(tb_buf_fini) struct tb_buf path = TB_BUF(TB_KIB);
    tb_buf_printf(&path, "/mcp/sse/%s", stream->id);
    write_event(stream,
                &(struct tb_sse_event){.event = TB_STR("endpoint"), .data = tb_buf_str(&path)});
}

static void open_stream(struct tb_front_req *front, const struct tb_mcp_address *address)
{
    if (tb_mcp_peers_count(front->state, front->who, notify) >= TB_MCP_SESSIONS) {
        tb_reply_error(front, TB_E_LIMIT,
                       "too many MCP streams are open with this credential; close one first");
        return;
    }
    struct stream *stream = stream_new(front, address);
    tb_reply_events(front);
    tell_endpoint(stream);
    tb_timer_start(&stream->keepalive, TB_MCP_KEEPALIVE_MS);
}

void tb_mcp_http_sse_open(struct tb_front_req *front)
{
    struct tb_mcp_address address = {0};
    /* A HEAD, which comes as a GET, would wait for ever. */
    if (tb_str_eq_cstr(tb_http_req_head(front->http)->method, "HEAD")) {
        tb_reply_not_allowed(front, TB_STR("GET"));
    } else if (tb_mcp_address_of(front, &address)) {
        open_stream(front, &address);
    }
    tb_view_unref(address.view, "opened");
}

/* Input. */

static struct stream *find_own(const struct tb_front_req *front)
{
    const struct tb_mcp *mcp = front->state;
    struct stream *stream = tb_map_get(&mcp->streams_by_id, front->args[0]);
    return stream && stream->peer.who == front->who ? stream : NULL;
}

static void refuse(struct tb_front_req *front, struct tb_str id, int code, const char *text)
{
    struct tb_mcp_fault fault;
    tb_mcp_fail(&fault, tb_err_info(code)->http_status, tb_err_info(code)->rpc_code, "%s", text);
    tb_mcp_http_fault(front, id, &fault);
}

void tb_mcp_http_sse_post(struct tb_front_req *front)
{
    struct tb_str body = tb_http_req_body(front->http);
    struct tb_str named = tb_http1_header(tb_http_req_head(front->http), "X-Conversation-Id");
    struct tb_mcp_message message = {.conversation = named.ptr ? tb_str_trim(named) : named};
    struct stream *stream = find_own(front);
    struct tb_err err;
    int rc = tb_mcp_message_parse(body, &message, &err);
    if (!stream) {
        refuse(front, message.rpc.id.text, TB_E_NOT_FOUND,
               "unknown or ended event stream; open a new one with GET /mcp/sse");
    } else if (rc < 0) {
        refuse(front, message.rpc.id.text, rc, err.text);
    } else if (stream->ends || stream->broken) {
        refuse(front, message.rpc.id.text, TB_E_SHUTDOWN, "the daemon stops");
    } else {
        tb_mcp_peer_receive_whole(&stream->peer, body, &message, &stream->out);
        front->status = 202;
        tb_http_reply(front->http, 202, NULL, 0, TB_STR(""));
    }
}

void tb_mcp_http_sse_drain(struct tb_mcp *mcp)
{
    LIST_FOREACH(link, &mcp->streams) {
        struct stream *stream = TB_CONTAINER(link, struct stream, link);
        stream->ends = true;
        settle_later(stream);
    }
}

void tb_mcp_http_sse_stop(struct tb_mcp *mcp)
{
    while (!tb_list_empty(&mcp->streams)) {
        stream_free(TB_CONTAINER(mcp->streams.next, struct stream, link));
    }
}
