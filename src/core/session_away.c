/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_away.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_hibernate.h"
#include "core/session_hold.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"
#include "core/watch.h"

bool tb_session_returns(const struct tb_session *session)
{
    return session->driver->attach && tb_session_kind_is_guest(session->kind);
}

int tb_session_say_away(const struct tb_session *session, struct tb_err *err)
{
    return tb_fail(err, TB_E_AWAY, "Session '%s' is away: its %s has disconnected", session->name,
                   tb_session_kind_name(session->kind));
}

/* Going. */

/* From here it goes by OPEN, also if it was just opened, or was to be let go. */
static void come_to_open(struct tb_session *session)
{
    if (tb_session_just_opened(session)) {
        tb_session_opened(session); /* whoever hears of it may end the session */
    } else if (session->state == TB_STATE_SAVING) {
        tb_session_move(session, TB_STATE_OPEN);
    }
}

void tb_session_go_away(struct tb_session *session)
{
    struct tb_err lost;
    struct tb_err away;
    come_to_open(session);
    if (tb_session_ended(session)) {
        return;
    }
    tb_fail(&lost, TB_E_AWAY, "%s; part of what the call was to do may have been done",
            session->trouble->text);
    tb_session_say_away(session, &away);
    tb_session_move(session, TB_STATE_AWAY);
    tb_free(session->trouble);
    session->trouble = NULL;
    session->times.away_ms = tb_loop_now_ms(session->core->loop);
    tb_session_fail_running(session, &lost);
    tb_session_fail_waiting(session, &away);
    tb_session_cancel_ops(session);
    tb_session_rearm(session);
    tb_session_tell(session, TB_EVENT_SESSION_AWAY, "away",
                    tb_end_reason_name(session->losses.lost.reason));
    tb_session_look(session); /* the daemon may be about to stop */
    tb_session_end_hold(session, &away);
}

void tb_session_away_step(struct tb_session *session)
{
    bool is_lost = session->trouble && session->losses.lost.loss == TB_LOSS_RESTORABLE;
    bool is_draining = session->core->sessions->draining;
    tb_free(session->trouble); /* else it is away already */
    session->trouble = NULL;
    if (session->side == TB_SIDE_CLOSED) {
        tb_session_shed(session);
        tb_sessions_check_drained(session->core->sessions);
    } else if (session->side == TB_SIDE_OPEN && is_draining) {
        tb_session_finish(session);
    } else if (session->side == TB_SIDE_OPEN && is_lost) {
        tb_session_close_driver(session); /* whoever comes back has it opened anew */
    }
}

/* Coming back. */

void tb_session_came_back(struct tb_session *session)
{
    tb_session_rearm(session);
    tb_watch_resume(session);
    tb_session_tell(session, TB_EVENT_SESSION_BACK, "back", NULL);
    tb_session_look(session);
}

static int check_attach(const struct tb_session *session, struct tb_err *err)
{
    if (tb_session_ended(session)) {
        return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
    }
    if (session->core->sessions->draining) {
        return tb_fail(err, TB_E_SHUTDOWN, "the daemon is stopping");
    }
    if (!session->driver->attach || session->state == TB_STATE_ASLEEP) {
        return tb_fail(
            err, TB_E_NOT_POSSIBLE,
            "session '%s' (%s, driver %s) does not wait for a page or browser to connect",
            session->name, tb_session_kind_name(session->kind), session->driver->name);
    }
    return 0;
}

/* By the driver session that waits for it, or by a new one. */
static int attach(struct tb_session *session, struct tb_channel *channel, struct tb_err *err)
{
    if (tb_session_is_dormant(session)) {
        return tb_session_wake(session, channel, err);
    }
    if (session->side != TB_SIDE_OPEN || session->trouble || tb_session_just_opened(session)) {
        return tb_fail(err, TB_E_BUSY, "session '%s' is being opened or closed", session->name);
    }
    return session->driver->attach(session->driver_session, channel, err);
}

/* The driver has told so, and the job has not come to it yet. */
static bool is_going(const struct tb_session *session)
{
    return session->trouble && session->losses.lost.loss == TB_LOSS_AWAY &&
           session->side == TB_SIDE_OPEN && session->state != TB_STATE_AWAY &&
           session->state != TB_STATE_RETIRING;
}

/* What the peer before it was asked, the newer one does not know of. */
static void drop_calls(struct tb_session *session)
{
    struct tb_err replaced;
    tb_fail(&replaced, TB_E_AWAY,
            "Session '%s' has a newer %s; part of what the call was to do may have been done",
            session->name, tb_session_kind_name(session->kind));
    tb_session_fail_running(session, &replaced);
    tb_session_cancel_ops(session);
}

void tb_session_introduce(struct tb_session *session, struct tb_str agent)
{
    struct tb_str shown = tb_str_sub(agent, 0, TB_USER_AGENT_MAX);
    tb_free(session->places.peer_agent);
    session->places.peer_agent =
        agent.len ? tb_str_dup(tb_str_sub(shown, 0, tb_utf8_prefix(shown))) : NULL;
}

int tb_session_attach(struct tb_session *session, struct tb_channel *channel, struct tb_err *err)
{
    int rc = check_attach(session, err);
    if (rc == 0 && is_going(session)) {
        tb_session_go_away(session);
        rc = check_attach(session, err); /* whoever heard of it may have ended it */
    }
    rc = rc < 0 ? rc : attach(session, channel, err);
    if (rc < 0) {
        return rc;
    }
    tb_session_touch(session);
    session->times.peer_wall_ms = session->times.last_active_wall_ms;
    if (session->state == TB_STATE_AWAY) {
        tb_session_move(session, TB_STATE_OPEN);
        tb_session_came_back(session);
    } else if (session->side == TB_SIDE_OPEN) {
        drop_calls(session);
    }
    return 0;
}
