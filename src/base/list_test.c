/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
    char name;
    struct tb_list link;
};

/* Walks both ways, so a broken `prev` is found too. */
static void assert_order(struct tb_list *head, const char *want)
{
    size_t count = 0;
    LIST_FOREACH(link, head) {
        assert_int_equal(TB_CONTAINER(link, struct item, link)->name, want[count]);
        assert_ptr_equal(link->next->prev, link);
        assert_ptr_equal(link->prev->next, link);
        count++;
    }
    assert_int_equal(want[count], '\0');
    assert_int_equal(tb_list_empty(head), count == 0);
}

static void fill(struct tb_list *head, struct item *items, const char *names)
{
    tb_list_init(head);
    for (size_t i = 0; names[i]; i++) {
        items[i].name = names[i];
        tb_list_append(head, &items[i].link);
    }
}

static void links_keep_the_order_of_appending(void **state)
{
    (void)state;
    struct tb_list head;
    struct item items[3];
    fill(&head, items, "");
    assert_order(&head, "");
    fill(&head, items, "abc");
    assert_order(&head, "abc");
}

static void any_link_can_be_removed_and_removed_again(void **state)
{
    (void)state;
    static const char *const want[] = {"bc", "ac", "ab"};
    for (size_t i = 0; i < 3; i++) {
        struct tb_list head;
        struct item items[3];
        fill(&head, items, "abc");
        tb_list_remove(&items[i].link);
        assert_order(&head, want[i]);
        tb_list_remove(&items[i].link);
        assert_order(&head, want[i]);
        assert_true(tb_list_empty(&items[i].link));
    }
}

static void removing_a_zeroed_link_is_harmless(void **state)
{
    (void)state;
    struct item item = {0};
    tb_list_remove(&item.link);
    assert_null(item.link.next);
}

static void popping_gives_the_first_and_then_null(void **state)
{
    (void)state;
    struct tb_list head;
    struct item items[2];
    fill(&head, items, "ab");
    assert_ptr_equal(tb_list_pop(&head), &items[0].link);
    assert_order(&head, "b");
    assert_ptr_equal(tb_list_pop(&head), &items[1].link);
    assert_null(tb_list_pop(&head));
    assert_order(&head, "");
}

static void splicing_moves_all_links_to_the_end(void **state)
{
    (void)state;
    static const struct {
        const char *to, *from, *want;
    } rows[] = {{"ab", "cd", "abcd"}, {"", "cd", "cd"}, {"ab", "", "ab"}, {"", "", ""}};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_list to;
        struct tb_list from;
        struct item to_items[2];
        struct item from_items[2];
        fill(&to, to_items, rows[i].to);
        fill(&from, from_items, rows[i].from);
        tb_list_splice(&to, &from);
        assert_order(&to, rows[i].want);
        assert_order(&from, "");
    }
}

static void the_safe_walk_may_remove_what_it_stands_on(void **state)
{
    (void)state;
    struct tb_list head;
    struct item items[5];
    fill(&head, items, "abcde");
    size_t seen = 0;
    LIST_FOREACH_SAFE(link, &head) {
        seen++;
        if (TB_CONTAINER(link, struct item, link)->name != 'c') {
            tb_list_remove(link);
        }
    }
    assert_int_equal(seen, 5);
    assert_order(&head, "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_keep_the_order_of_appending),
        cmocka_unit_test(any_link_can_be_removed_and_removed_again),
        cmocka_unit_test(removing_a_zeroed_link_is_harmless),
        cmocka_unit_test(popping_gives_the_first_and_then_null),
        cmocka_unit_test(splicing_moves_all_links_to_the_end),
        cmocka_unit_test(the_safe_walk_may_remove_what_it_stands_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
