/* SPDX-License-Identifier: Apache-2.0 */
/* Something that was asked of the browser and is still open: a command, a call of a page function,
 * a wait.
 *
 * It stands in two lists. Its place (a tab, or the line to the browser) ends it at the latest when
 * the place itself ends. Its session has it for whoever asked: tb_cdp_session_forget finds it
 * there, wherever the place is listed by then. So an ask ends once, or is forgotten, and nobody is
 * called back who has gone. */
#pragma once

#include "base/list.h"

struct tb_cdp_ask {
    struct tb_list place; /* in its tab or browser */
    struct tb_list asked; /* in its session */
    void *user;
    void (*forget)(struct tb_cdp_ask *ask); /* frees it without a word to its user */
};

/* `asks` are those of the session; NULL for what a place asks for itself: nobody else can forget
 * that. */
void tb_cdp_ask_begin(struct tb_cdp_ask *ask, struct tb_list *place, struct tb_list *asks);
/* Takes it out of both lists; part of freeing it. */
void tb_cdp_ask_end(struct tb_cdp_ask *ask);
/* Forgets all that was asked with this `user`. */
void tb_cdp_asks_forget(struct tb_list *asks, const void *user);
