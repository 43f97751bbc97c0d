/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "core/resolve.h"
#include "front/mcp/peer.h"
#include "front/mcp/question.h"
#include "front/mcp/server.h"
#include "io/timer.h"

enum {
    ERROR_MAX = 64 * TB_KIB,
};

bool tb_mcp_req_is_modern(const struct tb_mcp_req *req)
{
    return tb_mcp_version_era(req->version) == TB_MCP_MODERN;
}

struct tb_caller tb_mcp_req_caller(const struct tb_mcp_req *req)
{
    return (struct tb_caller){.who = req->peer->who,
                              .conversation = req->conversation,
                              .view = req->peer->view,
                              .passing = req->passing,
                              .session = req->session,
                              .chooses = req->chooses};
}

void tb_mcp_req_free(struct tb_mcp_req *req)
{
    tb_json_free(req->params);
    tb_mcp_question_free(req->question);
    tb_free(req->uri);
    tb_free(req->odd);
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
        tb_mcp_req_free(req);
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

/* Without a mode it means forms, which is what we ask by. */
static bool has(const struct cJSON *declared, const char *name)
{
    const struct cJSON *capability = tb_json_get(declared, name);
    return capability && (!tb_json_get(capability, "url") || tb_json_get(capability, "form"));
}

unsigned tb_mcp_capabilities(const struct cJSON *declared)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < TB_COUNT(capability_names); i++) {
        bits |= has(declared, capability_names[i]) ? 1U << i : 0;
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

/* For all sessions. */
struct await {
    struct tb_resolve_ask ask;
    struct tb_timer deadline;
    struct tb_mcp_req *req;
    tb_mcp_await_fn *fn;
    struct tb_str text; /* in the same block of memory */
};

static void await_free(void *own)
{
    struct await *await = own;
    tb_resolve_cancel(&await->ask);
    tb_timer_fini(&await->deadline);
    tb_free(await);
}

static void on_sessions(struct tb_resolve_ask *ask, const struct tb_place *place,
                        const struct tb_err *err)
{
    struct await *await = TB_CONTAINER(ask, struct await, ask);
    (void)place;
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
    if (!tb_principal_may(req->peer->who, TB_SCOPE_OBSERVE)) {
        tb_mcp_req_fail(req, tb_err_info(TB_E_SCOPE)->rpc_code,
                        "this needs the scope 'observe', which this key does not have");
        return;
    }
    struct await *await = tb_zalloc(sizeof(*await) + text.len);
    await->ask = (struct tb_resolve_ask){.flags = TB_RESOLVE_NONE, .fn = on_sessions};
    await->req = req;
    await->fn = fn;
    await->text = (struct tb_str){(const char *)(await + 1), text.len};
    if (text.len) {
        memcpy(await + 1, text.ptr, text.len);
    }
    tb_timer_init(&await->deadline, core->loop, on_sessions_late, await);
    tb_timer_start(&await->deadline, core->config->browser_timeout_ms + TB_CALL_GRACE_MS);
    tb_mcp_req_wait(req, await, await_free);
    struct tb_place place;
    if (tb_resolve(core->sessions, &await->ask, &place, NULL) == 0) {
        on_sessions(&await->ask, &place, NULL);
    }
}
