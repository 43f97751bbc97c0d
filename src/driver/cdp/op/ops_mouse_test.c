/* SPDX-License-Identifier: Apache-2.0 */
/* Click, hover, scroll, drag, mouse, with a real browser. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body =
         "<title>Input</title>"
         "<a id=link href=/two>Two</a> <a id=pop href=/two target=_blank>Popup</a>"
         "<button id=b onclick=\"n=(window.n||0)+1;this.textContent='Clicked '+n\">Press</button>"
         "<button id=off disabled>Off</button>"
         "<button id=alert onclick=\"r=confirm('Sure?')\">Ask</button>"
         "<button id=prompt onclick=\"document.title=prompt('Name?','Ann')\">Name</button>"
         "<button id=spin onclick='for(;;);'>Spin</button>"
         "<button id=close onclick='window.close()'>Close</button>"
         "<button id=spa onclick=\"history.pushState({},'','/spa');document.title='Spa'\">Spa</button>"
         "<button id=late onclick=\"setTimeout(()=>location.href='/two',200)\">Late</button>"
         "<button id=err onclick=\"console.error('bad');throw new Error('worse')\">Err</button>"
         "<button id=popalert onclick=\"window.open('/alert')\">Popup that asks</button>"
         "<a id=file href=/file>File</a>"
         "<div style='position:relative'><button id=under>Under</button>"
         "<div style='position:absolute;inset:0;background:red' id=cover>Cookie banner</div></div>"
         "<div id=box><button id=old>Replace</button></div>"
         "<div id=menu onmouseenter=\"this.textContent='hovered'\">hover me</div>"
         "<p id=ev></p><script>"
         "for (const t of ['click','dblclick','contextmenu','auxclick']) b.addEventListener(t, e => "
         "ev.textContent += t + e.detail + (e.shiftKey ? 'S' : '') + (e.ctrlKey ? 'C' : '') + ' ');"
         "</script><div style='height:3000px'></div><button id=far onclick=\"document.title='Far'\">"
         "Far away</button>"},
    {.path = "/alert", .body = "<title>Alert</title><script>alert('Well?')</script>"},
    {.path = "/two", .body = "<title>Two</title><h1>Second</h1>"},
    {.path = "/file",
     .body = "hello",
     .type = "application/octet-stream",
     .header = "Content-Disposition",
     .value = "attachment; filename=\"a.bin\""},
    {.path = "/drag",
     .body = "<title>Drag</title><div id=src draggable=true "
             "style='position:absolute;left:20px;top:20px;width:80px;height:80px'>drag</div>"
             "<div id=dst style='position:absolute;left:300px;top:200px;width:120px;height:120px'>"
             "drop</div><div id=knob style='position:absolute;left:20px;top:300px;width:40px;"
             "height:40px'>knob</div><script>"
             "src.ondragstart = e => e.dataTransfer.setData('text', 'gift');"
             "let over = 0, frames = 0; dst.ondragover = e => { e.preventDefault(); over++ };"
             "(function draw() { frames += over > 0; requestAnimationFrame(draw) })();"
             "dst.ondrop = e => { e.preventDefault(); document.title = 'got ' + "
             "e.dataTransfer.getData('text') };"
             "let held = false; knob.onmousedown = () => held = true;"
             "onmousemove = e => { if (held) knob.dataset.x = e.clientX };"
             "onmouseup = e => { if (held) { held = false; document.title = 'knob ' + e.clientX } }"
             "</script>"},
    {.path = "/still",
     .body = "<style>button { position: absolute; top: 20px; width: 90px; height: 40px }</style>"
             "<button id=one style='left: 20px'>One</button><button id=two style='left: 220px'>Two"
             "</button><script>let moves = 0, clicks = 0; onmousemove = () => moves++;"
             "onclick = () => clicks++</script>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void a_click_is_a_real_click(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b'}");
    assert_string_equal(ops_text(lab, "element"), "button \"Press\"");
    assert_string_equal(ops_text(lab, "title"), "Input");
    assert_string_equal(ops_text(lab, "navigated"), "");
    ops_ok(lab, TB_OP_CLICK, "{'target':'text=Clicked 1','count':2,'modifiers':['Shift']}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b','button':'right'}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b','button':'middle'}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b','position':{'x':2,'y':3}}");
    assert_string_equal(
        ops_eval(lab, "ev.textContent"),
        "\"click1 click1S click2S dblclick2S contextmenu0 auxclick1 auxclick1 click1 \"");
    ops_fails(lab, TB_E_PARAMS, TB_OP_CLICK, "{'target':'#b','modifiers':['Hyper']}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#far'}");
    assert_string_equal(ops_text(lab, "title"), "Far");
}

static void a_click_that_navigates_is_waited_for(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#link'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    assert_string_equal(ops_text(lab, "navigated"), "true");
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#spa'}");
    assert_string_equal(ops_text(lab, "title"), "Spa");
    assert_non_null(strstr(ops_text(lab, "url"), "/spa"));
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#late','wait_for_navigation':true}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    ops_goto(lab, "/");
    ops_begin(lab, TB_OP_CLICK, 600, "{'target':'#b','wait_for_navigation':true}");
    assert_int_equal(ops_end(lab), TB_E_UNFINISHED);
}

static void what_cannot_be_clicked_says_why(void **state)
{
    static const struct {
        const char *target;
        int code;
        const char *words;
    } rows[] = {
        {"#under", TB_E_ELEMENT_NOT_READY, "Cookie banner"},
        {"#off", TB_E_ELEMENT_NOT_READY, "disabled"},
        {"#zz", TB_E_ELEMENT_NOT_FOUND, "#zz"},
        {"e4711", TB_E_ELEMENT_STALE, "e4711"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char args[64];
        snprintf(args, sizeof(args), "{'target':'%s'}", rows[i].target);
        ops_begin(lab, TB_OP_CLICK, 1500, args);
        assert_int_equal(ops_end(lab), rows[i].code);
        if (!strstr(lab->result.message, rows[i].words)) {
            fail_msg("%s: %s", rows[i].target, lab->result.message);
        }
    }
}

static void a_ref_never_hits_another_element(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "button \"Replace\"", ref);
    ops_eval(lab, "box.innerHTML = `<button onclick=document.title=1>Replace</button>`");
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_CLICK, "{'target':'%s'}", ref);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Input\"");
    ops_goto(lab, "/two");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", ref);
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", ref);
}

static void dialogs_during_a_click_are_told_and_answered(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#alert'}");
    assert_string_equal(ops_text(lab, "dialog"), "{\"type\":\"confirm\",\"message\":\"Sure?\"}");
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_CLICK, "{'target':'#b'}");
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    assert_string_equal(ops_eval(lab, "r"), "true");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#prompt'}");
    assert_non_null(strstr(ops_text(lab, "dialog"), "\"default_text\":\"Ann\""));
    ops_ok(lab, TB_OP_DIALOG, "{'text':'Bob'}");
    assert_string_equal(ops_text(lab, "title"), "Bob");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#prompt'}");
    ops_ok(lab, TB_OP_DIALOG, "{}");
    assert_string_equal(ops_text(lab, "title"), "Ann");
}

static void a_click_that_spins_times_out_and_navigating_frees_the_tab(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_begin(lab, TB_OP_CLICK, 500, "{'target':'#spin'}");
    assert_int_equal(ops_end(lab), TB_E_UNFINISHED);
    ops_goto(lab, "/");
    assert_string_equal(ops_eval(lab, "1"), "1");
}

static void a_popup_is_the_current_tab_then(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#pop'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    assert_non_null(strstr(ops_text(lab, "new_tabs"), "\"index\":1"));
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'window.close()'}");
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Input\"");
}

/* It stops the thread that the popup shares with its opener. */
static void a_dialog_of_a_popup_is_named_to_calls_on_its_opener(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#popalert'}");
    OPS_WAIT(lab, tb_cdp_page_dialog(tb_cdp_session_page(lab->session))->open);
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_CLICK, "{'target':'#b'}");
    assert_non_null(strstr(lab->result.message, "tab 1 shows a dialog (alert)"));
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':1}");
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
    assert_string_equal(ops_eval(lab, "1"), "1");
}

static void a_click_tells_of_downloads_and_errors(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#err'}");
    assert_int_equal(ops_int(lab, "console_errors"), 2);
    ops_ok(lab, TB_OP_CLICK, "{'target':'#file'}");
    assert_string_equal(ops_text(lab, "title"), "Input");
}

static void the_mouse_hovers_and_the_page_scrolls(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_HOVER, "{'target':'#menu'}");
    assert_string_equal(ops_eval(lab, "menu.textContent"), "\"hovered\"");
    ops_ok(lab, TB_OP_SCROLL, "{}");
    assert_int_equal(ops_int(lab, "y"), 500);
    assert_string_equal(ops_text(lab, "at_top"), "false");
    ops_ok(lab, TB_OP_SCROLL, "{'direction':'up','pixels':100}");
    assert_int_equal(ops_int(lab, "y"), 400);
    ops_ok(lab, TB_OP_SCROLL, "{'to':'bottom'}");
    assert_string_equal(ops_text(lab, "at_bottom"), "true");
    ops_ok(lab, TB_OP_SCROLL, "{'target':'#b'}");
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_SCROLL, "{'target':'#zz'}");
}

static void things_are_dragged_in_both_ways(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/drag");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
    assert_string_equal(ops_text(lab, "title"), "got gift");
    /* As a browser does, which asks again and again: pages do not answer to every word. */
    assert_string_equal(ops_eval(lab, "over >= 3 && frames >= 2"), "true");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#knob','to':'#dst'}");
    assert_string_equal(ops_text(lab, "title"), "knob 360");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
    assert_string_equal(ops_text(lab, "title"), "got gift");
}

/* Theirs and ours have numbers of one row. */
static void a_page_may_clear_all_timers_when_a_drag_begins(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/drag");
    ops_eval(lab, "addEventListener(`dragstart`, () => { for (let i = 0; i < 10000; i++) "
                  "clearTimeout(i) }), 0");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
    assert_string_equal(ops_text(lab, "title"), "got gift");
}

static void the_mouse_goes_by_coordinates(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EVALUATE,
           "{'script':'el => { const r = el.getBoundingClientRect(); return "
           "[r.x + 5, r.y + 5] }','target':'#b'}");
    double x = 0;
    double y = 0;
    assert_int_equal(sscanf(ops_out(lab), "[%lf,%lf]", &x, &y), 2);
    ops_ok(lab, TB_OP_MOUSE, "{'x':%f,'y':%f}", x, y);
    assert_string_equal(ops_eval(lab, "b.textContent"), "\"Clicked 1\"");
    ops_ok(lab, TB_OP_MOUSE, "{'action':'down','x':%f,'y':%f}", x, y);
    ops_ok(lab, TB_OP_MOUSE, "{'action':'up','x':%f,'y':%f}", x, y);
    assert_string_equal(ops_eval(lab, "b.textContent"), "\"Clicked 2\"");
    ops_ok(lab, TB_OP_MOUSE, "{'action':'move','x':600,'y':300}");
    ops_ok(lab, TB_OP_MOUSE, "{'action':'wheel','x':600,'y':300,'delta_y':300}");
    ops_ok(lab, TB_OP_WAIT, "{'time_ms':100}");
    assert_string_not_equal(ops_eval(lab, "scrollY"), "0");
    ops_fails(lab, TB_E_PARAMS, TB_OP_MOUSE, "{'x':1280,'y':0}");
}

static void a_mouse_that_is_there_is_not_moved(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/still");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#one'}");
    assert_string_not_equal(ops_eval(lab, "moves"), "0");
    /* The browser makes moves of its own after a layout, of which there is none from here on. */
    ops_eval(lab, "new Promise(done => requestAnimationFrame(() => requestIdleCallback(done)))");
    ops_eval(lab, "moves = 0");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#one'}");
    assert_string_equal(ops_text(lab, "element"), "button \"One\"");
    assert_string_equal(ops_eval(lab, "[moves, clicks]"), "[0,2]");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#two'}");
    assert_string_equal(ops_eval(lab, "[moves > 0, clicks]"), "[true,3]");
    ops_ok(lab, TB_OP_MOUSE, "{'action':'move','x':600,'y':300}");
    ops_eval(lab, "moves = 0");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#two'}");
    assert_string_equal(ops_eval(lab, "[moves > 0, clicks]"), "[true,4]");
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_click_is_a_real_click),
        OPS_TEST(a_click_that_navigates_is_waited_for),
        OPS_TEST(what_cannot_be_clicked_says_why),
        OPS_TEST(a_ref_never_hits_another_element),
        OPS_TEST(dialogs_during_a_click_are_told_and_answered),
        OPS_TEST(a_click_that_spins_times_out_and_navigating_frees_the_tab),
        OPS_TEST(a_popup_is_the_current_tab_then),
        OPS_TEST(a_dialog_of_a_popup_is_named_to_calls_on_its_opener),
        OPS_TEST(a_click_tells_of_downloads_and_errors),
        OPS_TEST(the_mouse_hovers_and_the_page_scrolls),
        OPS_TEST(things_are_dragged_in_both_ways),
        OPS_TEST(a_page_may_clear_all_timers_when_a_drag_begins),
        OPS_TEST(the_mouse_goes_by_coordinates),
        OPS_TEST(a_mouse_that_is_there_is_not_moved),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
