/* SPDX-License-Identifier: Apache-2.0 */
/* Tabs that show a file of this machine, the browser's own pages, or what a policy does not allow.
 * No address that an agent or a page gives leads to the first two (address.h), and no call to the
 * last; should a tab get there all the same, no call sees it, and it is closed, with all windows
 * that it opened: a blank one among them is of its origin. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

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
/* Why no call sees it. */
int tb_cdp_inner_fail(const struct tb_cdp_page *page, struct tb_err *err);
