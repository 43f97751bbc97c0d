/* SPDX-License-Identifier: Apache-2.0 */
#include "core/resolve.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

static const char *resolve(struct rig *rig, const char *conversation, const char *explicit_id,
                           bool may_create, struct tb_err *err)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = conversation};
    struct tb_resolve_ask ask = {.caller = &caller,
                                 .named = tb_str_of(explicit_id),
                                 .flags = may_create ? TB_RESOLVE_MAY_CREATE : 0};
    struct tb_place place = {NULL};
    *err = (struct tb_err){0};
    int rc = tb_resolve(rig->core.sessions, &ask, &place, err);
    if (rc < 0) {
        assert_int_equal(rc, err->code);
        assert_null(place.session);
        return NULL;
    }
    assert_int_equal(rc, 0);
    return place.session->name;
}

static void set_current(struct rig *rig, const char *conversation, const char *name, int expected)
{
    struct tb_err err;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = conversation};
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &caller, tb_str_of(name), NULL, &err),
        expected);
}

/* S0-23, S1-08, S1-20, S1-21, S1-33 */
static void the_explicit_one_then_the_current_one_then_the_conversations(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    rig_create(rig, "alice");
    rig_create(rig, "bob");
    assert_string_equal(resolve(rig, "talk", "", true, &err), "browser-1");
    assert_string_equal(resolve(rig, "talk", "", true, &err), "browser-1");
    assert_string_equal(resolve(rig, "talk", "alice", true, &err), "alice");
    assert_string_equal(resolve(rig, "talk", "", false, &err), "browser-1");
    set_current(rig, "talk", "alice", 0);
    assert_string_equal(resolve(rig, "talk", "", false, &err), "alice");
    assert_string_equal(resolve(rig, "", "", false, &err), "bob"); /* the last that it made */
    tb_session_end(rig_find(rig, "alice"), TB_END_CLOSED);
    assert_string_equal(resolve(rig, "talk", "", false, &err), "browser-1");
    set_current(rig, "talk", "nobody", TB_E_SESSION_NOT_FOUND);
}

static const char *give_up(struct rig *rig, const char *conversation, const char *name, bool detach)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = conversation};
    const struct tb_session *current =
        tb_session_give_up(rig_find(rig, name), &caller, detach, NULL);
    return current ? current->name : "";
}

static void a_session_that_does_not_open_leaves_the_current_one(void **state)
{
    struct rig *rig = *state;
    rig_create_as(rig, "t", "other", "theirs");
    rig_create_as(rig, "t", "talk", "mine");
    rig_turn(rig);
    set_current(rig, "talk", "theirs", 0);
    rig->fake->open.code = TB_E_NO_DISPLAY;
    rig_create_as(rig, "t", "talk", "late");
    rig_turn(rig);
    assert_null(rig_find(rig, "late"));
    struct rig_call *call = rig_start(rig, &rig_click, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "theirs");
    rig_expect(call, 0);
}

static void who_closes_its_current_session_goes_on_in_the_one_before(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    assert_string_equal(resolve(rig, "talk", "", true, &err), "browser-1");
    rig_create_as(rig, "t", "talk", "a");
    rig_create_as(rig, "t", "talk", "b");
    rig_create_as(rig, "t", "other", "c");
    set_current(rig, "talk", "a", 0);
    set_current(rig, "talk", "c", 0);
    rig_create_as(rig, "t", "talk", "d");
    assert_string_equal(give_up(rig, "talk", "d", false), "a"); /* not that of another agent */
    assert_string_equal(resolve(rig, "talk", "", false, &err), "a");
    assert_string_equal(give_up(rig, "talk", "c", false), ""); /* it was not the current one */
    assert_string_equal(give_up(rig, "talk", "a", true), "b");
    assert_string_equal(give_up(rig, "talk", "b", false), "browser-1"); /* not one let go */
    set_current(rig, "talk", "a", 0);
    assert_string_equal(give_up(rig, "talk", "browser-1", false), "");
    assert_string_equal(give_up(rig, "talk", "a", false), "");
    assert_null(resolve(rig, "talk", "", false, &err));
    assert_string_equal(err.text, "No session: none active");
}

/* S1-34 */
static void who_finds_none_is_told_the_candidates(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    assert_null(resolve(rig, "", "", false, &err));
    assert_string_equal(err.text, "No session: none active");
    rig_create_as(rig, "t", "x", "alice");
    rig_create_as(rig, "t", "x", "bob");
    rig_create_as(rig, "u", "x", "hidden");
    assert_null(resolve(rig, "", "", false, &err));
    assert_int_equal(err.code, TB_E_SESSION_NOT_FOUND);
    assert_string_equal(err.text, "No session: none is current. There are: alice, bob, of other "
                                  "agents; use one only if you were told to");
    assert_null(resolve(rig, "x", "hidden", true, &err));
    assert_string_equal(err.text, "No session: hidden. There are: alice, bob");
    tb_session_end(rig_find(rig, "bob"), TB_END_USER_STOPPED);
    assert_null(resolve(rig, "x", "bob", true, &err));
    assert_int_equal(err.code, TB_E_SESSION_STOPPED);
    assert_string_equal(err.text, "Session bob was stopped by the user. "
                                  "That was just now.");
}

static void the_words_are_cut_but_stay_whole_characters(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    char name[200] = "";
    for (size_t i = 0; i + 2 < sizeof(name); i += 2) {
        name[i] = '\xc3';
        name[i + 1] = '\xa4';
    }
    assert_null(resolve(rig, "", name + 1, false, &err)); /* begins with half a character */
    assert_non_null(strstr(err.text, "No session: \xef\xbf\xbd\xc3\xa4"));
    assert_null(resolve(rig, "", "\xe2\x80\xae\n", false, &err));
    assert_non_null(strstr(err.text, "No session: \\u202e\\n"));
    char odd[201];
    snprintf(odd, sizeof(odd), "x%s", name);
    assert_null(resolve(rig, "", odd, false, &err));
    size_t shown = strlen(err.text) - strlen("No session: ");
    assert_in_range(shown, 60, 64);
    for (int i = 0; i < 12; i++) {
        char long_name[TB_NAME_SIZE];
        snprintf(long_name, sizeof(long_name), "%050d", i);
        rig_create(rig, long_name);
    }
    assert_null(resolve(rig, "x", "", false, &err));
    assert_non_null(strstr(err.text, "use one only if you were told to"));
}

static void at_most_ten_candidates_are_named(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    for (int i = 0; i < 11; i++) {
        rig_create(rig, "");
    }
    assert_null(resolve(rig, "x", "", false, &err));
    assert_non_null(strstr(err.text, "browser-10 and more, of other agents"));
    assert_null(strstr(err.text, "browser-11"));
}

/* S1-48: a plain script has one session that it never names. */
static void a_caller_without_a_conversation_keeps_its_session(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    assert_string_equal(resolve(rig, "", "", true, &err), "browser-1");
    assert_string_equal(resolve(rig, "", "", true, &err), "browser-1");
    struct tb_session *session = rig_find(rig, "browser-1");
    assert_false(session->traits.of_conversation);
    rig_turn(rig);
    rig_advance(rig, rig->config.sessions_named_idle_ms - 1); /* lives as a named one */
    assert_string_equal(resolve(rig, "", "", false, &err), "browser-1");
    rig_advance(rig, 1);
    assert_string_equal(resolve(rig, "", "", true, &err), "browser-2");
    rig->config.sessions_reuse_within_conversation = false;
    assert_string_equal(resolve(rig, "", "", true, &err), "browser-2");
}

/* S0-27 */
static void without_reuse_each_call_that_may_create_gets_a_fresh_session(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    rig->config.sessions_reuse_within_conversation = false;
    assert_string_equal(resolve(rig, "talk", "", true, &err), "browser-1");
    assert_string_equal(resolve(rig, "talk", "", true, &err), "browser-2");
    assert_string_equal(resolve(rig, "talk", "", false, &err), "browser-2");
    assert_string_equal(resolve(rig, "talk", "browser-1", true, &err), "browser-1");
    rig_create(rig, "chosen");
    set_current(rig, "talk", "chosen", 0); /* a choice that was made is kept */
    assert_string_equal(resolve(rig, "talk", "", true, &err), "chosen");
}

/* S1-17: detach instead of terminate. */
static void a_session_that_is_let_go_lives_on_as_a_named_one(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct tb_session *session = rig_find(rig, "browser-1");
    rig_advance(rig, 100000);
    tb_session_detach(session, &caller, NULL);
    assert_null(resolve(rig, "talk", "", false, &err));
    assert_string_equal(resolve(rig, "talk", "", true, &err), "browser-2");
    tb_sessions_end_conversation(rig->core.sessions, &caller, TB_END_CONVERSATION_ENDED, NULL);
    assert_ptr_equal(rig_find(rig, "browser-1"), session);
    rig_advance(rig, rig->config.sessions_named_idle_ms - 100001);
    assert_ptr_equal(rig_find(rig, "browser-1"), session);
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "browser-1"));

    rig_create_as(rig, "t", "talk", "named");
    assert_int_equal(rig_run(rig, &rig_navigate, "other", NULL), 0);
    assert_int_equal(tb_sessions_close_all(rig->core.sessions, &caller, true, true, NULL), 2);
    assert_null(resolve(rig, "talk", "", false, &err));
    assert_string_equal(resolve(rig, "other", "", false, &err), "browser-3");
    assert_int_equal(tb_sessions_count(rig->core.sessions), 2);
}

static void a_session_whose_pages_can_stay_ends_when_it_is_let_go(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    rig->fake->detachable = true;
    rig_create_as(rig, "t", "talk", "first");
    rig_create_as(rig, "t", "talk", "second");
    rig_turn(rig);
    struct tb_session *first = rig_find(rig, "first");
    tb_session_detach(first, &caller, NULL);
    rig_turn(rig);
    assert_null(rig_find(rig, "first"));
    assert_string_equal(resolve(rig, "talk", "second", false, &err), "second");
    assert_int_equal(tb_sessions_close_all(rig->core.sessions, &caller, true, true, NULL), 1);
    rig_turn(rig);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
    assert_int_equal(rig->fake->counts.detached, 2);
    assert_int_equal(rig->fake->counts.closed, 2);
}

static void end_neighbour(const struct tb_event *event, void *user)
{
    struct rig *rig = user;
    struct tb_session *neighbour = rig_find(rig, "second");
    if (event->type == TB_EVENT_SESSION_ENDED && neighbour) {
        tb_session_end(neighbour, TB_END_CLOSED);
    }
}

static void who_hears_of_one_let_go_may_end_the_next(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    struct tb_subscriber subscriber = {.fn = end_neighbour, .user = rig};
    rig->fake->detachable = true;
    rig_create_as(rig, "t", "talk", "first");
    rig_create_as(rig, "t", "talk", "second");
    rig_create_as(rig, "t", "talk", "third");
    rig_turn(rig);
    tb_bus_subscribe(&rig->core.bus, &subscriber);
    assert_int_equal(tb_sessions_close_all(rig->core.sessions, &caller, true, true, NULL), 3);
    tb_bus_unsubscribe(&subscriber);
    rig_turn(rig);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
    assert_int_equal(rig->fake->counts.detached, 2);
}

static void without_a_driver_none_is_made(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    rig->core.drivers[0].driver = NULL;
    assert_null(resolve(rig, "talk", "", true, &err));
    assert_int_equal(err.code, TB_E_NOT_POSSIBLE);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
}

static void choices_are_bounded_and_the_oldest_is_forgotten(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    char conversation[32];
    rig_create_as(rig, "t", "creator", "a");
    for (int i = 0; i < TB_CURRENT_MAX; i++) {
        snprintf(conversation, sizeof(conversation), "c%d", i);
        set_current(rig, conversation, "a", 0);
    }
    assert_null(resolve(rig, "creator", "", false, &err));
    assert_string_equal(resolve(rig, "c0", "", false, &err), "a");
    set_current(rig, "one more", "a", 0);
    assert_null(resolve(rig, "c0", "", false, &err));
    assert_string_equal(resolve(rig, conversation, "", false, &err), "a");
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    assert_null(resolve(rig, conversation, "", false, &err));
}

/* Ten thousand agents may be connected at once, and each has chosen a session. */
static void choices_of_those_who_say_when_they_go_are_not_counted(void **state)
{
    struct rig *rig = *state;
    struct tb_caller caller = {.who = principal_of("t"), .passing = true};
    struct tb_err err;
    char conversation[32];
    rig_create_as(rig, "t", "creator", "a");
    caller.conversation = conversation;
    for (int i = 0; i <= TB_CURRENT_MAX; i++) {
        snprintf(conversation, sizeof(conversation), "c%d", i);
        assert_int_equal(
            tb_sessions_set_current(rig->core.sessions, &caller, TB_STR("a"), NULL, &err), 0);
    }
    assert_string_equal(resolve(rig, "c0", "", false, &err), "a");
    caller.conversation = "c0";
    tb_sessions_leave_conversation(rig->core.sessions, &caller);
    assert_null(resolve(rig, "c0", "", false, &err));
    assert_string_equal(resolve(rig, "c1", "", false, &err), "a");
}

/* Another kind gets a rule of its own with its row; until then nobody guesses. */
static void a_kind_without_a_rule_has_to_be_named(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = ""};
    struct tb_resolve_ask ask = {
        .caller = &caller, .kind = TB_KIND_TAB, .flags = TB_RESOLVE_MAY_CREATE};
    struct tb_place place = {NULL};
    struct tb_err err;
    rig_create(rig, "a");
    assert_int_equal(tb_resolve(rig->core.sessions, &ask, &place, &err), TB_E_SESSION_NOT_FOUND);
    assert_non_null(strstr(err.text, "There are: a"));
    ask.named = TB_STR("a");
    assert_int_equal(tb_resolve(rig->core.sessions, &ask, &place, &err), 0);
    assert_string_equal(place.session->name, "a");
}

/* What it finds where it names nothing, and what list_sessions says is current. */
static const char *found(struct rig *rig, const struct tb_caller *caller, unsigned flags,
                         struct tb_err *err)
{
    struct tb_resolve_ask ask = {.caller = caller, .flags = flags};
    struct tb_place place = {NULL};
    const struct tb_session *meant = tb_resolve_meant(rig->core.sessions, caller);
    int rc = tb_resolve(rig->core.sessions, &ask, &place, err);
    assert_true(flags || place.session == meant);
    return rc < 0 ? NULL : place.session->name;
}

static void a_way_in_gives_a_session_to_who_names_none(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_caller way = {.who = principal_of("t"), .conversation = "talk", .session = "a"};
    rig_create_as(rig, "t", "x", "a");
    rig_create_as(rig, "t", "x", "b");
    set_current(rig, "talk", "b", 0);
    assert_string_equal(found(rig, &way, 0, &err), "a"); /* whatever others choose there */
    assert_int_equal(tb_sessions_set_current(rig->core.sessions, &way, TB_STR("b"), NULL, &err),
                     TB_E_NOT_POSSIBLE);
    assert_int_equal(tb_sessions_set_current(rig->core.sessions, &way, TB_STR("a"), NULL, &err), 0);
    set_current(rig, "talk", "b", 0);
    tb_session_end(rig_find(rig, "a"), TB_END_USER_STOPPED);
    assert_null(found(rig, &way, TB_RESOLVE_MAY_CREATE, &err));
    assert_string_equal(err.text, "Session a was stopped by the user. That was just now.");
    assert_string_equal(resolve(rig, "talk", "", false, &err), "b");
}

static void who_chooses_counts_before_its_way_in(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    struct tb_caller way = {
        .who = principal_of("t"), .conversation = "own", .session = "a", .chooses = true};
    rig_create_as(rig, "t", "x", "a");
    rig_create_as(rig, "t", "x", "b");
    assert_string_equal(found(rig, &way, TB_RESOLVE_MAY_CREATE, &err), "a");
    set_current(rig, "own", "b", 0);
    assert_string_equal(found(rig, &way, 0, &err), "b");
    tb_session_end(rig_find(rig, "b"), TB_END_CLOSED);
    assert_string_equal(found(rig, &way, 0, &err), "a");
    tb_session_end(rig_find(rig, "a"), TB_END_IDLE_TIMEOUT);
    assert_null(found(rig, &way, 0, &err));
    assert_non_null(strstr(err.text, "Session a ended"));
    assert_string_equal(found(rig, &way, TB_RESOLVE_MAY_CREATE, &err), "browser-1");
    const struct tb_session *made = rig_find(rig, "browser-1");
    assert_non_null(strstr(made->end.replaces_note, "Session a ended"));
    assert_string_equal(found(rig, &way, 0, &err), "browser-1");
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(the_explicit_one_then_the_current_one_then_the_conversations),
        RIG_TEST(who_finds_none_is_told_the_candidates),
        RIG_TEST(the_words_are_cut_but_stay_whole_characters),
        RIG_TEST(at_most_ten_candidates_are_named),
        RIG_TEST(a_caller_without_a_conversation_keeps_its_session),
        RIG_TEST(without_reuse_each_call_that_may_create_gets_a_fresh_session),
        RIG_TEST(a_session_that_is_let_go_lives_on_as_a_named_one),
        RIG_TEST(a_session_that_does_not_open_leaves_the_current_one),
        RIG_TEST(who_closes_its_current_session_goes_on_in_the_one_before),
        RIG_TEST(a_session_whose_pages_can_stay_ends_when_it_is_let_go),
        RIG_TEST(who_hears_of_one_let_go_may_end_the_next),
        RIG_TEST(without_a_driver_none_is_made),
        RIG_TEST(a_kind_without_a_rule_has_to_be_named),
        RIG_TEST(choices_are_bounded_and_the_oldest_is_forgotten),
        RIG_TEST(choices_of_those_who_say_when_they_go_are_not_counted),
        RIG_TEST(a_way_in_gives_a_session_to_who_names_none),
        RIG_TEST(who_chooses_counts_before_its_way_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
