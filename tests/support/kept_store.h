/* SPDX-License-Identifier: Apache-2.0 */
/* A store that keeps the audit entries it is given in a list, chained as a real one does, and is as
 * slow or as broken as a test wants. Records it takes and forgets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "core/store.h"

extern const struct tb_store_kind kept_store_kind;

struct kept_entry {
    struct tb_list link;
    struct tb_audit_entry entry;
};

/* The state of the store; `core->store` is {&kept_store_kind, kept}. */
struct kept_store {
    struct tb_list entries; /* struct kept_entry, oldest first */
    size_t count;
    bool slow;           /* gates are held until kept_release */
    const char *broken;  /* words; NULL: it works */
    bool unready;        /* says that it is not ready */
    int64_t cut_wall_ms; /* of the last cut */
    int64_t cut_count;
    size_t cuts;
    struct tb_loop *loop; /* for reads of the audit log */
    struct tb_list held;
    uint8_t secret[TB_SECRET_BYTES];
    struct tb_audit_cut cut;
    struct tb_audit_cut head;
};

void kept_init(struct kept_store *kept);
void kept_fini(struct kept_store *kept);
/* Lets go of all gates; `err` may be NULL. */
void kept_release(struct kept_store *kept, const struct tb_err *err);
/* The how-manieth entry, from 0; NULL at the end. */
struct tb_audit_entry *kept_at(struct kept_store *kept, size_t at);
