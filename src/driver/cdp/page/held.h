/* SPDX-License-Identifier: Apache-2.0 */
/* The mouse button that a drag held down when it was cut off, often by a dialog. The browser
 * ignores all input while one is open, so the button comes up when it has been answered, and the
 * drag is over then: the page does not stay in it, and what is done next is not taken for a part of
 * it. */
#pragma once

#include <stdbool.h>

struct tb_cdp_page;

struct tb_cdp_held {
    bool drags; /* one is under way and needs the interception */
    int ups;    /* on their way */
    int tries;  /* to let it go that are left; 0: it is not held */
    double x;   /* where it went down, in the tab's viewport */
    double y;
};

/* A drag begins: one of the browser's is handed to us from now on. */
void tb_cdp_held_begin(struct tb_cdp_page *page);
/* It has ended well. */
void tb_cdp_held_end(struct tb_cdp_page *page);
/* The drag is cut off; drags are intercepted until the button is up. */
void tb_cdp_held_keep(struct tb_cdp_page *page, double x, double y);
/* The button comes up, unless a dialog is in the way: then this is for when it was answered. */
void tb_cdp_held_let_go(struct tb_cdp_page *page);
