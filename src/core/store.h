/* SPDX-License-Identifier: Apache-2.0 */
/* What outlives the daemon: records (a value under a key, in a space of core/spaces.def) and the
 * audit log, whose entries are chained by their hashes and only ever cut at their old end. A store
 * is one const struct tb_store_kind; daemon/registry.c lists them.
 *
 * What a reply acknowledges must be stored before: a write takes the gate of that reply. When the
 * write has returned it is durable and the gate is as it was, or the store holds the gate until it
 * is, or the gate has its failure. Durable: it is there after kill -9 of the daemon.
 *
 * Writes take effect in the order in which they were asked for. Reads see every write before them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "core/gate.h"

struct tb_core;
struct tb_store_subscription;
struct tb_store_read; /* whoever waits for an answer: of a read, or of a write that has one */

enum tb_space {
#define TB_SPACE(NAME, name, light, what) TB_SPACE_##NAME,
#include "core/spaces.def"
#undef TB_SPACE
    TB_SPACE_COUNT,
};

/* An entry of the audit log. Texts are UTF-8 without NUL; each may be empty. */
struct tb_audit_entry {
    int64_t seq; /* given by the store, from 1 without gaps */
    int64_t wall_ms;
    struct tb_str type; /* the wire name of the event */
    struct tb_str tenant;
    struct tb_str session; /* its name */
    struct tb_str agent;
    struct tb_str tool;
    struct tb_str outcome;       /* "ok", the name of an error, or an end reason */
    struct tb_str details;       /* JSON: url, milliseconds, counts */
    uint8_t hash[TB_HASH_BYTES]; /* core/audit_chain.h; given by the store */
};

/* Which entries: all that is given must fit. */
struct tb_audit_query {
    int64_t after_seq;
    int64_t before_seq; /* 0: no bound */
    int64_t since_wall_ms;
    int64_t until_wall_ms; /* 0: no bound */
    struct tb_str tenant;
    struct tb_str session;
    struct tb_str type;
    struct tb_str tool;
    struct tb_str text; /* anywhere in the entry, in any case */
    bool newest_first;
    int64_t limit; /* 0: none */
};

/* Which records of a space, in the order of their keys' bytes. All zero: every one. */
struct tb_range {
    struct tb_str prefix; /* of their keys */
    struct tb_str after;  /* only those whose keys come after this one; empty: from the first */
    int64_t limit;        /* 0: none */
};

/* A claim on a key by its epoch, as a condition of a write: it is refused with TB_E_FENCED unless
 * the claim holds at that moment. So a node that was held up for too long cannot undo what the node
 * that took over has done since. */
struct tb_fence {
    struct tb_str key;
    int64_t epoch;
};

/* Where the log begins after old entries were cut off: the last one that is gone, its hash, and a
 * seal over both that only the installation's key can make. All zero: nothing was ever cut. */
struct tb_audit_cut {
    int64_t seq;
    uint8_t hash[TB_HASH_BYTES];
    uint8_t seal[TB_HASH_BYTES];
};

/* What a store can do that not every store can. */
enum tb_store_ability {
    TB_STORE_SHARED = 1, /* several daemons may have it open */
    TB_STORE_TOPICS = 2, /* publish and subscribe */
};

typedef void tb_store_record_fn(struct tb_str key, struct tb_str value, void *user);
typedef void tb_store_entry_fn(const struct tb_audit_entry *entry, void *user);
/* Of a claim; the epoch is 0 with an error. */
typedef void tb_store_claim_fn(const struct tb_err *err, int64_t epoch, void *user);
typedef void tb_store_message_fn(struct tb_str topic, struct tb_str bytes, void *user);
/* The end of a read, or of a write that has an answer; `err` is NULL if all went well. */
typedef void tb_store_end_fn(const struct tb_err *err, void *user);

struct tb_store_kind {
    const char *name;
    unsigned abilities; /* TB_STORE_ bits */
    /* Blocking, but quick: the daemon does not listen before it returns. NULL with words when the
     * daemon had better not start, e.g. because the file is from a newer version. */
    void *(*open)(struct tb_core *core, struct tb_err *err);
    /* Blocking: all that was accepted is in its place when it returns. Reads and
     * other answers end without a word. */
    void (*close)(void *state);
    /* The fence may be NULL. */
    void (*put)(void *state, enum tb_space space, struct tb_str key, struct tb_str value,
                const struct tb_fence *fence, struct tb_gate *gate);
    /* Puts it where there is none. `end` comes from the loop, never before this returns: with
     * TB_E_EXISTS there is one already, which stays as it is; without an error it is durable. */
    struct tb_store_read *(*put_new)(void *state, enum tb_space space, struct tb_str key,
                                     struct tb_str value, tb_store_end_fn *end, void *user);
    void (*remove)(void *state, enum tb_space space, struct tb_str key,
                   const struct tb_fence *fence, struct tb_gate *gate);
    void (*append)(void *state, const struct tb_audit_entry *entry, struct tb_gate *gate);
    /* Cuts off what is older than `wall_ms` and what is over the newest `count`; 0: no bound. */
    void (*cut)(void *state, int64_t wall_ms, int64_t count, struct tb_gate *gate);
    /* A node takes a key for a time. One claim holds at a time: TB_E_EXISTS names the node that has
     * it. Its epoch is above every epoch that was given before, also by claims that have run out
     * and by earlier runs of the daemon. Time is core's monotonic clock in a local store and the
     * server's in a shared one. No claim on a local store outlives a restart: the only process that
     * could hold one is gone. `fn` is called from the loop, never before this returns. */
    struct tb_store_read *(*claim)(void *state, struct tb_str key, struct tb_str node,
                                   int64_t ttl_ms, tb_store_claim_fn *fn, void *user);
    /* From now on for so long; TB_E_FENCED when it does not hold any more, even if nobody else
     * has claimed the key. */
    struct tb_store_read *(*renew)(void *state, const struct tb_fence *fence, int64_t ttl_ms,
                                   tb_store_end_fn *end, void *user);
    /* Nothing happens when it does not hold any more. */
    void (*release)(void *state, const struct tb_fence *fence);
    /* Reads call back from the loop, never before they return: each record or entry, then the end,
     * once. A missing record is TB_E_NOT_FOUND. */
    struct tb_store_read *(*get)(void *state, enum tb_space space, struct tb_str key,
                                 tb_store_record_fn *record, tb_store_end_fn *end, void *user);
    /* Without a range: all, in whatever order is the fastest. */
    struct tb_store_read *(*each)(void *state, enum tb_space space, const struct tb_range *range,
                                  tb_store_record_fn *record, tb_store_end_fn *end, void *user);
    struct tb_store_read *(*audit)(void *state, const struct tb_audit_query *query,
                                   tb_store_entry_fn *entry, tb_store_end_fn *end, void *user);
    /* No callback comes any more. What was written stays written. */
    void (*cancel)(struct tb_store_read *read);
    /* With TB_STORE_TOPICS, otherwise NULL: a message for all who have subscribed to its topic by
     * then, on every node, this one too. It is handed out from the loop, in the order of
     * publishing, at most once, and is not kept: what must not be missed is a record. Both fail
     * with TB_E_TOO_LARGE (a subscription is NULL then). All three are safe while messages are
     * handed out. */
    int (*publish)(void *state, struct tb_str topic, struct tb_str bytes, struct tb_err *err);
    struct tb_store_subscription *(*subscribe)(void *state, struct tb_str topic,
                                               tb_store_message_fn *fn, void *user,
                                               struct tb_err *err);
    void (*unsubscribe)(struct tb_store_subscription *subscription);
    /* False with words while nothing can be stored: what would have to be stored is to be refused
     * before it is done. */
    bool (*ready)(void *state, struct tb_err *err);
};

/* The store of a daemon; part of struct tb_core. The functions below do what those above do,
 * without a fence; what has none here (reads, put_new, claims, topics) is called by way of its
 * kind. */
struct tb_store {
    const struct tb_store_kind *kind; /* NULL: nothing is kept, every write is well */
    void *state;
};

void tb_store_put(const struct tb_store *store, enum tb_space space, struct tb_str key,
                  struct tb_str value, struct tb_gate *gate);
void tb_store_remove(const struct tb_store *store, enum tb_space space, struct tb_str key,
                     struct tb_gate *gate);
void tb_store_append(const struct tb_store *store, const struct tb_audit_entry *entry,
                     struct tb_gate *gate);
void tb_store_cut(const struct tb_store *store, int64_t wall_ms, int64_t count,
                  struct tb_gate *gate);
bool tb_store_ready(const struct tb_store *store, struct tb_err *err);
/* For stores: core logs what the operator has to know. NULL: what was wrong is over. */
void tb_store_report(const struct tb_core *core, const struct tb_err *err);
/* For stores: what was stored is gone, and it goes on empty. Core writes again what it has of live
 * sessions and keys. From the loop, when writes can be taken. */
void tb_store_replaced(const struct tb_core *core);
/* As in core/spaces.def. */
const char *tb_space_name(enum tb_space space);
bool tb_space_light(enum tb_space space);
