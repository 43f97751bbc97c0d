/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "core/limits.h"

static int set_up(void **state)
{
    *state = TB_NEW(struct tb_mcp_replay);
    tb_mcp_replay_init(*state);
    return 0;
}

static int tear_down(void **state)
{
    tb_mcp_replay_fini(*state);
    tb_free(*state);
    return 0;
}

static void note(uint64_t number, struct tb_str message, void *user)
{
    tb_buf_printf(user, "%llu:%.*s ", (unsigned long long)number, TB_STR_ARG(message));
}

static void expect(const struct tb_mcp_replay *replay, uint64_t stream, uint64_t after,
                   const char *wanted)
{
    TB_AUTO(tb_buf_fini) struct tb_buf seen = TB_BUF(TB_MIB);
    tb_mcp_replay_each(replay, stream, after, note, &seen);
    if (!tb_str_eq_cstr(tb_buf_str(&seen), wanted)) {
        fail_msg("wanted %s, got %.*s", wanted, TB_STR_ARG(tb_buf_str(&seen)));
    }
}

static void only_the_events_of_a_stream_behind_the_given_one_come_again(void **state)
{
    tb_mcp_replay_add(*state, 1, 1, TB_STR("a"));
    tb_mcp_replay_add(*state, 2, 1, TB_STR("other"));
    tb_mcp_replay_add(*state, 1, 2, TB_STR("b"));
    tb_mcp_replay_add(*state, 1, 3, TB_STR(""));
    expect(*state, 1, 0, "1:a 2:b 3: ");
    expect(*state, 1, 2, "3: ");
    expect(*state, 1, 9, "");
    expect(*state, 3, 0, "");
    tb_mcp_replay_forget(*state, 1);
    expect(*state, 1, 0, "");
    expect(*state, 2, 0, "1:other ");
}

static void the_oldest_events_go_when_there_are_too_many(void **state)
{
    const struct tb_mcp_replay *replay = *state;
    for (uint64_t i = 1; i <= TB_MCP_REPLAY_EVENTS + 2; i++) {
        tb_mcp_replay_add(*state, 1, i, TB_STR("x"));
    }
    assert_int_equal(replay->count, TB_MCP_REPLAY_EVENTS);
    expect(*state, 1, TB_MCP_REPLAY_EVENTS + 1, "258:x ");
}

static void the_bytes_have_a_ceiling_and_one_event_always_stays(void **state)
{
    const struct tb_mcp_replay *replay = *state;
    TB_AUTO(tb_free) char *half = tb_zalloc(TB_MCP_REPLAY_BYTES / 2 + 1);
    const struct tb_str big = {half, TB_MCP_REPLAY_BYTES / 2 + 1};
    tb_mcp_replay_add(*state, 1, 1, big);
    tb_mcp_replay_add(*state, 1, 2, big);
    assert_int_equal(replay->count, 1);
    assert_int_equal(replay->bytes, big.len);
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
