/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/event.h"

static void a_file_sets_values_and_leaves_the_others(void **state)
{
    struct tb_config config;
    struct tb_err err;
    (void)state;
    tb_config_init(&config);
    assert_int_equal(tb_config_load_yaml(&config, "t.yaml",
                                         TB_STR("listen: 127.0.0.1:9\n"
                                                "http:\n"
                                                "  idle_ms: 500\n"
                                                "  allowed_hosts: [a.example, b.example]\n"
                                                "browser:\n"
                                                "  no_sandbox: yes\n"),
                                         &err),
                     0);
    assert_string_equal(config.listen, "127.0.0.1:9");
    assert_int_equal(config.http_idle_ms, 500);
    assert_int_equal(config.http_allowed_hosts.count, 2);
    assert_true(config.browser_no_sandbox);
    assert_int_equal(config.http_header_ms, 10000);
    tb_config_fini(&config);
}

static void an_empty_file_changes_nothing(void **state)
{
    struct tb_config config;
    struct tb_config fresh;
    struct tb_err err;
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    (void)state;
    tb_config_init(&config);
    tb_config_init(&fresh);
    assert_int_equal(tb_config_load_yaml(&config, "t.yaml", TB_STR("# nothing\n"), &err), 0);
    assert_int_equal(tb_config_load_yaml(&config, "t.yaml", (struct tb_str){NULL, 0}, &err), 0);
    for (size_t i = 0; i < count; i++) {
        assert_false(tb_config_differs(&config, &fresh, &keys[i]));
    }
    tb_config_fini(&config);
    tb_config_fini(&fresh);
}

#define HOOK "webhooks:\n  - url: https://a.example/x\n    secret: 0123456789abcdef\n"

static void webhooks_have_an_address_a_secret_and_types(void **state)
{
    struct tb_config config;
    struct tb_config other;
    struct tb_err err;
    (void)state;
    tb_config_init(&config);
    tb_config_init(&other);
    assert_int_equal(
        tb_config_load_yaml(&config, "t.yaml",
                            TB_STR(HOOK "  - url: http://b/\n    secret: fedcba9876543210\n"
                                        "    types: [session_ended, global_stop]\n"),
                            &err),
        0);
    assert_int_equal(config.webhooks.count, 2);
    assert_string_equal(config.webhooks.items[0].url, "https://a.example/x");
    assert_string_equal(config.webhooks.items[1].secret, "fedcba9876543210");
    assert_int_equal(config.webhooks.items[0].types, 0);
    assert_int_equal(config.webhooks.items[1].types,
                     UINT64_C(1) << TB_EVENT_SESSION_ENDED | UINT64_C(1) << TB_EVENT_GLOBAL_STOP);
    assert_int_equal(tb_config_load_yaml(&other, "t.yaml", TB_STR(HOOK), &err), 0);
    size_t count;
    const struct tb_config_key *key = tb_config_keys(&count);
    while (key->type != TB_CONFIG_HOOKS) {
        key++;
    }
    assert_true(tb_config_differs(&config, &other, key));
    tb_config_swap(&config, &other, key);
    assert_int_equal(config.webhooks.count, 1);
    assert_int_equal(tb_config_set(&config, key, TB_STR("http://a/"), &err), TB_E_CONFIG);
    tb_config_fini(&config);
    tb_config_fini(&other);
}

struct bad {
    const char *yaml;
    const char *place;
    const char *key;
};

static void expect_refused(const struct bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tb_config config;
        struct tb_err err = {0};
        tb_config_init(&config);
        int rc = tb_config_load_yaml(&config, "t.yaml", tb_str_of(cases[i].yaml), &err);
        if (rc != TB_E_CONFIG || !strstr(err.text, cases[i].place) ||
            !strstr(err.text, cases[i].key)) {
            fail_msg("case %zu: %d %s", i, rc, err.text);
        }
        assert_null(strstr(err.text, "s3cret"));
        tb_config_fini(&config);
    }
}

static void unknown_settings_are_named_with_file_and_line(void **state)
{
    static const struct bad cases[] = {
        {"http:\n  no_such_key: 1\n", "t.yaml:2:", "unknown setting http.no_such_key"},
        {"# x\nlisten: a:1\n\nlistn: b\n",
         "t.yaml:4:", "unknown setting listn (did you mean listen?)"},
        {"http:\n  idle_ms: 500\n\n  # x\n  idel_ms: 1\n  header_ms: 100\n",
         "t.yaml:5:", "unknown setting http.idel_ms (did you mean http.idle_ms?)"},
        {"listen: a:1\n\"listn\" : b\n", "t.yaml:2:", "unknown setting listn"},
        {"listen: a:1 # listn: x\n# listn: y\n'listn': b\n", "t.yaml:3:", "unknown setting listn"},
        {"{listn: x}\n", "t.yaml:1:", "unknown setting listn"},
        {"{listen: a:1,\n log: {level: info},\n http: {idle_ms: 500,idel_ms: 1}}\n",
         "t.yaml:3:", "unknown setting http.idel_ms"},
        {"listen: a:1\nhttp:\n  {idle_ms: 500,\n   \"idel_ms\":1}\n",
         "t.yaml:4:", "unknown setting http.idel_ms"},
        {"sesions:\n  total: 1\n", "t.yaml:1:", "unknown setting sesions (did you mean sessions?)"},
        {"htpp:\n  idle_ms: 1\n", "t.yaml:1:", "htpp"},
    };
    (void)state;
    expect_refused(cases, TB_COUNT(cases));
}

static void errors_name_file_line_and_key(void **state)
{
    static const struct bad cases[] = {
        {"listen: a:1\nhttp:\n  idle_ms: soon\n", "t.yaml:3:", "http.idle_ms"},
        {"http:\n  header_ms: 100\n  idle_ms: 1\n", "t.yaml:3:", "http.idle_ms"},
        {"http: {idle_ms: 500, idle_ms: 600}\n", "t.yaml:1:", "idle_ms is set twice"},
        {"http:\n  idle_ms: 500\n  \"idle_ms\": 600\n", "t.yaml:3:", "idle_ms is set twice"},
        {"log.level: debug\n", "t.yaml:1:", "write 'log:' and indented below it 'level: ...'"},
        {"listen: {a: b}\n", "t.yaml:1:", "listen must be a single value, not a section"},
        {"listen: [a]\n", "t.yaml:1:", "listen must be a single value, not a list"},
        {"- a\n", "t.yaml:1:", "lines like 'listen: 127.0.0.1:8765'"},
        {"listen: a\n\tx: b\n", "t.yaml:2:", "indent with spaces, not tabs"},
        {"http:\n  idle_ms: 500\n  \theader_ms: 1\n", "t.yaml:3:", "indent with spaces, not tabs"},
        {"listen: \"a\n", "t.yaml:1:", "not valid YAML from here on"},
        {"http: 5\n", "t.yaml:1:", "http must be a section"},
        {"http:\n  allowed_hosts: x\n", "t.yaml:2:", "http.allowed_hosts must be a list"},
        {"http:\n  idle_ms: 500\n  idle_ms: 600\n", "t.yaml:3:", "idle_ms is set twice"},
        {"listen: [1\n", "t.yaml:", "listen"},
        {"browser:\n  no_sandbox: maybe\n", "t.yaml:2:", "browser.no_sandbox"},
        {"listen: &a x\nagent_listen: *a\n", "t.yaml:", "lias"},
        {"---\nlog: {level: info}\n---\nlog: {level: debug}\n", "t.yaml:3:", "a second document"},
        {"log: {level: info}\n--- # x\n", "t.yaml:2:", "a second document"},
        {"log: {level: info}\n...\n# x\n\nlog: {level: debug}\n", "t.yaml:5:", "second document"},
    };
    (void)state;
    expect_refused(cases, TB_COUNT(cases));
}

static void errors_of_webhooks_name_the_entry(void **state)
{
    static const struct bad cases[] = {
        {"webhooks:\n  - url: http://a/\n", "t.yaml:", "secret"},
        {"webhooks:\n  - secret: 0123456789abcdef\n    ulr: x\n",
         "t.yaml:3:", "there is no ulr in webhooks; an entry has url, secret and types"},
        {"webhooks: http://a/\n", "t.yaml:1:", "webhooks"},
        {HOOK "  - url: ftp://a/\n    secret: 0123456789abcdef\n", "t.yaml:4:", "webhooks.2: url"},
        {HOOK "  - url: http://a/\n    secret: s3cret\n", "t.yaml:4:", "webhooks.2: secret"},
        {HOOK "    types: [navigated, nonsense]\n", "t.yaml:2:", "unknown event 'nonsense'; docs/"},
        {HOOK "    types: [page_crash]\n", "t.yaml:2:", "(did you mean page_crashed?)"},
    };
    (void)state;
    expect_refused(cases, TB_COUNT(cases));
}

struct place {
    char dir[64];
    char file[96];
};

static int make_place(void **state)
{
    static struct place place;
    snprintf(place.dir, sizeof(place.dir), "/tmp/tabard-config-XXXXXX");
    assert_non_null(mkdtemp(place.dir));
    snprintf(place.file, sizeof(place.file), "%s/tabard.yaml", place.dir);
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    const struct place *place = *state;
    unlink(place->file);
    rmdir(place->dir);
    return 0;
}

static void flags_win_over_environment_and_that_over_the_file(void **state)
{
    const struct place *place = *state;
    struct tb_config config;
    struct tb_err err;
    const char *env[] = {"TABARD_AGENT_LISTEN=env:2", "TABARD_LOG_LEVEL=warn", "OTHER=1", NULL};
    const char *flags[] = {"--log-level", "debug", "--state-dir", place->dir};
    const struct tb_config_sources sources = {
        .file = place->file, .env = env, .flags = flags, .flag_count = 2};
    tb_file_write(place->file,
                  TB_STR("listen: file:1\nagent_listen: file:2\nlog:\n  level: error\n"), 0600);
    assert_int_equal(tb_config_load(&sources, &config, &err), 0);
    assert_string_equal(config.listen, "file:1");
    assert_string_equal(config.agent_listen, "env:2");
    assert_string_equal(config.log_level, "debug");
    assert_string_equal(config.state_dir, place->dir);
    tb_config_fini(&config);
}

static void a_bad_source_is_named(void **state)
{
    const struct place *place = *state;
    static const char *const no_env[] = {NULL};
    static const char *const bad_env[] = {"TABARD_HTTP_IDLE_MS=x", NULL};
    const char *unknown[] = {"--nonsense", "1"};
    const struct tb_config_sources cases[] = {
        {.file = place->file, .env = no_env},
        {.env = bad_env},
        {.env = no_env, .flags = unknown, .flag_count = 1},
    };
    const char *words[] = {place->file, "TABARD_HTTP_IDLE_MS", "--nonsense"};
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_config config;
        struct tb_err err = {0};
        assert_int_equal(tb_config_load(&cases[i], &config, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, words[i]));
    }
}

#define UPSTREAM(user) "proxy:\n  upstream: http://" user "proxy.example:3128\n"

static void a_file_with_a_secret_is_for_its_owner_alone(void **state)
{
    static const struct {
        const char *yaml;
        mode_t mode;
        const char *words;
    } cases[] = {
        {HOOK, 0600, NULL},
        {HOOK, 0400, NULL},
        {HOOK, 0644, "chmod 600 "},
        {HOOK, 0640, "chmod 600 "},
        {HOOK, 0666, "chmod o-w "},
        {UPSTREAM("user:password@"), 0600, NULL},
        {UPSTREAM("user:password@"), 0644, "chmod 600 "},
        {UPSTREAM(""), 0644, NULL},
        {"listen: a:1\n", 0664, NULL},
        {"listen: a:1\n", 0666, "chmod o-w "},
    };
    const struct place *place = *state;
    const struct tb_config_sources sources = {.file = place->file};
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_config config;
        struct tb_err err = {0};
        tb_file_write(place->file, tb_str_of(cases[i].yaml), 0600);
        assert_int_equal(chmod(place->file, cases[i].mode), 0);
        int rc = tb_config_load(&sources, &config, &err);
        assert_int_equal(rc, cases[i].words ? TB_E_CONFIG : 0);
        assert_non_null(strstr(err.text, cases[i].words ? cases[i].words : ""));
        if (rc == 0) {
            tb_config_fini(&config);
        }
    }
}

static void a_file_of_another_user_is_refused(void **state)
{
    const struct place *place = *state;
    const struct tb_config_sources sources = {.file = place->file};
    struct tb_config config;
    struct tb_err err = {0};
    if (geteuid() != 0) {
        skip();
    }
    tb_file_write(place->file, TB_STR("listen: a:1\n"), 0600);
    assert_int_equal(chown(place->file, 65534, 65534), 0);
    assert_int_equal(tb_config_load(&sources, &config, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "belongs to another user; run: chown 0 "));
}

static void note_unknown(struct tb_str name, const char *meant, void *user)
{
    struct tb_buf *told = user;
    tb_buf_printf(told, "%.*s>%s ", TB_STR_ARG(name), meant);
}

static void variables_that_are_no_settings_are_named(void **state)
{
    static const char *const env[] = {"TABARD_LISTEN=x", "TABARD_HTTP_IDEL_MS=5",
                                      "TABARDX=1",       "TABARD_WHATEVER_THIS_IS=1",
                                      "PATH=/bin",       NULL};
    const struct tb_config_sources sources = {.env = env};
    TB_AUTO(tb_buf_fini) struct tb_buf told = TB_BUF(1000);
    (void)state;
    tb_config_each_unknown(&sources, note_unknown, &told);
    tb_buf_append_char(&told, '\0');
    assert_string_equal((const char *)told.data,
                        "TABARD_HTTP_IDEL_MS>TABARD_HTTP_IDLE_MS TABARD_WHATEVER_THIS_IS> ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_sets_values_and_leaves_the_others),
        cmocka_unit_test(an_empty_file_changes_nothing),
        cmocka_unit_test(webhooks_have_an_address_a_secret_and_types),
        cmocka_unit_test(unknown_settings_are_named_with_file_and_line),
        cmocka_unit_test(errors_name_file_line_and_key),
        cmocka_unit_test(errors_of_webhooks_name_the_entry),
        cmocka_unit_test_setup_teardown(flags_win_over_environment_and_that_over_the_file,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_file_with_a_secret_is_for_its_owner_alone, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(a_file_of_another_user_is_refused, make_place,
                                        remove_place),
        cmocka_unit_test(variables_that_are_no_settings_are_named),
        cmocka_unit_test_setup_teardown(a_bad_source_is_named, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
