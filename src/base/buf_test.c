/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void assert_content(const struct tb_buf *buf, const char *want)
{
    assert_int_equal(buf->len, strlen(want));
    assert_memory_equal(buf->data, want, buf->len);
}

static void an_empty_buffer_holds_no_memory(void **state)
{
    (void)state;
    struct tb_buf buf;
    tb_buf_init(&buf, 100);
    assert_null(buf.data);
    assert_int_equal(tb_buf_append(&buf, NULL, 0), 0);
    assert_null(buf.data);
    assert_int_equal(tb_buf_str(&buf).len, 0);
    tb_buf_fini(&buf);
}

static void appends_follow_each_other(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf buf = TB_BUF(100);
    assert_int_equal(tb_buf_append(&buf, "ab", 2), 0);
    assert_int_equal(tb_buf_append_str(&buf, TB_STR("cd")), 0);
    assert_int_equal(tb_buf_append_cstr(&buf, "ef"), 0);
    assert_int_equal(tb_buf_append_char(&buf, '-'), 0);
    assert_int_equal(tb_buf_printf(&buf, "%d/%s", 7, "x"), 0);
    assert_content(&buf, "abcdef-7/x");
    assert_true(tb_str_eq_cstr(tb_buf_str(&buf), "abcdef-7/x"));
}

static void content_may_fill_the_ceiling_and_not_pass_it(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf buf = TB_BUF(8);
    assert_int_equal(tb_buf_append(&buf, "123456", 6), 0);
    assert_int_equal(tb_buf_append(&buf, "789", 3), TB_E_TOO_LARGE);
    assert_content(&buf, "123456");
    assert_int_equal(tb_buf_append(&buf, "78", 2), 0);
    assert_int_equal(tb_buf_append_char(&buf, '9'), TB_E_TOO_LARGE);
    assert_content(&buf, "12345678");
    assert_int_equal(buf.cap, 8);
}

static void an_absurd_size_is_refused_without_overflow(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf buf = TB_BUF(1000);
    uint8_t *room = NULL;
    assert_int_equal(tb_buf_append(&buf, "abc", 3), 0);
    assert_int_equal(tb_buf_reserve(&buf, SIZE_MAX, &room), TB_E_TOO_LARGE);
    assert_int_equal(tb_buf_reserve(&buf, SIZE_MAX - 2, &room), TB_E_TOO_LARGE);
    assert_int_equal(tb_buf_reserve(&buf, 998, &room), TB_E_TOO_LARGE);
    assert_null(room);
    assert_content(&buf, "abc");
}

static void a_ceiling_of_zero_takes_nothing(void **state)
{
    (void)state;
    struct tb_buf buf;
    tb_buf_init(&buf, 0);
    assert_int_equal(tb_buf_append_char(&buf, 'x'), TB_E_TOO_LARGE);
    assert_int_equal(tb_buf_printf(&buf, "%s", ""), 0);
    assert_null(buf.data);
}

static void reserved_room_lies_behind_the_content(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf buf = TB_BUF(5000);
    uint8_t *room;
    assert_int_equal(tb_buf_append(&buf, "ab", 2), 0);
    assert_int_equal(tb_buf_reserve(&buf, 4998, &room), 0);
    assert_ptr_equal(room, buf.data + 2);
    memset(room, 'z', 4998);
    buf.len += 4998;
    assert_int_equal(buf.data[4999], 'z');
    assert_memory_equal(buf.data, "abz", 3);
}

static void growth_keeps_every_byte(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf buf = TB_BUF(100000);
    for (size_t i = 0; i < 100000; i++) {
        assert_int_equal(tb_buf_append_char(&buf, (char)(i % 127)), 0);
    }
    assert_int_equal(tb_buf_append_char(&buf, 'x'), TB_E_TOO_LARGE);
    for (size_t i = 0; i < 100000; i++) {
        assert_int_equal(buf.data[i], i % 127);
    }
}

static void printf_reaches_the_ceiling_exactly(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf buf = TB_BUF(6);
    assert_int_equal(tb_buf_printf(&buf, "%s", "abc"), 0);
    assert_int_equal(tb_buf_printf(&buf, "%s", "defg"), TB_E_TOO_LARGE);
    assert_content(&buf, "abc");
    assert_int_equal(tb_buf_printf(&buf, "%s", "def"), 0);
    assert_content(&buf, "abcdef");
}

static void consuming_moves_the_rest_to_the_front(void **state)
{
    (void)state;
    struct tb_buf buf;
    tb_buf_init(&buf, 100);
    assert_int_equal(tb_buf_append_cstr(&buf, "abcdef"), 0);
    tb_buf_consume(&buf, 0);
    assert_content(&buf, "abcdef");
    tb_buf_consume(&buf, 4);
    assert_content(&buf, "ef");
    tb_buf_consume(&buf, 2);
    assert_int_equal(buf.len, 0);
    assert_null(buf.data);
    tb_buf_consume(&buf, 5);
    assert_int_equal(buf.max, 100);
}

static void clearing_keeps_the_memory_and_fini_frees_it(void **state)
{
    (void)state;
    struct tb_buf buf;
    tb_buf_init(&buf, 100);
    assert_int_equal(tb_buf_append_cstr(&buf, "abc"), 0);
    uint8_t *data = buf.data;
    tb_buf_clear(&buf);
    assert_int_equal(buf.len, 0);
    assert_ptr_equal(buf.data, data);
    tb_buf_fini(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.cap, 0);
    assert_int_equal(tb_buf_append_cstr(&buf, "again"), 0);
    assert_content(&buf, "again");
    tb_buf_fini(&buf);
}

static void taking_hands_the_memory_over(void **state)
{
    (void)state;
    struct tb_buf buf;
    size_t len = 9;
    tb_buf_init(&buf, 100);
    assert_null(tb_buf_take(&buf, &len));
    assert_int_equal(len, 0);
    assert_int_equal(tb_buf_append_cstr(&buf, "abc"), 0);
    uint8_t *data = tb_buf_take(&buf, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(data, "abc", 3);
    assert_null(buf.data);
    assert_int_equal(buf.max, 100);
    tb_free(data);
}

static void taking_from_a_cleared_buffer_gives_null(void **state)
{
    (void)state;
    struct tb_buf buf;
    size_t len = 9;
    tb_buf_init(&buf, 100);
    assert_int_equal(tb_buf_append_cstr(&buf, "abc"), 0);
    tb_buf_clear(&buf);
    assert_null(tb_buf_take(&buf, &len));
    assert_int_equal(len, 0);
    assert_null(buf.data);
}

static void wiping_frees_the_memory_and_takes_an_empty_buffer(void **state)
{
    (void)state;
    struct tb_buf buf = TB_BUF(100);
    tb_buf_wipe(&buf);
    assert_int_equal(tb_buf_append_cstr(&buf, "a key"), 0);
    tb_buf_wipe(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.max, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_holds_no_memory),
        cmocka_unit_test(appends_follow_each_other),
        cmocka_unit_test(content_may_fill_the_ceiling_and_not_pass_it),
        cmocka_unit_test(an_absurd_size_is_refused_without_overflow),
        cmocka_unit_test(a_ceiling_of_zero_takes_nothing),
        cmocka_unit_test(reserved_room_lies_behind_the_content),
        cmocka_unit_test(growth_keeps_every_byte),
        cmocka_unit_test(printf_reaches_the_ceiling_exactly),
        cmocka_unit_test(consuming_moves_the_rest_to_the_front),
        cmocka_unit_test(clearing_keeps_the_memory_and_fini_frees_it),
        cmocka_unit_test(wiping_frees_the_memory_and_takes_an_empty_buffer),
        cmocka_unit_test(taking_hands_the_memory_over),
        cmocka_unit_test(taking_from_a_cleared_buffer_gives_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
