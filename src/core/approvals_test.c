/* SPDX-License-Identifier: Apache-2.0 */
#include "core/approvals.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/policies.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

/* A policy of tenant "t" that asks for this tool. */
static void ask_for(struct rig *rig, const char *tool)
{
    struct tb_err err;
    const struct tb_principal_spec spec = {
        .tenant = "t", .key = "k", .label = "", .scopes = TB_SCOPE_ADMIN};
    struct tb_principal *admin = tb_principal_new(&spec);
    TB_AUTO(tb_free) char *text = tb_strdupf("{\"ask\":[\"%s\"]}", tool);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(text));
    assert_int_equal(tb_policies_put(rig->core.policies, admin, TB_STR("t"), json, NULL, &err), 0);
    tb_principal_unref(admin, "test");
}

static int setup(void **state)
{
    int rc = rig_setup(state);
    struct rig *rig = *state;
    rig->core.policies = tb_policies_new(&rig->core);
    rig->core.approvals = tb_approvals_new(&rig->core);
    ask_for(rig, rig_click.name);
    return rc;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    rig_stop(rig);
    tb_approvals_free(rig->core.approvals);
    tb_policies_free(rig->core.policies);
    rig->core.approvals = NULL;
    rig->core.policies = NULL;
    return rig_teardown(state);
}

/* The id of what waits first, for a principal of this tenant; empty: nothing does. */
static char *first_id(const struct rig *rig, const char *tenant, unsigned scopes)
{
    const struct tb_principal_spec spec = {
        .tenant = tenant, .key = "k", .label = "", .scopes = scopes};
    struct tb_principal *who = tb_principal_new(&spec);
    struct tb_json_writer json;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(65536);
    tb_json_writer_init(&json, &text);
    tb_approvals_list(rig->core.approvals, who, &json);
    tb_principal_unref(who, "test");
    TB_AUTO(tb_json_free) struct cJSON *list = tb_json_parse(tb_buf_str(&text));
    return tb_str_dup(tb_json_text(tb_json_first(tb_json_get(list, "approvals")), "id"));
}

static int decide(const struct rig *rig, const char *tenant, const char *id, bool approve)
{
    const struct tb_principal_spec spec = {
        .tenant = tenant, .key = "k", .label = "", .scopes = TB_SCOPE_ADMIN};
    struct tb_principal *who = tb_principal_new(&spec);
    struct tb_err err;
    int rc = tb_approvals_decide(rig->core.approvals, who, tb_str_of(id), approve, &err);
    tb_principal_unref(who, "test");
    return rc;
}

static struct rig_call *start_waiting(struct rig *rig, const char *args, char **ret_id)
{
    struct rig_call *call = rig_start(rig, &rig_click, "talk", args);
    rig_turn(rig);
    *ret_id = first_id(rig, "t", TB_SCOPE_ADMIN);
    assert_true(**ret_id);
    return call;
}

static void a_call_waits_until_a_person_approves(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, NULL, &id);
    assert_non_null(call->call);
    assert_int_equal(rig->fake->counts.begun, 1);
    assert_int_equal(decide(rig, "t", id, true), 0);
    assert_int_equal(decide(rig, "t", id, true), TB_E_NOT_FOUND);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_int_equal(rig->fake->counts.begun, 2);
    assert_int_equal(rig_events(rig, "approval_wanted"), 1);
    assert_int_equal(rig_events(rig, "approval_decided"), 1);
    tb_free(id);
}

static void a_refusal_ends_the_call(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, NULL, &id);
    assert_int_equal(decide(rig, "t", id, false), 0);
    rig_turn(rig);
    assert_non_null(strstr(call->message, "it was refused"));
    rig_expect(call, TB_E_DENIED);
    assert_int_equal(rig->fake->counts.begun, 1);
    tb_free(id);
}

static void nobody_within_the_time_is_a_refusal(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, "{\"timeout_ms\":300000}", &id);
    rig_advance(rig, rig->config.policy_ask_ms - 1);
    assert_non_null(call->call);
    rig_advance(rig, 1);
    assert_non_null(strstr(call->message, "nobody gave it in time"));
    rig_expect(call, TB_E_DENIED);
    tb_free(id);
}

static void the_calls_own_time_counts_while_it_waits(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, "{\"timeout_ms\":500}", &id);
    rig_advance(rig, 500);
    assert_string_equal(call->message, "waited 500 ms for a person's approval");
    rig_expect(call, TB_E_TIMEOUT);
    assert_int_equal(decide(rig, "t", id, true), TB_E_NOT_FOUND);
    tb_free(id);
}

static void a_call_that_is_cancelled_waits_for_nobody(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, NULL, &id);
    assert_int_equal(decide(rig, "t", id, true), 0);
    tb_call_cancel(call->call); /* after it was approved, before that is heard */
    rig_turn(rig);
    rig_expect(call, TB_E_CANCELLED);
    tb_free(id);
}

static void only_who_administers_the_tenant_decides(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, NULL, &id);
    TB_AUTO(tb_free) char *others = first_id(rig, "u", TB_SCOPE_ADMIN);
    TB_AUTO(tb_free) char *operators = first_id(rig, "u", TB_SCOPES_ALL);
    assert_string_equal(others, "");
    assert_string_equal(operators, id);
    assert_int_equal(decide(rig, "u", id, true), TB_E_NOT_FOUND);
    assert_int_equal(decide(rig, "t", id, true), 0);
    rig_turn(rig);
    rig_expect(call, 0);
    tb_free(id);
}

static void what_waits_when_core_is_freed_is_let_go(void **state)
{
    struct rig *rig = *state;
    char *id;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = start_waiting(rig, NULL, &id);
    rig_stop(rig);
    rig_expect(call, TB_E_SHUTDOWN);
    tb_free(id);
}

/* What the user of a client was asked, and what it says to that. */
static struct asked {
    size_t count;
    size_t withdrawn;
    char question[512];
    enum {
        SILENT,
        YES,
        NO,
        LEAVES
    } answer;
} asked;

static void on_ask(struct tb_call *call, const char *question, void *user)
{
    struct rig_call *mine = user;
    if (!question) {
        asked.withdrawn++;
        return;
    }
    assert_ptr_equal(mine->call, call); /* never before the start has returned */
    asked.count++;
    snprintf(asked.question, sizeof(asked.question), "%s", question);
    if (asked.answer == LEAVES) {
        tb_call_leave(call);
    } else if (asked.answer != SILENT) {
        tb_call_answer_question(call, asked.answer == YES);
    }
}

static int setup_user(void **state)
{
    int rc = setup(state);
    struct rig *rig = *state;
    asked = (struct asked){0};
    rig->ask = on_ask;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    return rc;
}

static void the_user_of_the_client_decides(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_find(rig, "browser-1");
    tb_free(session->url);
    session->url = tb_strdup("https://a.test/\". Say \"yes");
    asked.answer = YES;
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
    assert_string_equal(asked.question,
                        "The agent wants to use the tool \"click\" in session \"browser-1\", which "
                        "is at \"https://a.test/\\\". Say \\\"yes\". Allow it?");
    asked.answer = NO;
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_DENIED);
    assert_int_equal(asked.count, 2);
    assert_int_equal(asked.withdrawn, 0);
    assert_int_equal(rig_events(rig, "\"code\":\"approved\""), 1);
}

static void the_user_is_not_asked_where_the_operator_does_not_want_it(void **state)
{
    struct rig *rig = *state;
    char *id;
    rig->config.policy_ask_client = false;
    struct rig_call *call = start_waiting(rig, NULL, &id);
    assert_int_equal(asked.count, 0);
    assert_int_equal(decide(rig, "t", id, true), 0);
    rig_turn(rig);
    rig_expect(call, 0);
    tb_free(id);
}

static void a_question_that_somebody_else_answers_is_withdrawn(void **state)
{
    struct rig *rig = *state;
    char *id;
    struct rig_call *call = start_waiting(rig, NULL, &id);
    assert_int_equal(asked.count, 1);
    assert_int_equal(decide(rig, "t", id, true), 0);
    tb_call_answer_question(call->call, false); /* too late */
    rig_turn(rig);
    rig_expect(call, 0);
    tb_free(id);
    call = start_waiting(rig, NULL, &id);
    assert_int_equal(decide(rig, "t", id, false), 0);
    rig_turn(rig);
    assert_int_equal(asked.withdrawn, 1);
    rig_expect(call, TB_E_DENIED);
    tb_free(id);
    call = start_waiting(rig, NULL, &id);
    tb_call_cancel(call->call);
    rig_turn(rig);
    assert_int_equal(asked.withdrawn, 2);
    rig_expect(call, TB_E_CANCELLED);
    tb_free(id);
}

static void a_call_whose_caller_left_to_ask_goes_on_when_it_is_back(void **state)
{
    struct rig *rig = *state;
    char *id;
    asked.answer = LEAVES;
    struct rig_call *call = start_waiting(rig, NULL, &id);
    assert_int_equal(decide(rig, "t", id, true), 0);
    rig_turn(rig);
    assert_non_null(call->call);
    tb_call_return(call->call, NULL, call);
    tb_call_answer_question(call->call, false); /* too late */
    rig_turn(rig);
    rig_expect(call, 0);

    tb_free(id);
    call = start_waiting(rig, NULL, &id);
    tb_call_return(call->call, NULL, call); /* with nothing: it is asked again, and leaves again */
    rig_turn(rig);
    assert_int_equal(asked.count, 3);
    assert_int_equal(decide(rig, "t", id, true), 0);
    rig_advance(rig, rig->config.policy_ask_ms);
    assert_non_null(strstr(call->message, "nobody gave it in time"));
    rig_expect(call, TB_E_DENIED);
    assert_int_equal(rig->fake->counts.begun, 2);
    tb_free(id);
}

/* Of the call's own time nothing is lost by the wait. */
static void the_wait_for_a_person_is_besides_the_usual_time(void **state)
{
    struct rig *rig = *state;
    char *id;
    const int64_t usual_ms = rig->config.browser_timeout_ms;
    struct rig_call *call = start_waiting(rig, NULL, &id);
    rig_advance(rig, usual_ms + 1000);
    assert_non_null(call->call);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    assert_int_equal(decide(rig, "t", id, true), 0);
    rig_turn(rig);
    rig_advance(rig, usual_ms - 1);
    assert_non_null(call->call);
    rig_advance(rig, 1);
    rig_turn(rig);
    rig_advance(rig, 60000);
    rig_expect(call, TB_E_TIMEOUT);
    tb_free(id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_call_waits_until_a_person_approves, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refusal_ends_the_call, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_within_the_time_is_a_refusal, setup, teardown),
        cmocka_unit_test_setup_teardown(the_calls_own_time_counts_while_it_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_that_is_cancelled_waits_for_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(only_who_administers_the_tenant_decides, setup, teardown),
        cmocka_unit_test_setup_teardown(the_user_of_the_client_decides, setup_user, teardown),
        cmocka_unit_test_setup_teardown(the_user_is_not_asked_where_the_operator_does_not_want_it,
                                        setup_user, teardown),
        cmocka_unit_test_setup_teardown(a_question_that_somebody_else_answers_is_withdrawn,
                                        setup_user, teardown),
        cmocka_unit_test_setup_teardown(a_call_whose_caller_left_to_ask_goes_on_when_it_is_back,
                                        setup_user, teardown),
        cmocka_unit_test_setup_teardown(the_wait_for_a_person_is_besides_the_usual_time, setup_user,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_waits_when_core_is_freed_is_let_go, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
