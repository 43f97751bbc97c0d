/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/secrets.h"

#include "base/mem.h"
#include "core/core.h"
#include "core/secrets.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

static const struct {
    const char *name;
    enum tb_json_type type;
    bool needed;
} members[] = {
    {"value", TB_JSON_STRING, true},
    {"domains", TB_JSON_ARRAY, true},
    {"totp", TB_JSON_BOOL, false},
    {"replace", TB_JSON_BOOL, false},
};

static bool is_member(struct tb_str key)
{
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        if (tb_json_string_eq(key, tb_str_of(members[i].name))) {
            return true;
        }
    }
    return false;
}

/* The words repeat nothing of the body: it is a secret. */
static int check_body(struct tb_str body, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 2, .token_max = 64};
    struct tb_json_want wants[TB_COUNT(members)] = {{0}};
    struct tb_json_item item;
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        wants[i].key = members[i].name;
    }
    bool good = tb_json_scan(body, &limits, wants, TB_COUNT(wants), NULL) == TB_JSON_OBJECT;
    for (size_t i = 0; good && i < TB_COUNT(members); i++) {
        bool absent = wants[i].value.type == TB_JSON_ABSENT;
        good = absent ? !members[i].needed : wants[i].value.type == members[i].type;
    }
    struct tb_json_iter iter = tb_json_iter_of(body);
    while (good && tb_json_iter_next(&iter, &item)) {
        good = is_member(item.key);
    }
    return good ? 0
                : tb_fail(err, TB_E_PARAMS,
                          "the body must be {\"value\": text, \"domains\": [text, ...]}, with "
                          "\"totp\": true for the seed of one-time codes and \"replace\": true "
                          "to put one in the place of a password, or a password in its place");
}

static struct tb_secret_change change_of(struct tb_act *act)
{
    const struct tb_principal *who = act->caller.who;
    return (struct tb_secret_change){.tenant = who->tenant,
                                     .name = tb_str_of(act->target),
                                     .agent = tb_principal_name(who),
                                     .gate = &act->gate};
}

static void set(struct tb_act *act)
{
    struct tb_str body = tb_http_req_body(act->req->http);
    struct tb_secret_change change = change_of(act);
    struct tb_err err;
    int rc = check_body(body, &err);
    TB_AUTO(tb_secret_wipe) struct cJSON *spec = rc < 0 ? NULL : tb_json_parse(body);
    if (rc == 0) {
        rc = tb_secrets_set(act->req->core->secrets, &change, spec, &err);
    }
    if (rc < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    tb_act_put_only(act, "set", act->target);
    tb_act_finish(act);
}

static void list(struct tb_act *act)
{
    tb_json_object_open(&act->json);
    tb_json_key(&act->json, "secrets");
    tb_secrets_list(act->req->core->secrets, act->caller.who->tenant, &act->json);
    tb_json_object_close(&act->json);
    tb_act_finish(act);
}

static void drop(struct tb_act *act)
{
    struct tb_secret_change change = change_of(act);
    struct tb_err err;
    if (tb_secrets_remove(act->req->core->secrets, &change, &err) < 0) {
        tb_reply_error_hint(act->req, err.code, err.text, "GET /api/secrets lists the secrets.");
        return;
    }
    tb_act_put_only(act, "removed", act->target);
    tb_act_finish(act);
}

void tb_rest_secrets_list(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, list);
}

void tb_rest_secrets_set(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, set);
}

void tb_rest_secrets_remove(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, drop);
}
