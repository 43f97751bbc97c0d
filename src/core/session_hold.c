/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_hold.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_away.h"
#include "core/session_hibernate.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

static void tell(struct tb_session *session, enum tb_event_type type, const char *words,
                 const char *who)
{
    tb_log_at(session->core->log, INFO, "session", words,
              tb_kv("id", tb_str_sub(tb_str_of(session->id), 0, TB_ID_SHOWN)),
              tb_kv_cstr("name", session->name), tb_kv_cstr("who", who));
    struct tb_event event = tb_session_event(session, type);
    event.agent = who;
    tb_bus_publish(&session->core->bus, &event);
}

int tb_session_hold(struct tb_session *session, struct tb_holder *holder, struct tb_err *err)
{
    if (holder->session) {
        return tb_fail(err, TB_E_HELD, "%s already has session '%s'", holder->who,
                       holder->session->name);
    }
    if (tb_session_ended(session) || session->state == TB_STATE_RETIRING) {
        return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
    }
    if (session->core->sessions->draining) {
        return tb_fail(err, TB_E_SHUTDOWN, "the daemon is stopping");
    }
    if (session->state == TB_STATE_AWAY) {
        return tb_session_say_away(session, err);
    }
    if (session->queue.holder) {
        return tb_fail(err, TB_E_HELD, "%s has already taken over session '%s'",
                       session->queue.holder->who, session->name);
    }
    if (session->state == TB_STATE_SAVING) { /* as a call would */
        tb_session_move(session, TB_STATE_OPEN);
    }
    session->queue.holder = holder;
    holder->session = session;
    tb_session_look(session);
    return 0;
}

void tb_session_take_over(struct tb_session *session)
{
    struct tb_holder *holder = session->queue.holder;
    if (!holder || session->state != TB_STATE_OPEN || session->queue.running_count ||
        !tb_list_empty(&session->queue.ops) || tb_session_saving(session)) {
        return;
    }
    tb_session_move(session, TB_STATE_HELD);
    tell(session, TB_EVENT_SESSION_HELD, "held", holder->who);
    if (session->queue.holder == holder) { /* nobody who heard of it has ended it */
        holder->held(holder);
    }
}

void tb_session_end_hold(struct tb_session *session, const struct tb_err *why)
{
    struct tb_holder *holder = session->queue.holder;
    if (!holder) {
        return;
    }
    session->queue.holder = NULL;
    holder->session = NULL;
    if (!tb_session_ended(session)) {
        tb_session_touch(session); /* it was used until now */
        tb_session_rearm(session);
    }
    if (why) {
        holder->over(holder, why);
    }
}

/* What the next reply says. What was said before is kept if there is nothing newer. */
static void note(struct tb_session *session, struct tb_str said)
{
    if (session->losses.handed_back && !said.len) {
        return;
    }
    said = tb_str_sub(said, 0, TB_HOLD_SAID_MAX);
    said = tb_str_sub(said, 0, tb_utf8_prefix(said));
    tb_free(session->losses.handed_back);
    session->losses.handed_back =
        tb_strdupf("A person took over session '%s' and has handed it back; the page may have "
                   "changed.%s%.*s",
                   session->name, said.len ? " They say: " : "", TB_STR_ARG(said));
}

void tb_session_release(struct tb_holder *holder, const char *said)
{
    struct tb_session *session = holder->session;
    if (!session) {
        return;
    }
    bool was_held = session->state == TB_STATE_HELD;
    if (was_held) {
        tb_session_move(session, TB_STATE_OPEN);
    }
    tb_session_end_hold(session, NULL);
    tb_session_look(session);
    if (was_held) { /* whoever hears of it may take over next */
        note(session, tb_str_of(said));
        tell(session, TB_EVENT_SESSION_RELEASED, "released", holder->who);
    }
}

static bool types(const struct tb_input *input)
{
    return input->kind == TB_INPUT_KEY_DOWN || input->kind == TB_INPUT_TEXT;
}

int tb_session_input(struct tb_holder *holder, const struct tb_input *input, struct tb_err *err)
{
    struct tb_session *session = holder->session;
    if (!session || session->state != TB_STATE_HELD || session->trouble) {
        return tb_fail(err, TB_E_NOT_POSSIBLE,
                       "only the person who has taken over a session can act in it");
    }
    if (!session->driver->input) {
        return tb_fail(err, TB_E_NOT_POSSIBLE, "session '%s' (%s, driver %s) takes no input",
                       session->name, tb_session_kind_name(session->kind), session->driver->name);
    }
    tb_session_touch(session);
    if (types(input)) {
        tb_session_note_typed(session);
    }
    session->driver->input(session->driver_session, input);
    return 0;
}
