/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a target tells of its requests, which operations want to know of (op/requests.h): from
 * the first act in a document until that is left. To be told only during each act would cost every
 * click a tenth of its time. */
#pragma once

#include <stdbool.h>

struct tb_cdp_frame;
struct tb_cdp_page;
struct tb_cdp_target;

/* Before an act in this frame. With `logged` the log has those of the tab itself told already, and
 * with their bodies. */
void tb_cdp_requests_tell(struct tb_cdp_frame *frame, bool logged);
/* Its target tells of one. True: it has told too much, and does so no longer. */
bool tb_cdp_requests_count(struct tb_cdp_target *target);
/* The page is being left. */
void tb_cdp_requests_on_leave(struct tb_cdp_page *page);
