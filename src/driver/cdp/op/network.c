/* SPDX-License-Identifier: Apache-2.0 */
/* The first use lets the browser tell of requests; those before it are not known. A single request
 * is shown with its body, which the browser keeps for a while: BODY --> done. */
#include "core/args.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "proto/json_string.h"

enum {
    LIMIT = 50,
    PARAMS_MAX = 512,
};

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    if (tb_str_eq_cstr(tb_cdp_pick(value, "base64Encoded"), "false")) {
        tb_json_string_decode(tb_cdp_pick(value, "body"), &work->op->result->text);
    }
    tb_cdp_work_done(work);
}

/* A request without a body, or one that the browser has forgotten, is still worth telling. */
static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (err->code != TB_E_PROTOCOL && err->code != TB_E_NOT_FOUND && err->code != TB_E_TOO_LARGE) {
        return false;
    }
    tb_cdp_work_done(work);
    return true;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work),
                                             .in_dialog = true,
                                             .step = step,
                                             .failed = failed};

static void show_one(struct tb_cdp_work *work)
{
    struct tb_str id = tb_args_text(work->op->args, "id", "");
    const char *request_id;
    const char *session_id;
    struct cJSON *request =
        tb_cdp_net_log_get(&work->session->journal.net, id, &request_id, &session_id);
    if (!request) {
        tb_cdp_work_fail(work, TB_E_NOT_FOUND, "there is no request %.*s",
                         TB_STR_ARG(tb_str_sub(id, 0, 40)));
        return;
    }
    tb_json_set_take(work->op->result->data, "request", request);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "requestId", request_id);
    tb_json_object_close(&json);
    tb_cdp_work_send_to(work, session_id, "Network.getResponseBody", tb_buf_str(&params));
}

void tb_cdp_op_network(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work) {
        return;
    }
    struct tb_cdp_journal *journal = &session->journal;
    if (tb_args_has(op->args, "id")) {
        show_one(work);
        return;
    }
    struct tb_cdp_net_filter filter = {
        .find = tb_args_text(op->args, "find", ""),
        .type = tb_args_text(op->args, "type", ""),
        .failed = tb_args_flag(op->args, "failed", false),
        .limit = (size_t)tb_args_int(op->args, "limit", LIMIT),
    };
    struct cJSON *requests = tb_json_new_array();
    size_t total = tb_cdp_net_log_list(&journal->net, &filter, requests);
    tb_json_set_take(op->result->data, "requests", requests);
    tb_json_set_int(op->result->data, "total", (int64_t)total);
    if (tb_args_flag(op->args, "clear", false)) {
        tb_cdp_net_log_clear(&journal->net);
    }
    if (journal->net_on) {
        tb_cdp_work_done(work);
        return;
    }
    tb_json_set_bool(op->result->data, "begins", true);
    /* Answered, it holds for the documents that come, too. */
    tb_cdp_journal_watch_net(session);
    tb_cdp_work_send(work, "Network.enable", (struct tb_str){NULL, 0});
}
