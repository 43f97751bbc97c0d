/* SPDX-License-Identifier: Apache-2.0 */
/* The running part of a call: its operation in the driver.
 *
 *   at work --tb_op_done--> ended --job--> the call goes on, or is delivered
 *      |                      ^
 *      | cancel, then a grace |
 *      v                      |
 *   detached (the call is gone) --> the session goes on
 *
 * tb_op_done only takes note, so no driver is called from inside its own call of it. */
#include <assert.h>

#include "base/mem.h"
#include "core/authors.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/records.h"
#include "core/secrets.h"
#include "core/session_hibernate.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"

void tb_op_call_free(struct tb_op_call *op_call)
{
    if (!op_call) {
        return;
    }
    tb_list_remove(&op_call->link);
    tb_mask_unref(op_call->mask, "operation");
    tb_deferred_cancel(&op_call->job);
    tb_timer_fini(&op_call->timer);
    tb_result_fini(&op_call->result);
    tb_json_free(op_call->args);
    tb_brought_unref(op_call->brought, "operation");
    tb_free(op_call->raw);
    tb_free(op_call->agent_id);
    tb_free(op_call->request_id);
    tb_free(op_call);
}

/* What the driver said of an operation that was cut short gives way to the reason for it, unless it
 * knows better: that it was done after all, or what it was waiting for. */
static void settle(const struct tb_call *call, struct tb_op_call *op_call)
{
    struct tb_result *result = &op_call->result;
    struct tb_err why = call->broken;
    bool only_stopped = result->code == TB_E_CANCELLED || result->code == TB_E_CLOSED;
    if (why.code == 0 && op_call->own_ms && !tb_timer_armed(&op_call->timer)) {
        tb_fail(&why, TB_E_TIMEOUT, "not finished within %lld ms", (long long)op_call->own_ms);
    }
    if (why.code < 0 && (only_stopped || why.code == TB_E_CANCELLED)) {
        tb_result_reset(result);
        tb_result_fail_err(result, &why);
    }
}

static void end_step(struct tb_call *call, const struct tb_result *result)
{
    tb_call_step_fn *step = call->step.fn;
    call->step.fn = NULL;
    tb_call_tell_step(call, result);
    step(call, result, call->step.user);
}

static void go_on(struct tb_call *call, struct tb_op_call *op_call)
{
    call->op = NULL;
    settle(call, op_call);
    tb_call_note_url(call, &op_call->result);
    if (call->step.fn) {
        end_step(call, &op_call->result);
        return;
    }
    op_call->args = NULL; /* the call's own again */
    tb_result_move(&call->result, &op_call->result);
    tb_call_end(call);
    /* This is a job of the loop already, so `done` need not wait for another. */
    tb_call_deliver(call, true);
}

static void on_ended(struct tb_deferred *job)
{
    struct tb_op_call *op_call = TB_CONTAINER(job, struct tb_op_call, job);
    struct tb_session *session = op_call->session;
    tb_mask_result(op_call->mask, &op_call->result);
    if (session) {
        tb_list_remove(&op_call->link);
        tb_session_remember(session, &op_call->op, op_call->call);
    }
    if (op_call->call) {
        go_on(op_call->call, op_call);
    } else if (session) {
        tb_session_look(session);
    }
    tb_op_call_free(op_call);
}

static void note_end(struct tb_op_call *op_call)
{
    op_call->ended = true;
    tb_loop_defer(op_call->core->loop, &op_call->job);
}

static void on_done(struct tb_op *op)
{
    struct tb_op_call *op_call = op->user;
    assert(!op_call->ended);
    note_end(op_call);
}

void tb_call_progress(struct tb_call *call, double done, double total, const char *message)
{
    if (call->progress && call->broken.code == 0) {
        call->progress(call, done, total, message, call->user);
    }
}

/* Of a step only the tool knows what it is to the whole. */
static void on_progress(struct tb_op *op, double done, double total, const char *message)
{
    struct tb_call *call = ((struct tb_op_call *)op->user)->call;
    if (call && !call->step.fn) {
        tb_call_progress(call, done, total, message);
    }
}

static size_t count_labels(const struct tb_mask *mask)
{
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &names);
    return tb_mask_labels(mask, &json);
}

static bool is_over(const struct tb_op_call *op_call)
{
    return !op_call->session || !op_call->call || op_call->call->broken.code < 0;
}

static int on_reveal(struct tb_op *op, struct tb_str text, const struct tb_str *origins,
                     size_t count, struct tb_buf *out, struct tb_err *err)
{
    struct tb_op_call *op_call = op->user;
    struct tb_session *session = op_call->session;
    if (is_over(op_call)) {
        return tb_fail(err, TB_E_CANCELLED, "the call has ended");
    }
    if (!session->bounds.mask) {
        session->bounds.mask = tb_mask_new(&session->core->vault);
    }
    if (!op_call->mask) {
        op_call->mask = tb_mask_ref(session->bounds.mask, "operation");
    }
    size_t before = count_labels(session->bounds.mask);
    if (before >= TB_SESSION_SECRETS_MAX) {
        return tb_fail(
            err, TB_E_LIMIT,
            "the session has typed %d different secrets, which is the limit; start a new session",
            TB_SESSION_SECRETS_MAX);
    }
    const char *agent = op_call->call->from.agent;
    struct tb_secret_use use = {.tenant = session->tenant,
                                .origins = origins,
                                .origin_count = count,
                                .mask = session->bounds.mask,
                                .session_id = session->id,
                                .session = session->name,
                                .hidden = session->traits.hidden,
                                .agent = agent[0] ? agent : NULL,
                                .gate = &op_call->call->gate};
    int rc = tb_secrets_fill_in(op_call->core->secrets, &use, text, out, err);
    if (is_over(op_call)) { /* by whoever heard of the use */
        return tb_fail(err, TB_E_CANCELLED, "the call has ended");
    }
    if (count_labels(session->bounds.mask) > before && tb_session_survives(session)) {
        tb_record_put(session, &op_call->call->gate); /* the next daemon has to mask it, too */
    }
    return rc;
}

static void on_step_late(struct tb_timer *timer, void *user)
{
    struct tb_op_call *op_call = user;
    (void)timer;
    if (!op_call->ended && op_call->op.cancel) {
        op_call->op.cancel(&op_call->op);
    }
}

/* Until when a step may take: as long as it asks for, within its call. */
static int64_t limit_step(struct tb_call *call, struct tb_op_call *op_call)
{
    struct tb_loop *loop = call->core->loop;
    int64_t left_ms = call->deadline_ms - tb_loop_now_ms(loop);
    int64_t own_ms = call->step.fn ? tb_args_int(op_call->args, "timeout_ms", left_ms) : left_ms;
    if (own_ms >= left_ms) {
        return call->deadline_ms;
    }
    op_call->own_ms = own_ms;
    tb_timer_init(&op_call->timer, loop, on_step_late, op_call);
    tb_timer_start(&op_call->timer, own_ms);
    return call->deadline_ms - left_ms + own_ms;
}

static struct tb_op_call *op_call_new(struct tb_call *call, struct cJSON *args)
{
    struct tb_op_call *op_call = TB_NEW(struct tb_op_call);
    op_call->core = call->core;
    op_call->call = call;
    op_call->args = args;
    op_call->brought = tb_brought_ref(call->entry.brought, "operation");
    op_call->raw = call->given.raw; /* the driver may read it when the call has gone */
    call->given.raw = NULL;
    op_call->request_id = call->given.request_id;
    call->given.request_id = NULL;
    op_call->agent_id = op_call->brought ? tb_str_dup(tb_member_call_id(call)) : NULL;
    op_call->job.run = on_ended;
    tb_result_init(&op_call->result);
    op_call->result.view = call->from.caller.view;
    call->op = op_call;
    return op_call;
}

static const struct tb_toolset *toolset_of(const struct tb_call *call)
{
    static const struct tb_toolset usual = {.name = ""};
    const struct tb_view *view = call->from.caller.view;
    return view && view->toolset ? view->toolset : &usual;
}

/* What can be known of an element is known soon; a caller who knows better says so. */
static int64_t element_ms(const struct tb_call *call, const struct cJSON *args)
{
    bool as_long_as_it_may = toolset_of(call)->lenient || tb_args_has(args, "timeout_ms");
    return as_long_as_it_may ? 0 : call->core->config->browser_element_timeout_ms;
}

/* An act on a page from which the caller's own text has gone, before it was told so, would send a
 * form half empty. */
static bool acts_unaware(const struct tb_call *call, enum tb_op_kind kind, const struct cJSON *args)
{
    const struct tb_session *session = call->session;
    bool acts = tb_op_acts(kind) || tb_args_flag(args, "submit", false);
    return acts && (call->place.number <= session->losses.unaware ||
                    tb_authors_unaware(&session->losses.authors, call->from.conversation,
                                       call->place.number));
}

static void start_op(struct tb_call *call, enum tb_op_kind kind, struct cJSON *args)
{
    struct tb_session *session = call->session;
    struct tb_op_call *op_call = op_call_new(call, args);
    struct tb_err err;
    if (acts_unaware(call, kind, args)) {
        tb_result_fail(&op_call->result, TB_E_TYPED_LOST,
                       "what was typed into the page was lost with the earlier browser of session "
                       "'%s', so this was not done",
                       session->name);
        note_end(op_call);
        return;
    }
    if (tb_mask_missing(session->bounds.mask) &&
        tb_secrets_recall(op_call->core->secrets, session->tenant, session->bounds.mask, &err) <
            0) {
        tb_result_fail_err(&op_call->result, &err);
        note_end(op_call);
        return;
    }
    if (kind == TB_OP_NAVIGATE) {
        tb_egress_opens(session->bounds.egress);
    }
    op_call->session = session;
    op_call->mask = tb_mask_ref(session->bounds.mask, "operation");
    tb_list_append(&session->queue.ops, &op_call->link);
    op_call->op = (struct tb_op){
        .kind = kind,
        .args = args,
        .brought = op_call->brought,
        .raw = {op_call->raw, call->given.raw_len},
        .agent_id = tb_str_of(op_call->agent_id),
        .request_id = tb_str_of(op_call->request_id),
        .deadline_ms = limit_step(call, op_call),
        .element_ms = element_ms(call, args),
        .lenient = toolset_of(call)->lenient,
        .dismisses = toolset_of(call)->dismisses,
        .result = &op_call->result,
        .done = on_done,
        .progress = on_progress,
        .reveal = op_call->core->secrets ? on_reveal : NULL,
        .user = op_call,
    };
    session->driver->ops[kind](session->driver_session, &op_call->op);
}

int tb_call_check_policy(const struct tb_call *call, const struct tb_entry *entry,
                         struct tb_err *err)
{
    const struct tb_principal *who = call->from.caller.who;
    int rc = call->session ? tb_session_policy_admits(call->session, who, err) : 0;
    rc = rc < 0 ? rc : tb_session_policy_tool(call->core, who, call->session, entry, err);
    if (rc < 0) {
        tb_err_prefix(err, "the tool '%s' ", entry->tool->name);
    }
    return rc;
}

static void run_tool(struct tb_call *call)
{
    if (call->entry.tool->run) {
        call->entry.tool->run(call);
    } else {
        start_op(call, call->entry.tool->op, call->given.args);
    }
}

static void on_run_decided(struct tb_call *call, const struct tb_err *refusal)
{
    struct tb_err err = refusal ? *refusal : (struct tb_err){0};
    call->asked.given = true;
    if (refusal || tb_call_check_policy(call, &call->entry, &err) < 0) {
        tb_result_fail_err(&call->result, &err);
        tb_call_end(call);
    } else {
        run_tool(call);
    }
}

void tb_call_run(struct tb_call *call)
{
    struct tb_err err;
    call->phase = TB_CALL_RUNNING;
    if (call->enter) {
        call->enter(call);
    } else if (tb_call_is_revoked(call, &err) ||
               tb_call_check_brought(call, call->session, &err) < 0 ||
               tb_call_check_policy(call, &call->entry, &err) < 0) {
        tb_result_fail_err(&call->result, &err);
        tb_call_end(call);
    } else if (!call->asked.given && tb_call_must_ask(call, &call->entry)) {
        tb_call_ask(call, &call->entry, call->given.args, on_run_decided);
    } else {
        run_tool(call);
    }
}

void tb_call_finish(struct tb_call *call)
{
    assert(call->phase == TB_CALL_RUNNING && !call->op);
    if (call->broken.code < 0) {
        tb_result_fail_err(&call->result, &call->broken);
    }
    tb_call_end(call);
}

/* Steps. */

static int check_step(const struct tb_call *call, const struct tb_tool *tool,
                      const struct cJSON *given, struct cJSON **ret_args, struct tb_err *err)
{
    if (call->broken.code < 0) {
        *err = call->broken;
        return err->code;
    }
    if (!call->session || tool->op >= TB_OP_COUNT || !call->session->driver->ops[tool->op]) {
        return tb_fail(err, TB_E_NOT_POSSIBLE, "%s cannot be a step here", tool->name);
    }
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, rows);
    int rc = tb_args_check(rows, given, ret_args, err);
    if (rc == 0 && tool->check) {
        rc = tool->check(call->core, &call->from.caller, *ret_args, err);
    }
    if (rc < 0) {
        tb_json_free(*ret_args);
        *ret_args = NULL;
    }
    return rc;
}

static void fail_step(struct tb_call *call, const struct tb_err *err)
{
    struct tb_op_call *op_call = op_call_new(call, NULL);
    tb_result_fail_err(&op_call->result, err);
    note_end(op_call);
}

static void on_step_decided(struct tb_call *call, const struct tb_err *refusal)
{
    struct cJSON *checked = NULL;
    const struct tb_entry *entry = &call->asked.step;
    struct tb_err err = refusal ? *refusal : (struct tb_err){0};
    if (refusal || tb_call_check_policy(call, entry, &err) < 0 ||
        check_step(call, entry->tool, call->asked.args, &checked, &err) < 0) {
        fail_step(call, &err);
    } else {
        start_op(call, entry->tool->op, checked);
    }
    tb_call_ask_end(call);
}

/* What the tool does for itself, with `own`, is none of the caller's calls. */
static void begin_step(struct tb_call *call, const struct tb_entry *entry, const struct cJSON *args,
                       bool own)
{
    struct cJSON *checked = NULL;
    struct tb_err err;
    int rc = own ? 0 : tb_call_check_policy(call, entry, &err);
    if (rc == 0 && !own && tb_call_must_ask(call, entry)) {
        call->asked.step = *entry;
        call->asked.args = tb_json_dup(args);
        tb_call_ask(call, entry, call->asked.args, on_step_decided);
        return;
    }
    if (rc == 0 && check_step(call, entry->tool, args, &checked, &err) == 0) {
        start_op(call, entry->tool->op, checked);
    } else {
        fail_step(call, &err);
    }
}

static void set_step(struct tb_call *call, const char *tool, tb_call_step_fn *fn, void *user)
{
    assert(call->phase == TB_CALL_RUNNING && !call->op && !call->step.fn);
    call->step.fn = fn;
    call->step.user = user;
    call->step.tool = tool;
}

void tb_call_look(struct tb_call *call, const struct tb_tool *tool, const struct cJSON *args,
                  tb_call_step_fn *fn, void *user)
{
    set_step(call, NULL, fn, user);
    begin_step(call, &(struct tb_entry){.tool = tool}, args, true);
}

void tb_call_step(struct tb_call *call, const struct tb_entry *entry, const struct cJSON *args,
                  tb_call_step_fn *fn, void *user)
{
    set_step(call, entry->tool->name, fn, user);
    begin_step(call, entry, args, false);
    call->step.since_ms = tb_loop_now_ms(call->core->loop);
    call->step.count++;
}

void tb_call_fail_step(struct tb_call *call)
{
    struct tb_result result;
    tb_result_init(&result);
    result.view = call->from.caller.view;
    tb_result_fail_err(&result, &call->broken);
    end_step(call, &result);
    tb_result_fini(&result);
}

/* Ending early. */

static void let_go(struct tb_call *call)
{
    if (call->given.args == call->op->args) {
        call->given.args = NULL; /* the driver may still read them */
    }
    call->op->result.view = NULL; /* it is the call's */
    call->op->call = NULL;
    call->op = NULL;
}

void tb_call_detach(struct tb_call *call)
{
    if (!call->op || call->op->ended) {
        return;
    }
    let_go(call);
    if (call->step.fn) {
        tb_loop_defer(call->core->loop, &call->job);
    } else {
        tb_result_fail_err(&call->result, &call->broken);
        tb_call_end(call);
    }
}

/* Nothing has begun that could end by itself. */
static void stop_asking(struct tb_call *call)
{
    if (call->step.fn) {
        tb_loop_defer(call->core->loop, &call->job);
    } else {
        tb_result_fail_err(&call->result, &call->broken);
        tb_call_end(call);
    }
}

void tb_call_break(struct tb_call *call, const struct tb_err *err, bool gone)
{
    if (call->phase >= TB_CALL_FINISHED || (call->broken.code < 0 && !gone)) {
        return;
    }
    if (call->broken.code == 0) {
        call->broken = *err;
    }
    if (call->phase == TB_CALL_WAITING) {
        tb_result_fail_err(&call->result, err);
        tb_call_end(call);
    } else if (call->asked.approval) {
        tb_call_ask_end(call);
        stop_asking(call);
    } else if (gone) {
        tb_call_detach(call);
    } else if (call->op && !call->op->ended) {
        tb_timer_start(&call->timer, TB_CALL_GRACE_MS);
        if (call->op->op.cancel) {
            call->op->op.cancel(&call->op->op);
        }
    }
    /* Else the tool, or the end that is on its way, sees that the call is broken. */
}

void tb_call_drop(struct tb_call *call)
{
    struct tb_err err;
    tb_fail(&err, TB_E_SHUTDOWN, "the daemon is stopping");
    tb_call_break(call, &err, true);
    while (call->phase < TB_CALL_FINISHED) {
        if (call->op) {
            struct tb_op_call *op_call = call->op; /* has ended, or it would be detached */
            let_go(call);
            tb_op_call_free(op_call);
        }
        if (call->step.fn) {
            tb_call_fail_step(call);
        } else {
            tb_result_fail_err(&call->result, &call->broken);
            tb_call_end(call);
        }
    }
    tb_call_deliver(call, false);
}
