/* SPDX-License-Identifier: Apache-2.0 */
/* From a point inside a frame to the same point of the tab's viewport, which is where input goes.
 * Each document on the way is asked: it knows how it draws the frame, waits until nothing lies over
 * the point, and watches over the press that follows. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct tb_cdp_work;

struct tb_cdp_outward {
    double x;
    double y;
    unsigned frame; /* whose viewport this is a point of; 0: the tab's */
    int presses;    /* to be watched over; 0: none */
    bool force;     /* whatever lies over it */
};

/* Asks the next document. False: there is none left. True: the answer goes to the operation's step,
 * or the operation has failed. */
bool tb_cdp_outward_ask(struct tb_cdp_outward *point, struct tb_cdp_work *work);
void tb_cdp_outward_take(struct tb_cdp_outward *point, struct tb_cdp_work *work,
                         struct tb_str value);
