/* SPDX-License-Identifier: Apache-2.0 */
/* A session: one record whatever drives it. Only core holds pointers to it; others have its id and
 * look it up again.
 *
 *   created --open--> active <-> idle --> ended (expired or terminated)
 *
 * Calls wait in the session's own queue, first come first served, and run one at a time. However a
 * session ends, it is by one function with a reason (core/reasons.def): waiting and running calls
 * fail with that reason, the driver closes, the bus is told, once.
 *
 * An idle session may be asleep (hibernated): it has no browser, and the next call opens one with
 * what was saved. Its record is in the store from its beginning to its end (core/records.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "base/list.h"
#include "base/str.h"
#include "core/driver.h"
#include "core/principal.h"
#include "io/timer.h"

enum {
    TB_NAME_SIZE = 65,
    TB_CONVERSATION_SIZE = 129,
    TB_AGENT_SIZE = 97,
    TB_ID_SHOWN = 6, /* characters of an id that the log may have */
};

enum tb_session_kind {
    TB_KIND_BROWSER,
    TB_KIND_IOS,
    TB_KIND_ANDROID,
    TB_KIND_TAB,
    TB_KIND_CLIENT,
    TB_KIND_COUNT,
};

enum tb_session_state {
    TB_STATE_CREATED, /* the driver is opening it */
    TB_STATE_ACTIVE,  /* a call is under way */
    TB_STATE_IDLE,
    TB_STATE_EXPIRED,
    TB_STATE_TERMINATED,
};

enum tb_end_reason {
#define TB_REASON(NAME, wire, expired, words, after) TB_END_##NAME,
#include "core/reasons.def"
#undef TB_REASON
    TB_END_COUNT,
};

struct tb_saving;
struct tb_call;
struct tb_caller;
struct tb_conversation;
struct tb_gate;
struct tb_tenant;

struct tb_session_stats {
    int64_t calls;
    int64_t errors;
};

struct tb_session {
    char id[TB_ID_SIZE];
    char name[TB_NAME_SIZE];
    const char *tenant;
    enum tb_session_kind kind;
    enum tb_session_state state;
    bool of_conversation; /* made by a call of its owner, and ends with it; else started by name */
    bool brief;           /* the same, but of a toolset that lets it end when it is idle */
    bool hidden;          /* private: nobody but its owner reaches it */
    bool passing;         /* and its owner is gone when the daemon is */
    int64_t created_wall_ms;
    int64_t created_ms;
    int64_t last_active_wall_ms;
    int64_t last_active_ms;
    struct tb_session_stats stats;
    char *url; /* of its current page as far as is known, as core/url.h shows it; NULL: unknown */

    struct tb_core *core;
    const struct tb_driver *driver;
    struct tb_driver_session *driver_session; /* NULL until it is open, and while it is asleep */
    struct tb_call *running;
    struct tb_op_call *op;  /* at work in the driver; may outlive the call that began it */
    struct tb_list waiting; /* of calls */
    size_t waiting_count;

    /* For core/session*.c and core/records.c. */
    struct tb_deferred
        job;               /* what follows from what the driver or a call did, with a clean stack */
    struct tb_timer timer; /* the next end, or what comes before it */
    int64_t ttl_at_ms;     /* when its time to live is over; 0: it has none */
    int64_t told_ms;       /* the end that session_expiring was told of */
    int64_t hibernate_after_ms; /* not before: it could not be saved */
    int64_t recorded_ms;        /* when the record was written last */
    char *args;                 /* of start_session, sealed; NULL: none */
    struct tb_err *trouble;     /* why it did not open, or was lost */
    struct tb_saving *saving;   /* what it needs only while it is not asleep */
    char *note;                 /* for the next reply */
    char *replaces;      /* the id of the session whose end its owner is to hear of; NULL: none */
    char *replaces_note; /* the words for that; NULL with it */
    char *fallback; /* the id of the session that was its owner's current one before it, until it
                       is open; NULL: none */
    int64_t refs;   /* of the numbers up to this one any may have been given as a ref */
    bool typed; /* text stands in its pages that no save has; see also core/session_hibernate.c */
    struct tb_list authors; /* of what was typed: core/authors.h */
    int64_t unaware; /* calls up to this number came from who could not know that what was typed is
                        lost; 0: nothing is, or all know */
    char *loss;      /* how its browser was lost while no call ran, or went without a last save;
                        NULL: it was not */
    bool files;      /* its driver keeps downloads; only for this run of the daemon */
    bool opening;
    bool retiring; /* too old; ends with the call that runs */
    bool closing;
    bool closed;
    bool asleep;
    bool sleepy;    /* to be saved and then asleep */
    bool gives_way; /* for another session, and not because it is idle */
    bool woke;      /* the driver has opened it; the job has not seen that yet */
    bool known;     /* it was open once: a failure to open it again does not end it */
    bool saved;     /* the store has what its browser had */
    struct tb_tenant *home;
    struct tb_list link;           /* of the tenant's sessions, or of those that are closing */
    struct tb_conversation *owner; /* that started it; NULL once it has ended */
    struct tb_list owned;          /* of the sessions that its owner started */
    struct tb_list awake;          /* of the tenant's sessions that have a browser */
    struct tb_list currents;       /* the callers whose current session this is */
};

const char *tb_session_kind_name(enum tb_session_kind kind);
const char *tb_session_state_name(enum tb_session_state state);
const char *tb_end_reason_name(enum tb_end_reason reason);
/* As in "the session was closed". */
const char *tb_end_reason_words(enum tb_end_reason reason);
/* The error that a later call to such a session gets. */
int tb_end_reason_code(enum tb_end_reason reason);
/* What follows the time that the words end before; NULL: they are all there is. */
const char *tb_end_reason_after(enum tb_end_reason reason);
/* By their names; false when there is none. */
bool tb_session_kind_find(struct tb_str name, enum tb_session_kind *ret_kind);
bool tb_end_reason_find(struct tb_str name, enum tb_end_reason *ret_reason);
/* It ran out by itself. */
bool tb_end_reason_expired(enum tb_end_reason reason);

/* Ends it as the overview says. The record is freed once the driver has closed; looked up it is
 * gone at once. */
void tb_session_end(struct tb_session *session, enum tb_end_reason reason);
/* The same for a reply that acknowledges the end: it waits until that is stored. */
void tb_session_end_stored(struct tb_session *session, enum tb_end_reason reason,
                           struct tb_gate *gate);
/* The caller closes it: the same, and who else counted on it is told when it calls. If it is the
 * operator, agents are not to start another unasked. */
void tb_session_close(struct tb_session *session, const struct tb_caller *caller,
                      struct tb_gate *gate);
/* It lives for `ttl_ms` from now (0: the usual time of its kind, if that has one), unless something
 * else ends it, and counts as used. The caller, if not NULL, is told to the log. TB_E_PARAMS,
 * TB_E_SESSION_ENDED, TB_E_STORE. */
int tb_session_renew(struct tb_session *session, int64_t ttl_ms, const struct tb_caller *caller,
                     struct tb_gate *gate, struct tb_err *err);
/* Puts a call into the queue and starts it if it is its turn. TB_E_BUSY, TB_E_SESSION_ENDED. For
 * core/call.c. */
int tb_session_enqueue(struct tb_session *session, struct tb_call *call);
/* A call has left, waiting or running; starts the next one, soon. */
void tb_session_leave(struct tb_session *session, struct tb_call *call);
/* The name of the conversation that started it. */
const char *tb_session_owner(const struct tb_session *session);
/* No call runs or waits. */
bool tb_session_at_rest(const struct tb_session *session);
/* Appends it as an object: sessionId (the name), type, state, hibernated, whether it is the
 * caller's own, owner, private, times, stats, capabilities. */
void tb_session_describe(const struct tb_session *session, const struct tb_caller *caller,
                         struct tb_json_writer *json);
