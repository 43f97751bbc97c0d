/* SPDX-License-Identifier: Apache-2.0 */
/* Calls whose front was told the session beside the arguments. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/call.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

struct told {
    int code;
    char message[256];
    char raw[256];
    char session[TB_NAME_SIZE];
};

static void on_called(struct tb_call *call, void *user)
{
    struct told *told = user;
    const struct tb_answer *answer = tb_call_answer(call, SIZE_MAX);
    told->code = answer->code;
    snprintf(told->message, sizeof(told->message), "%s", answer->message);
    snprintf(told->raw, sizeof(told->raw), "%.*s", TB_STR_ARG(answer->raw));
    snprintf(told->session, sizeof(told->session), "%s", answer->session ? answer->session : "");
}

/* What the request is made of need not outlive its start. */
static void call(struct rig *rig, const char *tool, const char *session, const char *request_id,
                 struct told *told)
{
    char named[64];
    char id[64];
    snprintf(named, sizeof(named), "%s", session);
    snprintf(id, sizeof(id), "%s", request_id);
    *told = (struct told){.code = 1};
    tb_call_start(&rig->core, &(struct tb_call_request){
                                  .name = tb_str_of(tool),
                                  .args.json = TB_STR("{\"sessionId\":\"b\"}"),
                                  .session = tb_str_of(named),
                                  .request_id = tb_str_of(id),
                                  .caller = {.who = &principal_t, .conversation = ""},
                                  .done = on_called,
                                  .user = told,
                              });
    memset(named, 'x', sizeof(named) - 1);
    memset(id, 'x', sizeof(id) - 1);
    rig_turn(rig);
}

/* Two sessions, each with a tool "add" of its own; the latter is the current one. */
static void begin(struct rig *rig)
{
    static const char *const names[] = {"a", "b"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
        assert_int_equal(
            tb_brought_new("add", "https://a.test", names[i], TB_STR("{}"), tools, NULL), 0);
        rig_create(rig, names[i]);
        rig_turn(rig);
        assert_true(tb_fake_bring_take(rig->fake, rig_find(rig, names[i])->id, tools, 1));
    }
}

static void a_session_beside_the_arguments_is_the_one_that_is_meant(void **state)
{
    struct rig *rig = *state;
    struct told told;
    begin(rig);
    call(rig, "add", "a", "", &told);
    assert_int_equal(told.code, 0);
    assert_string_equal(rig->fake->invoked, "a");
    assert_string_equal(told.session, ""); /* it was named, and need not be told */
    call(rig, "add", rig_find(rig, "a")->id, "", &told);
    assert_string_equal(rig->fake->invoked, "a");
    call(rig, "add", "", "", &told);
    assert_string_equal(rig->fake->invoked, "b");
    assert_string_equal(told.session, "b");
}

static void a_tool_of_the_build_goes_there_as_well(void **state)
{
    struct rig *rig = *state;
    struct told told;
    begin(rig);
    call(rig, "browser_snapshot", "a", "", &told);
    assert_int_equal(told.code, 0);
    assert_int_equal(rig_find(rig, "a")->stats.calls, 1);
    assert_int_equal(rig_find(rig, "b")->stats.calls, 0);
}

static void a_named_session_that_is_not_there_is_what_the_caller_is_told_of(void **state)
{
    struct rig *rig = *state;
    struct told told;
    begin(rig);
    call(rig, "add", "c", "", &told);
    assert_int_equal(told.code, TB_E_SESSION_NOT_FOUND);
    call(rig, "browser_snapshot", "c", "", &told);
    assert_int_equal(told.code, TB_E_SESSION_NOT_FOUND);
    call(rig, "remove", "a", "", &told);
    assert_int_equal(told.code, TB_E_UNKNOWN_TOOL);
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    call(rig, "add", "a", "", &told);
    assert_int_equal(told.code, TB_E_SESSION_ENDED);
    assert_non_null(strstr(told.message, "Session a "));
}

/* S4-26: whoever relays the call can tell its peer which request it is. */
static void the_driver_is_told_what_the_caller_calls_its_request(void **state)
{
    static const char *const ids[] = {"12345678901234567890", "\"a:b\\\"1\"", "\"7\"", "7", ""};
    struct rig *rig = *state;
    struct told told;
    begin(rig);
    for (size_t i = 0; i < TB_COUNT(ids); i++) {
        call(rig, "add", "a", ids[i], &told);
        assert_int_equal(told.code, 0);
        assert_string_equal(rig->fake->request_id, ids[i]);
    }
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_session_beside_the_arguments_is_the_one_that_is_meant),
        RIG_TEST(a_tool_of_the_build_goes_there_as_well),
        RIG_TEST(a_named_session_that_is_not_there_is_what_the_caller_is_told_of),
        RIG_TEST(the_driver_is_told_what_the_caller_calls_its_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
