/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a session is, and who may know of it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

static const struct tb_caller alice = {.who = &principal_t, .conversation = "alice"};
static const struct tb_caller bob = {.who = &principal_t, .conversation = "bob"};
static const struct tb_caller nobody = {.who = &principal_t, .conversation = ""};
static const struct tb_caller the_operator = {.who = &principal_t,
                                              .conversation = "",
                                              .everyone = true};

static int start(struct rig *rig, const struct tb_caller *caller, const char *name, bool hidden)
{
    const struct tb_session_spec spec = {.name = tb_str_of(name),
                                         .hidden = hidden,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session;
    const char *warning;
    int rc = tb_sessions_create(rig->core.sessions, caller, &spec, &session, &warning, NULL);
    rig_turn(rig);
    return rc;
}

static bool reaches(struct rig *rig, const struct tb_caller *caller, const char *name)
{
    return tb_sessions_reach(rig->core.sessions, caller, tb_str_of(name)) != NULL;
}

static char *list(struct rig *rig, const struct tb_caller *caller)
{
    struct tb_json_writer json;
    struct tb_buf text = TB_BUF(TB_MIB);
    size_t len;
    tb_json_writer_init(&json, &text);
    tb_sessions_list(rig->core.sessions, caller, &json);
    tb_buf_append_char(&text, '\0');
    return (char *)tb_buf_take(&text, &len);
}

static void who_closes_all_closes_its_own(void **state)
{
    struct rig *rig = *state;
    struct tb_sessions *sessions = rig->core.sessions;
    start(rig, &alice, "a", false);
    assert_int_equal(rig_run(rig, &rig_navigate, "alice", NULL), 0);
    start(rig, &bob, "b", false);
    start(rig, &nobody, "n", false);
    assert_int_equal(tb_sessions_close_all(sessions, &alice, false, false, NULL), 1);
    assert_false(reaches(rig, &alice, "a"));
    assert_true(reaches(rig, &bob, "b") && reaches(rig, &alice, "b"));
    assert_int_equal(tb_sessions_close_all(sessions, &nobody, false, false, NULL), 1);
    assert_int_equal(tb_sessions_close_all(sessions, &alice, false, false, NULL), 0);
    start(rig, &bob, "c", true);
    assert_int_equal(tb_sessions_close_all(sessions, &alice, true, false, NULL), 1);
    assert_true(reaches(rig, &bob, "c")); /* private: only its owner and the operator end it */
    assert_int_equal(tb_sessions_close_all(sessions, &the_operator, true, false, NULL), 1);
    assert_int_equal(tb_sessions_count(sessions), 0);
}

static void callers_without_a_conversation_are_one_and_have_nothing_private(void **state)
{
    struct rig *rig = *state;
    struct tb_sessions *sessions = rig->core.sessions;
    const struct tb_caller another = nobody;
    const struct tb_session_spec spec = {.name = TB_STR("secret"),
                                         .hidden = true,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session = NULL;
    const char *warning;
    struct tb_err err;
    assert_int_equal(tb_sessions_create(sessions, &nobody, &spec, &session, &warning, &err),
                     TB_E_PARAMS);
    assert_non_null(strstr(err.text, "X-Conversation-Id"));
    assert_non_null(strstr(err.text, "\"tabard/conversation\" in _meta"));
    assert_int_equal(start(rig, &the_operator, "secret", true), TB_E_PARAMS);
    assert_int_equal(tb_sessions_count(sessions), 0);
    /* What one of them starts is the other's too, and no conversation's. */
    start(rig, &nobody, "n", false);
    start(rig, &alice, "a", false);
    start(rig, &alice, "secret", true);
    assert_int_equal(rig_run(rig, &rig_navigate, "bob", NULL), 0);
    TB_AUTO(tb_free) char *theirs = list(rig, &another);
    assert_non_null(strstr(theirs, "\"currentSession\":\"n\""));
    assert_int_equal(tb_sessions_close_all(sessions, &another, false, false, NULL), 1);
    assert_false(reaches(rig, &nobody, "n"));
    assert_true(reaches(rig, &alice, "a") && reaches(rig, &alice, "secret"));
    assert_true(reaches(rig, &bob, "browser-1"));
    assert_int_equal(tb_sessions_close_all(sessions, &nobody, false, false, NULL), 0);
}

static void the_list_has_the_callers_own_first_and_says_whose_they_are(void **state)
{
    struct rig *rig = *state;
    char shown[TB_CONVERSATION_SHOWN];
    start(rig, &bob, "b", false);
    start(rig, &alice, "a", false);
    TB_AUTO(tb_free) char *hers = list(rig, &alice);
    TB_AUTO(tb_free) char *his = list(rig, &bob);
    assert_true(strstr(hers, "\"sessionId\":\"a\"") < strstr(hers, "\"sessionId\":\"b\""));
    assert_true(strstr(his, "\"sessionId\":\"b\"") < strstr(his, "\"sessionId\":\"a\""));
    assert_true(strstr(hers, "\"own\":true") < strstr(hers, "\"own\":false"));
    assert_null(strstr(hers, "bob")); /* as good as a key */
    tb_conversation_show(&rig->core, "bob", shown);
    assert_int_equal(strlen(shown), 12);
    assert_non_null(strstr(hers, shown));
}

static void a_private_session_is_there_for_its_owner_alone(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    assert_int_equal(start(rig, &alice, "secret", true), 0);
    assert_true(reaches(rig, &alice, "secret"));
    char id[TB_ID_SIZE];
    memcpy(id, tb_sessions_reach(rig->core.sessions, &alice, TB_STR("secret"))->id, sizeof(id));
    assert_false(reaches(rig, &bob, "secret") || reaches(rig, &bob, id));
    assert_true(reaches(rig, &the_operator, "secret"));
    TB_AUTO(tb_free) char *his = list(rig, &bob);
    assert_null(strstr(his, "secret"));
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &bob, TB_STR("secret"), NULL, &err),
        TB_E_SESSION_NOT_FOUND);
    assert_string_equal(err.text, "No session: secret");
    /* Its name is free for others, and each means its own. */
    assert_int_equal(start(rig, &bob, "secret", false), 0);
    assert_int_equal(start(rig, &alice, "secret", true), TB_E_SESSION_EXISTS);
    assert_string_not_equal(tb_sessions_reach(rig->core.sessions, &bob, TB_STR("secret"))->id, id);
    assert_string_equal(tb_sessions_reach(rig->core.sessions, &alice, TB_STR("secret"))->id, id);
    /* Nor does it show in the numbers of others. */
    assert_int_equal(start(rig, &alice, "", true), 0);
    assert_int_equal(start(rig, &bob, "", false), 0);
    assert_non_null(tb_sessions_find(rig->core.sessions, "t", TB_STR("browser-1")));
}

static void a_name_that_two_sessions_bear_leads_to_ones_own(void **state)
{
    struct rig *rig = *state;
    struct tb_sessions *sessions = rig->core.sessions;
    assert_int_equal(start(rig, &alice, "mail", true), 0);
    assert_int_equal(start(rig, &bob, "mail", false), 0); /* or hers would be no secret */
    const struct tb_session *own = tb_sessions_reach(sessions, &alice, TB_STR("mail"));
    const struct tb_session *shared = tb_sessions_reach(sessions, &bob, TB_STR("mail"));
    TB_AUTO(tb_free) char *words = tb_strdupf("\"currentSession\":\"%s\"", shared->id);
    assert_int_equal(tb_sessions_set_current(sessions, &alice, tb_str_of(shared->id), NULL, NULL),
                     0);
    TB_AUTO(tb_free) char *hers = list(rig, &alice);
    assert_null(strstr(hers, own->id));
    assert_non_null(strstr(hers, words));
    assert_non_null(strstr(strstr(hers, shared->id) + 1, shared->id)); /* as its own line too */
    TB_AUTO(tb_free) char *his = list(rig, &bob);
    assert_null(strstr(his, "\"id\""));
    TB_AUTO(tb_free) char *all = list(rig, &the_operator);
    assert_true(!strstr(all, own->id) && strstr(all, shared->id));
}

static void the_end_of_a_private_session_is_told_to_its_owner_alone(void **state)
{
    struct rig *rig = *state;
    struct tb_err err;
    start(rig, &alice, "secret", true);
    tb_session_end(tb_sessions_reach(rig->core.sessions, &alice, TB_STR("secret")),
                   TB_END_USER_STOPPED);
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &bob, TB_STR("secret"), NULL, &err),
        TB_E_SESSION_NOT_FOUND);
    assert_string_equal(err.text, "No session: secret");
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &alice, TB_STR("secret"), NULL, &err),
        TB_E_SESSION_STOPPED);
}

static void a_private_session_ends_with_its_conversation(void **state)
{
    struct rig *rig = *state;
    start(rig, &alice, "secret", true);
    start(rig, &alice, "open", false);
    tb_sessions_leave_conversation(rig->core.sessions, &alice);
    assert_false(reaches(rig, &the_operator, "secret"));
    assert_true(reaches(rig, &bob, "open"));
}

static void owners_and_private_sessions_survive(void **state)
{
    struct rig *rig = *state;
    start(rig, &alice, "secret", true);
    start(rig, &alice, "open", false);
    start(rig, &bob, "his", false);
    assert_int_equal(rig_run(rig, &rig_navigate, "bob", NULL), 0);
    rig_kill(rig, 1000);
    assert_true(reaches(rig, &alice, "secret") && !reaches(rig, &bob, "secret"));
    assert_int_equal(tb_sessions_close_all(rig->core.sessions, &alice, false, false, NULL), 2);
    assert_true(reaches(rig, &alice, "his"));
    /* So does the choice of a current one. */
    struct rig_call *call = rig_start(rig, &rig_click, "bob", NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "his");
    rig_expect(call, 0);
}

static void events_show_a_hash_of_the_conversation(void **state)
{
    struct rig *rig = *state;
    char shown[TB_CONVERSATION_SHOWN];
    char again[TB_CONVERSATION_SHOWN];
    assert_int_equal(rig_run(rig, &rig_navigate, "a-bearer-secret", NULL), 0);
    assert_int_equal(rig_events(rig, "a-bearer-secret"), 0);
    tb_conversation_show(&rig->core, "a-bearer-secret", shown);
    assert_int_equal(rig_events(rig, shown), 1);
    tb_conversation_show(&rig->core, shown, again);
    assert_string_not_equal(again, shown); /* to know the hash is not to have the key */
    tb_conversation_show(&rig->core, "", again);
    assert_string_equal(again, "");
}

static void names_that_are_no_names_are_refused(void **state)
{
    struct rig *rig = *state;
    static const char *const bad[] = {".",    "..",  ".hidden", "a/b", "a\\b",
                                      "a\nb", "a b", "\x7f",    "%2e", "x\x01"};
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_int_equal(start(rig, &alice, bad[i], false), TB_E_PARAMS);
    }
    assert_int_equal(start(rig, &alice, "a..b-_9.", false), 0);
}

static void on_open(struct tb_gate *gate)
{
    (void)gate;
}

static void name_of(int number, char fill, char ret_name[TB_CONVERSATION_SIZE])
{
    memset(ret_name, fill, TB_CONVERSATION_SIZE - 1);
    snprintf(ret_name + TB_CONVERSATION_SIZE - 5, 5, "%04d", number);
}

static void choose_a(struct rig *rig, const char *conversation)
{
    struct tb_gate gate;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = conversation};
    tb_gate_init(&gate, on_open);
    assert_int_equal(tb_sessions_set_current(rig->core.sessions, &caller, TB_STR("a"), &gate, NULL),
                     0);
    assert_int_equal(gate.err.code, 0);
    tb_gate_fini(&gate);
}

/* Others could keep a session from ever being stored again. */
static void of_many_choices_the_record_has_the_latest_that_fit(void **state)
{
    struct rig *rig = *state;
    static const struct {
        char fill;
        int kept;
    } rows[] = {{'x', 50}, {'\\', 50}, {'\x01', 40}};
    char name[TB_CONVERSATION_SIZE];
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        start(rig, &bob, "a", false);
        for (int number = 0; number < 60; number++) {
            name_of(number, rows[i].fill, name);
            choose_a(rig, name);
        }
        rig_kill(rig, 0);
        for (int number = 59; number > 59 - rows[i].kept; number--) {
            name_of(number, rows[i].fill, name);
            assert_ptr_equal(tb_current_get(rig_find(rig, "a")->places.home, name),
                             rig_find(rig, "a"));
        }
        name_of(0, rows[i].fill, name);
        assert_null(tb_current_get(rig_find(rig, "a")->places.home, name));
        tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
        rig_turn(rig);
    }
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(who_closes_all_closes_its_own),
        RIG_TEST(callers_without_a_conversation_are_one_and_have_nothing_private),
        RIG_TEST(the_list_has_the_callers_own_first_and_says_whose_they_are),
        RIG_TEST(a_private_session_is_there_for_its_owner_alone),
        RIG_TEST(a_name_that_two_sessions_bear_leads_to_ones_own),
        RIG_TEST(the_end_of_a_private_session_is_told_to_its_owner_alone),
        RIG_TEST(a_private_session_ends_with_its_conversation),
        RIG_TEST(owners_and_private_sessions_survive),
        RIG_TEST(events_show_a_hash_of_the_conversation),
        RIG_TEST(names_that_are_no_names_are_refused),
        RIG_TEST(of_many_choices_the_record_has_the_latest_that_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
