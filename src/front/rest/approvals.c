/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/approvals.h"

#include "core/approvals.h"
#include "core/core.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "proto/json_scan.h"

static void list(struct tb_act *act)
{
    tb_approvals_list(act->req->core->approvals, act->caller.who, &act->json);
    tb_act_finish(act);
}

static int read_answer(const struct tb_act *act, bool *ret_approve, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 2, .token_max = 8};
    struct tb_json_want want = {.key = "approve"};
    int rc = tb_json_scan(tb_http_req_body(act->req->http), &limits, &want, 1, err);
    *ret_approve = tb_str_eq_cstr(want.value.text, "true");
    if (rc >= 0 && !*ret_approve && !tb_str_eq_cstr(want.value.text, "false")) {
        return tb_fail(err, TB_E_PARAMS, "the body must be {\"approve\": true} or false");
    }
    return rc < 0 ? rc : 0;
}

static void decide(struct tb_act *act)
{
    bool approve;
    struct tb_err err;
    int rc =
        tb_approvals_find(act->req->core->approvals, act->caller.who, tb_str_of(act->target), &err);
    rc = rc < 0 ? rc : read_answer(act, &approve, &err);
    if (rc == 0) {
        rc = tb_approvals_decide(act->req->core->approvals, act->caller.who, tb_str_of(act->target),
                                 approve, &err);
    }
    if (rc < 0) {
        tb_reply_error_hint(act->req, err.code, err.text,
                            "GET /api/approvals lists what waits for approval.");
        return;
    }
    tb_act_put_only(act, approve ? "approved" : "refused", act->target);
    tb_act_finish(act);
}

void tb_rest_approvals_list(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, list);
}

void tb_rest_approvals_decide(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, decide);
}
