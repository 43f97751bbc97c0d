/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: policies from JSON text, with ' in place of ". */
#pragma once

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/policy.h"

static inline int policy_rig_read(const char *text, struct tb_policy **ret, struct tb_err *err)
{
    TB_AUTO(tb_free) char *copy = tb_strdup(text);
    for (char *at = copy; (at = strchr(at, '\'')); at++) {
        *at = '"';
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(copy));
    return tb_policy_read(json, ret, err);
}
