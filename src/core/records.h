/* SPDX-License-Identifier: Apache-2.0 */
/* What the store keeps of a session: its record, from its beginning to its end, and what its
 * browser had, sealed so that only this installation can read it. Without a store all of this does
 * nothing. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "core/gate.h"

struct tb_session;
struct tb_sessions;

/* Writes the record as it is now. */
void tb_record_put(struct tb_session *session, struct tb_gate *gate);
/* The same if it was not written for some seconds: for what changes with every call. */
void tb_record_refresh(struct tb_session *session);
/* The session has ended: the record and the state go, at the latest when the store takes that. */
void tb_record_remove(struct tb_session *session, struct tb_gate *gate);
/* Makes a session that sleeps, or is away, from a record; it stands in the table. */
int tb_record_load(struct tb_sessions *sessions, struct tb_str value,
                   struct tb_session **ret_session, struct tb_err *err);

/* Keeps the arguments of start_session for the next time that the session is opened.
 * TB_E_TOO_LARGE.
 */
int tb_record_keep_args(struct tb_session *session, const struct cJSON *args, struct tb_err *err);
/* The arguments again, the caller's; NULL: there were none. */
struct cJSON *tb_record_args(const struct tb_session *session);
/* What the browser has, from driver->save. */
void tb_record_put_state(struct tb_session *session, struct tb_str state, struct tb_gate *gate);
/* From the stored form back; TB_E_INVALID. */
int tb_record_open_state(const struct tb_session *session, struct tb_str sealed,
                         struct tb_buf *out);
