/* SPDX-License-Identifier: Apache-2.0 */
#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "core/session.h"

static const struct tb_config_key *key_of(const char *path)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, path) == 0) {
            return &keys[i];
        }
    }
    fail_msg("no key %s", path);
    return NULL;
}

static void every_default_is_a_valid_value(void **state)
{
    struct tb_config config;
    struct tb_err err;
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    (void)state;
    tb_config_init(&config);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tb_config_set(&config, &keys[i], tb_str_of(keys[i].fallback), &err), 0);
    }
    tb_config_fini(&config);
}

static void every_key_has_help_and_a_name_of_its_own(void **state)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(keys[i].help) > 10);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(keys[i].path, keys[j].path);
        }
    }
}

static void numbers_keep_to_their_bounds(void **state)
{
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        {"100", 0},          {"3600000", 0},       {"99", TB_E_CONFIG}, {"3600001", TB_E_CONFIG},
        {"-5", TB_E_CONFIG}, {"1e3", TB_E_CONFIG}, {"", TB_E_CONFIG},   {"5s", TB_E_CONFIG},
    };
    struct tb_config config;
    struct tb_err err;
    (void)state;
    tb_config_init(&config);
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        assert_int_equal(
            tb_config_set(&config, key_of("http.idle_ms"), tb_str_of(cases[i].text), &err),
            cases[i].rc);
    }
    assert_int_equal(config.http_idle_ms, 3600000);
    assert_non_null(strstr(err.text, "http.idle_ms"));
    tb_config_fini(&config);
}

static void relative_paths_count_from_one_place(void **state)
{
    struct tb_config config;
    (void)state;
    tb_config_init(&config);
    tb_config_set(&config, key_of("state_dir"), TB_STR("here"), NULL);
    tb_config_set(&config, key_of("tls.cert"), TB_STR("/etc/cert.pem"), NULL);
    tb_config_anchor(&config, "/home/a");
    assert_string_equal(config.state_dir, "/home/a/here");
    assert_string_equal(config.tls_cert, "/etc/cert.pem");
    assert_string_equal(config.tls_key, "");
    assert_string_equal(config.log_level, "info");
    tb_config_fini(&config);
}

static void flags_take_the_usual_words(void **state)
{
    struct tb_config config;
    struct tb_err err;
    const struct tb_config_key *key = key_of("browser.no_sandbox");
    (void)state;
    tb_config_init(&config);
    assert_int_equal(tb_config_set(&config, key, TB_STR("Yes"), &err), 0);
    assert_true(config.browser_no_sandbox);
    assert_int_equal(tb_config_set(&config, key, TB_STR("off"), &err), 0);
    assert_false(config.browser_no_sandbox);
    assert_int_equal(tb_config_set(&config, key, TB_STR("perhaps"), &err), TB_E_CONFIG);
    tb_config_fini(&config);
}

static void lists_are_cut_at_commas(void **state)
{
    struct tb_config config;
    struct tb_err err;
    (void)state;
    tb_config_init(&config);
    tb_config_set(&config, key_of("http.allowed_hosts"), TB_STR(" a.example , ,b.example"), &err);
    assert_int_equal(config.http_allowed_hosts.count, 2);
    assert_string_equal(config.http_allowed_hosts.items[0], "a.example");
    assert_string_equal(config.http_allowed_hosts.items[1], "b.example");
    tb_config_fini(&config);
}

static void words_that_a_row_does_not_have_are_refused(void **state)
{
    static const struct {
        const char *path;
        const char *text;
        const char *words;
    } cases[] = {
        {"log.level", "wran",
         "log.level must be error, warn, info or debug, not 'wran' (did you mean warn?)"},
        {"browser.engine", "firefox",
         "browser.engine must be auto, chromium or shell, not 'firefox'"},
        {"store.sync", "Full",
         "store.sync must be normal or full, not 'Full' (did you mean full?)"},
        {"mcp.keep_kinds", "ios,andriod",
         "each item of mcp.keep_kinds must be browser, ios or android, not 'andriod' (did you mean "
         "android?)"},
    };
    struct tb_config config;
    struct tb_err err;
    (void)state;
    tb_config_init(&config);
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        const struct tb_config_key *key = key_of(cases[i].path);
        assert_int_equal(tb_config_set(&config, key, tb_str_of(cases[i].text), &err), TB_E_CONFIG);
        assert_string_equal(err.text, cases[i].words);
    }
    assert_int_equal(config.mcp_keep_kinds.count, 0);
    assert_int_equal(tb_config_list_add(&config, key_of("mcp.groups"), TB_STR("nothing"), &err),
                     TB_E_CONFIG);
    assert_int_equal(config.mcp_groups.count, 0);
    tb_config_fini(&config);
}

/* A row says in words what other tables say in theirs. */
static void the_words_of_a_row_are_those_that_are_known(void **state)
{
    enum tb_session_kind kind;
    enum tb_engine engine;
    enum tb_log_level level;
    (void)state;
    for (struct tb_str rest = tb_str_of(key_of("mcp.keep_kinds")->words); rest.ptr;) {
        assert_true(tb_session_kind_find(tb_str_cut(&rest, '|'), &kind));
    }
    for (struct tb_str rest = tb_str_of(key_of("browser.engine")->words); rest.ptr;) {
        assert_true(tb_engine_find(tb_str_cut(&rest, '|'), &engine));
    }
    for (struct tb_str rest = tb_str_of(key_of("log.level")->words); rest.ptr;) {
        assert_int_equal(tb_log_level_parse(tb_str_cut(&rest, '|'), &level), 0);
    }
}

static void environment_names_follow_the_path(void **state)
{
    char name[64];
    (void)state;
    tb_config_env_name(key_of("http.idle_ms"), name, sizeof(name));
    assert_string_equal(name, "TABARD_HTTP_IDLE_MS");
}

static void differences_are_seen_and_swapped_for_every_type(void **state)
{
    static const struct {
        const char *path;
        const char *other;
    } cases[] = {
        {"listen", "127.0.0.1:1"},
        {"http.idle_ms", "500"},
        {"browser.no_sandbox", "true"},
        {"http.allowed_origins", "https://a.example"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_config a;
        struct tb_config b;
        const struct tb_config_key *key = key_of(cases[i].path);
        tb_config_init(&a);
        tb_config_init(&b);
        assert_false(tb_config_differs(&a, &b, key));
        assert_int_equal(tb_config_set(&b, key, tb_str_of(cases[i].other), NULL), 0);
        assert_true(tb_config_differs(&a, &b, key));
        tb_config_swap(&a, &b, key);
        assert_int_equal(tb_config_set(&b, key, tb_str_of(cases[i].other), NULL), 0);
        assert_false(tb_config_differs(&a, &b, key));
        tb_config_fini(&a);
        tb_config_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_is_a_valid_value),
        cmocka_unit_test(every_key_has_help_and_a_name_of_its_own),
        cmocka_unit_test(numbers_keep_to_their_bounds),
        cmocka_unit_test(relative_paths_count_from_one_place),
        cmocka_unit_test(flags_take_the_usual_words),
        cmocka_unit_test(lists_are_cut_at_commas),
        cmocka_unit_test(words_that_a_row_does_not_have_are_refused),
        cmocka_unit_test(the_words_of_a_row_are_those_that_are_known),
        cmocka_unit_test(environment_names_follow_the_path),
        cmocka_unit_test(differences_are_seen_and_swapped_for_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
