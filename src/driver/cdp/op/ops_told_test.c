/* SPDX-License-Identifier: Apache-2.0 */
/* What a call says it did is what happened, on pages that do not play along. With a real browser.
 */
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/held.h"

#include "support/ops_lab.h"

enum {
    SHORT_MS = 700, /* for a call that can only end at its deadline */
};

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Home</title><button id=open onclick=\"open('/held', '_blank', 'noopener')\">"
             "Open</button><a id=slow href=/held>Slow</a>"},
    {.path = "/two", .body = "<title>Two</title><p>two"},
    {.path = "/swap",
     .body = "<input id=text oninput=swap(this)><input id=kept oninput='swap(this, value)'>"
             "<input id=gone oninput=this.remove()><input id=date type=date onchange=swap(this)>"
             "<input id=pw type=password oninput=\"swap(this, 'x')\">"
             "<select id=sel onchange=swap(this)><option>a<option>b</select><script>"
             "function swap(el, value) { const other = el.cloneNode(true);"
             "other.value = value ?? (el.options ? 'a' : ''); el.replaceWith(other) }</script>"},
    {.path = "/press",
     .body = "<button id=gone onmousedown=this.remove()>Gone</button>"
             "<button id=new onmousedown='this.replaceWith(this.cloneNode(true))'>New</button>"
             "<button id=hop onmousedown='this.style.marginTop = `300px`'>Hop</button>"
             "<button id=inner onmousedown='this.innerHTML = `<b>x</b>`'><b>Inner</b></button>"
             "<select id=select><option>a<option>b</select><select size=2><option id=option>a"
             "</select><input id=date type=date><input id=text><input id=range type=range>"
             "<input id=box type=checkbox><label id=label><input type=radio hidden>Label</label>"
             "<details><summary id=summary>Sum</summary></details><p id=p draggable=true>drag</p>"
             "<a id=link href=#x>Link</a><p id=edit contenteditable>edit</p>"
             "<textarea id=area></textarea><video id=video controls></video>"
             "<svg width=20 height=20><rect id=rect width=20 height=20 /></svg>"},
    {.path = "/drag",
     .body = "<p id=src draggable=true ondragstart=\"event.dataTransfer.setData('text', 'x')\">"
             "source</p><p id=knob>knob</p><p id=dst ondragover="
             "event.preventDefault()>takes</p><p id=no>refuses</p><textarea id=text></textarea>"
             "<iframe src=/drop width=300 height=100></iframe>"},
    {.path = "/drop",
     .body = "<button ondragover=event.preventDefault()>Yes</button><button>No</button>"},
    {.path = "/asks",
     .body = "<style>p { width: 200px; height: 80px; margin: 0 }</style><p id=src draggable=true>"
             "source</p><p id=knob>knob</p><p id=dst>takes</p><script>"
             "const log = []; let held = false; dst.ondragenter = dst.ondragover = event =>"
             "event.preventDefault(); src.ondragstart = event =>"
             "event.dataTransfer.setData('text', 'x'); dst.ondrop = () => log.push('drop');"
             "knob.onmousedown = () => { held = true }; "
             "addEventListener('click', () => log.push('click'), true);"
             "onmouseup = event => { if (held) log.push('up'); held = false };"
             "const ask = event => { if (event.type !== 'mousemove' || event.buttons) {"
             "document.removeEventListener(event.type, ask); alert('hey') } };"
             "document.addEventListener(location.hash.slice(1), ask)</script>"},
    {.path = "/frame",
     .body = "<iframe src='http://localhost:{port}/press' width=600 height=500></iframe>"},
    {.path = "/keys",
     .body = "<button id=add onclick=\"n.textContent = `Added ${++n.title}`\">Add</button><p id=n "
             "title=0>None</p><select aria-label=Pet><option>Cat<option>Dog</select>"},
    {.path = "/keys-inside",
     .body = "<iframe src='http://localhost:{port}/keys' width=600 height=500></iframe>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

/* What was done must not be done again only because nobody knows what came of it. */
static void fails_late(struct ops_lab *lab, enum tb_op_kind kind, const char *args,
                       const char *words)
{
    ops_begin(lab, kind, SHORT_MS, args);
    assert_int_equal(ops_end(lab), kind == TB_OP_CLICK ? TB_E_UNFINISHED : TB_E_TIMEOUT);
    assert_non_null(strstr(lab->result.message, words));
}

static void a_window_whose_first_page_does_not_come_can_be_led_elsewhere(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    fails_late(lab, TB_OP_CLICK, "{'target':'#open'}", "/held");
    assert_int_equal(tb_cdp_session_page_count(lab->session), 2);
    fails_late(lab, TB_OP_EVALUATE, "{'script':'1'}", "this tab has no page yet: http://127.0.0.1");
    assert_non_null(strstr(lab->result.message, "load another page"));
    fails_late(lab, TB_OP_SNAPSHOT, "{}", "/held has not answered");
    fails_late(lab, TB_OP_NAVIGATE, "{'to':'reload'}", "within");
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'to':'back'}");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/two'}", lab->port);
    assert_string_equal(ops_text(lab, "title"), "Two");
    /* The set-up of the tab came before its document. */
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(ops_out(lab), "two"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Two\"");
}

static void a_click_that_leads_to_silence_names_the_page_that_does_not_come(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    fails_late(lab, TB_OP_CLICK, "{'target':'#slow'}", "/held) did not finish loading");
    fails_late(lab, TB_OP_SNAPSHOT, "{}", "the page is being left: http://127.0.0.1");
    fails_late(lab, TB_OP_EVALUATE, "{'script':'1'}", "may not have begun");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/two'}", lab->port);
}

static void a_field_that_the_page_replaces_is_read_in_its_new_form(void **state)
{
    static const struct {
        const char *args;
        const char *words;
    } rows[] = {
        {"{'target':'#text','value':'hello'}", "is in its place with \"\""},
        {"{'target':'#text','value':'hello','delay_ms':1}", "moved the focus"},
        {"{'target':'#gone','value':'hello'}", "\"#gone\" finds no field now"},
        {"{'target':'#date','value':'2020-02-02'}", "is in its place with \"\""},
        {"{'target':'#pw','value':'hello'}", "is in its place with another value"},
        {"{'target':'#sel','value':'b'}", "is in its place with \"a\""},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/swap");
        assert_int_not_equal(ops_run(lab, TB_OP_FILL, "%s", rows[i].args), 0);
        assert_non_null(strstr(lab->result.message, rows[i].words));
    }
    ops_ok(lab, TB_OP_FILL, "{'target':'#kept','value':'hello'}");
    assert_string_equal(ops_eval(lab, "kept.value"), "\"hello\"");
    ops_fails(lab, TB_E_WRONG_VALUE, TB_OP_SELECT, "{'target':'#sel','values':['b']}");
    assert_non_null(strstr(lab->result.message, "it now has \"a\" selected"));
    ops_goto(lab, "/swap");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    char ref[32];
    ops_ref(lab, "combobox", ref);
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_SELECT, "{'target':'%s','values':['b']}", ref);
}

static void a_press_that_the_browser_makes_no_click_of_is_told(void **state)
{
    static const struct {
        const char *target;
        const char *unclicked;
    } rows[] = {
        {"#gone", "{\"removed\":true}"},
        {"#new", "{\"removed\":true}"},
        {"#inner", "{\"removed\":false}"},
        {"#hop", "{\"removed\":false,\"instead\":\"<body>"},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/press");
        ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", rows[i].target);
        assert_non_null(strstr(ops_text(lab, "unclicked"), rows[i].unclicked));
    }
    ops_goto(lab, "/frame");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    char ref[32];
    ops_ref(lab, "\"Gone\"", ref);
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    assert_non_null(strstr(ops_text(lab, "unclicked"), "\"removed\":true"));
}

static void a_click_of_any_kind_is_known_as_one(void **state)
{
    static const char *const targets[] = {
        "#select",  "#option", "#date", "#text", "#range", "#box",   "#label", "#label",
        "#summary", "#p",      "#link", "#edit", "#area",  "#video", "#rect",
    };
    static const char *const ways[] = {"", ",'button':'right'", ",'button':'middle'", ",'count':2"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(targets); i++) {
        for (size_t j = 0; j < TB_COUNT(ways); j++) {
            ops_goto(lab, "/press");
            ops_ok(lab, TB_OP_CLICK, "{'target':'%s'%s}", targets[i], ways[j]);
            if (ops_text(lab, "unclicked")[0]) {
                print_error("%s%s: %s\n", targets[i], ways[j], ops_text(lab, "unclicked"));
            }
            assert_string_equal(ops_text(lab, "unclicked"), "");
        }
    }
}

static void whether_a_drop_was_accepted_is_told(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        const char *dropped;
    } rows[] = {
        {"#src", "#dst", "true"}, {"#src", "#no", "false"}, {"#src", "#text", "true"},
        {"#knob", "#dst", ""},    {"#src", "#no", "false"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/drag");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_ok(lab, TB_OP_DRAG, "{'target':'%s','to':'%s'}", rows[i].from, rows[i].to);
        assert_string_equal(ops_text(lab, "dropped"), rows[i].dropped);
    }
    char yes[32];
    char no[32];
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "\"Yes\"", yes);
    ops_ref(lab, "\"No\"", no);
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'%s'}", yes);
    assert_string_equal(ops_text(lab, "dropped"), "true");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'%s'}", no);
    assert_string_equal(ops_text(lab, "dropped"), "false");
}

/* A click comes in the same breath as the button. */
static const char what_came[] =
    "new Promise(r => { const look = () => log.length ? setTimeout(() => "
    "r(log.join())) : setTimeout(look, 5); look() })";

/* With a dialog at each of these the page gets no drop and no click, and no button stays down. */
static void a_drag_that_a_dialog_cuts_off_is_told_and_let_go(void **state)
{
    static const struct {
        const char *target;
        const char *event;
    } rows[] = {
        {"#knob", "mousedown"}, {"#knob", "pointerdown"}, {"#knob", "mousemove"},
        {"#src", "mousedown"},  {"#src", "pointerdown"},  {"#src", "dragstart"},
        {"#src", "dragenter"},  {"#src", "dragover"},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char path[64];
        bool by_mouse = strcmp(rows[i].target, "#knob") == 0;
        snprintf(path, sizeof(path), "/asks?%zu#%s", i, rows[i].event);
        ops_goto(lab, path);
        ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_DRAG, "{'target':'%s','to':'#dst'}", rows[i].target);
        assert_non_null(strstr(lab->result.message, "nothing was dropped; "));
        assert_non_null(strstr(lab->result.message, "(alert): \"hey\""));
        ops_ok(lab, TB_OP_DIALOG, "{}");
        assert_string_equal(ops_eval(lab, by_mouse ? what_came : "log.join()"),
                            by_mouse ? "\"up\"" : "\"\"");
        ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
        assert_string_equal(ops_text(lab, "dropped"), "true");
        assert_string_equal(ops_eval(lab, "log.includes(`click`)"), "false");
    }
}

/* As if something else had told the browser to keep its drags, or it had its own reasons. On a busy
 * machine it may have handed the drag over before that; then it is tried anew. */
static int drag_unhanded(struct ops_lab *lab, const char *script)
{
    int code = 0;
    for (int i = 0; i < 20 && code == 0; i++) {
        ops_goto(lab, "/asks");
        ops_eval(lab, script);
        ops_begin(lab, TB_OP_DRAG, OPS_MS, "{'target':'#src','to':'#dst'}");
        OPS_WAIT(lab, ops_work(lab)->acted);
        tb_cdp_held_end(tb_cdp_session_page(lab->session));
        code = ops_end(lab);
    }
    return code;
}

static void a_drag_that_is_not_handed_over_is_told(void **state)
{
    struct ops_lab *lab = *state;
    assert_int_equal(drag_unhanded(lab, "0"), TB_E_TIMEOUT);
    assert_non_null(strstr(lab->result.message, "did not hand over; nothing was dropped"));
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
}

static void a_dialog_while_a_drag_is_awaited_is_what_is_told(void **state)
{
    struct ops_lab *lab = *state;
    int code = drag_unhanded(lab, "src.addEventListener(`dragstart`, () => setTimeout(() => "
                                  "alert(`late`), 300), {once: true}), 1");
    assert_int_equal(code, TB_E_DIALOG_OPEN);
    assert_non_null(strstr(lab->result.message, "a dialog interrupted the drag of"));
    ops_ok(lab, TB_OP_DIALOG, "{}");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
}

static void a_drag_that_a_script_makes_up_is_none(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/asks");
    ops_eval(lab, "knob.addEventListener(`mousedown`, () => knob.dispatchEvent(new "
                  "DragEvent(`dragstart`, {bubbles: true}))), 1");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#knob','to':'#dst'}");
    assert_string_equal(ops_eval(lab, what_came), "\"up,click\"");
}

/* The same when the caller cuts it off. */
static void a_drag_that_is_cancelled_is_no_click(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/asks");
    ops_eval(lab, "knob.addEventListener(`mousedown`, () => console.error(1)), 1");
    uint64_t errors = lab->session->journal.console.errors;
    ops_begin(lab, TB_OP_DRAG, OPS_MS, "{'target':'#knob','to':'#dst'}");
    OPS_WAIT(lab, lab->session->journal.console.errors > errors);
    lab->op.cancel(&lab->op);
    assert_int_equal(ops_end(lab), TB_E_CANCELLED);
    assert_string_equal(ops_eval(lab, what_came), "\"up\"");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#knob'}");
    assert_string_equal(ops_eval(lab, what_came), "\"up,up,click\"");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#src','to':'#dst'}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
}

static void press_tells(struct ops_lab *lab, const char *args, const char *words)
{
    ops_ok(lab, TB_OP_PRESS_KEY, "%s", args);
    if (!strstr(ops_text(lab, "changes"), words)) {
        fail_msg("%s: \"%s\"", args, ops_text(lab, "changes"));
    }
}

static void a_key_tells_what_it_has_changed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/keys");
    press_tells(lab, "{'target':'#add','key':'Enter'}", "text: Added 1");
    press_tells(lab, "{'key':'Enter'}", "text: Added 2");
    press_tells(lab, "{'key':'Space'}", "text: Added 3");
    press_tells(lab, "{'target':'select','key':'ArrowDown'}", "~ combobox \"Pet\" [ref=e1]: Dog");
}

static void a_key_in_a_frame_of_another_site_tells_what_it_has_changed(void **state)
{
    struct ops_lab *lab = *state;
    char args[64];
    char add[32];
    char pet[32];
    ops_goto(lab, "/keys-inside");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "\"Add\"", add);
    ops_ref(lab, "\"Pet\"", pet);
    snprintf(args, sizeof(args), "{'target':'%s','key':'Enter'}", add);
    press_tells(lab, args, "~ text: Added 1");
    snprintf(args, sizeof(args), "{'target':'%s','key':'ArrowDown'}", pet);
    press_tells(lab, args, "]: Dog");
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_window_whose_first_page_does_not_come_can_be_led_elsewhere),
        OPS_TEST(a_click_that_leads_to_silence_names_the_page_that_does_not_come),
        OPS_TEST(a_field_that_the_page_replaces_is_read_in_its_new_form),
        OPS_TEST(a_press_that_the_browser_makes_no_click_of_is_told),
        OPS_TEST(a_click_of_any_kind_is_known_as_one),
        OPS_TEST(whether_a_drop_was_accepted_is_told),
        OPS_TEST(a_drag_that_a_dialog_cuts_off_is_told_and_let_go),
        OPS_TEST(a_drag_that_is_not_handed_over_is_told),
        OPS_TEST(a_dialog_while_a_drag_is_awaited_is_what_is_told),
        OPS_TEST(a_drag_that_a_script_makes_up_is_none),
        OPS_TEST(a_drag_that_is_cancelled_is_no_click),
        OPS_TEST(a_key_tells_what_it_has_changed),
        OPS_TEST(a_key_in_a_frame_of_another_site_tells_what_it_has_changed),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
