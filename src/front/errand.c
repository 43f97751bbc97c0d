/* SPDX-License-Identifier: Apache-2.0 */
#include "front/errand.h"

#include <stdio.h>

#include "core/gate.h"
#include "core/limits.h"
#include "core/view.h"
#include "front/once.h"
#include "front/reply.h"
#include "io/timer.h"
#include "proto/json_scan.h"

struct errand {
    struct tb_front_req *req; /* NULL: the client has left */
    struct tb_call *call;     /* NULL: it is done */
    struct tb_once *once;     /* its answer is wanted though the client has left; NULL: it is not */
    tb_errand_fn *answer;
    struct tb_errand_reply reply;
    struct tb_gate gate; /* of the reply: until it is kept for whoever asks again */
    struct tb_timer patience;
};

int tb_errand_conversation(const struct tb_front_req *req,
                           char ret_conversation[TB_CONVERSATION_SIZE], struct tb_err *err)
{
    struct tb_str said = tb_http1_header(tb_http_req_head(req->http), "X-Conversation-Id");
    said = said.ptr ? tb_str_trim(said) : said;
    if (said.len >= TB_CONVERSATION_SIZE) {
        return tb_fail(err, TB_E_PARAMS, "X-Conversation-Id is too long");
    }
    snprintf(ret_conversation, TB_CONVERSATION_SIZE, "%.*s", TB_STR_ARG(said));
    return 0;
}

static void errand_free(struct errand *errand)
{
    tb_timer_fini(&errand->patience);
    tb_gate_fini(&errand->gate);
    tb_buf_fini(&errand->reply.body);
    tb_free(errand);
}

static void send(struct errand *errand)
{
    struct tb_front_req *req = errand->req;
    if (req) {
        req->user = NULL;
        tb_reply_text(req, errand->reply.status, errand->reply.type,
                      tb_buf_str(&errand->reply.body));
    }
    errand_free(errand);
}

static void on_open(struct tb_gate *gate)
{
    send(TB_CONTAINER(gate, struct errand, gate));
}

/* The disk does not answer: whoever asks again may not be told this answer. */
static void on_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    send(user);
}

static void on_done(struct tb_call *call, void *user)
{
    struct errand *errand = user;
    struct tb_errand_reply *reply = &errand->reply;
    errand->call = NULL;
    if (!errand->req && !errand->once) {
        errand_free(errand);
        return;
    }
    const struct tb_answer *answer = tb_call_answer(call, SIZE_MAX);
    errand->answer(answer, tb_call_result(call), reply);
    tb_once_answer(errand->once, answer->code, reply->status, reply->type, tb_buf_str(&reply->body),
                   &errand->gate);
    errand->once = NULL;
    if (errand->req && tb_gate_shut(&errand->gate)) {
        tb_timer_start(&errand->patience, TB_CALL_GRACE_MS);
    } else {
        send(errand);
    }
}

/* A tool of the build could not read all that a page's can: whose it is turns out later. */
static int read_args(struct tb_str text, struct tb_raw *ret_raw, struct tb_err *err)
{
    struct tb_json_limits limits = {.depth_max = TB_ARGS_TEXT_DEPTH,
                                    .number_max = TB_JSON_NUMBER_TREE,
                                    .token_max = TB_ARGS_TEXT_TOKENS};
    *ret_raw = (struct tb_raw){text, false};
    if (!text.len) {
        return 0;
    }
    int type = tb_json_scan(text, &limits, NULL, 0, err);
    if (type == TB_E_PARSE) {
        limits.any_escape = true;
        limits.number_max = 0;
        ret_raw->odd = true;
        type = tb_json_scan(text, &limits, NULL, 0, err);
    }
    if (type < 0 || type == TB_JSON_OBJECT) {
        return type < 0 ? type : 0;
    }
    return tb_fail(err, TB_E_PARAMS, "the body must be an object with the tool's arguments");
}

int tb_errand_begin(struct tb_front_req *req, const struct tb_errand_wish *wish, struct tb_err *err)
{
    struct tb_raw args;
    int rc = read_args(wish->args, &args, err);
    if (rc < 0) {
        return rc;
    }
    struct errand *errand = TB_NEW(struct errand);
    const struct tb_call_request request = {
        .name = wish->name,
        .entry = {.tool = wish->tool},
        .args = args,
        .session = wish->session,
        .trace = tb_http1_header(tb_http_req_head(req->http), "traceparent"),
        .caller = {.who = req->who,
                   .conversation = wish->conversation,
                   .view = wish->view,
                   .files = !wish->view || tb_view_can(wish->view, TB_OP_DOWNLOADS),
                   .brief = wish->view && wish->view->toolset->brief,
                   .whole = wish->whole},
        .done = on_done,
        .user = errand,
    };
    errand->req = req;
    errand->answer = wish->answer;
    errand->reply.status = 200;
    tb_buf_init(&errand->reply.body, SIZE_MAX); /* results have ceilings of their own */
    tb_gate_init(&errand->gate, on_open);
    tb_timer_init(&errand->patience, req->core->loop, on_late, errand);
    errand->once = tb_once_take(req);
    req->user = errand;
    errand->call = tb_call_start(req->core, &request);
    return 0;
}

void tb_errand_gone(struct tb_front_req *req)
{
    struct errand *errand = req->user;
    if (errand && !errand->call) {
        errand_free(errand); /* its answer is kept, or will be */
    } else if (errand) {
        errand->req = NULL;
        if (!errand->once) {
            tb_call_cancel(errand->call);
        }
    }
}
