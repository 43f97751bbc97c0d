/* SPDX-License-Identifier: Apache-2.0 */
/* A change that waits to be made in the database: a record put or removed, an audit entry added,
 * old entries cut off. As bytes it waits in the intake or in the writer's queue. */
#pragma once

#include "base/buf.h"
#include "core/store.h"

enum tb_change_kind {
    TB_CHANGE_PUT = 1, /* in files: give new kinds new numbers */
    TB_CHANGE_REMOVE = 2,
    TB_CHANGE_APPEND = 3,
    TB_CHANGE_CUT = 4,
    TB_CHANGE_PUT_NEW = 5, /* if there is no such record; never in files */
};

struct tb_change {
    enum tb_change_kind kind;
    struct tb_str space; /* by name, since numbers change with the rows of spaces.def */
    struct tb_str key;
    struct tb_str value;
    struct tb_audit_entry entry;
    int64_t wall_ms; /* of a cut */
    int64_t count;
};

void tb_change_pack(const struct tb_change *change, struct tb_buf *out);
/* Of the bytes of a change, those that say which record it changes; none for one of the log. */
struct tb_str tb_change_record(const struct tb_change *change, struct tb_str bytes);
/* The texts point into the bytes. TB_E_INVALID when they are no change. */
int tb_change_unpack(struct tb_str bytes, struct tb_change *ret_change);
