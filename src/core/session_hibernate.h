/* SPDX-License-Identifier: Apache-2.0 */
/* What a session's browser has, and how the session does without one: saving, hibernating and
 * waking. For core/session*.c and those beside them. */
#pragma once

#include <stdbool.h>

struct tb_call;
struct tb_channel;
struct tb_err;
struct tb_op;
struct tb_saving;
struct tb_session;

/* What it had can be kept, and there is room for it. */
bool tb_session_can_hibernate(const struct tb_session *session);
/* Its record outlives the daemon. */
bool tb_session_survives(const struct tb_session *session);
void tb_saving_begin(struct tb_session *session);
void tb_saving_free(struct tb_saving *saving);
/* It is at rest: saves soon what has changed. */
void tb_session_plan_save(struct tb_session *session);
/* A call is about to begin: starts a save that is overdue. True: it has to wait for operations that
 * are under way, and the call for it. */
bool tb_session_save_comes_first(struct tb_session *session);
void tb_session_on_changed(void *owner);
/* The store has lost its record and what was saved. */
void tb_session_store_again(struct tb_session *session);
/* No operation may begin: its browser is being looked at. */
bool tb_session_saving(const struct tb_session *session);
/* Saves it and lets go of its browser; given up if a call or a person comes. */
void tb_session_hibernate(struct tb_session *session);
/* One step of that. */
void tb_session_save_step(struct tb_session *session);
/* The driver is done with it, or could not open it. */
void tb_session_hibernated(struct tb_session *session);
/* It has no driver session any more, and no place among those that have one. */
void tb_session_shed(struct tb_session *session);
/* It is dormant, and begins to open with what was saved; `channel` is that of the peer that it is
 * opened for, or NULL. TB_E_LIMIT. */
int tb_session_wake(struct tb_session *session, struct tb_channel *channel, struct tb_err *err);
/* A wake that has not come to the driver yet is given up. */
void tb_session_cut_wake(struct tb_session *session);
/* The driver has opened it: what is there to say. */
void tb_session_opened(struct tb_session *session);
/* An operation has ended, and its reply counts on what only the browser has; it waits at its gate
 * until the record says so, too. `call` is NULL if nobody waits. */
void tb_session_remember(struct tb_session *session, const struct tb_op *op, struct tb_call *call);
/* A person has typed into its pages. */
void tb_session_note_typed(struct tb_session *session);
/* Text stands in its pages that a browser after this one would not have, as far as is stored. */
bool tb_session_has_typed(const struct tb_session *session);
/* Its browser is gone. */
void tb_session_lose(struct tb_session *session);
