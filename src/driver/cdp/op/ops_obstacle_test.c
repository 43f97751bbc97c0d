/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the way of an operation: a frame that leaves under it, a page that computes, a dialog
 * in another tab. With a real browser. */
#include "driver/cdp/browser/session_internal.h"

#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/", .body = "<title>Home</title><h1>Welcome</h1>"},
    {.path = "/two", .body = "<title>Two</title>"},
    {.path = "/close", .body = "<script>close()</script>"},
    {.path = "/frame",
     .body = "<title>Outer</title><input aria-label=Outer>"
             "<iframe id=i src=http://localhost:{port}/inner></iframe>"
             "<script>onmessage = () => document.querySelector('#i').remove()</script>"},
    {.path = "/inner",
     .body = "<input aria-label=Inner oninput=\"parent.postMessage(1, '*')\">"
             "<button onclick=\"parent.postMessage(1, '*')\">Close</button>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void a_click_that_takes_its_own_frame_away_is_done(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    ops_goto(lab, "/frame");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Close", ref);
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    ops_ok(lab, TB_OP_WAIT, "{'target':'#i','state':'detached'}"); /* a message is on its way */
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", ref);
}

static void a_frame_that_leaves_under_an_operation_is_told(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    ops_goto(lab, "/frame");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Inner", ref);
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL,
              "{'target':'%s','value':'xxxxxx','delay_ms':200}", ref);
    assert_non_null(strstr(lab->result.message, "has left the page"));
    assert_string_equal(ops_eval(lab, "document.querySelector(`input`).value"), "\"\"");
}

static void begin_to_compute(struct ops_lab *lab)
{
    ops_goto(lab, "/two");
    ops_goto(lab, "/");
    /* Not before this call has its answer, and seen when it begins. */
    uint64_t errors = lab->session->journal.console.errors;
    ops_ok(lab, TB_OP_EVALUATE,
           "{'script':'setTimeout(() => { console.error(1); for (;;); }, 300); 1'}");
    OPS_WAIT(lab, lab->session->journal.console.errors > errors);
}

static void a_page_that_computes_is_left_at_the_first_try(void **state)
{
    struct ops_lab *lab = *state;
    begin_to_compute(lab);
    ops_goto(lab, "/two");
    begin_to_compute(lab);
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'reload'}");
    assert_string_equal(ops_text(lab, "title"), "Home");
    begin_to_compute(lab);
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'back'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
}

/* Its script cannot be ended: dialog after dialog, each by another timer; a loop in what the
 * browser asks for when it tells of an error. */
static void a_page_that_is_out_of_reach_is_left_with_its_process(void **state)
{
    static const char *const traps[] = {
        "setInterval(() => { alert(1) }, 1); 1",
        "Error.prepareStackTrace = () => { console.error(1); for (;;); };"
        "setTimeout(() => { throw new Error(`x`) }, 300); 1",
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(traps); i++) {
        ops_goto(lab, "/");
        uint64_t errors = lab->session->journal.console.errors;
        ops_run(lab, TB_OP_EVALUATE, "{'script':'%s'}", traps[i]); /* a dialog may be first */
        OPS_WAIT(lab, tb_cdp_page_dialog(tb_cdp_session_page(lab->session))->open ||
                          lab->session->journal.console.errors > errors);
        ops_goto(lab, "/two");
        assert_string_equal(ops_text(lab, "title"), "Two");
        /* Dialogs that come slowly, on a busy machine, may let it be left without that. */
        assert_true(i == 0 || strcmp(ops_text(lab, "forced"), "true") == 0);
        assert_string_equal(ops_eval(lab, "1 + 1"), "2");
    }
}

/* The first try cannot tell it from a server that does not answer. */
static void a_page_that_holds_back_what_follows_is_left_at_the_second_try(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_eval(lab, "onbeforeunload = () => { for (;;); }, 1");
    ops_begin(lab, TB_OP_NAVIGATE, 1000, "{'to':'reload'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    ops_goto(lab, "/two");
    assert_string_equal(ops_text(lab, "forced"), "true");
}

/* Whether it has gone by the end of the call or not. */
static void a_tab_that_closes_again_is_not_taken_for_the_one_that_opened_it(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EVALUATE,
           "{'script':'const w = window.open(`/close`);"
           "while (!w.closed) await new Promise(r => setTimeout(r, 10));"
           "return 1'}");
    assert_null(strstr(ops_text(lab, "new_tabs"), "\"index\":0"));
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1);
}

static size_t current_tab(struct ops_lab *lab)
{
    return tb_cdp_session_page_index(lab->session, tb_cdp_session_page(lab->session));
}

/* Each window of the loop was the current tab for a moment, and it was that which was asked. */
static void a_page_that_opens_and_closes_windows_is_left_at_the_first_try(void **state)
{
    static const char *const loops[] = {
        "setTimeout(() => { for (;;) window.open(`about:blank`).close() }, 100); 1",
        "setTimeout(() => setInterval(() => window.open(`about:blank`).close(), 10), 100); 1",
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(loops); i++) {
        ops_goto(lab, "/");
        uint64_t opened = tb_cdp_session_tabs_opened(lab->session);
        ops_ok(lab, TB_OP_EVALUATE, "{'script':'%s'}", loops[i]);
        OPS_WAIT(lab, tb_cdp_session_tabs_opened(lab->session) > opened + 3);
        ops_goto(lab, "/two");
        assert_string_equal(ops_text(lab, "title"), "Two");
        assert_non_null(
            strstr(tb_cdp_page_url(tb_cdp_session_page_by_index(lab->session, 0)).ptr, "/two"));
    }
}

static void a_window_that_opens_by_itself_is_not_the_tab_to_navigate(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'setTimeout(() => window.open(`/`), 300); 1'}");
    OPS_WAIT(lab, current_tab(lab) == 1);
    ops_goto(lab, "/two");
    assert_int_equal(current_tab(lab), 0);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Two\"");
    /* One that the caller has heard of is. */
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'window.open(`/`); 1'}");
    assert_int_equal(current_tab(lab), 2);
    ops_goto(lab, "/two");
    assert_int_equal(current_tab(lab), 2);
}

static void a_window_that_opens_and_closes_leaves_the_selection_as_it_was(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_TABS, "{'action':'new'}");
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
    uint64_t opened = tb_cdp_session_tabs_opened(lab->session);
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'setTimeout(() => window.open(`/close`), 300); 1'}");
    OPS_WAIT(lab, tb_cdp_session_tabs_opened(lab->session) > opened &&
                      tb_cdp_session_page_count(lab->session) == 2);
    assert_int_equal(current_tab(lab), 0);
}

static void a_script_whose_page_is_left_says_that_it_was_cut_off(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EVALUATE,
           "{'script':'location = `/two`; await new Promise(() => {}); return 1'}");
    assert_string_equal(ops_text(lab, "unfinished"), "true");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'undefined'}");
    assert_string_equal(ops_text(lab, "unfinished"), "");
}

/* A dialog in a popup stops its opener if they share a process. */
static void a_dialog_in_a_popup_is_named_to_calls_on_its_opener(void **state)
{
    static const struct {
        const char *how;
        bool shared;
    } rows[] = {
        {"window.open(`about:blank`)", true},
        {"window.open(`/two`)", true},
        {"window.open(`/two`, `_blank`, `noopener`)", false},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_EVALUATE, "{'script':'%s; 1'}", rows[i].how);
        ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':1}");
        ops_ok(lab, TB_OP_EVALUATE, "{'script':'setTimeout(() => alert(`from the popup`), 0); 1'}");
        OPS_WAIT(lab, tb_cdp_page_dialog(tb_cdp_session_page(lab->session))->open);
        ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
        int code = ops_run(lab, TB_OP_EVALUATE, "{'script':'1 + 1'}");
        assert_int_equal(code, rows[i].shared ? TB_E_DIALOG_OPEN : 0);
        assert_true(!rows[i].shared || strstr(lab->result.message, "tab 1 shows a dialog (alert)"));
        ops_ok(lab, TB_OP_TABS, "{'action':'close','tab':1}");
        assert_string_equal(ops_eval(lab, "1 + 1"), "2");
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_click_that_takes_its_own_frame_away_is_done),
        OPS_TEST(a_frame_that_leaves_under_an_operation_is_told),
        OPS_TEST(a_dialog_in_a_popup_is_named_to_calls_on_its_opener),
        OPS_TEST(a_page_that_computes_is_left_at_the_first_try),
        OPS_TEST(a_page_that_is_out_of_reach_is_left_with_its_process),
        OPS_TEST(a_page_that_holds_back_what_follows_is_left_at_the_second_try),
        OPS_TEST(a_tab_that_closes_again_is_not_taken_for_the_one_that_opened_it),
        OPS_TEST(a_page_that_opens_and_closes_windows_is_left_at_the_first_try),
        OPS_TEST(a_window_that_opens_by_itself_is_not_the_tab_to_navigate),
        OPS_TEST(a_window_that_opens_and_closes_leaves_the_selection_as_it_was),
        OPS_TEST(a_script_whose_page_is_left_says_that_it_was_cut_off),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
