/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and text are for the field that was meant, with a real browser: they stop when the focus
 * goes elsewhere, and what went astray is told. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/keep",
     .body = "<title>Keep</title><div><p><b><i><button>Keep</button></i></b></p></div>"
             "<div><p><b><i><button>Keep</button></i></b></p></div>"},
    {.path = "/fields",
     .body = "<title>Fields</title><input id=num type=number aria-label=Age>"
             "<input id=max maxlength=3 aria-label=Short>"
             "<input id=back value=old aria-label=Fixed oninput=\"this.value='old'\">"
             "<input id=lie aria-label=Lie oninput='value=says'>"
             "<input id=pw type=password maxlength=3 aria-label=Word>"
             "<input id=hop aria-label=Hop oninput='next.focus()'>"
             "<input id=next aria-label=Next><input id=ok aria-label=Name>"
             "<input id=tick type=checkbox aria-label=Tick onclick='event.preventDefault()'>"
             "<div id=ed contenteditable aria-label=Editor></div>"},
    {.path = "/form",
     .body =
         "<title>Form</title><form onsubmit=\"event.preventDefault();document.title='sent'\">"
         "<input id=a aria-label=A oninput='go.focus()'><input id=t type=checkbox checked>"
         "<button>Send</button></form><button id=go onclick=\"document.title='pressed'\">Delete</button>"},
    {.path = "/cut",
     .body = "<title>Cut</title><input id=a aria-label=A oninput='act()'><script>n = 0</script>"
             "<input id=t type=checkbox aria-label=T onclick='return false'>"
             "<label id=l>L<input type=checkbox onclick='event.preventDefault()'></label>"
             "<input id=k aria-label=K onkeydown='a.focus()'>"},
    {.path = "/beside",
     .body = "<title>Beside</title><input id=i aria-label=I oninput='hop()'>"
             "<div id=ed contenteditable aria-label=E onfocus='hop()'>x</div>"
             "<iframe id=near src=/keys></iframe>"
             "<iframe id=far src=http://localhost:{port}/keys></iframe><script>hop = () => 0"
             "</script>"},
    {.path = "/keys",
     .body = "<title>Keys</title><body contenteditable>Ready</body><script>"
             "onbeforeinput = onkeydown = () => fetch(`/leak`)</script>"},
    {.path = "/begins",
     .body = "<title>Begins</title><body contenteditable>Ready</body><script>"
             "onbeforeinput = onkeydown = () => fetch(`/leak`); location = '/none'</script>"},
    {.path = "/none", .status = 204},
    /* Takes the focus whenever it does not have it. */
    {.path = "/thief",
     .body = "<input id=q><script>onkeydown = () => fetch(`/leak`);"
             "setInterval(() => { if (!document.hasFocus()) q.focus() }, 1)</script>"},
    {.path = "/honest",
     .body = "<title>Honest</title><form onsubmit=\"event.preventDefault();document.title='sent'\">"
             "<input id=i aria-label=I></form><div id=ed contenteditable aria-label=E></div>"
             "<iframe src=http://localhost:{port}/thief></iframe>"},
    {.path = "/kin",
     .body = "<title>Kin</title><iframe src=/keep></iframe><iframe srcdoc=x></iframe>"
             "<iframe></iframe><iframe src=about:blank></iframe>"},
    {.path = "/closed",
     .body = "<title>Closed</title><div id=h></div><script>root = h.attachShadow({mode:'closed'});"
             "root.innerHTML = '<input id=pw type=password aria-label=Secret>"
             "<input id=vis aria-label=Visible>';"
             "field = id => root.getElementById(id); hop = () => field('vis').focus();"
             "values = () => field('pw').value + '|' + field('vis').value</script>"},
    {.path = "/editors",
     .body = "<title>Editors</title><div id=a contenteditable aria-label=A>aa</div>"
             "<div id=b contenteditable aria-label=B>bb</div><input id=pw type=password>"
             "<script>a.onbeforeinput = () => getSelection().collapse(b, 0)</script>"},
    {.path = "/short",
     .body = "<title>Short</title><input id=i aria-label=I><script>n = 0</script>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static size_t leaks(struct ops_lab *lab)
{
    size_t count = 0;
    ops_eval(lab, "fetch(`/keep`).then(() => 0)");
    struct tb_str rest = tb_buf_str(&lab->visits);
    while (rest.len) {
        count += tb_str_starts(tb_str_cut(&rest, '\n'), TB_STR("/leak")) ? 1 : 0;
    }
    tb_buf_clear(&lab->visits);
    return count;
}

static void typing_stops_when_the_focus_is_elsewhere(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/fields");
    ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_FILL, "{'target':'#hop','value':'secret','delay_ms':1}");
    assert_non_null(strstr(lab->result.message, "moved the focus from textbox \"Hop\" to <input"));
    assert_string_equal(ops_eval(lab, "hop.value + `|` + next.value"), "\"s|\"");
    ops_ok(lab, TB_OP_FILL, "{'target':'#hop','value':'at once'}");
    assert_string_equal(ops_eval(lab, "hop.value + `|` + next.value"), "\"at once|\"");
}

/* Of a closed root the page's events name only the host. */
static void another_field_of_a_closed_root_gets_no_text(void **state)
{
    static const char *const events[] = {"keydown", "input", "keyup"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(events); i++) {
        char script[128];
        char ref[32];
        ops_goto(lab, "/closed");
        snprintf(script, sizeof(script), "field(`pw`).on%s = hop, 0", events[i]);
        ops_eval(lab, script);
        ops_ok(lab, TB_OP_SNAPSHOT, "{}");
        ops_ref(lab, "\"Secret\"", ref);
        ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_PRESS_KEY, "{'target':'%s','text':'hunter2'}", ref);
        assert_string_equal(ops_eval(lab, "values()"), i ? "\"h|\"" : "\"|\"");
    }
}

static void a_document_that_becomes_an_editor_gets_no_text(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/editors");
    ops_eval(lab, "pw.onkeydown = () => { document.designMode = `on`; document.body.focus() }, 0");
    ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_PRESS_KEY, "{'target':'#pw','text':'hunter2'}");
    assert_null(strstr(ops_eval(lab, "document.body.innerText"), "hunter"));
}

static void text_that_the_page_sends_elsewhere_is_told(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {
        {TB_OP_PRESS_KEY, "{'target':'#a','text':'xyz'}"},
        {TB_OP_FILL, "{'target':'#a','value':'xyz','delay_ms':1}"},
        {TB_OP_FILL, "{'target':'#a','value':'xyz'}"},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/editors");
        ops_fails(lab, TB_E_FOCUS_MOVED, rows[i].kind, "%s", rows[i].args);
        assert_non_null(strstr(lab->result.message, "<div id=\"b\">"));
        assert_non_null(strstr(lab->result.message, ", which received "));
        assert_null(strstr(lab->result.message, "nothing"));
        assert_null(strstr(lab->result.message, "none"));
    }
}

static void keys_that_never_came_are_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/short");
    ops_eval(lab, "i.onkeydown = () => { if (++n === 2) open(`/keep`) }, 0");
    ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_PRESS_KEY, "{'target':'#i','text':'hunter2'}");
    assert_non_null(strstr(lab->result.message, " of 7 keys and then no more"));
}

static void enter_is_for_the_field_that_was_filled(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_FILL, "{'target':'#a','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "sent");
    ops_eval(lab, "document.title = `Form`, go.focus()");
    ops_ok(lab, TB_OP_FILL, "{'target':'#t','value':'true','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "sent");
    ops_eval(lab, "document.title = `Form`, a.oninput = () => a.remove()");
    lab->element_ms = 100; /* the field does not come back */
    assert_int_not_equal(ops_run(lab, TB_OP_FILL, "{'target':'#a','value':'x','submit':true}"), 0);
    lab->element_ms = 0;
    assert_string_equal(ops_eval(lab, "document.title"), "\"Form\"");
    ops_goto(lab, "/form");
    ops_eval(lab, "a.oninput = () => location = `/keep`, 0");
    ops_ok(lab, TB_OP_FILL, "{'target':'#a','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "Keep");
}

static void a_text_that_was_cut_off_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cut");
    ops_eval(lab, "act = () => alert(`hm`), 0");
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_FILL, "{'target':'#a','value':'abc','delay_ms':1}");
    assert_non_null(
        strstr(lab->result.message, "typing stopped before the end of the text: the page shows"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    ops_eval(lab, "act = () => location = `/keys`, a.value = ``");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL, "{'target':'#a','value':'abc','delay_ms':60}");
    assert_non_null(strstr(lab->result.message, "another document"));
    /* One that leads on to nothing is another document, too. */
    ops_goto(lab, "/cut");
    ops_eval(lab, "act = () => location = `/begins`, 0");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL, "{'target':'#a','value':'ab','delay_ms':500}");
    assert_non_null(strstr(lab->result.message, "another document"));
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'reload'}");
    assert_string_equal(ops_text(lab, "title"), "Begins");
    ops_goto(lab, "/cut");
    ops_eval(lab, "act = () => location = `/keep`, 0");
    ops_ok(lab, TB_OP_FILL, "{'target':'#a','value':'b','delay_ms':1}");
    assert_string_equal(ops_text(lab, "title"), "Keep");
    assert_null(memmem(lab->visits.data, lab->visits.len, "/leak", 5));
}

static void a_key_that_had_half_its_effect_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cut");
    ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_PRESS_KEY, "{'target':'#k','key':'x'}");
    assert_non_null(strstr(lab->result.message, "the key went down in the element"));
    assert_string_equal(ops_eval(lab, "k.value + a.value"), "\"\"");
}

static void typing_stops_when_the_focus_is_in_another_frame(void **state)
{
    static const char *const frames[] = {"near", "far"};
    struct ops_lab *lab = *state;
    ops_goto(lab, "/beside");
    for (size_t i = 0; i < TB_COUNT(frames); i++) {
        char script[64];
        snprintf(script, sizeof(script), "hop = () => %s.focus(), i.value = ``", frames[i]);
        ops_eval(lab, script);
        ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_FILL,
                  "{'target':'#i','value':'secret','delay_ms':40}");
        assert_non_null(strstr(lab->result.message, "the focus from textbox \"I\" into <iframe"));
        assert_non_null(strstr(lab->result.message, frames[i]));
        assert_string_equal(ops_eval(lab, "i.value"), "\"s\"");
    }
    /* The last key may lead where it will. */
    ops_ok(lab, TB_OP_FILL, "{'target':'#i','value':'x','delay_ms':1}");
    ops_eval(lab, "hop = () => 0");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'target':'#ed','key':'Tab'}");
    assert_string_equal(ops_eval(lab, "document.activeElement.id"), "\"near\"");
    /* What an earlier call has meant does not matter any more. */
    ops_ok(lab, TB_OP_FILL, "{'target':'#i','value':'two','delay_ms':1}");
    assert_string_equal(ops_eval(lab, "fetch(`/keep`).then(() => i.value)"), "\"two\"");
    assert_null(memmem(lab->visits.data, lab->visits.len, "/leak", 5));
}

static void keys_stop_when_the_focus_goes_to_another_site(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/beside");
    tb_buf_clear(&lab->visits);
    for (int i = 0; i < 3; i++) {
        ops_eval(lab, "hop = () => { if (i.value.length == 3) far.focus() }, i.value = ``, "
                      "i.focus(), 0");
        ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_PRESS_KEY,
                  i == 2 ? "{'text':'hunter2secret'}" : "{'target':'#i','text':'hunter2secret'}");
        assert_non_null(strstr(lab->result.message, "typing stopped after 3 of 13 characters: the "
                                                    "page moved the focus into <iframe"));
        assert_string_equal(ops_eval(lab, "i.value"), "\"hun\"");
        assert_int_equal(leaks(lab), 0);
    }
    ops_eval(lab, "i.value = ``, 0");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'target':'#i','text':'x\\u0001yz'}"); /* the last may move it */
    ops_ok(lab, TB_OP_PRESS_KEY, "{'text':'z'}");
    assert_string_equal(ops_eval(lab, "i.value"), "\"xyz\"");
    assert_int_equal(leaks(lab), 1);
}

/* What goes out before the theft is known is one key, and that is told. */
static void a_frame_that_takes_the_focus_gets_no_text(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {{TB_OP_PRESS_KEY, "{'target':'#i','text':'hunter2secret'}"},
                {TB_OP_FILL, "{'target':'#i','value':'hunter2','delay_ms':1}"},
                {TB_OP_FILL, "{'target':'#i','value':'hunter2','submit':true}"}};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows) * 3; i++) {
        ops_goto(lab, "/honest");
        tb_buf_clear(&lab->visits);
        const char *args = rows[i % TB_COUNT(rows)].args;
        bool done = ops_run(lab, rows[i % TB_COUNT(rows)].kind, "%s", args) == 0;
        assert_true(done || strstr(lab->result.message, "focus"));
        assert_true(leaks(lab) <= (done ? 0 : 1));
    }
}

static void frames_of_one_origin_are_no_strangers(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/kin");
    OPS_WAIT(lab, !tb_cdp_frame_has_strangers(
                      tb_cdp_page_main_frame(tb_cdp_session_page(lab->session))));
    ops_eval(lab, "document.querySelector(`iframe`).sandbox = `allow-scripts`, "
                  "document.querySelector(`iframe`).src = `/keys`, 0");
    OPS_WAIT(lab,
             tb_cdp_frame_has_strangers(tb_cdp_page_main_frame(tb_cdp_session_page(lab->session))));
}

static void only_keys_that_change_a_field_count_as_typed(void **state)
{
    static const struct {
        const char *args;
        bool typed;
    } rows[] = {
        {"{'key':'Escape'}", false},
        {"{'key':'PageDown'}", false},
        {"{'key':'ArrowDown'}", false},
        {"{'key':'Tab','target':'#i'}", false},
        {"{'key':'x','target':'#i'}", true},
        {"{'key':'Backspace','target':'#i'}", true},
        {"{'key':'ArrowUp','target':'#i'}", true}, /* it may be a slider */
        {"{'text':'x','target':'#i'}", true},
        {"{'text':'x','target':'#none'}", false},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/short");
    lab->element_ms = 100;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_run(lab, TB_OP_PRESS_KEY, "%s", rows[i].args);
        assert_int_equal(lab->op.typed, rows[i].typed);
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(typing_stops_when_the_focus_is_elsewhere),
        OPS_TEST(another_field_of_a_closed_root_gets_no_text),
        OPS_TEST(a_document_that_becomes_an_editor_gets_no_text),
        OPS_TEST(text_that_the_page_sends_elsewhere_is_told),
        OPS_TEST(keys_that_never_came_are_told),
        OPS_TEST(enter_is_for_the_field_that_was_filled),
        OPS_TEST(a_text_that_was_cut_off_is_told),
        OPS_TEST(a_key_that_had_half_its_effect_is_told),
        OPS_TEST(typing_stops_when_the_focus_is_in_another_frame),
        OPS_TEST(keys_stop_when_the_focus_goes_to_another_site),
        OPS_TEST(a_frame_that_takes_the_focus_gets_no_text),
        OPS_TEST(frames_of_one_origin_are_no_strangers),
        OPS_TEST(only_keys_that_change_a_field_count_as_typed),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
