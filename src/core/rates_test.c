/* SPDX-License-Identifier: Apache-2.0 */
#include "core/rates.h"

#include <string.h>

#include "core/limits.h"

#include "support/core_rig.h"
#include "support/principals.h"

enum {
    MINUTE_MS = 60 * 1000,
};

static struct tb_principal *newcomer(const char *tenant, int64_t calls_per_minute)
{
    return tb_principal_new(
        &(struct tb_principal_spec){.tenant = tenant,
                                    .key = "k",
                                    .label = "",
                                    .scopes = TB_SCOPES_ALL,
                                    .quota.calls_per_minute = calls_per_minute});
}

static int take(struct rig *rig, struct tb_principal *who, int64_t *ret_wait_s)
{
    struct tb_err err;
    return tb_rates_take(&rig->core, who, ret_wait_s, &err);
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    tb_rates_fini(&rig->core.rates);
    return rig_teardown(state);
}

static void without_a_limit_all_calls_pass(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(take(rig, principal_of("t"), NULL), 0);
    }
}

static void a_key_calls_so_often_a_minute_and_is_told_when_again(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who = newcomer("t", 30);
    int64_t wait_s = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 30; i++) {
            assert_int_equal(take(rig, who, &wait_s), 0);
        }
        assert_int_equal(take(rig, who, &wait_s), TB_E_RATE);
        assert_int_equal(wait_s, 2);
        rig_advance(rig, MINUTE_MS);
    }
    tb_principal_unref(who, "test");
}

static void who_waits_as_long_as_told_may_call_again(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who = newcomer("t", 7);
    int64_t wait_s = 0;
    for (int calls = 0; calls < 100; calls++) {
        if (take(rig, who, &wait_s) < 0) {
            rig_advance(rig, wait_s * 1000);
            assert_int_equal(take(rig, who, &wait_s), 0);
        }
    }
    tb_principal_unref(who, "test");
}

static void the_keys_of_a_tenant_share_its_limit_and_no_other_tenants(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *one = newcomer("t", 0);
    struct tb_principal *other = newcomer("t", 0);
    struct tb_principal *stranger = newcomer("u", 0);
    rig->config.limits_calls_per_minute_per_tenant = 2;
    assert_int_equal(take(rig, one, NULL), 0);
    assert_int_equal(take(rig, other, NULL), 0);
    assert_int_equal(take(rig, one, NULL), TB_E_RATE);
    assert_int_equal(take(rig, other, NULL), TB_E_RATE);
    assert_int_equal(take(rig, stranger, NULL), 0);
    tb_principal_unref(one, "test");
    tb_principal_unref(other, "test");
    tb_principal_unref(stranger, "test");
}

static void what_the_tenant_is_refused_costs_the_key_nothing(void **state)
{
    struct rig *rig = *state;
    struct tb_principal *who = newcomer("t", 2);
    rig->config.limits_calls_per_minute_per_tenant = 1;
    assert_int_equal(take(rig, who, NULL), 0);
    assert_int_equal(take(rig, who, NULL), TB_E_RATE);
    rig->config.limits_calls_per_minute_per_tenant = 0;
    assert_int_equal(take(rig, who, NULL), 0);
    assert_int_equal(take(rig, who, NULL), TB_E_RATE);
    tb_principal_unref(who, "test");
}

static void a_call_over_the_limit_does_nothing_and_says_when(void **state)
{
    struct rig *rig = *state;
    rig->config.limits_calls_per_minute_per_tenant = 1;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    size_t begun = rig->fake->counts.begun;
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    assert_non_null(strstr(call->message, "try again in 60 s"));
    rig_expect(call, TB_E_RATE);
    assert_int_equal(rig->fake->counts.begun, begun);
    assert_int_equal(rig_events(rig, "call_done"), 1);
}

static void a_key_and_a_tenant_have_only_so_many_streams(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_principal *keys[TB_STREAMS_PER_TENANT / TB_STREAMS_PER_KEY + 1];
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        keys[i] = newcomer("acme", 0);
        keys[i]->scopes = TB_SCOPE_OBSERVE;
        int rc = 0;
        for (size_t n = 0; n < TB_STREAMS_PER_KEY && rc == 0; n++) {
            rc = tb_rates_open_stream(&rig->core, keys[i], &err);
        }
        bool fits = i + 1 < TB_COUNT(keys);
        assert_int_equal(rc, fits ? 0 : TB_E_RATE);
        assert_int_equal(tb_rates_open_stream(&rig->core, keys[i], &err), TB_E_RATE);
        assert_non_null(strstr(err.text, fits ? "this key has 64" : "this tenant has 512"));
    }
    struct tb_principal *other = newcomer("other", 0);
    other->scopes = TB_SCOPE_OBSERVE;
    assert_int_equal(tb_rates_open_stream(&rig->core, other, &err), 0);
    tb_rates_close_stream(&rig->core, keys[0]);
    assert_int_equal(tb_rates_open_stream(&rig->core, keys[0], &err), 0);
    struct tb_principal *boss = newcomer("acme", 0);
    assert_int_equal(tb_rates_open_stream(&rig->core, boss, &err), 0);
    tb_rates_close_stream(&rig->core, boss);
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        tb_principal_unref(keys[i], "test");
    }
    tb_principal_unref(other, "test");
    tb_principal_unref(boss, "test");
}

int main(void)
{
#define RATES_TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, teardown)
    const struct CMUnitTest tests[] = {
        RATES_TEST(without_a_limit_all_calls_pass),
        RATES_TEST(a_key_calls_so_often_a_minute_and_is_told_when_again),
        RATES_TEST(who_waits_as_long_as_told_may_call_again),
        RATES_TEST(the_keys_of_a_tenant_share_its_limit_and_no_other_tenants),
        RATES_TEST(what_the_tenant_is_refused_costs_the_key_nothing),
        RATES_TEST(a_key_and_a_tenant_have_only_so_many_streams),
        RATES_TEST(a_call_over_the_limit_does_nothing_and_says_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
