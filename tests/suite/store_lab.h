/* SPDX-License-Identifier: Apache-2.0 */
/* A lab for stores: a core on the system clock with a folder of its own, and writes and reads that
 * wait for their end. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "core/config.h"
#include "core/core.h"
#include "core/store.h"

struct store_lab {
    struct tb_core core;
    struct tb_config config;
    struct tb_log log;
    int log_fd;
    const struct tb_store_kind *kind;
    void *state;                  /* NULL: closed */
    struct tb_clock_manual clock; /* after store_lab_stop_clock */
    char dir[64];
    char words[512]; /* of the last write that failed */
    struct tb_buf text;
};

/* What a read gave: "key=value\n" for records, "seq type\n" for entries. */
struct store_seen {
    struct tb_buf text;
    size_t rows;
    int ends;
    int code; /* of the end; 0: well */
    char words[512];
    int64_t last_seq;
    bool chain; /* each entry has to follow the one before */
    uint8_t hash[TB_HASH_BYTES];
    struct store_lab *lab;
    struct tb_store_read *read;
    size_t cancel_at; /* so many rows; 0: never */
};

/* With the store open. */
struct store_lab *store_lab_new(const struct tb_store_kind *kind);
void store_lab_free(struct store_lab *lab);
void store_lab_open(struct store_lab *lab);
void store_lab_close(struct store_lab *lab);
/* Closed and opened again. */
void store_lab_reopen(struct store_lab *lab);
/* Removes the files of a closed store, and what was logged. */
void store_lab_clear(struct store_lab *lab);
/* The time of its core stands still, and a test moves it. */
void store_lab_stop_clock(struct store_lab *lab);
/* Another node on the same store, with the loop and the clock of the first, which outlives it. */
struct store_lab *store_lab_join(struct store_lab *first,
                                 void *(*join)(void *state, struct tb_core *core));
void store_lab_leave(struct store_lab *lab);
/* What was logged since the lab was made. This and the next are valid until the next call of one.
 */
const char *store_lab_logged(struct store_lab *lab);
/* A file of the lab's folder. */
const char *store_lab_path(struct store_lab *lab, const char *name);

/* Writes and waits until the gate is open: 0 or its error. */
int store_put(struct store_lab *lab, enum tb_space space, const char *key, const char *value);
int store_put_bytes(struct store_lab *lab, enum tb_space space, const char *key,
                    struct tb_str value);
/* The same for a write that has an answer. */
int store_put_new(struct store_lab *lab, enum tb_space space, const char *key, const char *value);
int store_remove(struct store_lab *lab, enum tb_space space, const char *key);
int store_put_fenced(struct store_lab *lab, enum tb_space space, const char *key, const char *value,
                     const struct tb_fence *fence);
int store_remove_fenced(struct store_lab *lab, enum tb_space space, const char *key,
                        const struct tb_fence *fence);
int store_claim(struct store_lab *lab, const char *key, const char *node, int64_t ttl_ms,
                struct tb_fence *ret_fence);
int store_renew(struct store_lab *lab, const struct tb_fence *fence, int64_t ttl_ms);
int store_append(struct store_lab *lab, const struct tb_audit_entry *entry);
int store_append_type(struct store_lab *lab, const char *type);
int store_cut(struct store_lab *lab, int64_t wall_ms, int64_t count);

/* Begins a read after store_seen_init; its end makes `ends` 1. */
void store_seen_init(struct store_lab *lab, struct store_seen *seen);
void store_put_new_start(struct store_lab *lab, enum tb_space space, const char *key,
                         const char *value, struct store_seen *seen);
void store_get_start(struct store_lab *lab, enum tb_space space, const char *key,
                     struct store_seen *seen);
void store_each_start(struct store_lab *lab, enum tb_space space, const struct tb_range *range,
                      struct store_seen *seen);
void store_audit_start(struct store_lab *lab, const struct tb_audit_query *query,
                       struct store_seen *seen);
/* The same, and waits for the end. store_seen_fini afterwards. */
void store_get(struct store_lab *lab, enum tb_space space, const char *key,
               struct store_seen *ret_seen);
void store_each(struct store_lab *lab, enum tb_space space, const struct tb_range *range,
                struct store_seen *ret_seen);
void store_audit(struct store_lab *lab, const struct tb_audit_query *query,
                 struct store_seen *ret_seen);
void store_seen_fini(struct store_seen *seen);
/* The record is there with this value; NULL: it is not there. */
void store_expect(struct store_lab *lab, enum tb_space space, const char *key, const char *value);
/* All entries, oldest first, are chained as they should be; gives their number. */
size_t store_expect_chain(struct store_lab *lab);
