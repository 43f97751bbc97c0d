/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one open store: a writer and a reader around one file, each with a connection that
 * its worker has while one is under way.
 *
 *   write -> intake (light.c) or queue -> (a moment later) writer: one batch at a time -> database
 *   read  -> waits until the writes before it are moved -> reader: one portion at a time */
#pragma once

#include "base/map.h"
#include "core/core.h"
#include "io/timer.h"
#include "io/work.h"
#include "store/claims.h"
#include "store/sqlite/mover.h"

struct tb_writer {
    struct tb_mover mover; /* the worker's while one is under way */
    struct tb_list queue;  /* changes that wait: heavy ones, and what the intake had no room for */
    struct tb_map records; /* their last changes that the next ones have to wait behind */
    struct tb_list batch;  /* those that the worker has, or had when it failed */
    struct tb_work *work;  /* a batch, or a look at the files */
    struct tb_timer timer; /* the next batch */
    struct tb_timer watch; /* the next look at the files */
    uint64_t asked;        /* writes accepted so far */
    uint64_t taken;        /* of these, those that the last batch had or has */
    uint64_t spilled;      /* the last of these that the intake had no room for */
    uint64_t moved;        /* those that are in the database */
    bool opened;           /* the first batch has gone well */
    bool suspect;          /* the file has to be checked */
    bool lost;             /* the database is not in its place any more */
    bool anew;             /* no read may begin before the next batch, which opens the index anew */
    bool due;              /* a batch waits for a part of the intake to be written */
    int64_t began_ms;      /* what the worker has */
    int64_t took_us;       /* the last batch, for figures; the worker's */
    int64_t backoff_ms;
    struct tb_err trouble; /* why the last batch failed; its code is 0 if it did not */
    struct tb_err result;  /* the worker's */
};

/* See light.c. */
struct tb_light {
    struct tb_work *work;       /* a part is being written */
    struct tb_intake_part part; /* which one */
    uint64_t part_number;       /* the last change in it, as `asked` counts them */
    int64_t began_ms;
    int64_t direct_until_ms; /* until then the loop may write itself */
    bool broken;             /* the file is no good: the next batch makes a new one */
    struct tb_list waiting;
    struct tb_err result; /* the worker's */
};

struct tb_reader {
    struct tb_db db; /* the worker's while one is under way */
    bool stale;      /* the file was replaced: open it anew */
    struct tb_list waiting;
    struct tb_store_read *running;
};

enum tb_claims_state {
    TB_CLAIMS_UNKNOWN,
    TB_CLAIMS_READING,
    TB_CLAIMS_READY,
    TB_CLAIMS_RESERVING,
};

/* See claims.c. */
struct tb_sqlite_claims {
    struct tb_claims held;
    enum tb_claims_state state;
    int64_t reserved;       /* epochs up to this one may be given */
    bool damaged;           /* the database does not say which were given before */
    struct tb_gate gate;    /* of the write that reserves the next */
    struct tb_list waiting; /* claims, while there are none to give */
};

struct tb_sqlite {
    struct tb_core *core;
    char *path;
    struct tb_intake *intake;
    struct tb_buf scratch;
    struct tb_writer writer;
    struct tb_light light;
    struct tb_reader reader;
    struct tb_sqlite_claims claims;
    struct tb_list answers; /* of writes, that are still to be told */
    bool closing;
};

void tb_writer_init(struct tb_sqlite *store);
/* Moves what is left, if that can be done. */
void tb_writer_fini(struct tb_sqlite *store);
/* Plans the next batch if there is anything for it. */
void tb_writer_look(struct tb_sqlite *store);
/* A change was put into the intake's memory. The gate is held unless it is in the file when this
 * returns. */
void tb_writer_wrote(struct tb_sqlite *store, struct tb_gate *gate);
/* Begins a batch that had to wait, if there is one. */
void tb_writer_due(struct tb_sqlite *store);
/* Takes the bytes of a change; the gate is held until it is in the database. With a record (of
 * tb_change_record) later changes of the same one are to be queued too: tb_writer_queued. */
void tb_writer_queue_take(struct tb_sqlite *store, struct tb_buf *bytes, struct tb_str record,
                          struct tb_gate *gate);
bool tb_writer_queued(const struct tb_sqlite *store, struct tb_str record);
/* Begins a batch now, unless one is under way, the database fails or the store is being closed. */
void tb_writer_hurry(struct tb_sqlite *store);

/* After a batch that failed: has somebody who waits since then waited long enough? */
bool tb_writer_tried_enough(const struct tb_sqlite *store, int64_t since_ms);

void tb_light_init(struct tb_sqlite *store);
/* The last change that was asked for is in the intake's memory: as tb_writer_wrote. */
void tb_light_wrote(struct tb_sqlite *store, struct tb_gate *gate);
/* Begins to write what is not in the file, unless that is under way. */
void tb_light_go(struct tb_sqlite *store);
/* Changes up to `number` are in the file or in the database. */
void tb_light_stored(struct tb_sqlite *store, uint64_t number);
/* After a batch that failed: those who have waited too long, or all, are told. */
void tb_light_give_up(struct tb_sqlite *store, bool all, const struct tb_err *err);
/* The file is no good, or a new one is. */
void tb_light_broken(struct tb_sqlite *store, const struct tb_err *err);
void tb_light_renewed(struct tb_sqlite *store);
/* Waits for the part that is under way. */
void tb_light_settle(struct tb_sqlite *store);

void tb_reader_init(struct tb_sqlite *store);
void tb_reader_fini(struct tb_sqlite *store);
/* True if a read waits for writes to be moved. */
bool tb_reader_waits(const struct tb_sqlite *store);
/* Closes the reader's connection: false while a portion is under way. */
bool tb_reader_leave(struct tb_sqlite *store);
/* After a batch: what waited for it may begin. */
void tb_reader_go(struct tb_sqlite *store);
/* After a batch that failed: what has waited too long ends. */
void tb_reader_give_up(struct tb_sqlite *store, const struct tb_err *err);
struct tb_store_read *tb_reader_get(void *state, enum tb_space space, struct tb_str key,
                                    tb_store_record_fn *record, tb_store_end_fn *end, void *user);
struct tb_store_read *tb_reader_each(void *state, enum tb_space space, const struct tb_range *range,
                                     tb_store_record_fn *record, tb_store_end_fn *end, void *user);
struct tb_store_read *tb_reader_audit(void *state, const struct tb_audit_query *query,
                                      tb_store_entry_fn *entry, tb_store_end_fn *end, void *user);

void tb_sqlite_claims_init(struct tb_sqlite *store);
void tb_sqlite_claims_fini(struct tb_sqlite *store);
/* The database is a new one: it is told again which epochs were given. */
void tb_sqlite_claims_replaced(struct tb_sqlite *store);
/* True, and the gate has the failure, when the fence refuses a write. */
bool tb_sqlite_fenced(const struct tb_sqlite *store, const struct tb_fence *fence,
                      struct tb_gate *gate);
struct tb_store_read *tb_sqlite_claim(void *state, struct tb_str key, struct tb_str node,
                                      int64_t ttl_ms, tb_store_claim_fn *fn, void *user);
struct tb_store_read *tb_sqlite_renew(void *state, const struct tb_fence *fence, int64_t ttl_ms,
                                      tb_store_end_fn *end, void *user);
void tb_sqlite_release(void *state, const struct tb_fence *fence);
