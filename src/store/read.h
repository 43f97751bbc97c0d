/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever waits for an answer of a store, and what there is for them: rows, packed by the one who
 * found them, and how it ended. It is part of a record of the store, which `drop` frees. The same
 * for all stores, so that all hand out and cancel in the same way.
 *
 *   listed --> busy (a worker has it, or callbacks run) --> listed again, or ended and dropped
 *
 * Cancelling drops it; while it is busy it only falls silent, and its owner drops it. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/list.h"
#include "core/store.h"
#include "io/loop.h"

struct tb_store_read {
    struct tb_list link;        /* the store's, so that closing it finds all */
    tb_store_record_fn *record; /* rows are records, */
    tb_store_entry_fn *entry;   /* or entries */
    tb_store_claim_fn *claim;   /* in the place of `end` */
    tb_store_end_fn *end;
    void *user;
    void (*drop)(struct tb_store_read *read);
    struct tb_deferred job;
    struct tb_buf rows;
    struct tb_err err; /* how it ended; its code is 0 if all went well */
    int64_t epoch;     /* of a claim that nobody was told of, so `drop` releases it; 0: none */
    bool busy;
    bool cancelled; /* no callback comes any more */
};

void tb_read_init(struct tb_store_read *read, void (*drop)(struct tb_store_read *read),
                  tb_store_end_fn *end, void *user);
/* For `drop`. */
void tb_read_fini(struct tb_store_read *read);
/* Hands out the rows that are there; stops when it is cancelled meanwhile. */
void tb_read_hand_out(struct tb_store_read *read);
/* Tells the end and drops it. */
void tb_read_end(struct tb_store_read *read);
/* Both, at the end of the turn. */
void tb_read_end_later(struct tb_store_read *read, struct tb_loop *loop);
/* As `cancel` of struct tb_store_kind. */
void tb_read_cancel(struct tb_store_read *read);
