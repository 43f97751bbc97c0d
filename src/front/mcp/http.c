/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/http.h"

#include <stdio.h>

#include "core/limits.h"
#include "front/mcp/address.h"
#include "front/mcp/batch.h"
#include "front/mcp/server.h"
#include "front/reply.h"

/* A POST on its way to its peer. */
struct arrival {
    struct tb_front_req *front;
    struct tb_mcp *mcp;
    struct tb_mcp_headers headers;
    struct tb_mcp_address address;
    struct tb_mcp_message message;
    struct tb_mcp_session *session; /* that the header names; NULL: none, or none that is live */
    struct tb_str session_id;
};

static struct tb_str header(const struct tb_front_req *front, const char *name)
{
    struct tb_str value = tb_http1_header(tb_http_req_head(front->http), name);
    return value.ptr ? tb_str_trim(value) : value;
}

static void accept_silently(struct tb_front_req *front)
{
    front->status = 202;
    tb_http_reply(front->http, 202, NULL, 0, TB_STR(""));
}

static void refuse(const struct arrival *arrival, int status, int code, const char *text)
{
    struct tb_mcp_fault fault;
    tb_mcp_fail(&fault, status, code, "%s", text);
    tb_mcp_http_fault(arrival->front, arrival->message.rpc.id.text, &fault);
}

/* Browser sessions outlive it, but that is no news for who cannot start any. */
static void refuse_unknown(const struct arrival *arrival)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_KIB);
    tb_buf_append_cstr(&text, "unknown or expired MCP session; start a new one with initialize");
    tb_view_hint(arrival->address.view, ". Browser sessions from {start_session} still exist|",
                 &text);
    tb_buf_append_char(&text, '\0');
    refuse(arrival, 404, -32600, (const char *)text.data);
}

static enum tb_mcp_version agreed(const struct arrival *arrival)
{
    return arrival->session ? arrival->session->peer.version : TB_MCP_LEGACY_NEWEST;
}

/* Answers when the header names a version that we do not have. For what has no envelope to look at:
 * a request or notification goes through tb_mcp_version_choose. */
static bool has_version(const struct arrival *arrival, enum tb_mcp_version *ret_version)
{
    struct tb_mcp_fault fault;
    if (tb_mcp_version_choose_legacy(&arrival->headers, agreed(arrival), ret_version, &fault) < 0) {
        tb_mcp_http_fault(arrival->front, arrival->message.rpc.id.text, &fault);
        return false;
    }
    return true;
}

/* Answers when the request names no live session. */
static bool has_session(const struct arrival *arrival)
{
    if (arrival->session) {
        return true;
    }
    if (arrival->session_id.len) {
        refuse_unknown(arrival);
    } else {
        refuse(
            arrival, 400, -32600,
            "the Mcp-Session-Id header is missing; start a session with initialize, or work "
            "without "
            "one: send the header MCP-Protocol-Version: 2026-07-28 and what that version requires");
    }
    return false;
}

static void receive_initialize(struct arrival *arrival)
{
    if (arrival->session) {
        refuse(arrival, 400, -32600,
               "this MCP session is already initialized; send initialize without Mcp-Session-Id to "
               "start another");
        return;
    }
    struct tb_mcp_session *session =
        tb_mcp_session_new(arrival->mcp->sessions, arrival->front->who, arrival->address.view);
    if (!session) {
        refuse(arrival, 429, tb_err_info(TB_E_LIMIT)->rpc_code,
               "too many MCP sessions are open with this credential; end one with DELETE, or wait "
               "until an idle one ends");
        return;
    }
    snprintf(session->peer.session, sizeof(session->peer.session), "%s", arrival->address.session);
    struct tb_mcp_out *out =
        tb_mcp_post_legacy(arrival->front, session, arrival->message.version, true);
    tb_mcp_peer_receive(&session->peer, &arrival->message, out);
}

static void receive_legacy(struct arrival *arrival)
{
    const struct tb_mcp_message *message = &arrival->message;
    bool request = message->rpc.kind == TB_JSONRPC_REQUEST;
    if (request && tb_jsonrpc_is(&message->rpc, "initialize")) {
        receive_initialize(arrival);
        return;
    }
    if (!has_session(arrival)) {
        return;
    }
    struct tb_mcp_peer *peer = &arrival->session->peer;
    if (request) {
        tb_mcp_peer_receive(
            peer, message,
            tb_mcp_post_legacy(arrival->front, arrival->session, message->version, false));
        return;
    }
    accept_silently(arrival->front);
    tb_mcp_peer_receive(peer, message, NULL);
}

static void receive_modern(struct arrival *arrival)
{
    struct tb_mcp_peer *peer;
    /* A modern client cancels by closing its stream, so its notifications have nothing to tell. */
    if (arrival->message.rpc.kind != TB_JSONRPC_REQUEST) {
        accept_silently(arrival->front);
        return;
    }
    struct tb_mcp_out *out = tb_mcp_post_modern(arrival->front, arrival->address.view, &peer);
    tb_mcp_peer_receive(peer, &arrival->message, out);
}

static void receive_batch(struct arrival *arrival, struct tb_str body)
{
    enum tb_mcp_version version;
    if (!has_version(arrival, &version)) {
        return;
    }
    if (tb_mcp_batch_claims(body) || (arrival->session && version != TB_MCP_2025_03_26)) {
        refuse(arrival, 400, -32600,
               "this protocol version has no batches; send one message per request");
        return;
    }
    if (!has_session(arrival)) {
        return;
    }
    struct tb_mcp_out *out = tb_mcp_post_legacy(arrival->front, arrival->session, version, false);
    if (!tb_mcp_batch_run(&arrival->session->peer, body, &arrival->message, out)) {
        tb_mcp_post_accept(out);
    }
}

static void receive(struct arrival *arrival)
{
    struct tb_mcp_message *message = &arrival->message;
    struct tb_mcp_fault fault;
    if (message->rpc.kind == TB_JSONRPC_RESULT || message->rpc.kind == TB_JSONRPC_ERROR) {
        if (has_version(arrival, &message->version)) {
            receive_legacy(arrival);
        }
        return;
    }
    if (tb_mcp_envelope_read(&message->rpc, &message->envelope, &fault) < 0 ||
        tb_mcp_version_choose(&message->rpc, &message->envelope, &arrival->headers, agreed(arrival),
                              &message->version, &fault) < 0) {
        tb_mcp_http_fault(arrival->front, message->rpc.id.text, &fault);
    } else if (tb_mcp_version_era(message->version) == TB_MCP_MODERN) {
        receive_modern(arrival);
    } else {
        receive_legacy(arrival);
    }
}

static void arrival_fini_auto(struct arrival *arrival)
{
    tb_view_unref(arrival->address.view, "arrival");
}

static bool arrive(struct arrival *arrival, struct tb_front_req *front)
{
    *arrival = (struct arrival){
        .front = front,
        .mcp = front->state,
        .headers = {.version = header(front, "MCP-Protocol-Version"),
                    .method = header(front, "Mcp-Method"),
                    .name = header(front, "Mcp-Name")},
        .session_id = header(front, "Mcp-Session-Id"),
        .message = {.conversation = header(front, "X-Conversation-Id"),
                    .trace = header(front, "traceparent")},
    };
    if (arrival->session_id.len) {
        arrival->session =
            tb_mcp_session_find(arrival->mcp->sessions, front->who, arrival->session_id);
    }
    if (!tb_mcp_address_of(front, &arrival->address)) {
        return false;
    }
    arrival->message.session = tb_str_of(arrival->address.session);
    return true;
}

void tb_mcp_http_post(struct tb_front_req *front)
{
    TB_AUTO(arrival_fini) struct arrival arrival = {0};
    struct tb_err err;
    struct tb_str body = tb_http_req_body(front->http);
    if (!arrive(&arrival, front)) {
        return;
    }
    int rc = tb_mcp_message_parse(body, &arrival.message, &err);
    if (rc < 0) {
        refuse(&arrival, 400, tb_err_info(rc)->rpc_code, err.text);
    } else if (arrival.message.rpc.kind == TB_JSONRPC_BATCH) {
        receive_batch(&arrival, body);
    } else {
        receive(&arrival);
    }
}

/* GET: the stream of a session for what is sent unasked, or the rest of one that broke. */

static void resume(const struct arrival *arrival, struct tb_str last_id)
{
    uint64_t stream;
    uint64_t number;
    struct tb_mcp_sse *sse = NULL;
    if (tb_mcp_event_id_parse(last_id, &stream, &number)) {
        sse = tb_mcp_session_find_stream(arrival->session, stream);
    }
    if (sse && tb_mcp_sse_can_resume(sse, number)) {
        tb_mcp_sse_resume(sse, arrival->front, number);
    } else {
        refuse(arrival, 400, -32600,
               "the event named in Last-Event-ID is unknown or no longer kept; open a new stream "
               "without that header");
    }
}

/* GET and DELETE are for legacy sessions; a HEAD, which comes as a GET, would wait for ever. */
static bool reply_post_only(const struct arrival *arrival)
{
    static const struct tb_http_header headers[] = {{"Allow", {"POST", 4}}};
    const struct tb_http1_head *head = tb_http_req_head(arrival->front->http);
    bool modern =
        arrival->headers.version.ptr && tb_mcp_version_is_modern(arrival->headers.version);
    if (!modern && !tb_str_eq_cstr(head->method, "HEAD")) {
        return false;
    }
    arrival->front->status = 405;
    tb_http_reply(arrival->front->http, 405, headers, TB_COUNT(headers), TB_STR(""));
    return true;
}

static bool arrive_session(struct arrival *arrival, struct tb_front_req *front)
{
    enum tb_mcp_version version;
    return arrive(arrival, front) && !reply_post_only(arrival) && has_version(arrival, &version) &&
           has_session(arrival);
}

void tb_mcp_http_get(struct tb_front_req *front)
{
    TB_AUTO(arrival_fini) struct arrival arrival = {0};
    if (!arrive_session(&arrival, front)) {
        return;
    }
    struct tb_str last_id = header(front, "Last-Event-ID");
    if (last_id.len) {
        resume(&arrival, last_id);
        return;
    }
    struct tb_mcp_sse *sse = tb_mcp_session_standalone(arrival.session);
    if (sse->front) {
        refuse(&arrival, 409, -32600,
               "this MCP session already has an open event stream; close that one first");
    } else {
        tb_mcp_sse_open(sse, front, arrival.session->peer.version >= TB_MCP_2025_11_25);
    }
}

void tb_mcp_http_delete(struct tb_front_req *front)
{
    TB_AUTO(arrival_fini) struct arrival arrival = {0};
    if (!arrive_session(&arrival, front)) {
        return;
    }
    tb_mcp_session_end(arrival.session);
    front->status = 200;
    tb_http_reply(front->http, 200, NULL, 0, TB_STR(""));
}

void tb_mcp_http_gone(struct tb_front_req *front)
{
    struct tb_mcp_reader *reader = front->user;
    if (reader) {
        reader->gone(reader);
    }
}
