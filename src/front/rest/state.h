/* SPDX-License-Identifier: Apache-2.0 */
/* What the front keeps between requests. */
#pragma once

#include "front/once.h"
#include "front/rest/audit.h"
#include "front/rest/holds.h"

struct tb_rest {
    struct tb_onces *onces;
    struct tb_rest_clearings clearings;
    struct tb_rest_holds holds;
};
