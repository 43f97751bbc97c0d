/* SPDX-License-Identifier: Apache-2.0 */
/* An empty page in place of a site's own: a tab that gets it has the site's storage, and the site
 * is not visited. The tab has the domain Fetch enabled. */
#pragma once

#include "base/str.h"

struct tb_cdp_page;

/* For each event of the domain Fetch: what the tab has asked for is answered so. */
void tb_cdp_stand_in_on_event(struct tb_cdp_page *page, struct tb_str method, struct tb_str params);
