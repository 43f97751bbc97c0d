/* SPDX-License-Identifier: Apache-2.0 */
/* A gate: a reply waits at it until everything that it acknowledges is stored.
 *
 * Whoever begins something that the reply depends on puts a hold on the gate, embedded in its own
 * record, and releases it when that has ended. What ends at once needs no hold and only notes its
 * failure, if any. The gate belongs to the one who waits; it may go before its holds are released.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"

struct tb_gate {
    struct tb_list holds;
    struct tb_err err; /* the first failure; its code is 0 while there is none */
    void (*open)(struct tb_gate *gate);
};

struct tb_hold {
    struct tb_list link;
    struct tb_gate *gate; /* NULL: nobody waits any more */
};

/* `open` is called when the last hold is released, from inside that release. */
void tb_gate_init(struct tb_gate *gate, void (*open)(struct tb_gate *gate));
/* Holds that are left let go of it. */
void tb_gate_fini(struct tb_gate *gate);
/* Something is under way: do not go on before `open`. */
bool tb_gate_shut(const struct tb_gate *gate);

/* For all three `gate` may be NULL: nobody waits. */
void tb_gate_hold(struct tb_gate *gate, struct tb_hold *hold);
void tb_gate_fail(struct tb_gate *gate, const struct tb_err *err);
/* Once. `err` is NULL if all went well. */
void tb_hold_release(struct tb_hold *hold, const struct tb_err *err);
