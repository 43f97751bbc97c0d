/* SPDX-License-Identifier: Apache-2.0 */
/* Navigate, snapshot, evaluate, extract, wait, tabs, dialogs, with a real browser. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Home</title><h1>Welcome</h1><a href=/two>Two</a>"
             "<button id=b onclick=\"document.title='Clicked'\">Press me</button>"},
    {.path = "/two", .body = "<title>Two</title><h1>Second</h1><a href=/>Home</a>"},
    {.path = "/loop", .status = 302, .header = "Location", .value = "/loop"},
    {.path = "/moved", .status = 302, .header = "Location", .value = "/two"},
    {.path = "/gone", .status = 410, .body = "<title>Gone</title>"},
    {.path = "/nothing", .status = 204},
    {.path = "/file",
     .body = "hello",
     .type = "application/octet-stream",
     .header = "Content-Disposition",
     .value = "attachment; filename=\"a b.bin\""},
    {.path = "/onload", .body = "<title>Asking</title><script>alert('hello there')</script>"},
    {.path = "/forward", .body = "<title>Forward</title><script>location.replace('/two')</script>"},
    {.path = "/slow", .body = "<title>Slow</title><h1>There</h1><img src=/held>"},
    {.path = "/frames",
     .body = "<title>Frames</title><h1>Outside</h1>"
             "<iframe src=/inner title=same></iframe>"
             "<iframe src=http://localhost:{port}/inner title=other></iframe>"},
    {.path = "/inner",
     .body = "<title>Inner</title><button onclick=\"this.textContent='Done'\">"
             "Inside</button>"},
    {.path = "/waiting",
     .body = "<iframe src=http://localhost:{port}/held title=held></iframe>"
             "<iframe src=http://localhost:{port}/parsing title=parsing></iframe>"},
    {.path = "/parsing", .body = "<script src=/held></script>There"},
    {.path = "/long",
     .body = "<iframe src=http://localhost:{port}/inner title=other></iframe>"
             "<p id=p></p><script>p.innerHTML = '<p>Some words</p>'.repeat(500)</script>"},
    {.path = "/shadow",
     .body = "<title>Shadow</title><div id=host></div><script>"
             "const r = host.attachShadow({mode: 'closed'});"
             "r.innerHTML = '<button>Hidden away</button>';"
             "r.firstChild.onclick = () => document.title = 'found';</script>"},
    {.path = "/later",
     .body = "<title>Later</title><p id=p>before</p><script>setTimeout(() => {"
             "p.textContent = 'after'; const b = document.createElement('b');"
             "b.id = 'new'; b.textContent = 'new one'; document.body.append(b);"
             "}, 150)</script>"},
    {.path = "/list",
     .body = "<title>List</title><ul><li class=i>one<li class=i>two"
             "<li class=i>three</ul>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void navigating_tells_address_title_and_status(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    assert_string_equal(ops_text(lab, "title"), "Home");
    assert_int_equal(ops_int(lab, "status"), 200);
    assert_string_equal(ops_text(lab, "ok"), "true");
    assert_non_null(strstr(ops_text(lab, "url"), "/"));
    ops_goto(lab, "/moved");
    assert_non_null(strstr(ops_text(lab, "url"), "/two"));
    assert_string_equal(ops_text(lab, "title"), "Two");
    ops_goto(lab, "/forward");
    assert_string_equal(ops_text(lab, "title"), "Two");
}

static void a_missing_page_is_a_result_and_no_error(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/missing");
    assert_int_equal(ops_int(lab, "status"), 404);
    assert_string_equal(ops_text(lab, "ok"), "false");
    assert_string_equal(ops_text(lab, "title"), "Not here");
    ops_goto(lab, "/gone");
    assert_int_equal(ops_int(lab, "status"), 410);
}

static void what_cannot_be_loaded_is_told_in_words(void **state)
{
    struct ops_lab *lab = *state;
    ops_fails(lab, TB_E_NAVIGATION, TB_OP_NAVIGATE, "{'url':'http://nosuch.invalid/'}");
    assert_non_null(strstr(lab->result.message, "no such host"));
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'https://127.0.0.1:%d/'}", lab->port);
    assert_non_null(strstr(lab->result.message, "TLS"));
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/loop'}",
              lab->port);
    assert_non_null(strstr(lab->result.message, "redirects in a loop"));
    ops_fails(lab, TB_E_NAVIGATION, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:3/'}");
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:6000/'}");
    assert_non_null(strstr(lab->result.message, "browsers refuse to connect to that port"));
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/nothing'}",
              lab->port);
    ops_fails(lab, TB_E_BAD_URL, TB_OP_NAVIGATE, "{'url':'file:///etc/passwd'}");
    ops_fails(lab, TB_E_BAD_URL, TB_OP_NAVIGATE, "{'url':'http://[::1'}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_NAVIGATE, "{}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_NAVIGATE, "{'url':'x.com','to':'back'}");
    ops_goto(lab, "/");
    assert_string_equal(ops_text(lab, "title"), "Home");
}

static void a_download_in_place_of_a_page_is_an_error_that_says_so(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_fails(lab, TB_E_DOWNLOAD_REFUSED, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/file'}",
              lab->port);
    assert_non_null(strstr(lab->result.message, "it was refused: the session does not keep files"));
    assert_non_null(strstr(ops_text(lab, "downloads"), "\"state\":\"refused\""));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
    ops_ok(lab, TB_OP_DOWNLOADS, "{}");
    for (int i = 0; i < 10; i++) {
        ops_fails(lab, TB_E_DOWNLOAD, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/file'}",
                  lab->port);
        assert_non_null(strstr(ops_text(lab, "downloads"), "\"state\":\""));
    }
}

static void history_goes_both_ways_and_ends(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_goto(lab, "/two");
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'back'}");
    assert_string_equal(ops_text(lab, "title"), "Home");
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'forward'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'to':'forward'}");
    ops_eval(lab, "document.title = 1");
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'reload'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    assert_int_equal(ops_int(lab, "status"), 200);
}

static void a_timeout_says_how_far_it_got(void **state)
{
    struct ops_lab *lab = *state;
    char args[128];
    ops_goto(lab, "/");
    snprintf(args, sizeof(args), "{'url':'http://127.0.0.1:%d/held'}", lab->port);
    ops_begin(lab, TB_OP_NAVIGATE, 500, args);
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    assert_non_null(strstr(lab->result.message, "no answer from"));
    snprintf(args, sizeof(args), "{'url':'http://127.0.0.1:%d/slow'}", lab->port);
    ops_begin(lab, TB_OP_NAVIGATE, 700, args);
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    assert_non_null(strstr(lab->result.message, "answered but"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Slow\"");
    ops_ok(lab, TB_OP_NAVIGATE,
           "{'url':'http://127.0.0.1:%d/slow','wait_until':'domcontentloaded'}", lab->port);
    ops_goto(lab, "/two");
}

static void navigate_can_bring_the_outline(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'127.0.0.1:%d/','snapshot':true}", lab->port);
    assert_non_null(strstr(ops_out(lab), "button \"Press me\""));
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true}");
    assert_string_equal(ops_text(lab, "unchanged"), "true");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'127.0.0.1:%d/frames','snapshot':true}", lab->port);
    const char *same = strstr(ops_out(lab), "button \"Inside\"");
    assert_non_null(same);
    assert_non_null(strstr(same + 1, "\n  - button \"Inside\" [ref=f"));
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'127.0.0.1:%d/shadow','snapshot':true}", lab->port);
    assert_non_null(strstr(ops_out(lab), "button \"Hidden away\""));
}

static void a_frame_that_shows_nothing_yet_says_so(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NAVIGATE,
           "{'url':'127.0.0.1:%d/waiting','snapshot':true,'wait_until':'domcontentloaded'}",
           lab->port);
    assert_non_null(strstr(ops_out(lab), "- iframe \"held\" [loading] [ref="));
    assert_non_null(strstr(ops_out(lab), "- iframe \"parsing\" [ref="));
    assert_non_null(strstr(ops_out(lab), "\n  … this frame is still loading"));
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'127.0.0.1:%d/long','snapshot':true}", lab->port);
    assert_non_null(strstr(ops_out(lab), "\n  … left out for want of room;"));
}

static void an_outline_that_was_cut_is_not_compared_with_a_whole_one(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_eval(lab, "document.body.append(...Array.from({length: 40}, (_, at) => "
                  "Object.assign(document.createElement(`button`), {textContent: `B` + at}))), 0");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'max_chars':300}");
    assert_string_equal(ops_text(lab, "truncated"), "true");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true,'interactive':false}");
    assert_string_equal(ops_text(lab, "unchanged"), "true");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true,'max_chars':300}");
    assert_string_equal(ops_text(lab, "undiffed"), "part");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true,'max_chars':30000}");
    assert_string_equal(ops_text(lab, "unchanged"), "true");
}

static void a_dialog_on_load_is_seen_and_answered(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/onload");
    assert_non_null(strstr(ops_text(lab, "dialog"), "hello there"));
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(lab->result.message, "hello there"));
    ops_ok(lab, TB_OP_TABS, "{}");
    ops_ok(lab, TB_OP_DIALOG, "{}");
    assert_string_equal(ops_text(lab, "type"), "alert");
    assert_string_equal(ops_text(lab, "accepted"), "true");
    ops_fails(lab, TB_E_NO_DIALOG, TB_OP_DIALOG, "{}");
    assert_string_equal(ops_eval(lab, "document.title"), "\"Asking\"");
}

static void the_outline_tells_what_is_there_and_what_changed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true,'find':'Welcome'}");
    assert_string_equal(ops_text(lab, "undiffed"), "part");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true}");
    assert_string_equal(ops_text(lab, "undiffed"), "first");
    assert_non_null(strstr(ops_out(lab), "heading \"Welcome\""));
    assert_non_null(strstr(ops_out(lab), "button \"Press me\" [ref="));
    assert_string_equal(ops_text(lab, "title"), "Home");
    assert_string_equal(ops_text(lab, "truncated"), "false");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true}");
    assert_string_equal(ops_text(lab, "unchanged"), "true");
    ops_eval(lab, "b.textContent = 123");
    ops_ok(lab, TB_OP_SNAPSHOT, "{'diff':true}");
    assert_string_equal(ops_text(lab, "diff"), "true");
    assert_non_null(strstr(ops_out(lab), "- - button \"Press me\""));
    assert_non_null(strstr(ops_out(lab), "+ - button \"123\""));
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_SNAPSHOT, "{'target':'#nothing'}");
}

static void frames_are_part_of_the_outline_and_can_be_clicked(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    ops_goto(lab, "/frames");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    const char *first = strstr(ops_out(lab), "button \"Inside\"");
    assert_non_null(first);
    const char *second = strstr(first + 1, "button \"Inside\"");
    assert_non_null(second);
    assert_non_null(strstr(second, "[ref=f"));
    ops_ref(lab, "button \"Inside\"", ref);
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(ops_out(lab), "Done"));
    ops_ref(lab, "button \"Inside\"", ref);
    assert_int_equal(ref[0], 'f');
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'e => e.textContent','target':'%s'}", ref);
    assert_string_equal(ops_out(lab), "\"Done\"");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'f99e1'}");
}

static void closed_shadow_roots_are_opened(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    ops_goto(lab, "/shadow");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "button \"Hidden away\"", ref);
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
    assert_string_equal(ops_text(lab, "title"), "found");
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
        {"return (", "SyntaxError: the script does not end well"},
        {"return 1\\nreturn {", "SyntaxError: the script does not end well"},
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

static void contents_are_extracted(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/list");
    ops_ok(lab, TB_OP_EXTRACT, "{'target':'.i','limit':2}");
    assert_string_equal(ops_out(lab), "[\"one\",\"two\"]");
    assert_int_equal(ops_int(lab, "count"), 2);
    assert_int_equal(ops_int(lab, "total"), 3);
    assert_string_equal(ops_text(lab, "title"), "List");
    ops_ok(lab, TB_OP_EXTRACT, "{'target':'.i','format':'html','limit':1}");
    assert_non_null(strstr(ops_out(lab), "<li class=\\\"i\\\">one"));
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_EXTRACT, "{'target':'.zz'}");
    ops_ok(lab, TB_OP_ELEMENTS, "{}");
    assert_int_equal(ops_int(lab, "total"), 0);
    ops_goto(lab, "/later");
    ops_ok(lab, TB_OP_EXTRACT, "{'target':'#new','wait':true}");
    assert_string_equal(ops_out(lab), "[\"new one\"]");
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_ELEMENTS, "{'bounds':true}");
    assert_int_equal(ops_int(lab, "total"), 2);
    assert_int_equal(ops_int(lab, "showing"), 2);
    assert_non_null(strstr(ops_text(lab, "elements"), "\"tagName\":\"a\""));
}

static void waiting_ends_when_it_holds_and_says_what_was_seen(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/later");
    ops_ok(lab, TB_OP_WAIT, "{'target':'#new'}");
    ops_goto(lab, "/later");
    ops_ok(lab, TB_OP_WAIT, "{'text':'after','text_gone':'before'}");
    ops_ok(lab, TB_OP_WAIT, "{'time_ms':120}");
    assert_true(ops_int(lab, "waited_ms") >= 120);
    ops_ok(lab, TB_OP_WAIT, "{'url':'*/later'}");
    ops_ok(lab, TB_OP_WAIT, "{'url':'/later'}");
    ops_begin(lab, TB_OP_WAIT, 300, "{'url':'/later/us'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    ops_fails(lab, TB_E_PARAMS, TB_OP_WAIT, "{}");
    ops_begin(lab, TB_OP_WAIT, 1200, "{'target':'#zz'}");
    assert_int_equal(ops_end(lab), TB_E_ELEMENT_NOT_FOUND);
    ops_begin(lab, TB_OP_WAIT, 1200, "{'text':'never'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    assert_non_null(strstr(lab->result.message, "never"));
    ops_eval(lab, "setTimeout(() => location.href = `/two`, 100)");
    ops_ok(lab, TB_OP_WAIT, "{'text':'Second'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
}

static void tabs_are_listed_opened_selected_and_closed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/two'}", lab->port);
    assert_string_equal(ops_text(lab, "title"), "Two");
    assert_non_null(strstr(ops_text(lab, "tabs"), "\"title\":\"Home\",\"active\":false"));
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
    ops_fails(lab, TB_E_TAB_NOT_FOUND, TB_OP_TABS, "{'action':'select','tab':7}");
    assert_non_null(strstr(lab->result.message, "the session has 2 tabs, numbered from 0"));
    ops_fails(lab, TB_E_TAB_NOT_FOUND, TB_OP_TABS, "{'action':'close','id':'nosuchtab'}");
    ops_ok(lab, TB_OP_TABS, "{'action':'close','tab':0}");
    assert_string_equal(ops_eval(lab, "document.title"), "\"Two\"");
    ops_fails(lab, TB_E_TAB_NOT_FOUND, TB_OP_TABS, "{'action':'select','tab':1}");
    assert_non_null(strstr(lab->result.message, "the session has 1 tab, numbered from 0"));
    ops_ok(lab, TB_OP_TABS, "{'action':'close'}");
    assert_non_null(strstr(ops_text(lab, "tabs"), "about:blank"));
    ops_goto(lab, "/");
}

static void an_operation_can_be_cancelled_at_any_time(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {
        {TB_OP_SNAPSHOT, "{}"},           {TB_OP_CLICK, "{'target':'#b'}"},
        {TB_OP_CLICK, "{'target':'#z'}"}, {TB_OP_WAIT, "{'text':'never'}"},
        {TB_OP_WAIT, "{'time_ms':9000}"}, {TB_OP_SCREENSHOT, "{'full_page':true}"},
        {TB_OP_TABS, "{'action':'new'}"}, {TB_OP_NAVIGATE, "{'to':'reload'}"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        for (int turns = 0; turns < 4; turns++) {
            ops_begin(lab, rows[i].kind, OPS_MS, rows[i].args);
            for (int turn = 0; turn < turns && !lab->dones; turn++) {
                tb_loop_turn(lab->loop, true);
            }
            if (!lab->dones) {
                lab->op.cancel(&lab->op);
                assert_int_equal(ops_end(lab), TB_E_CANCELLED);
            }
        }
        assert_string_equal(ops_eval(lab, "5"), "5");
    }
}

static void an_operation_ends_with_its_session(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
        bool busy; /* it would end before its session on a page that answers */
    } rows[] = {
        {TB_OP_WAIT, "{'time_ms':50000}", false},
        {TB_OP_WAIT, "{'text':'never'}", false},
        {TB_OP_CLICK, "{'target':'#nothing'}", false},
        {TB_OP_EVALUATE, "{'script':'new Promise(() => {})'}", false},
        {TB_OP_CLICK, "{'target':'#b','wait_for_navigation':true}", false},
        {TB_OP_SCROLL, "{'direction':'down'}", true},
        {TB_OP_SNAPSHOT, "{}", true},
        {TB_OP_EMULATE, "{'viewport':{'width':300,'height':400},'offline':true}", true},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/");
        if (rows[i].busy) {
            tb_cdp_post(lab->session->browser->conn,
                        tb_cdp_page_session_id(tb_cdp_session_page(lab->session)),
                        "Runtime.evaluate", TB_STR("{\"expression\":\"for (;;);\"}"));
        }
        ops_begin(lab, rows[i].kind, OPS_MS, rows[i].args);
        for (int turn = 0; turn < 3; turn++) {
            tb_loop_turn(lab->loop, false);
        }
        ops_close_during(lab);
        assert_int_equal(lab->dones, 1);
        assert_int_equal(lab->result.code, TB_E_CLOSED);
        ops_close(state);
        ops_open(state);
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(navigating_tells_address_title_and_status),
        OPS_TEST(a_missing_page_is_a_result_and_no_error),
        OPS_TEST(what_cannot_be_loaded_is_told_in_words),
        OPS_TEST(a_download_in_place_of_a_page_is_an_error_that_says_so),
        OPS_TEST(history_goes_both_ways_and_ends),
        OPS_TEST(a_timeout_says_how_far_it_got),
        OPS_TEST(navigate_can_bring_the_outline),
        OPS_TEST(a_frame_that_shows_nothing_yet_says_so),
        OPS_TEST(an_outline_that_was_cut_is_not_compared_with_a_whole_one),
        OPS_TEST(a_dialog_on_load_is_seen_and_answered),
        OPS_TEST(the_outline_tells_what_is_there_and_what_changed),
        OPS_TEST(frames_are_part_of_the_outline_and_can_be_clicked),
        OPS_TEST(closed_shadow_roots_are_opened),
        OPS_TEST(scripts_give_their_value_as_json),
        OPS_TEST(a_script_that_fails_tells_message_and_line),
        OPS_TEST(a_script_gets_the_element_it_is_given),
        OPS_TEST(a_value_too_large_is_refused_and_the_next_call_works),
        OPS_TEST(a_script_without_end_is_stopped),
        OPS_TEST(a_script_that_navigates_is_waited_for),
        OPS_TEST(an_alert_from_a_script_ends_the_call_with_the_dialog),
        OPS_TEST(contents_are_extracted),
        OPS_TEST(waiting_ends_when_it_holds_and_says_what_was_seen),
        OPS_TEST(tabs_are_listed_opened_selected_and_closed),
        OPS_TEST(an_operation_can_be_cancelled_at_any_time),
        OPS_TEST(an_operation_ends_with_its_session),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
