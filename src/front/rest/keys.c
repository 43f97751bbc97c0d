/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/keys.h"

#include "core/core.h"
#include "core/keys.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "front/rest/key_wish.h"

static void create(struct tb_act *act)
{
    const struct tb_principal *who = act->caller.who;
    TB_AUTO(tb_key_wish_fini) struct tb_key_wish wish = {0};
    struct tb_err err;
    tb_key_wish_init(&wish, who->tenant, tb_clock_wall_ms(act->req->core->clock));
    int rc = tb_key_wish_read(&wish, tb_http_req_body(act->req->http), &err);
    if (rc == 0) {
        rc = tb_keys_create(act->req->core->keys, who, &wish.spec, &act->gate, &act->json, &err);
    }
    if (rc < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    act->status = 201;
    tb_act_finish(act);
}

static void list(struct tb_act *act)
{
    tb_keys_list(act->req->core->keys, act->caller.who, &act->json);
    tb_act_finish(act);
}

static void revoke(struct tb_act *act)
{
    struct tb_err err;
    if (tb_keys_revoke(act->req->core->keys, act->caller.who, tb_str_of(act->target), &act->gate,
                       &err) < 0) {
        tb_reply_error_hint(act->req, err.code, err.text, "GET /api/keys lists the keys.");
        return;
    }
    tb_act_put_only(act, "revoked", act->target);
    tb_act_finish(act);
}

void tb_rest_keys_create(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, create);
}

void tb_rest_keys_list(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, list);
}

void tb_rest_keys_revoke(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, revoke);
}
