/* SPDX-License-Identifier: Apache-2.0 */
/* Who works in a session: the agents of a page. A caller (a conversation, or a credential that
 * names none) becomes a member of a session whose kind has members (core/lifetime.c) when it joins,
 * chooses it as its current session, or calls there. It leaves when its conversation does, when it
 * chooses another session or lets go of this one, and after the kind's idle time without a word
 * unless somebody tells when it goes (its caller is `passing`). Its calls that are under way go on.
 *
 * The bus is told of both (agent_joined, agent_left) as soon as the member is known by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tb_call;
struct tb_caller;
struct tb_core;
struct tb_list;
struct tb_session;
struct tb_sessions;

enum {
    TB_MEMBER_ID_SIZE = 20, /* "agent-", 12 digits and a NUL */
};

/* The public id of whoever calls, the same in all sessions; no secret. */
void tb_member_id(const struct tb_core *core, const struct tb_caller *caller,
                  char ret_id[TB_MEMBER_ID_SIZE]);

/* The caller is one from now on; it may have been one already. An `agent` that is NULL says that it
 * has not introduced itself yet. TB_E_LIMIT (client.agents), TB_E_NOT_POSSIBLE when sessions of
 * this kind have no members, TB_E_SESSION_ENDED. */
int tb_member_join(struct tb_session *session, const struct tb_caller *caller, struct tb_err *err);
/* The caller chooses it, or its way in gives it that one: joins it where that means something.
 * TB_E_LIMIT, TB_E_SESSION_ENDED. */
int tb_member_choose(struct tb_session *session, const struct tb_caller *caller,
                     struct tb_err *err);
/* False: it was none. */
bool tb_member_leave(struct tb_session *session, const struct tb_caller *caller);
/* The caller says who it is: so it is called from now on in all sessions that it is a member of. */
void tb_members_introduce(struct tb_sessions *sessions, const struct tb_caller *caller);

struct tb_member_info {
    const char *id;
    const char *agent; /* empty: unknown */
    int64_t joined_wall_ms;
};

typedef void tb_member_fn(const struct tb_member_info *info, void *user);

/* In the order in which they joined. */
void tb_members_each(const struct tb_session *session, tb_member_fn *fn, void *user);
size_t tb_members_count(const struct tb_session *session);

/* For core/session*.c, core/sessions.c and core/conversation.c. */

/* Sessions of its kind have members. */
bool tb_members_has(const struct tb_session *session);
/* A call comes to the queue of a session that has members. TB_E_LIMIT, TB_E_RATE, TB_E_BUSY,
 * TB_E_SESSION_ENDED. */
int tb_member_call(struct tb_session *session, struct tb_call *call, struct tb_err *err);
/* The call whose turn it is; NULL: none may begin now. */
struct tb_list *tb_members_next(const struct tb_session *session);
/* The public id of who calls, borrowed; empty in sessions that have no members. */
struct tb_str tb_member_call_id(const struct tb_call *call);
/* Its turn has come; it has left the queue, or the session. */
void tb_member_call_runs(struct tb_call *call);
void tb_member_call_ended(struct tb_call *call, bool was_running);
/* Its conversation leaves all sessions. */
void tb_members_leave_all(struct tb_sessions *sessions, const struct tb_caller *caller);
/* When the next one leaves by itself; INT64_MAX: none does. */
int64_t tb_members_due_ms(const struct tb_session *session);
/* Those whose time has come leave. Whoever hears of it may end the session. */
void tb_members_expire(struct tb_session *session);
/* The session has ended, which says all. */
void tb_members_clear(struct tb_session *session);
