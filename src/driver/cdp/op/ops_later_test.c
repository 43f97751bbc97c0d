/* SPDX-License-Identifier: Apache-2.0 */
/* What comes a moment after an act: navigations that a timer or an answer begins, elements of the
 * document that comes then. With a real browser. */
#include "core/limits.h"

#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body =
         "<title>Home</title><p id=p>Home</p>"
         "<button id=zero onclick=\"setTimeout(() => location.href = '/done')\">Zero</button>"
         "<button id=frame onclick=\"requestAnimationFrame(() => p.textContent = 'Framed')\">"
         "Frame</button><button id=open onclick=\"back.className = 'on'\">Open</button>"
         "<style>#back { opacity: 0; transition: opacity .1s } #back.on { opacity: 1 }</style>"
         "<div id=back ontransitionend=\"this.innerHTML = '<div role=dialog aria-label=Sure>?'\">"
         "</div><p id=box></p>"
         "<button id=nav onclick=\"p.textContent = 'Busy'; fetch('/data').then(r => r.text())"
         ".then(() => location.href = '/done')\">Nav</button>"
         "<button id=get onclick=\"p.textContent = 'Busy'; const ask = new XMLHttpRequest();"
         "ask.open('GET', '/data'); ask.onload = () => box.innerHTML = '<b role=alert>' + "
         "ask.responseText + '</b>'; ask.send()\">Get</button>"
         "<button id=chain onclick=\"fetch('/data').then(() => fetch('/data')).then(r => "
         "r.text()).then(text => box.textContent = text)\">Chain</button>"
         "<button id=spa onclick=\"p.textContent = 'Busy'; fetch('/data').then(r => r.text())"
         ".then(text => { history.pushState(0, '', '/there'); document.title = 'There';"
         "p.textContent = text })\">Spa</button>"
         "<button id=first onclick=\"p.textContent = 'Busy'; fetch('/data').then(r => {"
         "history.pushState(0, '', '/first'); return r.text() }).then(text => setTimeout(() => "
         "p.textContent = text))\">First</button>"
         "<button id=step onclick=\"history.pushState(0, '', '/step'); p.textContent = 'Step'\">"
         "Step</button>"
         "<button id=wait onclick=\"setTimeout(() => { p.textContent = 'Late'; history.pushState(0,"
         "'', '/late') }, 300)\">Wait</button>"
         "<button id=held onclick=\"p.textContent = 'Busy'; fetch('/held')\">Held</button>"
         "<button id=other onclick=\"p.textContent = 'Busy';"
         "fetch('http://localhost:{port}/held', {mode: 'no-cors'})\">Other</button>"},
    {.path = "/ask",
     .body = "<form onsubmit=\"event.preventDefault(); fetch('/data').then(() => location.href = "
             "'/done')\"><input id=text></form>"},
    {.path = "/endless",
     .body =
         "<ul id=list></ul><p id=end>end</p><script>let busy = false;"
         "const more = async () => { const n = list.children.length; if (busy || n >= 100) return;"
         "busy = true; await (await fetch('/data')).text(); for (let i = n; i < n + 20; i++)"
         "list.insertAdjacentHTML('beforeend', `<li style='height:60px'>Item ${i}`);"
         "busy = false }; new IntersectionObserver(seen => { if (seen[0].isIntersecting) more() })"
         ".observe(end)</script>"},
    {.path = "/data", .body = "Arrived", .type = "text/plain"},
    {.path = "/parsing", .body = "<title>Slow</title><p>Begun<script src=/held></script><p>Rest"},
    {.path = "/done",
     .body =
         "<title>Done</title><form action=/two><input id=q></form>"
         "<button id=b onmouseover=\"n = 'over'\" onclick=\"document.title = 'Clicked'\">B</button>"
         "<select id=s><option>a<option>b</select>"},
    {.path = "/two", .body = "<title>Two</title>"},
    {.path = "/refused",
     .body = "<style>* { display: block }</style><form action=data:text/html,x method=post>"
             "<button id=same>Same</button></form>"
             "<form action=data:text/html,x method=post target=_blank><button id=data>D</button>"
             "</form><form action=chrome-extension://a/x method=post target=_blank>"
             "<button id=extension>E</button></form>"
             "<a id=link href=data:text/html,x target=_blank>L</a>"
             "<a id=mail href=mailto:a@example.org target=_blank>M</a>"
             "<a id=empty href=/empty target=_blank>N</a>"
             "<button id=window onclick=\"window.open('/empty')\">W</button>"},
    {.path = "/empty", .body = "", .status = 204},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

/* Leaves for /done in a moment. */
static void leave(struct ops_lab *lab)
{
    ops_goto(lab, "/");
    ops_eval(lab, "void setTimeout(() => location.href = `/done`, 200)");
}

static void a_selector_finds_its_element_in_the_document_that_comes(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
        const char *script;
        const char *value;
    } rows[] = {
        {TB_OP_FILL, "{'target':'#q','value':'x'}", "q.value", "\"x\""},
        {TB_OP_CLICK, "{'target':'#b'}", "document.title", "\"Clicked\""},
        {TB_OP_HOVER, "{'target':'#b'}", "n", "\"over\""},
        {TB_OP_SELECT, "{'target':'#s','values':['b']}", "s.value", "\"b\""},
        {TB_OP_PRESS_KEY, "{'target':'#q','text':'k'}", "q.value", "\"k\""},
        {TB_OP_WAIT, "{'target':'#q'}", "1", "1"},
        {TB_OP_FILL_FORM, "{'fields':[{'target':'#q','value':'y'}]}", "q.value", "\"y\""},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        leave(lab);
        ops_ok(lab, rows[i].kind, "%s", rows[i].args);
        assert_string_equal(ops_eval(lab, rows[i].script), rows[i].value);
    }
}

static void a_form_is_sent_from_the_document_that_came(void **state)
{
    struct ops_lab *lab = *state;
    leave(lab);
    ops_ok(lab, TB_OP_FILL, "{'target':'#q','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "Two");
}

static void the_time_of_a_wait_is_not_given_twice(void **state)
{
    struct ops_lab *lab = *state;
    leave(lab);
    ops_begin(lab, TB_OP_CLICK, 4000, "{'target':'#nothing'}");
    assert_int_equal(ops_end(lab), TB_E_ELEMENT_NOT_FOUND);
    assert_non_null(strstr(lab->result.message, "#nothing"));
}

static void a_navigation_that_a_timer_begins_at_once_is_told(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 5; i++) {
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#zero'}");
        assert_string_equal(ops_text(lab, "navigated"), "true");
        assert_string_equal(ops_text(lab, "title"), "Done");
    }
}

static void what_the_next_frame_or_a_transition_brings_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#frame'}");
    assert_non_null(strstr(ops_text(lab, "changes"), "Framed"));
    ops_ok(lab, TB_OP_CLICK, "{'target':'#open'}");
    assert_non_null(strstr(ops_text(lab, "changes"), "dialog \"Sure\""));
}

static void what_comes_of_the_requests_that_a_click_begins_is_told(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 5; i++) {
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#get'}");
        assert_non_null(strstr(ops_text(lab, "changes"), "Busy"));
        assert_non_null(strstr(ops_text(lab, "changes"), "alert: Arrived"));
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#chain'}");
        assert_non_null(strstr(ops_text(lab, "changes"), "Arrived"));
        ops_ok(lab, TB_OP_CLICK, "{'target':'#nav'}");
        assert_string_equal(ops_text(lab, "navigated"), "true");
        assert_string_equal(ops_text(lab, "title"), "Done");
        assert_string_equal(ops_text(lab, "requests_open"), "");
    }
}

/* A new address within the document is no end of what a click has begun. */
static void what_comes_with_a_new_address_of_the_same_document_is_told(void **state)
{
    static const struct {
        const char *args;
        const char *path;
        const char *words;
    } rows[] = {
        {"{'target':'#spa'}", "/there", "+ text: Arrived"},
        {"{'target':'#first'}", "/first", "+ text: Arrived"},
        {"{'target':'#step'}", "/step", "text: Step"},
        {"{'target':'#wait','wait_for_navigation':true}", "/late", "text: Late"},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < 3 * TB_COUNT(rows); i++) {
        size_t row = i % TB_COUNT(rows);
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_CLICK, "%s", rows[row].args);
        if (!strstr(ops_text(lab, "changes"), rows[row].words) ||
            strstr(ops_text(lab, "changes"), "Busy")) {
            fail_msg("%s: \"%s\"", rows[row].args, ops_text(lab, "changes"));
        }
        assert_non_null(strstr(ops_text(lab, "url"), rows[row].path));
        assert_string_equal(ops_text(lab, "navigated"), "true");
        assert_string_equal(ops_text(lab, "requests_open"), "");
    }
}

static void a_form_that_is_sent_by_a_script_leads_on_by_enter_too(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/ask");
    ops_ok(lab, TB_OP_FILL, "{'target':'#text','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "Done");
    ops_goto(lab, "/ask");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'target':'#text','key':'Enter'}");
    assert_string_equal(ops_text(lab, "title"), "Done");
}

/* As many times as there is more, without a pause between them. */
static void what_a_scroll_to_the_end_brings_is_waited_for(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/endless");
    OPS_WAIT(lab, strcmp(ops_eval(lab, "list.children.length"), "20") == 0);
    for (int count = 40; count <= 100; count += 20) {
        char last[32];
        ops_ok(lab, TB_OP_SCROLL, "{'to':'bottom'}");
        snprintf(last, sizeof(last), "+ listitem: Item %d\n", count - 20);
        if (!strstr(ops_text(lab, "changes"), last)) {
            TB_AUTO(tb_buf_fini) struct tb_buf told = TB_BUF(TB_MIB);
            tb_json_print(lab->result.data, &told);
            fail_msg("to %d: %.*s", count, TB_STR_ARG(tb_buf_str(&told)));
        }
        assert_string_equal(ops_text(lab, "grown"), "true");
        assert_string_equal(ops_text(lab, "at_bottom"), "true");
        assert_string_equal(ops_text(lab, "element"), "");
    }
    ops_ok(lab, TB_OP_SCROLL, "{'to':'bottom'}");
    assert_string_equal(ops_text(lab, "grown"), "");
    assert_string_equal(ops_eval(lab, "list.children.length"), "100");
    ops_ok(lab, TB_OP_SCROLL, "{'to':'top'}");
    assert_string_equal(ops_text(lab, "changes"), "");
}

static void requests_that_are_not_answered_soon_are_not_waited_for(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#held'}");
    assert_int_equal(ops_int(lab, "requests_open"), 1);
    assert_non_null(strstr(ops_text(lab, "changes"), "Busy"));
    ops_ok(lab, TB_OP_CLICK, "{'target':'#other'}"); /* another site's are not the page's */
    assert_string_equal(ops_text(lab, "requests_open"), "");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#frame'}");
    assert_string_equal(ops_text(lab, "requests_open"), "");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#held','snapshot':false}");
    assert_string_equal(ops_text(lab, "requests_open"), "");
}

static void clicks_do_not_disturb_the_network_log(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 2; i++) { /* at first the clicks are before it */
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#get'}");
        ops_ok(lab, TB_OP_NETWORK, "{'clear':true}");
        assert_string_equal(ops_text(lab, "begins"), i ? "" : "true");
        assert_string_equal(ops_text(lab, "total"), i ? "3" : "0");
        ops_ok(lab, TB_OP_CLICK, "{'target':'#get'}");
        ops_ok(lab, TB_OP_NETWORK, "{}");
        assert_int_equal(ops_int(lab, "total"), 1);
        char id[32] = "";
        const char *at = strstr(ops_text(lab, "requests"), "\"id\":\"");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "\"id\":\"%31[^\"]", id), 1);
        ops_ok(lab, TB_OP_NETWORK, "{'id':'%s'}", id);
        assert_string_equal(ops_out(lab), "Arrived");
    }
}

static void what_is_emulated_outlives_clicks_and_the_page(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#get'}");
    ops_ok(lab, TB_OP_EMULATE, "{'offline':true}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#get'}");
    for (int i = 0; i < 2; i++) {
        ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/two'}",
                  lab->port);
    }
    ops_ok(lab, TB_OP_EMULATE, "{'offline':false}");
    ops_goto(lab, "/two");
}

static void a_page_that_is_not_parsed_yet_is_told_as_loading(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/parsing','wait_until':'commit'}",
           lab->port);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(ops_out(lab), "Begun"));
    assert_null(strstr(ops_out(lab), "Rest"));
    assert_non_null(strstr(ops_text(lab, "loading"), "/parsing"));
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_string_equal(ops_text(lab, "loading"), "");
}

/* Each of them took all of the time, and the tab was told as loading. */
static void what_the_browser_does_not_open_is_over_at_once(void **state)
{
    static const struct {
        const char *target;
        const char *unopened; /* empty: in the same tab */
    } rows[] = {
        {"#same", ""},
        {"#data", "\"unopened\":\"data:text/html,x\""},
        {"#extension", "\"unopened\":\"chrome-extension://a/x\""},
        {"#link", "\"unopened\":\"data:text/html,x\""},
        {"#mail", "\"unopened\":\"mailto:a@example.org\""},
        {"#empty", "/empty\"}]"},
        {"#window", "/empty\"}]"},
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_goto(lab, "/refused");
        ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", rows[i].target);
        assert_non_null(strstr(ops_text(lab, "new_tabs"), rows[i].unopened));
        assert_string_equal(ops_text(lab, "loading"), "");
        ops_ok(lab, TB_OP_TABS, "{}");
        assert_string_equal(ops_text(lab, "loading"), "");
        ops_goto(lab, "/two"); /* the tab is good for another page, and has no more to tell */
        assert_string_equal(ops_text(lab, "new_tabs"), "");
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_selector_finds_its_element_in_the_document_that_comes),
        OPS_TEST(a_form_is_sent_from_the_document_that_came),
        OPS_TEST(the_time_of_a_wait_is_not_given_twice),
        OPS_TEST(a_navigation_that_a_timer_begins_at_once_is_told),
        OPS_TEST(what_the_next_frame_or_a_transition_brings_is_told),
        OPS_TEST(what_comes_of_the_requests_that_a_click_begins_is_told),
        OPS_TEST(what_comes_with_a_new_address_of_the_same_document_is_told),
        OPS_TEST(a_form_that_is_sent_by_a_script_leads_on_by_enter_too),
        OPS_TEST(what_a_scroll_to_the_end_brings_is_waited_for),
        OPS_TEST(requests_that_are_not_answered_soon_are_not_waited_for),
        OPS_TEST(clicks_do_not_disturb_the_network_log),
        OPS_TEST(what_is_emulated_outlives_clicks_and_the_page),
        OPS_TEST(a_page_that_is_not_parsed_yet_is_told_as_loading),
        OPS_TEST(what_the_browser_does_not_open_is_over_at_once),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
