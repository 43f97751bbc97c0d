/* SPDX-License-Identifier: Apache-2.0 */
/* Fields that were given a secret are covered while a picture or a document is made of their tab.
 * Part of an operation: its answers pass through the operation's `step`.
 *
 *   covering, one frame after the other --> on --tb_cdp_veil_lift--> off */
#pragma once

#include "driver/cdp/op/work.h"

struct tb_cdp_veil {
    struct tb_cdp_work *work; /* NULL: nothing is covered */
    unsigned next;            /* frames from this number on are still to be asked */
};

/* Begins, and goes on with each answer. True: a frame is asked, wait for its answer. */
bool tb_cdp_veil_next(struct tb_cdp_veil *veil, struct tb_cdp_work *work);
/* Uncovers what was; also in `fini`. */
void tb_cdp_veil_lift(struct tb_cdp_veil *veil);
