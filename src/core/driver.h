/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between sessions and what drives them. A driver is one const struct;
 * daemon/registry.c lists them.
 *
 * A driver session begins with `open` and ends with `close`. Operations on one driver session come
 * `width` at a time: core's queue sees to that. Each operation ends by tb_op_done exactly once,
 * later or at once, also after `cancel`, which asks for a quick end (the deadline has passed, the
 * caller is gone, the session ends) and must leave the session usable. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "core/offer.h"
#include "core/op.h"
#include "core/reasons.h"
#include "core/result.h"

struct tb_brought;
struct tb_channel;
struct tb_config;
struct tb_core;
struct tb_event;
struct tb_driver_session; /* the driver's own */
struct tb_egress;
struct tb_input;
struct tb_picture;
struct tb_want;

typedef void tb_op_fn(struct tb_driver_session *session, struct tb_op *op);

/* What becomes of a session whose driver has lost what it drives. */
enum tb_loss {
    TB_LOSS_RESTORABLE, /* core may open it anew with what was saved; without, it ends */
    TB_LOSS_FINAL,      /* it ends: there is nothing to go back to, or somebody wants it so */
    /* It may come back by itself, to `attach`: the session stays, its calls fail until then. */
    TB_LOSS_AWAY,
};

/* What happened to a session without being asked for; `detail` is borrowed. Core keeps `owner`
 * valid until close has called back. */
struct tb_driver_events {
    /* What it drives is gone. Once, and core then closes the session; one that is away is kept, so
     * its watching has ended with this, its operations are cancelled, and it can be lost again.
     * `reason` is why it ends, if it does; `detail` says in words what was seen, or is empty. */
    void (*on_lost)(void *owner, enum tb_end_reason reason, enum tb_loss loss, const char *detail);
    /* Something to tell on the bus: its type and fields; core adds whose it is. */
    void (*on_event)(void *owner, const struct tb_event *event);
    /* What `save` would give is no longer what it gave last. Often and cheap: core saves now and
     * then. */
    void (*on_changed)(void *owner);
    /* The tools that the session brings along are these and no others; may come before it is open.
     * The array and the references are core's from now on. */
    void (*on_tools)(void *owner, struct tb_brought **tools, size_t count);
    /* How it looks now, borrowed. See `watch`. */
    void (*on_picture)(void *owner, struct tb_picture *picture);
    /* A question: may a page be at this address, a whole one? 0, or a failure that names the rule.
     * Before one is sent there, and when one went there by itself (it closes). NULL: all may. */
    int (*may_open)(void *owner, struct tb_str url, struct tb_err *err);
    /* Another: the most bytes of a file that a page offers or, with `given`, is given; -1: any
     * number. NULL: no limit. */
    int64_t (*file_max)(void *owner, bool given);
};

struct tb_open_opts {
    const char *tenant;     /* sessions of two tenants never share a process */
    const char *session_id; /* names the session's own directory */
    const struct cJSON
        *args;           /* of start_session, checked; may be NULL; borrowed for the call of open */
    struct tb_str saved; /* what `save` gave for this session once, to be brought back; empty: none
                          */
    int64_t last_ref;    /* refs up to this number were given before and mean nothing any more */
    bool files;          /* who made it has tools for files: keep what pages offer for download */
    int64_t deadline_ms; /* open must answer by then: there is no other way to end it early */
    struct tb_channel *channel; /* to a peer that came by itself, to be joined; NULL: none */
    struct tb_egress *egress;   /* its way out, see core/egress.h; NULL: it goes by itself */
    const struct tb_driver_events *events;
    void *owner;
};

/* A tab is at this address. */
typedef void tb_tab_fn(struct tb_str url, void *user);
/* `session` is NULL on failure and err says why. Once, at once or later. */
typedef void tb_open_fn(struct tb_driver_session *session, const struct tb_err *err, void *owner);
typedef void tb_closed_fn(void *owner);
/* `state` is JSON, at most TB_SAVED_MAX, borrowed; empty with err: it could not be told. Unless it
 * is `whole`, it does not say what was typed into some page since the save before. */
typedef void tb_saved_fn(struct tb_str state, bool whole, const struct tb_err *err, void *owner);

/* How a session was brought back. */
struct tb_restored {
    const char *missing; /* what could not be, in words for the agent; NULL: nothing, or none was
                            saved */
    bool typed;          /* what was typed into pages is among it */
    int64_t last_ref;    /* as in tb_open_opts, if what was saved knows of a higher one */
};

struct tb_driver {
    const char *name;
    const struct tb_offer *offers; /* the sessions that it has; ended by TB_OFFER_END */
    /* So many operations of one session may be under way at once; 0 is 1: one pair of hands. */
    unsigned width;
    /* Before anything starts: says which of its settings cannot be. May be NULL. */
    int (*check)(const struct tb_config *config, struct tb_err *err);
    /* What it starts has to gain rights that the daemon does not have (a setuid program), so the
     * daemon may not give that up for all. May be NULL: nothing has to. */
    bool (*gains_rights)(const struct tb_config *config);
    /* Refuses an operation that no session could do, so that none is made for it. May be NULL. */
    int (*check_op)(const struct tb_core *core, enum tb_op_kind kind, const struct cJSON *args,
                    struct tb_err *err);
    /* Once, at start-up; gives the driver's own state, never NULL. */
    void *(*start)(struct tb_core *core);
    /* The reverse at the end. Sessions that are still opening or closing then (the daemon had no
     * time to wait) are dropped without a word: nobody is there any more to be called back. */
    void (*stop)(void *state);
    void (*open)(void *state, const struct tb_open_opts *opts, tb_open_fn *fn);
    /* Its peer has come back, away or not: joins this channel in place of the one before. On
     * failure all is as it was. NULL: the driver's sessions have no such peers. With it, sessions
     * of kinds that come by themselves (core/offers.def) are away after a restart. */
    int (*attach)(struct tb_driver_session *session, struct tb_channel *channel,
                  struct tb_err *err);
    /* Ends it; `fn` is called once, later, and no event comes after that. Operations under way
     * end first, with TB_E_CLOSED. */
    void (*close)(struct tb_driver_session *session, tb_closed_fn *fn, void *owner);
    /* The close that follows is to leave the pages as they are. False: they cannot be without the
     * session, so it is not closed. May be NULL. */
    bool (*detach)(struct tb_driver_session *session);
    /* All that `open` needs to bring the session back later, in another browser or daemon: open
     * tabs with their addresses and scroll positions, cookies, storage. `fn` is called once, later,
     * by the deadline; `close` ends it with TB_E_CLOSED before it returns. Not while an operation
     * is under way. NULL: the driver's sessions cannot be brought back. */
    void (*save)(struct tb_driver_session *session, int64_t deadline_ms, tb_saved_fn *fn,
                 void *owner);
    /* Operations may begin while `save` is under way; otherwise they wait for its end. */
    bool saves_beside;
    /* Adds what it runs now to the gauges of core->metrics, which are 0 before. May be NULL. */
    void (*measure)(void *state);
    /* The session has ended for good and is closed: what is left of it outside of what `save` gave
     * can go. Also for one that had no driver session. May be NULL. */
    void (*forget)(void *state, const char *session_id);
    /* Borrowed from the session. May be NULL. */
    struct tb_restored (*restored)(struct tb_driver_session *session);
    /* {"browserName":"chrome",...} for list_sessions; at any time until close has called back. May
     * be NULL. */
    void (*describe)(struct tb_driver_session *session, struct tb_json_writer *json);
    /* Tells where each open tab is now, before it returns; at any time until close has called back.
     * May be NULL. */
    void (*tabs)(struct tb_driver_session *session, tb_tab_fn *fn, void *user);
    /* Somebody looks, and wants pictures of that size: tell one by on_picture, now or when there is
     * something to see; each further one after next_picture, when it differs. Again with another
     * size: begin anew. NULL: nobody looks any more. Beside operations and saves; ends with
     * `close` or a loss. May be NULL, both. */
    void (*watch)(struct tb_driver_session *session, const struct tb_want *want);
    void (*next_picture)(struct tb_driver_session *session);
    /* The hands of a person who has taken over. What cannot be done is not. May be NULL. */
    void (*input)(struct tb_driver_session *session, const struct tb_input *input);
    tb_op_fn *ops[TB_OP_COUNT]; /* NULL: not possible with this driver */
};

struct tb_driver_slot;
/* The driver of that name in this daemon. NULL: there is none. */
const struct tb_driver_slot *tb_driver_named(const struct tb_core *core, struct tb_str name);
/* The first driver that offers such sessions. If none does, err says what there is. */
int tb_driver_find(const struct tb_core *core, const struct tb_offer *wanted,
                   const struct tb_driver_slot **ret_slot, struct tb_err *err);
/* What the driver of the usual sessions says of an operation for which one would have to be made.
 */
int tb_driver_check_op(const struct tb_core *core, enum tb_op_kind kind, const struct cJSON *args,
                       struct tb_err *err);
