/* SPDX-License-Identifier: Apache-2.0 */
#include "core/upstream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static void addresses_of_proxies_are_read(void **state)
{
    static const struct {
        const char *text, *host, *user, *password;
        enum tb_upstream_kind kind;
        uint16_t port;
    } rows[] = {
        {"http://Proxy.Example:8080", "proxy.example", "", "", TB_UPSTREAM_HTTP, 8080},
        {"HTTP://proxy.example/", "proxy.example", "", "", TB_UPSTREAM_HTTP, 3128},
        {"socks5://u:p@[2001:db8::1]:1081", "2001:db8::1", "u", "p", TB_UPSTREAM_SOCKS5, 1081},
        {"socks5h://10.0.0.1", "10.0.0.1", "", "", TB_UPSTREAM_SOCKS5, 1080},
        {"http://a%40b:c%3Ad@h.example:1", "h.example", "a@b", "c:d", TB_UPSTREAM_HTTP, 1},
        {"http://u@h.example:65535", "h.example", "u", "", TB_UPSTREAM_HTTP, 65535},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_upstream upstream;
        assert_int_equal(tb_upstream_read(tb_str_of(rows[i].text), &upstream, NULL), 0);
        assert_string_equal(upstream.host.name, rows[i].host);
        assert_string_equal(upstream.user, rows[i].user);
        assert_string_equal(upstream.password, rows[i].password);
        assert_int_equal(upstream.kind, rows[i].kind);
        assert_int_equal(upstream.port, rows[i].port);
        assert_false(upstream.trusted);
    }
}

static void what_is_no_proxy_is_refused_without_repeating_it(void **state)
{
    static const char *const bad[] = {
        "",
        "proxy.example:3128",
        "https://proxy.example",
        "http://",
        "http:///",
        "http://h:0",
        "http://h:65536",
        "http://h:x",
        "http://@",
        "http://a b/",
        "http://h/path",
        "socks4://h:1",
        "http://u:secret%00@h.example",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        struct tb_upstream upstream;
        struct tb_err err = {0};
        if (tb_upstream_read(tb_str_of(bad[i]), &upstream, &err) != TB_E_PARAMS) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_null(strstr(err.text, "secret"));
    }
}

static void a_session_names_one_in_parts(void **state)
{
    struct tb_upstream upstream;
    (void)state;
    TB_AUTO(tb_json_free)
    struct cJSON *json = tb_json_parse(
        TB_STR("{\"server\":\"socks5://h.example\",\"username\":\"a%40\",\"password\":\"b:c\"}"));
    assert_int_equal(tb_upstream_read_json(json, &upstream, NULL), 0);
    assert_string_equal(upstream.user, "a%40"); /* as it is */
    assert_string_equal(upstream.password, "b:c");
    assert_int_equal(tb_upstream_read_json(NULL, &upstream, NULL), TB_E_PARAMS);
    char name[300];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    tb_json_set_cstr(json, "username", name);
    assert_int_equal(tb_upstream_read_json(json, &upstream, NULL), TB_E_PARAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_proxies_are_read),
        cmocka_unit_test(what_is_no_proxy_is_refused_without_repeating_it),
        cmocka_unit_test(a_session_names_one_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
