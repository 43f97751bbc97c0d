/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/id.h"

static const uint8_t key[TB_SEAL_KEY_BYTES] = {1, 2, 3};
static const uint8_t other_key[TB_SEAL_KEY_BYTES] = {1, 2, 4};

static int set_up(void **state)
{
    struct tb_buf *sealed = TB_NEW(struct tb_buf);
    assert_int_equal(tb_id_init(), 0);
    tb_buf_init(sealed, 4096);
    assert_int_equal(tb_seal(key, TB_STR("who"), TB_STR("what it says"), sealed), 0);
    *state = sealed;
    return 0;
}

static int tear_down(void **state)
{
    tb_buf_fini(*state);
    tb_free(*state);
    return 0;
}

static void what_was_sealed_comes_back(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(4096);
    assert_int_equal(tb_seal_open(key, TB_STR("who"), tb_buf_str(*state), &plain), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&plain), "what it says"));
}

static void an_empty_text_can_be_sealed(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(4096);
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(4096);
    (void)state;
    assert_int_equal(tb_seal(key, TB_STR(""), TB_STR(""), &sealed), 0);
    assert_int_equal(tb_seal_open(key, TB_STR(""), tb_buf_str(&sealed), &plain), 0);
    assert_int_equal(plain.len, 0);
}

static void the_same_text_looks_different_each_time(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf again = TB_BUF(4096);
    assert_int_equal(tb_seal(key, TB_STR("who"), TB_STR("what it says"), &again), 0);
    assert_false(tb_str_eq(tb_buf_str(&again), tb_buf_str(*state)));
}

static void another_key_or_binding_is_refused(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(4096);
    struct tb_str sealed = tb_buf_str(*state);
    assert_int_equal(tb_seal_open(other_key, TB_STR("who"), sealed, &plain), TB_E_INVALID);
    assert_int_equal(tb_seal_open(key, TB_STR("whom"), sealed, &plain), TB_E_INVALID);
    assert_int_equal(plain.len, 0);
}

static void every_changed_or_missing_character_is_noticed(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(4096);
    struct tb_str sealed = tb_buf_str(*state);
    for (size_t i = 0; i < sealed.len; i++) {
        TB_AUTO(tb_free) char *bad = tb_str_dup(sealed);
        bad[i] = bad[i] == 'A' ? 'B' : 'A';
        assert_int_equal(tb_seal_open(key, TB_STR("who"), tb_str_of(bad), &plain), TB_E_INVALID);
        assert_int_equal(tb_seal_open(key, TB_STR("who"), tb_str_sub(sealed, 0, i), &plain),
                         TB_E_INVALID);
    }
    TB_AUTO(tb_free) char *longer = tb_strdupf("%.*s-tampered", TB_STR_ARG(sealed));
    assert_int_equal(tb_seal_open(key, TB_STR("who"), tb_str_of(longer), &plain), TB_E_INVALID);
}

static void a_full_buffer_stays_as_it_was(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf small = TB_BUF(4);
    assert_int_equal(tb_seal(key, TB_STR("who"), TB_STR("x"), &small), TB_E_TOO_LARGE);
    assert_int_equal(tb_seal_open(key, TB_STR("who"), tb_buf_str(*state), &small), TB_E_TOO_LARGE);
    assert_int_equal(small.len, 0);
}

static void a_text_may_fill_its_buffer_to_the_last_byte(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(sizeof("what it says") - 1);
    assert_int_equal(tb_seal_open(key, TB_STR("who"), tb_buf_str(*state), &plain), 0);
    assert_true(tb_str_eq(tb_buf_str(&plain), TB_STR("what it says")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_sealed_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_text_can_be_sealed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_text_looks_different_each_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_key_or_binding_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_changed_or_missing_character_is_noticed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_full_buffer_stays_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_may_fill_its_buffer_to_the_last_byte, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
