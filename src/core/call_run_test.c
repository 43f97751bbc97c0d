/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that end early, and calls that are made of steps. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/call_internal.h"
#include "core/limits.h"
#include "core/secrets.h"
#include "core/session_internal.h"
#include "core/toolbox.h"

#include "support/core_rig.h"
#include "support/principals.h"

static void hold(struct rig *rig, enum tb_fake_cancel cancel)
{
    rig->fake->ops[TB_OP_CLICK] = (struct tb_fake_plan){.when = TB_FAKE_HELD, .cancel = cancel};
}

static void cancelling_takes_a_waiting_call_from_the_queue(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    struct rig_call *calls[3];
    hold(rig, TB_FAKE_CANCEL_ENDS);
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(calls); i++) {
        calls[i] = rig_start(rig, &rig_click, "", NULL);
    }
    tb_call_cancel(calls[1]->call);
    tb_call_cancel(calls[1]->call);
    assert_int_equal(calls[1]->dones, 0);
    rig_turn(rig);
    rig_expect(calls[1], TB_E_CANCELLED);
    assert_int_equal(session->queue.waiting_count, 1);
    assert_int_equal(rig->fake->counts.cancelled, 0);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(calls[0], 0);
    rig_expect(calls[2], 0);
}

static void cancelling_aborts_a_running_call_and_the_next_one_runs(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    hold(rig, TB_FAKE_CANCEL_ENDS);
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *next = rig_start(rig, &rig_wait, "", NULL);
    rig_turn(rig);
    tb_call_cancel(call->call);
    rig_turn(rig);
    assert_string_equal(call->message, "the call was cancelled");
    rig_expect(call, TB_E_CANCELLED);
    rig_expect(next, 0);
    assert_int_equal(rig->fake->counts.cancelled, 1);
}

static void cancelling_in_the_turn_of_the_start_works_too(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *opening = rig_start(rig, &rig_navigate, "talk", NULL);
    struct rig_call *wrong = rig_start(rig, &rig_click, "none", NULL);
    tb_call_cancel(opening->call);
    tb_call_cancel(wrong->call);
    rig_turn(rig);
    rig_expect(opening, TB_E_CANCELLED);
    rig_expect(wrong, TB_E_SESSION_NOT_FOUND); /* it had ended already */
    tb_fake_release(rig->fake, rig_find(rig, "browser-1")->id);
    rig_turn(rig);
    /* An operation that was done before the cancel: who cancels does not want the result. */
    struct rig_call *quick = rig_start(rig, &rig_click, "talk", NULL);
    tb_call_cancel(quick->call);
    rig_turn(rig);
    rig_expect(quick, TB_E_CANCELLED);
}

/* S0-16: without a timeout of its own a call has browser.timeout_ms. */
static void a_deadline_counts_the_waiting(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    hold(rig, TB_FAKE_CANCEL_ENDS);
    rig_turn(rig);
    struct rig_call *first = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *second = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *third = rig_start(rig, &rig_click, "", "{\"timeout_ms\":200}");
    rig_advance(rig, 199);
    assert_int_equal(third->dones, 0);
    rig_advance(rig, 1);
    assert_string_equal(third->message, "waited 200 ms for 2 earlier calls");
    rig_expect(third, TB_E_TIMEOUT);
    assert_int_equal(session->queue.waiting_count, 1);
    /* The default is 30 s, from the moment of acceptance. */
    tb_fake_release(rig->fake, session->id);
    rig_advance(rig, 29799);
    rig_expect(first, 0);
    assert_int_equal(second->dones, 0);
    rig_advance(rig, 1);
    assert_string_equal(second->message, "not finished within 30000 ms");
    rig_expect(second, TB_E_TIMEOUT);
}

static void a_late_opening_fails_the_call_but_not_the_session(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk", "{\"timeout_ms\":50}");
    rig_advance(rig, 50);
    assert_string_equal(call->message, "waited 50 ms for session 'browser-1' to open");
    rig_expect(call, TB_E_TIMEOUT);
    tb_fake_release(rig->fake, rig_find(rig, "browser-1")->id);
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
}

static void a_running_call_is_cancelled_at_its_deadline(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    hold(rig, TB_FAKE_CANCEL_ENDS);
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"timeout_ms\":100}");
    rig_advance(rig, 100);
    assert_string_equal(call->message, "not finished within 100 ms");
    int64_t timeout_ms = 0;
    assert_true(tb_json_int(tb_json_get(call->data, "timeout_ms"), &timeout_ms));
    assert_int_equal(timeout_ms, 100);
    rig_expect(call, TB_E_TIMEOUT);
    assert_int_equal(rig->fake->counts.cancelled, 1);
    assert_int_equal(rig_run(rig, &rig_wait, "", NULL), 0);
}

static void note_code(struct tb_call *call, void *user)
{
    *(int *)user = tb_call_answer(call, SIZE_MAX)->code;
}

/* A tool of its page; 0: it takes as long as is usual. */
static void ends_after(struct rig *rig, int64_t own_ms, int64_t expected_ms)
{
    int code = 1;
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    assert_int_equal(tb_brought_new("add", "", "h", TB_STR("{}"), tools, NULL), 0);
    tools[0]->timeout_ms = own_ms;
    assert_true(tb_fake_bring_take(rig->fake, rig_find(rig, "a")->id, tools, 1));
    tb_call_start(&rig->core, &(struct tb_call_request){
                                  .name = TB_STR("add"),
                                  .caller = {.who = principal_of("t"), .conversation = ""},
                                  .done = note_code,
                                  .user = &code,
                              });
    rig_advance(rig, expected_ms - 1);
    assert_int_equal(code, 1);
    rig_advance(rig, 1);
    assert_int_equal(code, TB_E_TIMEOUT);
    assert_true(tb_fake_bring_take(rig->fake, rig_find(rig, "a")->id, NULL, 0));
}

static void a_call_ends_when_the_time_is_over_that_its_tool_takes(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_INVOKE].when = TB_FAKE_HELD;
    rig_turn(rig);
    ends_after(rig, 2000, 2000);
    ends_after(rig, 0, rig->config.browser_timeout_ms);
}

/* Between the deadline and the end of the grace the driver may say something better. */
static void a_driver_that_knows_better_after_the_deadline_is_heard(void **state)
{
    static const struct {
        int said;
        int got;
    } rows[] = {
        {0, 0},
        {TB_E_ELEMENT_NOT_READY, TB_E_ELEMENT_NOT_READY},
        {TB_E_CANCELLED, TB_E_TIMEOUT},
        {TB_E_CLOSED, TB_E_TIMEOUT},
    };
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    hold(rig, TB_FAKE_CANCEL_IGNORED);
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct rig_call *call = rig_start(rig, &rig_click, "", "{\"timeout_ms\":100}");
        rig_advance(rig, 100);
        rig_advance(rig, TB_CALL_GRACE_MS - 1);
        assert_int_equal(call->dones, 0);
        assert_true(tb_fake_release_with(rig->fake, session->id, rows[i].said));
        rig_turn(rig);
        rig_expect(call, rows[i].got);
    }
}

/* The operation outlives its call; the session's queue goes on when it has ended. */
static void a_driver_that_never_answers_does_not_hold_the_caller(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    static const enum tb_fake_cancel kinds[] = {TB_FAKE_CANCEL_IGNORED, TB_FAKE_CANCEL_NONE};
    for (size_t i = 0; i < TB_COUNT(kinds); i++) {
        hold(rig, kinds[i]);
        rig_turn(rig);
        struct rig_call *call =
            rig_start(rig, &rig_click, "", "{\"timeout_ms\":100,\"tag\":\"kept\"}");
        struct rig_call *next = rig_start(rig, &rig_wait, "", NULL);
        struct rig_call *late = rig_start(rig, &rig_wait, "", "{\"timeout_ms\":2000}");
        rig_advance(rig, 100);
        rig_advance(rig, TB_CALL_GRACE_MS);
        rig_expect(call, TB_E_TIMEOUT);
        assert_int_equal(next->dones, 0);
        assert_false(tb_list_empty(&session->queue.ops));
        rig_advance(rig, 900);
        assert_string_equal(late->message, "waited 2000 ms for 1 earlier call");
        rig_expect(late, TB_E_TIMEOUT);
        struct rig_call *alone = rig_start(rig, &rig_wait, "", "{\"timeout_ms\":10}");
        tb_call_cancel(next->call);
        rig_advance(rig, 10);
        rig_expect(next, TB_E_CANCELLED);
        assert_string_equal(alone->message,
                            "waited 10 ms for an earlier call to release session 'a'");
        rig_expect(alone, TB_E_TIMEOUT);
        struct rig_call *after = rig_start(rig, &rig_wait, "", NULL);
        rig_turn(rig);
        assert_int_equal(after->dones, 0);
        assert_true(tb_fake_release(rig->fake, session->id)); /* the late end is swallowed */
        rig_turn(rig);
        rig_expect(after, 0);
    }
}

static void a_session_whose_driver_hangs_ends_by_its_idle_time(void **state)
{
    struct rig *rig = *state;
    hold(rig, TB_FAKE_CANCEL_NONE);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"timeout_ms\":100}");
    rig_advance(rig, 100);
    rig_advance(rig, TB_CALL_GRACE_MS);
    rig_expect(call, TB_E_TIMEOUT);
    rig_advance(rig, rig->config.sessions_conversation_idle_ms);
    assert_null(rig_find(rig, "browser-1"));
    assert_int_equal(rig->fake->counts.closed, 1);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
}

static void an_end_during_the_grace_ends_the_call_at_once(void **state)
{
    struct rig *rig = *state;
    hold(rig, TB_FAKE_CANCEL_IGNORED);
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"timeout_ms\":100}");
    rig_advance(rig, 100);
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
    rig_expect(call, TB_E_TIMEOUT);
    assert_int_equal(rig->fake->counts.closed, 1);
}

/* Tools that run steps. */

struct sequence {
    int want;
    int taken;
    int ends; /* of steps */
};

static const struct tb_param sequence_params[] = {
    {.name = "steps", .type = TB_PARAM_INT, .help = ""},
    {.name = NULL},
};

static void take_step(struct tb_call *call, struct sequence *sequence);

static void on_step(struct tb_call *call, const struct tb_result *result, void *user)
{
    struct sequence *sequence = user;
    sequence->ends++;
    if (result->code == 0 && sequence->taken < sequence->want) {
        take_step(call, sequence);
        return;
    }
    if (result->code < 0) {
        tb_result_fail(tb_call_out(call), result->code, "step %d: %s", sequence->taken,
                       result->message);
    }
    tb_json_set_int(tb_call_out(call)->data, "ends", sequence->ends);
    tb_free(sequence);
    tb_call_finish(call);
}

static void take_step(struct tb_call *call, struct sequence *sequence)
{
    TB_AUTO(tb_json_free) struct cJSON *args = tb_json_new_object();
    sequence->taken++;
    tb_json_set_cstr(args, sequence->taken == 99 ? "wrong" : "tag", "x");
    tb_call_step(call, &(struct tb_entry){.tool = &rig_click}, args, on_step, sequence);
}

static void run_sequence(struct tb_call *call)
{
    struct sequence *sequence = TB_NEW(struct sequence);
    sequence->want = (int)tb_args_int(tb_call_args(call), "steps", 1);
    if (sequence->want == 99) {
        sequence->taken = 98;
    }
    take_step(call, sequence);
}

static const struct tb_tool sequence_tool = {.name = "execute_sequence",
                                             .params = sequence_params,
                                             .op = TB_OP_NONE,
                                             .run = run_sequence};

static void steps_run_inside_one_call(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &sequence_tool, "", "{\"steps\":20}");
    struct rig_call *next = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.begun, 21);
    assert_int_equal(call->place, 1);
    rig_expect(call, 0);
    rig_expect(next, 0);
    assert_int_equal(session->stats.calls, 2);
}

static void a_failed_step_is_told_to_the_tool(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].code = TB_E_ELEMENT_NOT_FOUND;
    struct rig_call *call = rig_start(rig, &sequence_tool, "", "{\"steps\":3}");
    rig_turn(rig);
    assert_string_equal(call->message, "step 1: the fake driver says element_not_found");
    rig_expect(call, TB_E_ELEMENT_NOT_FOUND);
    call = rig_start(rig, &sequence_tool, "", "{\"steps\":99}");
    rig_turn(rig);
    assert_non_null(strstr(call->message, "step 99: unknown argument 'wrong'"));
    rig_expect(call, TB_E_PARAMS);
}

static void a_step_under_way_fails_with_what_ends_the_call(void **state)
{
    struct rig *rig = *state;
    static const struct {
        enum tb_fake_cancel cancel;
        char how; /* c: cancel, d: deadline, e: end of the session, l: lost */
        int code;
    } rows[] = {
        {TB_FAKE_CANCEL_ENDS, 'c', TB_E_CANCELLED},
        {TB_FAKE_CANCEL_IGNORED, 'c', TB_E_CANCELLED},
        {TB_FAKE_CANCEL_ENDS, 'd', TB_E_TIMEOUT},
        {TB_FAKE_CANCEL_NONE, 'd', TB_E_TIMEOUT},
        {TB_FAKE_CANCEL_ENDS, 'e', TB_E_SESSION_STOPPED},
        {TB_FAKE_CANCEL_NONE, 'l', TB_E_BROWSER_CRASHED},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_session *session = rig_create(rig, "a");
        hold(rig, rows[i].cancel);
        rig_turn(rig);
        struct rig_call *call =
            rig_start(rig, &sequence_tool, "", "{\"steps\":5,\"timeout_ms\":100}");
        rig_turn(rig);
        tb_fake_release(rig->fake, session->id);
        rig_turn(rig);
        if (rows[i].how == 'c') {
            tb_call_cancel(call->call);
        } else if (rows[i].how == 'e') {
            tb_session_end(session, TB_END_USER_STOPPED);
        } else if (rows[i].how == 'l') {
            tb_fake_lose(rig->fake, session->id);
        } else {
            rig_advance(rig, 100);
        }
        rig_turn(rig);
        rig_advance(rig, TB_CALL_GRACE_MS);
        int64_t ends = 0;
        assert_true(tb_json_int(tb_json_get(call->data, "ends"), &ends));
        assert_int_equal(ends, 2);
        assert_int_equal(strncmp(call->message, "step 2: ", 8), 0);
        rig_expect(call, rows[i].code);
        tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, NULL);
        rig_turn(rig);
    }
}

/* A tool that makes its session, as start_session does. */

static void opened(struct tb_call *call)
{
    TB_AUTO(tb_json_free) struct cJSON *args = tb_json_new_object();
    struct sequence *sequence = TB_NEW(struct sequence);
    sequence->taken = 1;
    tb_call_step(call, &(struct tb_entry){.tool = &rig_navigate}, args, on_step, sequence);
}

static void run_start(struct tb_call *call)
{
    const struct tb_driver_slot *slot = tb_driver_named(tb_call_core(call), TB_STR("fake"));
    const struct tb_session_spec spec = {.driver = slot->driver,
                                         .driver_state = slot->state,
                                         .name = TB_STR("made"),
                                         .deadline_ms = tb_call_deadline_ms(call)};
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    int rc = tb_sessions_create(tb_call_core(call)->sessions, tb_call_caller(call), &spec, &session,
                                &warning, &err);
    if (rc < 0) {
        tb_result_fail_err(tb_call_out(call), &err);
        tb_call_finish(call);
        return;
    }
    tb_call_enter(call, session, opened);
}

static const struct tb_tool start_tool = {.name = "start_session",
                                          .flags = TB_TOOL_NO_SESSION,
                                          .op = TB_OP_NONE,
                                          .run = run_start};

static void a_tool_enters_the_session_that_it_made(void **state)
{
    struct rig *rig = *state;
    struct rig_call *call = rig_start(rig, &start_tool, "", NULL);
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.begun, 1);
    assert_string_equal(call->chosen, "");
    rig_expect(call, 0);
    assert_int_equal(rig_run(rig, &start_tool, "", NULL), TB_E_SESSION_EXISTS); /* S1-44 */
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), 0);
    tb_session_end(rig_find(rig, "made"), TB_END_CLOSED);
    rig->fake->open.code = TB_E_BROWSER_START;
    assert_int_equal(rig_run(rig, &start_tool, "", NULL), TB_E_BROWSER_START);
    rig->fake->open = (struct tb_fake_plan){.when = TB_FAKE_HELD};
    call = rig_start(rig, &start_tool, "", NULL);
    rig_advance(rig, rig->config.browser_timeout_ms);
    rig_expect(call, TB_E_TIMEOUT);
}

struct hearer {
    struct rig *rig;
    bool ends;
    int uses;
};

static void hear_use(const struct tb_event *event, void *user)
{
    struct hearer *hearer = user;
    if (event->type == TB_EVENT_SECRET_USED) {
        hearer->uses++;
        assert_null(event->agent);
        if (hearer->ends) {
            tb_session_end(rig_find(hearer->rig, "a"), TB_END_CLOSED);
        }
    }
}

static void set_secret(struct rig *rig)
{
    struct tb_gate gate;
    struct tb_err err;
    TB_AUTO(tb_json_free)
    struct cJSON *spec =
        tb_json_parse(TB_STR("{\"value\":\"hunter22\",\"domains\":[\"a.example\"]}"));
    const struct tb_secret_change change = {"t", TB_STR("x"), "operator", &gate};
    tb_gate_init(&gate, NULL);
    rig->core.secrets = tb_secrets_new(&rig->core);
    assert_int_equal(tb_secrets_set(rig->core.secrets, &change, spec, &err), 0);
    tb_gate_fini(&gate);
}

/* As the driver asks for it, which has the call of session "a" at work. */
static int reveal(struct tb_session *session, struct tb_err *err)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf out = TB_BUF(TB_KIB);
    struct tb_op *op = &TB_CONTAINER(session->queue.ops.next, struct tb_op_call, link)->op;
    const struct tb_str origin = TB_STR("https://a.example");
    return op->reveal(op, TB_STR("{{secret:x}}"), &origin, 1, &out, err);
}

static void a_session_may_end_when_the_use_of_a_secret_is_told(void **state)
{
    struct rig *rig = *state;
    struct hearer hearer = {.rig = rig};
    struct tb_subscriber subscriber = {.fn = hear_use, .user = &hearer};
    struct tb_session *session = rig_create(rig, "a");
    struct tb_err err;
    set_secret(rig);
    hold(rig, TB_FAKE_CANCEL_ENDS);
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    tb_bus_subscribe(&rig->core.bus, &subscriber);
    assert_int_equal(reveal(session, &err), 0);
    hearer.ends = true;
    assert_int_equal(reveal(session, &err), TB_E_CANCELLED); /* it is not typed any more */
    assert_int_equal(hearer.uses, 2);
    tb_bus_unsubscribe(&subscriber);
    rig_turn(rig);
    rig_expect(call, TB_E_SESSION_ENDED);
    tb_secrets_free(rig->core.secrets);
    rig->core.secrets = NULL;
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(cancelling_takes_a_waiting_call_from_the_queue),
        RIG_TEST(cancelling_aborts_a_running_call_and_the_next_one_runs),
        RIG_TEST(cancelling_in_the_turn_of_the_start_works_too),
        RIG_TEST(a_deadline_counts_the_waiting),
        RIG_TEST(a_late_opening_fails_the_call_but_not_the_session),
        RIG_TEST(a_running_call_is_cancelled_at_its_deadline),
        RIG_TEST(a_call_ends_when_the_time_is_over_that_its_tool_takes),
        RIG_TEST(a_driver_that_knows_better_after_the_deadline_is_heard),
        RIG_TEST(a_driver_that_never_answers_does_not_hold_the_caller),
        RIG_TEST(a_session_whose_driver_hangs_ends_by_its_idle_time),
        RIG_TEST(an_end_during_the_grace_ends_the_call_at_once),
        RIG_TEST(steps_run_inside_one_call),
        RIG_TEST(a_failed_step_is_told_to_the_tool),
        RIG_TEST(a_step_under_way_fails_with_what_ends_the_call),
        RIG_TEST(a_tool_enters_the_session_that_it_made),
        RIG_TEST(a_session_may_end_when_the_use_of_a_secret_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
