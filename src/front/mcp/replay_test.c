/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"

struct fixture {
    struct tb_mcp_replay replay;
    struct tb_list one; /* streams */
    struct tb_list two;
};

static int set_up(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    tb_mcp_replay_init(&f->replay);
    tb_list_init(&f->one);
    tb_list_init(&f->two);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    tb_mcp_replay_fini(&f->replay);
    assert_true(tb_list_empty(&f->one) && tb_list_empty(&f->two));
    tb_free(f);
    return 0;
}

static const struct tb_mcp_events *news(const struct fixture *f)
{
    return &f->replay.classes[TB_MCP_NEWS];
}

static void expect(const struct tb_list *stream, uint64_t after, const char *wanted)
{
    char seen[256] = "";
    const struct tb_mcp_event *event;
    while ((event = tb_mcp_replay_next(stream, after))) {
        size_t len = strlen(seen);
        after = event->number;
        snprintf(seen + len, sizeof(seen) - len, "%llu:%.*s ", (unsigned long long)after,
                 (int)event->len, event->text);
    }
    assert_string_equal(seen, wanted);
}

static void only_the_events_of_a_stream_behind_the_given_one_come_again(void **state)
{
    struct fixture *f = *state;
    tb_mcp_replay_add(&f->replay, &f->one, 1, TB_MCP_NEWS, TB_STR("a"));
    tb_mcp_replay_add(&f->replay, &f->two, 1, TB_MCP_NEWS, TB_STR("other"));
    tb_mcp_replay_add(&f->replay, &f->one, 2, TB_MCP_NEWS, TB_STR("b"));
    tb_mcp_replay_add(&f->replay, &f->one, 3, TB_MCP_NEWS, TB_STR(""));
    expect(&f->one, 0, "1:a 2:b 3: ");
    expect(&f->one, 2, "3: ");
    expect(&f->one, 9, "");
    tb_mcp_replay_forget(&f->replay, &f->one);
    expect(&f->one, 0, "");
    expect(&f->two, 0, "1:other ");
    assert_int_equal(news(f)->count, 1);
    assert_int_equal(news(f)->bytes, 5);
}

static void the_oldest_events_go_when_there_are_too_many(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 1; i <= TB_MCP_REPLAY_EVENTS + 2; i++) {
        tb_mcp_replay_add(&f->replay, &f->one, i, TB_MCP_NEWS, TB_STR("x"));
    }
    assert_int_equal(news(f)->count, TB_MCP_REPLAY_EVENTS);
    assert_int_equal(tb_mcp_replay_next(&f->one, 0)->number, 3);
    expect(&f->one, TB_MCP_REPLAY_EVENTS + 1, "258:x ");
}

static void the_bytes_have_a_ceiling_and_one_event_always_stays(void **state)
{
    struct fixture *f = *state;
    TB_AUTO(tb_free) char *half = tb_zalloc(TB_MCP_REPLAY_BYTES / 2 + 1);
    const struct tb_str big = {half, TB_MCP_REPLAY_BYTES / 2 + 1};
    tb_mcp_replay_add(&f->replay, &f->one, 1, TB_MCP_NEWS, big);
    tb_mcp_replay_add(&f->replay, &f->two, 1, TB_MCP_NEWS, big);
    assert_int_equal(news(f)->count, 1);
    assert_int_equal(news(f)->bytes, big.len);
    assert_true(tb_list_empty(&f->one));
}

static void an_answer_that_is_due_stays_whatever_else_is_said(void **state)
{
    struct fixture *f = *state;
    TB_AUTO(tb_free) char *large = tb_zalloc(TB_MCP_REPLAY_BYTES);
    tb_mcp_replay_add(&f->replay, &f->one, 1, TB_MCP_NEWS, TB_STR("working"));
    tb_mcp_replay_add(&f->replay, &f->one, 2, TB_MCP_DUE, TB_STR("done"));
    const uint64_t many = UINT64_C(2) * TB_MCP_REPLAY_EVENTS;
    for (uint64_t i = 1; i <= many; i++) {
        tb_mcp_replay_add(&f->replay, &f->two, i, TB_MCP_NEWS, TB_STR("x"));
    }
    expect(&f->one, 0, "2:done ");
    for (uint64_t i = 1; i <= 4; i++) {
        tb_mcp_replay_add(&f->replay, &f->two, many + i, TB_MCP_NEWS,
                          (struct tb_str){large, TB_MCP_REPLAY_BYTES});
    }
    expect(&f->one, 0, "2:done ");
    assert_true(tb_mcp_replay_owes(&f->one));
    assert_false(tb_mcp_replay_owes(&f->two));
}

/* It was sent, but the line may have been dead: only later answers push it out. */
static void an_answer_that_was_sent_gives_way_to_others_that_were(void **state)
{
    struct fixture *f = *state;
    tb_mcp_replay_add(&f->replay, &f->one, 1, TB_MCP_DUE, TB_STR("first"));
    tb_mcp_replay_sent(&f->replay, &f->one, 0);
    assert_true(tb_mcp_replay_owes(&f->one));
    tb_mcp_replay_sent(&f->replay, &f->one, 1);
    assert_false(tb_mcp_replay_owes(&f->one));
    for (uint64_t i = 1; i <= TB_MCP_REPLAY_EVENTS; i++) {
        expect(&f->one, 0, "1:first ");
        tb_mcp_replay_add(&f->replay, &f->two, 2 * i, TB_MCP_NEWS, TB_STR("x"));
        tb_mcp_replay_add(&f->replay, &f->two, 2 * i + 1, TB_MCP_DUE, TB_STR("y"));
        tb_mcp_replay_sent(&f->replay, &f->two, 2 * i + 1);
    }
    expect(&f->one, 0, "");
    assert_int_equal(f->replay.classes[TB_MCP_SENT].count, TB_MCP_REPLAY_EVENTS);
}

static void answers_that_are_due_have_ceilings_of_their_own(void **state)
{
    struct fixture *f = *state;
    const struct tb_mcp_events *due = &f->replay.classes[TB_MCP_DUE];
    TB_AUTO(tb_free) char *large = tb_zalloc(TB_MCP_DUE_BYTES / 2);
    for (uint64_t i = 1; i <= TB_MCP_DUE_EVENTS; i++) {
        tb_mcp_replay_add(&f->replay, &f->one, i, TB_MCP_DUE, TB_STR("x"));
    }
    assert_int_equal(tb_mcp_replay_next(&f->one, 0)->number, 1);
    tb_mcp_replay_add(&f->replay, &f->two, 1, TB_MCP_DUE, TB_STR("x"));
    assert_int_equal(tb_mcp_replay_next(&f->one, 0)->number, 2);
    assert_int_equal(due->count, TB_MCP_DUE_EVENTS);
    for (uint64_t i = 2; i <= 4; i++) {
        tb_mcp_replay_add(&f->replay, &f->two, i, TB_MCP_DUE,
                          (struct tb_str){large, TB_MCP_DUE_BYTES / 2});
    }
    assert_int_equal(due->count, 2);
    assert_int_equal(due->bytes, TB_MCP_DUE_BYTES);
    assert_int_equal(tb_mcp_replay_next(&f->two, 0)->number, 3);
}

static void ids_are_read_as_they_are_written_and_nothing_else_is(void **state)
{
    static const char *const bad[] = {"",    "1",     "1-",   "-1",
                                      "a-1", "1-2-3", "1- 2", "1-99999999999999999999999"};
    char id[TB_MCP_EVENT_ID_SIZE];
    uint64_t stream;
    uint64_t number;
    (void)state;
    tb_mcp_event_id(7, UINT64_MAX, id);
    assert_true(tb_mcp_event_id_parse(tb_str_of(id), &stream, &number));
    assert_true(stream == 7 && number == UINT64_MAX);
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        if (tb_mcp_event_id_parse(tb_str_of(bad[i]), &stream, &number)) {
            fail_msg("'%s' is no id", bad[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_events_of_a_stream_behind_the_given_one_come_again,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_events_go_when_there_are_too_many, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_bytes_have_a_ceiling_and_one_event_always_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_answer_that_is_due_stays_whatever_else_is_said, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_answer_that_was_sent_gives_way_to_others_that_were,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_that_are_due_have_ceilings_of_their_own, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(ids_are_read_as_they_are_written_and_nothing_else_is,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
