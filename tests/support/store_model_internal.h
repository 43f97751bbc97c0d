/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a store, for its two files: writes, time and everything else in store_model.c, reads
 * in store_model_reads.c. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "core/config.h"
#include "core/core.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/state.h"

#include "support/claims_model.h"
#include "support/store_model.h"

enum {
    MODEL_REMOVES = 4, /* every such version is a removal */
};

struct version {
    uint64_t begun;
    uint64_t stored; /* acknowledged */
};

struct store_model {
    struct tb_core core;
    struct tb_config config;
    struct tb_log log;
    struct tb_clock_manual clock;
    char dir[64];
    struct tb_sqlite *state;
    struct version records[MODEL_KEYS];
    struct version entries;
    struct tb_list writes;
    struct tb_list reads;
    struct tb_list fresh;
    struct claims_model claims;
    char *room; /* for large values */
    size_t refused;
};

static inline enum tb_space space_of(int key)
{
    return key < MODEL_LIGHT_KEYS ? TB_SPACE_SESSION : TB_SPACE_STATE;
}

static inline struct tb_str name_of(int key, char ret_name[8])
{
    snprintf(ret_name, 8, "k%d", key);
    return tb_str_of(ret_name);
}

static inline bool removed(uint64_t version)
{
    return version % MODEL_REMOVES == 0;
}

static inline struct version *version_of(struct store_model *model, int key)
{
    return key == MODEL_KEYS ? &model->entries : &model->records[key];
}

/* Drops the reads that have ended, or all. */
void store_model_end_reads(struct store_model *model);
void store_model_drop_reads(struct store_model *model);
