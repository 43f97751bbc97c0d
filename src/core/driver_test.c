/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers are found by what they offer. */
#include "core/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/core.h"

static const struct tb_offer browsers[] = {
    {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_SHELL},
    {TB_KIND_BROWSER, TB_PROVIDER_CDP, TB_ENGINE_AUTO},
    TB_OFFER_END,
};
static const struct tb_offer phones[] = {
    {TB_KIND_IOS, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO},
    {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_CHROMIUM},
    {TB_KIND_CLIENT, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO},
    TB_OFFER_END,
};

static const struct tb_driver first = {.name = "first", .offers = browsers};
static const struct tb_driver second = {.name = "second", .offers = phones};
static const struct tb_driver unlisted = {.name = "unlisted"};

static void expect_found(const struct tb_core *core, struct tb_offer wanted, const char *name)
{
    const struct tb_driver_slot *slot = NULL;
    struct tb_err err = {0};
    assert_int_equal(tb_driver_find(core, &wanted, &slot, &err), 0);
    assert_string_equal(slot->driver->name, name);
}

static void a_driver_is_found_by_what_it_offers(void **state)
{
    const struct tb_core core = {.drivers = {{&unlisted, NULL}, {&first, NULL}, {&second, NULL}}};
    (void)state;
    expect_found(&core, tb_offer_usual, "first");
    expect_found(&core, (struct tb_offer){TB_KIND_BROWSER, 0, TB_ENGINE_SHELL}, "first");
    expect_found(&core, (struct tb_offer){TB_KIND_BROWSER, 0, TB_ENGINE_CHROMIUM}, "second");
    expect_found(&core, (struct tb_offer){TB_KIND_BROWSER, TB_PROVIDER_CDP, TB_ENGINE_CHROMIUM},
                 "first"); /* its row takes any engine */
    expect_found(&core, (struct tb_offer){TB_KIND_IOS, 0, 0}, "second");
    assert_string_equal(tb_driver_named(&core, TB_STR("unlisted"))->driver->name, "unlisted");
    assert_null(tb_driver_named(&core, TB_STR("")));
}

static void what_no_driver_offers_is_refused_with_what_there_is(void **state)
{
    const struct tb_core one = {.drivers = {{&first, NULL}}};
    const struct tb_core two = {.drivers = {{&first, NULL}, {&second, NULL}}};
    const struct tb_core none = {0};
    const struct {
        const struct tb_core *core;
        struct tb_offer wanted;
        int code;
        const char *words;
    } rows[] = {
        {&none,
         {TB_KIND_BROWSER, 0, 0},
         TB_E_NOT_POSSIBLE,
         "this daemon has no driver for browsers"},
        {&one,
         {TB_KIND_IOS, 0, 0},
         TB_E_UNSUPPORTED,
         "app sessions need Appium, which this daemon cannot use; kind can only be browser"},
        {&two,
         {TB_KIND_ANDROID, 0, 0},
         TB_E_UNSUPPORTED,
         "app sessions need Appium, which this daemon cannot use; kind can only be browser, ios, "
         "client"},
        {&two,
         {TB_KIND_IOS, TB_PROVIDER_CDP, 0},
         TB_E_NOT_POSSIBLE,
         "kind ios is not available from provider cdp; provider can only be local"},
        {&one,
         {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_CHROMIUM},
         TB_E_NOT_POSSIBLE,
         "kind browser from provider local is not available with engine chromium; engine can only "
         "be auto, shell"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const struct tb_driver_slot *slot = NULL;
        struct tb_err err = {0};
        assert_int_equal(tb_driver_find(rows[i].core, &rows[i].wanted, &slot, &err), rows[i].code);
        assert_string_equal(err.text, rows[i].words);
        assert_null(slot);
    }
}

static void kinds_providers_and_engines_are_found_by_their_names(void **state)
{
    enum tb_session_kind kind;
    enum tb_provider provider;
    enum tb_engine engine;
    (void)state;
    for (int i = 0; i < TB_KIND_COUNT; i++) {
        const char *name = tb_session_kind_name((enum tb_session_kind)i);
        assert_true(tb_session_kind_find(tb_str_of(name), &kind) && (int)kind == i);
    }
    for (int i = 0; i < TB_PROVIDER_COUNT; i++) {
        const char *name = tb_provider_name((enum tb_provider)i);
        assert_true(tb_provider_find(tb_str_of(name), &provider) && (int)provider == i);
    }
    for (int i = 0; i < TB_ENGINE_COUNT; i++) {
        const char *name = tb_engine_name((enum tb_engine)i);
        assert_true(tb_engine_find(tb_str_of(name), &engine) && (int)engine == i);
    }
    assert_false(tb_session_kind_find(TB_STR("moon"), &kind));
    assert_false(tb_provider_find(TB_STR(""), &provider));
    assert_false(tb_engine_find(TB_STR("gecko"), &engine));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_is_found_by_what_it_offers),
        cmocka_unit_test(what_no_driver_offers_is_refused_with_what_there_is),
        cmocka_unit_test(kinds_providers_and_engines_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
