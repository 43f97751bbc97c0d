/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one open store: a writer and a reader around one file, each with a connection that
 * its worker has while one is under way.
 *
 *   write -> intake or queue -> (a moment later) writer: one batch at a time -> database
 *   read  -> waits until the writes before it are moved -> reader: one portion at a time */
#pragma once

#include "core/core.h"
#include "io/timer.h"
#include "io/work.h"
#include "store/sqlite/mover.h"

struct tb_writer {
    struct tb_mover mover; /* the worker's while one is under way */
    struct tb_list queue;  /* changes that wait: heavy ones, and what the intake had no room for */
    struct tb_list batch;  /* those that the worker has, or had when it failed */
    struct tb_work *work;
    struct tb_timer timer; /* the next batch */
    uint64_t asked;        /* writes accepted so far */
    uint64_t taken;        /* of these, those that the last batch had or has */
    uint64_t spilled;      /* the last of these that the intake had no room for */
    uint64_t moved;        /* those that are in the database */
    bool opened;           /* the first batch has gone well */
    bool suspect;          /* the file has to be checked */
    int64_t backoff_ms;
    struct tb_err trouble; /* why the last batch failed; its code is 0 if it did not */
    struct tb_err result;  /* the worker's */
};

struct tb_reader {
    struct tb_db db; /* the worker's while one is under way */
    bool stale;      /* the file was replaced: open it anew */
    struct tb_list waiting;
    struct tb_store_read *running;
};

struct tb_sqlite {
    struct tb_core *core;
    char *path;
    struct tb_intake *intake;
    struct tb_buf scratch;
    struct tb_writer writer;
    struct tb_reader reader;
    bool closing;
};

enum {
    TB_SQLITE_PATIENCE_MS = 10 * 1000, /* of reads and heavy writes while the database fails */
};

void tb_writer_init(struct tb_sqlite *store);
/* Moves what is left, if that can be done. */
void tb_writer_fini(struct tb_sqlite *store);
/* Plans the next batch if there is anything for it. */
void tb_writer_look(struct tb_sqlite *store);
/* A change was put into the intake. */
void tb_writer_wrote(struct tb_sqlite *store);
/* Takes the bytes of a change; the gate is held until it is in the database. */
void tb_writer_queue_take(struct tb_sqlite *store, struct tb_buf *bytes, struct tb_gate *gate);
/* Begins a batch now, unless one is under way or the database fails. */
void tb_writer_hurry(struct tb_sqlite *store);

void tb_reader_init(struct tb_sqlite *store);
void tb_reader_fini(struct tb_sqlite *store);
/* True if a read waits for writes to be moved. */
bool tb_reader_waits(const struct tb_sqlite *store);
/* After a batch: what waited for it may begin. */
void tb_reader_go(struct tb_sqlite *store);
/* After a batch that failed: what has waited too long ends. */
void tb_reader_give_up(struct tb_sqlite *store, const struct tb_err *err);
struct tb_store_read *tb_reader_get(void *state, enum tb_space space, struct tb_str key,
                                    tb_store_record_fn *record, tb_store_end_fn *end, void *user);
struct tb_store_read *tb_reader_each(void *state, enum tb_space space, tb_store_record_fn *record,
                                     tb_store_end_fn *end, void *user);
struct tb_store_read *tb_reader_audit(void *state, const struct tb_audit_query *query,
                                      tb_store_entry_fn *entry, tb_store_end_fn *end, void *user);
void tb_reader_cancel(struct tb_store_read *read);
