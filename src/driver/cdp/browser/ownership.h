/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns a browser: we, who have launched its process (launched.c), or somebody else, who runs it
 * at an endpoint (remote.c). A further way to come by a browser takes one more table, its choice in
 * tb_cdp_browser_get (browser.c), a line for what carries its messages (wire/line.h), and where no
 * contexts can be made in it, its own answer in context.c. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct tb_cdp_browser;

struct tb_cdp_ownership {
    /* It is there for our sessions alone: contexts wait in it for the next ones, and go with the
     * line. In somebody else's nobody would clear them away, and a session may leave its tabs. */
    bool ours;
    int failure; /* the code when it cannot be had */
    /* What could not be had, for people. */
    const char *(*name)(const struct tb_cdp_browser *browser);
    /* Begins to reach it. Fails at once, or tb_cdp_browser_on_line_take or _failed_to_start
     * follows. */
    int (*start)(struct tb_cdp_browser *browser, struct tb_err *err);
    /* Takes down what `start` has built; nothing, if it did not. */
    void (*stop)(struct tb_cdp_browser *browser);
    /* Silent, it can be seen at work; or has been since it began. */
    bool (*at_work)(const struct tb_cdp_browser *browser);
    bool (*has_worked)(const struct tb_cdp_browser *browser);
    /* Its process is about to end. */
    bool (*is_ending)(const struct tb_cdp_browser *browser);
    /* The directory of its process, which may write there; NULL: not known, or not there. */
    const char *(*profile)(const struct tb_cdp_browser *browser);
    /* Watches over the processes that it has by now. May be NULL. */
    void (*look_after)(struct tb_cdp_browser *browser);
};

extern const struct tb_cdp_ownership tb_cdp_launched;
extern const struct tb_cdp_ownership tb_cdp_remote;
