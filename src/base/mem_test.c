/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct pair {
    int first;
    int second;
};

static void fresh_memory_is_zeroed_and_never_null(void **state)
{
    (void)state;
    TB_AUTO(tb_free) struct pair *pairs = TB_NEW_ARRAY(struct pair, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(pairs[i].first | pairs[i].second, 0);
    }
    TB_AUTO(tb_free) void *nothing = tb_zalloc(0);
    assert_non_null(nothing);
    TB_AUTO(tb_free) void *none = tb_zalloc_array(0, 8);
    assert_non_null(none);
}

static void growing_keeps_the_content(void **state)
{
    (void)state;
    TB_AUTO(tb_free) char *text = tb_strdup("abc");
    text = tb_realloc(text, 100000);
    assert_string_equal(text, "abc");
    text = tb_realloc(text, 0);
    assert_non_null(text);
}

static void copies_end_in_nul(void **state)
{
    (void)state;
    TB_AUTO(tb_free) char *some = tb_memdup("a\0bcd", 4);
    assert_memory_equal(some, "a\0bc", 5);
    TB_AUTO(tb_free) char *none = tb_memdup(NULL, 0);
    assert_string_equal(none, "");
    TB_AUTO(tb_free) char *words = tb_strdupf("%d-%s", 7, "x");
    assert_string_equal(words, "7-x");
}

static void an_object_is_found_from_its_member(void **state)
{
    (void)state;
    struct pair pair = {1, 2};
    assert_ptr_equal(TB_CONTAINER(&pair.second, struct pair, second), &pair);
}

static void locked_memory_is_wiped_when_it_is_unlocked(void **state)
{
    (void)state;
    char key[64] = "a key";
    const char zeros[sizeof(key)] = {0};
    (void)tb_mem_lock(key, sizeof(key));
    assert_string_equal(key, "a key");
    tb_mem_unlock(key, sizeof(key));
    assert_memory_equal(key, zeros, sizeof(key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_memory_is_zeroed_and_never_null),
        cmocka_unit_test(growing_keeps_the_content),
        cmocka_unit_test(copies_end_in_nul),
        cmocka_unit_test(locked_memory_is_wiped_when_it_is_unlocked),
        cmocka_unit_test(an_object_is_found_from_its_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
