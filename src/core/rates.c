/* SPDX-License-Identifier: Apache-2.0 */
#include "core/rates.h"

#include <stdio.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"

enum {
    MINUTE_US = 60 * 1000 * 1000,
};

/* What one tenant has taken. */
struct taken {
    char tenant[TB_TENANT_SIZE];
    struct tb_rate rate;
    unsigned streams;
};

static int64_t step_us(int64_t per_minute)
{
    return per_minute < MINUTE_US ? MINUTE_US / per_minute : 1;
}

int64_t tb_rate_wait_ms(const struct tb_rate *rate, int64_t per_minute, int64_t now_ms)
{
    int64_t over_us = rate->due_us + step_us(per_minute) - now_ms * 1000 - MINUTE_US;
    return over_us > 0 ? (over_us + 999) / 1000 : 0;
}

void tb_rate_take(struct tb_rate *rate, int64_t per_minute, int64_t now_ms)
{
    int64_t now_us = now_ms * 1000;
    rate->due_us = (rate->due_us > now_us ? rate->due_us : now_us) + step_us(per_minute);
}

void tb_rates_fini(struct tb_rates *rates)
{
    MAP_FOREACH(slot, &rates->tenants) {
        tb_free(slot->value);
    }
    tb_map_fini(&rates->tenants);
}

static struct taken *taken_of(struct tb_rates *rates, const char *tenant)
{
    struct taken *taken = tb_map_get(&rates->tenants, tb_str_of(tenant));
    if (!taken) {
        taken = TB_NEW(struct taken);
        snprintf(taken->tenant, sizeof(taken->tenant), "%s", tenant);
        if (!rates->tenants.slots) {
            tb_map_init(&rates->tenants);
        }
        tb_map_add(&rates->tenants, tb_str_of(taken->tenant), taken);
    }
    return taken;
}

static int refuse(const char *whose, int64_t per_minute, int64_t wait_ms, int64_t *ret_wait_s,
                  struct tb_err *err)
{
    int64_t wait_s = (wait_ms + 999) / 1000;
    if (ret_wait_s) {
        *ret_wait_s = wait_s;
    }
    return tb_fail(err, TB_E_RATE, "this %s may make %lld calls per minute; try again in %lld s",
                   whose, (long long)per_minute, (long long)wait_s);
}

int tb_rates_take(struct tb_core *core, struct tb_principal *who, int64_t *ret_wait_s,
                  struct tb_err *err)
{
    const struct tb_config *config = core->config;
    int64_t per_key = who->quota.calls_per_minute ? who->quota.calls_per_minute
                                                  : config->limits_calls_per_minute_per_key;
    int64_t per_tenant = config->limits_calls_per_minute_per_tenant;
    if (!per_key && !per_tenant) {
        return 0;
    }
    int64_t now_ms = tb_loop_now_ms(core->loop);
    struct tb_rate *tenant = per_tenant ? &taken_of(&core->rates, who->tenant)->rate : NULL;
    int64_t wait_ms = per_key ? tb_rate_wait_ms(&who->rate, per_key, now_ms) : 0;
    if (wait_ms) {
        return refuse("key", per_key, wait_ms, ret_wait_s, err);
    }
    wait_ms = tenant ? tb_rate_wait_ms(tenant, per_tenant, now_ms) : 0;
    if (wait_ms) {
        return refuse("tenant", per_tenant, wait_ms, ret_wait_s, err);
    }
    if (per_key) {
        tb_rate_take(&who->rate, per_key, now_ms);
    }
    if (tenant) {
        tb_rate_take(tenant, per_tenant, now_ms);
    }
    return 0;
}

static int refuse_stream(const char *whose, unsigned most, struct tb_err *err)
{
    return tb_fail(err, TB_E_RATE,
                   "this %s has %u event streams open, and may have no more; end one", whose, most);
}

static bool is_counted(const struct tb_principal *who)
{
    return !(who->scopes & TB_SCOPE_OPERATE);
}

int tb_rates_open_stream(struct tb_core *core, struct tb_principal *who, struct tb_err *err)
{
    if (!is_counted(who)) {
        return 0;
    }
    struct taken *tenant = taken_of(&core->rates, who->tenant);
    if (who->streams >= TB_STREAMS_PER_KEY) {
        return refuse_stream("key", TB_STREAMS_PER_KEY, err);
    }
    if (tenant->streams >= TB_STREAMS_PER_TENANT) {
        return refuse_stream("tenant", TB_STREAMS_PER_TENANT, err);
    }
    who->streams++;
    tenant->streams++;
    return 0;
}

void tb_rates_close_stream(struct tb_core *core, struct tb_principal *who)
{
    if (is_counted(who)) {
        who->streams--;
        taken_of(&core->rates, who->tenant)->streams--;
    }
}
