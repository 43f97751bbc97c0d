/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/question.h"

#include <string.h>

#include "base/id.h"
#include "core/limits.h"
#include "front/mcp/input.h"
#include "front/mcp/methods.h"
#include "front/mcp/peer.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"

#define KEY "approval"

struct tb_mcp_question {
    struct tb_list link; /* of those whose call was left */
    struct tb_mcp *mcp;
    struct tb_mcp_req *req;
    uint8_t bound[TB_HASH_BYTES]; /* who calls what */
    uint8_t state[TB_HASH_BYTES]; /* of the requestState that was given out */
};

/* Whoever comes back must be the same caller, with the same call. */
static void bind_call(const struct tb_mcp_req *req, uint8_t ret_bound[TB_HASH_BYTES])
{
    const struct tb_jsonrpc *rpc = &req->message->rpc;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    tb_buf_printf(&text, "%s\n%s\n%s\n", req->peer->who->tenant, req->peer->who->key,
                  req->peer->view->toolset->name);
    tb_buf_append(&text, rpc->name.text.ptr, rpc->name.text.len);
    tb_buf_append_char(&text, '\n');
    tb_buf_append(&text, rpc->arguments.text.ptr, rpc->arguments.text.len);
    tb_token_hash(tb_buf_str(&text), ret_bound);
}

void tb_mcp_question_free(struct tb_mcp_question *question)
{
    if (question) {
        question->mcp->question_count -= question->link.next && !tb_list_empty(&question->link);
        tb_list_remove(&question->link);
        tb_free(question);
    }
}

void tb_mcp_questions_end(struct tb_mcp *mcp)
{
    while (tb_list_pop(&mcp->questions)) {
    }
}

/* Asking. */

/* {"message":...,"requestedSchema":...}: yes or no, which is what the answer's action says. */
static void print_params(const char *question, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "message", question);
    tb_json_member_raw(&json, "requestedSchema", TB_STR("{\"type\":\"object\",\"properties\":{}}"));
    tb_json_object_close(&json);
}

static bool is_yes(const struct cJSON *answer)
{
    return tb_str_eq_cstr(tb_json_text(answer, "action"), "accept");
}

/* A client that could not ask has not decided: others still may. */
static void on_legacy_answer(struct tb_mcp_req *req, const struct cJSON *result)
{
    if (result && req->call) {
        tb_call_answer_question(req->call, is_yes(result));
    }
}

static void ask_legacy(struct tb_call *call, const char *text, void *user)
{
    struct tb_mcp_req *req = user;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_MCP_RESULT_MAX);
    (void)call;
    if (!req->out) {
        return;
    }
    if (text) {
        print_params(text, &params);
        tb_mcp_ask(req, "elicitation/create", tb_buf_str(&params), on_legacy_answer);
    } else {
        tb_mcp_ask_withdraw(req);
    }
}

static void send_question(struct tb_mcp_req *req, const char *text, const char *state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_MCP_RESULT_MAX);
    struct tb_mcp_result result;
    print_params(text, &params);
    struct tb_json_writer *json = tb_mcp_result_open_input(&result, req);
    tb_json_key(json, "inputRequests");
    tb_json_object_open(json);
    tb_json_key(json, KEY);
    tb_json_object_open(json);
    tb_mcp_put_text(json, "method", "elicitation/create");
    tb_json_member_raw(json, "params", tb_buf_str(&params));
    tb_json_object_close(json);
    tb_json_object_close(json);
    tb_mcp_put_text(json, "requestState", state);
    tb_mcp_result_send(&result);
}

static void ask_modern(struct tb_call *call, const char *text, void *user)
{
    struct tb_mcp_req *req = user;
    struct tb_mcp *mcp = req->mcp;
    char state[TB_TOKEN_SIZE];
    if (!text || !req->out || mcp->question_count >= TB_MCP_QUESTIONS) {
        return; /* those who administer the tenant still decide */
    }
    tb_token_make(state);
    tb_token_hash(tb_str_of(state), req->question->state);
    req->question->req = req;
    tb_list_append(&mcp->questions, &req->question->link);
    mcp->question_count++;
    tb_call_leave(call);
    send_question(req, text, state);
}

tb_call_ask_fn *tb_mcp_question_way(struct tb_mcp_req *req)
{
    if (!tb_mcp_req_client_can(req, "elicitation")) {
        return NULL;
    }
    if (!tb_mcp_req_is_modern(req)) {
        return req->out->answer_only ? NULL : ask_legacy;
    }
    req->question = TB_NEW(struct tb_mcp_question);
    req->question->mcp = req->mcp;
    bind_call(req, req->question->bound);
    return ask_modern;
}

/* Coming back. */

static struct tb_mcp_question *find(const struct tb_mcp_req *req, struct tb_str state)
{
    uint8_t bound[TB_HASH_BYTES];
    uint8_t hash[TB_HASH_BYTES];
    bind_call(req, bound);
    tb_token_hash(state, hash);
    LIST_FOREACH(link, &req->mcp->questions) {
        struct tb_mcp_question *question = TB_CONTAINER(link, struct tb_mcp_question, link);
        if (tb_hash_eq(hash, question->state) && tb_hash_eq(bound, question->bound)) {
            return question;
        }
    }
    return NULL;
}

/* The request that was answered with the question gives its call to this one. */
static struct tb_call *take_over(struct tb_mcp_req *req, struct tb_mcp_question *question)
{
    struct tb_mcp_req *left = question->req;
    struct tb_call *call = left->call;
    tb_list_remove(&question->link);
    req->mcp->question_count--;
    req->question = question;
    req->call = call;
    req->call_done = left->call_done;
    left->question = NULL;
    left->call = NULL;
    tb_mcp_req_free(left);
    return call;
}

bool tb_mcp_question_resume(struct tb_mcp_req *req)
{
    static const char member[] = "\"requestState\"";
    struct tb_str params = req->message->rpc.params.text;
    struct tb_str state;
    if (!tb_mcp_req_is_modern(req) || !memmem(params.ptr, params.len, member, strlen(member)) ||
        !tb_json_str(tb_json_get(tb_mcp_req_params(req), "requestState"), &state)) {
        return false;
    }
    struct tb_mcp_question *question = find(req, state);
    if (!question) {
        tb_mcp_req_fail(req, -32602,
                        "requestState names no question of this call that is still open; make the "
                        "call again without it");
        return true;
    }
    struct tb_call *call = take_over(req, question);
    const struct cJSON *answer = tb_mcp_input_response(req, KEY);
    bool answered = answer != NULL;
    bool yes = is_yes(answer);
    tb_mcp_req_wait(req, NULL, NULL);                      /* the answer is gone */
    tb_call_return(call, tb_mcp_tools_progress(req), req); /* which asks again */
    if (answered) {
        tb_call_answer_question(call, yes);
    }
    return true;
}
