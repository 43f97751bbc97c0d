/* SPDX-License-Identifier: Apache-2.0 */
/* Which session does a caller mean? Every call asks once, and so does a front that acts on a
 * session without a tool.
 *
 * The answer comes at once where it can, since a click must not cost a turn of the loop; otherwise
 * later, by `fn`. Whoever asks then goes on there, gives up at its own deadline, and need not know
 * what is waited for: the stored sessions, as long as they are being read. A session of another
 * node will be found the same way: struct tb_place will get a member for the address that the store
 * has of it (node, epoch), and a call will be sent there instead of into a queue.
 *
 * What is meant when no session is named is a row for each kind, in resolve.c. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "core/offer.h"

struct tb_caller;
struct tb_gate;
struct tb_resolve_ask;
struct tb_session;
struct tb_sessions;

enum {
    TB_LATER = 1, /* beside 0 and failures: the answer comes by `fn` */
};

enum tb_resolve_flags {
    TB_RESOLVE_MAY_CREATE = 1, /* if there is none, the conversation's is made */
    TB_RESOLVE_STORED = 2,     /* what is done there goes on record: not if the store takes none */
    TB_RESOLVE_NONE = 4,       /* no session is meant: whoever asks looks at all of them itself */
};

struct tb_place {
    struct tb_session *session; /* NULL: none was meant */
};

/* With a place, or with an error; what it asked for stands in the question as before. */
typedef void tb_resolve_fn(struct tb_resolve_ask *ask, const struct tb_place *place,
                           const struct tb_err *err);

/* A question, inside the record of whoever asks, who keeps all of it as it is until the answer. */
struct tb_resolve_ask {
    const struct tb_caller *caller; /* with TB_RESOLVE_NONE it may be NULL */
    struct tb_str named;            /* an id or a name; empty: the caller names none, ... */
    enum tb_session_kind kind;      /* ... and the rule of this kind holds */
    unsigned flags;
    struct tb_gate *gate; /* of the reply that acknowledges a new session; may be NULL */
    tb_resolve_fn *fn;
    /* For core/resolve.c. */
    struct tb_list link;
    const char *awaits; /* while it waits: "waited 5 ms for ..." */
};

/* 0, and the place, now; TB_LATER: `fn` is called once, later, unless it is cancelled before;
 * or a failure, now. TB_E_SESSION_NOT_FOUND with the candidates, or what is known of the end of the
 * session that is meant; with TB_RESOLVE_MAY_CREATE also what tb_sessions_create refuses. */
int tb_resolve(struct tb_sessions *sessions, struct tb_resolve_ask *ask, struct tb_place *ret_place,
               struct tb_err *err);
/* Whoever asked no longer waits. Also for a question that was never asked, or is answered. */
void tb_resolve_cancel(struct tb_resolve_ask *ask);
/* True if this failure is an answer: there is no such session. Otherwise none could be had. */
bool tb_resolve_denies(const struct tb_err *err);
/* Where a call would go that names no session and makes none; NULL: nowhere, as far as is known
 * now. To ask changes nothing. */
struct tb_session *tb_resolve_meant(struct tb_sessions *sessions, const struct tb_caller *caller);
/* The caller's current session becomes this one, and the caller a member of it if it has members.
 * TB_E_SESSION_NOT_FOUND as above, TB_E_LIMIT, TB_E_SESSION_ENDED, TB_E_NOT_POSSIBLE (its way in
 * gives it another one for good). */
int tb_sessions_set_current(struct tb_sessions *sessions, const struct tb_caller *caller,
                            struct tb_str id_or_name, struct tb_gate *gate, struct tb_err *err);
