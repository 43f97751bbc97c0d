/* SPDX-License-Identifier: Apache-2.0 */
/* The operation under way, as its tabs and its session see it: what they tell it as it happens. Any
 * of these calls may be its last: look for it anew before the next one. */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct cJSON;
struct tb_cdp_dialog;
struct tb_cdp_page;
struct tb_cdp_running;

struct tb_cdp_running_ops {
    /* A navigation has begun, a dialog has opened, a tab has opened or closed. */
    void (*notice)(struct tb_cdp_running *running);
    /* It is known what the file chooser asks for that a page has opened. */
    void (*chooser_known)(struct tb_cdp_running *running);
    /* A dialog was in the way, and has been dismissed. */
    void (*dismissed)(struct tb_cdp_running *running, const struct tb_cdp_dialog *dialog);
    /* What `user` has asked of the tab's document is asked anew in the one that took its place. */
    void (*moved)(struct tb_cdp_running *running, const void *user);
    /* The page scripts tell something without being asked; see page/here.js. */
    void (*told)(struct tb_cdp_running *running, struct tb_cdp_page *page,
                 const struct cJSON *told);
    /* Events of the domains Network, Fetch and Input. */
    void (*on_event)(struct tb_cdp_running *running, struct tb_cdp_page *page, struct tb_str method,
                     struct tb_str params);
    /* From now on nobody tells of the tab's requests, nor of the ends of those that have begun. */
    void (*unheard)(struct tb_cdp_running *running, const struct tb_cdp_page *page);
    /* It ends with this error; NULL: it is freed without a word to anybody. */
    void (*end)(struct tb_cdp_running *running, const struct tb_err *err);
};

/* A part of the operation. */
struct tb_cdp_running {
    const struct tb_cdp_running_ops *ops;
};
