/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/content.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/limits.h"

static void what_fits_stays_whole(void **state)
{
    (void)state;
    assert_int_equal(tb_mcp_text_fits(TB_STR("hello"), 5), 5);
    assert_int_equal(tb_mcp_text_fits(TB_STR(""), 0), 0);
    assert_int_equal(tb_mcp_text_fits(TB_STR("a\nb"), 4), 3);
}

static void what_does_not_fit_is_cut_at_a_line_or_a_character(void **state)
{
    (void)state;
    assert_int_equal(tb_mcp_text_fits(TB_STR("one\ntwo\nthree"), 11), 8);
    assert_int_equal(tb_mcp_text_fits(TB_STR("abcdef"), 3), 3);
    /* Two-byte characters: never half of one. */
    struct tb_str text = TB_STR("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
    for (size_t max = 0; max < 24; max++) {
        size_t fits = tb_mcp_text_fits(text, max);
        assert_true(tb_utf8_valid(tb_str_sub(text, 0, fits)));
    }
}

static void an_item_never_takes_more_than_its_room(void **state)
{
    TB_AUTO(tb_free) char *controls = tb_zalloc(TB_MIB);
    (void)state;
    memset(controls, 1, TB_MIB);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &out);
    tb_mcp_put_text_item(&json, (struct tb_str){controls, TB_MIB}, TB_MCP_RESULT_MAX);
    assert_true(out.len < TB_MCP_RESULT_MAX + 64);
    assert_true(out.len > TB_MCP_RESULT_MAX - 1024);
    tb_buf_append_char(&out, '\0');
    assert_non_null(strstr((const char *)out.data, "[cut here: "));
}

static void a_picture_is_copied_as_it_is(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_KIB);
    struct tb_json_writer json;
    (void)state;
    tb_json_writer_init(&json, &out);
    tb_mcp_put_image_item(&json, TB_STR("QUJD"), "image/png");
    assert_true(tb_str_eq_cstr(
        tb_buf_str(&out), "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUJD\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays_whole),
        cmocka_unit_test(what_does_not_fit_is_cut_at_a_line_or_a_character),
        cmocka_unit_test(an_item_never_takes_more_than_its_room),
        cmocka_unit_test(a_picture_is_copied_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
