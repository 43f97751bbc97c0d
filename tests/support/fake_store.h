/* SPDX-License-Identifier: Apache-2.0 */
/* A store for tests of what stands above stores. What it has outlives the rig's core, so a test can
 * restart the daemon; and it does what a bad disk does: writes that fail or take their time, reads
 * that take theirs. Light records are durable at once, as core/store.h wants it. */
#pragma once

#include "base/list.h"
#include "core/store.h"

#include "support/core_rig.h"

struct fake_store {
    struct tb_list records;
    struct tb_list reads;
    struct tb_list holds;
    struct rig *rig;
    bool full;       /* nothing can be stored, and it says so */
    bool broken;     /* it does not say so, but writes fail */
    bool slow;       /* states are not stored before fake_store_catch_up */
    bool reads_late; /* nothing is read before that */
    bool dead;       /* the daemon was killed: what it still does is not done */
    size_t puts[TB_SPACE_COUNT];
};

extern const struct tb_store_kind fake_store_kind;

/* For cmocka: a rig with such a store, whose user is the struct fake_store. */
int rig_setup_stored(void **state);
int rig_teardown_stored(void **state);
struct fake_store *fake_store_of(struct rig *rig);

/* It is empty, and says so. */
void fake_store_replace(struct fake_store *store);
/* What was held up goes on. */
void fake_store_catch_up(struct fake_store *store);
/* The value, borrowed; empty when there is none. */
struct tb_str fake_store_get(struct fake_store *store, enum tb_space space, const char *key);
void fake_store_set(struct fake_store *store, enum tb_space space, const char *key,
                    struct tb_str value);
size_t fake_store_count(struct fake_store *store, enum tb_space space);

/* Another daemon with the same store, after the first was killed or after it has drained; some time
 * may pass in between. The stored sessions loaded. */
void rig_kill(struct rig *rig, int64_t down_ms);
void rig_restart(struct rig *rig, int64_t down_ms);
