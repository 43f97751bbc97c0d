/* SPDX-License-Identifier: Apache-2.0 */
/* What a session's browser has, between the browser and the store.
 *
 *   changed --at rest, or after two seconds--> saving --the driver's answer--> storing --> saved
 *   idle --> saving, storing if anything has changed --> the driver closes --> asleep
 *   asleep --a call--> reading --> opening --> open
 *   lost --> the driver closes --> asleep */
#include "core/session_hibernate.h"

#include <stdio.h>

#include "base/mem.h"
#include "core/authors.h"
#include "core/call_internal.h"
#include "core/channel.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/records.h"
#include "core/session_away.h"
#include "core/session_hold.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"
#include "core/watch.h"
#include "io/timer.h"

enum {
    REST_MS = 500,         /* without a call before a change is saved */
    LATEST_MS = 2 * 1000,  /* after a change it is saved between two calls, rest or not */
    BETWEEN_MS = 2 * 1000, /* two saves */
    SAVE_MS = 5 * 1000,    /* for the driver; half of what the end of the daemon may take */
    RETRY_MS = 60 * 1000,  /* for a session that cannot be saved and so not sleep */
};

struct storing {
    struct tb_gate gate;
    struct tb_session *session;
};

struct tb_saving {
    struct tb_timer timer;
    int64_t saved_ms;   /* when the last save began */
    int64_t changed_ms; /* since when something is not saved */
    struct storing *storing;
    struct tb_store_read *read;
    struct tb_buf state;        /* what is brought back */
    struct tb_channel *channel; /* to the peer that it is opened for; NULL: none, or it is open */
    bool unreadable;            /* it was there, but not to be understood */
    bool changed;
    bool asked;      /* the driver is */
    bool typed;      /* what is being saved has what was typed */
    bool final;      /* saved, or tried, in order to sleep */
    bool failed;     /* the last save */
    bool complained; /* about the first of several */
};

bool tb_session_survives(const struct tb_session *session)
{
    const struct tb_core *core = session->core;
    return core->store.kind && (tb_session_returns(session) ||
                                (session->driver->save && core->config->sessions_hibernate));
}

bool tb_session_can_hibernate(const struct tb_session *session)
{
    const struct tb_sessions *sessions = session->core->sessions;
    return tb_session_survives(session) && session->driver->save &&
           (session->state == TB_STATE_ASLEEP ||
            tb_sessions_asleep_count(sessions) < (size_t)session->core->config->sessions_stored);
}

/* What a browser needs. */

static void on_save_due(struct tb_timer *timer, void *user);

void tb_saving_begin(struct tb_session *session)
{
    struct tb_saving *saving = TB_NEW(struct tb_saving);
    tb_timer_init(&saving->timer, session->core->loop, on_save_due, session);
    tb_buf_init(&saving->state, TB_SAVED_MAX);
    saving->saved_ms = tb_loop_now_ms(session->core->loop) - BETWEEN_MS;
    session->saving = saving;
}

void tb_saving_free(struct tb_saving *saving)
{
    if (!saving) {
        return;
    }
    tb_timer_fini(&saving->timer);
    if (saving->storing) {
        tb_gate_fini(&saving->storing->gate);
        tb_free(saving->storing);
    }
    tb_channel_unref(saving->channel, "waking");
    tb_buf_fini(&saving->state);
    tb_free(saving);
}

void tb_session_cut_wake(struct tb_session *session)
{
    struct tb_saving *saving = session->saving;
    if (saving && saving->read) {
        session->core->store.kind->cancel(saving->read);
        saving->read = NULL;
    }
}

/* Saving. */

bool tb_session_has_typed(const struct tb_session *session)
{
    return session->losses.typed || (session->saving && session->saving->typed);
}

static bool note_typing(struct tb_session *session, const struct tb_call *call)
{
    bool known = session->losses.typed;
    session->losses.typed = true;
    bool is_author_new =
        call && tb_authors_typed(&session->losses.authors, call->from.conversation);
    return !known || is_author_new;
}

/* Another page has no need of what the one before has lost. */
static bool note_navigation(struct tb_session *session)
{
    bool any_untold = tb_authors_any_untold(&session->losses.authors);
    session->losses.unaware = 0;
    tb_authors_move_on(&session->losses.authors);
    return any_untold;
}

static bool note_refs(struct tb_session *session, int64_t last_ref)
{
    if (last_ref <= session->refs) {
        return false;
    }
    session->refs = last_ref + TB_REFS_AHEAD;
    return true;
}

void tb_session_remember(struct tb_session *session, const struct tb_op *op, struct tb_call *call)
{
    if (tb_session_ended(session) || !tb_session_survives(session)) {
        return;
    }
    bool has_left = op->kind == TB_OP_NAVIGATE && op->result->code == 0;
    bool is_news = has_left && note_navigation(session);
    is_news = (op->typed && note_typing(session, call)) || is_news;
    is_news = note_refs(session, op->last_ref) || is_news;
    if (is_news) {
        tb_record_put(session, call ? &call->gate : NULL);
    }
}

void tb_session_note_typed(struct tb_session *session)
{
    if (tb_session_survives(session) && note_typing(session, NULL)) {
        tb_record_put(session, NULL);
    }
}

bool tb_session_saving(const struct tb_session *session)
{
    return session->saving && session->saving->asked && !session->driver->saves_beside;
}

static void note_change(struct tb_session *session)
{
    struct tb_saving *saving = session->saving;
    if (!saving->changed) {
        saving->changed = true;
        saving->changed_ms = tb_loop_now_ms(session->core->loop);
    }
}

/* What was typed is not in the save. */
static void keep_typed(struct tb_session *session)
{
    session->losses.typed = tb_session_has_typed(session);
    session->saving->typed = false;
}

static void save_failed(struct tb_session *session, const struct tb_err *err)
{
    note_change(session);
    keep_typed(session);
    session->saving->failed = true;
    if (err->code != TB_E_CLOSED && !session->saving->complained) {
        session->saving->complained = true;
        tb_log_at(session->core->log, WARN, "session", "not saved",
                  tb_kv_cstr("name", session->name), tb_kv_cstr("reason", err->text));
    }
}

static void on_stored(struct tb_gate *gate)
{
    struct storing *storing = TB_CONTAINER(gate, struct storing, gate);
    struct tb_session *session = storing->session;
    session->saving->storing = NULL;
    if (gate->err.code < 0) {
        save_failed(session, &gate->err);
    } else if (!tb_session_ended(session)) {
        bool first = !session->saved;
        bool typed = session->saving->typed;
        session->saved = true;
        session->saving->typed = false;
        session->saving->failed = false;
        session->saving->complained = false;
        if (first || (typed && !session->losses.typed)) {
            tb_record_put(session, NULL);
        }
        tb_session_tell(session, TB_EVENT_SESSION_SAVED, NULL, NULL);
    }
    tb_free(storing);
    tb_session_look(session);
}

static void on_saved(struct tb_str state, bool whole, const struct tb_err *err, void *owner)
{
    struct tb_session *session = owner;
    struct tb_saving *saving = session->saving;
    saving->asked = false;
    tb_session_look(session);
    if (tb_session_ended(session)) {
        return;
    }
    if (err) {
        save_failed(session, err);
        return;
    }
    if (!whole) {
        keep_typed(session);
    }
    saving->storing = TB_NEW(struct storing);
    saving->storing->session = session;
    struct tb_gate *gate = &saving->storing->gate;
    tb_gate_init(gate, on_stored);
    tb_record_put_state(session, state, gate);
    if (!tb_gate_shut(gate)) {
        on_stored(gate);
    }
}

static void save(struct tb_session *session)
{
    struct tb_saving *saving = session->saving;
    saving->saved_ms = tb_loop_now_ms(session->core->loop);
    saving->changed = false;
    saving->failed = false;
    saving->asked = true;
    saving->typed = session->losses.typed;
    session->losses.typed = false; /* what comes from now on is not in it */
    session->driver->save(session->driver_session, saving->saved_ms + SAVE_MS, on_saved, session);
}

/* But for operations that are under way. */
static bool could_save(const struct tb_session *session)
{
    const struct tb_saving *saving = session->saving;
    return saving && session->side == TB_SIDE_OPEN && session->state != TB_STATE_AWAY &&
           tb_session_survives(session) && session->driver->save && !session->trouble &&
           !saving->asked && !saving->storing;
}

static bool may_save(const struct tb_session *session)
{
    return could_save(session) && tb_list_empty(&session->queue.ops);
}

/* An agent that works without a pause must not lose minutes of it with the daemon. */
static bool is_overdue(const struct tb_session *session, int64_t now_ms)
{
    const struct tb_saving *saving = session->saving;
    return session->driver->saves_beside && now_ms >= saving->changed_ms + LATEST_MS &&
           now_ms >= saving->saved_ms + BETWEEN_MS;
}

void tb_session_plan_save(struct tb_session *session)
{
    struct tb_saving *saving = session->saving;
    if (session->state == TB_STATE_SAVING || !may_save(session) || !saving->changed) {
        return;
    }
    int64_t now_ms = tb_loop_now_ms(session->core->loop);
    if (is_overdue(session, now_ms)) {
        tb_timer_stop(&saving->timer);
        save(session);
    } else if (!tb_timer_armed(&saving->timer)) {
        int64_t wait_ms = saving->saved_ms + BETWEEN_MS - now_ms;
        tb_timer_start(&saving->timer, wait_ms > REST_MS ? wait_ms : REST_MS);
    }
}

/* One that its call has left may take for ever. */
static bool all_ops_end(const struct tb_session *session)
{
    LIST_FOREACH(link, &session->queue.ops) {
        if (!TB_CONTAINER(link, struct tb_op_call, link)->call) {
            return false;
        }
    }
    return true;
}

bool tb_session_save_comes_first(struct tb_session *session)
{
    const int64_t now_ms = tb_loop_now_ms(session->core->loop);
    if (!could_save(session) || !session->saving->changed || !is_overdue(session, now_ms)) {
        return false;
    }
    tb_session_plan_save(session);
    return session->saving->changed && all_ops_end(session);
}

/* Calls do not move the timer; what is left to wait for is seen here. */
static void on_save_due(struct tb_timer *timer, void *user)
{
    struct tb_session *session = user;
    int64_t rested_ms = tb_loop_now_ms(timer->loop) - session->times.last_active_ms;
    if (session->state == TB_STATE_SAVING) {
        session->saving->failed = true; /* an operation does not end */
        tb_session_look(session);
        return;
    }
    if (!tb_session_is_quiet(session) || !may_save(session)) {
        return; /* planned anew when it comes to rest */
    }
    if (rested_ms < REST_MS) {
        tb_timer_start(timer, REST_MS - rested_ms);
    } else if (session->saving->changed) {
        save(session);
    }
}

void tb_session_on_changed(void *owner)
{
    struct tb_session *session = owner;
    if (session->saving && !tb_session_ended(session)) {
        note_change(session);
        if (tb_session_is_quiet(session)) {
            tb_session_plan_save(session);
        }
    }
}

void tb_session_store_again(struct tb_session *session)
{
    session->saved = false;
    tb_record_put(session, NULL);
    tb_session_on_changed(session);
}

/* Sleeping. */

void tb_session_hibernate(struct tb_session *session)
{
    if (tb_session_just_opened(session)) {
        tb_session_opened(session);
    }
    if (session->state == TB_STATE_OPEN || session->state == TB_STATE_HELD) {
        tb_session_move(session, TB_STATE_SAVING);
    }
    session->end.gives_way = false;
    if (session->saving) {
        session->saving->final = false;
        session->saving->failed = false;
        tb_timer_stop(&session->saving->timer);
    }
    tb_session_look(session);
}

/* It sleeps with an older save than it should. */
static void note_unsaved(struct tb_session *session)
{
    const struct tb_saving *saving = session->saving;
    if (session->saved && saving->failed && saving->changed) {
        tb_free(session->losses.loss);
        session->losses.loss = tb_strdupf(
            "Session '%s' could not be saved when its browser was closed", session->name);
    }
}

void tb_session_save_step(struct tb_session *session)
{
    struct tb_saving *saving = session->saving;
    bool draining = session->core->sessions->draining;
    if (saving->asked || saving->storing) {
        return; /* the job comes again */
    }
    if (!tb_list_empty(&session->queue.ops) && !saving->failed) {
        if (!tb_timer_armed(&saving->timer)) {
            tb_timer_start(&saving->timer, TB_CALL_GRACE_MS);
        }
        return;
    }
    bool unsaved = session->driver->save && (saving->changed || !session->saved);
    if (unsaved && !saving->final && !saving->failed && may_save(session)) {
        saving->final = true; /* or a page that never rests would keep it awake */
        save(session);
    } else if (unsaved && !session->saved && !draining) {
        tb_session_move(session, TB_STATE_OPEN); /* better a browser too many than a login lost */
        session->times.hibernate_after_ms = tb_loop_now_ms(session->core->loop) + RETRY_MS;
        tb_session_rearm(session);
    } else {
        note_unsaved(session);
        tb_session_move(session, TB_STATE_CLOSING);
        tb_session_close_driver(session);
    }
}

void tb_session_shed(struct tb_session *session)
{
    tb_sessions_count_awake(session, -1);
    session->losses.typed = tb_session_has_typed(session);
    tb_saving_free(session->saving);
    session->saving = NULL;
    session->driver_session = NULL;
    session->side = TB_SIDE_NONE;
}

void tb_session_hibernated(struct tb_session *session)
{
    bool stays_away = session->state == TB_STATE_WAKING && tb_session_returns(session);
    bool woken = session->driver_session != NULL;
    enum tb_end_reason reason = session->trouble                    ? session->losses.lost.reason
                                : session->core->sessions->draining ? TB_END_SHUTDOWN
                                : session->end.gives_way            ? TB_END_EVICTED
                                                                    : TB_END_IDLE_TIMEOUT;
    tb_session_shed(session);
    tb_session_move(session, stays_away ? TB_STATE_AWAY : TB_STATE_ASLEEP);
    tb_free(session->trouble);
    session->trouble = NULL;
    tb_record_put(session, NULL);
    tb_session_rearm(session);
    if (woken) { /* last: whoever hears of it may end the session */
        tb_session_tell(session, TB_EVENT_SESSION_HIBERNATED, "hibernated",
                        tb_end_reason_name(reason));
    }
    tb_sessions_check_drained(session->core->sessions);
    tb_session_look(session);
}

void tb_session_lose(struct tb_session *session)
{
    struct tb_err err;
    tb_fail(&err, session->trouble->code, "%s; %s", session->trouble->text,
            session->saved ? "the next call restores the session from its last save"
                           : "nothing was saved, so the next call gets a blank browser");
    if (!session->queue.running_count) {
        tb_free(session->losses.loss); /* nobody hears of it now */
        session->losses.loss = tb_strdup(session->trouble->text);
    }
    tb_session_fail_running(session, &err);
    session->losses.unseen = tb_session_is_new(session);
    tb_session_move(session, TB_STATE_CLOSING);
    tb_session_close_driver(session);
    tb_session_end_hold(session, &err);
}

/* Waking. */

static void on_state(struct tb_str key, struct tb_str value, void *user)
{
    struct tb_session *session = user;
    struct tb_saving *saving = session->saving;
    (void)key;
    tb_buf_clear(&saving->state);
    saving->unreadable = tb_record_open_state(session, value, &saving->state) < 0;
}

static void open_again(struct tb_session *session)
{
    const struct tb_core *core = session->core;
    TB_AUTO(tb_json_free) struct cJSON *args = tb_record_args(session);
    const struct tb_driver_slot *slot = tb_driver_named(core, tb_str_of(session->driver->name));
    const struct tb_session_spec spec = {
        .args = args,
        .saved = tb_buf_str(&session->saving->state),
        .driver_state = slot->state,
        .deadline_ms = tb_loop_now_ms(core->loop) + core->config->browser_timeout_ms,
        .channel = session->saving->channel,
    };
    tb_session_open(session, &spec);
}

static void on_state_end(const struct tb_err *err, void *user)
{
    struct tb_session *session = user;
    session->saving->read = NULL;
    if (err && err->code != TB_E_NOT_FOUND) {
        session->trouble = TB_NEW(struct tb_err);
        *session->trouble = *err;
        tb_session_look(session);
    } else {
        open_again(session);
    }
}

int tb_session_wake(struct tb_session *session, struct tb_channel *channel, struct tb_err *err)
{
    const struct tb_store *store = &session->core->store;
    int rc = tb_session_admit(session, err);
    if (rc < 0) {
        return rc;
    }
    tb_session_move(session, TB_STATE_WAKING);
    tb_sessions_count_awake(session, 1);
    tb_saving_begin(session);
    session->saving->channel = tb_channel_ref(channel, "waking");
    if (session->driver->save && store->kind) {
        session->saving->read = store->kind->get(
            store->state, TB_SPACE_STATE, tb_str_of(session->id), on_state, on_state_end, session);
    } else {
        open_again(session);
    }
    return 0;
}

/* What the next reply says of it; NULL: nothing is missing. */
static char *note_of(const struct tb_session *session, const char *missing, bool again)
{
    const struct tb_saving *saving = session->saving;
    if (saving->unreadable) {
        return tb_strdupf(
            "Session '%s' has a new, blank browser: the state saved from the earlier one cannot "
            "be read.",
            session->name);
    }
    if (!saving->state.len) {
        return tb_strdupf(
            "Session '%s' has a new, blank browser: nothing was saved from the earlier one.",
            session->name);
    }
    return tb_session_restored_words(session, missing, again);
}

/* The next save has nothing of it, so the record has to say who is to hear of it. */
static void note_lost_text(struct tb_session *session, bool lost)
{
    session->losses.typed = false;
    if (lost) {
        tb_authors_lose(&session->losses.authors, session->places.owner->name);
        session->losses.unaware = INT64_MAX;
        tb_record_put(session, NULL);
    } else {
        tb_authors_gone(&session->losses.authors);
    }
}

/* False: there was none. */
static bool drop_loss(struct tb_session *session)
{
    bool known = session->losses.loss != NULL;
    tb_free(session->losses.loss);
    session->losses.loss = NULL;
    return known;
}

void tb_session_opened(struct tb_session *session)
{
    const struct tb_driver *driver = session->driver;
    const struct tb_restored restored =
        driver->restored ? driver->restored(session->driver_session) : (struct tb_restored){0};
    bool is_new = tb_session_is_new(session);
    tb_session_move(session, TB_STATE_OPEN);
    tb_channel_unref(session->saving->channel, "waking");
    session->saving->channel = NULL;
    tb_watch_resume(session);
    session->losses.unseen = false;
    if (is_new) {
        tb_free(session->end.fallback);
        session->end.fallback = NULL;
        if (drop_loss(session)) { /* of a browser that no call ever had */
            tb_record_put(session, NULL);
        }
        return;
    }
    if (tb_session_returns(session)) { /* what was typed, and all else, is still in its page */
        tb_buf_fini(&session->saving->state);
        tb_session_came_back(session);
        return;
    }
    char *note = note_of(session, restored.missing,
                         !restored.typed && tb_authors_any_untold(&session->losses.authors));
    if (note) { /* else that of an earlier wake is still for whoever has not heard it */
        tb_free(session->losses.note);
        session->losses.note = note;
        session->losses.is_news = true;
        tb_authors_mislead(&session->losses.authors);
    }
    bool is_news = drop_loss(session);
    tb_buf_fini(&session->saving->state);
    session->saved = session->saved && !session->saving->unreadable;
    note_lost_text(session, restored.typed || session->losses.typed);
    if (note_refs(session, restored.last_ref) || is_news) {
        tb_record_put(session, NULL);
    }
    tb_session_tell(session, TB_EVENT_SESSION_WOKEN, "woken", NULL);
}
