/* SPDX-License-Identifier: Apache-2.0 */
/* The body of POST /api/keys: what key somebody wishes for. */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/keys.h"

enum {
    TB_KEY_WISH_TEXT_MAX = 256,
};

struct tb_key_wish {
    struct tb_key_spec spec; /* points into the others, and refers to its policy */
    struct tb_buf tenant;
    struct tb_buf label;
    int64_t now_ms; /* wall clock, from which a time to live counts */
};

/* For the caller's own tenant, which is borrowed, unless the body names another. */
void tb_key_wish_init(struct tb_key_wish *wish, const char *tenant, int64_t now_ms);
void tb_key_wish_fini(struct tb_key_wish *wish);
/* TB_E_PARSE, TB_E_PARAMS. Whether there can be such a key is for tb_keys_create to say. */
int tb_key_wish_read(struct tb_key_wish *wish, struct tb_str body, struct tb_err *err);

static inline void tb_key_wish_fini_auto(struct tb_key_wish *wish)
{
    tb_key_wish_fini(wish);
}
