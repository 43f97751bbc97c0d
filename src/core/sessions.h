/* SPDX-License-Identifier: Apache-2.0 */
/* All live sessions: by id, by tenant and name, by tenant and conversation; and the limits on their
 * number. Which of them a call means: core/resolve.h.
 *
 * A caller without a conversation is a plain script: the session that is made for its first call
 * becomes its current one, so its later calls find it again, and it lives as long as one that was
 * started by name. All such callers of a tenant count as one: they share their current session and
 * what they started, and can have nothing private. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/principal.h"
#include "core/session.h"

struct tb_channel;
struct tb_core;
struct tb_sessions;

/* Wherever a `gate` is asked for, it is that of the reply: what the reply acknowledges is stored
 * first. It may be NULL. */

struct tb_sessions *tb_sessions_new(struct tb_core *core);
/* Ends every call under way, here and now: their `done`s have run when it returns. Sessions whose
 * record stays in the store are left alone, the others end (reason shutdown). What is started later
 * fails. For the end of the daemon, while the fronts still stand. */
void tb_sessions_stop(struct tb_sessions *sessions);
/* The same, and frees what is left; the drivers are stopped after it. */
void tb_sessions_free(struct tb_sessions *sessions);
TB_DEFINE_AUTO(struct tb_sessions *, tb_sessions_free)
/* The daemon stops: no call begins any more (TB_E_SHUTDOWN), and each session goes when the call
 * that it runs is finished. Those that can be brought back are saved and sleep, the others end.
 * `fn` is called once, later, when the last driver session has closed and the last reply is out. */
void tb_sessions_drain(struct tb_sessions *sessions, void (*fn)(void *user), void *user);
/* Are calls under way? */
bool tb_sessions_busy(const struct tb_sessions *sessions);
/* The calls that still run had time enough: they fail with TB_E_SHUTDOWN, and their sessions go. */
void tb_sessions_hurry(struct tb_sessions *sessions);

/* Reads the stored sessions, which sleep until they are called, or are away; those whose time has
 * run out end. Whoever asks for a session before all are there waits for it (core/resolve.h); if
 * the store fails it is told, and the store is tried again. `fn` is called once, later; it may be
 * NULL. */
void tb_sessions_load(struct tb_sessions *sessions, void (*fn)(void *user), void *user);

/* The store has lost all: their records are put again, and what their browsers have is saved. */
void tb_sessions_store_again(struct tb_sessions *sessions);

struct tb_session_spec {
    enum tb_session_kind kind;
    struct tb_str name;    /* empty: "{kind}-{n}" */
    bool for_conversation; /* it lives with the caller's conversation, if that has a name */
    bool hidden;           /* nobody but the caller's conversation reaches it */
    const struct tb_driver *driver;
    void *driver_state;
    const struct cJSON *args;   /* of start_session; may be NULL */
    struct tb_str saved;        /* core's own: what is to be brought back */
    struct tb_channel *channel; /* to a peer that came by itself; NULL: none; borrowed */
    struct tb_gate *gate;       /* of the reply that acknowledges it; may be NULL */
    int64_t deadline_ms;
};

/* Makes a session and starts to open it; calls may be queued at once. The caller's current session
 * becomes this one. TB_E_SESSION_EXISTS, TB_E_LIMIT, TB_E_PARAMS (a bad name, or private without a
 * conversation), TB_E_TOO_LARGE (its arguments), TB_E_STORE, TB_E_SHUTDOWN; once
 * TB_E_SESSION_STOPPED, if one of the caller's was stopped and it has not heard so yet.
 * *ret_warning is set to words when the tenant has more than the usual number of named sessions,
 * else NULL; they are borrowed until the next call of this function. */
int tb_sessions_create(struct tb_sessions *sessions, const struct tb_caller *caller,
                       const struct tb_session_spec *spec, struct tb_session **ret_session,
                       const char **ret_warning, struct tb_err *err);
/* By id, or by name unless it is private, inside the tenant; NULL when there is none. */
struct tb_session *tb_sessions_find(struct tb_sessions *sessions, const char *tenant,
                                    struct tb_str id_or_name);
/* The same for a caller: its own private ones by their names too, those of others not at all. */
struct tb_session *tb_sessions_reach(struct tb_sessions *sessions, const struct tb_caller *caller,
                                     struct tb_str id_or_name);
/* The caller lets go of a session: it is no longer the caller's current one, nor does it end with
 * its conversation unless it is private, and it goes on as one that was started by name; or it ends
 * and leaves its pages in a browser that is not ours. */
void tb_session_detach(struct tb_session *session, const struct tb_caller *caller,
                       struct tb_gate *gate);
/* The caller closes it, or with `detach` lets go of it. If its calls went there, they go on in the
 * one of its own that was current before: that one, else NULL. */
const struct tb_session *tb_session_give_up(struct tb_session *session,
                                            const struct tb_caller *caller, bool detach,
                                            struct tb_gate *gate);
/* {"sessions":[...],"currentSession":name or null}: the caller's own, then those of others that it
 * can reach, each oldest first; if very many sleep, the oldest of those are only counted, as
 * hibernatedNotListed. */
void tb_sessions_list(struct tb_sessions *sessions, const struct tb_caller *caller,
                      struct tb_json_writer *json);

/* Which of them; what is empty or 0 says nothing. */
struct tb_sessions_wish {
    struct tb_str kind;
    struct tb_str state; /* as it is shown, or hibernated, away, held */
    struct tb_str after; /* `next` of the list before */
    int64_t limit;
};

/* {"sessions":[...],"next":...}: all that the caller can reach, the oldest first; `next` if there
 * are more. TB_E_PARAMS. */
int tb_sessions_select(struct tb_sessions *sessions, const struct tb_caller *caller,
                       const struct tb_sessions_wish *wish, struct tb_json_writer *json,
                       struct tb_err *err);

/* Closes, or lets go of, the sessions that the caller started, or with `everyone` all of the
 * tenant's that it can reach: private ones of others only as the tenant's operator. How many there
 * were. */
size_t tb_sessions_close_all(struct tb_sessions *sessions, const struct tb_caller *caller,
                             bool everyone, bool detach, struct tb_gate *gate);
/* Ends all of the tenant's sessions; how many there were. */
size_t tb_sessions_end_all(struct tb_sessions *sessions, const char *tenant,
                           enum tb_end_reason reason, struct tb_gate *gate);
/* The emergency stop: the same with the reason global_stop, announced on the bus
 * before, as the operator's deed. The gate also hears if sessions that ended earlier are still in
 * the store. */
size_t tb_sessions_stop_all(struct tb_sessions *sessions, const char *tenant, struct tb_gate *gate);
/* The conversation is over: its sessions end, and the private ones that it started, which nobody
 * could reach any more. Others that it started by name stay. False when it is unknown: it neither
 * started a session, nor works in one, nor has a current one. */
bool tb_sessions_end_conversation(struct tb_sessions *sessions, const struct tb_caller *caller,
                                  enum tb_end_reason reason, struct tb_gate *gate);
/* Its caller went away without a word: as mcp.on_disconnect and mcp.keep_kinds say. */
void tb_sessions_leave_conversation(struct tb_sessions *sessions, const struct tb_caller *caller);
/* The caller's conversation has a session that would end with it. */
bool tb_sessions_has(const struct tb_sessions *sessions, const struct tb_caller *caller);

enum {
    TB_CONVERSATION_SHOWN = 13, /* 12 digits and a NUL */
};
/* What the outside sees of a conversation's name, which is as good as a key: a hash that is the
 * same as long as the installation has its secret. Empty of empty. */
void tb_conversation_show(const struct tb_core *core, const char *name,
                          char ret_shown[TB_CONVERSATION_SHOWN]);
/* The same of who calls: of the credential, if there is no conversation. Never empty. */
void tb_caller_show(const struct tb_core *core, const char *conversation, const char *key,
                    char ret_shown[TB_CONVERSATION_SHOWN]);
/* False: an id of this installation whose session has ended, so nothing need be kept for it. */
bool tb_sessions_keep(const struct tb_sessions *sessions, struct tb_str id);
/* All, also those that sleep. */
size_t tb_sessions_count(const struct tb_sessions *sessions);
/* Brings the metrics of sessions and of calls that are not over up to date. */
void tb_sessions_measure(const struct tb_sessions *sessions);
