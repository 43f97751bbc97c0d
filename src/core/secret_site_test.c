/* SPDX-License-Identifier: Apache-2.0 */
#include "core/secret_site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void assert_canonical(const char *text, const char *expected)
{
    char domain[TB_SECRET_DOMAIN_SIZE];
    struct tb_err err;
    assert_int_equal(tb_secret_domain_parse(tb_str_of(text), domain, &err), 0);
    assert_string_equal(domain, expected);
}

static void domains_are_kept_in_lower_case(void **state)
{
    (void)state;
    assert_canonical("Example.COM", "example.com");
    assert_canonical("=login.example.com", "=login.example.com");
    assert_canonical("xn--bcher-kva.example", "xn--bcher-kva.example");
    assert_canonical("b\xc3\xbc"
                     "cher.example",
                     "xn--bcher-kva.example");
    assert_canonical("example.com.", "example.com");
    assert_canonical("localhost", "localhost");
    assert_canonical("127.0.0.1", "127.0.0.1");
    assert_canonical("::1", "::1");
}

static void what_is_no_domain_is_refused(void **state)
{
    (void)state;
    char longest[400];
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    const char *const bad[] = {"",
                               "com",
                               "=",
                               "*.example.com",
                               ".example.com",
                               "co.uk",
                               "a..b",
                               "https://example.com",
                               "example.com:443",
                               "ex ample.com",
                               "a@b.com",
                               "==a.com",
                               longest};
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        char domain[TB_SECRET_DOMAIN_SIZE];
        struct tb_err err;
        assert_int_equal(tb_secret_domain_parse(tb_str_of(bad[i]), domain, &err), TB_E_PARAMS);
    }
    char domain[TB_SECRET_DOMAIN_SIZE];
    struct tb_err err;
    assert_int_equal(tb_secret_domain_parse((struct tb_str){"a.com\0.b", 8}, domain, &err),
                     TB_E_PARAMS);
}

static bool has(const char *domain, const char *host)
{
    return tb_secret_domain_has(domain, tb_str_of(host));
}

static void a_domain_has_its_subdomains_and_no_look_alikes(void **state)
{
    (void)state;
    assert_true(has("example.com", "example.com"));
    assert_true(has("example.com", "login.example.com"));
    assert_true(has("example.com", "A.B.Example.com"));
    assert_false(has("example.com", "badexample.com"));
    assert_false(has("example.com", "example.com.evil.net"));
    assert_false(has("example.com", "example.com."));
    assert_false(has("example.com", "com"));
    assert_false(has("example.com", ".example.com.net"));
    assert_false(has("example.com", ""));
    assert_true(has("=example.com", "example.com"));
    assert_false(has("=example.com", "login.example.com"));
    assert_false(has("127.0.0.1", "x.127.0.0.1"));
}

static void only_safe_origins_have_a_host_for_secrets(void **state)
{
    (void)state;
    static const char *const good[] = {"https://example.com",   "https://example.com:8443",
                                       "http://localhost:3000", "http://a.localhost",
                                       "http://127.8.0.1:1",    "http://[::1]:80"};
    static const char *const bad[] = {"",
                                      "null",
                                      "://",
                                      "http://example.com",
                                      "http://128.0.0.1",
                                      "http://localhost.evil.com",
                                      "http://127.0.0.1.evil.com",
                                      "https://user@example.com",
                                      "ftp://localhost",
                                      "file://",
                                      "chrome-extension://abcdef"};
    struct tb_str host;
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        assert_true(tb_secret_origin_host(tb_str_of(good[i]), &host));
    }
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_false(tb_secret_origin_host(tb_str_of(bad[i]), &host));
    }
    assert_false(tb_secret_origin_host((struct tb_str){NULL, 0}, &host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_are_kept_in_lower_case),
        cmocka_unit_test(what_is_no_domain_is_refused),
        cmocka_unit_test(a_domain_has_its_subdomains_and_no_look_alikes),
        cmocka_unit_test(only_safe_origins_have_a_host_for_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
