/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of agents that do not know yet that what they typed is lost. */
#include <string.h>

#include "core/session_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

#define HALF_HOUR_MS ((int64_t)30 * 60 * 1000)

/* Session "a" slept, and a form of it is empty when it wakes. */
static void lose_form(struct rig *rig)
{
    rig_create(rig, "a");
    rig_turn(rig);
    rig->fake->missing = "What was typed into 2 fields is lost.";
    rig->fake->typed_lost = true;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"tag\":\"login\"}"), 0);
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
}

static void an_act_is_refused_once(void **state)
{
    struct rig *rig = *state;
    struct tb_str note = TB_STR("");
    lose_form(rig);
    size_t before = rig->fake->counts.begun;
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_string_equal(call->message, "what was typed into the page was lost with the earlier "
                                       "browser of session 'a', so this was not done");
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_non_null(strstr(note.ptr, "What was typed into 2 fields is lost."));
    rig_expect(call, TB_E_TYPED_LOST);
    assert_int_equal(rig->fake->counts.begun, before);
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
}

/* Agents send several calls at once: a reply to the first is not known to who sent the second. */
static void so_are_those_that_were_sent_before_the_first_reply(void **state)
{
    struct rig *rig = *state;
    lose_form(rig);
    struct rig_call *wait = rig_start(rig, &rig_wait, "", NULL);
    struct rig_call *click = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *again = rig_start(rig, &rig_click, "", NULL);
    rig_turns(rig, 8);
    rig_expect(wait, 0);
    rig_expect(click, TB_E_TYPED_LOST);
    rig_expect(again, TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
}

static void who_has_been_told_or_goes_elsewhere_may_act(void **state)
{
    struct rig *rig = *state;
    lose_form(rig);
    assert_int_equal(rig_run(rig, &rig_wait, "", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
    rig_advance(rig, HALF_HOUR_MS);
    struct rig_call *away = rig_start(rig, &rig_navigate, "", NULL);
    struct rig_call *click = rig_start(rig, &rig_click, "", NULL);
    rig_turns(rig, 8);
    rig_expect(away, 0);
    rig_expect(click, 0);
}

static void other_losses_do_not_keep_anybody_from_acting(void **state)
{
    struct rig *rig = *state;
    lose_form(rig);
    rig->fake->typed_lost = false;
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
}

/* A call that leaves text in the page of session "a". */
static void type(struct rig *rig)
{
    rig->fake->types = true;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"tag\":\"text\"}"), 0);
    rig->fake->types = false;
}

static void text_that_no_save_has_is_missed_after_a_kill(void **state)
{
    struct rig *rig = *state;
    struct tb_str note = TB_STR("");
    rig_create(rig, "a");
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"tag\":\"login\"}"), 0);
    rig_advance(rig, 2500);
    type(rig);
    rig_kill(rig, 0);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_string_equal(note.ptr, "Session 'a' was restored from its last save. What was typed "
                                  "after that save is lost.");
    rig_expect(call, TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
}

static void nothing_is_said_of_a_save_that_never_was(void **state)
{
    struct rig *rig = *state;
    struct tb_str note = TB_STR("");
    const char *args = "{\"sessionId\":\"a\"}";
    rig_create(rig, "a");
    rig_turn(rig);
    type(rig);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_wait, "other", args), 0);
    struct rig_call *call = rig_start(rig, &rig_click, "", args);
    rig_turn(rig);
    assert_null(strstr(call->message, "save"));
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_string_equal(note.ptr,
                        "Session 'a' has a new browser. What was typed before that is lost.");
    rig_expect(call, TB_E_TYPED_LOST);
}

static void text_that_a_save_has_is_the_drivers_to_tell_of(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    type(rig);
    rig_advance(rig, 2500);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
}

static void a_save_that_fails_has_no_text(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig_advance(rig, 2500);
    type(rig);
    rig->fake->save.code = TB_E_TIMEOUT;
    rig_advance(rig, 2500);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_TYPED_LOST);
}

static void nor_has_a_save_that_could_not_look_into_the_page(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    type(rig);
    rig->fake->blind = true;
    rig_advance(rig, 2500);
    assert_int_equal(rig->fake->counts.saved, 1);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_TYPED_LOST);
}

/* Another agent that comes first has the note, and is not the one who counts on the text. */
static void who_typed_is_told_also_if_others_were_told_before(void **state)
{
    struct rig *rig = *state;
    struct tb_str note = TB_STR("");
    const char *args = "{\"sessionId\":\"a\"}";
    rig_create(rig, "a");
    rig_turn(rig);
    rig->fake->types = true;
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
    rig->fake->types = false;
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_wait, "other", args), 0);
    assert_int_equal(rig_run(rig, &rig_click, "other", args), 0);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", args);
    rig_turn(rig);
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_non_null(strstr(note.ptr, "What was typed before that is lost."));
    rig_expect(call, TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
}

/* A's call wakes the session, but A does not wait for the browser; its page is then empty. */
static void wake_in_vain(struct rig *rig)
{
    lose_form(rig);
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_wait, "", "{\"timeout_ms\":1000}");
    rig_turn(rig);
    rig_advance(rig, 1000);
    rig_expect(call, TB_E_TIMEOUT);
    rig->fake->open.when = TB_FAKE_NOW;
    assert_true(tb_fake_release(rig->fake, rig_find(rig, "a")->id));
    rig_turn(rig);
    rig->fake->missing = NULL;
    rig->fake->typed_lost = false;
}

static void refuses_an_act_once(struct rig *rig, const char *words)
{
    struct tb_str note = TB_STR("");
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_string_equal(note.ptr, words);
    rig_expect(call, TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
}

static void a_loss_that_nobody_heard_of_outlasts_another_sleep(void **state)
{
    struct rig *rig = *state;
    wake_in_vain(rig);
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
    refuses_an_act_once(rig, "Session 'a' was restored from its last save. What was typed before "
                             "that is lost.");
}

static void a_loss_that_nobody_heard_of_outlasts_the_daemon(void **state)
{
    struct rig *rig = *state;
    wake_in_vain(rig);
    rig_kill(rig, 0);
    refuses_an_act_once(rig, "Session 'a' was restored from its last save. What was typed before "
                             "that is lost.");
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
}

/* As an agent does that speaks HTTP. */
static void who_comes_back_by_another_name_is_told(void **state)
{
    struct rig *rig = *state;
    const char *args = "{\"sessionId\":\"a\"}";
    wake_in_vain(rig);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "new name", args), TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "new name", args), 0);
}

static void who_cancels_a_call_has_not_been_told(void **state)
{
    struct rig *rig = *state;
    lose_form(rig);
    rig->fake->ops[TB_OP_WAIT].when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_wait, "", NULL);
    rig_turn(rig);
    tb_call_cancel(call->call);
    rig_turn(rig);
    rig_expect(call, TB_E_CANCELLED);
    refuses_an_act_once(rig, "Session 'a' was restored from its last save. What was typed into 2 "
                             "fields is lost.");
}

static void ignore(struct tb_call *call, void *user)
{
    (void)call;
    (void)user;
}

/* As one who reads a resource of MCP. */
static void whose_reply_has_no_place_for_it_has_not_been_told(void **state)
{
    struct rig *rig = *state;
    lose_form(rig);
    tb_call_start(&rig->core,
                  &(struct tb_call_request){
                      .caller = {.who = &principal_t, .conversation = "", .noteless = true},
                      .entry.tool = &rig_wait,
                      .done = ignore,
                  });
    rig_turn(rig);
    refuses_an_act_once(rig, "Session 'a' was restored from its last save. What was typed into 2 "
                             "fields is lost.");
}

static void a_navigation_that_fails_leaves_no_page(void **state)
{
    struct rig *rig = *state;
    const char *args = "{\"sessionId\":\"a\"}";
    lose_form(rig);
    rig->fake->ops[TB_OP_NAVIGATE].code = TB_E_BAD_URL;
    assert_int_equal(rig_run(rig, &rig_navigate, "other", args), TB_E_BAD_URL);
    assert_int_equal(rig_run(rig, &rig_click, "", args), TB_E_TYPED_LOST);
}

/* One who types a field has not filled the form. */
static void what_another_types_does_not_make_up_for_the_loss(void **state)
{
    struct rig *rig = *state;
    const char *args = "{\"sessionId\":\"a\"}";
    rig_create(rig, "a");
    rig_turn(rig);
    rig->fake->types = true;
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_wait, "other", args), 0);
    rig->fake->types = true;
    assert_int_equal(rig_run(rig, &rig_click, "other", args), 0);
    rig->fake->types = false;
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
}

static void all_who_typed_are_told(void **state)
{
    struct rig *rig = *state;
    const char *args = "{\"sessionId\":\"a\"}";
    rig_create(rig, "a");
    rig_turn(rig);
    rig->fake->types = true;
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
    assert_int_equal(rig_run(rig, &rig_click, "other", args), 0);
    rig_kill(rig, 0);
    rig->fake->types = false;
    assert_int_equal(rig_run(rig, &rig_click, "other", args), TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "third", args), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), TB_E_TYPED_LOST);
}

static void who_has_been_told_is_not_refused_with_those_who_were_not(void **state)
{
    struct rig *rig = *state;
    const char *args = "{\"sessionId\":\"a\"}";
    rig_create(rig, "a");
    rig_turn(rig);
    rig->fake->types = true;
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
    rig_kill(rig, 0);
    rig->fake->types = false;
    assert_int_equal(rig_run(rig, &rig_wait, "other", args), 0);
    struct rig_call *wait = rig_start(rig, &rig_wait, "talk", args);
    struct rig_call *others = rig_start(rig, &rig_click, "other", args);
    struct rig_call *click = rig_start(rig, &rig_click, "talk", args);
    rig_turns(rig, 8);
    rig_expect(wait, 0);
    rig_expect(others, 0);
    rig_expect(click, TB_E_TYPED_LOST);
    assert_int_equal(rig_run(rig, &rig_click, "talk", args), 0);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(an_act_is_refused_once),
        RIG_TEST(so_are_those_that_were_sent_before_the_first_reply),
        RIG_TEST(who_has_been_told_or_goes_elsewhere_may_act),
        RIG_TEST(other_losses_do_not_keep_anybody_from_acting),
        RIG_TEST(text_that_no_save_has_is_missed_after_a_kill),
        RIG_TEST(nothing_is_said_of_a_save_that_never_was),
        RIG_TEST(text_that_a_save_has_is_the_drivers_to_tell_of),
        RIG_TEST(a_save_that_fails_has_no_text),
        RIG_TEST(nor_has_a_save_that_could_not_look_into_the_page),
        RIG_TEST(who_typed_is_told_also_if_others_were_told_before),
        RIG_TEST(a_loss_that_nobody_heard_of_outlasts_another_sleep),
        RIG_TEST(a_loss_that_nobody_heard_of_outlasts_the_daemon),
        RIG_TEST(who_comes_back_by_another_name_is_told),
        RIG_TEST(who_cancels_a_call_has_not_been_told),
        RIG_TEST(whose_reply_has_no_place_for_it_has_not_been_told),
        RIG_TEST(a_navigation_that_fails_leaves_no_page),
        RIG_TEST(what_another_types_does_not_make_up_for_the_loss),
        RIG_TEST(all_who_typed_are_told),
        RIG_TEST(who_has_been_told_is_not_refused_with_those_who_were_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
