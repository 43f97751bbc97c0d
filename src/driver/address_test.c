/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *given;
    const char *made;
} good[] = {
    {"http://example.com/", "http://example.com/"},
    {"HTTPS://Example.com/A?b#c", "HTTPS://Example.com/A?b#c"},
    {"  http://example.com \n", "http://example.com"},
    {"\x01\x02http://example.com\x1f", "http://example.com"},
    {"ht\ttp://exa\nmple.com/\r", "http://example.com/"},
    {"http:example.com", "http:example.com"},
    {"http:\\\\example.com", "http:\\\\example.com"},
    {"http://user:pw@host/", "http://user:pw@host/"},
    {"about:blank", "about:blank"},
    {"ABOUT:Blank#x", "ABOUT:Blank#x"},
    {"example.com", "https://example.com"},
    {"example.com:8080/x?y", "https://example.com:8080/x?y"},
    {"sub.example.com/path with blank", "https://sub.example.com/path with blank"},
    {"localhost", "http://localhost"},
    {"localhost:3000", "http://localhost:3000"},
    {"app.localhost:3000/x", "http://app.localhost:3000/x"},
    {"127.0.0.1:80/x", "http://127.0.0.1:80/x"},
    {"[::1]:8080/", "http://[::1]:8080/"},
    {"[::1]", "http://[::1]"},
    {"//example.com/x", "https://example.com/x"},
    {"b\xc3\xbc"
     "cher.example",
     "https://b\xc3\xbc"
     "cher.example"},
    {"example.com?q=1:2", "https://example.com?q=1:2"},
};

static void addresses_of_the_web_pass_and_bare_hosts_get_a_scheme(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        struct tb_buf out;
        struct tb_err err;
        tb_buf_init(&out, 1 << 20);
        assert_int_equal(tb_address_make(tb_str_of(good[i].given), false, &out, &err), 0);
        tb_buf_append_char(&out, '\0');
        assert_string_equal((const char *)out.data, good[i].made);
        tb_buf_fini(&out);
    }
}

/* Every one of these was opened by Chromium, or may be by the next one. */
static const char *const bad[] = {
    "",
    " ",
    "\n\t",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "fi\tle:///etc/passwd",
    "\tfile:///etc/passwd",
    "\x01 file:///etc/passwd",
    "f\ri\nl\te:/etc/passwd",
    "file:/etc/passwd",
    "file:etc",
    "file:\\\\etc",
    "file://localhost/etc/passwd",
    "file:80",
    "chrome://settings",
    "Chrome://version",
    " chrome:settings",
    "chrome-untrusted://x",
    "chrome-extension://abc/x.html",
    "chrome-error://chromewebdata/",
    "devtools://devtools/bundled/inspector.html",
    "DevTools:x",
    "view-source:http://example.com",
    "View-Source:file:///etc/passwd",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "JaVaScRiPt:1",
    "javascript:80",
    "javascript:80/x",
    "data:text/html,x",
    "blob:http://example.com/1",
    "filesystem:http://example.com/t/x",
    "about:version",
    "about:srcdoc",
    "about:blankx",
    "about:blank/x",
    "about:",
    "about:80",
    "ftp://example.com",
    "ws://example.com",
    "wss://example.com",
    "mailto:a@example.com",
    "tel:12345",
    "intent://x",
    "isolated-app://x",
    "jar:file:///x",
    "feed:http://x",
    "http:",
    "http://",
    "https:///",
    "http://?x",
    "http:#x",
    "/etc/passwd",
    "./x",
    "?x",
    "#x",
    "//",
    "///etc/passwd",
    "hello",
    "hello world",
    "C:\\x.html",
    "c:/x",
    "a.b:c",
    "user@example.com",
    "example.com:x",
    "example.com:123456",
    "[::1",
    "[::1]x",
    ":80",
    ".",
    "..",
    "%66ile:///etc/passwd",
    "\xef\xbd\x86ile:///etc/passwd",
    "x y.com",
};

static void everything_else_is_refused_in_any_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        struct tb_buf out;
        struct tb_err err = {.text = ""};
        tb_buf_init(&out, 1 << 20);
        if (tb_address_make(tb_str_of(bad[i]), false, &out, &err) != TB_E_BAD_URL) {
            fail_msg("\"%s\" was let through", bad[i]);
        }
        assert_int_equal(out.len, 0);
        assert_true(err.text[0] != '\0');
        tb_buf_fini(&out);
    }
}

static void nul_bytes_hide_no_scheme(void **state)
{
    struct tb_buf out;
    struct tb_err err;
    (void)state;
    tb_buf_init(&out, 4096);
    struct tb_str nul = {"\0file:///x", 10};
    assert_int_equal(tb_address_make(nul, false, &out, &err), TB_E_BAD_URL);
    tb_buf_fini(&out);
}

static void data_addresses_need_the_setting(void **state)
{
    struct tb_buf out;
    struct tb_err err;
    (void)state;
    tb_buf_init(&out, 4096);
    assert_int_equal(tb_address_make(TB_STR("Data:text/html,x"), true, &out, &err), 0);
    assert_int_equal(tb_address_make(TB_STR("file:///x"), true, &out, &err), TB_E_BAD_URL);
    tb_buf_fini(&out);
}

static void an_address_has_a_ceiling(void **state)
{
    struct tb_buf out;
    struct tb_err err;
    (void)state;
    tb_buf_init(&out, 1 << 20);
    char *text = tb_zalloc(TB_ADDRESS_MAX + 2);
    memset(text, 'a', TB_ADDRESS_MAX + 1);
    memcpy(text, "http://a/", 9);
    assert_int_equal(tb_address_make(tb_str_of(text), false, &out, &err), TB_E_BAD_URL);
    text[TB_ADDRESS_MAX] = '\0';
    assert_int_equal(tb_address_make(tb_str_of(text), false, &out, &err), 0);
    tb_free(text);
    tb_buf_fini(&out);
}

static void what_is_of_the_machine_is_known(void **state)
{
    static const char *const inner[] = {"file:///etc/passwd", "FILE:/x", "chrome://settings/",
                                        "devtools://devtools/bundled/", "view-source:http://a/"};
    static const char *const open[] = {
        "http://a/file:", "about:blank",     "chrome-error://chromewebdata/",
        "data:,x",        "blob:http://a/b", ""};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(inner); i++) {
        assert_true(tb_address_is_inner(tb_str_of(inner[i])));
    }
    for (size_t i = 0; i < TB_COUNT(open); i++) {
        assert_false(tb_address_is_inner(tb_str_of(open[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_the_web_pass_and_bare_hosts_get_a_scheme),
        cmocka_unit_test(everything_else_is_refused_in_any_spelling),
        cmocka_unit_test(nul_bytes_hide_no_scheme),
        cmocka_unit_test(data_addresses_need_the_setting),
        cmocka_unit_test(an_address_has_a_ceiling),
        cmocka_unit_test(what_is_of_the_machine_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
