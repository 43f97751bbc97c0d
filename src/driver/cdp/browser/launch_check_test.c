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

/* Switches, and what is said of each. */
static const struct {
    const char *args;
    const char *words[2];
} promises[] = {
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
    {"--screenshot=/x", {"--screenshot", "exits"}},
    {"--print-to-pdf=/x", {"--print-to-pdf", "exits"}},
    {"--dump-dom", {"--dump-dom", "exits"}},
    {"--repl", {"--repl", "exits"}},
    {"--no-sandbox-and-elevated", {"--no-sandbox-and-elevated", "sandbox"}},
    {"--disable-landlock-sandbox", {"--disable-landlock-sandbox", "sandbox"}},
    {"--remote-debugging-targets=/x", {"--remote-debugging-targets", "drive"}},
    {"--install-isolated-web-app-from-url=x", {"--install-isolated", "other code"}},
    {"--proxy-pac-url=x", {"--proxy-pac-url", "traffic"}},
    {"--proxy-bypass-list=*", {"--proxy-bypass-list", "traffic"}},
    {"--proxy-auto-detect", {"--proxy-auto-detect", "traffic"}},
    {"--no-proxy-server", {"--no-proxy-server", "traffic"}},
    {"--host-rules=MAP * x", {"--host-rules", "traffic"}},
    {"--host-resolver-rules=MAP * x", {"--host-resolver-rules", "traffic"}},
    {"-Host-Resolver-Rules=MAP * x", {"--Host-Resolver-Rules", "traffic"}},
    {"--testing-fixed-https-port=1", {"--testing-fixed-https-port", "traffic"}},
    {"--webrtc-ip-handling-policy=default", {"--webrtc-ip-handling-policy", "traffic"}},
    {"--force-webrtc-ip-handling-policy=default", {"--force-webrtc-ip-handling-policy", "traffic"}},
    {"--allow-loopback-in-peer-connection", {"--allow-loopback-in", "traffic"}},
    {"--origin-to-force-quic-on=*", {"--origin-to-force-quic-on", "traffic"}},
    {"--disable-site-isolation-trials", {"--disable-site-isolation-trials", "sites"}},
    {"--allow-file-access-from-files", {"--allow-file-access-from-files", "sites"}},
    {"--blink-settings=webSecurityEnabled=false", {"--blink-settings", "sites"}},
    {"--allow-insecure-localhost", {"--allow-insecure-localhost", "spki"}},
    {"--use-mock-cert-verifier-for-testing", {"--use-mock-cert-verifier", "spki"}},
    {"--enable-features=MojoJS", {"--enable-features", "powers"}},
    {"--enable-blink-features=MojoJS", {"--enable-blink-features", "powers"}},
    {"--enable-blink-test-features", {"--enable-blink-test-features", "powers"}},
    {"--enable-gpu-benchmarking", {"--enable-gpu-benchmarking", "powers"}},
    {"--force-fieldtrials=a/b", {"--force-fieldtrials", "--enable-features"}},
    {"--variations-test-seed-path=/x", {"--variations-test-seed-path", "--enable-features"}},
    {"--password-store=gnome", {"--password-store", "itself"}},
    {"--webrtc-event-logging=/x", {"--webrtc-event-logging", "files"}},
    {"https://example.com", {"https://example.com", "--"}},
    {"--", {"--", "switch"}},
};

static void switches_that_break_a_promise_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(promises); i++) {
        struct tb_err err;
        assert_int_equal(check("browser.args", promises[i].args, &err), TB_E_CONFIG);
        assert_non_null(strstr(err.text, promises[i].words[0]));
        assert_non_null(strstr(err.text, promises[i].words[1]));
        assert_null(strstr(err.text, "9222")); /* values may be secret */
    }
}

static int check_one(const char *arg)
{
    char *items[] = {tb_strdup(arg)};
    struct tb_config config = {.browser_args = {.items = items, .count = 1}};
    struct tb_err err;
    int rc = tb_cdp_launch_check_args(&config, &err);
    tb_free(items[0]);
    return rc;
}

static void each_value_of_a_switch_is_looked_at(void **state)
{
    static const char *const refused[] = {
        "--enable-features=X,MojoJS",
        "--enable-features=X<T:a/b,NetworkServiceInProcess2<T",
        "--enable-blink-features=X, MojoJSTest ,Y",
        "--blink-settings=imagesEnabled=false,webSecurityEnabled=false",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(refused); i++) {
        assert_int_equal(check_one(refused[i]), TB_E_CONFIG);
    }
    assert_int_equal(check_one("--enable-features=X,MojoJSX"), 0);
}

static void other_switches_are_allowed(void **state)
{
    static const char *const allowed[] = {
        "--lang=de",
        "--site-per-process",
        "--force-device-scale-factor=2",
        "--window-size=1600,900",
        "--ignore-certificate-errors-spki-list=abc",
        "--enable-features=X",
        "--enable-blink-features=X,NetworkServiceInProcess",
        "--enable-experimental-web-platform-features",
        "--blink-settings=imagesEnabled=false",
        "--host",
        "--proxy",
        "--lang=proxy-x",
        "--apple",
    };
    struct tb_err err;
    (void)state;
    assert_int_equal(check("browser.args", "", &err), 0);
    assert_int_equal(check("browser.args", "--lang=de,--site-per-process", &err), 0);
    for (size_t i = 0; i < TB_COUNT(allowed); i++) {
        assert_int_equal(check_one(allowed[i]), 0);
    }
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
        cmocka_unit_test(each_value_of_a_switch_is_looked_at),
        cmocka_unit_test(other_switches_are_allowed),
        cmocka_unit_test(a_file_of_authorities_must_be_readable),
        cmocka_unit_test(a_path_must_be_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
