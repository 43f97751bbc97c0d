/* SPDX-License-Identifier: Apache-2.0 */
/* When a session ends or goes to sleep by itself.
 *
 * One timer a session. It is moved only towards the present: a call that makes the end later leaves
 * it where it is, and when it fires too early it is set anew. So calls cost no work on the heap. */
#include "core/session_life.h"

#include "base/mem.h"
#include "core/core.h"
#include "core/lifetime.h"
#include "core/members.h"
#include "core/records.h"
#include "core/session_hibernate.h"
#include "core/sessions_internal.h"

enum {
    STORE_RETRY_MS = 1000,
};

struct due {
    int64_t at_ms;
    int64_t span_ms; /* how long it had in all */
    enum tb_end_reason reason;
};

static void sooner(struct due *due, int64_t from_ms, int64_t span_ms, enum tb_end_reason reason)
{
    int64_t at_ms;
    if (span_ms > 0 && !__builtin_add_overflow(from_ms, span_ms, &at_ms) && at_ms < due->at_ms) {
        *due = (struct due){at_ms, span_ms, reason};
    }
}

/* Its next end; at_ms is INT64_MAX if there is none. */
static struct due end_of(const struct tb_session *session, const struct tb_lifetime *lifetime)
{
    struct due due = {.at_ms = INT64_MAX};
    int64_t hibernated_ms = session->core->config->sessions_hibernated_ms;
    sooner(&due, session->times.created_ms, lifetime->max_age_ms, TB_END_MAX_AGE);
    if (session->times.ttl_at_ms && session->times.ttl_at_ms < due.at_ms) {
        due = (struct due){session->times.ttl_at_ms,
                           session->times.ttl_at_ms - session->times.last_active_ms,
                           TB_END_TTL_EXPIRED};
    }
    if (session->state == TB_STATE_AWAY) {
        sooner(&due, session->times.away_ms, lifetime->away_ms, session->losses.lost.reason);
    }
    if (!tb_session_at_rest(session) || tb_session_is_opening(session) || session->queue.holder) {
        return due;
    }
    if (lifetime->at_idle == TB_IDLE_CLOSE) {
        sooner(&due, session->times.last_active_ms, lifetime->idle_ms, TB_END_IDLE_TIMEOUT);
    } else if (lifetime->at_idle == TB_IDLE_HIBERNATE &&
               (session->state == TB_STATE_ASLEEP || lifetime->idle_ms)) {
        sooner(&due, session->times.last_active_ms, hibernated_ms, TB_END_IDLE_TIMEOUT);
    }
    return due;
}

/* When it hibernates; INT64_MAX: not by itself. */
static int64_t rest_of(const struct tb_session *session, const struct tb_lifetime *lifetime)
{
    int64_t at_ms = session->times.last_active_ms + lifetime->idle_ms;
    bool hibernates = lifetime->at_idle == TB_IDLE_HIBERNATE &&
                      (session->state == TB_STATE_OPEN || tb_session_just_opened(session));
    if (!hibernates || !lifetime->idle_ms || !tb_session_at_rest(session) ||
        session->queue.holder) {
        return INT64_MAX;
    }
    return at_ms < session->times.hibernate_after_ms ? session->times.hibernate_after_ms : at_ms;
}

static int64_t notice_of(const struct tb_session *session, const struct due *due)
{
    int64_t notice_ms = session->core->config->sessions_expiring_ms;
    notice_ms = notice_ms < due->span_ms / 2 ? notice_ms : due->span_ms / 2;
    return notice_ms > 0 && session->times.told_ms != due->at_ms ? due->at_ms - notice_ms
                                                                 : INT64_MAX;
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void tb_session_rearm(struct tb_session *session)
{
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    struct due due = end_of(session, &lifetime);
    int64_t at_ms = earliest(due.at_ms, rest_of(session, &lifetime));
    at_ms = due.at_ms < INT64_MAX ? earliest(at_ms, notice_of(session, &due)) : at_ms;
    at_ms = earliest(at_ms, tb_members_due_ms(session));
    if (at_ms < INT64_MAX &&
        (!tb_timer_armed(&session->times.timer) || session->times.timer.due_ms > at_ms)) {
        tb_timer_start(&session->times.timer, at_ms - tb_loop_now_ms(session->core->loop));
    }
}

static void tell_expiring(struct tb_session *session, const struct due *due)
{
    struct tb_core *core = session->core;
    session->times.told_ms = due->at_ms;
    struct tb_event event = tb_session_event(session, TB_EVENT_SESSION_EXPIRING);
    event.outcome = tb_end_reason_name(due->reason);
    event.fields[1] = tb_field_number("expires_in_ms", due->at_ms - tb_loop_now_ms(core->loop));
    tb_bus_publish(&core->bus, &event);
}

static void expire(struct tb_session *session, enum tb_end_reason reason)
{
    /* There is no browser to be freed, so an end that could not be stored had better wait. */
    if (tb_session_is_dormant(session) && !tb_store_ready(&session->core->store, NULL)) {
        tb_timer_start(&session->times.timer, STORE_RETRY_MS);
    } else if (reason == TB_END_MAX_AGE) {
        tb_session_retire(session);
    } else {
        tb_session_end(session, reason);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_session *session = user;
    int64_t now_ms = tb_loop_now_ms(timer->loop);
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    struct due due = end_of(session, &lifetime);
    if (session->state == TB_STATE_RETIRING) {
        return;
    }
    if (due.at_ms <= now_ms) {
        expire(session, due.reason);
        return;
    }
    if (rest_of(session, &lifetime) <= now_ms) {
        tb_session_hibernate(session);
    }
    if (due.at_ms < INT64_MAX && notice_of(session, &due) <= now_ms) {
        tell_expiring(session, &due);
    }
    tb_members_expire(session);
    if (!tb_session_ended(session)) {
        tb_session_rearm(session);
    }
}

void tb_session_init_timer(struct tb_session *session)
{
    tb_timer_init(&session->times.timer, session->core->loop, on_timer, session);
}

int64_t tb_session_expires_ms(const struct tb_session *session)
{
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    return end_of(session, &lifetime).at_ms;
}

int64_t tb_session_expires_wall_ms(const struct tb_session *session)
{
    int64_t at_ms = tb_session_expires_ms(session);
    int64_t left_ms = at_ms - tb_loop_now_ms(session->core->loop);
    return at_ms < INT64_MAX ? tb_clock_wall_ms(session->core->clock) + left_ms : INT64_MAX;
}

int64_t tb_session_frees_ms(const struct tb_session *session)
{
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    return earliest(end_of(session, &lifetime).at_ms, rest_of(session, &lifetime));
}

bool tb_session_too_old(const struct tb_session *session)
{
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    return lifetime.max_age_ms > 0 &&
           session->times.created_ms + lifetime.max_age_ms <= tb_loop_now_ms(session->core->loop);
}

void tb_session_retire(struct tb_session *session)
{
    if (!session->queue.running_count) {
        tb_session_end(session, TB_END_MAX_AGE);
        return;
    }
    tb_session_move(session, TB_STATE_RETIRING);
    tb_timer_stop(&session->times.timer);
}

void tb_session_make_named(struct tb_session *session)
{
    tb_sessions_count_awake(session, -1);
    session->traits.of_conversation = false;
    tb_sessions_count_awake(session, 1);
    tb_session_rearm(session);
}

/* Renewal. */

static void tell_renewed(struct tb_session *session, int64_t ttl_ms, const struct tb_caller *caller,
                         struct tb_gate *gate)
{
    struct tb_core *core = session->core;
    int64_t expires_ms = tb_session_expires_ms(session);
    struct tb_event event = tb_session_event(session, TB_EVENT_SESSION_RENEWED);
    event.agent = caller ? caller->agent : NULL;
    event.gate = gate;
    event.fields[1] = tb_field_number("ttl_ms", ttl_ms);
    if (expires_ms < INT64_MAX) {
        event.fields[2] = tb_field_number("expires_in_ms", expires_ms - tb_loop_now_ms(core->loop));
    }
    tb_bus_publish(&core->bus, &event);
}

int tb_session_renew(struct tb_session *session, int64_t ttl_ms, const struct tb_caller *caller,
                     struct tb_gate *gate, struct tb_err *err)
{
    const struct tb_lifetime lifetime = tb_lifetime_of(session);
    struct tb_err store_err;
    if (tb_session_ended(session) || session->state == TB_STATE_RETIRING) {
        return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
    }
    if (ttl_ms < 0) {
        return tb_fail(err, TB_E_PARAMS, "a time to live must not be negative");
    }
    if (!tb_store_ready(&session->core->store, &store_err)) {
        return tb_fail(err, TB_E_STORE, "%s", store_err.text);
    }
    ttl_ms = ttl_ms ? ttl_ms : lifetime.ttl_ms;
    ttl_ms = lifetime.ttl_max_ms && ttl_ms > lifetime.ttl_max_ms ? lifetime.ttl_max_ms : ttl_ms;
    tb_session_touch(session);
    if (ttl_ms) {
        session->times.ttl_at_ms = session->times.last_active_ms + ttl_ms;
    }
    tb_session_rearm(session);
    tb_record_put(session, gate);
    tell_renewed(session, ttl_ms, caller, gate);
    return 0;
}
