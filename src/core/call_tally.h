/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a page's tools, told in sums. Agents make them by the thousand a second, and to put each
 * on record would cost more than the call itself: those of one agent, tool and outcome that end
 * within a second are one event with their count. No reply waits until that is stored.
 *
 * For core/call_tell.c, core/session.c and core/sessions.c. */
#pragma once

#include <stdbool.h>

#include "base/list.h"
#include "io/timer.h"

struct tb_call;
struct tb_session;

/* A part of struct tb_sessions: those that are not told yet, the oldest first. */
struct tb_tallies {
    struct tb_list list;
    struct tb_timer timer;
};

void tb_tallies_init(struct tb_tallies *tallies, struct tb_loop *loop);
/* All are told now. */
void tb_tallies_flush(struct tb_tallies *tallies);
/* None is left, or nobody is there to be told. */
void tb_tallies_fini(struct tb_tallies *tallies);
/* A call has ended. False: it is to be told by itself, since its session has no members. */
bool tb_tally_take(const struct tb_call *call);
/* Those of a session that ends are told first. */
void tb_session_flush_tallies(struct tb_session *session);
