/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/page.h"

#include "support/cdp_lab.h"

static const struct lab_doc docs[] = {
    {"/", NULL, "<title>first</title><p>hello", 0},
    {"/second", NULL, "<title>second</title><p>hello", 0},
    {"/leave", NULL, "<script>onbeforeunload = e => e.preventDefault()</script><button>b", 0},
    {NULL, NULL, NULL, 0},
};

static int open_session(void **state)
{
    return lab_setup_open(state, docs, NULL, NULL);
}

static void values_and_failures_of_page_functions_arrive(void **state)
{
    static const struct {
        const char *function;
        const char *args;
        int code;
        const char *value;
        const char *words;
    } rows[] = {
        {"echo", "", 0, "[]", ""},
        {"echo", "1,\"a\\nb\",{\"c\":[null]}", 0, "[1,\"a\\nb\",{\"c\":[null]}]", ""},
        {"echo", "\"x\\ud800\\u0000y\"", 0, "[\"x\\ufffd\\ufffdy\"]", ""}, /* no Unicode */
        {"fails", "", TB_E_ELEMENT_NOT_FOUND, "", "no such \"thing\""},
        {"throws", "", TB_E_INTERNAL, "", "throws failed in the page: Error: boom"},
        {"missing", "", TB_E_INTERNAL, "", "missing failed in the page: TypeError"},
    };
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct lab_answer answer;
        lab_call(&setup->session, &answer, rows[i].function, rows[i].args);
        assert_int_equal(answer.code, rows[i].code);
        assert_string_equal(answer.value, rows[i].value);
        assert_memory_equal(answer.words, rows[i].words, strlen(rows[i].words));
    }
}

static void a_call_during_a_navigation_waits_for_the_new_document(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    char params[200];
    struct lab_answer sent;
    struct lab_answer answer;
    for (int i = 0; i < 20; i++) {
        snprintf(params, sizeof(params), "{\"url\":\"%s/%s\"}", setup->lab.base,
                 i % 2 ? "second" : "");
        lab_begin(&setup->session, &sent, "Page.navigate", params);
        lab_begin_call(&setup->session, &answer, "describe", "");
        LAB_WAIT(&setup->lab, sent.done && answer.done);
        assert_int_equal(answer.code, 0);
    }
}

static void a_reading_call_is_made_again_in_the_document_that_follows(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer waiting;
    struct lab_answer acting;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/");
    lab_begin_call(&setup->session, &waiting, "waitFor", "");
    lab_begin_call(&setup->session, &acting, "act", "");
    lab_goto(&setup->session, "127.0.0.1", "/second");
    LAB_WAIT(&setup->lab, acting.done);
    assert_int_equal(acting.code, TB_E_ELEMENT_STALE);
    lab_call(&setup->session, &answer, "describe", "");
    assert_false(waiting.done);
    tb_cdp_session_forget(setup->session.session, &waiting);
}

static void a_forgotten_call_is_not_called_back(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer forgotten;
    struct lab_answer command;
    struct lab_answer settled;
    struct lab_answer answer;
    struct tb_cdp_page *page = tb_cdp_session_page(setup->session.session);
    lab_begin_call(&setup->session, &forgotten, "echo", "");
    lab_begin(&setup->session, &command, "Runtime.evaluate", "{\"expression\":\"1\"}");
    memset(&settled, 0, sizeof(settled));
    tb_cdp_page_settle(page, tb_cdp_page_navigation_mark(page), "load", lab_deadline(&setup->lab),
                       lab_on_settled, &settled);
    tb_cdp_session_forget(setup->session.session, &forgotten);
    tb_cdp_session_forget(setup->session.session, &command);
    tb_cdp_session_forget(setup->session.session, &settled);
    lab_call(&setup->session, &answer, "echo", "");
    assert_false(forgotten.done || command.done || settled.done);
}

static void a_dialog_fails_what_waits_until_it_is_answered(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_session *session = &setup->session;
    struct lab_answer waiting;
    struct lab_answer asked;
    struct lab_answer answer;
    lab_goto(session, "127.0.0.1", "/");
    lab_begin_call(session, &waiting, "waitFor", "");
    lab_begin(session, &asked, "Runtime.evaluate",
              "{\"expression\":\"prompt('your name?', 'nobody')\"}");
    LAB_WAIT(&setup->lab, waiting.done && asked.done);
    assert_int_equal(waiting.code, TB_E_DIALOG_OPEN);
    assert_int_equal(asked.code, TB_E_DIALOG_OPEN);
    const struct tb_cdp_dialog *dialog = tb_cdp_page_dialog(tb_cdp_session_page(session->session));
    assert_true(dialog->open);
    assert_string_equal(dialog->type, "prompt");
    assert_string_equal(dialog->message, "your name?");
    assert_string_equal(dialog->default_text, "nobody");
    assert_int_equal(session->events[TB_EVENT_DIALOG_OPENED], 1);
    lab_call(session, &answer, "echo", "");
    assert_int_equal(answer.code, TB_E_DIALOG_OPEN);
    lab_send(session, &answer, "Page.handleJavaScriptDialog",
             "{\"accept\":true,\"promptText\":\"me\"}");
    assert_int_equal(answer.code, 0);
    LAB_WAIT(&setup->lab, !tb_cdp_page_dialog(tb_cdp_session_page(session->session))->open);
    lab_call(session, &answer, "echo", "");
    assert_int_equal(answer.code, 0);
}

static void a_page_that_asks_to_stay_is_left(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/leave");
    lab_click(&setup->session, 20, 20, &answer); /* without one, the browser does not ask */
    lab_goto(&setup->session, "127.0.0.1", "/second");
    assert_int_equal(setup->session.events[TB_EVENT_DIALOG_OPENED], 0);
}

static void kill_renderers(struct lab_session *session)
{
    pid_t pids[16];
    pid_t leader = tb_launch_pid(session->session->browser->launch);
    size_t count = lab_group(leader, "--type=renderer", pids, TB_COUNT(pids));
    assert_true(count > 0 && count <= TB_COUNT(pids));
    for (size_t i = 0; i < count; i++) {
        kill(pids[i], SIGKILL);
    }
}

static void a_crashed_tab_fails_its_calls_at_once_and_navigating_revives_it(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_session *session = &setup->session;
    struct lab_answer waiting;
    struct lab_answer sent;
    struct lab_answer answer;
    for (int i = 0; i < 3; i++) {
        lab_goto(session, "127.0.0.1", "/");
        lab_begin_call(session, &waiting, "waitFor", "");
        lab_begin(session, &sent, "Runtime.evaluate",
                  "{\"expression\":\"new Promise(() => {})\",\"awaitPromise\":true}");
        lab_call(session, &answer, "echo", "");
        kill_renderers(session);
        LAB_WAIT(&setup->lab, waiting.done && sent.done);
        assert_int_equal(waiting.code, TB_E_PAGE_CRASHED);
        assert_int_equal(sent.code, TB_E_PAGE_CRASHED);
        assert_true(tb_cdp_page_crashed(tb_cdp_session_page(session->session)));
        assert_int_equal(session->events[TB_EVENT_PAGE_CRASHED], i + 1);
        lab_call(session, &answer, "echo", "");
        assert_int_equal(answer.code, TB_E_PAGE_CRASHED);
        assert_int_equal(session->lost, 0);
        lab_goto(session, "127.0.0.1", "/second");
        lab_call(session, &answer, "describe", "");
        assert_int_equal(answer.code, 0);
        assert_non_null(strstr(answer.value, "second"));
    }
}

/* Begins a call with a short deadline. */
static void call_within(struct lab_setup *setup, struct lab_answer *answer, const char *function,
                        int64_t ms)
{
    memset(answer, 0, sizeof(*answer));
    tb_cdp_page_call(tb_cdp_page_main_frame(tb_cdp_session_page(setup->session.session)), function,
                     TB_STR(""), tb_loop_now_ms(setup->lab.loop) + ms, lab_on_reply, answer);
}

static void a_page_function_that_spins_is_ended_at_its_deadline(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer spinning;
    struct lab_answer answer;
    for (int i = 0; i < 3; i++) {
        call_within(setup, &spinning, "spin", 300);
        LAB_WAIT(&setup->lab, spinning.done);
        if (spinning.code != TB_E_TIMEOUT) {
            fail_msg("round %d ended with %d: %s", i, spinning.code, spinning.words);
        }
        lab_begin_call(&setup->session, &answer, "echo", "");
        LAB_WAIT(&setup->lab, answer.done);
        assert_int_equal(answer.code, 0);
    }
}

static void a_page_that_spins_by_itself_is_freed_to_be_left(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer waiting;
    struct lab_answer answer;
    lab_eval(&setup->session, &answer, "setTimeout(() => { for (;;) {} }, 0)");
    do { /* until the timer has fired */
        call_within(setup, &waiting, "echo", 300);
        LAB_WAIT(&setup->lab, waiting.done);
    } while (waiting.code == 0);
    assert_int_equal(waiting.code, TB_E_TIMEOUT);
    call_within(setup, &waiting, "echo", 300);
    LAB_WAIT(&setup->lab, waiting.done);
    assert_int_equal(waiting.code, TB_E_TIMEOUT); /* it is the page's own work */
    tb_cdp_page_free_if_in_doubt(tb_cdp_session_page(setup->session.session));
    lab_begin_call(&setup->session, &answer, "echo", "");
    LAB_WAIT(&setup->lab, answer.done);
    assert_int_equal(answer.code, 0);
}

static void a_slow_promise_is_not_taken_for_a_spinning_page(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer waiting;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/");
    lab_eval(&setup->session, &answer,
             "window.ticks = 0; setInterval(() => { window.ticks++ }, 10); 1");
    call_within(setup, &waiting, "waitFor", 200);
    LAB_WAIT(&setup->lab, waiting.done);
    assert_int_equal(waiting.code, TB_E_TIMEOUT);
    lab_send(&setup->session, &answer, "Runtime.evaluate",
             "{\"expression\":\"new Promise(r => { const t = ticks; setTimeout(() => r(ticks > t), "
             "300) })\",\"awaitPromise\":true,\"returnByValue\":true}");
    assert_non_null(strstr(answer.value, "true"));
}

static void an_answer_that_is_too_large_fails_its_call_only(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer large;
    struct lab_answer answer;
    lab_begin(&setup->session, &large, "Runtime.evaluate",
              "{\"expression\":\"'x'.repeat(65 << 20)\",\"returnByValue\":true}");
    LAB_WAIT(&setup->lab, large.done);
    assert_int_equal(large.code, TB_E_TOO_LARGE);
    lab_call(&setup->session, &answer, "echo", "");
    assert_int_equal(answer.code, 0);
}

static void closing_the_session_ends_what_is_under_way(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer waiting;
    lab_begin_call(&setup->session, &waiting, "waitFor", "");
    lab_close(&setup->session);
    assert_true(waiting.done);
    assert_int_equal(waiting.code, TB_E_CLOSED);
    lab_open(&setup->lab, &setup->session);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_failures_of_page_functions_arrive),
        cmocka_unit_test(a_call_during_a_navigation_waits_for_the_new_document),
        cmocka_unit_test(a_reading_call_is_made_again_in_the_document_that_follows),
        cmocka_unit_test(a_forgotten_call_is_not_called_back),
        cmocka_unit_test(a_dialog_fails_what_waits_until_it_is_answered),
        cmocka_unit_test(a_page_function_that_spins_is_ended_at_its_deadline),
        cmocka_unit_test(a_page_that_spins_by_itself_is_freed_to_be_left),
        cmocka_unit_test(a_slow_promise_is_not_taken_for_a_spinning_page),
        cmocka_unit_test(an_answer_that_is_too_large_fails_its_call_only),
        cmocka_unit_test(closing_the_session_ends_what_is_under_way),
        cmocka_unit_test_setup_teardown(a_page_that_asks_to_stay_is_left, open_session,
                                        lab_setup_close),
        cmocka_unit_test_setup_teardown(
            a_crashed_tab_fails_its_calls_at_once_and_navigating_revives_it, open_session,
            lab_setup_close),
    };
    return cmocka_run_group_tests(tests, open_session, lab_setup_close);
}
