/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

/* NET-3: every spelling that browsers accept for a host. */
static void all_spellings_of_a_host_are_one(void **state)
{
    static const struct {
        const char *given;
        const char *name;
        bool is_ip;
    } cases[] = {
        {"example.com", "example.com", false},
        {"EXAMPLE.Com.", "example.com", false},
        {"ex%61mple%2ecom", "example.com", false},
        {"my_host", "my_host", false},
        {"b\xc3\xbc"
         "cher.example",
         "xn--bcher-kva.example", false},
        {"B%C3%9CCHER.example", "xn--bcher-kva.example", false},
        {"fa\xc3\x9f.de", "xn--fa-hia.de", false},
        {"FA\xe1\xba\x9e.de", "xn--fa-hia.de", false},
        {"\xe1\xba\x9e\xe1\xba\x9e.de", "xn--zcaa.de", false},
        {"\xef\xbd\x85xample\xe3\x80\x82"
         "com",
         "example.com", false},
        {"XN--bcher-kva.example", "xn--bcher-kva.example", false},
        {"127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1.", "127.0.0.1", true},
        {"2130706433", "127.0.0.1", true},
        {"0x7f000001", "127.0.0.1", true},
        {"0x7F.1", "127.0.0.1", true},
        {"0177.0.0.01", "127.0.0.1", true},
        {"127.1", "127.0.0.1", true},
        {"127.0.1", "127.0.0.1", true},
        {"0", "0.0.0.0", true},
        {"0x", "0.0.0.0", true},
        {"4294967295", "255.255.255.255", true},
        {"\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1", "127.0.0.1", true},
        {"%31%32%37.1", "127.0.0.1", true},
        {"[::1]", "::1", true},
        {"[0:0:0:0:0:0:0:1]", "::1", true},
        {"[::ffff:127.0.0.1]", "127.0.0.1", true},
        {"[2001:DB8::A]", "2001:db8::a", true},
        {"1.example", "1.example", false},
        {"0x7f.example", "0x7f.example", false},
        {"a.0g", "a.0g", false},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_host host;
        struct tb_err err = {0};
        if (tb_host_read(tb_str_of(cases[i].given), &host, &err) < 0) {
            fail_msg("%s: %s", cases[i].given, err.text);
        }
        assert_string_equal(host.name, cases[i].name);
        assert_int_equal(host.is_ip, cases[i].is_ip);
    }
}

static void what_is_no_host_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "a b",
        "a/b",
        "a:b",
        "a@b",
        "a%",
        "a%zz",
        "a%2",
        "a%2z",
        "a%00b",
        "a#b",
        "a?b",
        "a[b",
        "a\\b",
        "a^b",
        "a|b",
        "a<b",
        "a%7f",
        "1.2.3.4.5",
        "256.1.1.1",
        "4294967296",
        "1..2",
        "a.1",
        "0x.0xg.1",
        "1.2.3.08",
        "1.16777216",
        "[1.2.3.4]",
        "[::1",
        "[]",
        "[::1]a",
        "[fe80::1%25eth0]",
        "\xff",
        "\xc3\xbc\xff",
        "%FF",
        "\xc2\xad",
        "18446744073709551616.1",
        "a.0x1g.1",
    };
    struct tb_host host;
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        struct tb_err err = {0};
        if (tb_host_read(tb_str_of(bad[i]), &host, &err) != TB_E_BAD_URL) {
            fail_msg("%s was read as %s", bad[i], host.name);
        }
        assert_true(err.text[0]);
    }
    assert_int_equal(tb_host_read(TB_STR("\xc3\xbc\0a"), &host, NULL), TB_E_BAD_URL);
    assert_int_equal(tb_host_read(TB_STR("a\0b"), &host, NULL), TB_E_BAD_URL);
}

static void names_that_dns_could_not_have_are_refused(void **state)
{
    char name[2000];
    struct tb_host host;
    (void)state;
    snprintf(name, sizeof(name), "%063d.test", 0);
    assert_int_equal(tb_host_read(tb_str_of(name), &host, NULL), 0);
    snprintf(name, sizeof(name), "%064d.test", 0);
    assert_int_equal(tb_host_read(tb_str_of(name), &host, NULL), TB_E_BAD_URL);
    snprintf(name, sizeof(name), "%063d.%063d.%063d.%057d.test", 0, 0, 0, 0);
    assert_int_equal(strlen(name), TB_HOST_SIZE);
    assert_int_equal(tb_host_read(tb_str_of(name), &host, NULL), TB_E_BAD_URL);
    assert_int_equal(tb_host_read(tb_str_of(name + 1), &host, NULL), 0);
    snprintf(name, sizeof(name), "%01500d.test", 0);
    assert_int_equal(tb_host_read(tb_str_of(name), &host, NULL), TB_E_BAD_URL);
}

static void local_names_are_this_machine(void **state)
{
    static const char *const local[] = {"localhost", "LOCALHOST.", "a.localhost", "a.b.localhost"};
    static const char *const other[] = {"notlocalhost", "localhost.test", "127.0.0.1"};
    struct tb_host host;
    (void)state;
    for (size_t i = 0; i < TB_COUNT(local); i++) {
        assert_int_equal(tb_host_read(tb_str_of(local[i]), &host, NULL), 0);
        assert_true(tb_host_is_local_name(&host));
    }
    for (size_t i = 0; i < TB_COUNT(other); i++) {
        assert_int_equal(tb_host_read(tb_str_of(other[i]), &host, NULL), 0);
        assert_false(tb_host_is_local_name(&host));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_spellings_of_a_host_are_one),
        cmocka_unit_test(what_is_no_host_is_refused),
        cmocka_unit_test(names_that_dns_could_not_have_are_refused),
        cmocka_unit_test(local_names_are_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
