/* SPDX-License-Identifier: Apache-2.0 */
#include "core/members.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/resolve.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

enum {
    IDLE_MS = 300 * 1000,
    AGENTS = 10,
};

/* A page's session "page", of the conversation "owner". */
static struct tb_session *begin_as(struct rig *rig, const char *name)
{
    const struct tb_session_spec spec = {.kind = TB_KIND_CLIENT,
                                         .name = tb_str_of(name),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session = NULL;
    const char *warning;
    struct tb_err err;
    assert_int_equal(
        tb_sessions_create(rig->core.sessions,
                           &(struct tb_caller){.who = &principal_t, .conversation = "owner"}, &spec,
                           &session, &warning, &err),
        0);
    rig_turn(rig);
    return session;
}

static struct tb_session *begin(struct rig *rig)
{
    return begin_as(rig, "page");
}

static struct tb_caller caller_of(const char *conversation, const char *agent)
{
    return (struct tb_caller){.who = &principal_t, .conversation = conversation, .agent = agent};
}

static int join(struct tb_session *session, const char *conversation)
{
    struct tb_err err;
    const struct tb_caller caller = caller_of(conversation, "an agent");
    return tb_member_join(session, &caller, &err);
}

static int choose(struct rig *rig, const char *conversation, const char *session)
{
    struct tb_err err;
    const struct tb_caller caller = caller_of(conversation, "an agent");
    return tb_sessions_set_current(rig->core.sessions, &caller, tb_str_of(session), NULL, &err);
}

static void put_member(const struct tb_member_info *info, void *user)
{
    tb_buf_printf(user, "%s ", info->agent);
}

static void expect_members(const struct tb_session *session, const char *names)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    tb_members_each(session, put_member, &text);
    tb_buf_append_char(&text, '\0');
    assert_string_equal((const char *)text.data, names);
}

/* S4-01, S4-06, S4-08, S4-36 */
static void who_calls_is_a_member_and_the_bus_is_told_by_which_id(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    char id[TB_MEMBER_ID_SIZE];
    char event[200];
    rig->agent = "claude-code 2.1";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"page\"}"), 0);
    }
    const struct tb_caller caller = caller_of("talk", NULL);
    tb_member_id(&rig->core, &caller, id);
    assert_int_equal(strlen(id), TB_MEMBER_ID_SIZE - 2);
    assert_null(strstr(id, "talk"));
    snprintf(event, sizeof(event),
             "agent_joined {\"name\":\"page\",\"type\":\"client\",\"agent_id\":\"%s\",\"agent\":"
             "\"claude-code 2.1\"}",
             id);
    assert_int_equal(rig_events(rig, event), 1);
    assert_int_equal(tb_members_count(session), 1);
    expect_members(session, "claude-code 2.1 ");
}

/* S4-33 */
static void a_session_has_room_for_so_many_agents(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    char name[24];
    for (int i = 0; i < AGENTS; i++) {
        snprintf(name, sizeof(name), "talk-%d", i);
        assert_int_equal(i % 2 ? choose(rig, name, "page") : join(session, name), 0);
    }
    assert_int_equal(join(session, "talk-0"), 0); /* it is one already */
    struct rig_call *call = rig_start(rig, &rig_click, "one more", "{\"sessionId\":\"page\"}");
    rig_turn(rig);
    assert_string_equal(call->message, "session 'page' has 10 agents, and client.agents allows no "
                                       "more; wait until one of them leaves");
    rig_expect(call, TB_E_LIMIT);
    assert_int_equal(choose(rig, "one more", "page"), TB_E_LIMIT);
    assert_int_equal(rig_run(rig, &rig_click, "one more", NULL), TB_E_SESSION_NOT_FOUND);
    assert_int_equal(rig_run(rig, &rig_click, "talk-9", "{\"sessionId\":\"page\"}"), 0);
    const struct tb_caller last = caller_of("talk-3", NULL);
    assert_true(tb_member_leave(session, &last));
    assert_false(tb_member_leave(session, &last));
    assert_int_equal(rig_run(rig, &rig_click, "one more", "{\"sessionId\":\"page\"}"), 0);
    assert_int_equal(rig_events(rig, "agent_joined"), AGENTS + 1);
    assert_int_equal(rig_events(rig, "agent_left"), 1);
}

/* S4-37 */
static void it_leaves_with_its_conversation(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    struct tb_session *other = begin_as(rig, "other");
    const struct tb_caller a = caller_of("a", NULL);
    const struct tb_caller b = caller_of("b", NULL);
    join(session, "a");
    join(other, "a");
    join(session, "b");
    tb_sessions_leave_conversation(rig->core.sessions, &a);
    assert_int_equal(tb_members_count(session), 1);
    assert_int_equal(tb_members_count(other), 0);
    assert_int_equal(rig_events(rig, "agent_left {\"name\":\"other\",\"type\":\"client\",\"agent_"
                                     "id\":\"agent-"),
                     1);
    assert_true(tb_sessions_end_conversation(rig->core.sessions, &b, TB_END_CONVERSATION_ENDED,
                                             NULL)); /* nothing else is known of it */
    assert_int_equal(tb_members_count(session), 0);
    assert_false(
        tb_sessions_end_conversation(rig->core.sessions, &b, TB_END_CONVERSATION_ENDED, NULL));
    assert_int_equal(rig_events(rig, "agent_left"), 3);
}

static void it_leaves_when_it_chooses_another_session_or_lets_go(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    struct tb_session *other = begin_as(rig, "other");
    rig_create_as(rig, "t", "owner", "browser");
    choose(rig, "a", "page");
    choose(rig, "a", "page");
    choose(rig, "a", "other");
    assert_int_equal(tb_members_count(session), 0);
    assert_int_equal(tb_members_count(other), 1);
    choose(rig, "a", "browser");
    assert_int_equal(tb_members_count(other), 0);
    assert_int_equal(rig_events(rig, "agent_left"), 2);
    choose(rig, "a", "page");
    const struct tb_caller caller = caller_of("a", NULL);
    tb_session_detach(session, &caller, NULL);
    assert_int_equal(tb_members_count(session), 0);
    assert_int_equal(rig_events(rig, "agent_left"), 3);
}

static void it_leaves_after_the_idle_time_without_a_word(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    join(session, "a");
    rig_advance(rig, 1000);
    join(session, "b");
    rig_advance(rig, IDLE_MS - 1001);
    assert_int_equal(tb_members_count(session), 2);
    assert_int_equal(rig_run(rig, &rig_click, "a", "{\"sessionId\":\"page\"}"), 0);
    rig_advance(rig, 1001);
    assert_int_equal(tb_members_count(session), 1);
    rig_advance(rig, IDLE_MS - 1002);
    assert_int_equal(tb_members_count(session), 1);
    rig_advance(rig, 1);
    assert_int_equal(tb_members_count(session), 0);
    assert_int_equal(rig_events(rig, "agent_left"), 2);
    assert_int_equal(tb_session_info(session).stats.calls, 1);
}

/* Such as one behind a socket, whose end is heard. */
static void it_stays_however_long_it_says_nothing_if_somebody_tells_when_it_goes(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    struct tb_caller caller = caller_of("a", "");
    caller.passing = true;
    assert_int_equal(tb_member_join(session, &caller, NULL), 0);
    rig_advance(rig, 2LL * IDLE_MS);
    assert_int_equal(tb_members_count(session), 1);
    tb_sessions_leave_conversation(rig->core.sessions, &caller);
    assert_int_equal(tb_members_count(session), 0);
}

static void one_that_has_not_introduced_itself_is_told_when_it_does_or_calls(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    struct tb_session *other = begin_as(rig, "other");
    struct tb_caller a = caller_of("a", NULL);
    struct tb_caller b = caller_of("b", NULL);
    struct tb_caller c = caller_of("c", NULL);
    assert_int_equal(tb_member_join(session, &a, NULL), 0);
    assert_int_equal(tb_member_join(other, &a, NULL), 0);
    assert_int_equal(tb_member_join(session, &b, NULL), 0);
    assert_int_equal(tb_member_join(session, &c, NULL), 0);
    assert_int_equal(tb_members_count(session), 3); /* its place is taken all the same */
    assert_int_equal(rig_events(rig, "agent_joined"), 0);
    a.agent = "research-bot";
    tb_members_introduce(rig->core.sessions, &a);
    tb_members_introduce(rig->core.sessions, &a);
    assert_int_equal(rig_events(rig, "\"agent\":\"research-bot\""), 2);
    assert_int_equal(rig_run(rig, &rig_click, "b", "{\"sessionId\":\"page\"}"), 0);
    assert_int_equal(rig_events(rig, "agent_joined"), 3);
    assert_true(tb_member_leave(session, &c)); /* nobody knew of it */
    assert_int_equal(rig_events(rig, "agent_left"), 0);
    expect_members(session, "research-bot  ");
}

static void callers_without_a_conversation_are_told_apart_by_their_credentials(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    const struct tb_caller one = caller_of("", "");
    struct tb_caller other = one;
    char ids[2][TB_MEMBER_ID_SIZE];
    other.who = principal_with(TB_SCOPE_ACT);
    snprintf(other.who->key, sizeof(other.who->key), "key-2");
    assert_int_equal(tb_member_join(session, &one, NULL), 0);
    assert_int_equal(tb_member_join(session, &other, NULL), 0);
    assert_int_equal(tb_member_join(session, &one, NULL), 0);
    assert_int_equal(tb_members_count(session), 2);
    tb_member_id(&rig->core, &one, ids[0]);
    tb_member_id(&rig->core, &other, ids[1]);
    assert_string_not_equal(ids[0], ids[1]);
    assert_true(tb_member_leave(session, &one));
    assert_int_equal(tb_members_count(session), 1);
}

static void whose_page_it_is_becomes_no_member_by_that(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    assert_int_equal(choose(rig, "owner", "page"), 0);
    assert_int_equal(tb_members_count(session), 0);
}

static void sessions_of_other_kinds_have_none(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    struct tb_err err;
    const struct tb_caller caller = caller_of("talk", "");
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"a\"}"), 0);
    assert_int_equal(choose(rig, "talk", "a"), 0);
    assert_int_equal(tb_member_join(session, &caller, &err), TB_E_NOT_POSSIBLE);
    assert_int_equal(tb_members_count(session), 0);
    assert_int_equal(rig_events(rig, "agent_joined"), 0);
}

/* Whoever is told so knows that all have left. */
static void the_end_of_the_session_says_all(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    choose(rig, "a", "page");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_click, "b", "{\"sessionId\":\"page\"}");
    rig_turn(rig);
    tb_session_end(session, TB_END_CLOSED);
    assert_int_equal(tb_members_count(session), 0);
    rig_turn(rig);
    rig_expect(call, TB_E_SESSION_ENDED);
    assert_int_equal(rig_events(rig, "agent_joined"), 2);
    assert_int_equal(rig_events(rig, "agent_left"), 0);
}

static void offer_tool(struct rig *rig, const struct tb_session *session)
{
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    assert_int_equal(tb_brought_new("add", "", "add", TB_STR("{}"), tools, NULL), 0);
    assert_true(tb_fake_bring_take(rig->fake, session->id, tools, 1));
}

static void expect_state(struct rig *rig, const struct tb_session *session, int64_t after_ms,
                         enum tb_shown_state state)
{
    rig_advance(rig, after_ms);
    assert_string_equal(tb_shown_state_name(tb_session_info(session).state),
                        tb_shown_state_name(state));
}

/* S4-17, S4-18 */
static void a_session_is_idle_when_no_agent_was_there_for_a_while(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    struct tb_caller caller = caller_of("a", "");
    caller.passing = true;
    expect_state(rig, session, 0, TB_SHOWN_CREATED);
    offer_tool(rig, session);
    expect_state(rig, session, IDLE_MS - 1, TB_SHOWN_ACTIVE);
    expect_state(rig, session, 1, TB_SHOWN_IDLE);
    assert_int_equal(tb_member_join(session, &caller, NULL), 0);
    expect_state(rig, session, 2LL * IDLE_MS, TB_SHOWN_ACTIVE); /* it is connected all the time */
    assert_true(tb_member_leave(session, &caller));
    expect_state(rig, session, IDLE_MS - 1, TB_SHOWN_ACTIVE);
    expect_state(rig, session, 1, TB_SHOWN_IDLE);
    assert_int_equal(rig_run(rig, &rig_click, "b", "{\"sessionId\":\"page\"}"), 0);
    expect_state(rig, session, IDLE_MS - 1, TB_SHOWN_ACTIVE);
    expect_state(rig, session, 1, TB_SHOWN_IDLE); /* so it has gone since its last call */
    assert_int_equal(tb_members_count(session), 0);
}

struct spoiler {
    struct tb_subscriber subscriber;
    struct tb_session *session;
    enum tb_event_type at;
};

static void spoil(const struct tb_event *event, void *user)
{
    const struct spoiler *spoiler = user;
    if (event->type == spoiler->at) {
        tb_session_end(spoiler->session, TB_END_CLOSED);
    }
}

static void whoever_hears_of_it_may_end_the_session(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 4; i++) {
        struct spoiler spoiler = {{.fn = spoil}, begin(rig), TB_EVENT_AGENT_JOINED};
        spoiler.subscriber.user = &spoiler;
        spoiler.at = i == 3 ? TB_EVENT_AGENT_LEFT : TB_EVENT_AGENT_JOINED;
        tb_bus_subscribe(&rig->core.bus, &spoiler.subscriber);
        if (i == 0) {
            assert_int_equal(rig_run(rig, &rig_click, "a", "{\"sessionId\":\"page\"}"),
                             TB_E_SESSION_ENDED);
        } else if (i == 1) {
            assert_int_equal(choose(rig, "a", "page"), TB_E_SESSION_ENDED);
            assert_int_equal(rig_run(rig, &rig_click, "a", NULL), TB_E_SESSION_NOT_FOUND);
        } else if (i == 2) {
            assert_int_equal(join(spoiler.session, "a"), TB_E_SESSION_ENDED);
        } else {
            join(spoiler.session, "a");
            join(spoiler.session, "b");
            rig_advance(rig, IDLE_MS);
        }
        tb_bus_unsubscribe(&spoiler.subscriber);
        rig_turn(rig);
        assert_null(rig_find(rig, "page"));
    }
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(who_calls_is_a_member_and_the_bus_is_told_by_which_id),
        RIG_TEST(a_session_has_room_for_so_many_agents),
        RIG_TEST(it_leaves_with_its_conversation),
        RIG_TEST(it_leaves_when_it_chooses_another_session_or_lets_go),
        RIG_TEST(it_leaves_after_the_idle_time_without_a_word),
        RIG_TEST(it_stays_however_long_it_says_nothing_if_somebody_tells_when_it_goes),
        RIG_TEST(one_that_has_not_introduced_itself_is_told_when_it_does_or_calls),
        RIG_TEST(callers_without_a_conversation_are_told_apart_by_their_credentials),
        RIG_TEST(whose_page_it_is_becomes_no_member_by_that),
        RIG_TEST(sessions_of_other_kinds_have_none),
        RIG_TEST(the_end_of_the_session_says_all),
        RIG_TEST(a_session_is_idle_when_no_agent_was_there_for_a_while),
        RIG_TEST(whoever_hears_of_it_may_end_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
