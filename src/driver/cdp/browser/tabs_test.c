/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cdp_lab.h"

static const struct lab_doc docs[] = {
    {"/", NULL, "<title>first</title><a id=l target=_blank href=/second>open</a>", 0},
    {"/second", NULL, "<title>second</title>", 0},
    {"/worker", NULL,
     "<title>w</title><script>new Worker('/w.js').onmessage = e => document.title = e.data"
     "</script>",
     0},
    {"/w.js", "text/javascript", "postMessage('from the worker')", 0},
    {NULL, NULL, NULL, 0},
};

static int open_session(void **state)
{
    lab_setup_open(state, docs, "browser.tabs_max", "4");
    struct lab_setup *setup = *state;
    if (setup->lab.loop) {
        lab_goto(&setup->session, "127.0.0.1", "/");
    }
    return 0;
}

static void on_tab(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct lab_answer *answer = user;
    answer->done = true;
    answer->code = code;
    answer->page = page;
    snprintf(answer->words, sizeof(answer->words), "%s", err ? err->text : "");
}

static void open_tab(struct lab_setup *setup, struct lab_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    tb_cdp_session_tab_open(setup->session.session, lab_deadline(&setup->lab), on_tab, answer);
    LAB_WAIT(&setup->lab, answer->done);
}

static void close_tab(struct lab_setup *setup, struct tb_cdp_page *page, struct lab_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    tb_cdp_session_tab_close(setup->session.session, page, lab_deadline(&setup->lab), on_tab,
                             answer);
    LAB_WAIT(&setup->lab, answer->done);
}

static void expect_title(struct lab_setup *setup, const char *title)
{
    struct lab_answer answer;
    char wanted[64];
    lab_call(&setup->session, &answer, "describe", "");
    snprintf(wanted, sizeof(wanted), "\"title\":\"%s\"", title);
    assert_non_null(strstr(answer.value, wanted));
}

static void a_tab_that_the_page_opens_becomes_the_current_one(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct tb_driver_session *session = setup->session.session;
    struct lab_answer answer;
    struct tb_cdp_page *first = tb_cdp_session_page(session);
    char id[TB_TARGET_ID_SIZE];
    snprintf(id, sizeof(id), "%s", tb_cdp_page_target_id(first));
    lab_eval(&setup->session, &answer, "document.getElementById('l').click()");
    LAB_WAIT(&setup->lab,
             tb_cdp_session_page_count(session) == 2 && tb_cdp_session_page(session) != first);
    assert_int_equal(tb_cdp_session_tabs_opened(session), 1);
    assert_int_equal(setup->session.events[TB_EVENT_TAB_OPENED], 1);
    lab_settle(&setup->session, 0, "load", &answer);
    expect_title(setup, "second");
    close_tab(setup, tb_cdp_session_page(session), &answer);
    assert_int_equal(answer.code, 0);
    assert_string_equal(tb_cdp_page_target_id(tb_cdp_session_page(session)), id);
    expect_title(setup, "first");
    assert_int_equal(setup->session.events[TB_EVENT_TAB_CLOSED], 1);
}

static void a_window_opened_by_script_is_a_tab_of_the_session(void **state)
{
    static const char *const ways[] = {
        "window.open('/second')",
        "window.open('/second', '', 'noopener')",
        "window.open('/second', '', 'width=300,height=200')",
        "document.getElementById('l').click()",
    };
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct tb_driver_session *session = setup->session.session;
    for (size_t i = 0; i < 5 * TB_COUNT(ways); i++) {
        char params[200];
        struct lab_answer answer;
        snprintf(params, sizeof(params), "{\"expression\":\"%s; 1\",\"userGesture\":true}",
                 ways[i % TB_COUNT(ways)]);
        lab_send(&setup->session, &answer, "Runtime.evaluate", params);
        assert_int_equal(answer.code, 0);
        LAB_WAIT(&setup->lab, tb_cdp_session_page_count(session) == 2);
        /* All that is known of the new tab began after 0. */
        lab_settle(&setup->session, 0, "load", &answer);
        assert_int_equal(answer.code, 0);
        assert_true(answer.navigated);
        expect_title(setup, "second");
        lab_begin(&setup->session, &answer, "Page.close", "");
        LAB_WAIT(&setup->lab, tb_cdp_session_page_count(session) == 1);
        LAB_WAIT(&setup->lab, answer.done);
        expect_title(setup, "first");
    }
}

static void tabs_are_opened_selected_and_closed(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct tb_driver_session *session = setup->session.session;
    struct lab_answer answer;
    open_tab(setup, &answer);
    assert_int_equal(answer.code, 0);
    assert_ptr_equal(answer.page, tb_cdp_session_page(session));
    assert_int_equal(tb_cdp_session_page_index(session, answer.page), 1);
    lab_goto(&setup->session, "127.0.0.1", "/second");
    expect_title(setup, "second");
    tb_cdp_session_page_select(session, tb_cdp_session_page_by_index(session, 0));
    expect_title(setup, "first");
    assert_null(tb_cdp_session_page_by_index(session, 2));
    struct tb_cdp_page *second = tb_cdp_session_page_by_index(session, 1);
    assert_ptr_equal(
        tb_cdp_session_page_by_target(session, tb_str_of(tb_cdp_page_target_id(second))), second);
    close_tab(setup, second, &answer);
    assert_int_equal(tb_cdp_session_page_count(session), 1);
    expect_title(setup, "first");
}

static void an_empty_tab_takes_the_place_of_the_last_one(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct tb_driver_session *session = setup->session.session;
    struct lab_answer answer;
    close_tab(setup, tb_cdp_session_page(session), &answer);
    assert_int_equal(answer.code, 0);
    LAB_WAIT(&setup->lab, tb_cdp_session_page(session));
    lab_goto(&setup->session, "127.0.0.1", "/second");
    expect_title(setup, "second");
}

static void windows_over_the_ceiling_are_closed_at_once(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct tb_driver_session *session = setup->session.session;
    struct lab_answer answer;
    lab_send(&setup->session, &answer, "Runtime.evaluate",
             "{\"expression\":\"for (let i = 0; i < 10; i++) { window.open('/second') } 1\","
             "\"userGesture\":true}");
    assert_int_equal(answer.code, 0);
    assert_int_equal(tb_cdp_session_page_count(session), 4);
    assert_int_equal(tb_cdp_session_tabs_refused(session), 7);
    open_tab(setup, &answer);
    assert_int_equal(answer.code, TB_E_LIMIT);
    tb_cdp_session_page_select(session, tb_cdp_session_page_by_index(session, 0));
    expect_title(setup, "first");
}

static void a_page_that_opens_windows_without_end_is_stopped(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct tb_driver_session *session = setup->session.session;
    struct lab_answer answer;
    lab_send(&setup->session, &answer, "Runtime.evaluate",
             "{\"expression\":\"for (let i = 0; i < 1000; i++) { window.open('/second') } 1\","
             "\"userGesture\":true}");
    assert_int_equal(answer.code, TB_E_PAGE_CRASHED);
    assert_non_null(strstr(answer.words, "windows endlessly"));
    assert_int_equal(tb_cdp_session_page_count(session), 4);
    tb_cdp_session_page_select(session, tb_cdp_session_page_by_index(session, 0));
    lab_goto(&setup->session, "127.0.0.1", "/");
    expect_title(setup, "first");
}

static void workers_run(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer answer;
    lab_goto(&setup->session, "127.0.0.1", "/worker");
    lab_send(&setup->session, &answer, "Runtime.evaluate",
             "{\"expression\":\"new Promise(r => { const f = () => document.title.startsWith("
             "'from') ? r(1) : setTimeout(f, 5); f() })\",\"awaitPromise\":true}");
    expect_title(setup, "from the worker");
}

struct hearing {
    struct tb_cdp_page_listener listener;
    int events;
};

static void on_event(struct tb_cdp_page *page, const char *session_id, struct tb_str method,
                     struct tb_str params, void *user)
{
    struct hearing *hearing = user;
    (void)params;
    assert_string_equal(session_id, tb_cdp_page_session_id(page));
    hearing->events += tb_str_eq_cstr(method, "Network.requestWillBeSent");
}

static void a_listener_hears_of_every_tab(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_answer answer;
    struct hearing hearing = {
        .listener = {.prefix = "Network.", .on_event = on_event, .user = &hearing},
    };
    tb_cdp_session_listen(setup->session.session, &hearing.listener);
    lab_send(&setup->session, &answer, "Network.enable", "{}");
    lab_goto(&setup->session, "127.0.0.1", "/second");
    assert_int_equal(hearing.events, 1);
    open_tab(setup, &answer);
    lab_send(&setup->session, &answer, "Network.enable", "{}");
    lab_goto(&setup->session, "127.0.0.1", "/second");
    assert_int_equal(hearing.events, 2);
    tb_cdp_page_listener_remove(&hearing.listener);
    lab_goto(&setup->session, "127.0.0.1", "/");
    assert_int_equal(hearing.events, 2);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_session, lab_setup_close)
    const struct CMUnitTest tests[] = {
        TEST(a_tab_that_the_page_opens_becomes_the_current_one),
        TEST(a_window_opened_by_script_is_a_tab_of_the_session),
        TEST(tabs_are_opened_selected_and_closed),
        TEST(an_empty_tab_takes_the_place_of_the_last_one),
        TEST(windows_over_the_ceiling_are_closed_at_once),
        TEST(a_page_that_opens_windows_without_end_is_stopped),
        TEST(workers_run),
        TEST(a_listener_hears_of_every_tab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
