/* SPDX-License-Identifier: Apache-2.0 */
/* Input reaches what it was meant for or nothing at all, whatever documents the page puts in the
 * way. With a real browser. */
#include "support/ops_lab.h"

enum {
    SHORT_MS = 100, /* for an element that does not come */
};

static const struct ops_doc docs[] = {
    {.path = "/", .body = "<title>Home</title>"},
    {.path = "/form",
     .body = "<title>Form</title><input id=u oninput=act()><input id=p type=password>"
             "<input id=c type=checkbox onclick=act()><input id=d type=checkbox onchange=act()>"
             "<div id=ed contenteditable></div>"
             "<script>act = () => 0; away = () => { location = 'http://localhost:{port}/other' }"
             "</script>"},
    {.path = "/todo",
     .body = "<title>Todo</title><ul><li id=li><label><input id=todo type=checkbox>Milk</label>"
             "</ul><input id=u><script>for (const type of ['click', 'change']) { "
             "todo.addEventListener(type, () => { if (location.hash === '#' + type) { li.remove();"
             "document.title = 'Done' } }) }</script>"},
    {.path = "/terms",
     .body = "<title>Terms</title><label><input type=checkbox id=c style='pointer-events:none'>"
             "<a href=/other>I agree to the terms</a></label>"},
    {.path = "/other",
     .body = "<title>Other</title><input id=u><input id=p><script>"
             "oninput = () => fetch('/leak')</script>"},
    /* Writes its document anew when asked: a button that something takes the place of. */
    {.path = "/write",
     .body = "<title>Write</title><button id=old>Old</button><script>"
             "text = '<title>Written</title><style>button { position: absolute; left: 9px }</style>"
             "<button id=pay hidden onclick=\"document.title += \\' paid\\'\">Pay</button>"
             "<button id=safe onclick=\"document.title += \\' safe\\'\">Safe</button>"
             "<input id=a style=\"margin: 60px\"><input id=b>';"
             "write = (view) => { view.document.open(); view.document.write(text);"
             "view.document.close() };"
             "swap = () => { safe.hidden = true; pay.hidden = false }</script>"},
    {.path = "/windows",
     .body =
         "<button id=blank onclick=\"fill(window.open('about:blank'))\">Blank</button>"
         "<button id=none onclick=\"fill(window.open(''))\">None</button><script>fill = (view) => {"
         "view.document.body.innerHTML = '<button id=safe onclick=\"document.title += 1\">Safe"
         "</button>' }</script>"},
    /* One frame above the other. */
    {.path = "/under",
     .body = "<title>Under</title><style>iframe { position: absolute; left: 0; top: 0 }</style>"
             "<iframe src=http://localhost:{port}/delete></iframe>"
             "<iframe id=f src=http://localhost:{port}/inside></iframe><script>onmessage = (e) => {"
             "document.title = e.data }; act = () => 0; f.onmouseenter = () => act()</script>"},
    {.path = "/inside",
     .body = "<button onclick=\"parent.postMessage('inside', '*')\">Inside</button>"},
    {.path = "/delete",
     .body = "<button onclick=\"parent.postMessage('deleted', '*')\">Delete</button>"},
    {.path = "/other-under",
     .body = "<title>Under</title><style>iframe { position: absolute; left: 0; top: 0 }</style>"
             "<iframe src=http://localhost:{port}/delete></iframe>"
             "<iframe id=f src=/inside></iframe><script>onmessage = (e) => {"
             "document.title = e.data }</script>"},
    {.path = "/twice",
     .body = "<title>Twice</title><div id=box><button id=b>Once</button></div><script>"
             "b.onclick = () => { box.innerHTML = '<button onclick=\"document.title = 1\">Delete"
             "</button>' }</script>"},
    /* Fields that the page puts anew when they get a value, behind a dialog and in it. */
    {.path = "/behind",
     .body = "<title>Behind</title><main></main><div id=front role=dialog aria-modal=true></div>"
             "<script>for (const to of [document.querySelector('main'), front]) { to.innerHTML = "
             "'<input class=q aria-label=Q><input class=t type=checkbox aria-label=T>"
             "<input class=r aria-label=R><select class=s aria-label=S><option>A<option>B</select>'"
             " } front.oninput = ({target: old}) => { if (/r|s/.test(old.className)) {"
             "const now = old.cloneNode(true); now.value = old.value; old.replaceWith(now) } };"
             "onkeydown = (e) => { document.title = e.key + ' ' + e.target.parentNode.id }"
             "</script>"},
    /* Another one comes with the act. */
    {.path = "/more",
     .body = "<title>More</title><p><input type=text id=one aria-label=One>"
             "<input type=checkbox aria-label=A></p><script>oninput = ({target: {type}}) => "
             "document.body.insertAdjacentHTML('afterbegin', "
             "'<input aria-label=More id=more type=' + type + '>');"
             "onkeydown = (e) => { document.title = e.key + ' ' + e.target.id }</script>"},
    {.path = "/drag",
     .body = "<title>Drag</title><style>div { width: 90px; height: 40px }</style>"
             "<div id=a draggable=true>A</div><div id=yes class=to>Archive</div>"
             "<div id=no class=to>Trash</div><script>act = () => 0; a.ondragstart = () => act();"
             "for (const to of document.querySelectorAll('.to')) { to.ondragover = (e) => "
             "e.preventDefault(); to.ondrop = () => { document.title = to.id } }</script>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static bool was_asked(struct ops_lab *lab, const char *path)
{
    return memmem(lab->visits.data, lab->visits.len, path, strlen(path)) != NULL;
}

static const char form[] = "{'fields':[{'target':'#u','value':'Ann'},{'target':'#p','value':'x'}]}";

static void a_form_is_not_filled_on_in_another_document(void **state)
{
    static const char *const ways[] = {"act = away, 0", "act = () => setTimeout(away), 0",
                                       "act = () => setTimeout(away, 3), 0"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(ways) * 3; i++) {
        ops_goto(lab, "/form");
        ops_eval(lab, ways[i % TB_COUNT(ways)]);
        /* One that leaves late enough has both fields before it goes. */
        if (ops_run(lab, TB_OP_FILL_FORM, "%s", form) < 0) {
            assert_int_equal(lab->result.code, TB_E_ELEMENT_STALE);
        } else {
            assert_true(i % TB_COUNT(ways) > 0);
        }
        OPS_WAIT(lab, was_asked(lab, "/other"));
        ops_eval(lab, "fetch(`/`).then(() => 0)");
        assert_false(was_asked(lab, "/leak"));
        tb_buf_clear(&lab->visits);
    }
    ops_goto(lab, "/form");
    ops_eval(lab, "act = () => history.pushState(0, ``, `?` + u.value), 0");
    ops_ok(lab, TB_OP_FILL_FORM, "%s", form);
    assert_int_equal(ops_int(lab, "filled"), 2);
    ops_eval(lab, "u.onkeydown = () => document.title = `entered`, 0");
    ops_ok(lab, TB_OP_FILL, "{'target':'#u','value':'ab','delay_ms':1,'submit':true}");
    assert_string_equal(ops_text(lab, "title"), "entered");
}

static void a_tick_that_leads_to_another_page_is_done(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 3; i++) {
        ops_goto(lab, "/form");
        ops_eval(lab, "act = away, 0");
        ops_ok(lab, TB_OP_FILL, "{'target':'#d','value':'true'}");
        assert_string_equal(ops_text(lab, "element"), "checkbox");
        assert_string_equal(ops_text(lab, "title"), "Other");
    }
}

/* A list of things to do that drops what is done. */
static void a_box_that_goes_when_it_is_ticked_was_filled(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/todo#change");
    ops_ok(lab, TB_OP_FILL, "{'target':'#todo','value':'true'}");
    assert_string_equal(ops_text(lab, "title"), "Done");
    ops_goto(lab, "/");
    ops_goto(lab, "/todo#change");
    ops_ok(lab, TB_OP_FILL_FORM,
           "{'fields':[{'target':'#todo','value':'on'},{'target':'#u','value':'x'}]}");
    assert_int_equal(ops_int(lab, "filled"), 2);
    ops_goto(lab, "/");
    ops_goto(lab, "/todo#click"); /* gone before the browser could say that it was ticked */
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL, "{'target':'#todo','value':'true'}");
    assert_non_null(strstr(lab->result.message, "was clicked and has left the page"));
    ops_goto(lab, "/");
    ops_goto(lab, "/todo#click");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL_FORM,
              "{'fields':[{'target':'#todo','value':'on'},{'target':'#u','value':'x'}]}");
    assert_non_null(strstr(lab->result.message, "was clicked and has left the page"));
}

/* Only what the page told of the box before it left says that it was one. */
static void a_click_on_a_box_that_leads_elsewhere_is_no_tick(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 3; i++) {
        ops_goto(lab, "/form");
        ops_eval(lab, "act = () => { event.preventDefault(); away() }, 0");
        ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL, "{'target':'#c','value':'true'}");
        assert_non_null(strstr(lab->result.message, "nothing showed that it was checked"));
    }
    ops_goto(lab, "/terms");
    ops_ok(lab, TB_OP_FILL, "{'target':'#c','value':'true'}");
    assert_string_equal(ops_eval(lab, "document.title + c.checked"), "\"Termstrue\"");
}

static void a_document_that_is_written_anew_is_watched(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/write");
    ops_eval(lab, "write(window)");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#safe'}");
    assert_string_equal(ops_text(lab, "title"), "Written safe");
    ops_ok(lab, TB_OP_MOUSE, "{'action':'move','x':600,'y':300}"); /* so that it comes again */
    ops_eval(lab, "onmousemove = swap, 0");
    lab->element_ms = SHORT_MS;
    ops_fails(lab, TB_E_ELEMENT_NOT_READY, TB_OP_CLICK, "{'target':'#safe'}");
    lab->element_ms = 0;
    assert_non_null(strstr(lab->result.message, "\"Pay\" was in its place"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Written safe\"");
    ops_eval(lab, "a.onbeforeinput = () => b.focus(), 0");
    ops_fails(lab, TB_E_FOCUS_MOVED, TB_OP_FILL, "{'target':'#a','value':'secret'}");
    assert_non_null(strstr(lab->result.message, "moved the focus from <input id=\"a\"> to <input"));
    assert_string_equal(ops_eval(lab, "a.value + b.value"), "\"\"");
}

static void so_is_one_that_is_written_when_the_mouse_comes(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/write");
    ops_eval(lab, "onmousemove = (e) => { if (e.clientX) { write(window); swap() } }, 0");
    lab->element_ms = SHORT_MS;
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_CLICK, "{'target':'#old'}");
    assert_non_null(strstr(lab->result.message, "clicked nothing, because <button id=\"pay\""));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Written\"");
}

static void windows_without_an_address_are_watched(void **state)
{
    static const char *const ids[] = {"blank", "none"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(ids); i++) {
        ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
        ops_goto(lab, "/windows");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#%s'}", ids[i]);
        ops_ok(lab, TB_OP_CLICK, "{'target':'#safe'}");
        assert_string_equal(ops_text(lab, "element"), "button \"Safe\"");
        assert_string_equal(ops_eval(lab, "document.title"), "\"1\"");
        ops_ok(lab, TB_OP_MOUSE, "{'action':'move','x':600,'y':300}");
        ops_eval(lab, "safe.onmousemove = () => { document.body.innerHTML = `<button style="
                      "position:fixed;inset:0 onclick=document.title+=9>Pay</button>` }, 0");
        lab->element_ms = SHORT_MS;
        ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_CLICK, "{'target':'#safe'}");
        lab->element_ms = 0;
        assert_string_equal(ops_eval(lab, "document.title"), "\"1\"");
    }
}

/* The ref of a button in a frame, when its document is there. */
static void inner_ref(struct ops_lab *lab, const char *words, char ret_ref[32])
{
    do {
        ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    } while (!strstr(ops_out(lab), words) || !strstr(ops_out(lab), "Delete"));
    ops_ref(lab, words, ret_ref);
}

static void what_is_beneath_a_frame_is_not_pressed_in_its_place(void **state)
{
    static const char *const ways[] = {"act = () => f.remove(), 0",
                                       "act = () => { f.hidden = true }, 0"};
    struct ops_lab *lab = *state;
    char ref[32];
    lab->element_ms = SHORT_MS;
    for (size_t i = 0; i < TB_COUNT(ways); i++) {
        ops_goto(lab, "/under");
        inner_ref(lab, "Inside", ref);
        ops_ok(lab, TB_OP_MOUSE, "{'action':'move','x':700,'y':500}");
        ops_eval(lab, ways[i]);
        /* On a busy machine the press may come before the page has taken the frame away, and what
         * is told has to be so. */
        bool done = ops_run(lab, TB_OP_CLICK, "{'target':'%s'}", ref) == 0 &&
                    !ops_text(lab, "unclicked")[0];
        assert_true(!lab->result.message[0] || !strstr(lab->result.message, "try again"));
        ops_eval(lab, "fetch(`/`).then(() => 0)");
        assert_string_equal(ops_eval(lab, "document.title"), done ? "\"inside\"" : "\"Under\"");
    }
}

/* A frame of another site cannot hold a press back that was not meant for it. */
static void what_may_have_been_pressed_is_told(void **state)
{
    struct ops_lab *lab = *state;
    char args[64];
    char ref[32];
    ops_goto(lab, "/other-under");
    inner_ref(lab, "Inside", ref);
    ops_ok(lab, TB_OP_MOUSE, "{'action':'move','x':700,'y':500}");
    ops_eval(lab, "f.onmouseenter = () => f.remove(), 0");
    snprintf(args, sizeof(args), "{'target':'%s'}", ref);
    assert_int_equal(ops_run_unheard(lab, false, TB_OP_CLICK, args), TB_E_ELEMENT_STALE);
    assert_non_null(strstr(lab->result.message, "may not have reached button \"Inside\""));
    assert_non_null(strstr(lab->result.message, "may have been clicked"));
}

/* The frame's word of the press may be lost with the frame, on a busy machine: then that is told.
 */
static void a_click_that_removes_its_own_frame_is_done(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    int done = 0;
    for (int i = 0; i < 12 && done < 3; i++) {
        ops_goto(lab, "/under");
        inner_ref(lab, "Inside", ref);
        ops_eval(lab, "onmessage = (e) => { document.title = e.data; f.remove() }, 0");
        if (ops_run(lab, TB_OP_CLICK, "{'target':'%s'}", ref) == 0) {
            assert_string_equal(ops_text(lab, "element"), "button \"Inside\"");
            done++;
        } else {
            assert_int_equal(lab->result.code, TB_E_ELEMENT_STALE);
            assert_non_null(strstr(lab->result.message, "may not have reached"));
        }
        OPS_WAIT(lab, strcmp(ops_eval(lab, "document.title"), "\"inside\"") == 0);
    }
    assert_int_equal(done, 3);
}

static void the_second_click_is_not_for_what_the_first_has_put_there(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/twice");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b','count':2}");
    assert_string_equal(ops_text(lab, "element"), "button \"Once\"");
    assert_non_null(strstr(ops_text(lab, "stopped"), "\"presses\":1"));
    assert_non_null(strstr(ops_text(lab, "stopped"), "Delete"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Twice\"");
}

/* Whichever comes first, the key or the next document. */
static void a_key_that_is_told_as_pressed_was_seen(void **state)
{
    static const char *const ways[] = {"location = `/`", "setTimeout(() => location = `/`, 2)"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(ways) * 5; i++) {
        char script[160];
        snprintf(script, sizeof(script),
                 "u.onkeydown = () => navigator.sendBeacon(`/seen`), u.onfocus = () => { %s }, 0",
                 ways[i % TB_COUNT(ways)]);
        ops_goto(lab, "/form");
        ops_eval(lab, script);
        if (ops_run(lab, TB_OP_PRESS_KEY, "{'target':'#u','key':'a'}") == 0) {
            OPS_WAIT(lab, was_asked(lab, "/seen"));
        } else if (lab->result.code != TB_E_FOCUS_MOVED) {
            assert_int_equal(lab->result.code, TB_E_ELEMENT_STALE);
        }
        OPS_WAIT(lab, was_asked(lab, "/\n")); /* the page has gone where it wanted to */
        tb_buf_clear(&lab->visits);
    }
}

static void a_drop_goes_to_where_the_element_is_by_then(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/drag");
    ops_eval(lab, "act = () => document.body.insertBefore(no, yes), 0");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#a','to':'#yes'}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
    assert_string_equal(ops_text(lab, "instead"), "");
    assert_string_equal(ops_eval(lab, "document.title"), "\"yes\"");
}

static void a_drop_on_something_else_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/drag");
    ops_eval(lab, "ondragenter = () => { yes.remove() }, 0");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#a','to':'#yes'}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
    assert_non_null(strstr(ops_text(lab, "instead"), "Trash"));
    /* A place to drop that covers what was meant is as good. */
    ops_goto(lab, "/drag");
    ops_eval(
        lab,
        "act = () => setTimeout(() => no.style = `position:fixed;inset:0;width:auto;height:auto`), 0");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#a','to':'#yes'}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
    assert_non_null(strstr(ops_text(lab, "instead"), "Trash"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"no\"");
}

static void a_drag_stays_in_the_document_where_it_began(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/drag");
    ops_eval(lab, "yes.remove(), setTimeout(() => location = `/drag?again`, 300), 0");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_DRAG, "{'target':'#a','to':'#yes'}");
    assert_non_null(strstr(lab->result.message, "another document"));
    /* It may lead elsewhere. */
    ops_goto(lab, "/drag");
    ops_eval(lab, "addEventListener(`drop`, () => location = `/`), 0");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#a','to':'#yes'}");
    assert_string_equal(ops_text(lab, "title"), "Home");
}

/* What fits the target behind a dialog, or only after the act, is not taken for the field. */
static void what_follows_an_act_is_for_the_same_element(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/behind");
    ops_ok(lab, TB_OP_FILL, "{'target':'.q','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "Enter front");
    ops_ok(lab, TB_OP_FILL, "{'target':'.t','value':'true'}");
    ops_ok(lab, TB_OP_FILL, "{'target':'.r','value':'x'}");
    ops_ok(lab, TB_OP_FILL, "{'target':'.s','value':'B'}");
    ops_ok(lab, TB_OP_SELECT, "{'target':'.s','values':['A']}");
    ops_goto(lab, "/more");
    ops_ok(lab, TB_OP_FILL, "{'target':'[type=text]','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "Enter one");
    ops_ok(lab, TB_OP_FILL, "{'target':'[type=checkbox]','value':'true'}");
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_form_is_not_filled_on_in_another_document),
        OPS_TEST(a_tick_that_leads_to_another_page_is_done),
        OPS_TEST(a_box_that_goes_when_it_is_ticked_was_filled),
        OPS_TEST(a_click_on_a_box_that_leads_elsewhere_is_no_tick),
        OPS_TEST(a_document_that_is_written_anew_is_watched),
        OPS_TEST(so_is_one_that_is_written_when_the_mouse_comes),
        OPS_TEST(windows_without_an_address_are_watched),
        OPS_TEST(what_is_beneath_a_frame_is_not_pressed_in_its_place),
        OPS_TEST(what_may_have_been_pressed_is_told),
        OPS_TEST(a_click_that_removes_its_own_frame_is_done),
        OPS_TEST(the_second_click_is_not_for_what_the_first_has_put_there),
        OPS_TEST(a_key_that_is_told_as_pressed_was_seen),
        OPS_TEST(a_drop_goes_to_where_the_element_is_by_then),
        OPS_TEST(a_drop_on_something_else_is_told),
        OPS_TEST(a_drag_stays_in_the_document_where_it_began),
        OPS_TEST(what_follows_an_act_is_for_the_same_element),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
