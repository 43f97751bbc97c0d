/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the mouse to an element and clicks there. Part of an operation, click and hover or another:
 * its answers pass through the operation's `step`, what the page tells of a press that went
 * elsewhere through `missed`.
 *
 *   POINT --where it is--> [OUTWARD through each frame around it] --> INPUT --> [STRUCK: what was
 *     ^                                                                |          hit in a frame]
 *     +---- the page held the press back: it would have hit another ---+ */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "driver/cdp/op/mouse_events.h"
#include "driver/cdp/op/outward.h"
#include "driver/cdp/op/work.h"

struct tb_cdp_click {
    struct tb_cdp_work *work;
    int phase;
    struct tb_str target; /* borrowed from the operation's arguments */
    struct tb_cdp_mouse mouse;
    struct tb_cdp_outward point;
    int count; /* of clicks; 0: only move there */
    bool tells_changes;
    bool ticks;     /* it is a box, of which the page tells when it has the other state */
    bool stays;     /* only in the document that is there already */
    bool aimed;     /* the page watches for the press */
    int64_t clicks; /* that the page had seen before */
    int tries;
    char missed[256]; /* what lay in its place, the last time */
};

/* Begins; work, target, mouse.button, mouse.modifiers, count, tells_changes, ticks and stays are
 * set. */
void tb_cdp_click_start(struct tb_cdp_click *click);
/* An answer. True: it is done. False: it goes on, or the operation has failed. */
bool tb_cdp_click_step(struct tb_cdp_click *click, struct tb_str value);
/* For tb_cdp_work_kind's `missed` and `failed`. */
void tb_cdp_click_missed(struct tb_cdp_click *click, const struct cJSON *told);
bool tb_cdp_click_failed(struct tb_cdp_click *click, const struct tb_err *err);
