/* SPDX-License-Identifier: Apache-2.0 */
/* A session: one record whatever drives it. Only core holds pointers to it; others have its id and
 * look it up again. core/session_state.h has its states.
 *
 * Calls wait in the session's own queue, first come first served, and run as many at a time as its
 * driver has hands (its width; a browser has one). However a session ends, it is by one function
 * with a reason (core/reasons.def): waiting and running calls fail with that reason, the driver
 * closes, the bus is told, once.
 *
 * An idle session may be asleep (hibernated): it has no browser, and the next call opens one with
 * what was saved. Its record is in the store from its beginning to its end (core/records.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "core/offer.h"
#include "core/principal.h"
#include "core/reasons.h"

enum {
    TB_NAME_SIZE = 65,
    TB_CONVERSATION_SIZE = 129,
    TB_AGENT_SIZE = 97,
    TB_ID_SHOWN = 6, /* characters of an id that the log may have */
};

/* As people and agents see it; core/session_internal.h has what it is made of. Of a page's session
 * the words are those of BTCP, which stand behind the others. */
enum tb_shown_state {
    TB_SHOWN_CREATED, /* the driver is opening it; the page has no tools yet */
    TB_SHOWN_ACTIVE,  /* a call is under way; an agent works there, or did a while ago */
    TB_SHOWN_IDLE,
    TB_SHOWN_EXPIRED,
    TB_SHOWN_TERMINATED,
};

struct tb_call;
struct tb_caller;
struct tb_channel;
struct tb_gate;
struct tb_json_writer;

struct tb_session_stats {
    int64_t calls;
    int64_t errors;
};

/* What others may know of a session; texts are borrowed from it. */
struct tb_session_info {
    const char *id; /* a secret: see base/id.h */
    const char *name;
    enum tb_session_kind kind;
    enum tb_shown_state state;
    bool opening;       /* a browser is on the way */
    bool hibernated;    /* it has no browser; the next call brings it back */
    bool retiring;      /* too old: it ends with the call that runs */
    bool away;          /* what it drives has disconnected; calls fail until it is back */
    bool held;          /* a person has taken over; calls wait */
    bool hidden;        /* private: nobody but its owner reaches it */
    bool saved;         /* the store has what its browser had */
    int64_t expires_ms; /* by the wall clock, if it is neither used nor renewed; INT64_MAX: never */
    struct tb_session_stats stats;
};

struct tb_session;

struct tb_session_info tb_session_info(const struct tb_session *session);
const char *tb_shown_state_name(enum tb_shown_state state);

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
/* Its browser is freed, and the next call brings it back; this begins now, unless it sleeps already
 * or is about to, and is given up if a call comes. TB_E_BUSY (it is in use), TB_E_HELD, TB_E_AWAY,
 * TB_E_NOT_POSSIBLE (it cannot be restored), TB_E_SESSION_ENDED, TB_E_SHUTDOWN. */
int tb_session_hibernate_now(struct tb_session *session, struct tb_err *err);
/* The browser of one that sleeps is opened, as for a call; counts as used. TB_E_LIMIT, TB_E_BUSY
 * (it is on its way to sleep), TB_E_AWAY, TB_E_SESSION_ENDED, TB_E_SHUTDOWN. */
int tb_session_wake_now(struct tb_session *session, struct tb_err *err);
/* The peer of a session has come back (or a newer one in its place), behind this channel, which
 * stays the caller's. One that is away goes on, and it counts as used. TB_E_NOT_POSSIBLE (its
 * driver has no such peers), TB_E_BUSY (it is on the way to open or to close), TB_E_LIMIT,
 * TB_E_SESSION_ENDED, TB_E_SHUTDOWN, or what the driver says. */
int tb_session_attach(struct tb_session *session, struct tb_channel *channel, struct tb_err *err);
/* What the peer that has just connected says of itself, such as the User-Agent of a page. */
void tb_session_introduce(struct tb_session *session, struct tb_str agent);
/* The name of the conversation that started it. */
const char *tb_session_owner(const struct tb_session *session);
/* No call runs or waits. */
bool tb_session_at_rest(const struct tb_session *session);
/* Appends it as an object: sessionId (the name), type, state, hibernated, whether it is the
 * caller's own, owner, private, times, stats, capabilities. */
void tb_session_describe(const struct tb_session *session, const struct tb_caller *caller,
                         struct tb_json_writer *json);
/* Appends all that the caller, who knows it as `named`, may know of it, as an object: id (if it is
 * none of the caller's business the name), state, createdAt, expiresAt, owner, members, tools,
 * capabilities, stats. To look changes nothing. */
void tb_session_dump(const struct tb_session *session, const struct tb_caller *caller,
                     struct tb_str named, struct tb_json_writer *json);
