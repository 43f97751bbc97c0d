/* SPDX-License-Identifier: Apache-2.0 */
/* Tabs that show a file of this machine or the browser's own pages. No address that an agent or a
 * page gives leads there (address.h); should one get there all the same, no call sees it, and it is
 * closed, with all windows that it opened: a blank one among them is of its origin. */
#pragma once

#include <stdbool.h>

#define TB_INNER_WORDS                                                                         \
    "the tab came to a file of this machine or to the browser itself, so it is being closed; " \
    "try again"

struct tb_cdp_frame;
struct tb_cdp_host;
struct tb_cdp_page;

/* The frame has another address. */
void tb_cdp_inner_look(struct tb_cdp_frame *frame);
/* A window was opened. */
void tb_cdp_inner_spread(struct tb_cdp_host *host);
/* Asks the browser again to close it, if it is such a tab. */
void tb_cdp_inner_close(struct tb_cdp_page *page);
bool tb_cdp_page_is_inner(const struct tb_cdp_page *page);
