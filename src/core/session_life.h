/* SPDX-License-Identifier: Apache-2.0 */
/* When a session ends by itself or goes to sleep: one timer each, whose times core/lifetime.h
 * knows. For core/session*.c and those beside them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tb_session;

void tb_session_init_timer(struct tb_session *session);
/* Something has changed that decides when it ends. */
void tb_session_rearm(struct tb_session *session);
/* It is too old: ends now, or with the call that runs. Until then it stays the current one of those
 * who will miss it, but only calls that name it go there. */
void tb_session_retire(struct tb_session *session);
bool tb_session_too_old(const struct tb_session *session);
/* It no longer ends with its conversation. */
void tb_session_make_named(struct tb_session *session);
/* When it ends by itself, in monotonic time; INT64_MAX: never. */
int64_t tb_session_expires_ms(const struct tb_session *session);
/* The same by the wall clock. */
int64_t tb_session_expires_wall_ms(const struct tb_session *session);
/* When it ends or goes to sleep. */
int64_t tb_session_frees_ms(const struct tb_session *session);
