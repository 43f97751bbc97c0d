/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/authority.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

struct valid {
    const char *text;
    const char *host;
    bool ipv6;
    int port; /* -1 for none */
};

static const struct valid valid_authorities[] = {
    {"localhost", "localhost", false, -1},
    {"localhost:8765", "localhost", false, 8765},
    {"a", "a", false, -1},
    {"Example.COM:80", "Example.COM", false, 80},
    {"example.com.", "example.com.", false, -1},
    {"xn--bcher-kva.example", "xn--bcher-kva.example", false, -1},
    {"my_host-1.internal:1", "my_host-1.internal", false, 1},
    {"127.0.0.1:65535", "127.0.0.1", false, 65535},
    {"1.2.3.4", "1.2.3.4", false, -1},
    {"[::1]", "::1", true, -1},
    {"[::1]:80", "::1", true, 80},
    {"[2001:DB8::a]:443", "2001:DB8::a", true, 443},
    {"[::ffff:127.0.0.1]", "::ffff:127.0.0.1", true, -1},
};

static const char *const invalid_authorities[] = {
    "",
    ":",
    ":80",
    "a:",
    "a:0",
    "a:65536",
    "a:99999",
    "a:00080",
    "a:080",
    "a:8 0",
    "a:+80",
    "a:-1",
    "a:0x50",
    "a:80:80",
    "a:http",
    "a: 80",
    "user@a",
    "user:pw@a:80",
    "@a",
    "a b",
    " a",
    "a ",
    "a/",
    "a/b",
    "a?b",
    "a#b",
    "a\\b",
    "a%2eb",
    "a%",
    "a,b",
    "a;b",
    "a*b",
    "*",
    "a..b",
    ".a",
    ".",
    "..",
    "a\tb",
    "a\x7f",
    "\xc3\xa4",
    "[",
    "]",
    "[]",
    "[]:80",
    "[::1",
    "::1",
    "::1]",
    "[::1]x80",
    "[::1]:",
    "[::1]:0",
    "[::1]]",
    "[[::1]]",
    "[a]",
    "[1.2.3.4]",
    "[::1%lo]",
    "[::1%25lo]",
    "[v1.a]",
    "[::1]:80:1",
    "[:::1]",
    "[::1 ]",
    "a[::1]",
    "[12345::]",
    "2001:db8::1",
    "[::1]x",
    "[1:2:3:4:5:6:7:8:9]",
};

static void valid_authorities_are_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(valid_authorities); i++) {
        const struct valid *want = &valid_authorities[i];
        struct tb_authority got;
        if (!tb_authority_parse(tb_str_of(want->text), &got)) {
            fail_msg("%s is refused", want->text);
        }
        assert_true(tb_str_eq_cstr(got.host, want->host));
        assert_int_equal(got.ipv6, want->ipv6);
        assert_int_equal(got.has_port, want->port >= 0);
        assert_int_equal(got.port, want->port >= 0 ? want->port : 0);
    }
}

static void invalid_authorities_are_refused_and_the_result_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(invalid_authorities); i++) {
        struct tb_authority got = {.port = 7};
        if (tb_authority_parse(tb_str_of(invalid_authorities[i]), &got)) {
            fail_msg("\"%s\" is accepted", invalid_authorities[i]);
        }
        assert_int_equal(got.port, 7);
    }
}

static void a_nul_is_refused_in_names_and_addresses(void **state)
{
    (void)state;
    struct tb_authority got;
    assert_false(tb_authority_parse(TB_STR("a\0b"), &got));
    assert_false(tb_authority_parse(TB_STR("a:8\0"), &got));
    assert_false(tb_authority_parse(TB_STR("[::1\0]"), &got));
    assert_false(tb_authority_parse((struct tb_str){NULL, 0}, &got));
}

static void a_name_has_at_most_255_characters(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'a', sizeof name);
    struct tb_authority got;
    assert_true(tb_authority_parse((struct tb_str){name, 255}, &got));
    assert_false(tb_authority_parse((struct tb_str){name, 256}, &got));
}

static void a_text_is_not_read_beyond_its_length(void **state)
{
    (void)state;
    struct tb_authority got;
    assert_true(tb_authority_parse(tb_str_sub(TB_STR("a:801"), 0, 4), &got));
    assert_int_equal(got.port, 80);
    assert_true(tb_authority_parse(tb_str_sub(TB_STR("abc@"), 0, 3), &got));
}

static void origins_are_split(void **state)
{
    (void)state;
    struct tb_str scheme;
    struct tb_authority got;
    assert_true(tb_origin_parse(TB_STR("http://localhost:8765"), &scheme, &got));
    assert_true(tb_str_eq_cstr(scheme, "http"));
    assert_true(tb_str_eq_cstr(got.host, "localhost"));
    assert_int_equal(got.port, 8765);
    assert_true(tb_origin_parse(TB_STR("https://[::1]"), &scheme, &got));
    assert_true(got.ipv6 && !got.has_port);
    assert_true(tb_origin_parse(TB_STR("chrome-extension://abcdefghijklmnop"), &scheme, &got));
    assert_true(tb_str_eq_cstr(scheme, "chrome-extension"));
    assert_true(tb_str_eq_cstr(got.host, "abcdefghijklmnop"));
}

static void what_is_no_origin_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "null",
        "http",
        "http:",
        "http:/",
        "http://",
        "http:///",
        "http://a/",
        "http://a/b",
        "http://a?b",
        "http://a#b",
        "http://u@a",
        "http://a:x",
        "http://a:80/",
        "://a",
        "//a",
        "a",
        "a:80",
        "1http://a",
        "ht tp://a",
        " http://a",
        "http://a ",
        "http:a",
        "http://a, http://b",
        "http://a:",
        "+a://b",
        "http://a:80 x",
        "file://",
        "data:text/html,x",
        "http://http://a",
    };
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        struct tb_str scheme = TB_STR("untouched");
        struct tb_authority got;
        if (tb_origin_parse(tb_str_of(texts[i]), &scheme, &got)) {
            fail_msg("\"%s\" is accepted", texts[i]);
        }
        assert_true(tb_str_eq_cstr(scheme, "untouched"));
    }
}

static void a_listener_names_a_port_and_may_leave_it_to_the_system(void **state)
{
    (void)state;
    struct tb_authority got;
    assert_true(tb_authority_parse_listen(TB_STR("127.0.0.1:0"), &got));
    assert_true(tb_str_eq_cstr(got.host, "127.0.0.1"));
    assert_true(got.has_port && got.port == 0);
    assert_true(tb_authority_parse_listen(TB_STR("[::1]:8765"), &got));
    assert_true(got.ipv6 && got.port == 8765);
    assert_true(tb_authority_parse_listen(TB_STR("[::]:0"), &got));
    assert_true(got.ipv6 && got.has_port && got.port == 0);
    assert_true(tb_authority_is_any(&got));
    assert_true(tb_authority_parse_listen(TB_STR("0.0.0.0:1"), &got));
    assert_true(tb_authority_is_any(&got));
    assert_true(tb_authority_parse_listen(TB_STR("Localhost:1"), &got));
    assert_true(tb_str_eq_cstr(got.host, "127.0.0.1") && got.port == 1);
    assert_false(tb_authority_is_any(&got));
    static const char *const texts[] = {"", ":0", "a", "[::1]", "a:80:0", "a:00", "[::1]:0:0"};
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        if (tb_authority_parse_listen(tb_str_of(texts[i]), &got)) {
            fail_msg("\"%s\" is accepted", texts[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_authorities_are_split),
        cmocka_unit_test(invalid_authorities_are_refused_and_the_result_stays),
        cmocka_unit_test(a_nul_is_refused_in_names_and_addresses),
        cmocka_unit_test(a_name_has_at_most_255_characters),
        cmocka_unit_test(a_text_is_not_read_beyond_its_length),
        cmocka_unit_test(origins_are_split),
        cmocka_unit_test(what_is_no_origin_is_refused),
        cmocka_unit_test(a_listener_names_a_port_and_may_leave_it_to_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
