/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that sessions bring along: telling of them, and calling them. */
#include <string.h>

#include "core/toolbox.h"
#include "io/testing.h"

#include "suite/driver_cases.h"

enum {
    LONG_MS = 60 * 1000,
    SHORT_MS = 50,
};

/* Such a driver has to say how its sessions come by tools, or none of this is seen. */
static bool has_tools(const struct table *table)
{
    const struct driver_subject *subject = table->subject;
    bool invokes = subject->driver->ops[TB_OP_INVOKE] != NULL;
    assert_true(!invokes || (subject->bring && subject->hold_tools));
    return invokes;
}

static void bring(struct driver_seat *seat, const char *const *names, size_t count)
{
    int lists = seat->tools.lists;
    seat->lab->subject->bring(seat, names, count);
    WAIT_UNTIL(seat->lab->core.loop, seat->tools.lists > lists);
    assert_int_equal(seat->tools.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(seat->tools.list[i]->name, names[i]);
    }
}

/* An open session with one tool. */
static void open_with_tool(struct driver_seat *seat)
{
    static const char *const names[] = {"echo"};
    driver_open(seat);
    bring(seat, names, 1);
}

static void expect_raw(const struct driver_seat *seat, struct tb_str raw)
{
    struct tb_str got = tb_buf_str(&seat->result.raw);
    assert_int_equal(got.len, raw.len);
    assert_memory_equal(got.ptr, raw.ptr, raw.len);
}

static void echo(struct driver_seat *seat, struct tb_brought *tool, struct tb_str raw)
{
    assert_int_equal(driver_invoke(seat, tool, raw), 0);
    expect_raw(seat, raw);
}

/* False: it has no way to end before its time, so nothing can be seen of it. */
static bool invoke_held(struct driver_seat *seat, int64_t ms)
{
    seat->lab->subject->hold_tools(seat->lab, true);
    driver_invoke_start(seat, seat->tools.list[0], TB_STR("{}"), ms);
    seat->lab->subject->hold_tools(seat->lab, false);
    assert_true(seat->running);
    return seat->op.cancel != NULL;
}

static void a_list_of_tools_replaces_the_one_before_whole(void **state)
{
    static const char *const first[] = {"add", "remove", "add"};
    static const char *const second[] = {"undo"};
    struct table *table = *state;
    NEEDS(has_tools(table));
    driver_open(&table->a);
    driver_open(&table->b);
    bring(&table->a, first, TB_COUNT(first));
    bring(&table->a, second, TB_COUNT(second));
    bring(&table->a, NULL, 0);
    assert_int_equal(table->b.tools.lists, 0);
    bring(&table->b, second, TB_COUNT(second));
    assert_int_equal(table->a.tools.count, 0);
}

static void bytes_go_into_a_tool_and_come_out_as_they_are(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{ \"a\" : 1 ,\t\"a\":2}\n",
        "{\"zero\":\"\\u0000\",\"half\":\"\\ud800\",\"e\":\"\xc3\xa9\\/\"}",
        "{\"n\":1234567890123456789012345678901234567890.10,\"m\":-0,\"k\":1E+2}",
    };
    struct table *table = *state;
    NEEDS(has_tools(table));
    open_with_tool(&table->a);
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        echo(&table->a, table->a.tools.list[0], tb_str_of(texts[i]));
    }
    /* No arguments at all are no error either. */
    assert_int_equal(driver_invoke(&table->a, table->a.tools.list[0], TB_STR("")), 0);
    assert_true(table->a.result.raw.len);
    assert_int_equal(table->a.ends, (int)TB_COUNT(texts) + 1);
}

static void calls_of_tools_that_run_at_once_get_their_own_answers(void **state)
{
    struct table *table = *state;
    struct driver_seat *a = &table->a;
    struct driver_seat *b = &table->b; /* another pair of hands on the same session */
    NEEDS(has_tools(table) && table->subject->driver->width > 1);
    open_with_tool(a);
    b->session = a->session;
    driver_invoke_start(a, a->tools.list[0], TB_STR("{\"who\":\"a\"}"), LONG_MS);
    driver_invoke_start(b, a->tools.list[0], TB_STR("{\"who\":\"b\"}"), LONG_MS);
    b->session = NULL; /* which is not its to close */
    WAIT_UNTIL(table->lab.core.loop, !a->running && !b->running);
    expect_raw(a, TB_STR("{\"who\":\"a\"}"));
    expect_raw(b, TB_STR("{\"who\":\"b\"}"));
}

/* It ends once, whether the driver ends it or is asked to. */
static void a_tool_may_go_while_it_is_called(void **state)
{
    static const char *const names[] = {"other"};
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    NEEDS(has_tools(table));
    open_with_tool(seat);
    NEEDS(invoke_held(seat, LONG_MS));
    bring(seat, names, 1);
    driver_cancel(seat);
    WAIT_UNTIL(table->lab.core.loop, !seat->running);
    assert_true(seat->result.code < 0);
    assert_int_equal(seat->ends, 1);
    echo(seat, seat->tools.list[0], TB_STR("{\"n\":1}"));
    assert_int_equal(seat->ends, 2);
}

static void a_tool_that_the_session_does_not_bring_is_unknown(void **state)
{
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    struct tb_brought *stray = NULL;
    NEEDS(has_tools(table));
    assert_int_equal(
        tb_brought_new("echo", "https://a.test", "no such handle", TB_STR("{}"), &stray, NULL), 0);
    open_with_tool(seat);
    int code = driver_invoke(seat, stray, TB_STR("{}"));
    tb_brought_unref(stray, "test");
    assert_int_equal(code, TB_E_UNKNOWN_TOOL);
    struct tb_brought *old = tb_brought_ref(seat->tools.list[0], "test");
    bring(seat, NULL, 0);
    code = driver_invoke(seat, old, TB_STR("{}"));
    tb_brought_unref(old, "test");
    assert_int_equal(code, TB_E_UNKNOWN_TOOL);
    assert_int_equal(driver_run(seat, &table->subject->quick), 0);
}

static void a_cancelled_call_of_a_tool_leaves_it_usable(void **state)
{
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    NEEDS(has_tools(table));
    open_with_tool(seat);
    NEEDS(invoke_held(seat, LONG_MS));
    driver_cancel(seat);
    WAIT_UNTIL(table->lab.core.loop, !seat->running);
    assert_int_equal(seat->result.code, TB_E_CANCELLED);
    echo(seat, seat->tools.list[0], TB_STR("{\"n\":1}"));
    assert_int_equal(seat->ends, 2);
}

static void a_call_of_a_tool_that_passes_its_deadline_leaves_it_usable(void **state)
{
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    NEEDS(has_tools(table));
    open_with_tool(seat);
    NEEDS(invoke_held(seat, SHORT_MS));
    WAIT_UNTIL(table->lab.core.loop, !seat->running);
    assert_true(tb_loop_now_ms(table->lab.core.loop) >= seat->op.deadline_ms);
    assert_true(seat->result.code == TB_E_TIMEOUT || seat->result.code == TB_E_CANCELLED);
    echo(seat, seat->tools.list[0], TB_STR("{\"n\":1}"));
    assert_int_equal(seat->ends, 2);
}

static void closing_ends_the_call_of_a_tool_first(void **state)
{
    struct table *table = *state;
    NEEDS(has_tools(table));
    open_with_tool(&table->a);
    invoke_held(&table->a, LONG_MS);
    driver_close(&table->a);
    assert_int_equal(table->a.ends, 1);
    assert_int_equal(table->a.result.code, TB_E_CLOSED);
    assert_int_equal(table->a.tools.lists, 1); /* core knows that they are gone with it */
}

int driver_tool_cases(struct table *table)
{
#define CASE(name) \
    cmocka_unit_test_prestate_setup_teardown(name, driver_set_up, driver_tear_down, table)
    const struct CMUnitTest tests[] = {
        CASE(a_list_of_tools_replaces_the_one_before_whole),
        CASE(bytes_go_into_a_tool_and_come_out_as_they_are),
        CASE(calls_of_tools_that_run_at_once_get_their_own_answers),
        CASE(a_tool_may_go_while_it_is_called),
        CASE(a_tool_that_the_session_does_not_bring_is_unknown),
        CASE(a_cancelled_call_of_a_tool_leaves_it_usable),
        CASE(a_call_of_a_tool_that_passes_its_deadline_leaves_it_usable),
        CASE(closing_ends_the_call_of_a_tool_first),
    };
#undef CASE
    return cmocka_run_group_tests_name(table->subject->name, tests, NULL, NULL);
}
