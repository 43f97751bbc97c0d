/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "io/testing.h"

#include "suite/store_pair.h"

/* What it heard: "topic=bytes\n". */
struct listener {
    struct store_lab *lab;
    struct tb_store_subscription *subscription;
    struct tb_buf heard;
    void (*then)(struct listener *listener);
    struct listener *other;
};

static void on_message(struct tb_str topic, struct tb_str bytes, void *user)
{
    struct listener *listener = user;
    tb_buf_printf(&listener->heard, "%.*s=%.*s\n", TB_STR_ARG(topic), TB_STR_ARG(bytes));
    if (listener->then) {
        listener->then(listener);
    }
}

static void listen(struct store_lab *lab, const char *topic, struct listener *listener)
{
    struct tb_err err;
    listener->lab = lab;
    tb_buf_init(&listener->heard, TB_KIB);
    listener->subscription =
        lab->kind->subscribe(lab->state, tb_str_of(topic), on_message, listener, &err);
    assert_non_null(listener->subscription);
}

static void leave(struct listener *listener)
{
    listener->lab->kind->unsubscribe(listener->subscription);
    listener->subscription = NULL;
}

/* Waits until it has heard so much. */
static void expect_heard(struct listener *listener, const char *text)
{
    WAIT_UNTIL(listener->lab->core.loop, listener->heard.len >= strlen(text));
    assert_true(tb_str_eq_cstr(tb_buf_str(&listener->heard), text));
    tb_buf_fini(&listener->heard);
    tb_buf_init(&listener->heard, TB_KIB);
}

static void say(struct store_lab *lab, const char *topic, const char *text)
{
    struct tb_err err;
    assert_int_equal(lab->kind->publish(lab->state, tb_str_of(topic), tb_str_of(text), &err), 0);
}

static void a_message_reaches_every_node_in_order(void **state)
{
    struct store_pair *pair = *state;
    struct listener here = {0};
    struct listener there = {0};
    struct listener again = {0};
    struct listener elsewhere = {0};
    listen(pair->one, "t", &here);
    listen(pair->two, "t", &there);
    listen(pair->two, "t", &again);
    listen(pair->two, "t2", &elsewhere);
    say(pair->one, "t", "1");
    say(pair->two, "t", "2");
    say(pair->one, "nobody", "3");
    say(pair->one, "t", "");
    expect_heard(&here, "");
    expect_heard(&there, "");
    expect_heard(&here, "t=1\nt=2\nt=\n");
    expect_heard(&there, "t=1\nt=2\nt=\n");
    expect_heard(&again, "t=1\nt=2\nt=\n");
    expect_heard(&elsewhere, "");
    leave(&there);
    say(pair->one, "t", "4");
    leave(&again); /* between the two */
    expect_heard(&here, "t=4\n");
    expect_heard(&there, "");
    expect_heard(&again, "");
    leave(&here);
    leave(&elsewhere);
}

static void what_was_said_before_is_not_heard(void **state)
{
    struct store_pair *pair = *state;
    struct listener first = {0};
    struct listener newcomer = {0};
    listen(pair->one, "t", &first);
    say(pair->two, "t", "1");
    listen(pair->one, "t", &newcomer);
    say(pair->two, "t", "2");
    expect_heard(&first, "t=1\nt=2\n");
    expect_heard(&newcomer, "t=2\n");
    leave(&first);
    leave(&newcomer);
}

static void leave_both(struct listener *listener)
{
    if (listener->subscription) {
        leave(listener);
        leave(listener->other);
    }
}

static void whoever_hears_may_unsubscribe_itself_and_others(void **state)
{
    struct store_pair *pair = *state;
    struct listener all[4] = {{.then = leave_both, .other = &all[1]}, {0}, {0}, {0}};
    for (size_t i = 0; i < TB_COUNT(all); i++) {
        listen(pair->one, "t", &all[i]);
    }
    struct listener end = {0};
    all[2].then = leave_both;
    all[2].other = &all[3];
    listen(pair->one, "t", &end);
    say(pair->one, "t", "1");
    say(pair->one, "t", "2");
    expect_heard(&end, "t=1\nt=2\n");
    expect_heard(&all[0], "t=1\n");
    expect_heard(&all[1], "");
    expect_heard(&all[2], "t=1\n");
    expect_heard(&all[3], "");
    leave(&end);
}

static void join_in(struct listener *listener)
{
    if (listener->other && !listener->other->subscription) {
        listen(listener->lab, "t", listener->other);
    }
}

static void who_subscribes_while_a_message_is_handed_out_hears_the_next(void **state)
{
    struct store_pair *pair = *state;
    struct listener newcomer = {0};
    struct listener first = {.then = join_in, .other = &newcomer};
    listen(pair->one, "t", &first);
    say(pair->two, "t", "1");
    WAIT_UNTIL(pair->one->core.loop, newcomer.subscription);
    say(pair->two, "t", "2");
    expect_heard(&first, "t=1\nt=2\n");
    expect_heard(&newcomer, "t=2\n");
    leave(&first);
    leave(&newcomer);
}

static void say_more(struct listener *listener)
{
    if (listener->heard.len < 12) {
        say(listener->lab, "t", "x");
    }
}

static void whoever_hears_may_publish(void **state)
{
    struct store_pair *pair = *state;
    struct listener first = {.then = say_more};
    struct listener second = {0};
    listen(pair->one, "t", &first);
    listen(pair->two, "t", &second);
    say(pair->two, "t", "1");
    say(pair->two, "t", "2");
    expect_heard(&first, "t=1\nt=2\nt=x\nt=x\n");
    expect_heard(&second, "t=1\nt=2\nt=x\nt=x\n");
    leave(&first);
    leave(&second);
}

static void topics_and_messages_have_limits(void **state)
{
    struct store_pair *pair = *state;
    struct store_lab *lab = pair->one;
    struct tb_err err;
    char *bytes = tb_zalloc(TB_MESSAGE_MAX + 1);
    const struct tb_str long_topic = {bytes, TB_TOPIC_MAX + 1};
    assert_null(lab->kind->subscribe(lab->state, long_topic, on_message, NULL, &err));
    assert_int_equal(err.code, TB_E_TOO_LARGE);
    assert_int_equal(lab->kind->publish(lab->state, long_topic, TB_STR(""), &err), TB_E_TOO_LARGE);
    const struct tb_str message = {bytes, TB_MESSAGE_MAX + 1};
    assert_int_equal(lab->kind->publish(lab->state, TB_STR("t"), message, &err), TB_E_TOO_LARGE);
    tb_free(bytes);
}

static void closing_ends_subscriptions_without_a_word(void **state)
{
    struct store_pair *pair = *state;
    struct listener here = {0};
    struct listener there = {0};
    listen(pair->one, "t", &here);
    listen(pair->two, "t", &there);
    say(pair->one, "t", "1");
    if (pair->two != pair->one) {
        store_lab_close(pair->two);
    }
    expect_heard(&here, "t=1\n");
    expect_heard(&there, "");
    say(pair->one, "t", "2");
    store_lab_close(pair->one);
    expect_heard(&here, "");
}

/* A store without topics has no functions for them, and says so; a shared one can be joined. */
static void a_store_says_what_it_can(void **state)
{
    const struct store_subject *subject = *state;
    bool topics = subject->kind->abilities & TB_STORE_TOPICS;
    assert_int_equal(topics, subject->kind->publish != NULL);
    assert_int_equal(topics, subject->kind->subscribe != NULL);
    assert_int_equal(topics, subject->kind->unsubscribe != NULL);
    assert_int_equal((subject->kind->abilities & TB_STORE_SHARED) != 0, subject->join != NULL);
}

int store_topic_cases(const struct tb_store_kind *kind, store_join_fn *join)
{
#define CASE(name) STORE_PAIR_CASE(name, &subject)
    struct store_subject subject = {kind, join};
    const struct CMUnitTest abilities[] = {
        cmocka_unit_test_prestate(a_store_says_what_it_can, &subject),
    };
    const struct CMUnitTest tests[] = {
        CASE(a_message_reaches_every_node_in_order),
        CASE(what_was_said_before_is_not_heard),
        CASE(whoever_hears_may_unsubscribe_itself_and_others),
        CASE(who_subscribes_while_a_message_is_handed_out_hears_the_next),
        CASE(whoever_hears_may_publish),
        CASE(topics_and_messages_have_limits),
        CASE(closing_ends_subscriptions_without_a_word),
    };
#undef CASE
    int failed = cmocka_run_group_tests_name(kind->name, abilities, NULL, NULL);
    if (kind->abilities & TB_STORE_TOPICS) {
        failed += cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
    }
    return failed;
}
