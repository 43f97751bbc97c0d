/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/id.h"
#include "base/mem.h"
#include "core/limits.h"

struct fixture {
    struct tb_mcp_states states;
    struct tb_buf sealed;
    struct tb_buf plain;
};

static int set_up(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    assert_int_equal(tb_id_init(), 0);
    tb_mcp_states_init(&f->states);
    tb_buf_init(&f->sealed, TB_MIB);
    tb_buf_init(&f->plain, TB_MIB);
    assert_int_equal(
        tb_mcp_state_seal(&f->states, 1000, TB_STR("call"), TB_STR("round 1"), &f->sealed), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    tb_mcp_states_fini(&f->states);
    tb_buf_fini(&f->sealed);
    tb_buf_fini(&f->plain);
    tb_free(f);
    return 0;
}

static int open_at(struct fixture *f, int64_t now_ms, const char *bound)
{
    return tb_mcp_state_open(&f->states, now_ms, tb_str_of(bound), tb_buf_str(&f->sealed),
                             &f->plain);
}

static void a_state_comes_back_once(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(open_at(f, 1001, "call"), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&f->plain), "round 1"));
    assert_int_equal(open_at(f, 1002, "call"), TB_E_INVALID);
}

static void a_state_of_another_call_is_refused_and_stays_good(void **state)
{
    assert_int_equal(open_at(*state, 1001, "another call"), TB_E_INVALID);
    assert_int_equal(open_at(*state, 1001, "call"), 0);
}

static void a_state_runs_out(void **state)
{
    assert_int_equal(open_at(*state, 1000 + TB_MCP_STATE_MS + 1, "call"), TB_E_INVALID);
    assert_int_equal(open_at(*state, 1000 + TB_MCP_STATE_MS, "call"), 0);
}

static void a_changed_state_is_refused(void **state)
{
    struct fixture *f = *state;
    tb_buf_append_cstr(&f->sealed, "-tampered");
    assert_int_equal(open_at(f, 1001, "call"), TB_E_INVALID);
}

static void a_state_does_not_outlive_its_daemon(void **state)
{
    struct fixture *f = *state;
    tb_mcp_states_fini(&f->states);
    tb_mcp_states_init(&f->states);
    assert_int_equal(open_at(f, 1001, "call"), TB_E_INVALID);
}

static void what_is_remembered_has_a_ceiling(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < TB_MCP_STATES + 10; i++) {
        tb_buf_clear(&f->sealed);
        tb_mcp_state_seal(&f->states, 1000, TB_STR("call"), TB_STR("x"), &f->sealed);
        assert_int_equal(open_at(f, 1000, "call"), 0);
    }
    assert_int_equal(f->states.used_count, TB_MCP_STATES);
    tb_buf_clear(&f->sealed);
    int64_t later_ms = 1000 + 2 * TB_MCP_STATE_MS;
    tb_mcp_state_seal(&f->states, later_ms, TB_STR("call"), TB_STR("x"), &f->sealed);
    assert_int_equal(open_at(f, later_ms, "call"), 0);
    assert_int_equal(f->states.used_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_state_comes_back_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_state_of_another_call_is_refused_and_stays_good, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_state_runs_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_state_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_state_does_not_outlive_its_daemon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_remembered_has_a_ceiling, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
