/* SPDX-License-Identifier: Apache-2.0 */
/* Acts that a dialog cuts off, with a real browser: what is told as done was done, and what was
 * given up is not done later. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/", .body = "<title>Home</title>"},
    {.path = "/form",
     .body = "<title>Form</title><input id=u oninput=act()><input id=p type=password>"
             "<input id=c type=checkbox onclick=act()><div id=ed contenteditable></div>"
             "<script>act = () => 0; away = () => { location = 'http://localhost:{port}/other' }"
             "</script>"},
    {.path = "/other",
     .body = "<title>Other</title><input id=u><input id=p><script>"
             "oninput = () => fetch('/leak')</script>"},
    {.path = "/twice",
     .body = "<title>Twice</title><div id=box><button id=b>Once</button></div><script>"
             "b.onclick = () => { box.innerHTML = '<button onclick=\"document.title = 1\">Delete"
             "</button>' }</script>"},
    /* What is looked for comes when asked, and is seen for some frames. */
    {.path = "/late",
     .body =
         "<title>Late</title><body><script>stall = (since = Date.now()) => {"
         "while (Date.now() < since + 100); }; frame = () => new Promise(requestAnimationFrame);"
         "come = async (html) => { document.body.innerHTML = html;"
         "for (let i = 0; i < 4; i++) await frame(); return late.value }</script>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static const char form[] = "{'fields':[{'target':'#u','value':'Ann'},{'target':'#p','value':'x'}]}";

static void a_text_that_opens_a_dialog_is_in(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_eval(lab, "act = () => alert(`hm`), 0");
    ops_ok(lab, TB_OP_FILL, "{'target':'#u','value':'abc','clear_first':false}");
    assert_string_equal(ops_text(lab, "element"), "textbox");
    assert_non_null(strstr(ops_text(lab, "dialog"), "hm"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    assert_string_equal(ops_eval(lab, "u.value"), "\"abc\"");
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_FILL, "{'target':'#u','value':'x','submit':true}");
    assert_non_null(strstr(lab->result.message, "was filled, but Enter was not pressed"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_FILL_FORM, "%s", form);
    assert_non_null(strstr(lab->result.message, "field 1 (#u) was filled, those after it were"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    ops_ok(lab, TB_OP_FILL_FORM, "{'fields':[{'target':'#u','value':'y'}]}");
    assert_int_equal(ops_int(lab, "filled"), 1);
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
}

static void a_scroll_that_opens_a_dialog_tells_no_position(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_eval(lab, "document.body.style.height = `5000px`, onscroll = () => alert(`hm`), 0");
    ops_ok(lab, TB_OP_SCROLL, "{}");
    assert_non_null(strstr(ops_text(lab, "dialog"), "hm"));
    assert_null(tb_json_get(lab->result.data, "y"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    assert_string_equal(ops_eval(lab, "scrollY"), "500");
}

/* One that is answered at once, or shown by what hears of the text first, may not. */
static void a_dialog_before_the_text_keeps_it_out(void **state)
{
    static const char *const events[] = {"focus", "beforeinput"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(events); i++) {
        char script[256];
        snprintf(script, sizeof(script),
                 "u.addEventListener(`%s`, () => { alert(`no`); const since = Date.now();"
                 "while (Date.now() < since + 100); }, {once: true})",
                 events[i]);
        ops_goto(lab, "/form");
        ops_eval(lab, script);
        ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_FILL, "{'target':'#u','value':'z'}");
        assert_non_null(strstr(lab->result.message, "look at it before you fill it again"));
        ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
        ops_eval(lab,
                 "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
                 ".then(() => 0)");
        if (strcmp(events[i], "focus") == 0) {
            assert_string_equal(ops_eval(lab, "u.value"), "\"\"");
        }

        ops_goto(lab, "/form");
        ops_eval(lab, script);
        ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_FILL_FORM, "%s", form);
        assert_non_null(strstr(lab->result.message, "field 1 (#u)"));
        assert_non_null(strstr(lab->result.message, "look at it before you fill it again"));
        ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    }
}

/* By its caller, or by a dialog. */
static void what_was_given_up_does_not_act_later(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {
        {TB_OP_FILL, "{'target':'#late','value':'abc'}"},
        {TB_OP_FILL_FORM, "{'fields':[{'target':'#late','value':'abc'}]}"},
        {TB_OP_SELECT, "{'target':'#late','values':['abc']}"},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        const char *late = rows[i].kind == TB_OP_SELECT
                               ? "come(`<select id=late><option>old<option>abc</select>`)"
                               : "come(`<input id=late value=old>`)";
        ops_goto(lab, "/late");
        ops_begin(lab, rows[i].kind, OPS_MS, rows[i].args);
        tb_loop_turn(lab->loop, false);
        lab->op.cancel(&lab->op);
        assert_int_equal(ops_end(lab), TB_E_CANCELLED);
        assert_string_equal(ops_eval(lab, late), "\"old\"");

        ops_goto(lab, "/late");
        ops_eval(lab, "setTimeout(alert, 200, `hm`), 0");
        ops_fails(lab, TB_E_DIALOG_OPEN, rows[i].kind, "%s", rows[i].args);
        ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
        assert_string_equal(ops_eval(lab, late), "\"old\"");

        /* It comes before the page can hear that the call was given up, or before the call itself
         * has come there. */
        char script[256];
        snprintf(script, sizeof(script),
                 "has = new Promise(done => setTimeout(() => { alert(`hm`); stall();"
                 "done(%s) }, 200)), 0",
                 late);
        ops_goto(lab, "/late");
        ops_eval(lab, script);
        ops_fails(lab, TB_E_DIALOG_OPEN, rows[i].kind, "%s", rows[i].args);
        ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
        assert_string_equal(ops_eval(lab, "has"), "\"old\"");
    }
}

static void who_has_no_tool_for_dialogs_has_them_dismissed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    lab->dismisses = true;
    ops_eval(lab, "said = [], act = () => said.push(confirm(`one`), confirm(`two`)), 0");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#c'}");
    assert_non_null(strstr(ops_text(lab, "dialog"), "one"));
    assert_string_equal(ops_text(lab, "dialogs_answered"), "");
    /* Each call meets the next one, and the script of the page goes on between them. */
    while (ops_run(lab, TB_OP_EXTRACT, "{'target':'#c'}") == TB_E_DIALOG_OPEN) {
        assert_non_null(strstr(lab->result.message, "two"));
    }
    assert_int_equal(lab->result.code, 0);
    assert_non_null(strstr(ops_text(lab, "dialogs_answered"), "\"accepted\":false"));
    assert_string_equal(ops_eval(lab, "said"), "[false,false]");
    assert_string_equal(ops_text(lab, "dialogs_answered"), "");
    lab->dismisses = false;
}

static void a_dialog_before_the_press_is_no_click(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/twice");
    ops_eval(lab, "onmousemove = (e) => { if (e.clientX) { onmousemove = null; alert(`hm`) } }, 0");
    assert_int_equal(ops_run_unheard(lab, false, TB_OP_CLICK, "{'target':'#b'}"), TB_E_DIALOG_OPEN);
    assert_non_null(
        strstr(lab->result.message, "before the click on button \"Once\" had happened"));
}

/* The browser tells of a dialog at once, and of what the page has done before it by other ways. */
static void a_dialog_during_a_click_is_told_by_what_was_done(void **state)
{
    static const char *const halves[] = {"pointerdown", "mousedown", "mouseup", "click"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(halves) * 2; i++) {
        const char *half = halves[i % TB_COUNT(halves)];
        char script[160];
        ops_goto(lab, "/twice");
        snprintf(script, sizeof(script),
                 "b.addEventListener(`%s`, () => { alert(`now`); b.remove() }, {once: true}), 0",
                 half);
        ops_eval(lab, script);
        if (strcmp(half, "click") == 0) {
            ops_ok(lab, TB_OP_CLICK, "{'target':'#b'}");
            assert_non_null(strstr(ops_text(lab, "dialog"), "now"));
        } else {
            assert_int_equal(ops_run_unheard(lab, false, TB_OP_CLICK, "{'target':'#b'}"),
                             TB_E_DIALOG_OPEN);
            assert_non_null(
                strstr(lab->result.message, "before the click on button \"Once\" had happened"));
            assert_non_null(strstr(lab->result.message, "look at the page before"));
            assert_non_null(strstr(lab->result.message, "(alert): \"now\""));
        }
        ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    }
    ops_goto(lab, "/twice");
    ops_eval(lab, "b.onclick = () => alert(`now`), 0");
    assert_int_equal(ops_run_unheard(lab, true, TB_OP_CLICK, "{'target':'#b','count':2}"),
                     TB_E_DIALOG_OPEN);
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
}

/* A box that has its state, a text whose last key has come: those are done. */
static void input_that_a_dialog_cuts_off_is_not_told_as_done(void **state)
{
    static const struct {
        const char *script;
        enum tb_op_kind kind;
        const char *args;
        bool done;
    } rows[] = {
        {"c.onmousedown = () => { alert(1); c.style.marginLeft = `300px` }, 0", TB_OP_FILL,
         "{'target':'#c','value':'true'}", false},
        {"c.onclick = (e) => { alert(1); e.preventDefault() }, 0", TB_OP_FILL,
         "{'target':'#c','value':'true'}", false},
        {"c.onchange = () => alert(1), 0", TB_OP_FILL, "{'target':'#c','value':'true'}", true},
        {"c.onchange = () => alert(1), 0", TB_OP_FILL,
         "{'target':'#c','value':'true','submit':true}", false},
        {"u.onkeydown = (e) => { if (e.key == `h`) { alert(1); p.focus() } }, 0", TB_OP_PRESS_KEY,
         "{'target':'#u','text':'hello'}", false},
        {"u.onkeydown = (e) => { if (e.key == `h`) { alert(1); p.focus() } }, u.focus(), 0",
         TB_OP_PRESS_KEY, "{'text':'hello'}", false},
        {"u.onkeydown = (e) => { if (e.key == `o`) alert(1) }, 0", TB_OP_PRESS_KEY,
         "{'target':'#u','text':'hello'}", true},
        {"u.onkeydown = () => alert(1), u.focus(), 0", TB_OP_PRESS_KEY, "{'key':'Enter'}", true},
        {"u.onkeydown = (e) => { if (e.key == `d`) { alert(1); e.preventDefault() } }, 0",
         TB_OP_FILL, "{'target':'#u','value':'abcd','delay_ms':1}", false},
        {"u.onkeypress = (e) => { if (e.key == `d`) { alert(1); e.preventDefault() } }, 0",
         TB_OP_FILL, "{'target':'#u','value':'abcd','delay_ms':1}", false},
        {"u.oninput = () => { if (u.value == `abcd`) alert(1) }, 0", TB_OP_FILL,
         "{'target':'#u','value':'abcd','delay_ms':1}", true},
        {"ed.oninput = () => alert(1), 0", TB_OP_FILL, "{'target':'#ed','value':'abcd'}", true},
        {"ed.onbeforeinput = (e) => { alert(1); e.preventDefault() }, 0", TB_OP_FILL,
         "{'target':'#ed','value':'abcd'}", false},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/form");
        ops_eval(lab, rows[i].script);
        if (rows[i].done) {
            ops_ok(lab, rows[i].kind, "%s", rows[i].args);
        } else {
            int code = ops_run_unheard(lab, false, rows[i].kind, rows[i].args);
            assert_int_equal(code, TB_E_DIALOG_OPEN);
            assert_true(strstr(lab->result.message, "before you") ||
                        strstr(lab->result.message, "was filled, but Enter was not pressed"));
        }
        OPS_WAIT(lab, tb_cdp_page_dialog(tb_cdp_session_page(lab->session))->open);
        ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_text_that_opens_a_dialog_is_in),
        OPS_TEST(a_scroll_that_opens_a_dialog_tells_no_position),
        OPS_TEST(a_dialog_before_the_text_keeps_it_out),
        OPS_TEST(what_was_given_up_does_not_act_later),
        OPS_TEST(who_has_no_tool_for_dialogs_has_them_dismissed),
        OPS_TEST(a_dialog_before_the_press_is_no_click),
        OPS_TEST(a_dialog_during_a_click_is_told_by_what_was_done),
        OPS_TEST(input_that_a_dialog_cuts_off_is_not_told_as_done),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
