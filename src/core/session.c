/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a session:
 *
 *   opening --answer--> open --end--> closing --closed--> freed
 *      |                                 ^
 *      +--end--> waits for the answer ---+
 *
 * What a driver tells (opened, lost, closed) is only noted; the session's job does what follows
 * once a turn, so the driver is never called from inside its own callback, and a record is never
 * freed while somebody on the stack still has it. */
#include "core/session.h"

#include "base/mem.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/sessions_internal.h"

static bool ended(const struct tb_session *session)
{
    return session->state >= TB_STATE_EXPIRED;
}

bool tb_session_at_rest(const struct tb_session *session)
{
    return !session->running && tb_list_empty(&session->waiting);
}

static void touch(struct tb_session *session)
{
    session->last_active_ms = tb_loop_now_ms(session->core->loop);
    session->last_active_wall_ms = tb_clock_wall_ms(session->core->clock);
}

void tb_session_wake(struct tb_session *session)
{
    tb_loop_defer(session->core->loop, &session->job);
}

/* The queue. */

/* A timer for `ms` after `since_ms`; 0 is never. */
static void start_timer(struct tb_timer *timer, int64_t since_ms, int64_t ms)
{
    tb_timer_stop(timer);
    if (ms > 0) {
        tb_timer_start(timer, since_ms + ms - tb_loop_now_ms(timer->loop));
    }
}

static void rest(struct tb_session *session)
{
    const struct tb_config *config = session->core->config;
    if (session->state == TB_STATE_IDLE) {
        return; /* the time counts from the last call, not from what else happens */
    }
    session->state = TB_STATE_IDLE;
    start_timer(&session->idle_timer, tb_loop_now_ms(session->core->loop),
                session->conversation[0] ? config->sessions_conversation_idle_ms
                                         : config->sessions_named_idle_ms);
}

static bool ready(const struct tb_session *session)
{
    return session->driver_session && !session->trouble && !session->running && !session->op &&
           !session->retiring;
}

/* Starts the next call. Nothing here may touch the session after tb_call_run, which can end it. */
static void pump(struct tb_session *session)
{
    if (!ready(session)) {
        return;
    }
    struct tb_list *link = tb_list_pop(&session->waiting);
    if (!link) {
        rest(session);
        return;
    }
    session->waiting_count--;
    session->running = TB_CONTAINER(link, struct tb_call, link);
    session->state = TB_STATE_ACTIVE;
    tb_call_run(session->running);
}

int tb_session_enqueue(struct tb_session *session, struct tb_call *call)
{
    if (ended(session)) {
        return TB_E_SESSION_ENDED;
    }
    if (session->waiting_count >= (size_t)session->core->config->sessions_queue) {
        return TB_E_BUSY;
    }
    tb_timer_stop(&session->idle_timer);
    touch(session);
    session->stats.calls++;
    session->waiting_count++;
    if (session->driver_session) {
        session->state = TB_STATE_ACTIVE;
    }
    tb_list_append(&session->waiting, &call->link);
    pump(session);
    return 0;
}

void tb_session_leave(struct tb_session *session, struct tb_call *call)
{
    if (session->running == call) {
        session->running = NULL;
    } else {
        tb_list_remove(&call->link);
        session->waiting_count--;
    }
    session->stats.errors += call->result.code < 0;
    touch(session);
    if (session->driver_session && tb_session_at_rest(session)) {
        rest(session);
    }
    tb_session_wake(session);
}

/* The end. */

static void fail_calls(struct tb_session *session, const struct tb_err *err)
{
    struct tb_call *running = session->running;
    struct tb_list *link;
    session->running = NULL;
    if (running) {
        session->stats.errors++;
        running->session = NULL;
        tb_call_break(running, err, true);
    }
    while ((link = tb_list_pop(&session->waiting))) {
        struct tb_call *call = TB_CONTAINER(link, struct tb_call, link);
        session->stats.errors++;
        call->session = NULL;
        tb_call_break(call, err, true);
    }
    session->waiting_count = 0;
}

static void tell_end(struct tb_session *session, enum tb_end_reason reason)
{
    int64_t lived_ms = tb_loop_now_ms(session->core->loop) - session->created_ms;
    tb_log_at(session->core->log, INFO, "session", "ended",
              tb_kv("id", tb_str_sub(tb_str_of(session->id), 0, TB_ID_SHOWN)),
              tb_kv_cstr("name", session->name), tb_kv_cstr("reason", tb_end_reason_name(reason)),
              tb_kv_int("ms", lived_ms), tb_kv_int("calls", session->stats.calls),
              tb_kv_int("errors", session->stats.errors),
              session->trouble ? tb_kv_cstr("detail", session->trouble->text)
                               : (struct tb_log_field){0});
    if (!tb_bus_heard(&session->core->bus)) {
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "name", session->name);
    tb_json_set_cstr(json, "type", tb_session_kind_name(session->kind));
    tb_json_set_cstr(json, "reason", tb_end_reason_name(reason));
    tb_json_set_int(json, "duration_ms", lived_ms);
    tb_json_set_int(json, "calls", session->stats.calls);
    tb_json_set_int(json, "errors", session->stats.errors);
    tb_bus_publish_json(&session->core->bus, TB_EVENT_SESSION_ENDED, session->tenant, session->id,
                        json, NULL);
}

static void end(struct tb_session *session, enum tb_end_reason reason, const struct tb_err *err)
{
    session->state = tb_end_reason_expired(reason) ? TB_STATE_EXPIRED : TB_STATE_TERMINATED;
    tb_timer_stop(&session->idle_timer);
    tb_timer_stop(&session->age_timer);
    tb_sessions_forget(session, reason);
    fail_calls(session, err);
    tb_session_wake(session);
    tell_end(session, reason);
}

void tb_session_end(struct tb_session *session, enum tb_end_reason reason)
{
    struct tb_err err;
    if (ended(session)) {
        return;
    }
    tb_fail(&err, reason == TB_END_SHUTDOWN ? TB_E_SHUTDOWN : TB_E_SESSION_ENDED, "Session '%s' %s",
            session->name, tb_end_reason_words(reason));
    end(session, reason, &err);
}

void tb_session_retire(struct tb_session *session)
{
    if (!session->running) {
        tb_session_end(session, TB_END_MAX_AGE);
        return;
    }
    session->retiring = true;
    tb_timer_stop(&session->age_timer);
    tb_current_forget(session);
}

void tb_session_make_named(struct tb_session *session)
{
    const struct tb_config *config = session->core->config;
    struct tb_tenant *tenant = session->home;
    struct tb_str conversation = tb_str_of(session->conversation);
    if (tb_map_get(&tenant->by_conversation, conversation) == session) {
        tb_map_remove(&tenant->by_conversation, conversation);
    }
    tenant->conversation_count--;
    tenant->named_count++;
    session->conversation[0] = '\0';
    start_timer(&session->age_timer, session->created_ms, config->sessions_named_max_age_ms);
    if (session->state == TB_STATE_IDLE) {
        start_timer(&session->idle_timer, session->last_active_ms, config->sessions_named_idle_ms);
    }
}

static void on_idle(struct tb_timer *timer, void *user)
{
    (void)timer;
    tb_session_end(user, TB_END_IDLE_TIMEOUT);
}

static void on_age(struct tb_timer *timer, void *user)
{
    (void)timer;
    tb_session_retire(user);
}

int64_t tb_session_expires_ms(const struct tb_session *session)
{
    int64_t at_ms = INT64_MAX;
    if (tb_timer_armed(&session->idle_timer)) {
        at_ms = session->idle_timer.due_ms;
    }
    if (tb_timer_armed(&session->age_timer) && session->age_timer.due_ms < at_ms) {
        at_ms = session->age_timer.due_ms;
    }
    return at_ms;
}

/* The driver's side. */

static void on_opened(struct tb_driver_session *driver_session, const struct tb_err *err,
                      void *owner)
{
    struct tb_session *session = owner;
    session->opening = false;
    session->driver_session = driver_session;
    if (!driver_session && !session->trouble) {
        session->trouble = TB_NEW(struct tb_err);
        *session->trouble = *err;
    }
    tb_session_wake(session);
}

static void on_lost(void *owner, int code, const char *detail)
{
    struct tb_session *session = owner;
    (void)code;
    if (session->trouble || ended(session)) {
        return;
    }
    session->trouble = TB_NEW(struct tb_err);
    tb_fail(session->trouble, TB_E_BROWSER_CRASHED, "Session '%s' lost its browser%s%s",
            session->name, detail && detail[0] ? ": " : "", detail ? detail : "");
    tb_session_wake(session);
}

static void on_event(void *owner, int type, struct tb_str json)
{
    const struct tb_session *session = owner;
    const struct tb_event event = {(enum tb_event_type)type, session->tenant, session->id, json,
                                   NULL};
    if (!ended(session)) {
        tb_bus_publish(&session->core->bus, &event);
    }
}

static void on_closed(void *owner)
{
    struct tb_session *session = owner;
    session->closed = true;
    tb_session_wake(session);
}

void tb_session_wind_up(struct tb_session *session)
{
    if (session->opening) {
        return;
    }
    if (session->driver_session && !session->closing) {
        session->closing = true;
        session->driver->close(session->driver_session, on_closed, session);
    } else if (!session->driver_session || session->closed) {
        tb_sessions_gone(session);
    }
}

static void on_job(struct tb_deferred *job)
{
    struct tb_session *session = TB_CONTAINER(job, struct tb_session, job);
    if (ended(session)) {
        tb_session_wind_up(session);
    } else if (session->trouble) {
        end(session, TB_END_BROWSER_CRASHED, session->trouble);
    } else if (session->retiring && !session->running) {
        tb_session_end(session, TB_END_MAX_AGE);
    } else {
        pump(session);
    }
}

void tb_session_open(struct tb_session *session, const struct tb_session_spec *spec)
{
    static const struct tb_driver_events events = {on_lost, on_event, NULL};
    const struct tb_config *config = session->core->config;
    int64_t age_ms = session->conversation[0] ? config->sessions_conversation_max_age_ms
                                              : config->sessions_named_max_age_ms;
    const struct tb_open_opts opts = {
        .tenant = session->tenant,
        .session_id = session->id,
        .args = spec->args,
        .deadline_ms = spec->deadline_ms,
        .events = &events,
        .owner = session,
    };
    touch(session);
    session->created_ms = session->last_active_ms;
    session->created_wall_ms = session->last_active_wall_ms;
    session->job.run = on_job;
    tb_list_init(&session->waiting);
    tb_timer_init(&session->idle_timer, session->core->loop, on_idle, session);
    tb_timer_init(&session->age_timer, session->core->loop, on_age, session);
    start_timer(&session->age_timer, session->created_ms, age_ms);
    session->opening = true;
    session->driver->open(spec->driver_state, &opts, on_opened);
}

void tb_session_record_free(struct tb_session *session)
{
    if (session->op) {
        session->op->session = NULL;
    }
    tb_deferred_cancel(&session->job);
    tb_timer_fini(&session->idle_timer);
    tb_timer_fini(&session->age_timer);
    tb_list_remove(&session->link);
    tb_free(session->trouble);
    tb_free(session);
}
