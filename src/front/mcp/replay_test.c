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
    tb_mcp_replay_add(&f->replay, &f->one, 1, TB_STR("a"));
    tb_mcp_replay_add(&f->replay, &f->two, 1, TB_STR("other"));
    tb_mcp_replay_add(&f->replay, &f->one, 2, TB_STR("b"));
    tb_mcp_replay_add(&f->replay, &f->one, 3, TB_STR(""));
    expect(&f->one, 0, "1:a 2:b 3: ");
    expect(&f->one, 2, "3: ");
    expect(&f->one, 9, "");
    tb_mcp_replay_forget(&f->replay, &f->one);
    expect(&f->one, 0, "");
    expect(&f->two, 0, "1:other ");
    assert_int_equal(f->replay.count, 1);
    assert_int_equal(f->replay.bytes, 5);
}

static void the_oldest_events_go_when_there_are_too_many(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 1; i <= TB_MCP_REPLAY_EVENTS + 2; i++) {
        tb_mcp_replay_add(&f->replay, &f->one, i, TB_STR("x"));
    }
    assert_int_equal(f->replay.count, TB_MCP_REPLAY_EVENTS);
    assert_int_equal(tb_mcp_replay_next(&f->one, 0)->number, 3);
    expect(&f->one, TB_MCP_REPLAY_EVENTS + 1, "258:x ");
}

static void the_bytes_have_a_ceiling_and_one_event_always_stays(void **state)
{
    struct fixture *f = *state;
    TB_AUTO(tb_free) char *half = tb_zalloc(TB_MCP_REPLAY_BYTES / 2 + 1);
    const struct tb_str big = {half, TB_MCP_REPLAY_BYTES / 2 + 1};
    tb_mcp_replay_add(&f->replay, &f->one, 1, big);
    tb_mcp_replay_add(&f->replay, &f->two, 1, big);
    assert_int_equal(f->replay.count, 1);
    assert_int_equal(f->replay.bytes, big.len);
    assert_true(tb_list_empty(&f->one));
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
        cmocka_unit_test_setup_teardown(ids_are_read_as_they_are_written_and_nothing_else_is,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
