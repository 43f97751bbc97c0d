/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the requests that policy refused to a session's pages, above all in replies. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/egress.h"
#include "core/limits.h"
#include "core/mask.h"
#include "core/session_internal.h"
#include "core/session_policy.h"

#include "support/core_rig.h"
#include "support/principals.h"

#define SAID "Policy refused requests of the session's pages: "

/* Session "a", with an egress. */
static struct tb_session *begin(struct rig *rig)
{
    struct tb_err err;
    struct tb_session *session = rig_create(rig, "a");
    TB_AUTO(tb_json_free)
    struct cJSON *args = tb_json_parse(TB_STR("{\"policy\":{\"block_domains\":[\"b.example\"]}}"));
    tb_egresses_set_proxy(rig->core.egresses, "127.0.0.1:1");
    rig_turn(rig);
    assert_int_equal(tb_session_policy_read(session, args, &err), 0);
    assert_int_equal(tb_egress_of(session, args, &session->bounds.egress, &err), 0);
    assert_non_null(session->bounds.egress);
    return session;
}

static void refuse(const struct tb_session *session, const char *host, const char *rule)
{
    struct tb_egress_goal goal = {.port = 443};
    struct tb_err why;
    snprintf(goal.host.name, sizeof(goal.host.name), "%s", host);
    tb_fail(&why, TB_E_DOMAIN_BLOCKED, "%s is blocked by %s", host, rule);
    tb_egress_refused(session->bounds.egress, &goal, &why);
}

static void expect_note(struct rig *rig, const char *expected)
{
    TB_AUTO(tb_free) char *note = rig_note(rig);
    assert_string_equal(note, expected);
}

static void a_refusal_is_said_once_however_often_it_comes(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    expect_note(rig, "");
    for (int i = 0; i < 40; i++) {
        refuse(session, "x.example", "one");
    }
    expect_note(rig, SAID "x.example is blocked by one.");
    refuse(session, "x.example", "one");
    expect_note(rig, "");
    refuse(session, "x.example", "one");
    refuse(session, "y.example", "one");
    expect_note(rig, SAID "y.example is blocked by one.");
}

static void a_refusal_is_said_again_when_a_call_opens_an_address(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    refuse(session, "x.example", "one");
    expect_note(rig, SAID "x.example is blocked by one.");
    tb_egress_opens(session->bounds.egress);
    expect_note(rig, "");
    refuse(session, "x.example", "one");
    tb_egress_opens(session->bounds.egress);
    refuse(session, "x.example", "one");
    expect_note(rig, SAID "x.example is blocked by one.");
    refuse(session, "x.example", "one");
    expect_note(rig, "");
}

static void each_rule_of_a_host_is_said(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    refuse(session, "x.example", "one");
    refuse(session, "x.example", "two");
    refuse(session, "x.example", "one");
    expect_note(rig, SAID "x.example is blocked by one; x.example is blocked by two.");
    refuse(session, "x.example", "two");
    expect_note(rig, "");
}

static void of_many_the_first_three_are_said_and_how_many_more_there_are(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    char host[32];
    for (int i = 0; i < 40; i++) {
        snprintf(host, sizeof(host), "%d.example", i);
        refuse(session, host, "it");
    }
    expect_note(rig, SAID "0.example is blocked by it; 1.example is blocked by it; "
                          "2.example is blocked by it; and 37 more.");
    expect_note(rig, "");
}

static void a_page_with_new_hosts_without_end_is_not_told_of_without_end(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    char host[32];
    for (int i = 0; i < 2 * TB_EGRESS_HOSTS; i++) {
        snprintf(host, sizeof(host), "%d.example", i);
        refuse(session, host, "it");
    }
    TB_AUTO(tb_free) char *note = rig_note(rig);
    assert_non_null(strstr(note, "; and 497 more."));
    refuse(session, "new.example", "it");
    expect_note(rig, "");
}

static void what_was_typed_is_told_nowhere(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    session->bounds.mask = tb_mask_new(&rig->core.vault);
    tb_mask_add(session->bounds.mask, "{{secret:x}}", TB_STR("Hunter22"), false);
    refuse(session, "hunter22.example", "it");
    expect_note(rig, SAID "{{secret:x}}.example is blocked by it.");
    assert_int_equal(rig_events(rig, "\"host\":\"{{secret:x}}.example\""), 1);
    assert_int_equal(rig_events(rig, "hunter22"), 0);
    TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(1 << 16);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &list);
    tb_egress_print(session, &json);
    tb_buf_append_char(&list, '\0');
    assert_non_null(strstr((const char *)list.data, "\"{{secret:x}}.example\",\"requests\""));
    assert_non_null(strstr((const char *)list.data, "\"{{secret:x}}.example\",\"port\""));
    assert_null(strstr((const char *)list.data, "hunter22"));
}

static void ignore(struct tb_call *call, void *user)
{
    (void)call;
    (void)user;
}

static void it_waits_for_a_reply_that_has_a_place_for_it(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = begin(rig);
    refuse(session, "x.example", "one");
    tb_call_start(&rig->core,
                  &(struct tb_call_request){
                      .caller = {.who = principal_of("t"), .conversation = "", .noteless = true},
                      .entry.tool = &rig_click,
                      .args = {.json = TB_STR("{\"sessionId\":\"a\"}")},
                      .done = ignore,
                  });
    rig_turn(rig);
    expect_note(rig, SAID "x.example is blocked by one.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_refusal_is_said_again_when_a_call_opens_an_address,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_refusal_is_said_once_however_often_it_comes, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(each_rule_of_a_host_is_said, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(
            of_many_the_first_three_are_said_and_how_many_more_there_are, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(
            a_page_with_new_hosts_without_end_is_not_told_of_without_end, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(what_was_typed_is_told_nowhere, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(it_waits_for_a_reply_that_has_a_place_for_it, rig_setup,
                                        rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
