/* SPDX-License-Identifier: Apache-2.0 */
/* A short way to what events are mostly made of. */
#pragma once

#include "base/json.h"
#include "base/str.h"

/* The text under this key, empty if there is none. */
static inline struct tb_str tb_json_text(const struct cJSON *json, const char *key)
{
    struct tb_str text = {NULL, 0};
    tb_json_str(tb_json_get(json, key), &text);
    return text;
}
