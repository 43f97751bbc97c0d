/* SPDX-License-Identifier: Apache-2.0 */
/* What is saved of a session comes back in another browser. */
#include "driver/cdp/keep/keep_internal.h"
#include "driver/cdp/keep/keep_rig.h"

#define RECORDER                                                                     \
    "<script>document.title = [localStorage.token, sessionStorage.step, "            \
    "document.cookie].join('|'); localStorage.last = location.pathname</script>"     \
    "<body style='height: 5000px; width: 4000px'><input id=name><textarea id=area>a" \
    "</textarea><input type=checkbox id=box>"

static const struct ops_doc docs[] = {
    {"/in", RECORDER, NULL, 0, "Set-Cookie", "sid=secret; HttpOnly; Path=/"},
    {"/one", RECORDER, NULL, 0, NULL, NULL},
    {"/two", RECORDER, NULL, 0, NULL, NULL},
    {"/plain", "<title>plain</title><body>plain", NULL, 0, NULL, NULL},
    {"/count", "<script>document.title = localStorage.length</script>", NULL, 0, NULL, NULL},
    {"/leaves", "<script>localStorage.clear(); location = '/plain'</script>", NULL, 0, NULL, NULL},
    {"/boxed", "", NULL, 0, "Content-Security-Policy", "sandbox allow-scripts"},
    {"/moved", "", NULL, 302, "Location", "/plain"},
    {NULL, NULL, NULL, 0, NULL, NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static const char *title(struct ops_lab *lab)
{
    return ops_eval(lab, "document.title");
}

static void select_tab(struct ops_lab *lab, int tab)
{
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':%d}", tab);
}

static void everything_comes_back_before_the_first_script_of_the_page(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/one'}", lab->port);
    ops_eval(lab, "localStorage.token = `of localhost`, document.cookie = `b=2; max-age=1000`");
    tb_free(kept_save(lab)); /* the last time that a tab shows this site */
    ops_goto(lab, "/in");
    ops_eval(lab, "localStorage.token = `of 127`, sessionStorage.step = `first`, "
                  "document.cookie = `a=1`, scrollTo(120, 900)");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/two'}", lab->port);
    ops_eval(lab, "sessionStorage.step = `second`");
    /* What a tab writes reaches the process of another in its own time. */
    OPS_WAIT(lab, strcmp(ops_eval(lab, "localStorage.token"), "\"of 127\"") == 0);
    ops_ok(lab, TB_OP_TABS, "{'action':'new'}");
    select_tab(lab, 1);
    TB_AUTO(tb_free) char *saved = kept_save(lab);

    kept_open(lab, saved);
    assert_string_equal(kept_words(lab), "The history of the tabs is lost.");
    assert_int_equal(tb_cdp_session_page_count(lab->session), 3);
    assert_string_equal(title(lab), "\"of 127|second|a=1\"");
    assert_non_null(strstr(ops_eval(lab, "location.href"), "/two"));
    select_tab(lab, 0);
    /* A tab that nobody looks at has only begun to load. */
    OPS_WAIT(lab, strcmp(title(lab), "\"of 127|first|a=1\"") == 0);
    OPS_WAIT(lab, strcmp(ops_eval(lab, "[scrollX, scrollY].join()"), "\"120,900\"") == 0);
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'back'}"); /* as in any new tab */
    assert_string_equal(ops_eval(lab, "location.href"), "\"about:blank\"");
    select_tab(lab, 2);
    assert_string_equal(ops_eval(lab, "location.href"), "\"about:blank\"");
    kept_visits_are(lab, "/in\n/two\n");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/one'}", lab->port);
    assert_string_equal(title(lab), "\"of localhost||b=2\"");
}

static void what_was_brought_back_is_saved_as_it_was(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/one'}", lab->port);
    ops_eval(lab, "localStorage.token = `x`");
    tb_free(kept_save(lab));
    ops_goto(lab, "/plain");
    ops_eval(lab, "sessionStorage.a = 1, localStorage.b = 2");
    TB_AUTO(tb_free) char *first = kept_save(lab);
    kept_open(lab, first);
    TB_AUTO(tb_free) char *second = kept_save(lab);
    /* All but the length of the history. */
    TB_AUTO(tb_json_free) struct cJSON *a = tb_json_parse(tb_str_of(first));
    TB_AUTO(tb_json_free) struct cJSON *b = tb_json_parse(tb_str_of(second));
    static const char *const keys[] = {"cookies", "origins", "current", "emulation"};
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf one = TB_BUF(1 << 20);
        TB_AUTO(tb_buf_fini) struct tb_buf two = TB_BUF(1 << 20);
        assert_int_equal(tb_json_print(tb_json_get(a, keys[i]), &one), 0);
        assert_int_equal(tb_json_print(tb_json_get(b, keys[i]), &two), 0);
        assert_true(one.len && tb_str_eq(tb_buf_str(&one), tb_buf_str(&two)));
    }
    assert_non_null(strstr(second, "\"session\":\"[[\\\"a\\\",\\\"1\\\"]]\""));
    assert_non_null(strstr(second, "localhost"));
}

/* In a browser that is asked by hand. */
static void on_reply(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct kept_answer *answer = user;
    answer->done = true;
    answer->code = code;
    snprintf(answer->words, sizeof(answer->words), "%s", err ? err->text : "");
    tb_buf_append_str(&answer->state, result);
}

static char *ask(struct ops_lab *lab, const char *method, const char *more)
{
    struct kept_answer answer = {.done = false};
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(1 << 16);
    tb_buf_init(&answer.state, 1 << 20);
    tb_buf_printf(&params, "{\"browserContextId\":\"%s\"%s}",
                  tb_cdp_session_context_id(lab->session), more);
    tb_cdp_session_send(lab->session, NULL, method, tb_buf_str(&params),
                        tb_loop_now_ms(lab->loop) + OPS_MS, on_reply, &answer);
    OPS_WAIT(lab, answer.done);
    assert_string_equal(answer.words, "");
    char *result = tb_str_dup(tb_buf_str(&answer.state));
    tb_buf_fini(&answer.state);
    return result;
}

static void cookies_of_every_kind_are_the_same_afterwards(void **state)
{
    struct ops_lab *lab = *state;
    tb_free(
        ask(lab, "Storage.setCookies",
            ",\"cookies\":["
            "{\"name\":\"__Host-a\",\"value\":\"1\",\"url\":\"https://example.com/\","
            "\"secure\":true,\"path\":\"/\",\"httpOnly\":true,\"sameSite\":\"Strict\"},"
            "{\"name\":\"b\",\"value\":\"2\",\"domain\":\".example.com\",\"path\":\"/x\","
            "\"sameSite\":\"Lax\",\"expires\":4000000000},"
            "{\"name\":\"c\",\"value\":\"3\",\"url\":\"http://example.com/\"},"
            "{\"name\":\"\",\"value\":\"nameless\",\"url\":\"http://example.com/\"},"
            "{\"name\":\"d\",\"value\":\"q\\\"u\",\"url\":\"http://127.0.0.1/\","
            "\"priority\":\"High\"},"
            "{\"name\":\"e\",\"value\":\"5\",\"url\":\"https://frame.example/\",\"secure\":true,"
            "\"sameSite\":\"None\",\"partitionKey\":{\"topLevelSite\":\"https://top.example\","
            "\"hasCrossSiteAncestor\":true}}]"));
    TB_AUTO(tb_free) char *before = ask(lab, "Storage.getCookies", "");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    assert_non_null(strstr(before, "nameless"));
    assert_non_null(strstr(before, "partitionKey"));
    kept_open(lab, saved);
    TB_AUTO(tb_free) char *after = ask(lab, "Storage.getCookies", "");
    assert_string_equal(kept_words(lab), "");
    assert_string_equal(after, before);
}

static void a_cookie_that_the_browser_refuses_costs_only_itself(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab, "{'cookies':[{'name':'a','value':'1','domain':'127.0.0.1','path':'/'},"
                        "{'name':'b','value':'2','domain':'127.0.0.1','path':'/','secure':true,"
                        "'sameSite':'Sideways'},7,{},"
                        "{'name':'c','value':'3','domain':'127.0.0.1','path':'/'}],"
                        "'tabs':[{'url':'http://127.0.0.1:{port}/one','origin':'x'}]}");
    assert_string_equal(kept_words(lab), "Not all cookies could be set.");
    assert_string_equal(title(lab), "\"||a=1; b=2; c=3\"");
}

static void storage_may_hold_any_text(void **state)
{
    struct ops_lab *lab = *state;
    static const char set[] =
        "for (const s of [localStorage, sessionStorage]) { s.setItem(`half`, `x\\\\ud800y`); "
        "s.setItem(`zero`, `a\\\\u0000b`); s.setItem(`__proto__`, `p`); s.setItem(`key`, `k`); "
        "s.setItem(`length`, `</script>`); s.setItem(``, `empty`); "
        "s.setItem(`\\\\udfff`, `\\\\u2028\\\\n${String.fromCharCode(34, 39, 92)}`) }";
    static const char get[] =
        "JSON.stringify([localStorage, sessionStorage].map(s => Array.from({length: 7}, (_, i) => "
        "[s.key(i), s.getItem(s.key(i))]).sort()))";
    ops_goto(lab, "/plain");
    ops_eval(lab, set);
    TB_AUTO(tb_free) char *before = tb_strdup(ops_eval(lab, get));
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    kept_open(lab, saved);
    assert_string_equal(ops_eval(lab, get), before);
    assert_non_null(strstr(before, "ud800"));
    assert_non_null(strstr(before, "empty"));
}

static void a_sandboxed_page_does_not_make_its_site_forget(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/one");
    tb_free(kept_save(lab));
    ops_goto(lab, "/boxed");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    kept_open(lab, saved);
    kept_visits_are(lab, "/boxed\n");
    ops_goto(lab, "/plain");
    assert_string_equal(ops_eval(lab, "localStorage.last"), "\"/one\"");
}

static void what_pages_change_afterwards_is_not_set_back(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/one");
    ops_eval(lab, "localStorage.token = `old`, sessionStorage.step = `old`");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    kept_open(lab, saved);
    assert_string_equal(title(lab), "\"old|old|\"");
    assert_null(tb_cdp_keep_of(lab->session)->restore);
    ops_eval(lab, "localStorage.token = `new`, sessionStorage.step = `new`");
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'reload'}");
    assert_string_equal(title(lab), "\"new|new|\"");
    ops_eval(lab, "localStorage.clear(), sessionStorage.clear()");
    ops_goto(lab, "/two");
    assert_string_equal(title(lab), "\"||\"");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/one'}", lab->port);
    ops_goto(lab, "/one");
    assert_string_equal(title(lab), "\"||\"");
}

/* The script may still be there when the second document comes. */
static void a_page_that_leaves_at_once_finds_what_it_left(void **state)
{
    struct ops_lab *lab = *state;
    for (int i = 0; i < 5; i++) {
        kept_open_text(lab, "{'tabs':[{'url':'http://127.0.0.1:{port}/leaves','origin':"
                            "'http://127.0.0.1:{port}','local':'[[\\'a\\',\\'1\\']]'}]}");
        OPS_WAIT(lab, strstr((const char *)lab->visits.data, "/plain"));
        ops_ok(lab, TB_OP_WAIT, "{'text':'plain'}");
        assert_string_equal(ops_eval(lab, "localStorage.length"), "0");
    }
}

static void of_two_tabs_the_second_does_not_undo_the_first(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab, "{'tabs':[{'url':'http://127.0.0.1:{port}/one','origin':"
                        "'http://127.0.0.1:{port}','local':'[[\\'last\\',\\'old\\']]'}]}");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/plain'}", lab->port);
    assert_string_equal(ops_eval(lab, "localStorage.last"), "\"/one\"");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    kept_open(lab, saved);
    assert_string_equal(ops_eval(lab, "localStorage.last"), "\"/one\"");
}

/* One fills it item by item, and the other must not begin before the last. */
static void each_of_two_tabs_of_a_site_begins_with_all_of_its_storage(void **state)
{
    struct ops_lab *lab = *state;
    enum {
        ITEMS = 5000
    };
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_SAVED_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf local = TB_BUF(TB_SAVED_MAX);
    for (int i = 0; i < ITEMS; i++) {
        tb_buf_printf(&local, "%s[\\'key %d\\',\\'v\\']", i ? "," : "", i);
    }
    tb_buf_append_cstr(&text, "{'current':1,'tabs':[");
    for (int i = 0; i < 2; i++) {
        tb_buf_printf(&text,
                      "%s{'url':'http://127.0.0.1:{port}/count','origin':'http://127.0.0.1:{port}',"
                      "'local':'[%.*s]','session':'[[\\'step\\',\\'%d\\']]'}",
                      i ? "," : "", TB_STR_ARG(tb_buf_str(&local)), i);
    }
    tb_buf_append_cstr(&text, "]}");
    TB_AUTO(tb_free) char *saved = tb_str_dup(tb_buf_str(&text));
    kept_open_text(lab, saved);
    assert_string_equal(kept_words(lab), "");
    assert_int_equal(tb_cdp_session_page_count(lab->session), 2);
    for (int tab = 1; tab >= 0; tab--) {
        select_tab(lab, tab);
        ops_ok(lab, TB_OP_WAIT, "{'url':'/count'}");
        OPS_WAIT(lab, strcmp(title(lab), "\"\"") != 0);
        assert_string_equal(title(lab), "\"5000\"");
        assert_string_equal(ops_eval(lab, "sessionStorage.step"), tab ? "\"1\"" : "\"0\"");
    }
    kept_visits_are(lab, "/count\n/count\n");
}

static void storage_waits_for_a_site_that_sends_the_tab_away(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab, "{'tabs':[{'url':'http://localhost:{port}/moved','origin':"
                        "'http://127.0.0.1:{port}','local':'[[\\'token\\',\\'t\\']]',"
                        "'session':'[[\\'step\\',\\'s\\']]'}]}");
    assert_string_equal(kept_words(lab), "");
    assert_non_null(strstr(ops_eval(lab, "location.href"), "localhost"));
    assert_string_equal(ops_eval(lab, "localStorage.length"), "0");
    TB_AUTO(tb_free) char *saved = kept_save(lab); /* and for a further save */
    assert_non_null(strstr(saved, "{\"origin\":\"http://127.0.0.1"));
    ops_goto(lab, "/one");
    assert_string_equal(title(lab), "\"t|s|\"");
    assert_null(tb_cdp_keep_of(lab->session)->restore);
}

static void that_a_page_was_loaded_is_said_in_any_case(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab, "{'tabs':[{'url':'http://127.0.0.1:{port}/plain','origin':'y'},"
                        "{'url':'about:blank','origin':'null'}]}");
    assert_string_equal(tb_cdp_keep_restored(lab->session).missing,
                        "Its page was loaded again, so whatever it kept in memory is gone.");
    kept_open_text(lab, "{'tabs':[{'url':'about:blank','origin':'null'}]}");
    assert_null(tb_cdp_keep_restored(lab->session).missing);
    kept_open_text(lab, "{'tabs':[{'url':'http://127.0.0.1:{port}/plain','origin':'y'},"
                        "{'url':'http://127.0.0.1:{port}/plain','origin':'y'}]}");
    assert_string_equal(tb_cdp_keep_restored(lab->session).missing,
                        "Its pages were loaded again, so whatever they kept in memory is gone.");
}

static void a_page_that_did_not_load_is_not_said_to_have(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab, "{'tabs':[{'url':'http://127.0.0.1:1/','origin':'y'}]}");
    const char *words = tb_cdp_keep_restored(lab->session).missing;
    assert_int_equal(strncmp(words, "Tab 0 (http://127.0.0.1:1/) did not load: ", 42), 0);
    kept_open_text(lab, "{'tabs':[{'url':'http://127.0.0.1:1/','origin':'y'},"
                        "{'url':'http://127.0.0.1:{port}/plain','origin':'y'}]}");
    words = tb_cdp_keep_restored(lab->session).missing;
    assert_non_null(strstr(words, "One of its pages was loaded again, so whatever it kept in "
                                  "memory is gone. Tab 0 (http://127.0.0.1:1/) did not load: "));
}

/* States of the version before have them, and the record of such a session has none. */
static void refs_go_on_behind_those_of_a_state_that_counts_them(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab,
                   "{'refs':4321,'tabs':[{'url':'http://127.0.0.1:{port}/one','origin':'y'}]}");
    assert_int_equal(tb_cdp_keep_restored(lab->session).last_ref, 5321);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_null(strstr(ops_out(lab), "[ref=e1]"));
    assert_non_null(strstr(ops_out(lab), "[ref=e532"));
    assert_true(lab->op.last_ref > 5321);
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    assert_null(strstr(saved, "\"refs\""));
}

static void what_is_lost_is_said(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/plain");
    ops_goto(lab, "/one");
    ops_ok(lab, TB_OP_FILL, "{'target':'#name','value':'hunter2'}");
    ops_eval(lab, "new Promise(done => { document.querySelector(`#box`).checked = true; "
                  "indexedDB.open(`d`).onsuccess = done })");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    assert_null(strstr(saved, "hunter2"));
    kept_open(lab, saved);
    assert_string_equal(kept_words(lab),
                        "What was typed into 2 fields is lost. What pages kept in IndexedDB is "
                        "lost. The history of the tabs is lost.");
}

static void a_tab_that_cannot_be_loaded_is_said(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab, "{'current':1,'tabs':[{'url':'http://127.0.0.1:1/','origin':"
                        "'http://127.0.0.1:1','local':'[[\\'a\\',\\'b\\']]'},"
                        "{'url':'http://127.0.0.1:{port}/plain','origin':'y'}]}");
    assert_non_null(strstr(kept_words(lab), "Tab 0 (http://127.0.0.1:1/) did not load: "));
    assert_string_equal(title(lab), "\"plain\"");
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    assert_non_null(strstr(saved, "\"url\":\"http://127.0.0.1:1/\""));
    assert_non_null(strstr(saved, "{\"origin\":\"http://127.0.0.1:1\",\"local\""));
}

static void addresses_that_no_agent_may_open_are_refused(void **state)
{
    struct ops_lab *lab = *state;
    kept_open_text(lab,
                   "{'tabs':[{'url':'file:///etc/passwd','origin':'file://'},"
                   "{'url':' CHROME://settings','origin':'x'},{'url':'javascript:1','origin':'x'},"
                   "{'url':'data:text/html,x','origin':'x'},{'url':7,'origin':'x'}],"
                   "'origins':[{'origin':'file:///etc','local':'[]'},"
                   "{'origin':'chrome://version','local':'[[\\'a\\',\\'b\\']]'},{'origin':9}]}");
    assert_int_equal(tb_cdp_session_page_count(lab->session), 5);
    for (size_t i = 0; i < 5; i++) {
        struct tb_cdp_page *page = tb_cdp_session_page_by_index(lab->session, i);
        assert_true(tb_str_eq_cstr(tb_cdp_page_url(page), "about:blank"));
    }
    assert_non_null(strstr(kept_words(lab), "\"file:\" addresses are not allowed"));
    assert_non_null(strstr(kept_words(lab), "\"CHROME:\" addresses are not allowed"));
    ops_goto(lab, "/plain");
}

/* Its databases are not asked for: the refusal would stand in the page's console. */
static void a_page_without_an_origin_gets_no_error_of_ours(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'about:blank'}");
    tb_free(kept_save(lab));
    ops_eval(lab, "new Promise(done => setTimeout(() => requestIdleCallback(done), 100))");
    ops_ok(lab, TB_OP_CONSOLE, "{}");
    assert_int_equal(ops_int(lab, "total"), 0);
}

static void what_is_emulated_stays(void **state)
{
    struct ops_lab *lab = *state;
    static const char look[] =
        "[innerWidth, innerHeight, Intl.NumberFormat().resolvedOptions().locale, matchMedia(`(prefers-color-scheme: dark)`)"
        ".matches].join()";
    ops_ok(lab, TB_OP_EMULATE,
           "{'viewport':{'width':500,'height':400},'locale':'de-DE',"
           "'color_scheme':'dark'}");
    ops_goto(lab, "/plain");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/plain'}", lab->port);
    TB_AUTO(tb_free) char *before = tb_strdup(ops_eval(lab, look));
    TB_AUTO(tb_free) char *saved = kept_save(lab);
    kept_open(lab, saved);
    assert_string_equal(ops_eval(lab, look), before);
    select_tab(lab, 0);
    assert_string_equal(ops_eval(lab, look), before);
    assert_string_equal(before, "\"500,400,de-DE,true\"");
    assert_int_equal(lab->session->use.width, 500);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(everything_comes_back_before_the_first_script_of_the_page),
        OPS_TEST(what_was_brought_back_is_saved_as_it_was),
        OPS_TEST(cookies_of_every_kind_are_the_same_afterwards),
        OPS_TEST(a_cookie_that_the_browser_refuses_costs_only_itself),
        OPS_TEST(storage_may_hold_any_text),
        OPS_TEST(a_sandboxed_page_does_not_make_its_site_forget),
        OPS_TEST(what_pages_change_afterwards_is_not_set_back),
        OPS_TEST(a_page_that_leaves_at_once_finds_what_it_left),
        OPS_TEST(of_two_tabs_the_second_does_not_undo_the_first),
        OPS_TEST(each_of_two_tabs_of_a_site_begins_with_all_of_its_storage),
        OPS_TEST(storage_waits_for_a_site_that_sends_the_tab_away),
        OPS_TEST(that_a_page_was_loaded_is_said_in_any_case),
        OPS_TEST(a_page_that_did_not_load_is_not_said_to_have),
        OPS_TEST(refs_go_on_behind_those_of_a_state_that_counts_them),
        OPS_TEST(what_is_lost_is_said),
        OPS_TEST(a_tab_that_cannot_be_loaded_is_said),
        OPS_TEST(addresses_that_no_agent_may_open_are_refused),
        OPS_TEST(a_page_without_an_origin_gets_no_error_of_ours),
        OPS_TEST(what_is_emulated_stays),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
