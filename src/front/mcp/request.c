/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "io/timer.h"
#include "proto/json_string.h"

enum {
    ERROR_MAX = 64 * TB_KIB,
    TOKEN_MAX = TB_KIB, /* of a progressToken, as written */
};

bool tb_mcp_req_is_modern(const struct tb_mcp_req *req)
{
    return tb_mcp_version_era(req->version) == TB_MCP_MODERN;
}

static void req_free(struct tb_mcp_req *req)
{
    tb_json_free(req->params);
    tb_json_free(req->args);
    tb_free(req->uri);
    tb_free(req);
}

/* Nobody waits any more. What a call has to say later is not heard. */
static void leave(struct tb_mcp_req *req)
{
    tb_mcp_ask_forget(req);
    tb_list_remove(&req->link);
    req->peer->request_count--;
    req->peer = NULL;
    req->out = NULL;
    if (req->own_free) {
        req->own_free(req->own);
    }
    req->own = NULL;
    if (!req->call) {
        req_free(req);
    }
}

void tb_mcp_req_cancel(struct tb_mcp_req *req)
{
    struct tb_mcp_out *out = req->out;
    struct tb_call *call = req->call;
    leave(req);
    if (call) {
        tb_call_cancel(call);
    }
    out->ops->drop(out);
}

void tb_mcp_req_abort(struct tb_mcp_req *req, int code, const char *text)
{
    struct tb_call *call = req->call;
    tb_mcp_req_fail(req, code, "%s", text);
    if (call) {
        tb_call_cancel(call);
    }
}

void tb_mcp_req_answer(struct tb_mcp_req *req, int status, struct tb_buf *message)
{
    struct tb_mcp_out *out = req->out;
    leave(req);
    out->ops->answer(out, status, message);
}

static void answer_error(struct tb_mcp_out *out, struct tb_str id, int status, int code,
                         const char *text, const char *data)
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(ERROR_MAX);
    tb_jsonrpc_write_error(id, code, tb_str_of(text), tb_str_of(data), &message);
    out->ops->answer(out, status, &message);
}

void tb_mcp_out_fault(struct tb_mcp_out *out, struct tb_str id, const struct tb_mcp_fault *fault)
{
    answer_error(out, id, fault->status, fault->code, fault->text, fault->data);
}

/* Errors that a method finds are in-band; only these have a status of their own, and only in the
 * modern era. */
static int error_status(const struct tb_mcp_req *req, int code)
{
    if (!tb_mcp_req_is_modern(req)) {
        return 200;
    }
    return code == -32601 ? 404 : code == TB_MCP_MISSING_CAPABILITY ? 400 : 200;
}

void tb_mcp_req_fail_data(struct tb_mcp_req *req, int code, const char *text, const char *data)
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(ERROR_MAX);
    tb_jsonrpc_write_error(req->id, code, tb_str_of(text), tb_str_of(data), &message);
    tb_mcp_req_answer(req, error_status(req, code), &message);
}

void tb_mcp_req_fail(struct tb_mcp_req *req, int code, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    tb_mcp_req_fail_data(req, code, text, NULL);
}

const struct cJSON *tb_mcp_req_params(struct tb_mcp_req *req)
{
    if (!req->params && req->message && req->message->rpc.params.type == TB_JSON_OBJECT) {
        req->params = tb_json_parse(req->message->rpc.params.text);
    }
    return req->params;
}

/* Those of a client that we ask for; a bit each. */
static const char *const capability_names[] = {"elicitation", "roots", "sampling"};

unsigned tb_mcp_capabilities(const struct cJSON *declared)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < TB_COUNT(capability_names); i++) {
        bits |= tb_json_get(declared, capability_names[i]) ? 1U << i : 0;
    }
    return bits;
}

bool tb_mcp_req_client_can(struct tb_mcp_req *req, const char *capability)
{
    if (tb_mcp_req_is_modern(req) && req->message) {
        TB_AUTO(tb_json_free)
        struct cJSON *declared = tb_json_parse(req->message->envelope.capabilities.text);
        req->capabilities = tb_mcp_capabilities(declared);
    }
    unsigned bits = tb_mcp_req_is_modern(req) ? req->capabilities : req->peer->capabilities;
    for (unsigned i = 0; i < TB_COUNT(capability_names); i++) {
        if (strcmp(capability_names[i], capability) == 0) {
            return bits >> i & 1;
        }
    }
    return false;
}

/* Starting. */

static struct tb_str copy(char **room, struct tb_str text)
{
    char *to = *room;
    if (text.len) {
        memcpy(to, text.ptr, text.len);
    }
    *room += text.len;
    return (struct tb_str){to, text.len};
}

/* The request and its texts are one block of memory. */
static struct tb_mcp_req *req_new(struct tb_mcp_peer *peer, const struct tb_mcp_message *message,
                                  struct tb_mcp_out *out)
{
    struct tb_str id = message->rpc.id.text;
    struct tb_str token = message->envelope.progress_token.text;
    struct tb_mcp_req *req = tb_zalloc(sizeof(*req) + id.len + token.len);
    char *room = (char *)(req + 1);
    req->mcp = peer->mcp;
    req->peer = peer;
    req->out = out;
    req->message = message;
    req->version = message->version;
    req->id = copy(&room, id);
    req->progress_token = copy(&room, token);
    req->progress = -1;
    req->log_level = -1;
    tb_list_append(&peer->requests, &req->link);
    peer->request_count++;
    return req;
}

/* Who is meant, in this order: the message, the transport's header, the peer itself. */
static int take_conversation(struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf said = TB_BUF(TB_CONVERSATION_SIZE - 1);
    struct tb_json_value meta = req->message->envelope.conversation;
    struct tb_str name = req->message->conversation;
    if (meta.type != TB_JSON_ABSENT) {
        if (meta.type != TB_JSON_STRING || tb_json_string_decode(meta.text, &said) < 0) {
            return -1;
        }
        name = tb_buf_str(&said);
    }
    if (name.len >= TB_CONVERSATION_SIZE) {
        return -1;
    }
    req->passing = !name.len && req->peer->passing;
    name = name.len ? name : tb_str_of(req->peer->conversation);
    memcpy(req->conversation, name.ptr, name.len); /* the rest is zero */
    return 0;
}

static int take_log_level(struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(32);
    struct tb_json_value wanted = req->message->envelope.log_level;
    if (!tb_mcp_req_is_modern(req)) {
        req->log_level = req->peer->log_level;
        return 0;
    }
    if (wanted.type == TB_JSON_ABSENT) {
        return 0;
    }
    if (wanted.type == TB_JSON_STRING && tb_json_string_decode(wanted.text, &name) == 0) {
        req->log_level = tb_mcp_log_level(tb_buf_str(&name));
    }
    return req->log_level;
}

static bool token_ok(const struct tb_mcp_req *req)
{
    enum tb_json_type type = req->message->envelope.progress_token.type;
    bool known = type == TB_JSON_ABSENT || type == TB_JSON_STRING || type == TB_JSON_NUMBER;
    return known && req->progress_token.len <= TOKEN_MAX;
}

static void refuse_method(struct tb_mcp_req *req, struct tb_str raw)
{
    TB_AUTO(tb_buf_fini) struct tb_buf method = TB_BUF(TB_JSONRPC_METHOD_MAX);
    struct tb_quoted shown;
    tb_json_string_decode(raw, &method);
    tb_mcp_req_fail(req, -32601, "unknown method %s in this protocol version",
                    tb_quoted(&shown, tb_buf_str(&method), 0));
}

void tb_mcp_req_start(struct tb_mcp_peer *peer, const struct tb_mcp_message *message,
                      struct tb_mcp_out *out)
{
    struct tb_mcp_req *req = req_new(peer, message, out);
    req->method = tb_mcp_method_find(&message->rpc);
    if (!req->method || !(req->method->eras & tb_mcp_version_era(req->version))) {
        refuse_method(req, message->rpc.method.text);
    } else if (peer->request_count > TB_MCP_REQUESTS) {
        tb_mcp_req_fail(req, tb_err_info(TB_E_BUSY)->rpc_code,
                        "too many requests are in progress; wait for one to finish");
    } else if (take_conversation(req) < 0) {
        tb_mcp_req_fail(req, -32602, "the conversation name must be a string of at most %d bytes",
                        TB_CONVERSATION_SIZE - 1);
    } else if (take_log_level(req) < 0) {
        tb_mcp_req_fail(
            req, -32602,
            "unknown log level; use one of debug, info, notice, warning, error, critical, alert, emergency");
    } else if (!token_ok(req)) {
        tb_mcp_req_fail(req, -32602,
                        "progressToken must be a string or a number of at most %d bytes",
                        TOKEN_MAX);
    } else {
        req->method->run(req);
    }
}

/* Waiting. */

/* The message lives only as long as `run`; a tree of it would be held for as long as a peer likes.
 */
static void forget_message(struct tb_mcp_req *req)
{
    req->message = NULL;
    tb_json_free(req->params);
    req->params = NULL;
}

void tb_mcp_req_wait(struct tb_mcp_req *req, void *own, void (*own_free)(void *own))
{
    forget_message(req);
    req->own = own;
    req->own_free = own_free;
}

/* For the stored sessions. */
struct await {
    struct tb_sessions_wait wait;
    struct tb_timer deadline;
    struct tb_mcp_req *req;
    tb_mcp_await_fn *fn;
    struct tb_str text; /* in the same block of memory */
};

static void await_free(void *own)
{
    struct await *await = own;
    tb_list_remove(&await->wait.link);
    tb_timer_fini(&await->deadline);
    tb_free(await);
}

static void on_sessions(struct tb_sessions_wait *wait, const struct tb_err *err)
{
    struct await *await = TB_CONTAINER(wait, struct await, wait);
    if (err) {
        tb_mcp_req_fail(await->req, tb_err_info(err->code)->rpc_code, "%s", err->text);
    } else {
        await->fn(await->req, await->text);
    }
}

static void on_sessions_late(struct tb_timer *timer, void *user)
{
    struct await *await = user;
    (void)timer;
    tb_mcp_req_fail(await->req, tb_err_info(TB_E_STORE)->rpc_code, "the store does not answer");
}

void tb_mcp_req_await_sessions(struct tb_mcp_req *req, struct tb_str text, tb_mcp_await_fn *fn)
{
    const struct tb_core *core = req->mcp->core;
    struct await *await = tb_zalloc(sizeof(*await) + text.len);
    char *room = (char *)(await + 1);
    await->wait.fn = on_sessions;
    await->req = req;
    await->fn = fn;
    await->text = copy(&room, text);
    tb_list_init(&await->wait.link);
    tb_timer_init(&await->deadline, core->loop, on_sessions_late, await);
    tb_timer_start(&await->deadline, core->config->browser_timeout_ms + TB_CALL_GRACE_MS);
    tb_mcp_req_wait(req, await, await_free);
    tb_sessions_wait(core->sessions, &await->wait);
}

static void on_done(struct tb_call *call, void *user)
{
    struct tb_mcp_req *req = user;
    req->call = NULL;
    if (req->out) {
        req->call_done(req, call);
    } else {
        req_free(req);
    }
}

static void on_progress(struct tb_call *call, double done, double total, const char *message,
                        void *user)
{
    struct tb_mcp_req *req = user;
    (void)call;
    if (!req->out) {
        return;
    }
    /* A driver may report more often than anybody wants to read. */
    int64_t since_ms = tb_loop_now_ms(req->mcp->core->loop) - req->progress_ms;
    if (req->progress < 0 || since_ms >= TB_MCP_PROGRESS_MS) {
        tb_mcp_req_progress(req, done, total, message);
    }
}

/* A modern client may introduce itself in each request. */
static void take_agent(const struct tb_mcp_req *req, char ret_agent[TB_AGENT_SIZE])
{
    if (!tb_mcp_req_is_modern(req)) {
        snprintf(ret_agent, TB_AGENT_SIZE, "%s", req->peer->agent);
        return;
    }
    struct tb_str said = req->message ? req->message->envelope.client_info.text : TB_STR("");
    TB_AUTO(tb_json_free) struct cJSON *info = tb_json_parse(said);
    tb_mcp_agent_name(info, ret_agent);
}

void tb_mcp_req_call(struct tb_mcp_req *req, const struct tb_tool *tool, const struct cJSON *args,
                     void (*done)(struct tb_mcp_req *req, struct tb_call *call))
{
    char agent[TB_AGENT_SIZE];
    take_agent(req, agent);
    const struct tb_call_request request = {
        .tool = tool,
        .args = args,
        .caller = {.who = req->peer->who,
                   .conversation = req->conversation,
                   .passing = req->passing,
                   .agent = agent,
                   .files = tb_view_can(req->peer->view, TB_OP_DOWNLOADS),
                   .brief = req->peer->view->toolset->brief,
                   .view = req->peer->view},
        .done = on_done,
        .progress = req->progress_token.len ? on_progress : NULL,
        .user = req,
    };
    req->call_done = done;
    req->call = tb_call_start(req->mcp->core, &request); /* with a copy of the arguments */
    tb_mcp_req_wait(req, NULL, NULL);
}
