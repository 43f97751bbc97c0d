/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the daemon a key and a tenant may take: so many calls a minute, which may also come
 * at once after a quiet minute, and so many streams of events at one time. What a key's own quota
 * leaves open, the settings limits.calls_per_minute_per_key and _per_tenant say. Every call passes
 * here once, at its start; every stream as long as it is open. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/map.h"

struct tb_core;
struct tb_principal;

/* All zero: nothing was taken yet. */
struct tb_rate {
    int64_t due_us; /* when all that was taken is earned again */
};

/* 0: one more may be taken now; otherwise after how many milliseconds. `per_minute` is above 0. */
int64_t tb_rate_wait_ms(const struct tb_rate *rate, int64_t per_minute, int64_t now_ms);
void tb_rate_take(struct tb_rate *rate, int64_t per_minute, int64_t now_ms);

/* Of the tenants; part of struct tb_core. All zero: none has called. */
struct tb_rates {
    struct tb_map tenants;
};

void tb_rates_fini(struct tb_rates *rates);
/* Takes one call of whoever calls. TB_E_RATE with words that say when to try again; *ret_wait_s,
 * which may be NULL, has it in seconds. */
int tb_rates_take(struct tb_core *core, struct tb_principal *who, int64_t *ret_wait_s,
                  struct tb_err *err);
/* A stream of events begins that stays open; it has a reference to the principal. TB_E_RATE: there
 * are as many as a key, or all keys of a tenant, may have. The operator's own are not counted. */
int tb_rates_open_stream(struct tb_core *core, struct tb_principal *who, struct tb_err *err);
/* Its end. */
void tb_rates_close_stream(struct tb_core *core, struct tb_principal *who);
