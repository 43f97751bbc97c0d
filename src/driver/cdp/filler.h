/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a value into one field, as its kind wants it: typed text, a choice, a tick, or a value that
 * cannot be typed (dates, colours). Part of an operation: its answers pass through the operation's
 * `step`.
 *
 *   FOCUS --text--> [CARET to the end] --> TYPING --> done
 *         --date, select--> SETTING --> done
 *         --checkbox--> CHECK --other than wanted--> POINT --> [OFFSET] --> CLICKED --> done */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "driver/cdp/mouse.h"
#include "driver/cdp/opwork.h"
#include "io/timer.h"

struct tb_filler {
    struct tb_opwork *work;
    int phase;
    struct tb_str target; /* borrowed from the operation's arguments */
    struct tb_str value;
    bool clear;
    int64_t delay_ms; /* between keys; 0: all at once */
    size_t typed;     /* bytes so far, with a delay */
    bool last;        /* nothing is done after it, so the end may be prepared */
    int64_t inputs;   /* that the page had seen before */
    struct tb_mouse mouse;
    struct tb_timer timer;
    bool secret;
    char element[1024]; /* what was filled, as far as the page told */
};

void tb_filler_init(struct tb_filler *filler, struct tb_opwork *work);
void tb_filler_fini(struct tb_filler *filler);
/* Begins; target, value, clear and delay_ms are set. */
void tb_filler_start(struct tb_filler *filler);
/* An answer. True: the field is filled. False: it goes on, or the operation has failed. */
bool tb_filler_step(struct tb_filler *filler, struct tb_str value);
