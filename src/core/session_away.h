/* SPDX-License-Identifier: Apache-2.0 */
/* A session whose peer (a page, the user's own browser) has disconnected and may come back: it is
 * listed and keeps its tools, its calls fail at once, and its times go on; core/lifetime.c says how
 * long it may be away. The driver keeps its driver session for the peer, except over a restart of
 * the daemon. tb_session_attach (core/session.h) is its way back. For core/session*.c. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct tb_session;

/* It begins away when the daemon does, for its peer comes back by itself. */
bool tb_session_returns(const struct tb_session *session);
/* The error of whoever needs its peer: TB_E_AWAY. */
int tb_session_say_away(const struct tb_session *session, struct tb_err *err);
/* Its driver has told that the peer has gone: fails its calls. */
void tb_session_go_away(struct tb_session *session);
/* It is open again. */
void tb_session_came_back(struct tb_session *session);
/* What its driver lost or finished while it was away. */
void tb_session_away_step(struct tb_session *session);
