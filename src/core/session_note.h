/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller has to know besides the answer, as the member `note` of its reply: that the session
 * has lost something, replaces another, was in a person's hands, or that policy refused requests of
 * its pages. Each is said once, to whoever it concerns. */
#pragma once

struct tb_call;
struct tb_session;

/* `call` has run and is about to be answered. If its reply has no place for a note, the next one
 * has. */
void tb_session_note(struct tb_session *session, struct tb_call *call);
