/* SPDX-License-Identifier: Apache-2.0 */
#include "core/authors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void all_that_is_lost_is_told_to_each_once(void **state)
{
    struct tb_list authors;
    (void)state;
    tb_list_init(&authors);
    assert_true(tb_authors_typed(&authors, "a"));
    assert_false(tb_authors_typed(&authors, "a"));
    tb_authors_typed(&authors, "b");
    tb_authors_lose(&authors, "owner");
    assert_true(tb_authors_unaware(&authors, "a", 10));
    assert_false(tb_authors_unaware(&authors, "owner", 10));
    assert_true(tb_authors_tell(&authors, "a", 9));
    assert_false(tb_authors_tell(&authors, "a", 10));
    assert_true(tb_authors_unaware(&authors, "a", 9));
    assert_false(tb_authors_unaware(&authors, "a", 10));
    tb_authors_lose(&authors, "owner"); /* of "a" there was nothing to lose */
    assert_false(tb_authors_unaware(&authors, "a", 10));
    assert_true(tb_authors_unaware(&authors, "b", 10));
    tb_authors_fini(&authors);
}

static void text_of_nobody_is_the_owners(void **state)
{
    struct tb_list authors;
    (void)state;
    tb_list_init(&authors);
    tb_authors_lose(&authors, "owner");
    assert_true(tb_authors_unaware(&authors, "owner", 1));
    tb_authors_move_on(&authors);
    assert_false(tb_authors_any_untold(&authors));
    tb_authors_fini(&authors);
}

/* "0" to "7": as many as are remembered. */
static void eight_type(struct tb_list *authors)
{
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", i);
        tb_authors_typed(authors, name);
    }
}

static void the_list_is_short_and_who_is_told_leaves_it_first(void **state)
{
    struct tb_list authors;
    size_t count = 0;
    (void)state;
    tb_list_init(&authors);
    eight_type(&authors);
    tb_authors_lose(&authors, "owner");
    tb_authors_tell(&authors, "5", 1);
    tb_authors_typed(&authors, "new");
    assert_true(tb_authors_unaware(&authors, "0", 1));
    assert_false(tb_authors_unaware(&authors, "5", 1));
    tb_authors_typed(&authors, "newer");
    assert_false(tb_authors_unaware(&authors, "0", 1));
    LIST_FOREACH(link, &authors) {
        count++;
    }
    assert_int_equal(count, 8);
    tb_authors_fini(&authors);
}

static void who_saw_the_earlier_browser_hears_of_the_new_one_once(void **state)
{
    struct tb_list authors;
    (void)state;
    tb_list_init(&authors);
    tb_authors_called(&authors, "a");
    tb_authors_called(&authors, "b");
    assert_false(tb_authors_enlighten(&authors, "a"));
    tb_authors_mislead(&authors);
    tb_authors_called(&authors, "late");
    assert_true(tb_authors_enlighten(&authors, "a"));
    assert_false(tb_authors_enlighten(&authors, "a"));
    assert_false(tb_authors_enlighten(&authors, "late"));
    assert_false(tb_authors_enlighten(&authors, "nobody"));
    assert_true(tb_authors_any_misled(&authors));
    assert_true(tb_authors_enlighten(&authors, "b"));
    assert_false(tb_authors_any_misled(&authors));
    tb_authors_fini(&authors);
}

static void who_only_looks_drives_nobody_out_who_typed(void **state)
{
    struct tb_list authors;
    (void)state;
    tb_list_init(&authors);
    eight_type(&authors);
    tb_authors_called(&authors, "looker");
    tb_authors_lose(&authors, "owner");
    assert_true(tb_authors_unaware(&authors, "0", 1));
    tb_authors_mislead(&authors);
    assert_false(tb_authors_enlighten(&authors, "looker"));
    tb_authors_fini(&authors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_lost_is_told_to_each_once),
        cmocka_unit_test(text_of_nobody_is_the_owners),
        cmocka_unit_test(the_list_is_short_and_who_is_told_leaves_it_first),
        cmocka_unit_test(who_saw_the_earlier_browser_hears_of_the_new_one_once),
        cmocka_unit_test(who_only_looks_drives_nobody_out_who_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
