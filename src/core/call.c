/* SPDX-License-Identifier: Apache-2.0 */
#include "core/call.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/sessions_internal.h"
#include "proto/traceparent.h"

enum {
    NAME_SHOWN_MAX = 64, /* of a tool that there is not */
};

/* The end. */

/* A reply that acknowledges what is not stored would be a lie. */
static void note_gate(struct tb_call *call)
{
    const struct tb_err *err = &call->gate.err;
    if (err->code < 0 && call->result.code == 0) {
        tb_result_reset(&call->result);
        tb_result_fail(&call->result, TB_E_STORE,
                       "the action completed but could not be recorded: %s", err->text);
    }
}

static void hand_over(struct tb_call *call)
{
    tb_deferred_cancel(&call->job);
    note_gate(call);
    call->done(call, call->user);
    tb_list_remove(&call->from.live.link);
    tb_principal_unref(call->from.caller.who, "call");
    tb_view_unref(call->from.caller.view, "call");
    tb_list_remove(&call->all);
    tb_sessions_check_drained(call->core->sessions);
    tb_timer_fini(&call->timer);
    tb_gate_fini(&call->gate);
    tb_result_fini(&call->result);
    tb_json_free(call->given.args);
    tb_json_free(call->given.face_args);
    tb_brought_unref(call->entry.brought, "call");
    tb_free(call->given.raw);
    tb_free(call->given.request_id);
    tb_free(call->given.trace);
    tb_call_printed_fini(&call->printed);
    tb_free(call->place.url);
    tb_free(call->place.named);
    tb_free(call);
}

void tb_call_deliver(struct tb_call *call, bool wait)
{
    if (call->phase == TB_CALL_FINISHED) {
        call->phase = TB_CALL_TOLD;
        if (call->result.code == TB_E_TIMEOUT) {
            tb_json_set_int(call->result.data, "timeout_ms", call->deadline_ms - call->accepted_ms);
        }
        if (!call->unheard) {
            tb_call_tell(call);
        }
    }
    if (tb_gate_shut(&call->gate) && !wait) {
        struct tb_err err;
        tb_fail(&err, TB_E_STORE, "the daemon is stopping");
        tb_gate_fail(&call->gate, &err);
        tb_gate_fini(&call->gate);
    }
    if (!tb_gate_shut(&call->gate)) {
        hand_over(call);
    } else if (!tb_timer_armed(&call->timer)) {
        int64_t left_ms = call->deadline_ms - tb_loop_now_ms(call->core->loop);
        tb_timer_start(&call->timer, (left_ms > 0 ? left_ms : 0) + TB_CALL_GRACE_MS);
    }
}

/* The disk does not answer, and the caller has waited long enough. */
static void leave_gate(struct tb_call *call)
{
    struct tb_err err;
    tb_fail(&err, TB_E_STORE, "the store does not answer; the change may still be stored later");
    tb_gate_fail(&call->gate, &err);
    tb_gate_fini(&call->gate);
    tb_loop_defer(call->core->loop, &call->job);
}

static void on_gate_open(struct tb_gate *gate)
{
    struct tb_call *call = TB_CONTAINER(gate, struct tb_call, gate);
    if (call->phase == TB_CALL_TOLD) {
        tb_loop_defer(call->core->loop, &call->job);
    }
}

void tb_call_end(struct tb_call *call)
{
    struct tb_session *session = call->session;
    call->phase = TB_CALL_FINISHED;
    call->session = NULL;
    tb_timer_stop(&call->timer);
    tb_resolve_cancel(&call->place.ask);
    tb_call_ask_end(call);
    if (!session) {
        tb_list_remove(&call->link);
    } else {
        call->place.url = session->url ? tb_strdup(session->url) : NULL;
        tb_session_leave(session, call);
    }
    tb_loop_defer(call->core->loop, &call->job);
}

static void on_job(struct tb_deferred *job)
{
    struct tb_call *call = TB_CONTAINER(job, struct tb_call, job);
    if (call->phase >= TB_CALL_FINISHED) {
        tb_call_deliver(call, true);
    } else {
        tb_call_fail_step(call);
    }
}

/* Ending early. */

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_call *call = user;
    struct tb_err err;
    (void)timer;
    if (call->phase == TB_CALL_TOLD) {
        leave_gate(call);
        return;
    }
    if (call->broken.code < 0) {
        tb_call_detach(call);
        return;
    }
    tb_call_say_late(call, &err);
    tb_call_break(call, &err, false);
}

static int say_revoked(struct tb_err *err)
{
    return tb_fail(err, TB_E_UNAUTHORIZED, "the credential of this call was revoked");
}

bool tb_call_is_revoked(const struct tb_call *call, struct tb_err *err)
{
    return call->from.caller.who->revoked && say_revoked(err) < 0;
}

static void on_revoked(struct tb_live *live)
{
    struct tb_err err;
    say_revoked(&err);
    tb_call_break(TB_CONTAINER(live, struct tb_call, from.live), &err, false);
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
    int len = snprintf(call->from.conversation, sizeof(call->from.conversation), "%s",
                       caller->conversation);
    /* A name that was cut would be another conversation's. */
    if ((size_t)len >= sizeof(call->from.conversation)) {
        return tb_fail(err, TB_E_PARAMS, "the conversation's name has more than %d characters",
                       TB_CONVERSATION_SIZE - 1);
    }
    struct tb_str session = tb_caller_session(caller);
    if (session.len >= sizeof(call->from.session)) {
        return tb_fail(err, TB_E_SESSION_NOT_FOUND, "No session has an id or name of this length");
    }
    snprintf(call->from.session, sizeof(call->from.session), "%.*s", TB_STR_ARG(session));
    snprintf(call->from.agent, sizeof(call->from.agent), "%s", caller->agent ? caller->agent : "");
    call->from.agent[tb_utf8_prefix(tb_str_of(call->from.agent))] = '\0';
    return 0;
}

static void set_deadline(struct tb_call *call, int64_t timeout_ms)
{
    call->deadline_ms = call->accepted_ms + timeout_ms;
    tb_timer_start(&call->timer, timeout_ms);
}

static int check_args(struct tb_call *call, const struct cJSON *given, struct tb_err *err)
{
    const struct tb_config *config = call->core->config;
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    tb_tool_params(call->entry.tool, rows);
    int rc = tb_args_check(rows, given, &call->given.args, err);
    if (rc == 0 && call->entry.tool->check) {
        rc = call->entry.tool->check(call->core, &call->from.caller, call->given.args, err);
    }
    if (rc < 0) {
        return rc;
    }
    int64_t usual_ms = call->entry.tool->op == TB_OP_NAVIGATE
                           ? config->browser_navigation_timeout_ms
                           : config->browser_timeout_ms;
    int64_t timeout_ms = tb_args_int(call->given.args, "timeout_ms", usual_ms);
    set_deadline(call, timeout_ms);
    return 0;
}

/* Whose tools there are besides those of the view; NULL: nobody's. */
static const struct tb_session *find_meant(const struct tb_call *call)
{
    struct tb_sessions *sessions = call->core->sessions;
    const struct tb_caller *caller = &call->from.caller;
    return call->place.named ? tb_sessions_reach(sessions, caller, tb_str_of(call->place.named))
                             : tb_resolve_meant(sessions, caller);
}

static int find_tool(struct tb_call *call, const struct tb_call_request *request,
                     struct tb_err *err)
{
    struct tb_err why;
    const struct tb_session *meant = find_meant(call);
    call->entry = request->entry;
    int rc = call->entry.tool
                 ? tb_toolbox_permit(call->core, &call->from.caller, NULL, &call->entry, &why)
                 : tb_toolbox_find(call->core, &call->from.caller, meant, request->name,
                                   &call->entry, &why);
    tb_brought_ref(call->entry.brought, "call");
    if (rc == 0) {
        return 0;
    }
    call->unheard = !call->entry.tool; /* but who tries what it may not do is on record */
    if (call->unheard && tb_call_lacks_session(call, err)) {
        return err->code;
    }
    call->given.face_args = call->entry.face ? tb_json_new_object() : NULL;
    struct tb_str name = request->name.len ? request->name : tb_str_of(tb_call_tool_name(call));
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_KIB);
    size_t chars;
    /* Between single quotes nothing else needs an escape; fronts add their own. */
    tb_quote_line(tb_str_sub(name, 0, tb_utf8_end(name, NAME_SHOWN_MAX, &chars)), &shown);
    return tb_fail(err, rc, "the tool '%.*s%s' %s", TB_STR_ARG(tb_buf_str(&shown)),
                   chars > NAME_SHOWN_MAX ? "…" : "", why.text);
}

/* From a face's arguments to the tool's. Those that it refuses never become a call of the tool. */
static int map_args(struct tb_call *call, const struct cJSON *given, struct cJSON **ret_args,
                    struct tb_err *err)
{
    const struct tb_face *face = call->entry.face;
    if (face->params && tb_args_check(face->params, given, &call->given.face_args, err) < 0) {
        call->given.face_args = tb_json_dup(given);
        call->unheard = true;
        return err->code;
    }
    if (!call->given.face_args) {
        call->given.face_args = given ? tb_json_dup(given) : tb_json_new_object();
    }
    *ret_args =
        face->map_args ? face->map_args(call->given.face_args) : tb_json_dup(call->given.face_args);
    return 0;
}

static int read_args(struct tb_call *call, const struct tb_raw *raw, struct tb_err *err)
{
    if (call->entry.brought) {
        /* They are for its page to read. */
        call->given.raw = raw->json.len ? tb_memdup(raw->json.ptr, raw->json.len) : NULL;
        call->given.raw_len = raw->json.len;
        int64_t own_ms = call->entry.brought->timeout_ms;
        set_deadline(call, own_ms ? own_ms : call->core->config->browser_timeout_ms);
        return 0;
    }
    if (raw->odd) {
        call->unheard = true;
        return tb_fail(err, TB_E_PARSE,
                       "the arguments contain something that this tool cannot read");
    }
    TB_AUTO(tb_json_free)
    struct cJSON *given = raw->json.len ? tb_json_parse(raw->json) : NULL;
    if (!call->entry.face) {
        return check_args(call, given, err);
    }
    TB_AUTO(tb_json_free) struct cJSON *mapped = NULL;
    int rc = map_args(call, given, &mapped, err);
    return rc < 0 ? rc : check_args(call, mapped, err);
}

void tb_call_about(struct tb_call *call, const struct tb_session *session)
{
    call->place.kind = session->kind;
    call->place.hidden = session->traits.hidden;
    snprintf(call->place.id, sizeof(call->place.id), "%s", session->id);
    snprintf(call->place.name, sizeof(call->place.name), "%s", session->name);
}

static int enqueue(struct tb_call *call, struct tb_session *session, struct tb_err *err)
{
    call->phase = TB_CALL_WAITING;
    call->session = session;
    tb_call_about(call, session);
    call->place.number = session->stats.calls + 1;
    int rc = tb_session_enqueue(session, call, err);
    if (rc < 0) {
        call->session = NULL;
        call->place.number = 0;
    }
    return rc;
}

int tb_call_check_brought(const struct tb_call *call, const struct tb_session *session,
                          struct tb_err *err)
{
    const struct tb_brought *brought = call->entry.brought;
    if (!brought || tb_toolbox_brings(session, brought)) {
        return 0;
    }
    return tb_fail(err, TB_E_UNKNOWN_TOOL, "the session no longer offers the tool '%s'",
                   brought->shown);
}

static int join_session(struct tb_call *call, struct tb_session *session, struct tb_err *err)
{
    const struct tb_tool *tool = call->entry.tool;
    int rc = tb_call_check_brought(call, session, err);
    if (rc < 0) {
        call->unheard = true;
        return rc;
    }
    if (!tool->run && (tool->op >= TB_OP_COUNT || !session->driver->ops[tool->op])) {
        tb_call_about(call, session);
        return tb_fail(err, TB_E_NOT_POSSIBLE, "session '%s' (%s, driver %s) cannot do '%s'",
                       session->name, tb_session_kind_name(session->kind), session->driver->name,
                       tb_call_tool_name(call));
    }
    return enqueue(call, session, err);
}

/* Which session the tool acts on, and what for. */
static void prepare_ask(struct tb_call *call)
{
    const struct tb_tool *tool = call->entry.tool;
    struct tb_resolve_ask *ask = &call->place.ask;
    struct tb_err refusal;
    ask->caller = &call->from.caller;
    ask->named = call->place.named ? tb_str_of(call->place.named)
                                   : tb_args_text(call->given.args, "sessionId", "");
    ask->kind = tb_offer_usual.kind;
    ask->gate = &call->gate;
    if (tool->flags & TB_TOOL_NO_SESSION) {
        ask->flags = tool->flags & TB_TOOL_BESIDE ? 0 : TB_RESOLVE_NONE;
        return;
    }
    call->place.chosen = !ask->named.len && !tb_caller_session(ask->caller).len;
    /* What cannot be put on record is not done; but a session can be closed at any time. */
    ask->flags = tool->flags & TB_TOOL_READ_ONLY ? 0 : TB_RESOLVE_STORED;
    /* None is made for what no session could do. */
    if ((tool->flags & TB_TOOL_MAY_CREATE) &&
        tb_driver_check_op(call->core, tool->op, call->given.args, &refusal) == 0) {
        ask->flags |= TB_RESOLVE_MAY_CREATE;
    }
}

static int on_found(struct tb_call *call, const struct tb_place *place, struct tb_err *err)
{
    if (tb_call_is_revoked(call, err)) {
        return err->code;
    }
    if (!(call->entry.tool->flags & TB_TOOL_NO_SESSION)) {
        return join_session(call, place->session, err);
    }
    if (tb_call_check_policy(call, &call->entry, err) < 0) {
        return err->code;
    }
    call->phase = TB_CALL_RUNNING;
    call->place.beside = place->session;
    call->entry.tool->run(call);
    call->place.beside = NULL;
    return 0;
}

/* If one would have been made for it, it is told why none was. */
static int on_not_found(const struct tb_call *call, struct tb_err *err)
{
    const struct tb_tool *tool = call->entry.tool;
    struct tb_err refusal = {0};
    bool withheld =
        (tool->flags & TB_TOOL_MAY_CREATE) && !(call->place.ask.flags & TB_RESOLVE_MAY_CREATE);
    if (withheld && tb_resolve_denies(err) &&
        tb_driver_check_op(call->core, tool->op, call->given.args, &refusal) < 0) {
        *err = refusal;
    }
    return err->code;
}

static void fail(struct tb_call *call, const struct tb_err *err)
{
    tb_result_fail_err(&call->result, err);
    tb_call_end(call);
}

static void on_resolved(struct tb_resolve_ask *ask, const struct tb_place *place,
                        const struct tb_err *failure)
{
    struct tb_call *call = TB_CONTAINER(ask, struct tb_call, place.ask);
    struct tb_err err = failure ? *failure : (struct tb_err){0};
    int rc = failure ? on_not_found(call, &err) : on_found(call, place, &err);
    if (rc < 0) {
        fail(call, &err);
    }
}

static int begin(struct tb_call *call, struct tb_err *err)
{
    struct tb_place place;
    if (call->core->sessions->draining) {
        return tb_fail(err, TB_E_SHUTDOWN, "the daemon is stopping");
    }
    prepare_ask(call);
    call->place.ask.fn = on_resolved;
    int rc = tb_resolve(call->core->sessions, &call->place.ask, &place, err);
    if (rc == TB_LATER) {
        return 0;
    }
    return rc < 0 ? on_not_found(call, err) : on_found(call, &place, err);
}

static void on_approved(struct tb_call *call, const struct tb_err *refusal)
{
    struct tb_err err = refusal ? *refusal : (struct tb_err){0};
    call->asked.given = true;
    if (refusal || begin(call, &err) < 0) {
        fail(call, &err);
    }
}

static int accept(struct tb_call *call, const struct tb_call_request *request, struct tb_err *err)
{
    if (call->from.caller.who->revoked) {
        return say_revoked(err);
    }
    call->from.live.revoked = on_revoked;
    tb_principal_add_live(call->from.caller.who, &call->from.live);
    int rc = copy_caller(call, &request->caller, err);
    if (rc < 0) {
        return rc;
    }
    rc = tb_rates_take(call->core, call->from.caller.who, NULL, err);
    if (rc < 0) {
        call->unheard = true; /* a flood must not fill the log */
        return rc;
    }
    rc = find_tool(call, request, err);
    if (rc == 0) {
        rc = read_args(call, &request->args, err);
    }
    if (rc < 0 || !tb_call_must_ask(call, &call->entry)) {
        return rc < 0 ? rc : begin(call, err);
    }
    tb_call_ask(call, &call->entry, call->given.args, on_approved);
    return 0;
}

static char *dup_known(struct tb_str text)
{
    return text.len ? tb_str_dup(text) : NULL;
}

struct tb_call *tb_call_start(struct tb_core *core, const struct tb_call_request *request)
{
    struct tb_call *call = TB_NEW(struct tb_call);
    struct tb_err err;
    call->core = core;
    call->from.caller = (struct tb_caller){.who = tb_principal_ref(request->caller.who, "call"),
                                           .conversation = call->from.conversation,
                                           .agent = call->from.agent,
                                           .view = tb_view_ref(request->caller.view, "call"),
                                           .files = request->caller.files,
                                           .brief = request->caller.brief,
                                           .passing = request->caller.passing,
                                           .noteless = request->caller.noteless,
                                           .everyone = request->caller.everyone,
                                           .session = call->from.session,
                                           .chooses = request->caller.chooses};
    call->done = request->done;
    call->progress = request->progress;
    tb_call_ask_init(call, request->ask);
    call->user = request->user;
    call->place.named = dup_known(request->session);
    call->given.request_id = dup_known(request->request_id);
    call->given.trace = tb_traceparent_valid(request->trace) ? tb_str_dup(request->trace) : NULL;
    call->accepted_ms = tb_loop_now_ms(core->loop);
    call->began_us = tb_clock_precise_us();
    call->deadline_ms = call->accepted_ms;
    call->job.run = on_job;
    tb_timer_init(&call->timer, core->loop, on_timer, call);
    tb_gate_init(&call->gate, on_gate_open);
    tb_result_init(&call->result);
    tb_call_printed_init(&call->printed);
    call->result.view = call->from.caller.view;
    call->result.whole = request->caller.whole;
    tb_list_append(&core->sessions->calls, &call->all);
    if (accept(call, request, &err) < 0) {
        fail(call, &err);
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
        fail(call, &err);
    }
}

/* Looking at it. */

const struct tb_result *tb_call_result(const struct tb_call *call)
{
    return &call->result;
}

struct tb_core *tb_call_core(const struct tb_call *call)
{
    return call->core;
}

const struct tb_caller *tb_call_caller(const struct tb_call *call)
{
    return &call->from.caller;
}

struct tb_gate *tb_call_gate(struct tb_call *call)
{
    return &call->gate;
}

const struct cJSON *tb_call_args(const struct tb_call *call)
{
    return call->given.args;
}

struct tb_result *tb_call_out(struct tb_call *call)
{
    return &call->result;
}

const struct tb_session *tb_call_session(const struct tb_call *call)
{
    return call->session;
}

struct tb_session *tb_call_beside(const struct tb_call *call)
{
    return call->place.beside;
}

int64_t tb_call_deadline_ms(const struct tb_call *call)
{
    return call->deadline_ms;
}
