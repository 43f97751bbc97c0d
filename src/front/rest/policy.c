/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/policy.h"

#include "core/core.h"
#include "core/policies.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "proto/json_scan.h"

/* Whoever is not told of a tenant is told what else there is. */
static void finish(struct tb_act *act, int rc, const struct tb_err *err)
{
    if (rc < 0) {
        tb_reply_error(act->req, err->code, err->text);
    } else {
        tb_act_finish(act);
    }
}

/* What is scanned may be parsed: keys that are there twice are refused here. */
static int read_body(const struct tb_act *act, struct cJSON **ret_json, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 8, .token_max = 100000};
    struct tb_str body = tb_http_req_body(act->req->http);
    int rc = tb_json_scan(body, &limits, NULL, 0, err);
    if (rc < 0) {
        return rc;
    }
    *ret_json = tb_json_parse(body);
    return 0;
}

static void put(struct tb_act *act)
{
    struct tb_policies *policies = act->req->core->policies;
    const struct tb_principal *who = act->caller.who;
    struct tb_str tenant = tb_str_of(act->target);
    struct tb_err err;
    TB_AUTO(tb_json_free) struct cJSON *json = NULL;
    int rc = read_body(act, &json, &err);
    rc = rc < 0 ? rc : tb_policies_put(policies, who, tenant, json, &act->gate, &err);
    rc = rc < 0 ? rc : tb_policies_print(policies, who, tenant, &act->json, &err);
    finish(act, rc, &err);
}

static void get(struct tb_act *act)
{
    struct tb_err err;
    int rc = tb_policies_print(act->req->core->policies, act->caller.who, tb_str_of(act->target),
                               &act->json, &err);
    finish(act, rc, &err);
}

static void remove_policy(struct tb_act *act)
{
    struct tb_err err;
    int rc = tb_policies_remove(act->req->core->policies, act->caller.who, tb_str_of(act->target),
                                &act->gate, &err);
    if (rc == 0) {
        tb_act_put_only(act, "removed", act->target);
    }
    finish(act, rc, &err);
}

static void check(struct tb_act *act)
{
    struct tb_err err;
    TB_AUTO(tb_json_free) struct cJSON *json = NULL;
    int rc = read_body(act, &json, &err);
    if (rc == 0) {
        rc = tb_policies_try(act->req->core->policies, act->caller.who, tb_str_of(act->target),
                             tb_json_text(json, "url"), &act->json, &err);
    }
    finish(act, rc, &err);
}

void tb_rest_policy_get(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, get);
}

void tb_rest_policy_put(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, put);
}

void tb_rest_policy_remove(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, remove_policy);
}

void tb_rest_policy_check(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, check);
}
