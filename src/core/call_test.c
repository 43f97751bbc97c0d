/* SPDX-License-Identifier: Apache-2.0 */
#include "core/call.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/session_internal.h"

#include "support/core_rig.h"

enum {
    CALLS = 5,
};

/* S0-01, S0-02, S0-20, S0-26, S1-46, S1-47, S1-48 */
static void the_first_call_of_a_conversation_makes_its_session_and_later_ones_reuse_it(void **state)
{
    struct rig *rig = *state;
    struct rig_call *first = rig_start(rig, &rig_navigate, "talk", "{\"tag\":\"a\"}");
    rig_turn(rig);
    assert_string_equal(first->chosen, "browser-1");
    rig_expect(first, 0);
    struct rig_call *second = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(second->chosen, "browser-1");
    rig_expect(second, 0);
    assert_int_equal(rig->fake->counts.opened, 1);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
    assert_string_equal(tb_session_owner(rig_find(rig, "browser-1")), "talk");
}

/* S1-07, S1-08, S1-33, S1-46: who names the session is not told its name. */
static void a_named_session_is_used_and_not_told(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "alice");
    struct tb_session *bob = rig_create(rig, "bob");
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"alice\"}");
    rig_turn(rig);
    assert_string_equal(call->chosen, "");
    rig_expect(call, 0);
    assert_int_equal(rig_find(rig, "alice")->stats.calls, 1);
    char by_id[64];
    snprintf(by_id, sizeof(by_id), "{\"sessionId\":\"%s\"}", bob->id);
    assert_int_equal(rig_run(rig, &rig_click, "", by_id), 0);
    assert_int_equal(bob->stats.calls, 1);
}

static void the_driver_gets_the_checked_arguments(void **state)
{
    struct rig *rig = *state;
    struct rig_call *call =
        rig_start(rig, &rig_navigate, "", "{\"tag\":\"x\",\"timeout\":\"5000\"}");
    rig_turn(rig);
    struct tb_str tag;
    int64_t timeout_ms;
    assert_true(tb_json_str(tb_json_get(call->data, "tag"), &tag));
    assert_true(tb_str_eq_cstr(tag, "x"));
    assert_true(tb_json_int(tb_json_get(call->data, "timeout_ms"), &timeout_ms));
    assert_int_equal(timeout_ms, 5000);
    rig_expect(call, 0);
}

/* S1-32: calls of one session queue up. */
static void calls_of_one_session_run_one_at_a_time_in_their_order(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    struct rig_call *calls[CALLS];
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (size_t i = 0; i < CALLS; i++) {
        calls[i] = rig_start(rig, &rig_click, "", NULL);
    }
    for (size_t i = 0; i < CALLS; i++) {
        rig_turn(rig);
        assert_int_equal(rig->fake->counts.begun, i + 1);
        assert_true(tb_fake_release(rig->fake, session->id));
        rig_turn(rig);
        assert_int_equal(calls[i]->place, i + 1);
    }
    assert_int_equal(rig->fake->counts.at_work_most, 1);
    for (size_t i = 0; i < CALLS; i++) {
        rig_expect(calls[i], 0);
    }
}

/* S1-30, S1-31 */
static void sessions_work_in_parallel(void **state)
{
    struct rig *rig = *state;
    struct rig_call *calls[CALLS];
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (size_t i = 0; i < CALLS; i++) {
        char name[32];
        char args[80];
        snprintf(name, sizeof(name), "s%zu", i);
        snprintf(args, sizeof(args), "{\"sessionId\":\"s%zu\",\"tag\":\"%zu\"}", i, i);
        rig_create(rig, name);
        calls[i] = rig_start(rig, &rig_click, "", args);
    }
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.at_work_most, CALLS);
    for (size_t i = CALLS; i-- > 0;) {
        char name[32];
        struct tb_str tag;
        snprintf(name, sizeof(name), "s%zu", i);
        assert_true(tb_fake_release(rig->fake, rig_find(rig, name)->id));
        rig_turn(rig);
        assert_int_equal(calls[i]->place, CALLS - i);
        assert_true(tb_json_str(tb_json_get(calls[i]->data, "tag"), &tag));
        assert_true(tag.len == 1 && (size_t)(tag.ptr[0] - '0') == i);
        rig_expect(calls[i], 0);
    }
}

static void what_is_wrong_with_a_call_comes_as_its_result(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *args;
        int code;
        const char *words;
    } rows[] = {
        {"{\"tga\":\"x\"}", TB_E_PARAMS, "did you mean 'tag'?"},
        {"{\"timeout_ms\":0}", TB_E_PARAMS, "between 1 and 600000"},
        {"{\"timeout_ms\":600001}", TB_E_PARAMS, "between 1 and 600000"},
        {"{\"sessionId\":{}}", TB_E_PARAMS, "'sessionId' must be text"},
        {"[]", TB_E_PARAMS, "must be an object"},
        {"{\"sessionId\":\"nobody\"}", TB_E_SESSION_NOT_FOUND, "No session: nobody"},
        {"{}", TB_E_SESSION_NOT_FOUND, "No session: none active"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct rig_call *call = rig_start(rig, &rig_click, "", rows[i].args);
        rig_turn(rig);
        if (!strstr(call->message, rows[i].words)) {
            fail_msg("%s: %s", rows[i].args, call->message);
        }
        rig_expect(call, rows[i].code);
    }
    assert_int_equal(rig_run(rig, NULL, "", NULL), TB_E_UNKNOWN_TOOL);
    /* What names no tool is no call of one. */
    assert_int_equal(rig_calls_counted(rig, "outcome=\"ok\""), 0);
    assert_int_equal(rig_calls_counted(rig, ""), TB_COUNT(rows));
}

static void a_name_that_would_be_cut_is_refused(void **state)
{
    struct rig *rig = *state;
    char text[200];
    memset(text, 'x', sizeof(text));
    text[TB_CONVERSATION_SIZE] = '\0';
    struct rig_call *call = rig_start(rig, &rig_navigate, text, NULL);
    rig_turn(rig);
    rig_expect(call, TB_E_PARAMS);
}

static void an_operation_that_the_driver_lacks_is_not_possible(void **state)
{
    struct rig *rig = *state;
    struct tb_driver poor = tb_driver_fake;
    poor.ops[TB_OP_CLICK] = NULL;
    rig->core.drivers[0].driver = &poor;
    assert_int_equal(rig_run(rig, &rig_navigate, "", NULL), 0);
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_string_equal(call->message, "session 'browser-1' (browser, driver fake) cannot do "
                                       "'click'");
    rig_expect(call, TB_E_NOT_POSSIBLE);
    rig_stop(rig);
}

static void a_failed_operation_gives_the_drivers_words(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].code = TB_E_ELEMENT_STALE;
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_string_equal(call->message, "the fake driver says element_stale");
    rig_expect(call, TB_E_ELEMENT_STALE);
    assert_int_equal(session->stats.calls, 1);
    assert_int_equal(session->stats.errors, 1);
    assert_int_equal(rig_run(rig, &rig_wait, "", NULL), 0);
}

static void progress_reaches_the_caller(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].progress = 3;
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_int_equal(call->progress, 3);
    assert_string_equal(call->working, "working");
    rig_expect(call, 0);
}

static void a_full_queue_is_busy(void **state)
{
    struct rig *rig = *state;
    struct rig_call *calls[6];
    struct tb_session *session = rig_create(rig, "a");
    rig->config.sessions_queue = 4;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(calls); i++) {
        calls[i] = rig_start(rig, &rig_click, "", NULL);
    }
    rig_turn(rig);
    assert_string_equal(calls[5]->message, "4 calls are already waiting for session 'a'");
    rig_expect(calls[5], TB_E_BUSY);
    assert_int_equal(session->queue.waiting_count, 4);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_NOW;
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    for (size_t i = 0; i < 5; i++) {
        rig_expect(calls[i], 0);
    }
}

static void calls_wait_until_the_session_is_open(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk", NULL);
    struct rig_call *other = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.begun, 0);
    assert_int_equal(tb_session_info(rig_find(rig, "browser-1")).state, TB_SHOWN_CREATED);
    assert_true(tb_fake_release(rig->fake, rig_find(rig, "browser-1")->id));
    rig_turn(rig);
    rig_expect(call, 0);
    rig_expect(other, 0);
    assert_int_equal(tb_session_info(rig_find(rig, "browser-1")).state, TB_SHOWN_IDLE);
}

static void when_opening_fails_all_that_wait_get_the_drivers_words(void **state)
{
    struct rig *rig = *state;
    rig->fake->open =
        (struct tb_fake_plan){.when = TB_FAKE_LATER, .delay_ms = 10, .code = TB_E_BROWSER_START};
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk", NULL);
    struct rig_call *other = rig_start(rig, &rig_click, "talk", NULL);
    rig_advance(rig, 10);
    assert_string_equal(other->message, "the fake browser did not start");
    rig_expect(call, TB_E_BROWSER_START);
    rig_expect(other, TB_E_BROWSER_START);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
    rig->fake->open = (struct tb_fake_plan){.when = TB_FAKE_NOW};
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
}

static void events_tell_of_calls_without_their_arguments(void **state)
{
    struct rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE] =
        (struct tb_fake_plan){.when = TB_FAKE_LATER, .delay_ms = 7, .code = TB_E_NAVIGATION};
    struct rig_call *call = rig_start(rig, &rig_navigate, "", "{\"tag\":\"secret\"}");
    rig_advance(rig, 0);
    rig_advance(rig, 7);
    rig_expect(call, TB_E_NAVIGATION);
    assert_int_equal(rig_events(rig, "session_started {\"name\":\"browser-1\",\"type\":\"browser\","
                                     "\"driver\":\"fake\"}"),
                     1);
    assert_int_equal(
        rig_events(rig, "call_done {\"tool\":\"navigate\",\"code\":"
                        "\"navigation_failed\",\"ms\":7,\"session\":\"browser-1\",\"action\":1}"),
        1);
    assert_int_equal(rig_events(rig, "secret"), 0);
    assert_int_equal(rig_calls_counted(rig, ""), 1);
    assert_int_equal(rig_calls_counted(rig, "{tool=\"navigate\",outcome=\"navigation_failed\"}"),
                     1);
}

static void what_happens_in_a_session_goes_to_the_bus(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    const struct tb_event opened = {.type = TB_EVENT_TAB_OPENED,
                                    .fields = {tb_field_number("tab", 1)}};
    assert_true(tb_fake_emit(rig->fake, session->id, &opened));
    assert_int_equal(rig_events(rig, "tab_opened {\"tab\":1}"), 1);
    tb_session_end(session, TB_END_CLOSED);
    assert_true(tb_fake_emit(rig->fake, session->id, &opened));
    assert_int_equal(rig_events(rig, "tab_opened {\"tab\":1}"), 1);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(the_first_call_of_a_conversation_makes_its_session_and_later_ones_reuse_it),
        RIG_TEST(a_named_session_is_used_and_not_told),
        RIG_TEST(the_driver_gets_the_checked_arguments),
        RIG_TEST(calls_of_one_session_run_one_at_a_time_in_their_order),
        RIG_TEST(sessions_work_in_parallel),
        RIG_TEST(what_is_wrong_with_a_call_comes_as_its_result),
        RIG_TEST(a_name_that_would_be_cut_is_refused),
        RIG_TEST(an_operation_that_the_driver_lacks_is_not_possible),
        RIG_TEST(a_failed_operation_gives_the_drivers_words),
        RIG_TEST(progress_reaches_the_caller),
        RIG_TEST(a_full_queue_is_busy),
        RIG_TEST(calls_wait_until_the_session_is_open),
        RIG_TEST(when_opening_fails_all_that_wait_get_the_drivers_words),
        RIG_TEST(events_tell_of_calls_without_their_arguments),
        RIG_TEST(what_happens_in_a_session_goes_to_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
