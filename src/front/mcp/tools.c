/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "core/limits.h"
#include "core/resolve.h"
#include "core/view.h"
#include "front/mcp/content.h"
#include "front/mcp/methods.h"
#include "front/mcp/peer.h"
#include "front/mcp/question.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"
#include "front/mcp/subscriptions.h"
#include "proto/json_string.h"

enum {
    META_MAX = 2 * TB_KIB,
    ODD_MAX = 16 * TB_KIB,
};

void tb_mcp_tools_list(struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf scratch = TB_BUF(TB_MCP_RESULT_MAX);
    struct tb_mcp_result result;
    if (!tb_mcp_req_without_cursor(req)) {
        return;
    }
    const struct tb_core *core = req->mcp->core;
    const struct tb_caller caller = tb_mcp_req_caller(req);
    const struct tb_session *session = tb_resolve_meant(core->sessions, &caller);
    struct tb_str list = tb_mcp_catalog_list(&req->mcp->catalog, core, &caller);
    bool longer = tb_mcp_catalog_add_brought(core, &caller, session, list, &scratch);
    /* Also where no page brings a tool now: the next list may have some. */
    req->shaped =
        req->mcp->brings || !tb_principal_may(caller.who, TB_SCOPE_OBSERVE | TB_SCOPE_ACT);
    tb_mcp_tools_listed(req);
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_json_member_raw(json, "tools", longer ? tb_buf_str(&scratch) : list);
    tb_mcp_result_send(&result);
}

/* Results. */

/* {"sessionId":...,"sessionType":...}, without its braces. */
static void put_session(struct tb_json_writer *json, const char *name, enum tb_session_kind kind)
{
    tb_mcp_put_text(json, "sessionId", name);
    tb_mcp_put_text(json, "sessionType", tb_session_kind_name(kind));
}

static void print_session_meta(struct tb_buf *out, const char *name, enum tb_session_kind kind)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_key(&json, "tabard/session");
    tb_json_object_open(&json);
    put_session(&json, name, kind);
    tb_json_object_close(&json);
}

static void send_answer(struct tb_mcp_req *req, const struct tb_answer *answer)
{
    TB_AUTO(tb_buf_fini) struct tb_buf meta = TB_BUF(META_MAX);
    struct tb_mcp_result result;
    struct tb_json_writer *json = tb_mcp_result_open(&result, req);
    tb_mcp_put_answer(json, answer);
    if (answer->session) {
        put_session(json, answer->session, answer->kind);
        print_session_meta(&meta, answer->session, answer->kind);
        result.meta = tb_buf_str(&meta);
    }
    tb_mcp_result_send(&result);
}

/* Only a tool of a page could have read it, and this is none. */
static void refuse_odd(struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(ODD_MAX);
    tb_jsonrpc_write_error(req->id, tb_err_info(req->odd->code)->rpc_code,
                           tb_str_of(req->odd->text), TB_STR(""), &message);
    tb_mcp_req_answer(req, 400, &message);
}

static void on_called(struct tb_mcp_req *req, struct tb_call *call)
{
    const struct tb_answer *answer = tb_call_answer(call, TB_MCP_RESULT_MAX);
    if (req->odd && (answer->code == TB_E_UNKNOWN_TOOL || answer->code == TB_E_PARSE)) {
        refuse_odd(req);
    } else if (answer->code == TB_E_UNKNOWN_TOOL) {
        tb_mcp_req_fail(req, -32602, "%s", answer->message);
    } else {
        send_answer(req, answer);
    }
}

/* Calls. */

static void on_done(struct tb_call *call, void *user)
{
    struct tb_mcp_req *req = user;
    req->call = NULL;
    if (req->out) {
        tb_mcp_call_ended(req);
        req->call_done(req, call);
    } else {
        tb_mcp_req_free(req);
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

tb_call_progress_fn *tb_mcp_tools_progress(const struct tb_mcp_req *req)
{
    return req->progress_token.len ? on_progress : NULL;
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

/* What the message says counts before what the transport does. */
static struct tb_str trace_of(const struct tb_mcp_req *req)
{
    const struct tb_mcp_message *message = req->message;
    struct tb_json_value said = message ? message->envelope.trace : (struct tb_json_value){0};
    if (said.type == TB_JSON_STRING) {
        return tb_str_sub(said.text, 1, said.text.len - 1); /* a valid one has nothing escaped */
    }
    return message ? message->trace : TB_STR("");
}

void tb_mcp_tools_start(struct tb_mcp_req *req, const struct tb_call_request *what,
                        void (*done)(struct tb_mcp_req *req, struct tb_call *call))
{
    char agent[TB_AGENT_SIZE];
    struct tb_view *view = req->peer->view;
    struct tb_call_request request = *what;
    take_agent(req, agent);
    request.caller = tb_mcp_req_caller(req);
    request.caller.agent = agent;
    request.caller.files = tb_view_can(view, TB_OP_DOWNLOADS);
    request.caller.brief = view->toolset->brief;
    request.caller.noteless = what->caller.noteless;
    request.request_id = req->id;
    request.trace = trace_of(req);
    request.done = on_done;
    request.progress = tb_mcp_tools_progress(req);
    request.user = req;
    req->call_done = done;
    req->call = tb_call_start(req->mcp->core, &request); /* which copies what it needs */
    tb_mcp_req_wait(req, NULL, NULL);
}

static void call_native(struct tb_mcp_req *req, const struct cJSON *args)
{
    const struct tb_mcp_native *native = req->native;
    if (native->capability && tb_mcp_req_is_modern(req) &&
        !tb_mcp_req_client_can(req, native->capability)) {
        char data[128];
        snprintf(data, sizeof(data), "{\"requiredCapabilities\":{\"%s\":{}}}", native->capability);
        tb_mcp_req_fail_data(req, TB_MCP_MISSING_CAPABILITY,
                             "the client has not declared a capability that this tool needs", data);
        return;
    }
    if (native->fixed) {
        struct tb_mcp_result result;
        tb_json_put_raw(tb_mcp_result_open(&result, req), tb_str_of(native->fixed));
        tb_mcp_result_send(&result);
        return;
    }
    native->run(req, args);
}

void tb_mcp_tools_call(struct tb_mcp_req *req)
{
    const struct tb_jsonrpc *rpc = &req->message->rpc;
    const struct tb_json_value *args = &rpc->arguments;
    /* As long as the message at most. */
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(SIZE_MAX);
    if (rpc->name.type != TB_JSON_STRING || tb_json_string_decode(rpc->name.text, &name) < 0) {
        tb_mcp_req_fail(req, -32602, "params.name must be the name of a tool");
        return;
    }
    /* Some clients send null for nothing. */
    bool none = args->type == TB_JSON_ABSENT || args->type == TB_JSON_NULL;
    if (!none && args->type != TB_JSON_OBJECT) {
        tb_mcp_req_fail(req, -32602, "params.arguments must be an object");
        return;
    }
    if (req->message->odd.code < 0) {
        req->odd = TB_NEW(struct tb_err);
        *req->odd = req->message->odd;
    }
    req->native = tb_mcp_catalog_native(&req->mcp->catalog, tb_buf_str(&name));
    if (req->native && req->odd) {
        refuse_odd(req);
        return;
    }
    if (req->native) {
        call_native(req, none ? NULL : tb_json_get(tb_mcp_req_params(req), "arguments"));
        return;
    }
    if (tb_mcp_question_resume(req)) {
        return;
    }
    const struct tb_call_request request = {
        .name = tb_buf_str(&name),
        .ask = tb_mcp_question_way(req),
        .args = {none ? TB_STR("") : args->text, req->odd != NULL},
    };
    tb_mcp_tools_start(req, &request, on_called);
}
