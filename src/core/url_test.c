/* SPDX-License-Identifier: Apache-2.0 */
#include "core/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"

static void only_scheme_host_and_path_are_shown(void **state)
{
    static const struct {
        const char *url;
        const char *shown;
    } rows[] = {
        {"https://a.test/login?user=bob&password=x#top", "https://a.test/login"},
        {"https://a.test?x=1", "https://a.test"},
        {"https://a.test/#a/b?c", "https://a.test/"},
        {"https://bob:secret@a.test:8443/x", "https://a.test:8443/x"},
        {"https://bob:se@cret@a.test/x", "https://a.test/x"},
        {"https://bob@a.test?next=/@b", "https://a.test"},
        {"https://a.test/@someone/posts", "https://a.test/@someone/posts"},
        {"https://bob:secret@a.test\\@b/x", "https://a.test\\@b/x"},
        {"http://[::1]:8080/x", "http://[::1]:8080/x"},
        {"about:blank", "about:blank"},
        {"data:text/html,secret", "data:"},
        {"blob:https://a.test/1-2", "blob:"},
        {"javascript:alert('secret')", "javascript:"},
        {"about:srcdoc?secret", "about:"},
        {"secret", ""},
        {"a-word-that-is-too-long-for-a-scheme://secret", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_KIB);
        tb_url_shown(tb_str_of(rows[i].url), &shown);
        if (!tb_str_eq_cstr(tb_buf_str(&shown), rows[i].shown)) {
            fail_msg("%s: %.*s", rows[i].url, TB_STR_ARG(tb_buf_str(&shown)));
        }
    }
}

static void a_long_one_is_cut(void **state)
{
    static const char start[] = "https://a.test/";
    char url[4 * TB_URL_SHOWN_MAX];
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(SIZE_MAX);
    (void)state;
    memset(url, 'x', sizeof(url));
    for (size_t i = 0; i < sizeof(start) - 1; i++) {
        url[i] = start[i];
    }
    tb_url_shown((struct tb_str){url, sizeof(url)}, &shown);
    assert_int_equal(shown.len, strlen("https://") + TB_URL_SHOWN_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_scheme_host_and_path_are_shown),
        cmocka_unit_test(a_long_one_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
