/* SPDX-License-Identifier: Apache-2.0 */
/* A policy as policy_read.c makes it and policy.c asks it. */
#pragma once

#include "base/map.h"
#include "core/domain_rules.h"
#include "core/policy.h"

enum tb_policy_private {
    TB_PRIVATE_UNSAID,
    TB_PRIVATE_ALLOW,
    TB_PRIVATE_DENY,
};

struct tb_policy {
    unsigned refs;
    struct cJSON *json; /* the names in the maps are borrowed from it */
    struct tb_domain_rules *allow;
    struct tb_domain_rules *block;
    enum tb_policy_private private_networks;
    unsigned schemes; /* 0: all that there are */
    struct tb_map tools_allow;
    bool tools_limited; /* only those in tools_allow, even if it is empty */
    struct tb_map tools_deny;
    struct tb_map ask;
    bool read_only;
    bool no_evaluate;
    int64_t downloads_max; /* bytes; -1: no limit */
    int64_t uploads_max;
};
