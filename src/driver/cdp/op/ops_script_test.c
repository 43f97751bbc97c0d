/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluate, with a real browser. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Home</title><h1>Welcome</h1><a href=/two>Two</a>"
             "<button id=b onclick=\"document.title='Clicked'\">Press me</button>"},
    {.path = "/two", .body = "<title>Two</title><h1>Second</h1><a href=/>Home</a>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void scripts_give_their_value_as_json(void **state)
{
    static const struct {
        const char *script;
        const char *value;
    } rows[] = {
        {"1+1", "2"},
        {"1+1;", "2"},
        {"({a:[1,null,true]})", "{\"a\":[1,null,true]}"},
        {"{a:1}", "{\"a\":1}"},
        {"undefined", "null"},
        {"null", "null"},
        {"NaN", "\"NaN\""},
        {"10n", "\"10\""},
        {"Symbol(1)", "\"Symbol(1)\""},
        {"() => 5", "5"},
        {"async () => { await null; return 6 }", "6"},
        {"function() { return 7 }", "7"},
        {"Promise.resolve(8)", "8"},
        {"const x = 9; x", "9"},
        {"const x = 10; x", "10"},
        {"let s = 0; for (let i = 0; i < 5; i++) s += i; s", "10"},
        {"return 11", "11"},
        {"const y = 1; return y + 11", "12"},
        {"await Promise.resolve(13)", "13"},
        {"document.getElementById(`b`)",
         "\"<button id=\\\"b\\\" onclick=\\\"document.title='Clicked'\\\">"
         "Press me</button>\""},
        {"1 // with a comment", "1"},
        {"(() => 14)()", "14"},
        {"window.zz = 15, zz", "15"},
        {"document.querySelector", "\"function querySelector() { [native code] }\""},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_string_equal(ops_eval(lab, rows[i].script), rows[i].value);
    }
    assert_string_equal(ops_text(lab, "title"), "Home");
}

static void a_script_that_fails_tells_message_and_line(void **state)
{
    static const struct {
        const char *script;
        const char *words;
    } rows[] = {
        {"nosuch.thing", "ReferenceError: nosuch is not defined\" (line 1)"},
        {"\\n\\nnosuch.thing", "ReferenceError: nosuch is not defined\" (line 3)"},
        {"throw new Error(`bang`)", "Error: bang\" (line 1)"},
        {"Promise.reject(new TypeError(`no`))", "TypeError: no\" (line 1)"},
        {"1 +", "SyntaxError"},
        {"return (", "SyntaxError: the script is incomplete"},
        {"return 1\\nreturn {", "SyntaxError: the script is incomplete"},
        {"return 1)", "SyntaxError: Unexpected token ')'\" (line 1)"},
        {"JSON.parse(`{`)", "SyntaxError"},
        {"window", "refers to itself"},
        {"const a = {}; a.a = a; a", "refers to itself"},
        {"throw 5", "\"5\" (line 1)"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_fails(lab, TB_E_SCRIPT, TB_OP_EVALUATE, "{'script':'%s'}", rows[i].script);
        if (!strstr(lab->result.message, rows[i].words)) {
            fail_msg("%s: %s", rows[i].script, lab->result.message);
        }
    }
}

static void a_script_gets_the_element_it_is_given(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'el => el.id','target':'#b'}");
    assert_string_equal(ops_out(lab), "\"b\"");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'element.tagName','target':'text=Press me'}");
    assert_string_equal(ops_out(lab), "\"BUTTON\"");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'return element.id','target':'#b'}");
    assert_string_equal(ops_out(lab), "\"b\"");
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_EVALUATE, "{'script':'e => 1','target':'#zz'}");
    ops_fails(lab, TB_E_SCRIPT, TB_OP_EVALUATE, "{'script':'e => e.x.y','target':'#b'}");
}

static void a_value_too_large_is_refused_and_the_next_call_works(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_begin(lab, TB_OP_EVALUATE, OPS_MS, "{'script':'`x`.repeat(70e6)'}");
    assert_int_equal(ops_end(lab), TB_E_TOO_LARGE);
    assert_string_equal(ops_eval(lab, "1"), "1");
    ops_begin(lab, TB_OP_EVALUATE, OPS_MS, "{'script':'({a: `x`.repeat(70e6)})'}");
    assert_int_equal(ops_end(lab), TB_E_TOO_LARGE);
    assert_string_equal(ops_eval(lab, "2"), "2");
    ops_fails(lab, TB_E_TOO_LARGE, TB_OP_EVALUATE, "{'script':'[`x`.repeat(3e6)]'}");
    assert_string_equal(ops_eval(lab, "3"), "3");
}

static void a_script_without_end_is_stopped(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_begin(lab, TB_OP_EVALUATE, 500, "{'script':'for(;;);'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    assert_string_equal(ops_eval(lab, "3"), "3");
    ops_begin(lab, TB_OP_EVALUATE, 10000, "{'script':'for(;;);'}");
    for (int i = 0; i < 5; i++) {
        tb_loop_turn(lab->loop, false);
    }
    lab->op.cancel(&lab->op);
    assert_int_equal(ops_end(lab), TB_E_CANCELLED);
    assert_string_equal(ops_eval(lab, "4"), "4");
}

static void a_script_that_navigates_is_waited_for(void **state)
{
    static const char *const scripts[] = {"location.href = `/two`", "document.links[0].click()",
                                          "document.links[0].click(); new Promise(() => {})"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(scripts); i++) {
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_EVALUATE, "{'script':'%s'}", scripts[i]);
        assert_string_equal(ops_text(lab, "title"), "Two");
        assert_string_equal(ops_text(lab, "navigated"), "true");
    }
}

static void an_alert_from_a_script_ends_the_call_with_the_dialog(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'confirm(`sure?`)'}");
    assert_non_null(strstr(ops_text(lab, "dialog"), "sure?"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':false}");
    assert_string_equal(ops_text(lab, "type"), "confirm");
    assert_string_equal(ops_text(lab, "accepted"), "false");
    assert_string_equal(ops_text(lab, "title"), "Home");
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(scripts_give_their_value_as_json),
        OPS_TEST(a_script_that_fails_tells_message_and_line),
        OPS_TEST(a_script_gets_the_element_it_is_given),
        OPS_TEST(a_value_too_large_is_refused_and_the_next_call_works),
        OPS_TEST(a_script_without_end_is_stopped),
        OPS_TEST(a_script_that_navigates_is_waited_for),
        OPS_TEST(an_alert_from_a_script_ends_the_call_with_the_dialog),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
