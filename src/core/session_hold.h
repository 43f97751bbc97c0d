/* SPDX-License-Identifier: Apache-2.0 */
/* A person takes over a session: while it is held no call begins, and the holder's hands reach it.
 * Calls wait in the queue under their own deadlines. One that sleeps is woken for it.
 *
 *   asked --nothing runs any more--> held --tb_session_release--> handed back
 *
 * The next reply says that a person was there, and what they said when they handed it back. Refs
 * and the page are then what they are after any change of it. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/picture.h"

struct tb_session;

/* Inside its owner's record, which fills in the first three. Each function may release it, and end
 * the session. */
struct tb_holder {
    const char *who; /* for people: the log, the audit log and others who want to take over */
    /* It is the holder's now. Once, later. */
    void (*held)(struct tb_holder *holder);
    /* It is over without a release: the session has ended, lost what it drives, or could not be
     * woken. Nothing comes any more. */
    void (*over)(struct tb_holder *holder, const struct tb_err *why);
    struct tb_session *session; /* core's; NULL: it holds nothing */
};

/* Asks for the session. TB_E_HELD (somebody else has it), TB_E_AWAY, TB_E_SESSION_ENDED,
 * TB_E_SHUTDOWN. */
int tb_session_hold(struct tb_session *session, struct tb_holder *holder, struct tb_err *err);
/* Hands it back, or no longer asks for it. `said` is for the agent, NULL or empty: nothing. Also
 * for a hold that holds nothing, so that a holder who goes calls it in any case. */
void tb_session_release(struct tb_holder *holder, const char *said);
/* What the holder's hands do. TB_E_NOT_POSSIBLE while it is not held, or if its driver takes none.
 */
int tb_session_input(struct tb_holder *holder, const struct tb_input *input, struct tb_err *err);

/* For core/session*.c. Who asks for it has it, if nothing runs any more. */
void tb_session_take_over(struct tb_session *session);
/* Who has it or asks for it is told why it is over; NULL: without a word. */
void tb_session_end_hold(struct tb_session *session, const struct tb_err *why);
