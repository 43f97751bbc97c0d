/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the way of an operation: a frame that leaves under it, a page that computes, a dialog
 * in another tab. With a real browser. */
#include "driver/cdp/memory.h"

#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/", .body = "<title>Home</title><h1>Welcome</h1>"},
    {.path = "/two", .body = "<title>Two</title>"},
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
    uint64_t errors = tb_memory_of(lab->session)->console.errors;
    ops_ok(lab, TB_OP_EVALUATE,
           "{'script':'setTimeout(() => { console.error(1); for (;;); }, 300); 1'}");
    OPS_WAIT(lab, tb_memory_of(lab->session)->console.errors > errors);
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
        OPS_WAIT(lab, tb_page_dialog(tb_session_page(lab->session))->open);
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
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
