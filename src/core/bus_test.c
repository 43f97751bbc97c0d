/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

struct test;

struct listener {
    struct tb_subscriber subscriber; /* first */
    struct test *test;
    char name;
    void (*act)(struct listener *listener);
};

struct test {
    struct tb_bus bus;
    struct listener listeners[4];
    char heard[64];
    bool nested;
};

static const struct tb_event event = {.type = TB_EVENT_CALL_DONE, .tenant = "t", .session_id = ""};

static void hear(const struct tb_event *heard, void *user)
{
    struct listener *listener = user;
    size_t len = strlen(listener->test->heard);
    assert_int_equal(heard->type, event.type);
    snprintf(listener->test->heard + len, sizeof(listener->test->heard) - len, "%c",
             listener->name);
    if (listener->act) {
        listener->act(listener);
    }
}

static void subscribe(struct test *test, size_t index)
{
    struct listener *listener = &test->listeners[index];
    listener->test = test;
    listener->name = (char)('a' + (int)index);
    listener->subscriber = (struct tb_subscriber){.fn = hear, .user = listener};
    tb_bus_subscribe(&test->bus, &listener->subscriber);
}

static void begin(struct test *test)
{
    *test = (struct test){0};
    tb_bus_init(&test->bus);
    for (size_t i = 0; i < 3; i++) {
        subscribe(test, i);
    }
}

static void expect(struct test *test, const char *heard)
{
    tb_bus_publish(&test->bus, &event);
    assert_string_equal(test->heard, heard);
    test->heard[0] = '\0';
}

static void subscribers_hear_in_their_order(void **state)
{
    (void)state;
    struct test test = {0};
    tb_bus_init(&test.bus);
    assert_false(tb_bus_heard(&test.bus));
    tb_bus_publish(&test.bus, &event);
    begin(&test);
    assert_true(tb_bus_heard(&test.bus));
    expect(&test, "abc");
    tb_bus_unsubscribe(&test.listeners[1].subscriber);
    tb_bus_unsubscribe(&test.listeners[1].subscriber);
    expect(&test, "ac");
}

static void leave(struct listener *listener)
{
    tb_bus_unsubscribe(&listener->subscriber);
}

static void remove_all(struct listener *listener)
{
    for (size_t i = 0; i < 3; i++) {
        tb_bus_unsubscribe(&listener->test->listeners[i].subscriber);
    }
}

static void remove_neighbours(struct listener *listener)
{
    tb_bus_unsubscribe(&listener->test->listeners[0].subscriber);
    tb_bus_unsubscribe(&listener->test->listeners[2].subscriber);
}

static void add_fourth(struct listener *listener)
{
    subscribe(listener->test, 3);
    listener->act = NULL;
}

static void publish_again(struct listener *listener)
{
    if (!listener->test->nested) {
        listener->test->nested = true;
        tb_bus_publish(&listener->test->bus, &event);
    }
}

static void the_list_may_change_during_delivery(void **state)
{
    (void)state;
    static const struct {
        size_t who;
        void (*act)(struct listener *listener);
        const char *first;
        const char *second;
    } rows[] = {
        {0, leave, "abc", "bc"},
        {1, leave, "abc", "ac"},
        {2, leave, "abc", "ab"},
        {0, remove_all, "a", ""},
        {1, remove_neighbours, "ab", "b"},
        {1, add_fourth, "abc", "abcd"},
        {2, add_fourth, "abc", "abcd"},
        {1, publish_again, "ababcc", "abc"},
        {2, publish_again, "abcabc", "abc"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct test test;
        begin(&test);
        test.listeners[rows[i].who].act = rows[i].act;
        expect(&test, rows[i].first);
        expect(&test, rows[i].second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subscribers_hear_in_their_order),
        cmocka_unit_test(the_list_may_change_during_delivery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
