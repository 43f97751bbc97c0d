/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "driver/cdp/op/outline_frames.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/page/net_error.h"

static void reasons_of_the_browser_become_words(void **state)
{
    static const struct {
        const char *name;
        const char *words;
        int code;
    } rows[] = {
        {"net::ERR_NAME_NOT_RESOLVED",
         "http://x/: there is no such host (net::ERR_NAME_NOT_RESOLVED)", TB_E_NAVIGATION},
        {"net::ERR_CERT_DATE_INVALID",
         "http://x/: the site's certificate is not trusted (net::ERR_CERT_DATE_INVALID)",
         TB_E_CANNOT_OPEN},
        {"net::ERR_UNSAFE_PORT",
         "http://x/: browsers refuse to connect to that port; the page must be served on another "
         "(net::ERR_UNSAFE_PORT)",
         TB_E_CANNOT_OPEN},
        {"net::ERR_NEW_ONE", "http://x/: it could not be loaded (net::ERR_NEW_ONE)",
         TB_E_NAVIGATION},
        {"odd", "http://x/: it could not be loaded (odd)", TB_E_NAVIGATION},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_err err;
        tb_cdp_net_error_words(tb_str_of(rows[i].name), TB_STR("http://x/"), &err);
        assert_int_equal(err.code, rows[i].code);
        assert_string_equal(err.text, rows[i].words);
    }
}

static void a_frame_is_put_below_its_line(void **state)
{
    static const struct {
        const char *ref;
        const char *inside;
        const char *whole;
    } rows[] = {
        {"e2", "- x\n  - y",
         "- a [ref=e1]\n  - iframe [ref=e2]\n    - x\n      - y\n- b [ref=e20]"},
        {"e20", "- x", "- a [ref=e1]\n  - iframe [ref=e2]\n- b [ref=e20]\n  - x"},
        {"e3", "- x", NULL},
        {"e2", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_buf outline;
        tb_buf_init(&outline, 1024);
        tb_buf_append_cstr(&outline, "- a [ref=e1]\n  - iframe [ref=e2]\n- b [ref=e20]");
        bool done = tb_cdp_outline_splice(&outline, rows[i].ref, tb_str_of(rows[i].inside));
        assert_int_equal(done, rows[i].whole != NULL);
        tb_buf_append_char(&outline, '\0');
        if (rows[i].whole) {
            assert_string_equal((const char *)outline.data, rows[i].whole);
        }
        tb_buf_fini(&outline);
    }
    struct tb_buf full;
    tb_buf_init(&full, 20);
    tb_buf_append_cstr(&full, "- iframe [ref=e2]");
    assert_false(tb_cdp_outline_splice(&full, "e2", TB_STR("- something")));
    assert_int_equal(full.len, 17);
    tb_buf_fini(&full);
}

static void refs_name_their_frame(void **state)
{
    static const struct {
        const char *target;
        unsigned frame;
    } rows[] = {
        {"e5", 0},
        {"f2e7", 2},
        {"@f12e1", 12},
        {"[ref=f3e4]", 3},
        {"ref=f3e4", 3},
        {"aria-ref=f3e4", 3},
        {"F3E4", 3},
        {" f2e7 ", 2},
        {"f2", 0},
        {"fe1", 0},
        {"f2e", 0},
        {"form", 0},
        {"f2e7x", 0},
        {"#f2e7", 0},
        {"", 0},
        {"f99999999999e1", 0},
        {"- button \"A \\\" [ref=f8e1]\" [ref=f2e7]: f9e1", 2},
        {"button \"A\" [ref=e7]", 0},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(tb_cdp_ref_frame(tb_str_of(rows[i].target)), rows[i].frame);
    }
}

static void a_member_is_picked_by_its_name(void **state)
{
    (void)state;
    struct tb_str json = TB_STR("{\"a\":{\"b\":1},\"b\":\"x\\\"\",\"c\":[1,2]}");
    assert_true(tb_str_eq_cstr(tb_cdp_pick(json, "b"), "\"x\\\"\""));
    assert_true(tb_str_eq_cstr(tb_cdp_pick(tb_cdp_pick(json, "a"), "b"), "1"));
    assert_int_equal(tb_cdp_pick(json, "z").len, 0);
    assert_int_equal(tb_cdp_pick(tb_cdp_pick(json, "z"), "y").len, 0);
    assert_int_equal(tb_cdp_pick(TB_STR("5"), "a").len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_of_the_browser_become_words),
        cmocka_unit_test(a_frame_is_put_below_its_line),
        cmocka_unit_test(refs_name_their_frame),
        cmocka_unit_test(a_member_is_picked_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
