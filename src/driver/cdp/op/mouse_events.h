/* SPDX-License-Identifier: Apache-2.0 */
/* Mouse events for operations. All but the last of a burst are sent without waiting for answers. */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "driver/cdp/op/work.h"

struct tb_cdp_mouse {
    double x; /* in the tab's viewport */
    double y;
    const char *button; /* "left", "middle", "right" */
    unsigned modifiers;
    double delta_x; /* of the wheel */
    double delta_y;
    bool there; /* it is at that point already, and is not moved for a click */
};

/* "left" unless it names another one. */
const char *tb_cdp_mouse_button(struct tb_str name);
/* Sends one event: "mouseMoved", "mousePressed", "mouseReleased", "mouseWheel". With `ask` its
 * answer goes to the operation's step. */
void tb_cdp_mouse_send(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse, const char *type,
                       int count, bool ask);
/* Moves there unless it is, and clicks `count` times; the answer to the last event goes to the
 * step. */
void tb_cdp_mouse_click(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse, int count);
/* Moves there with the left button held. */
void tb_cdp_mouse_drag(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse, bool ask);
