/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/launch_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static int check(const char *path, const char *value, struct tb_err *err)
{
    struct tb_config config;
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    tb_config_init(&config);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, path) == 0) {
            assert_int_equal(tb_config_set(&config, &keys[i], tb_str_of(value), err), 0);
        }
    }
    err->text[0] = '\0';
    int rc = tb_cdp_launch_check_args(&config, err);
    rc = rc == 0 ? tb_cdp_launch_check_path(&config, err) : rc;
    tb_config_fini(&config);
    return rc;
}

static void switches_that_break_a_promise_are_refused_by_name(void **state)
{
    static const struct {
        const char *args;
        const char *words[2];
    } rows[] = {
        {"--no-sandbox", {"--no-sandbox", "browser.no_sandbox"}},
        {"-no-sandbox", {"--no-sandbox", "sandbox"}},
        {"--lang=de, --remote-debugging-port=9222", {"--remote-debugging-port", "drive"}},
        {"--remote-debugging-pipe", {"--remote-debugging-pipe", "drive"}},
        {"--remote-allow-origins=*", {"--remote-allow-origins", "drive"}},
        {"--user-data-dir=/home/me", {"--user-data-dir", "its own directory"}},
        {"--load-extension=/x", {"--load-extension", "other code"}},
        {"--disable-web-security", {"--disable-web-security", "sites"}},
        {"--proxy-server=http://x:1", {"--proxy-server", "traffic"}},
        {"--ignore-certificate-errors", {"--ignore-certificate-errors", "spki"}},
        {"--headless=new", {"--headless", "browser.headless"}},
        {"--disable-features=X", {"--disable-features", "itself"}},
        {"--zygote-cmd-prefix=/x", {"--zygote-cmd-prefix", "other code"}},
        {"--service-sandbox-type=none", {"--service-sandbox-type", "sandbox"}},
        {"--allow-no-sandbox-job", {"--allow-no-sandbox-job", "sandbox"}},
        {"--process-per-site", {"--process-per-site", "share a process"}},
        {"--enable-features=NetworkServiceInProcess<x:a/b", {"--enable-features", "network"}},
        {"--trace-startup-file=/x", {"--trace-startup-file", "files"}},
        {"--screenshot=/x", {"--screenshot", "ends"}},
        {"--print-to-pdf=/x", {"--print-to-pdf", "ends"}},
        {"--dump-dom", {"--dump-dom", "ends"}},
        {"--repl", {"--repl", "ends"}},
        {"https://example.com", {"https://example.com", "--"}},
        {"--", {"--", "switch"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct tb_err err;
        assert_int_equal(check("browser.args", rows[i].args, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, rows[i].words[0]));
        assert_non_null(strstr(err.text, rows[i].words[1]));
        assert_null(strstr(err.text, "9222")); /* values may be secret */
    }
}

static void other_switches_are_allowed(void **state)
{
    struct tb_err err;
    (void)state;
    assert_int_equal(check("browser.args", "", &err), 0);
    assert_int_equal(check("browser.args",
                           "--lang=de,--site-per-process,--force-device-scale-factor=2,"
                           "--ignore-certificate-errors-spki-list=abc,--enable-features=X",
                           &err),
                     0);
}

static void a_file_of_authorities_must_be_readable(void **state)
{
    static const char *const paths[] = {"/etc/passwd", "/nonexist", "/tmp"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct tb_config config;
        struct tb_err err = {0};
        tb_config_init(&config);
        tb_free(config.browser_remote_ca);
        config.browser_remote_ca = tb_strdup(paths[i]);
        assert_int_equal(tb_cdp_launch_check_remote_ca(&config, &err), i ? TB_E_CONFIG : 0);
        tb_config_fini(&config);
    }
}

static void a_path_must_be_a_program(void **state)
{
    static const char *const wrong[] = {"/no/such/browser", "/tmp", "/etc/passwd"};
    struct tb_err err;
    (void)state;
    assert_int_equal(check("browser.path", "", &err), 0);
    assert_int_equal(check("browser.path", "/bin/sh", &err), 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(check("browser.path", wrong[i], &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, "browser.path"));
        assert_non_null(strstr(err.text, wrong[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_that_break_a_promise_are_refused_by_name),
        cmocka_unit_test(other_switches_are_allowed),
        cmocka_unit_test(a_file_of_authorities_must_be_readable),
        cmocka_unit_test(a_path_must_be_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
