/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/limits.h"

static void what_fits_stays_whole(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf room = TB_BUF(SIZE_MAX);
    (void)state;
    assert_int_equal(tb_cut_fits(TB_STR("hello"), 5), 5);
    assert_int_equal(tb_cut_fits(TB_STR(""), 0), 0);
    assert_int_equal(tb_cut_fits(TB_STR("a\nb"), 4), 3);
    struct tb_str text = TB_STR("hello");
    assert_ptr_equal(tb_cut(text, SIZE_MAX, &room).ptr, text.ptr);
    assert_int_equal(room.len, 0);
}

static void what_does_not_fit_is_cut_at_a_line_or_a_character(void **state)
{
    (void)state;
    assert_int_equal(tb_cut_fits(TB_STR("one\ntwo\nthree"), 11), 8);
    assert_int_equal(tb_cut_fits(TB_STR("abcdef"), 3), 3);
    /* Two-byte characters: never half of one. */
    struct tb_str text = TB_STR("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
    for (size_t max = 0; max < 24; max++) {
        size_t fits = tb_cut_fits(text, max);
        assert_true(tb_utf8_valid(tb_str_sub(text, 0, fits)));
    }
}

static void what_is_cut_says_how_much_is_missing_and_never_takes_more_than_its_room(void **state)
{
    TB_AUTO(tb_free) char *controls = tb_zalloc(TB_MIB);
    TB_AUTO(tb_buf_fini) struct tb_buf room = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    (void)state;
    memset(controls, 1, TB_MIB);
    struct tb_str cut = tb_cut((struct tb_str){controls, TB_MIB}, (size_t)TB_MCP_RESULT_MAX, &room);
    tb_json_writer_init(&json, &out);
    tb_json_put_str(&json, cut);
    assert_true(out.len < TB_MCP_RESULT_MAX + 2);
    assert_true(out.len > TB_MCP_RESULT_MAX - 1024);
    tb_buf_append_char(&room, '\0');
    assert_non_null(strstr((const char *)room.data, "\n[cut here: "));
    assert_non_null(strstr((const char *)room.data, " of 1048576 bytes omitted; ask for a part"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays_whole),
        cmocka_unit_test(what_does_not_fit_is_cut_at_a_line_or_a_character),
        cmocka_unit_test(what_is_cut_says_how_much_is_missing_and_never_takes_more_than_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
