/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to one POST:
 *
 *   waiting --answer--> replied as JSON
 *      | '--first notification, or it takes long--> streaming --answer--> ended
 *      '--the client leaves: modern requests are cancelled, legacy ones go on */
#include <string.h>

#include "core/limits.h"
#include "front/mcp/http.h"
#include "front/mcp/server.h"

enum {
    FAULT_MAX = 16 * TB_KIB,
};

struct post {
    struct tb_mcp_reader reader;
    struct tb_mcp_out out;
    struct tb_front_req *front;     /* NULL once it streams, or the client has left */
    struct tb_mcp_session *session; /* NULL: modern */
    struct tb_mcp_peer own;         /* modern */
    struct tb_mcp_sse *sse;         /* the session's, or the post's own */
    struct tb_timer long_timer;
    enum tb_mcp_version version;
    bool fresh;
};

static void post_free(struct post *post)
{
    tb_timer_fini(&post->long_timer);
    if (!post->session) {
        tb_mcp_sse_free(post->sse);
        tb_mcp_peer_fini(&post->own);
    }
    tb_free(post);
}

static void reply(struct tb_front_req *front, int status, struct tb_str session_id,
                  struct tb_str json)
{
    const struct tb_http_header headers[] = {
        {"Content-Type", TB_STR("application/json")},
        {"Cache-Control", TB_STR("no-store")},
        {"Mcp-Session-Id", session_id},
    };
    front->user = NULL;
    front->status = status;
    tb_http_reply(front->http, status, headers, session_id.len ? 3 : 2, json);
}

void tb_mcp_http_fault(struct tb_front_req *front, struct tb_str id,
                       const struct tb_mcp_fault *fault)
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(FAULT_MAX);
    tb_jsonrpc_write_error(id, fault->code, tb_str_of(fault->text), tb_str_of(fault->data),
                           &message);
    reply(front, fault->status, TB_STR(""), tb_buf_str(&message));
}

/* Streaming. */

static void on_left(void *owner)
{
    struct post *post = owner;
    post->front = NULL;
    if (!post->session && post->own.request_count) {
        tb_mcp_req_cancel(TB_CONTAINER(post->own.requests.next, struct tb_mcp_req, link));
    }
}

/* False when there is nobody to stream to. */
static bool start_stream(struct post *post)
{
    struct tb_front_req *front = post->front;
    if (post->sse) {
        return true;
    }
    if (!front || post->out.answer_only) {
        return false;
    }
    post->front = NULL;
    if (post->session) {
        post->sse = tb_mcp_session_stream(post->session);
    } else {
        post->sse = tb_mcp_sse_new(front->core->loop, NULL, 0);
        post->sse->on_gone = on_left;
        post->sse->owner = post;
    }
    /* Older clients stumble over an event without data. */
    tb_mcp_sse_open(post->sse, front, post->version >= TB_MCP_2025_11_25);
    return true;
}

/* Clients give up on a reply whose first byte does not come. */
static void on_long(struct tb_timer *timer, void *user)
{
    (void)timer;
    start_stream(user);
}

static void post_send(struct tb_mcp_out *out, struct tb_str message)
{
    struct post *post = TB_CONTAINER(out, struct post, out);
    if (start_stream(post)) {
        tb_mcp_sse_send(post->sse, message);
    }
}

/* It has ended; that of a session stays for a client that comes back. */
static void leave_stream(struct post *post)
{
    if (post->session) {
        tb_mcp_session_stream_over(post->session, post->sse);
    }
}

static void post_answer(struct tb_mcp_out *out, int status, struct tb_buf *message)
{
    struct post *post = TB_CONTAINER(out, struct post, out);
    struct tb_mcp_session *fresh = post->fresh ? post->session : NULL;
    bool begun = fresh && fresh->peer.introduced;
    if (post->sse) {
        tb_mcp_sse_answer(post->sse, tb_buf_str(message));
        leave_stream(post);
    } else if (post->front) {
        reply(post->front, status, begun ? tb_str_of(fresh->id) : TB_STR(""), tb_buf_str(message));
    }
    post_free(post);
    if (fresh && !begun) {
        tb_mcp_session_end(fresh); /* which nobody knows of */
    }
}

static void post_drop(struct tb_mcp_out *out)
{
    struct post *post = TB_CONTAINER(out, struct post, out);
    /* The reply has to end somehow: as a stream in which nothing came. */
    post->out.answer_only = false;
    if (start_stream(post)) {
        tb_mcp_sse_end(post->sse);
        leave_stream(post);
    }
    post_free(post);
}

void tb_mcp_post_accept(struct tb_mcp_out *out)
{
    struct post *post = TB_CONTAINER(out, struct post, out);
    if (post->sse) {
        post_drop(out); /* requests of it were cancelled when they had said something */
        return;
    }
    post->front->user = NULL;
    post->front->status = 202;
    tb_http_reply(post->front->http, 202, NULL, 0, TB_STR(""));
    post_free(post);
}

static void post_pause(struct tb_mcp_out *out, int64_t retry_ms)
{
    struct post *post = TB_CONTAINER(out, struct post, out);
    if (post->session && start_stream(post)) {
        tb_mcp_sse_pause(post->sse, retry_ms);
    }
}

static const struct tb_mcp_out_ops post_ops = {post_send, post_answer, post_drop, post_pause};

/* The client left before anything was sent. */
static void on_gone(struct tb_mcp_reader *reader)
{
    on_left(TB_CONTAINER(reader, struct post, reader));
}

/* True if the Accept header names event streams; a wildcard alone says little about what a client
 * can read. */
static bool takes_events(const struct tb_front_req *front)
{
    struct tb_str accept = tb_http1_header(tb_http_req_head(front->http), "Accept");
    while (accept.ptr) {
        struct tb_str item = tb_str_cut(&accept, ',');
        if (tb_str_eq_nocase(tb_str_trim(tb_str_cut(&item, ';')), TB_STR("text/event-stream"))) {
            return true;
        }
    }
    return false;
}

static struct post *post_new(struct tb_front_req *front, enum tb_mcp_version version)
{
    struct post *post = TB_NEW(struct post);
    post->reader.gone = on_gone;
    post->out.ops = &post_ops;
    post->front = front;
    post->version = version;
    post->out.answer_only = !takes_events(front);
    front->user = &post->reader;
    tb_timer_init(&post->long_timer, front->core->loop, on_long, post);
    tb_timer_start(&post->long_timer, TB_MCP_KEEPALIVE_MS);
    return post;
}

struct tb_mcp_out *tb_mcp_post_legacy(struct tb_front_req *front, struct tb_mcp_session *session,
                                      enum tb_mcp_version version, bool fresh)
{
    struct post *post = post_new(front, version);
    post->session = session;
    post->fresh = fresh;
    post->out.answer_only = post->out.answer_only || fresh; /* a stream would not tell the id */
    return &post->out;
}

static void on_revoked(struct tb_live *live)
{
    struct post *post = TB_CONTAINER(live, struct post, own.live);
    if (post->own.request_count) {
        tb_mcp_req_abort(TB_CONTAINER(post->own.requests.next, struct tb_mcp_req, link),
                         tb_err_info(TB_E_UNAUTHORIZED)->rpc_code,
                         "the credential of this request was revoked");
    }
}

struct tb_mcp_out *tb_mcp_post_modern(struct tb_front_req *front, struct tb_view *view,
                                      struct tb_mcp_peer **ret_peer)
{
    struct post *post = post_new(front, TB_MCP_MODERN_OLDEST);
    tb_mcp_peer_init(&post->own, front->state, front->who, view, on_revoked);
    *ret_peer = &post->own;
    return &post->out;
}
