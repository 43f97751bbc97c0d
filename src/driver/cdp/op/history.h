/* SPDX-License-Identifier: Apache-2.0 */
/* One step in the history of a tab. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum {
    TB_CDP_HISTORY_PARAMS = 64,
};

/* From the answer to Page.getNavigationHistory to what Page.navigateToHistoryEntry needs; empty:
 * there is no page that way. */
struct tb_str tb_cdp_history_step(struct tb_str history, bool back,
                                  char ret_params[TB_CDP_HISTORY_PARAMS]);
