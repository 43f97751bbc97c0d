/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot, extract, wait, with a real browser. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Home</title><h1>Welcome</h1><a href=/two>Two</a>"
             "<button id=b onclick=\"document.title='Clicked'\">Press me</button>"},
    {.path = "/two", .body = "<title>Two</title><h1>Second</h1><a href=/>Home</a>"},
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
    assert_non_null(strstr(ops_out(lab), "\n  … omitted because it is too long;"));
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

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(navigate_can_bring_the_outline),
        OPS_TEST(a_frame_that_shows_nothing_yet_says_so),
        OPS_TEST(an_outline_that_was_cut_is_not_compared_with_a_whole_one),
        OPS_TEST(the_outline_tells_what_is_there_and_what_changed),
        OPS_TEST(frames_are_part_of_the_outline_and_can_be_clicked),
        OPS_TEST(closed_shadow_roots_are_opened),
        OPS_TEST(contents_are_extracted),
        OPS_TEST(waiting_ends_when_it_holds_and_says_what_was_seen),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
