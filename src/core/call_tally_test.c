/* SPDX-License-Identifier: Apache-2.0 */
/* What is told and kept of the calls of a page's tools. */
#include "core/call_tally.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/audit.h"
#include "core/limits.h"
#include "core/session_internal.h"
#include "core/toolbox.h"

#include "support/audited.h"
#include "support/principals.h"

enum {
    SPAN_MS = 1000,
    TOOLS = TB_TALLIES_MAX,
};

/* A page with so many tools: "t0", "t1" ... */
static struct tb_session *begin(struct rig *rig, size_t tools)
{
    const struct tb_session_spec spec = {.kind = TB_KIND_CLIENT,
                                         .name = TB_STR("page"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_brought **list = tb_zalloc_array(tools + 1, sizeof(*list));
    struct tb_session *session = NULL;
    const char *warning;
    tb_sessions_create(rig->core.sessions,
                       &(struct tb_caller){.who = &principal_t, .conversation = "owner"}, &spec,
                       &session, &warning, NULL);
    rig_turn(rig);
    for (size_t i = 0; i < tools; i++) {
        char name[24];
        snprintf(name, sizeof(name), "t%zu", i);
        assert_int_equal(tb_brought_new(name, "", name, TB_STR("{}"), &list[i], NULL), 0);
    }
    assert_true(tb_fake_bring_take(rig->fake, session->id, list, tools));
    return session;
}

static void on_called(struct tb_call *call, void *user)
{
    *(int *)user = tb_call_result(call)->code;
}

static void call(struct rig *rig, const char *agent, size_t tool, int code)
{
    char name[24];
    int got = 1;
    snprintf(name, sizeof(name), "t%zu", tool);
    rig->fake->ops[TB_OP_INVOKE].code = code;
    tb_call_start(&rig->core, &(struct tb_call_request){
                                  .name = tb_str_of(name),
                                  .session = TB_STR("page"),
                                  .caller = {&principal_t, .conversation = agent, .agent = agent},
                                  .done = on_called,
                                  .user = &got,
                              });
    rig_turn(rig);
    assert_int_equal(got, code);
}

static void calls_of_one_agent_tool_and_outcome_are_told_as_a_number(void **state)
{
    struct rig *rig = ((struct audited *)*state)->rig;
    begin(rig, 2);
    for (int i = 0; i < 3; i++) {
        call(rig, "a", 0, 0);
        call(rig, "b", 0, 0);
    }
    call(rig, "a", 1, 0);
    call(rig, "a", 0, TB_E_SCRIPT);
    rig_advance(rig, SPAN_MS - 1);
    call(rig, "a", 0, 0);
    assert_int_equal(rig_events(rig, "call_done"), 0);
    rig_advance(rig, 1);
    assert_int_equal(rig_events(rig, "call_done"), 4);
    assert_int_equal(rig_events(rig,
                                "{\"tool\":\"t0\",\"code\":\"ok\",\"ms\":0,\"session\":\"page\","
                                "\"agent\":\"a\",\"conversation\":\""),
                     1);
    assert_int_equal(rig_events(rig, "\"count\":4}"), 1);
    assert_int_equal(rig_events(rig, "\"agent\":\"b\",\"conversation\":\""), 1);
    assert_int_equal(rig_events(rig, "\"count\":3}"), 1);
    assert_int_equal(rig_events(rig, "{\"tool\":\"t1\",\"code\":\"ok\""), 1);
    assert_int_equal(rig_events(rig, "\"action\":7}"), 1); /* one that was alone */
    assert_int_equal(rig_events(rig, "{\"tool\":\"t0\",\"code\":\"script_error\""), 1);
    assert_int_equal(rig_calls_counted(rig, ""), 9);
    call(rig, "a", 0, 0);
    rig_advance(rig, SPAN_MS);
    assert_int_equal(rig_events(rig, "call_done"), 5);
}

static void of_several_the_longest_is_told(void **state)
{
    struct rig *rig = ((struct audited *)*state)->rig;
    struct tb_session *session = begin(rig, 1);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (int i = 0; i < 2; i++) {
        struct rig_call *held = rig_start(rig, &rig_click, "a", "{\"sessionId\":\"page\"}");
        rig_advance(rig, i ? 10 : 250);
        assert_true(tb_fake_release(rig->fake, session->id));
        rig_turn(rig);
        rig_expect(held, 0);
    }
    rig_advance(rig, SPAN_MS);
    assert_int_equal(rig_events(rig, "\"ms\":250"), 1);
    assert_int_equal(rig_events(rig, "\"count\":2"), 1);
}

/* Other calls do wait: core/call_gate_test.c. */
static void no_reply_waits_until_its_call_is_on_record(void **state)
{
    struct audited *scene = *state;
    begin(scene->rig, 1);
    size_t before = scene->kept.count;
    scene->kept.slow = true;
    call(scene->rig, "a", 0, 0); /* has ended */
    call(scene->rig, "a", 0, 0);
    rig_advance(scene->rig, SPAN_MS);
    struct tb_audit_entry *entry = kept_at(&scene->kept, scene->kept.count - 1);
    assert_int_equal(scene->kept.count - before, 2); /* that the agent has joined is the other */
    assert_true(tb_str_eq_cstr(entry->type, "call_done"));
    assert_true(tb_str_eq_cstr(entry->agent, "a"));
    assert_true(tb_str_eq_cstr(entry->session, "page"));
    assert_non_null(memmem(entry->details.ptr, entry->details.len, "\"count\":2", 9));
}

static void what_was_not_told_yet_is_told_before_the_end(void **state)
{
    struct rig *rig = ((struct audited *)*state)->rig;
    struct tb_session *session = begin(rig, 1);
    call(rig, "a", 0, 0);
    tb_session_end(session, TB_END_CLOSED);
    const char *told = (const char *)rig->events.data;
    assert_int_equal(rig_events(rig, "call_done"), 1);
    assert_true(strstr(told, "call_done") < strstr(told, "session_ended"));
    rig_turn(rig);
    begin(rig, 1);
    call(rig, "a", 0, 0);
    tb_sessions_stop(rig->core.sessions);
    assert_int_equal(rig_events(rig, "call_done"), 2);
}

static void there_is_a_ceiling_for_the_tools_that_are_told_apart(void **state)
{
    struct rig *rig = ((struct audited *)*state)->rig;
    struct tb_session *session = begin(rig, TOOLS);
    for (size_t i = 0; i < TOOLS; i++) {
        call(rig, "a", i, 0);
    }
    for (size_t i = 0; i < TOOLS; i++) {
        call(rig, "b", i, 0);
    }
    assert_int_equal(session->members.tally_count, TB_TALLIES_MAX + 1);
    rig_advance(rig, SPAN_MS);
    assert_int_equal(rig_events(rig, "call_done"), TB_TALLIES_MAX + 1);
    assert_int_equal(rig_events(rig, "call_done {\"code\":\"ok\""), 1);
    assert_int_equal(rig_events(rig, "\"count\":100"), 1);
    assert_int_equal(session->members.tally_count, 0);
}

static void sessions_without_members_tell_of_each_call(void **state)
{
    struct rig *rig = ((struct audited *)*state)->rig;
    rig_create(rig, "a");
    rig_turn(rig);
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"a\"}"), 0);
        assert_int_equal(rig_events(rig, "call_done"), i);
    }
}

struct spoiler {
    struct tb_subscriber subscriber;
    struct tb_session *session;
};

static void spoil(const struct tb_event *event, void *user)
{
    if (event->type == TB_EVENT_CALL_DONE) {
        tb_session_end(((struct spoiler *)user)->session, TB_END_CLOSED);
    }
}

static void whoever_hears_of_calls_may_end_their_session(void **state)
{
    struct rig *rig = ((struct audited *)*state)->rig;
    struct spoiler spoiler = {{.fn = spoil}, begin(rig, 2)};
    spoiler.subscriber.user = &spoiler;
    tb_bus_subscribe(&rig->core.bus, &spoiler.subscriber);
    call(rig, "a", 0, 0);
    call(rig, "a", 1, 0);
    rig_advance(rig, SPAN_MS);
    assert_int_equal(rig_events(rig, "call_done"), 2);
    assert_null(rig_find(rig, "page"));
    tb_bus_unsubscribe(&spoiler.subscriber);
}

#define AUDITED(test) cmocka_unit_test_setup_teardown(test, audited_start, audited_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AUDITED(calls_of_one_agent_tool_and_outcome_are_told_as_a_number),
        AUDITED(of_several_the_longest_is_told),
        AUDITED(no_reply_waits_until_its_call_is_on_record),
        AUDITED(what_was_not_told_yet_is_told_before_the_end),
        AUDITED(there_is_a_ceiling_for_the_tools_that_are_told_apart),
        AUDITED(sessions_without_members_tell_of_each_call),
        AUDITED(whoever_hears_of_calls_may_end_their_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
