/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory/shelf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

enum {
    KEYS = 500,
    STEPS = 20000,
};

static struct tb_str name_of(unsigned number, char ret_text[8])
{
    snprintf(ret_text, 8, "%03u", number);
    return tb_str_of(ret_text);
}

static void expect_order(const struct tb_shelf *shelf, const bool *there)
{
    char text[8];
    const struct tb_shelf_record *record = shelf->first[0];
    for (unsigned i = 0; i < KEYS; i++) {
        if (there[i]) {
            assert_non_null(record);
            assert_true(tb_str_eq(record->key, name_of(i, text)));
            record = record->next[0];
        }
    }
    assert_null(record);
}

static void records_stay_in_order_whatever_is_put_and_removed(void **state)
{
    struct tb_shelf shelf;
    bool there[KEYS] = {false};
    uint32_t random = 7;
    (void)state;
    tb_shelf_init(&shelf);
    for (int i = 0; i < STEPS; i++) {
        char text[8];
        random = random * 1664525U + 1013904223U;
        unsigned number = (random >> 8) % KEYS;
        struct tb_str key = name_of(number, text);
        assert_int_equal(tb_shelf_get(&shelf, key) != NULL, there[number]);
        there[number] = random >> 31;
        if (there[number]) {
            tb_shelf_put(&shelf, key, TB_STR("v"));
        } else {
            tb_shelf_remove(&shelf, key);
        }
        if (i % 100 == 0) {
            expect_order(&shelf, there);
        }
    }
    expect_order(&shelf, there);
    tb_shelf_fini(&shelf);
}

static void seeking_gives_the_first_that_is_not_below(void **state)
{
    struct tb_shelf shelf;
    (void)state;
    tb_shelf_init(&shelf);
    assert_null(tb_shelf_seek(&shelf, TB_STR("")));
    tb_shelf_put(&shelf, TB_STR("b"), TB_STR("1"));
    tb_shelf_put(&shelf, TB_STR("d"), TB_STR("2"));
    tb_shelf_put(&shelf, TB_STR("b"), TB_STR("3"));
    assert_true(tb_str_eq(tb_shelf_seek(&shelf, TB_STR(""))->value, TB_STR("3")));
    assert_true(tb_str_eq(tb_shelf_seek(&shelf, TB_STR("b"))->value, TB_STR("3")));
    assert_true(tb_str_eq(tb_shelf_seek(&shelf, TB_STR("ba"))->value, TB_STR("2")));
    assert_null(tb_shelf_seek(&shelf, TB_STR("da")));
    tb_shelf_fini(&shelf);
}

/* A search in a list without levels would pass half of them. */
static void a_search_passes_few_of_many(void **state)
{
    struct tb_shelf shelf;
    size_t high = 0;
    (void)state;
    tb_shelf_init(&shelf);
    for (unsigned i = 0; i < 64 * KEYS; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%u", i);
        tb_shelf_put(&shelf, tb_str_of(text), TB_STR(""));
    }
    for (const struct tb_shelf_record *at = shelf.first[4]; at; at = at->next[4]) {
        high++;
    }
    assert_in_range(high, 64 * KEYS / 512, 64 * KEYS / 128); /* about every 256th */
    tb_shelf_fini(&shelf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_stay_in_order_whatever_is_put_and_removed),
        cmocka_unit_test(seeking_gives_the_first_that_is_not_below),
        cmocka_unit_test(a_search_passes_few_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
