/* SPDX-License-Identifier: Apache-2.0 */
/* The rig of core with a store in memory and an audit log: the state of a test. */
#pragma once

#include "core/audit.h"

#include "support/core_rig.h"
#include "support/kept_store.h"

struct audited {
    struct rig *rig;
    struct kept_store kept;
    struct tb_audit *audit;
};

/* For cmocka. */
int audited_start(void **state);
int audited_stop(void **state);
