/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and bringing back when something is in the way. */
#include <signal.h>

#include "driver/cdp/keep/keep_rig.h"
#include "driver/cdp/page/page_internal.h"

#include "support/cdp_lab.h"
#include "support/deaf.h"

static const struct ops_doc docs[] = {
    {"/plain", "<title>plain</title><body>plain<script>localStorage.here = 1</script>", NULL, 0,
     NULL, NULL},
    {"/two", "<title>two</title><script>sessionStorage.two = 2</script>", NULL, 0, NULL, NULL},
    {"/form", "<input id=name>", NULL, 0, NULL, NULL},
    {"/alert", "<script>alert(1)</script>", NULL, 0, NULL, NULL},
    {NULL, NULL, NULL, 0, NULL, NULL},
};

enum {
    POINTS = 12,
    BIG = 4 * 1024 * 1024,
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

/* A state of two tabs and a further site. */
static const char two_tabs[] =
    "{'current':1,'cookies':[{'name':'a','value':'1','domain':'127.0.0.1','path':'/'}],"
    "'tabs':[{'url':'http://127.0.0.1:{port}/plain','origin':'http://127.0.0.1:{port}'},"
    "{'url':'http://127.0.0.1:{port}/two','origin':'http://127.0.0.1:{port}'}],"
    "'origins':[{'origin':'http://localhost:{port}','local':'[[\\'k\\',\\'v\\']]'}]}";

static void two_tabs_are_open(struct ops_lab *lab)
{
    ops_goto(lab, "/plain");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/two'}", lab->port);
}

static int64_t save_timed(struct ops_lab *lab, char **ret_saved)
{
    int64_t begun_ms = tb_loop_now_ms(lab->loop);
    *ret_saved = kept_save(lab);
    return tb_loop_now_ms(lab->loop) - begun_ms;
}

static void an_operation_may_run_beside(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    ops_goto(lab, "/plain");
    ops_begin(lab, TB_OP_WAIT, OPS_MS, "{'text':'never'}");
    kept_begin(lab, &answer);
    OPS_WAIT(lab, answer.done);
    assert_int_equal(lab->dones, 0);
    assert_non_null(strstr((const char *)answer.state.data, "here"));
    tb_buf_fini(&answer.state);
    lab->op.cancel(&lab->op);
    ops_end(lab);
    kept_begin(lab, &answer);
    ops_goto(lab, "/two"); /* the document goes away meanwhile */
    OPS_WAIT(lab, answer.done);
    assert_string_equal(answer.words, "");
    tb_buf_fini(&answer.state);
}

static void a_page_that_spins_is_kept_by_its_address_and_goes_on(void **state)
{
    struct ops_lab *lab = *state;
    char *saved;
    two_tabs_are_open(lab);
    ops_eval(lab, "void setTimeout(() => { const end = Date.now() + 4000; while (Date.now() < end);"
                  " document.title = `has ended` })");
    int64_t took_ms = save_timed(lab, &saved);
    assert_in_range(took_ms, 1000, 3500);
    TB_AUTO(tb_free) char *text = saved;
    assert_null(strstr(text, "two\\\""));
    assert_non_null(strstr(text, "/two\"}"));
    assert_non_null(strstr(text, "here")); /* of the other tab */
    OPS_WAIT(lab, strstr(ops_eval(lab, "document.title"), "has ended"));
    kept_open(lab, text);
    assert_string_equal(
        kept_words(lab),
        "Only the address of tab 1 was kept: its page did not answer, or stored too much.");
}

static void a_dialog_or_a_crash_costs_no_time(void **state)
{
    struct ops_lab *lab = *state;
    char *saved;
    ops_goto(lab, "/plain");
    tb_free(kept_save(lab));
    ops_run(lab, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/alert'}", lab->port);
    assert_true(tb_cdp_page_dialog(tb_cdp_session_page(lab->session))->open);
    assert_in_range(save_timed(lab, &saved), 0, 500);
    TB_AUTO(tb_free) char *in_dialog = saved;
    assert_non_null(strstr(in_dialog, "/alert\"}"));
    assert_non_null(strstr(in_dialog, "here")); /* as it was when the site was last heard */
    ops_ok(lab, TB_OP_DIALOG, "{}");
    tb_cdp_post(lab->session->browser->peer.conn,
                tb_cdp_page_session_id(tb_cdp_session_page(lab->session)), "Page.crash",
                (struct tb_str){NULL, 0});
    OPS_WAIT(lab, tb_cdp_page_crashed(tb_cdp_session_page(lab->session)));
    assert_in_range(save_timed(lab, &saved), 0, 500);
    TB_AUTO(tb_free) char *crashed = saved;
    assert_non_null(strstr(crashed, "/alert\"}"));
    kept_open(lab, crashed);
    assert_non_null(strstr(kept_words(lab), "dialog"));
}

/* An alert of the page is open; what is saved then. */
static char *save_in_dialog(struct ops_lab *lab)
{
    struct kept_answer answer;
    ops_eval(lab, "void setTimeout(() => alert(1))");
    OPS_WAIT(lab, tb_cdp_page_dialog(tb_cdp_session_page(lab->session))->open);
    kept_begin(lab, &answer);
    OPS_WAIT(lab, answer.done);
    assert_false(answer.whole);
    char *saved = tb_str_dup(tb_buf_str(&answer.state));
    tb_buf_fini(&answer.state);
    ops_ok(lab, TB_OP_DIALOG, "{}");
    return saved;
}

static void what_a_page_had_when_it_was_last_heard_is_missed(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_FILL, "{'target':'#name','value':'x'}");
    kept_begin(lab, &answer);
    OPS_WAIT(lab, answer.done);
    assert_true(answer.whole);
    tb_buf_fini(&answer.state);
    ops_eval(lab, "void history.pushState(0, ``, `/form?2`)");
    TB_AUTO(tb_free) char *same = save_in_dialog(lab);
    assert_non_null(strstr(same, "/form?2\",\"typed\":1}"));
    ops_goto(lab, "/plain");
    TB_AUTO(tb_free) char *other = save_in_dialog(lab);
    assert_non_null(strstr(other, "/plain\"}"));
    kept_open(lab, same);
    assert_true(tb_cdp_keep_restored(lab->session).typed);
}

static void a_tab_that_closes_meanwhile_is_left_out(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    two_tabs_are_open(lab);
    ops_eval(lab,
             "void setTimeout(() => { const end = Date.now() + 1000; while (Date.now() < end); })");
    kept_begin(lab, &answer);
    ops_ok(lab, TB_OP_TABS, "{'action':'close','tab':0}");
    OPS_WAIT(lab, answer.done);
    TB_AUTO(tb_free) char *saved = tb_str_dup(tb_buf_str(&answer.state));
    tb_buf_fini(&answer.state);
    kept_open(lab, saved);
    assert_int_equal(tb_cdp_session_page_count(lab->session), 1);
    assert_non_null(strstr(ops_eval(lab, "location.href"), "/two"));
    assert_string_equal(ops_eval(lab, "localStorage.here"), "\"1\"");
}

static void close_ends_a_save_before_it_returns(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    two_tabs_are_open(lab);
    kept_begin(lab, &answer);
    ops_close_during(lab);
    assert_true(answer.done);
    assert_int_equal(answer.code, TB_E_CLOSED);
    tb_buf_fini(&answer.state);
}

static void kill_browser(struct ops_lab *lab)
{
    kill(tb_launch_pid(lab->session->browser->launch), SIGKILL);
}

static void a_browser_that_dies_ends_a_save(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    two_tabs_are_open(lab);
    kill_browser(lab);
    kept_begin(lab, &answer);
    OPS_WAIT(lab, answer.done);
    assert_int_equal(answer.code, TB_E_BROWSER_CRASHED);
    tb_buf_fini(&answer.state);
}

static void a_browser_that_dies_while_a_page_is_waited_for_saves_nothing(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    two_tabs_are_open(lab);
    ops_eval(lab, "void setTimeout(() => { for (;;); })");
    kept_begin(lab, &answer);
    ops_ok(lab, TB_OP_COOKIES, "{}"); /* the save has its own by then */
    assert_false(answer.done);
    kill_browser(lab);
    OPS_WAIT(lab, answer.done);
    assert_int_equal(answer.code, TB_E_BROWSER_CRASHED);
    tb_buf_fini(&answer.state);
}

struct loss {
    struct ops_lab *lab;
    pid_t service;
};

/* The network service ends, and with it all cookies, at the moment when the save has all that it
 * waits for: the loop has not told anybody yet. */
static void lose_service(struct tb_timer *timer, void *user)
{
    struct loss *loss = user;
    struct tb_driver_session *session = loss->lab->session;
    struct tb_err err;
    (void)timer;
    kill(tb_launch_pid(session->browser->launch), SIGSTOP); /* it would reap its service */
    lab_kill_in_silence(loss->service);
    tb_fail(&err, TB_E_PAGE_CRASHED, "the page does not answer");
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        tb_cdp_page_fail_all(tb_cdp_session_page_by_index(session, i), NULL, &err);
    }
}

static void a_browser_that_has_lost_its_cookies_saves_nothing(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    struct tb_timer timer;
    two_tabs_are_open(lab);
    struct loss loss = {lab, lab_network_service(lab->loop, lab->session->browser)};
    ops_eval(lab, "void setTimeout(() => { for (;;); })");
    kept_begin(lab, &answer);
    ops_ok(lab, TB_OP_COOKIES, "{}"); /* the save has its own by then */
    assert_false(answer.done);
    tb_timer_init(&timer, lab->loop, lose_service, &loss);
    tb_timer_start(&timer, 0);
    OPS_WAIT(lab, answer.done);
    assert_int_equal(answer.code, TB_E_BROWSER_CRASHED);
    assert_string_equal(answer.words, "the browser does not report its state");
    assert_int_equal(answer.state.len, 0);
    tb_buf_fini(&answer.state);
    tb_timer_fini(&timer);
}

/* Opening. */

struct opening {
    bool done;
    struct tb_driver_session *session;
    int code;
};

static void on_open(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct opening *opening = owner;
    assert_false(opening->done);
    *opening = (struct opening){true, session, err ? err->code : 0};
}

static void begin_opening(struct ops_lab *lab, struct opening *opening, const char *text,
                          int64_t ms)
{
    TB_AUTO(tb_buf_fini) struct tb_buf state = TB_BUF(TB_SAVED_MAX);
    kept_print(lab, text, &state);
    *opening = (struct opening){.done = false};
    struct tb_open_opts opts = {
        .tenant = "default",
        .session_id = "other",
        .saved = tb_buf_str(&state),
        .deadline_ms = tb_loop_now_ms(lab->loop) + ms,
        .events = &deaf_events,
        .owner = opening,
    };
    tb_driver_cdp.open(lab->fleet, &opts, on_open);
}

static void on_closed(void *owner)
{
    *(bool *)owner = true;
}

static void close_opened(struct ops_lab *lab, struct opening *opening)
{
    bool closed = false;
    tb_cdp_session_close(opening->session, on_closed, &closed);
    OPS_WAIT(lab, closed);
}

static void new_driver(struct ops_lab *lab)
{
    tb_cdp_fleet_free(lab->fleet);
    lab->fleet = tb_cdp_fleet_new(&lab->core, "/proc/self/exe");
}

static void a_browser_that_dies_ends_the_opening(void **state)
{
    for (int point = 0; point < POINTS; point++) {
        void *self = *state;
        struct ops_lab *lab = self;
        struct opening opening;
        begin_opening(lab, &opening, two_tabs, OPS_MS);
        for (int i = 0; i < 2 * point && !opening.done; i++) {
            tb_loop_turn(lab->loop, true);
        }
        kill_browser(lab);
        OPS_WAIT(lab, opening.done);
        if (opening.session) { /* its last answers had come before the end */
            close_opened(lab, &opening);
        } else {
            assert_int_equal(opening.code, TB_E_BROWSER_CRASHED);
        }
        ops_close(&self);
        ops_open(&self);
    }
}

static void the_driver_may_stop_while_it_brings_back_or_saves(void **state)
{
    void *self = *state;
    struct ops_lab *lab = self;
    ops_close(&self);
    for (int point = 0; point < POINTS; point++) {
        struct opening opening;
        begin_opening(lab, &opening, two_tabs, OPS_MS);
        OPS_WAIT(lab, opening.done || lab->fleet->sessions.next != &lab->fleet->sessions);
        for (int i = 0; i < 10 * point && !opening.done; i++) {
            tb_loop_turn(lab->loop, true);
        }
        if (opening.done) {
            struct kept_answer answer = {.done = false};
            tb_buf_init(&answer.state, TB_SAVED_MAX);
            tb_cdp_keep_save(opening.session, tb_loop_now_ms(lab->loop) + 5000, kept_on_saved,
                             &answer);
            new_driver(lab);
            assert_false(answer.done);
            tb_buf_fini(&answer.state);
        } else {
            new_driver(lab);
            assert_false(opening.done);
        }
    }
    ops_open(&self);
}

static void a_tab_that_does_not_load_does_not_keep_the_session_from_opening(void **state)
{
    struct ops_lab *lab = *state;
    struct opening opening;
    begin_opening(lab, &opening, "{'tabs':[{'url':'http://127.0.0.1:{port}/held','origin':'x'}]}",
                  1500);
    OPS_WAIT(lab, opening.done);
    assert_non_null(opening.session);
    assert_non_null(strstr(tb_cdp_keep_restored(opening.session).missing, "did not load"));
    assert_false(tb_cdp_keep_restored(opening.session).typed);
    close_opened(lab, &opening);
}

static void more_tabs_than_there_may_be_are_said(void **state)
{
    struct ops_lab *lab = *state;
    lab->config.browser_tabs_max = 2;
    kept_open_text(lab,
                   "{'tabs':[{'url':'about:blank','origin':''},{'url':'about:blank','origin':''},"
                   "{'url':'http://127.0.0.1:{port}/two','origin':''}],"
                   "'origins':[{'origin':'http://localhost:{port}','local':'[]'}]}");
    lab->config.browser_tabs_max = 50;
    assert_int_equal(tb_cdp_session_page_count(lab->session), 2);
    assert_non_null(
        strstr(kept_words(lab), "/two) did not load: the session already has as many tabs"));
    assert_non_null(strstr(kept_words(lab), "What 1 site had stored is lost"));
}

static void of_a_tab_that_has_too_much_the_address_is_kept(void **state)
{
    struct ops_lab *lab = *state;
    struct kept_answer answer;
    char script[200];
    ops_goto(lab, "/plain");
    snprintf(script, sizeof(script),
             "localStorage.big = `x`.repeat(%d), sessionStorage.big = "
             "`y`.repeat(%d), 0",
             BIG, BIG);
    ops_eval(lab, script);
    kept_begin(lab, &answer);
    OPS_WAIT(lab, answer.done);
    assert_int_equal(answer.code, 0);
    assert_true(answer.state.len < 10000);
    assert_non_null(strstr(tb_buf_str(&answer.state).ptr, "/plain"));
    tb_buf_fini(&answer.state);
    ops_eval(lab, "delete sessionStorage.big");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    kept_open(lab, saved);
    snprintf(script, sizeof(script), "localStorage.big === `x`.repeat(%d)", BIG);
    assert_string_equal(ops_eval(lab, script), "true");
}

static const char wrong_types[] =
    "{'tabs':[{'url':'http://127.0.0.1:{port}/plain','origin':'http://127.0.0.1:{port}',"
    "'local':'no','session':[[1]],'scroll':'x','typed':-5,'databases':'many'}],'cookies':7,"
    "'origins':['x',{},{'origin':'http://localhost:{port}','local':'no'},{'local':'[]'}],"
    "'emulation':{'viewport':'wide','locale':7,'timezone':{},'geolocation':[],'device':'?'}}";

static void garbage_gives_a_session_all_the_same(void **state)
{
    static const char *const rows[] = {
        "x",
        "{",
        "[]",
        "null",
        "7",
        "{}",
        "{'tabs':7}",
        "{'tabs':[]}",
        "{'tabs':[7,null,'x',[]]}",
        "{'tabs':{'a':{'url':'about:blank'}},'current':-1}",
        "{'tabs':[{}],'current':99}",
        "{'tabs':[{'url':'about:blank'}],'current':1e300,'cookies':{},'origins':{},'emulation':[]}",
        wrong_types,
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct opening opening;
        begin_opening(lab, &opening, rows[i], OPS_MS);
        OPS_WAIT(lab, opening.done);
        assert_non_null(opening.session);
        assert_non_null(tb_cdp_session_page(opening.session));
        close_opened(lab, &opening);
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(an_operation_may_run_beside),
        OPS_TEST(a_page_that_spins_is_kept_by_its_address_and_goes_on),
        OPS_TEST(a_dialog_or_a_crash_costs_no_time),
        OPS_TEST(what_a_page_had_when_it_was_last_heard_is_missed),
        OPS_TEST(a_tab_that_closes_meanwhile_is_left_out),
        OPS_TEST(close_ends_a_save_before_it_returns),
        OPS_TEST(a_browser_that_dies_ends_a_save),
        OPS_TEST(a_browser_that_dies_while_a_page_is_waited_for_saves_nothing),
        OPS_TEST(a_browser_that_has_lost_its_cookies_saves_nothing),
        OPS_TEST(a_browser_that_dies_ends_the_opening),
        OPS_TEST(the_driver_may_stop_while_it_brings_back_or_saves),
        OPS_TEST(a_tab_that_does_not_load_does_not_keep_the_session_from_opening),
        OPS_TEST(more_tabs_than_there_may_be_are_said),
        OPS_TEST(of_a_tab_that_has_too_much_the_address_is_kept),
        OPS_TEST(garbage_gives_a_session_all_the_same),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
