/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sessions from the inside, for core/session*.c, core/records.c, core/lifetime.c,
 * core/resolve.c and core/call.c. A tenant's record is made with its first session and kept, so
 * that the numbers in names go on counting; there are as many as there are credentials. */
#pragma once

#include "base/list.h"
#include "base/map.h"
#include "core/bus.h"
#include "core/call_tally.h"
#include "core/flood.h"
#include "core/session_internal.h"
#include "core/sessions.h"
#include "io/loop.h"

/* What a session takes while it is awake: core/sessions_room.c has a row for each kind, and one for
 * each of these with the settings that limit it. */
enum tb_takes {
    TB_TAKES_BROWSER, /* or a device */
    TB_TAKES_NOTHING, /* of ours: what it drives came by itself */
    TB_TAKES_COUNT,
};

/* What one conversation started, where it works, and its choice: core/conversation.c. */
struct tb_conversation {
    char name[TB_CONVERSATION_SIZE]; /* empty: all callers that have none */
    struct tb_tenant *tenant;
    struct tb_list sessions;    /* that it started; the one that was its current one last is last */
    struct tb_list members;     /* that it is: core/members.c */
    struct tb_session *current; /* NULL: it has none */
    struct tb_list of_session;  /* of that session's `currents` */
    struct tb_list in_order;    /* of the tenant's, unless it is passing */
    bool passing; /* somebody ends it: its choice is not counted and, since nobody comes back to it,
                     not stored */
};

struct tb_tenant {
    char name[TB_TENANT_SIZE];
    struct tb_core *core;
    struct tb_list sessions;              /* oldest first */
    struct tb_list awake[TB_TAKES_COUNT]; /* few, however many sleep */
    size_t count;                         /* of these */
    struct tb_map by_name;                /* those that are not private */
    struct tb_map conversations;          /* that own or have chosen a session */
    struct tb_list current_order;         /* the choice that was made longest ago first */
    size_t current_count;
    size_t named_count; /* that have a browser, without those of conversations */
    unsigned numbers[TB_KIND_COUNT];
    struct tb_flood denials; /* of calls, by policies */
    struct tb_list ends;     /* of its last sessions, the oldest first: core/ends.c */
    size_t end_count;
};

struct tb_sessions {
    struct tb_core *core;
    struct tb_map by_id;
    struct tb_map tenants;
    struct tb_list closing; /* ended, but the driver is not done */
    struct tb_list calls;   /* all that are under way */
    struct tb_tallies tallies;
    size_t awake_counts[TB_TAKES_COUNT];
    struct tb_load *load;         /* reads the stored ones; NULL: they are there */
    struct tb_list asks;          /* those that wait for it: core/resolve.h */
    size_t leaver_count;          /* callers that left before it was done */
    struct tb_removals *removals; /* of ended ones from the store */
    bool draining;
    void (*drained)(void *user);
    void *drained_user;
    struct tb_deferred drained_job;
    char warning[160];
};

/* A session that is to be awake. */
struct tb_newcomer {
    enum tb_session_kind kind;
    const char *key;      /* of the credential that started it */
    bool of_conversation; /* else it was started by name */
};

/* Makes it if need be. */
struct tb_tenant *tb_tenant_make(struct tb_sessions *sessions, const char *name);
/* A session of before has, or had, this name: "browser-7" is not given again. */
void tb_tenant_note_name(struct tb_tenant *tenant, enum tb_session_kind kind, struct tb_str name);
struct tb_tenant *tb_tenant_find(const struct tb_sessions *sessions, const char *tenant);

struct tb_conversation *tb_conversation_find(const struct tb_tenant *tenant, const char *name);
/* Makes its record if need be; the other frees it when there is nothing left to note. */
struct tb_conversation *tb_conversation_make(struct tb_tenant *tenant, const char *name);
void tb_conversation_free_if_done(struct tb_conversation *conversation);
/* The conversation has started this session. */
void tb_conversation_own(const char *name, struct tb_session *session);
void tb_conversation_disown(struct tb_session *session);
/* Of the sessions that its calls made the one that was current last; NULL: there is none that goes
 * on. */
struct tb_session *tb_conversation_last(const struct tb_conversation *conversation);

/* The current session of a conversation, NULL if it has none. */
struct tb_session *tb_current_get(const struct tb_tenant *tenant, const char *name);
void tb_current_set(struct tb_tenant *tenant, const char *name, struct tb_session *session,
                    bool passing);
/* Its conversation is over: nobody comes back to a choice that is passing. */
void tb_current_pass(const struct tb_sessions *sessions, const struct tb_caller *caller);
/* No caller comes to this session any more unless by its name. */
void tb_current_forget(struct tb_session *session);
/* The caller's choice is forgotten. */
void tb_current_drop(struct tb_tenant *tenant, const char *name);

/* The caller's choice becomes the one of its own, other than `from`, that was current last; NULL:
 * there is none. */
const struct tb_session *tb_current_return(struct tb_tenant *tenant, const struct tb_caller *caller,
                                           const struct tb_session *from, struct tb_gate *gate);

/* The conversations whose current session this is, as an array: the latest choices that fit. */
void tb_current_print(const struct tb_session *session, size_t room_bytes,
                      struct tb_json_writer *json);
/* The caller's current session becomes this one, on record too. */
void tb_current_choose(const struct tb_caller *caller, struct tb_session *session,
                       struct tb_gate *gate);
/* A session that did not open must not cost its owner the one that was current before. */
void tb_current_fall_back(struct tb_session *session);

/* A record with an id and a name gets its place; -EEXIST. */
int tb_sessions_add(struct tb_session *session);
/* What the caller calls it by: its name, or its id where the name leads to another one. */
const char *tb_session_address(const struct tb_session *session, const struct tb_caller *caller);
/* The caller may know that it is there. */
bool tb_session_visible(const struct tb_session *session, const struct tb_caller *caller);
enum tb_takes tb_session_takes(const struct tb_session *session);
/* Its place among those that are awake. */
void tb_sessions_count_awake(struct tb_session *session, int by);
/* Of whatever kind. */
size_t tb_sessions_awake_count(const struct tb_sessions *sessions);
size_t tb_sessions_asleep_count(const struct tb_sessions *sessions);
/* Is there room for one more that is awake? If so, idle ones may have given theirs; TB_E_LIMIT, and
 * all are as they were. */
int tb_sessions_admit(struct tb_tenant *tenant, const struct tb_newcomer *newcomer,
                      struct tb_err *err);
/* The same for one that was awake before. */
int tb_session_admit(const struct tb_session *session, struct tb_err *err);
/* Takes an ended session out of every table; it waits among those that are closing. */
void tb_sessions_forget(struct tb_session *session);
/* The driver is done with it: frees it. */
void tb_sessions_gone(struct tb_session *session);
/* All that are there now, of all tenants; any of them may end meanwhile. */
void tb_sessions_each(struct tb_sessions *sessions,
                      void (*fn)(struct tb_session *session, void *user), void *user);
/* The daemon stops: it goes, unless a call runs that may still finish. */
void tb_session_finish(struct tb_session *session);
/* One less may be all that the end of the daemon waits for. */
void tb_sessions_check_drained(struct tb_sessions *sessions);
/* All that waits is decided now, in the order in which it came; or, with `err`, fails. */
void tb_resolve_answer_all(struct tb_sessions *sessions, const struct tb_err *err);
/* Reading the stored ones is given up. */
void tb_sessions_cut_load(struct tb_sessions *sessions);
