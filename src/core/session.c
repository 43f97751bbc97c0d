/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a session; core/session_state.h has its states.
 *
 * What a driver tells (opened, lost, closed) is only noted; the session's job does what follows
 * once a turn, so the driver is never called from inside its own callback, and a record is never
 * freed while somebody on the stack still has it. */
#include "core/session.h"

#include <string.h>

#include "base/mem.h"
#include "core/call_internal.h"
#include "core/call_tally.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/ends.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/policy.h"
#include "core/records.h"
#include "core/session_away.h"
#include "core/session_hibernate.h"
#include "core/session_hold.h"
#include "core/session_life.h"
#include "core/session_note.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"
#include "core/toolbox.h"
#include "core/watch.h"

bool tb_session_at_rest(const struct tb_session *session)
{
    return !session->queue.running_count && tb_list_empty(&session->queue.waiting);
}

void tb_session_touch(struct tb_session *session)
{
    session->times.last_active_ms = tb_loop_now_ms(session->core->loop);
    session->times.last_active_wall_ms = tb_clock_wall_ms(session->core->clock);
}

void tb_session_look(struct tb_session *session)
{
    tb_loop_defer(session->core->loop, &session->job);
}

/* The queue. */

static void rest(struct tb_session *session)
{
    tb_session_rearm(session);
    tb_session_plan_save(session);
}

static bool may_run(const struct tb_session *session)
{
    return session->state == TB_STATE_OPEN && !session->trouble && !session->queue.holder &&
           !tb_session_saving(session);
}

/* So many calls may begin besides those that run; an operation whose call has gone without it
 * still takes the place of one. */
static size_t places(const struct tb_session *session)
{
    size_t width = session->driver->width ? session->driver->width : 1;
    size_t taken = session->queue.running_count;
    LIST_FOREACH(link, &session->queue.ops) {
        taken += !TB_CONTAINER(link, struct tb_op_call, link)->call;
    }
    return taken < width ? width - taken : 0;
}

/* NULL: none may begin now. */
static struct tb_list *next_call(const struct tb_session *session)
{
    if (tb_members_has(session)) {
        return tb_members_next(session);
    }
    return tb_list_empty(&session->queue.waiting) ? NULL : session->queue.waiting.next;
}

static bool start_next(struct tb_session *session)
{
    struct tb_list *link = next_call(session);
    if (!link) {
        return false;
    }
    struct tb_call *call = TB_CONTAINER(link, struct tb_call, link);
    tb_list_remove(link);
    session->queue.waiting_count--;
    session->queue.running_count++;
    tb_list_append(&session->queue.running, link);
    tb_member_call_runs(call);
    tb_call_run(call);
    return true;
}

/* Starts the calls whose turn it is. Each can end the session, whose record stays until its job has
 * seen that; and a place that one leaves at once is given away by the job. */
static void pump(struct tb_session *session)
{
    size_t count = may_run(session) ? places(session) : 0;
    if (count && tb_session_at_rest(session)) {
        rest(session);
        return;
    }
    while (count-- > 0 && may_run(session) && !tb_session_save_comes_first(session) &&
           start_next(session)) {
    }
}

static int check_queue(struct tb_session *session, struct tb_call *call, struct tb_err *err)
{
    if (tb_members_has(session)) {
        return tb_member_call(session, call, err);
    }
    return session->queue.waiting_count >= (size_t)session->core->config->sessions_queue
               ? tb_fail(err, TB_E_BUSY, "%zu calls are already waiting for session '%s'",
                         session->queue.waiting_count, session->name)
               : 0;
}

int tb_session_enqueue(struct tb_session *session, struct tb_call *call, struct tb_err *err)
{
    if (tb_session_ended(session)) {
        return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
    }
    if (session->state == TB_STATE_AWAY) {
        return tb_session_say_away(session, err);
    }
    if (check_queue(session, call, err) < 0) {
        return err->code;
    }
    tb_session_touch(session);
    session->stats.calls++;
    session->queue.waiting_count++;
    if (session->state == TB_STATE_SAVING) {
        tb_session_move(session, TB_STATE_OPEN);
    }
    tb_list_append(&session->queue.waiting, &call->link);
    if (session->state == TB_STATE_ASLEEP) {
        tb_session_look(session);
    } else {
        pump(session);
    }
    return 0;
}

static bool is_running(const struct tb_session *session, const struct tb_call *call)
{
    LIST_FOREACH(link, &session->queue.running) {
        if (link == &call->link) {
            return true;
        }
    }
    return false;
}

void tb_session_leave(struct tb_session *session, struct tb_call *call)
{
    bool was_running = is_running(session, call);
    tb_list_remove(&call->link);
    *(was_running ? &session->queue.running_count : &session->queue.waiting_count) -= 1;
    tb_member_call_ended(call, was_running);
    if (was_running) {
        tb_session_note(session, call);
    }
    session->stats.errors += call->result.code < 0;
    tb_session_touch(session);
    tb_record_refresh(session);
    bool is_settled = session->driver_session || session->state == TB_STATE_ASLEEP;
    if (is_settled && tb_session_at_rest(session)) {
        rest(session);
    }
    tb_session_look(session);
}

/* The end. */

static void fail_all(struct tb_session *session, struct tb_list *calls, const struct tb_err *err)
{
    struct tb_list *link;
    bool were_running = calls == &session->queue.running;
    while ((link = tb_list_pop(calls))) {
        struct tb_call *call = TB_CONTAINER(link, struct tb_call, link);
        session->stats.errors++;
        call->session = NULL;
        tb_member_call_ended(call, were_running);
        tb_call_break(call, err, true);
    }
}

void tb_session_fail_running(struct tb_session *session, const struct tb_err *err)
{
    if (session->queue.running_count) {
        tb_session_touch(session);
        session->queue.running_count = 0;
        fail_all(session, &session->queue.running, err);
    }
}

void tb_session_fail_waiting(struct tb_session *session, const struct tb_err *err)
{
    session->queue.waiting_count = 0;
    fail_all(session, &session->queue.waiting, err);
}

void tb_session_cancel_ops(struct tb_session *session)
{
    LIST_FOREACH_SAFE(link, &session->queue.ops) {
        struct tb_op_call *op_call = TB_CONTAINER(link, struct tb_op_call, link);
        if (!op_call->ended && op_call->op.cancel) {
            op_call->op.cancel(&op_call->op);
        }
    }
}

struct ending {
    enum tb_end_reason reason;
    const struct tb_err *err; /* for its calls */
    struct tb_gate *gate;     /* of a reply that acknowledges it; may be NULL */
    const char *by;           /* the conversation that ended it; NULL: none did */
    const char *agent;        /* the name of who did; NULL or empty: unknown */
};

static void tell_end(struct tb_session *session, const struct ending *ending)
{
    const char *reason = tb_end_reason_name(ending->reason);
    int64_t lived_ms = tb_loop_now_ms(session->core->loop) - session->times.created_ms;
    tb_log_at(
        session->core->log, INFO, "session", "ended",
        tb_kv("id", tb_str_sub(tb_str_of(session->id), 0, TB_ID_SHOWN)),
        tb_kv_cstr("name", session->name), tb_kv_cstr("reason", reason), tb_kv_int("ms", lived_ms),
        tb_kv_int("calls", session->stats.calls), tb_kv_int("errors", session->stats.errors),
        session->trouble ? tb_kv_cstr("detail", session->trouble->text) : (struct tb_log_field){0});
    struct tb_event event = tb_session_event(session, TB_EVENT_SESSION_ENDED);
    event.agent = ending->agent && ending->agent[0] ? ending->agent : NULL;
    event.outcome = reason;
    event.gate = ending->gate;
    event.fields[1] = tb_field_cstr("url", session->url);
    event.fields[2] = tb_field_number("duration_ms", lived_ms);
    event.fields[3] = tb_field_number("calls", session->stats.calls);
    event.fields[4] = tb_field_number("errors", session->stats.errors);
    tb_bus_publish(&session->core->bus, &event);
}

/* Whose call fails because the session was stopped has heard so. */
static void warn_callers(const struct tb_session *session, const struct tb_list *calls)
{
    LIST_FOREACH(link, calls) {
        tb_end_warn(session->places.home, session->id,
                    TB_CONTAINER(link, struct tb_call, link)->from.conversation);
    }
}

static void end(struct tb_session *session, const struct ending *ending)
{
    const enum tb_end_reason reason = ending->reason;
    tb_timer_stop(&session->times.timer);
    tb_end_keep(session, reason, ending->by);
    tb_session_move(session, TB_STATE_ENDED);
    session->end.reason = reason;
    if (ending->err->code == TB_E_SESSION_STOPPED) {
        warn_callers(session, &session->queue.running);
        warn_callers(session, &session->queue.waiting);
    }
    tb_toolbox_bring_take(session, NULL, 0); /* while those who are told can still reach it */
    tb_sessions_forget(session);
    tb_session_policy_end(session);
    tb_record_remove(session, ending->gate);
    tb_session_fail_running(session, ending->err);
    tb_session_fail_waiting(session, ending->err);
    tb_members_clear(session);
    tb_session_end_hold(session, ending->err);
    tb_watch_end(session, reason);
    tb_session_look(session);
    tb_session_flush_tallies(session);
    tell_end(session, ending);
}

/* `caller` is NULL when nobody did it. */
static void end_by(struct tb_session *session, enum tb_end_reason reason,
                   const struct tb_caller *caller, struct tb_gate *gate)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(TB_KIB);
    struct tb_err err;
    if (tb_session_ended(session)) {
        return;
    }
    tb_end_words(session, reason, &words);
    tb_fail(&err, reason == TB_END_SHUTDOWN ? TB_E_SHUTDOWN : tb_end_reason_code(reason),
            "Session '%s' %.*s", session->name, TB_STR_ARG(tb_buf_str(&words)));
    end(session, &(struct ending){reason, &err, gate, caller ? caller->conversation : NULL,
                                  caller ? caller->agent : NULL});
}

void tb_session_end_stored(struct tb_session *session, enum tb_end_reason reason,
                           struct tb_gate *gate)
{
    end_by(session, reason, NULL, gate);
}

void tb_session_close(struct tb_session *session, const struct tb_caller *caller,
                      struct tb_gate *gate)
{
    end_by(session, caller->everyone ? TB_END_USER_STOPPED : TB_END_CLOSED, caller, gate);
}

void tb_session_end(struct tb_session *session, enum tb_end_reason reason)
{
    tb_session_end_stored(session, reason, NULL);
}

/* The driver's side. */

static void on_opened(struct tb_driver_session *driver_session, const struct tb_err *err,
                      void *owner)
{
    struct tb_session *session = owner;
    session->driver_session = driver_session;
    session->side = driver_session ? TB_SIDE_OPEN : TB_SIDE_NONE;
    if (!driver_session && !session->trouble) {
        session->trouble = TB_NEW(struct tb_err);
        *session->trouble = *err;
    }
    tb_session_look(session);
}

static void on_lost(void *owner, enum tb_end_reason reason, enum tb_loss loss, const char *detail)
{
    struct tb_session *session = owner;
    if (session->trouble || tb_session_ended(session)) {
        return;
    }
    session->trouble = TB_NEW(struct tb_err);
    session->losses.lost = (struct tb_lost){reason, loss};
    if (loss == TB_LOSS_AWAY) {
        tb_fail(session->trouble, TB_E_AWAY, "Session '%s' lost its %s%s%s", session->name,
                tb_session_kind_name(session->kind), detail[0] ? ": " : "", detail);
    } else {
        tb_fail(session->trouble, tb_end_reason_loss_code(reason), "Session '%s' %s%s%s",
                session->name, tb_end_reason_words(reason), detail[0] ? ": " : "", detail);
    }
    tb_watch_pause(session);
    tb_session_look(session);
}

static void on_event(void *owner, const struct tb_event *event)
{
    const struct tb_session *session = owner;
    struct tb_event told = *event;
    told.tenant = session->tenant;
    told.session_id = session->id;
    told.hidden = session->traits.hidden;
    if (!tb_session_ended(session)) {
        tb_session_publish(session, &told);
    }
}

static void on_tools(void *owner, struct tb_brought **tools, size_t count)
{
    struct tb_session *session = owner;
    if (tb_session_ended(session)) {
        tb_brought_list_clear(&(struct tb_brought_list){tools, count});
    } else {
        tb_toolbox_bring_take(session, tools, count);
    }
}

static void on_closed(void *owner)
{
    struct tb_session *session = owner;
    session->side = TB_SIDE_CLOSED;
    tb_session_look(session);
}

void tb_session_close_driver(struct tb_session *session)
{
    session->side = TB_SIDE_CLOSING;
    tb_watch_pause(session);
    if (session->state == TB_STATE_CLOSING) { /* its tools go with their page */
        tb_toolbox_bring_take(session, NULL, 0);
    }
    session->driver->close(session->driver_session, on_closed, session);
}

void tb_session_wind_up(struct tb_session *session)
{
    tb_session_cut_wake(session);
    if (session->side == TB_SIDE_OPEN) {
        tb_session_close_driver(session);
    } else if (session->side == TB_SIDE_NONE || session->side == TB_SIDE_CLOSED) {
        tb_sessions_gone(session);
    }
}

static bool is_lost_for_good(const struct tb_session *session)
{
    return session->trouble && session->driver_session &&
           session->losses.lost.loss == TB_LOSS_FINAL;
}

/* It did not open, or what it drives is gone. */
static void on_trouble(struct tb_session *session)
{
    bool lost = session->driver_session != NULL;
    bool retires = session->state == TB_STATE_RETIRING;
    bool restorable = lost && session->losses.lost.loss == TB_LOSS_RESTORABLE;
    if (lost && session->losses.lost.loss == TB_LOSS_AWAY) {
        if (retires) {
            tb_session_end(session, session->losses.lost.reason);
        } else {
            tb_session_go_away(session);
        }
    } else if (restorable && tb_session_can_hibernate(session) && !retires) {
        tb_session_lose(session);
    } else if (!lost && !tb_session_is_new(session)) {
        const struct tb_err why = *session->trouble;
        tb_session_fail_waiting(session, &why);
        tb_session_hibernated(session);
        tb_session_end_hold(session, &why);
    } else {
        tb_current_fall_back(session);
        end(session,
            &(struct ending){.reason = lost ? session->losses.lost.reason : TB_END_NOT_STARTED,
                             .err = session->trouble});
    }
}

/* It sleeps: does a call or a person wait for it? */
static void wake(struct tb_session *session)
{
    struct tb_err err;
    bool is_wanted = !tb_list_empty(&session->queue.waiting) || session->queue.holder;
    if (is_wanted && tb_list_empty(&session->queue.ops) &&
        tb_session_wake(session, NULL, &err) < 0) {
        tb_session_fail_waiting(session, &err);
        tb_session_rearm(session);
        tb_session_end_hold(session, &err);
    }
}

/* Nothing stands against it: what does its state call for? */
static void go_on(struct tb_session *session)
{
    if (tb_session_just_opened(session)) {
        tb_session_opened(session); /* whoever hears of it may end the session */
    }
    bool is_draining = session->core->sessions->draining;
    if (session->state == TB_STATE_RETIRING && !session->queue.running_count) {
        tb_session_end(session, TB_END_MAX_AGE);
    } else if (session->state == TB_STATE_ASLEEP) {
        wake(session);
    } else if (session->state == TB_STATE_SAVING) {
        tb_session_save_step(session);
    } else if (is_draining && !tb_session_ended(session)) {
        tb_session_finish(session);
    } else {
        tb_session_take_over(session);
        if (session->state == TB_STATE_HELD) {
            tb_session_plan_save(session); /* what changed while the last save was under way */
        }
        pump(session);
    }
}

static void on_job(struct tb_deferred *job)
{
    struct tb_session *session = TB_CONTAINER(job, struct tb_session, job);
    if (session->state == TB_STATE_ENDED) {
        tb_session_wind_up(session);
    } else if (session->end.astray) {
        tb_session_end(session, TB_END_INTERNAL);
    } else if (session->state == TB_STATE_AWAY && !is_lost_for_good(session)) {
        tb_session_away_step(session);
    } else if (session->state == TB_STATE_CLOSING && !is_lost_for_good(session)) {
        if (session->side == TB_SIDE_CLOSED) {
            tb_session_hibernated(session);
        }
    } else if (session->trouble) {
        on_trouble(session);
    } else {
        go_on(session);
    }
}

void tb_session_open(struct tb_session *session, const struct tb_session_spec *spec)
{
    static const struct tb_driver_events events = {on_lost,
                                                   on_event,
                                                   tb_session_on_changed,
                                                   on_tools,
                                                   tb_watch_on_picture,
                                                   tb_session_policy_page,
                                                   tb_session_policy_file_max};
    if (spec->channel) {
        session->times.peer_wall_ms = tb_clock_wall_ms(session->core->clock);
    }
    tb_session_policy_restore(session, spec->args);
    const struct tb_policy_set set = tb_session_policies(session);
    struct tb_egress *egress = NULL;
    struct tb_err err;
    session->side = TB_SIDE_OPENING;
    if (tb_egress_of(session, spec->args, &egress, &err) < 0) {
        on_opened(NULL, &err, session);
        return;
    }
    const struct tb_open_opts opts = {
        .tenant = session->tenant,
        .session_id = session->id,
        .args = spec->args,
        .saved = spec->saved,
        .last_ref = tb_session_is_new(session) ? 0 : session->refs,
        .files = session->traits.files && tb_policy_bytes_max(&set, TB_POLICY_DOWNLOADS) != 0,
        .deadline_ms = spec->deadline_ms,
        .channel = spec->channel,
        .egress = egress,
        .events = &events,
        .owner = session,
    };
    session->driver->open(spec->driver_state, &opts, on_opened);
}

struct tb_session *tb_session_new(struct tb_sessions *sessions, const char *tenant)
{
    struct tb_session *session = TB_NEW(struct tb_session);
    session->core = sessions->core;
    session->places.home = tb_tenant_make(sessions, tenant);
    session->tenant = session->places.home->name;
    session->refs = TB_REFS_AHEAD;
    session->job.run = on_job;
    tb_list_init(&session->queue.running);
    tb_list_init(&session->queue.ops);
    tb_list_init(&session->queue.waiting);
    tb_list_init(&session->places.currents);
    tb_list_init(&session->places.owned);
    tb_list_init(&session->places.awake);
    tb_list_init(&session->members.list);
    tb_list_init(&session->members.tallies);
    session->members.none_since_ms = tb_loop_now_ms(session->core->loop);
    tb_list_init(&session->losses.authors);
    tb_session_init_timer(session);
    return session;
}
