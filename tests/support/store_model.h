/* SPDX-License-Identifier: Apache-2.0 */
/* What a store was asked for and what it acknowledged, simple enough to be right by looking. The
 * real one works beside it, on a manual clock, without threads, on a disk that fails on command;
 * whatever contradicts the model ends the program.
 *
 * A record's value is the number of its version, and every fourth version is its removal. What was
 * not acknowledged may be there or not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MODEL_LIGHT_KEYS = 4,
    MODEL_HEAVY_KEYS = 3,
    MODEL_KEYS = MODEL_LIGHT_KEYS + MODEL_HEAVY_KEYS,
};

struct claims_model;
struct store_model;

/* In a folder of its own. `full`: with store.sync: full. `pace`: of its workers (manual_work.h). */
struct store_model *store_model_new(bool full, unsigned pace);
/* Closes the store, opens it again on a disk that works, and looks at everything. */
void store_model_free(struct store_model *model);

/* The next version of a record: put or removed. Heavy ones get so many bytes, at most a MiB. */
void store_model_change(struct store_model *model, int key, size_t bytes);
void store_model_append(struct store_model *model);
/* The same with the fence of a claim; a light record. */
void store_model_fenced(struct store_model *model, int key, int claim);
/* A version that is put where there is none. */
void store_model_put_new(struct store_model *model, int key);
/* For claims on keys; the store is its own. */
struct claims_model *store_model_claims(struct store_model *model);
/* Reads that are looked at when they end. */
void store_model_get(struct store_model *model, int key);
/* A range of the records behind this one. */
void store_model_each(struct store_model *model, int after, int64_t limit);
void store_model_audit(struct store_model *model);
/* Cancels the oldest read that has not ended. */
void store_model_cancel(struct store_model *model);
/* A turn of the loop; it does not wait. */
void store_model_turn(struct store_model *model);
void store_model_advance(struct store_model *model, int ms);
/* Until every write and read has ended. */
void store_model_settle(struct store_model *model);
/* Closes, opens and looks at everything. What the disk does not do while it closes is not done. */
void store_model_reopen(struct store_model *model);
/* Somebody cuts or removes the intake; waits until the store has noticed. */
void store_model_spoil_intake(struct store_model *model, bool cut);
/* A write is acknowledged, on a disk that works again. */
void store_model_expect_to_work(struct store_model *model);
/* Somebody waits for a write. */
bool store_model_waits(const struct store_model *model);
/* Writes that were refused so far. */
size_t store_model_refused(const struct store_model *model);
