/* SPDX-License-Identifier: Apache-2.0 */
/* An element in words: what the page scripts say of it, as one line for the result. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

enum {
    TB_CDP_ROLE_MAX = 100,
    TB_CDP_NAME_MAX = 160,
    TB_CDP_ELEMENT_MAX = TB_CDP_ROLE_MAX + TB_CDP_NAME_MAX + 16,
};

/* role "name", the name in quotes that it cannot end; of a reply that has role, tag and name, and
 * how many matched if they were several. */
void tb_cdp_element_print(const struct cJSON *reply, struct tb_buf *out);
