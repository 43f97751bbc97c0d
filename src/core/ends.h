/* SPDX-License-Identifier: Apache-2.0 */
/* How the last sessions ended, so that a call to one of them is told which, when, why, and what is
 * gone with it. Each tenant has its own, by count and age (core/limits.h), and the store keeps them
 * over a restart. Only those who could reach a session are told of its end. */
#pragma once

#include "base/buf.h"
#include "core/session.h"
#include "core/store.h"

struct tb_caller;
struct tb_end;
struct tb_sessions;
struct tb_tenant;

/* The session is about to leave the table. `by` is the conversation that ended it and need not be
 * told; NULL: none did. */
void tb_end_keep(const struct tb_session *session, enum tb_end_reason reason, const char *by);
/* The last end of a session with this name or id that the caller could have reached; NULL: none. */
struct tb_end *tb_end_find(const struct tb_tenant *tenant, const struct tb_caller *caller,
                           struct tb_str id_or_name);
/* The last end of a session that the caller's calls went to without naming it, unless the caller
 * has been told; NULL: none. */
struct tb_end *tb_end_missed(const struct tb_tenant *tenant, const struct tb_caller *caller);
/* The last stop of such a session that the caller has not heard of, whatever has ended since; NULL:
 * none. */
struct tb_end *tb_end_unheard(const struct tb_tenant *tenant, const struct tb_caller *caller);
const char *tb_end_id(const struct tb_end *end);
/* The error that a call to it gets. */
int tb_end_code(const struct tb_end *end);
/* The reply that tells of the end of the session with this id is on its way to the conversation;
 * what it used before that is of no concern any more. One that is still to end changes nothing. */
void tb_end_told(const struct tb_tenant *tenant, const char *id, const char *conversation);
/* The conversation has let go of its current session by itself: there is no end to tell it of,
 * unless one was stopped. */
void tb_ends_forget(const struct tb_tenant *tenant, const char *conversation);
/* The conversation hears how the session with this id has ended. If it was stopped, that tells it
 * to ask the user before it starts another, for this stop and for all before it. */
void tb_end_warn(const struct tb_tenant *tenant, const char *id, const char *conversation);
/* "2 minutes" */
void tb_span_print(int64_t ms, struct tb_buf *out);
/* "Session browser-1 ended after 2 minutes without a call; its cookies are gone. That was 5 minutes
 * ago." */
void tb_end_print(const struct tb_core *core, const struct tb_end *end, struct tb_buf *out);
/* "Session browser-1 has reached its maximum age of 1 day and ends with the call that is still
 * running; its cookies are gone.", for one that is retiring. */
void tb_end_foretell(const struct tb_session *session, struct tb_buf *out);
/* "ended after 2 minutes without a call", for a session that ends now. */
void tb_end_words(const struct tb_session *session, enum tb_end_reason reason, struct tb_buf *out);

/* A record of the store; what cannot be read is dropped. */
void tb_end_load(struct tb_sessions *sessions, struct tb_str id, struct tb_str value);
void tb_ends_free(struct tb_tenant *tenant);
