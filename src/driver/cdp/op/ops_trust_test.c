/* SPDX-License-Identifier: Apache-2.0 */
/* What is told is what happened, with a real browser: refs mean what they meant, clicks hit what
 * was meant, fields have what was given, and what changed is told. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/keep",
     .body = "<title>Keep</title><div><p><b><i><button>Keep</button></i></b></p></div>"
             "<div><p><b><i><button>Keep</button></i></b></p></div>"},
    {.path = "/delete",
     .body = "<title>Delete</title><script>onclick = () => document.title = 'deleted'</script>"
             "<div><p><b><i><button>Delete</button></i></b></p></div>"
             "<div><p><b><i><button>Delete</button></i></b></p></div>"},
    {.path = "/swap",
     .body = "<title>Swap</title><style>button{position:absolute;left:50px;top:50px}</style>"
             "<button id=pay hidden onclick=\"document.title='paid'\">Pay</button>"
             "<button id=safe onclick=\"document.title='safe'\">Safe</button><script>"
             "onmousemove = e => { if (e.clientX) { safe.hidden = true; pay.hidden = false } }"
             "</script>"},
    /* The button jumps when the mouse comes near, and stands still after three times. */
    {.path = "/jump",
     .body =
         "<title>Jump</title><button id=b style='position:absolute;left:50px;top:50px'>Go"
         "</button><button id=w style='position:absolute;left:50px;top:50px;z-index:-1'>Wrong"
         "</button><script>let n = 0; onmousemove = e => { if (e.clientX && n++ < 3) b.style.top = 50 + 60 "
         "* n + 'px' }; b.onclick = () => document.title = 'gone';"
         "w.onclick = () => document.title = 'wrong'</script>"},
    /* A script moves all that is below. */
    {.path = "/slide",
     .body = "<title>Slide</title><button id=go>Hide</button><div id=pane style='height:400px'>x"
             "</div><button id=b>Keep</button><br><button id=w>Delete</button><script>"
             "hits = []; go.onclick = () => { const from = performance.now(); const move = () => {"
             "const left = 400 - 2 * (performance.now() - from); pane.style.height = Math.max(0, "
             "left) + 'px'; if (left > 0) requestAnimationFrame(move); "
             "else pane.style.display = 'none' }; move() };"
             "document.onclick = e => hits.push(e.target.id || 'nothing')</script>"},
    {.path = "/frames",
     .body = "<title>Frames</title><div style='margin:80px;width:300px;transform:rotate(20deg) "
             "scale(1.5)'><iframe title=F style='border:7px solid;padding:9px;width:200px;"
             "height:120px' src=http://localhost:{port}/inner></iframe></div>"
             "<div id=over hidden style='position:fixed;inset:0'>Please wait</div>"},
    {.path = "/inner",
     .body = "<title>Inner</title><style>button{position:absolute;left:120px}</style>"
             "<button style='top:20px' onclick=\"this.textContent='Wrong'\">Other</button>"
             "<button style='top:60px' onclick=\"this.textContent='Done'\">Inside</button>"},
    /* One frame of another site in the other. */
    {.path = "/outer",
     .body = "<title>Outer</title><iframe title=O style='margin:30px;width:500px;height:400px;"
             "transform:scale(.9)' src=http://localhost:{port}/middle></iframe>"},
    {.path = "/middle",
     .body = "<title>Middle</title><p>Between<iframe title=M style='border:5px solid;width:400px;"
             "height:300px;transform:rotate(5deg)' src=http://127.0.0.1:{port}/deep></iframe>"},
    {.path = "/deep",
     .body = "<title>Deep</title><button onclick=\"this.textContent='Done'\">Inside</button>"
             "<button onmouseover=\"this.textContent='Seen'\">Look</button>"
             "<div role=button style='width:60px' onmousedown='held = this'>Piece</div>"
             "<div role=button style='width:60px;margin:40px' onmouseup=\"if (held) "
             "this.textContent='Dropped ' + held.textContent\">Place</div><script>held = null"
             "</script>"},
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
    {.path = "/mixed",
     .body =
         "<title>Mixed</title><input id=on type=checkbox checked aria-label=On>"
         "<input id=off type=checkbox aria-label=Off><input id=stays type=checkbox "
         "aria-label=Stays onchange='this.indeterminate = true'><script>mix = () => { on.checked "
         "= true; off.checked = false; on.indeterminate = off.indeterminate = true }</script>"},
    {.path = "/cut",
     .body = "<title>Cut</title><input id=a aria-label=A oninput='act()'><script>n = 0</script>"
             "<input id=t type=checkbox aria-label=T onclick='return false'>"
             "<label id=l>L<input type=checkbox onclick='event.preventDefault()'></label>"
             "<input id=k aria-label=K onkeydown='a.focus()'>"},
    {.path = "/held-window",
     .body = "<button id=open onclick=\"window.open('/held')\">Open</button>"},
    {.path = "/add",
     .body = "<title>One</title><button id=b onclick=\"box.innerHTML='<button>Second</button>';"
             "document.title='Two'\">Add</button><div id=box></div>"
             "<button id=many onclick=\"box.innerHTML='<p>A paragraph</p>'.repeat(100)\">Many"
             "</button><select id=s onchange=\"box.textContent=value\"><option>x<option>y"
             "</select><input id=i oninput=\"box.textContent='Typed'\" "
             "onkeydown=\"if (event.key == 'Enter') box.textContent='Entered'\">"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

/* The selector of the first row of the last table, which is a ref where nothing else fits. */
static void first_selector(struct ops_lab *lab, char ret_ref[32])
{
    const struct cJSON *row = tb_json_first(tb_json_get(lab->result.data, "elements"));
    struct tb_str selector = {"", 0};
    tb_json_str(tb_json_get(row, "selector"), &selector);
    snprintf(ret_ref, 32, "%.*s", TB_STR_ARG(tb_str_sub(selector, 0, 31)));
    assert_int_equal(ret_ref[0], 'e');
}

static void a_ref_of_an_old_document_stays_stale_whoever_gives_new_ones(void **state)
{
    struct ops_lab *lab = *state;
    char old[32];
    char new[32];
    ops_goto(lab, "/keep");
    ops_ok(lab, TB_OP_ELEMENTS, "{}");
    first_selector(lab, old);
    ops_goto(lab, "/delete");
    ops_ok(lab, TB_OP_ELEMENTS, "{}");
    first_selector(lab, new);
    assert_string_not_equal(old, new);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", old);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Delete\"");
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", new);
    assert_string_equal(ops_text(lab, "title"), "deleted");
}

static void a_ref_of_one_tab_means_nothing_in_another(void **state)
{
    struct ops_lab *lab = *state;
    char first[32];
    char second[32];
    ops_goto(lab, "/keep");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Keep", first);
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/delete'}", lab->port);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Delete", second);
    assert_string_not_equal(first, second);
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", first);
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", second);
    ops_eval(lab, "document.body.append(Object.assign(document.createElement(`button`), "
                  "{textContent: `Late`}))");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Late", second);
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':1}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", second);
}

static void a_click_that_would_hit_another_element_is_held_back_and_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/swap");
    ops_begin(lab, TB_OP_CLICK, 1500, "{'target':'#safe'}");
    assert_int_equal(ops_end(lab), TB_E_ELEMENT_NOT_READY);
    assert_non_null(strstr(lab->result.message, "clicked"));
    assert_non_null(strstr(lab->result.message, "\"Pay\""));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Swap\"");
}

static void a_click_is_tried_again_where_the_element_has_gone(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/jump");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b'}");
    assert_string_equal(ops_text(lab, "element"), "button \"Go\"");
    assert_string_equal(ops_text(lab, "title"), "gone");
}

static void no_click_lands_elsewhere_while_a_script_moves_the_layout(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 5; i++) {
        ops_goto(lab, "/slide");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#go'}");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#b'}");
        assert_string_equal(ops_eval(lab, "hits.join()"), "\"go,b\"");
    }
}

/* Refs of what is inside a frame are there when its document is. */
static void inner_ref(struct ops_lab *lab, const char *words, char ret_ref[32])
{
    do {
        ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    } while (!strstr(ops_out(lab), words));
    ops_ref(lab, words, ret_ref);
    assert_int_equal(ret_ref[0], 'f');
}

static void a_click_goes_through_the_transforms_of_a_frame(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    ops_goto(lab, "/frames");
    inner_ref(lab, "button \"Inside\"", ref);
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    assert_non_null(strstr(ops_text(lab, "changes"), "~ button \"Done\""));
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(ops_out(lab), "button \"Done\""));
    assert_null(strstr(ops_out(lab), "Wrong"));
}

static void frames_inside_frames_are_clicked_hovered_and_dragged_in(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    char to[32];
    ops_goto(lab, "/outer");
    inner_ref(lab, "button \"Inside\"", ref);
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    assert_string_equal(ops_text(lab, "element"), "button \"Inside\"");
    inner_ref(lab, "button \"Done\"", ref);
    inner_ref(lab, "button \"Look\"", ref);
    ops_ok(lab, TB_OP_HOVER, "{'target':'%s'}", ref);
    inner_ref(lab, "button \"Seen\"", ref);
    inner_ref(lab, "button \"Piece\"", ref);
    inner_ref(lab, "button \"Place\"", to);
    ops_ok(lab, TB_OP_DRAG, "{'target':'%s','to':'%s'}", ref, to);
    inner_ref(lab, "button \"Dropped Piece\"", ref);
}

static void what_lies_over_a_frame_is_not_pressed(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    char args[64];
    ops_goto(lab, "/frames");
    inner_ref(lab, "button \"Inside\"", ref);
    ops_eval(lab, "over.onclick = () => document.title = `pressed`, over.hidden = false");
    snprintf(args, sizeof(args), "{'target':'%s'}", ref);
    ops_begin(lab, TB_OP_CLICK, 1500, args);
    assert_int_equal(ops_end(lab), TB_E_ELEMENT_NOT_READY);
    assert_non_null(strstr(lab->result.message, "is covered by <div id=\"over\"> \"Please wait\""));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Frames\"");
}

static void a_field_is_read_after_it_was_filled(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/fields");
    ops_ok(lab, TB_OP_FILL, "{'target':'#ok','value':'Ann'}");
    assert_string_equal(ops_text(lab, "differs"), "");
    ops_fails(lab, TB_E_WRONG_VALUE, TB_OP_FILL, "{'target':'#num','value':'abc'}");
    assert_non_null(strstr(lab->result.message, "it takes a number and now has \"\""));
    ops_ok(lab, TB_OP_FILL, "{'target':'#max','value':'abcdef'}");
    assert_string_equal(ops_text(lab, "now"), "abc");
    ops_fails(lab, TB_E_WRONG_VALUE, TB_OP_FILL, "{'target':'#back','value':'new'}");
    assert_non_null(strstr(lab->result.message, "it now has \"old\""));
    ops_ok(lab, TB_OP_FILL, "{'target':'#pw','value':'abcdef'}");
    assert_string_equal(ops_text(lab, "differs"), "true");
    assert_string_equal(ops_text(lab, "now"), "");
    ops_ok(lab, TB_OP_FILL, "{'target':'#ed','value':'rich'}");
    assert_string_equal(ops_eval(lab, "ed.innerText"), "\"rich\"");
    ops_fails(lab, TB_E_ELEMENT_NOT_READY, TB_OP_FILL, "{'target':'#tick','value':'true'}");
    assert_non_null(strstr(lab->result.message, "not checked"));
}

/* A mixed box is neither checked nor not, whatever its form would send. */
static void a_mixed_box_becomes_what_is_wanted(void **state)
{
    static const char *const boxes[] = {"on", "off"};
    struct ops_lab *lab = *state;
    ops_goto(lab, "/mixed");
    for (size_t i = 0; i < TB_COUNT(boxes) * 2; i++) {
        const char *box = boxes[i % TB_COUNT(boxes)];
        const char *wish = i < TB_COUNT(boxes) ? "false" : "true";
        char script[96];
        char wanted[32];
        ops_eval(lab, "mix(), 0");
        ops_ok(lab, TB_OP_FILL, "{'target':'#%s','value':'%s'}", box, wish);
        snprintf(script, sizeof(script), "`${%s.checked} ${%s.indeterminate}`", box, box);
        snprintf(wanted, sizeof(wanted), "\"%s false\"", wish);
        assert_string_equal(ops_eval(lab, script), wanted);
    }
    ops_fails(lab, TB_E_ELEMENT_NOT_READY, TB_OP_FILL, "{'target':'#stays','value':'true'}");
    assert_non_null(strstr(lab->result.message, "was clicked, but it is in a mixed state"));
}

static void a_form_tells_which_field_has_another_value(void **state)
{
    struct ops_lab *lab = *state;
    struct tb_str words = {NULL, 0};
    ops_goto(lab, "/fields");
    ops_ok(lab, TB_OP_FILL_FORM,
           "{'fields':[{'target':'#ok','value':'x'},{'target':'#max','value':'wxyz'}]}");
    tb_json_str(tb_json_next(tb_json_first(tb_json_get(lab->result.data, "elements"))), &words);
    assert_true(tb_str_eq_cstr(words, "textbox \"Short\" (which now has \"wxy\")"));
}

static void the_value_of_a_field_does_not_end_its_quotes(void **state)
{
    struct ops_lab *lab = *state;
    struct tb_str words = {NULL, 0};
    ops_goto(lab, "/fields");
    ops_eval(lab, "says = String.fromCharCode(34, 0x202e)");
    ops_ok(lab, TB_OP_FILL_FORM, "{'fields':[{'target':'#lie','value':'x'}]}");
    tb_json_str(tb_json_first(tb_json_get(lab->result.data, "elements")), &words);
    assert_true(tb_str_eq_cstr(words, "textbox \"Lie\" (which now has \"\\\"\\u202e\")"));
    ops_fails(lab, TB_E_WRONG_VALUE, TB_OP_FILL, "{'target':'#lie','value':'x'}");
    assert_non_null(strstr(lab->result.message, "it now has \"\\\"\\u202e\""));
}

static void a_tick_that_the_page_takes_back_is_no_change(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cut");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#t'}");
    assert_string_equal(ops_text(lab, "changes"), "");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#l'}");
    assert_string_equal(ops_text(lab, "changes"), "");
}

static void a_window_without_a_page_has_an_address(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/held-window");
    ops_begin(lab, TB_OP_CLICK, 2500, "{'target':'#open'}");
    assert_int_equal(ops_end(lab), TB_E_UNFINISHED);
    assert_non_null(strstr(lab->result.message, "held) did not finish"));
    ops_ok(lab, TB_OP_TABS, "{}");
    assert_non_null(strstr(ops_text(lab, "tabs"), "\"url\":\"about:blank\""));
}

static void what_an_act_changed_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/add");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b'}");
    assert_string_equal(ops_text(lab, "changes"), "+ button \"Second\" [ref=e1]");
    assert_string_equal(ops_text(lab, "titled"), "true");
    ops_ok(lab, TB_OP_CLICK, "{'target':'e1'}");
    assert_string_equal(ops_text(lab, "changes"), "");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#many'}");
    assert_true(strlen(ops_text(lab, "changes")) <= 600);
    assert_true(ops_int(lab, "more_changes") > 50);
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b','snapshot':false}");
    assert_string_equal(ops_text(lab, "changes"), "");
    ops_ok(lab, TB_OP_SELECT, "{'target':'#s','values':['y']}");
    assert_non_null(strstr(ops_text(lab, "changes"), "text: y"));
    ops_ok(lab, TB_OP_FILL, "{'target':'#i','value':'x'}");
    assert_non_null(strstr(ops_text(lab, "changes"), "text: Typed"));
    ops_ok(lab, TB_OP_PRESS_KEY, "{'key':'Enter'}");
    assert_non_null(strstr(ops_text(lab, "changes"), "text: Entered"));
}

static void what_each_field_of_a_form_changed_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/add");
    ops_eval(lab, "document.body.innerHTML = `<input id=j><input id=k><input id=l><ul id=u>`, "
                  "oninput = (e) => { u.insertAdjacentHTML(`beforeend`, "
                  "`<li><a href=/>By ${e.target.id}</a>`) }, 0");
    ops_ok(lab, TB_OP_FILL_FORM,
           "{'fields':[{'target':'#j','value':'x'},{'target':'#k','value':'x'},"
           "{'target':'#l','value':'x'}]}");
    static const char *const told[] = {"link \"By j\" [ref=e1]", "link \"By k\" [ref=e2]",
                                       "link \"By l\" [ref=e3]"};
    for (size_t i = 0; i < TB_COUNT(told); i++) {
        assert_non_null(strstr(ops_text(lab, "changes"), told[i]));
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_ref_of_an_old_document_stays_stale_whoever_gives_new_ones),
        OPS_TEST(a_ref_of_one_tab_means_nothing_in_another),
        OPS_TEST(a_click_that_would_hit_another_element_is_held_back_and_told),
        OPS_TEST(a_click_is_tried_again_where_the_element_has_gone),
        OPS_TEST(no_click_lands_elsewhere_while_a_script_moves_the_layout),
        OPS_TEST(a_click_goes_through_the_transforms_of_a_frame),
        OPS_TEST(frames_inside_frames_are_clicked_hovered_and_dragged_in),
        OPS_TEST(what_lies_over_a_frame_is_not_pressed),
        OPS_TEST(a_field_is_read_after_it_was_filled),
        OPS_TEST(a_mixed_box_becomes_what_is_wanted),
        OPS_TEST(a_form_tells_which_field_has_another_value),
        OPS_TEST(the_value_of_a_field_does_not_end_its_quotes),
        OPS_TEST(a_tick_that_the_page_takes_back_is_no_change),
        OPS_TEST(a_window_without_a_page_has_an_address),
        OPS_TEST(what_an_act_changed_is_told),
        OPS_TEST(what_each_field_of_a_form_changed_is_told),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
