/* SPDX-License-Identifier: Apache-2.0 */
/* Claims in the memory of one process: for stores that a process has alone, and for cores of one
 * process that share a store. A claim that has run out is as good as none. */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "core/store.h"

struct tb_claims {
    struct tb_map held;
    int64_t last_epoch;
    size_t sweep_at; /* so many, and those that have run out are looked for */
};

void tb_claims_init(struct tb_claims *claims);
void tb_claims_fini(struct tb_claims *claims);
/* TB_E_EXISTS names the node that holds it; TB_E_TOO_LARGE when a text is over its limit. */
int tb_claims_take(struct tb_claims *claims, struct tb_str key, struct tb_str node, int64_t now_ms,
                   int64_t ttl_ms, int64_t *ret_epoch, struct tb_err *err);
/* TB_E_FENCED when the claim does not hold any more. */
int tb_claims_renew(struct tb_claims *claims, const struct tb_fence *fence, int64_t now_ms,
                    int64_t ttl_ms, struct tb_err *err);
int tb_claims_check(const struct tb_claims *claims, const struct tb_fence *fence, int64_t now_ms,
                    struct tb_err *err);
void tb_claims_release(struct tb_claims *claims, const struct tb_fence *fence);
