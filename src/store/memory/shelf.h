/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a space in the order of their keys' bytes: a skip list. Finding, adding and
 * removing take a number of steps that grows with the logarithm of their number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
    TB_SHELF_LEVELS = 10, /* each has about a quarter of the records of the one below */
};

struct tb_shelf_record {
    struct tb_str key;
    struct tb_str value;
    struct tb_shelf_record *next[]; /* as many as the record has levels */
};

struct tb_shelf {
    struct tb_shelf_record *first[TB_SHELF_LEVELS];
    uint32_t dice; /* where the levels of records come from */
};

void tb_shelf_init(struct tb_shelf *shelf);
void tb_shelf_fini(struct tb_shelf *shelf);
/* The record; NULL when there is none. */
struct tb_shelf_record *tb_shelf_get(const struct tb_shelf *shelf, struct tb_str key);
/* Copies both; a record with this key gets the new value. */
void tb_shelf_put(struct tb_shelf *shelf, struct tb_str key, struct tb_str value);
void tb_shelf_remove(struct tb_shelf *shelf, struct tb_str key);
/* The first whose key is not below this one; next[0] leads on. NULL at the end. */
struct tb_shelf_record *tb_shelf_seek(const struct tb_shelf *shelf, struct tb_str key);
