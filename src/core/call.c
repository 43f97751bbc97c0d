/* SPDX-License-Identifier: Apache-2.0 */
#include "core/call.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/sessions_internal.h"

/* The end. */

static void tell(const struct tb_call *call)
{
    struct tb_core *core = call->core;
    const char *tool = call->tool ? call->tool->name : "";
    const char *code = call->result.code < 0 ? tb_err_name(call->result.code) : "ok";
    int64_t took_ms = tb_loop_now_ms(core->loop) - call->accepted_ms;
    core->metrics.values[TB_METRIC_CALLS]++;
    core->metrics.values[TB_METRIC_CALL_ERRORS] += call->result.code < 0;
    tb_log_at(core->log, DEBUG, "call", "done", tb_kv_cstr("tool", tool), tb_kv_cstr("code", code),
              tb_kv_int("ms", took_ms), tb_kv_cstr("session", call->session_name));
    if (!tb_bus_heard(&core->bus)) {
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "tool", tool);
    tb_json_set_cstr(json, "code", code);
    tb_json_set_int(json, "ms", took_ms);
    tb_json_set_cstr(json, "session", call->session_name[0] ? call->session_name : NULL);
    tb_bus_publish_json(&core->bus, TB_EVENT_CALL_DONE, call->tenant, call->session_id, json, NULL);
}

void tb_call_deliver(struct tb_call *call)
{
    tell(call);
    call->done(call, call->user);
    tb_list_remove(&call->all);
    tb_timer_fini(&call->timer);
    tb_result_fini(&call->result);
    tb_json_free(call->args);
    tb_free(call);
}

void tb_call_end(struct tb_call *call)
{
    struct tb_session *session = call->session;
    call->phase = TB_CALL_FINISHED;
    call->session = NULL;
    tb_timer_stop(&call->timer);
    if (session) {
        tb_session_leave(session, call);
    }
    tb_loop_defer(call->core->loop, &call->job);
}

static void on_job(struct tb_deferred *job)
{
    struct tb_call *call = TB_CONTAINER(job, struct tb_call, job);
    if (call->phase == TB_CALL_FINISHED) {
        tb_call_deliver(call);
    } else {
        tb_call_fail_step(call);
    }
}

/* Ending early. */

static size_t calls_before(const struct tb_call *call)
{
    size_t count = call->session->running != NULL;
    LIST_FOREACH(link, &call->session->waiting) {
        if (link == &call->link) {
            break;
        }
        count++;
    }
    return count;
}

static void say_late(const struct tb_call *call, struct tb_err *ret_err)
{
    int64_t ms = call->deadline_ms - call->accepted_ms;
    if (call->phase != TB_CALL_WAITING) {
        tb_fail(ret_err, TB_E_TIMEOUT, "not finished within %lld ms", (long long)ms);
        return;
    }
    size_t before = calls_before(call);
    if (before) {
        tb_fail(ret_err, TB_E_TIMEOUT, "waited %lld ms behind %zu other call%s", (long long)ms,
                before, before == 1 ? "" : "s");
    } else if (call->session->opening) {
        tb_fail(ret_err, TB_E_TIMEOUT, "waited %lld ms for session '%s' to open", (long long)ms,
                call->session_name);
    } else {
        tb_fail(ret_err, TB_E_TIMEOUT,
                "waited %lld ms for an earlier call to let go of session '%s'", (long long)ms,
                call->session_name);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_call *call = user;
    struct tb_err err;
    (void)timer;
    if (call->broken.code < 0) {
        tb_call_detach(call);
        return;
    }
    say_late(call, &err);
    tb_call_break(call, &err, false);
}

void tb_call_cancel(struct tb_call *call)
{
    struct tb_err err;
    tb_fail(&err, TB_E_CANCELLED, "the call was cancelled");
    tb_call_break(call, &err, false);
}

/* The beginning. */

static int copy_caller(struct tb_call *call, const struct tb_caller *caller, struct tb_err *err)
{
    int len = snprintf(call->conversation, sizeof(call->conversation), "%s", caller->conversation);
    /* A name that was cut would be another conversation's. */
    if ((size_t)len >= sizeof(call->conversation)) {
        return tb_fail(err, TB_E_PARAMS, "the conversation's name has more than %d characters",
                       TB_CONVERSATION_SIZE - 1);
    }
    len = snprintf(call->tenant, sizeof(call->tenant), "%s", caller->tenant);
    if ((size_t)len >= sizeof(call->tenant)) {
        return tb_fail(err, TB_E_FORBIDDEN, "the tenant's name has more than %d characters",
                       TB_TENANT_SIZE - 1);
    }
    return 0;
}

static int check_args(struct tb_call *call, const struct cJSON *given, struct tb_err *err)
{
    const struct tb_config *config = call->core->config;
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    tb_tool_params(call->tool, rows);
    int rc = tb_args_check(rows, given, &call->args, err);
    if (rc < 0) {
        return rc;
    }
    int64_t usual_ms = call->tool->op == TB_OP_NAVIGATE ? config->browser_navigation_timeout_ms
                                                        : config->browser_timeout_ms;
    int64_t timeout_ms = tb_args_int(call->args, "timeout_ms", usual_ms);
    call->deadline_ms = call->accepted_ms + timeout_ms;
    tb_timer_start(&call->timer, timeout_ms);
    return 0;
}

static void note_session(struct tb_call *call, const struct tb_session *session)
{
    call->kind = session->kind;
    snprintf(call->session_id, sizeof(call->session_id), "%s", session->id);
    snprintf(call->session_name, sizeof(call->session_name), "%s", session->name);
}

static int enqueue(struct tb_call *call, struct tb_session *session, struct tb_err *err)
{
    call->phase = TB_CALL_WAITING;
    call->session = session;
    note_session(call, session);
    int rc = tb_session_enqueue(session, call);
    if (rc == 0) {
        return 0;
    }
    call->session = NULL;
    return rc == TB_E_BUSY ? tb_fail(err, rc, "%zu calls wait for session '%s' already",
                                     session->waiting_count, session->name)
                           : tb_fail(err, rc, "Session '%s' has ended", session->name);
}

static int join_session(struct tb_call *call, struct tb_err *err)
{
    const struct tb_tool *tool = call->tool;
    struct tb_session *session;
    int rc = tb_sessions_resolve(
        call->core->sessions, &call->caller, tb_args_text(call->args, "sessionId", ""),
        (tool->flags & TB_TOOL_MAY_CREATE) != 0, &session, &call->chosen, err);
    if (rc < 0) {
        return rc;
    }
    if (!tool->run && (tool->op >= TB_OP_COUNT || !session->driver->ops[tool->op])) {
        note_session(call, session);
        return tb_fail(err, TB_E_NOT_POSSIBLE, "session '%s' (%s, driver %s) cannot do '%s'",
                       session->name, tb_session_kind_name(session->kind), session->driver->name,
                       tool->name);
    }
    return enqueue(call, session, err);
}

static int accept(struct tb_call *call, const struct tb_call_request *request, struct tb_err *err)
{
    int rc = copy_caller(call, &request->caller, err);
    if (rc < 0) {
        return rc;
    }
    if (call->core->sessions->draining) {
        return tb_fail(err, TB_E_SHUTDOWN, "the daemon is stopping");
    }
    if (!call->tool) {
        return tb_fail(err, TB_E_UNKNOWN_TOOL, "there is no such tool");
    }
    rc = check_args(call, request->args, err);
    if (rc < 0) {
        return rc;
    }
    if (!(call->tool->flags & TB_TOOL_NO_SESSION)) {
        return join_session(call, err);
    }
    call->phase = TB_CALL_RUNNING;
    call->tool->run(call);
    return 0;
}

struct tb_call *tb_call_start(struct tb_core *core, const struct tb_call_request *request)
{
    struct tb_call *call = TB_NEW(struct tb_call);
    struct tb_err err;
    call->core = core;
    call->tool = request->tool;
    call->caller = (struct tb_caller){.tenant = call->tenant, .conversation = call->conversation};
    call->done = request->done;
    call->progress = request->progress;
    call->user = request->user;
    call->accepted_ms = tb_loop_now_ms(core->loop);
    call->deadline_ms = call->accepted_ms;
    call->job.run = on_job;
    tb_timer_init(&call->timer, core->loop, on_timer, call);
    tb_result_init(&call->result);
    tb_list_append(&core->sessions->calls, &call->all);
    if (accept(call, request, &err) < 0) {
        tb_result_fail_err(&call->result, &err);
        tb_call_end(call);
    }
    return call;
}

void tb_call_enter(struct tb_call *call, struct tb_session *session,
                   void (*fn)(struct tb_call *call))
{
    struct tb_err err;
    assert(call->phase == TB_CALL_RUNNING && !call->session && !call->op);
    call->enter = fn;
    if (enqueue(call, session, &err) < 0) {
        tb_result_fail_err(&call->result, &err);
        tb_call_end(call);
    }
}

/* Looking at it. */

const struct tb_result *tb_call_result(const struct tb_call *call)
{
    return &call->result;
}

const char *tb_call_chosen_session(const struct tb_call *call, enum tb_session_kind *ret_kind)
{
    if (!call->chosen || !call->session_name[0]) {
        return NULL;
    }
    *ret_kind = call->kind;
    return call->session_name;
}

struct tb_core *tb_call_core(const struct tb_call *call)
{
    return call->core;
}

const struct tb_caller *tb_call_caller(const struct tb_call *call)
{
    return &call->caller;
}

const struct cJSON *tb_call_args(const struct tb_call *call)
{
    return call->args;
}

struct tb_result *tb_call_out(struct tb_call *call)
{
    return &call->result;
}

int64_t tb_call_deadline_ms(const struct tb_call *call)
{
    return call->deadline_ms;
}
