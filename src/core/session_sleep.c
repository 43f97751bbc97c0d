/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody lets a session sleep, or wakes it, without a call. */
#include "core/core.h"
#include "core/session_away.h"
#include "core/session_hibernate.h"
#include "core/session_hold.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

static int check(const struct tb_session *session, struct tb_err *err)
{
    if (tb_session_ended(session) || session->state == TB_STATE_RETIRING) {
        return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
    }
    if (session->core->sessions->draining) {
        return tb_fail(err, TB_E_SHUTDOWN, "the daemon is stopping");
    }
    return session->state == TB_STATE_AWAY ? tb_session_say_away(session, err) : 0;
}

int tb_session_hibernate_now(struct tb_session *session, struct tb_err *err)
{
    int rc = check(session, err);
    if (rc < 0 || tb_session_is_dormant(session) || session->state == TB_STATE_CLOSING ||
        session->state == TB_STATE_SAVING) {
        return rc;
    }
    if (session->queue.holder) {
        return tb_fail(err, TB_E_HELD, "%s has taken over session '%s'", session->queue.holder->who,
                       session->name);
    }
    if (!tb_session_at_rest(session) || session->state != TB_STATE_OPEN) {
        return tb_fail(err, TB_E_BUSY, "session '%s' is in use", session->name);
    }
    if (!tb_session_can_hibernate(session)) {
        return tb_fail(err, TB_E_NOT_POSSIBLE, "session '%s' (%s) cannot be restored later",
                       session->name, tb_session_kind_name(session->kind));
    }
    tb_session_hibernate(session);
    return 0;
}

int tb_session_wake_now(struct tb_session *session, struct tb_err *err)
{
    int rc = check(session, err);
    if (rc < 0) {
        return rc;
    }
    if (session->state == TB_STATE_SAVING) { /* as for a call */
        tb_session_move(session, TB_STATE_OPEN);
    } else if (session->state == TB_STATE_ASLEEP) {
        rc = tb_session_wake(session, NULL, err);
    } else if (session->state == TB_STATE_CLOSING) {
        return tb_fail(err, TB_E_BUSY, "session '%s' is going to sleep", session->name);
    }
    if (rc == 0) {
        tb_session_touch(session);
        tb_session_rearm(session);
        tb_session_look(session);
    }
    return rc;
}
