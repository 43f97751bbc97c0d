/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a session and the moves between them.
 *
 *   OPENING --opened--> OPEN --idle, the daemon stops--> SAVING --saved--> CLOSING --closed-->+
 *                       ^  ^ |\                          |                 ^                  |
 *                       |  | | +--lost, but to be restored-----------------+                  |
 *                       |  | +--too old, but a call runs--> RETIRING                          |
 *                       |  +--a call came, or it was not saved--+ (from SAVING)               |
 *                       +--opened-- WAKING <--a call, a person-- ASLEEP <---------------------+
 *
 * From everywhere to ENDED; from there nowhere. A new state is a row of the table in
 * session_state.c. */
#pragma once

#include <stdbool.h>

struct tb_session;

/* Two that stand beside OPEN:
 *
 *   OPEN --a person takes over--> HELD --hands it back, goes--> OPEN, or SAVING, CLOSING as above
 *   OPEN, HELD --its peer goes--> AWAY --it is back--> OPEN, or WAKING if the driver had let go
 */
enum tb_session_state {
    TB_STATE_OPENING,  /* its first browser is on the way */
    TB_STATE_WAKING,   /* the same of a later one */
    TB_STATE_OPEN,     /* calls run */
    TB_STATE_HELD,     /* a person has taken over, and calls wait: core/session_hold.h */
    TB_STATE_RETIRING, /* too old: it ends with the call that runs, and no other begins */
    TB_STATE_SAVING,   /* what its browser has is saved, so that it can go */
    TB_STATE_CLOSING,  /* its browser goes; it stays */
    TB_STATE_ASLEEP,   /* it has no browser until the next call */
    TB_STATE_AWAY,     /* its peer has gone and may come back; calls fail: core/session_away.h */
    TB_STATE_ENDED,    /* out of every table; freed when the driver is done */
    TB_STATE_COUNT,
};

/* What the driver was asked for, and its answer: a note that the session's job acts on. */
enum tb_driver_side {
    TB_SIDE_NONE, /* there is no driver session */
    TB_SIDE_OPENING,
    TB_SIDE_OPEN,
    TB_SIDE_CLOSING,
    TB_SIDE_CLOSED,
};

/* Nothing of ours changes its pages: no call runs or waits, or those that wait do so for a person.
 */
bool tb_session_is_quiet(const struct tb_session *session);
bool tb_state_allows(enum tb_session_state from, enum tb_session_state to);
/* The only way to another state. One that the table does not allow is a bug of ours: debug builds
 * stop there, others do as tb_session_stray. */
void tb_session_move(struct tb_session *session, enum tb_session_state to);
/* Keeps the state, and ends the session soon: who asked for the move goes on as if it was made, so
 * neither state is true any more, and nobody on the stack expects the end now. */
void tb_session_stray(struct tb_session *session, enum tb_session_state to);

/* No browser of it was there for a call. */
bool tb_session_is_new(const struct tb_session *session);
/* The driver has opened it, and the job has not seen that yet. */
bool tb_session_just_opened(const struct tb_session *session);
/* A browser is on the way, and there is nothing against it. */
bool tb_session_is_opening(const struct tb_session *session);
/* It is a record and no more: nothing drives it, so it takes nobody's place. */
bool tb_session_is_dormant(const struct tb_session *session);
