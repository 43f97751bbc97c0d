/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/url_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

/* NET-3: what the URL standard makes of them, and so Chromium. */
static void addresses_lead_where_browsers_go(void **state)
{
    static const struct {
        const char *url;
        enum tb_scheme scheme;
        const char *host;
        unsigned port;
    } cases[] = {
        {"http://example.com/", TB_SCHEME_HTTP, "example.com", 80},
        {"HTTPS://EXAMPLE.com", TB_SCHEME_HTTPS, "example.com", 443},
        {"https:example.com", TB_SCHEME_HTTPS, "example.com", 443},
        {"https:/\\/\\example.com\\x", TB_SCHEME_HTTPS, "example.com", 443},
        {"  \x01http://a.test:8080?x", TB_SCHEME_HTTP, "a.test", 8080},
        {"ht\ntp://a.\ttest\r:0080#x", TB_SCHEME_HTTP, "a.test", 80},
        {"http://a.test:", TB_SCHEME_HTTP, "a.test", 80},
        {"http://good.test@evil.test/", TB_SCHEME_HTTP, "evil.test", 80},
        {"http://a:b@c:d@evil.test:81/@good.test", TB_SCHEME_HTTP, "evil.test", 81},
        {"http://good.test\\@evil.test", TB_SCHEME_HTTP, "good.test", 80},
        {"http://[::1]:81/", TB_SCHEME_HTTP, "::1", 81},
        {"http://[::FFFF:7f00:1]", TB_SCHEME_HTTP, "127.0.0.1", 80},
        {"wss://a.test", TB_SCHEME_HTTPS, "a.test", 443},
        {"ws://a.test", TB_SCHEME_HTTP, "a.test", 80},
        {"about:blank", TB_SCHEME_ABOUT, "", 0},
        {"data:text/html,x", TB_SCHEME_DATA, "", 0},
        {"blob:https://a.test/x", TB_SCHEME_BLOB, "", 0},
        {"file:///etc/passwd", TB_SCHEME_OTHER, "", 0},
        {"view-source:http://a.test", TB_SCHEME_OTHER, "", 0},
        {"a-scheme-with-a-very-long-name:x", TB_SCHEME_OTHER, "", 0},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_url_parts parts;
        assert_int_equal(tb_url_parts_read(tb_str_of(cases[i].url), &parts, NULL), 0);
        assert_int_equal(parts.scheme, cases[i].scheme);
        assert_string_equal(parts.host.name, cases[i].host);
        assert_int_equal(parts.port, cases[i].port);
    }
}

static void what_is_no_address_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "example.com",
        "//example.com",
        "1http://a.test",
        ":x",
        "http://",
        "http://?x",
        "http://a:65536",
        "http://a:8o",
        "http://a:80:80",
        "http://a b",
        "http://[::1",
        "http://[::1]x",
        "http://a:000000000080000",
        "http://@",
        "http://a%00.test",
        "http",
    };
    struct tb_url_parts parts;
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        struct tb_err err = {0};
        assert_int_equal(tb_url_parts_read(tb_str_of(bad[i]), &parts, &err), TB_E_BAD_URL);
        assert_true(err.text[0]);
    }
}

static void a_long_user_name_is_no_way_around(void **state)
{
    char url[4096];
    struct tb_url_parts parts;
    (void)state;
    snprintf(url, sizeof(url), "http://%03000d@evil.test", 0);
    assert_int_equal(tb_url_parts_read(tb_str_of(url), &parts, NULL), 0);
    assert_string_equal(parts.host.name, "evil.test");
    snprintf(url, sizeof(url), "http://%03000d.test", 0);
    assert_int_equal(tb_url_parts_read(tb_str_of(url), &parts, NULL), TB_E_BAD_URL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_lead_where_browsers_go),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(a_long_user_name_is_no_way_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
