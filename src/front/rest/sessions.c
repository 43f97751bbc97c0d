/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/sessions.h"

#include <inttypes.h>

#include "base/json.h"
#include "base/quote.h"
#include "core/args.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/sessions.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"

/* Without a word about which, it is the list that agents get. */
static void list_sessions(struct tb_act *act)
{
    struct tb_sessions *sessions = act->req->core->sessions;
    const struct tb_sessions_wish wish = {.kind = tb_args_text(act->query, "kind", ""),
                                          .state = tb_args_text(act->query, "state", ""),
                                          .after = tb_args_text(act->query, "after", ""),
                                          .limit = tb_args_int(act->query, "limit", 0)};
    struct tb_err err;
    if (!wish.kind.len && !wish.state.len && !wish.after.len && !wish.limit) {
        tb_sessions_list(sessions, &act->caller, &act->json);
    } else if (tb_sessions_select(sessions, &act->caller, &wish, &act->json, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    tb_act_finish(act);
}

static void close_session(struct tb_act *act)
{
    tb_act_put_only(act, "closed", tb_session_info(act->session).name);
    tb_session_close(act->session, &act->caller, &act->gate);
    tb_act_finish(act);
}

/* A misspelt member would be passed over, and the caller believe that it counts. */
static int check_members(struct tb_str body, const char *only, struct tb_err *err)
{
    struct tb_json_iter iter = tb_json_iter_of(body);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        struct tb_str key = tb_str_sub(item.key, 1, item.key.len - 1);
        if (!tb_str_eq_cstr(key, only)) {
            struct tb_quoted name;
            return tb_fail(err, TB_E_PARAMS, "unknown member %s; the body takes only %s",
                           tb_quoted(&name, key, 0), only);
        }
    }
    return 0;
}

/* {"ttl_ms":n}; 0, or no body: the usual time. */
static int read_ttl(struct tb_str body, int64_t *ret_ttl_ms, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 8};
    struct tb_json_want ttl = {.key = "ttl_ms"};
    uint64_t value = 0;
    if (body.len) {
        int type = tb_json_scan(body, &limits, &ttl, 1, err);
        if (type < 0) {
            return type;
        }
        if (type != TB_JSON_OBJECT ||
            (ttl.value.type != TB_JSON_ABSENT &&
             (!tb_str_to_u64(ttl.value.text, &value) || value > UINT32_MAX))) {
            return tb_fail(err, TB_E_PARAMS,
                           "ttl_ms must be a whole number of milliseconds, at most %" PRIu32,
                           UINT32_MAX);
        }
        int rc = check_members(body, "ttl_ms", err);
        if (rc < 0) {
            return rc;
        }
    }
    *ret_ttl_ms = (int64_t)value;
    return 0;
}

static void renew_session(struct tb_act *act)
{
    struct tb_session *session = act->session;
    struct tb_err err;
    int64_t ttl_ms = 0;
    if (read_ttl(tb_http_req_body(act->req->http), &ttl_ms, &err) < 0 ||
        tb_session_renew(session, ttl_ms, &act->caller, &act->gate, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    tb_session_describe(session, &act->caller, &act->json);
    tb_act_finish(act);
}

static void list_hosts(struct tb_act *act)
{
    tb_egress_print(act->session, &act->json);
    tb_act_finish(act);
}

static void show_session(struct tb_act *act)
{
    tb_session_dump(act->session, &act->caller, tb_str_of(act->target), &act->json);
    tb_act_finish(act);
}

static int is_asleep(const struct tb_session_info *info, struct tb_err *err)
{
    (void)err;
    return info->hibernated;
}

static int is_awake(const struct tb_session_info *info, struct tb_err *err)
{
    return info->hibernated ? tb_fail(err, TB_E_BROWSER_START, "the session's browser did not open")
                            : !info->opening;
}

static void hibernate_session(struct tb_act *act)
{
    struct tb_err err;
    if (tb_session_hibernate_now(act->session, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
    } else {
        tb_act_await(act, is_asleep);
    }
}

static void wake_session(struct tb_act *act)
{
    struct tb_err err;
    if (tb_session_wake_now(act->session, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
    } else {
        tb_act_await(act, is_awake);
    }
}

void tb_rest_sessions_list(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, list_sessions);
}

void tb_rest_session_show(struct tb_front_req *req)
{
    tb_act_begin(req, 0, show_session);
}

void tb_rest_session_hosts(struct tb_front_req *req)
{
    tb_act_begin(req, 0, list_hosts);
}

void tb_rest_session_close(struct tb_front_req *req)
{
    tb_act_begin(req, 0, close_session);
}

void tb_rest_session_renew(struct tb_front_req *req)
{
    tb_act_begin(req, 0, renew_session);
}

void tb_rest_session_hibernate(struct tb_front_req *req)
{
    tb_act_begin(req, 0, hibernate_session);
}

void tb_rest_session_wake(struct tb_front_req *req)
{
    tb_act_begin(req, 0, wake_session);
}
