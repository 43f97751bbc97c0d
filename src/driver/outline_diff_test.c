/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/outline_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

static const struct {
    const char *before;
    const char *after;
    const char *diff;
    int changes;
} rows[] = {
    {"a\nb", "a\nb", "", 0},
    {"", "", "", 0},
    {"", "a", "+ a", 1},
    {"a", "", "- a", 1},
    {"a\nb\nc", "a\nx\nc", "- b\n+ x", 2},
    {"- list\n  - item 1\n  - item 2", "- list\n  - item 1\n  - item 2\n  - item 3",
     "  - list\n+   - item 3", 1},
    {"- list\n  - item 1\n  - item 2\n- end", "- list\n  - item 2\n- end", "  - list\n-   - item 1",
     1},
    {"- a\n  - b\n- c\n  - d", "- a\n  - B\n- c\n  - D",
     "  - a\n-   - b\n+   - B\n  - c\n-   - d\n+   - D", 4},
    {"a\nb\nc\nd", "b\nc\nd\na", "- a\n+ a", 2},
};

static void lines_that_came_and_went_are_marked(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_buf out;
        tb_buf_init(&out, 4096);
        tb_buf_append_cstr(&out, ">");
        assert_int_equal(tb_outline_diff(tb_str_of(rows[i].before), tb_str_of(rows[i].after), &out),
                         rows[i].changes);
        tb_buf_append_char(&out, '\0');
        assert_string_equal((const char *)out.data + 1, rows[i].diff);
        tb_buf_fini(&out);
    }
}

static void outlines_too_large_to_compare_are_replaced(void **state)
{
    struct tb_buf before;
    struct tb_buf after;
    struct tb_buf out;
    (void)state;
    tb_buf_init(&before, 1 << 20);
    tb_buf_init(&after, 1 << 20);
    tb_buf_init(&out, 1 << 20);
    for (int i = 0; i < 2000; i++) {
        tb_buf_printf(&before, "a%d\n", i);
        tb_buf_printf(&after, "b%d\n", i);
    }
    assert_int_equal(tb_outline_diff(tb_buf_str(&before), tb_buf_str(&after), &out), 4000);
    tb_buf_fini(&before);
    tb_buf_fini(&after);
    tb_buf_fini(&out);
}

static void at_the_ceiling_the_buffer_stays_as_it_was(void **state)
{
    struct tb_buf out;
    (void)state;
    tb_buf_init(&out, 6);
    tb_buf_append_cstr(&out, "x");
    assert_int_equal(tb_outline_diff(TB_STR("a"), TB_STR("b\nc"), &out), TB_E_TOO_LARGE);
    assert_int_equal(out.len, 1);
    tb_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_came_and_went_are_marked),
        cmocka_unit_test(outlines_too_large_to_compare_are_replaced),
        cmocka_unit_test(at_the_ceiling_the_buffer_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
