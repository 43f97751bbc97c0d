/* SPDX-License-Identifier: Apache-2.0 */
/* A browser context: cookies, storage and tabs of one session, apart from all others. It is made
 * ahead of its session, with one empty tab that has everything set up.
 *
 *   making --context, tab, worlds are there--> (taught its pass) --> ready --session--> taken -->
 * closing */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "base/str.h"
#include "driver/cdp/page/host.h"
#include "driver/cdp/page/target.h"
#include "io/timer.h"

struct tb_cdp_browser;
struct tb_cdp_prime;
struct tb_driver_session;
struct tb_pass;

struct tb_cdp_context {
    struct tb_list link;     /* in its browser */
    struct tb_cdp_host host; /* of its tabs */
    struct tb_cdp_browser *browser;
    bool ready;
    bool closing;
    char id[TB_TARGET_ID_SIZE];   /* empty until the browser has made it */
    struct tb_cdp_command making; /* first it, then its tab */
    struct tb_timer no_tab;       /* until when the tab that was made must be ready */
    struct tb_pass *pass;         /* for the forward proxy; NULL: it goes by itself */
    struct tb_cdp_prime *prime;   /* while the pass is being taught; else NULL */
};

/* Starts to make one; tb_cdp_browser_context_ready or _failed follows. */
void tb_cdp_context_new(struct tb_cdp_browser *browser);
/* Drops it and its tabs here; the calls on them fail with these words. Says nothing to the browser.
 */
void tb_cdp_context_free(struct tb_cdp_context *context, const struct tb_err *err);
/* Asks the browser to forget it; answers nobody needs are dropped. */
void tb_cdp_context_dispose(struct tb_cdp_context *context);
/* As free, but the tabs stay in the browser, and are let go of. */
void tb_cdp_context_leave(struct tb_cdp_context *context, const struct tb_err *err);
/* The parameters of commands about it: to dispose of it, to open an empty tab in it. */
enum {
    TB_CONTEXT_PARAMS_SIZE = 160,
};
struct tb_str tb_cdp_context_params(const struct tb_cdp_context *context,
                                    char ret_params[TB_CONTEXT_PARAMS_SIZE]);
struct tb_str tb_cdp_context_tab_params(const struct tb_cdp_context *context,
                                        char ret_params[TB_CONTEXT_PARAMS_SIZE]);
/* Whose it is; NULL: not taken. */
struct tb_driver_session *tb_cdp_context_session(const struct tb_cdp_context *context);
/* A session takes it. */
void tb_cdp_context_take(struct tb_cdp_context *context, struct tb_driver_session *session);
/* The session has left; what is asked in its tabs from now on is nobody's. */
void tb_cdp_context_part(struct tb_cdp_context *context);

/* Events of the browser itself. */
void tb_cdp_context_on_event(struct tb_cdp_browser *browser, struct tb_str method,
                             struct tb_str params);
