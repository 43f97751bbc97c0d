/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent is told is what happened: scripts run once, waits use their time, a page's own work
 * is left alone, and an address that gives no page is told as that. With a real browser. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Home</title><h1>Welcome</h1><a href=/two>Two</a><script>"
             "function work(ms) { const end = performance.now() + ms;"
             "while (performance.now() < end); }</script>"},
    {.path = "/two", .body = "<title>Two</title>"},
    /* Nothing is kept of it, so that the way back asks the server. */
    {.path = "/fresh",
     .body = "<title>Fresh</title>",
     .header = "Cache-Control",
     .value = "no-store"},
    {.path = "/trap",
     .body = "<title>Trap</title><button id=b onclick=\"for (;;) alert('again')\">x</button>"
             "<button id=once onclick=\"document.title = confirm('sure?')\">x</button>"},
    {.path = "/login",
     .body =
         "<title>Login</title><form action=/denied><input id=pw><button id=b>Go</button></form>"
         "<a id=two href=/two>Two</a><button id=push onclick=\"history.pushState(0, '', '?x')\">"
         "Push</button>"},
    {.path = "/denied", .body = "<title>Denied</title><a id=two href=/two>x</a>", .status = 401},
    {.path = "/pay", .body = "no JSON"},
    {.path = "/data.json", .body = "{\"x\":7}", .type = "application/json"},
    {.path = NULL},
};

static const struct ops_doc nothing[] = {
    {.path = "/", .status = 204},
    {.path = "/fresh", .status = 204},
    {.path = "/two", .body = "<title>Two</title>"},
    {.path = NULL},
};

static const struct ops_doc files[] = {
    {.path = "/",
     .body = "hello",
     .type = "application/octet-stream",
     .header = "Content-Disposition",
     .value = "attachment; filename=a.bin"},
    {.path = "/fresh",
     .body = "hello",
     .type = "application/octet-stream",
     .header = "Content-Disposition",
     .value = "attachment; filename=b.bin"},
    {.path = "/two", .body = "<title>Two</title>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static size_t visits(const struct ops_lab *lab, const char *path)
{
    size_t count = 0;
    struct tb_str rest = tb_buf_str(&lab->visits);
    while (rest.len) {
        count += tb_str_eq_cstr(tb_str_cut(&rest, '\n'), path);
    }
    return count;
}

static void a_reload_that_leads_to_no_page_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    lab->docs = nothing;
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'to':'reload'}");
    assert_non_null(strstr(lab->result.message, "no page (such as 204 No Content"));
    assert_non_null(strstr(lab->result.message, "still http://127.0.0.1"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
    lab->docs = files;
    ops_fails(lab, TB_E_DOWNLOAD_REFUSED, TB_OP_NAVIGATE, "{'to':'reload'}");
    assert_non_null(strstr(lab->result.message, "is a download, not a page"));
    assert_non_null(strstr(ops_text(lab, "downloads"), "a.bin"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
    lab->docs = docs;
    ops_ok(lab, TB_OP_NAVIGATE, "{'to':'reload'}");
}

static void the_status_of_an_error_page_that_an_act_led_to_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/login");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#b'}");
    assert_string_equal(ops_text(lab, "title"), "Denied");
    assert_int_equal(ops_int(lab, "status"), 401);
    ops_ok(lab, TB_OP_CLICK, "{'target':'#two'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    assert_string_equal(ops_text(lab, "status"), "");
    ops_goto(lab, "/login");
    ops_ok(lab, TB_OP_FILL, "{'target':'#pw','value':'x','submit':true}");
    assert_int_equal(ops_int(lab, "status"), 401);
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'document.title'}");
    assert_string_equal(ops_text(lab, "status"), "");
    ops_goto(lab, "/login");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#push'}");
    assert_string_equal(ops_text(lab, "navigated"), "true");
    assert_string_equal(ops_text(lab, "status"), "");
}

static void a_step_back_that_leads_to_no_page_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/fresh");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/two'}", lab->port);
    lab->docs = nothing;
    int code = ops_run(lab, TB_OP_NAVIGATE, "{'to':'back'}");
    lab->docs = docs;
    assert_int_equal(code, TB_E_CANNOT_OPEN);
    assert_non_null(strstr(lab->result.message, "no page (such as 204 No Content"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Two\"");
    ops_goto(lab, "/fresh");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/two'}", lab->port);
    lab->docs = files;
    code = ops_run(lab, TB_OP_NAVIGATE, "{'to':'back'}");
    lab->docs = docs;
    assert_int_equal(code, TB_E_DOWNLOAD_REFUSED);
    assert_non_null(strstr(lab->result.message, "is a download, not a page"));
    assert_non_null(strstr(ops_text(lab, "downloads"), "b.bin"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Two\"");
}

static void a_script_runs_once_whatever_it_fails_with(void **state)
{
#define PAY  "fetch(`/pay`, {method: `POST`, keepalive: true})"
#define BARE "Error.stackTraceLimit = 0; throw Object.assign(new SyntaxError("
    static const char *const scripts[] = {
        PAY ".then(r => r.json())",
        "const r = await " PAY "; await r.json()",
        "return (await " PAY ").json()",
        "(n => { " PAY "; " BARE "`x`), {stack: ``}) })()",
        "if (1) { " PAY "; " BARE "`Illegal return statement`), {stack: ``}) }",
        "if (1) { " PAY "; throw SyntaxError(`Illegal return statement`) }",
        "if (1) { " PAY "; eval(`return 1`) }",
        "if (1) { " PAY "; setTimeout = null; eval(`(`) }",
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < 2 * TB_COUNT(scripts); i++) {
        lab->visits.len = 0;
        ops_fails(lab, TB_E_SCRIPT, TB_OP_EVALUATE, "{'script':'%s'%s}", scripts[i / 2],
                  i % 2 ? ",'target':'h1'" : "");
        assert_non_null(strstr(lab->result.message, "SyntaxError"));
        OPS_WAIT(lab, visits(lab, "/pay") > 0);
        assert_string_equal(ops_eval(lab, "fetch(`/two`).then(() => 1)"), "1");
        assert_int_equal(visits(lab, "/pay"), 1);
    }
}

static void a_target_of_any_length_is_found_or_told(void **state)
{
    struct ops_lab *lab = *state;
    char target[4096] = "h1";
    ops_goto(lab, "/");
    for (size_t len = 2; len + 8 < sizeof(target); len += 8) {
        memcpy(target + len, ":not(h2)", 9);
        if (len == 26 || len == 66 || len + 16 >= sizeof(target)) {
            ops_ok(lab, TB_OP_EVALUATE, "{'script':'e => e.tagName','target':'%s'}", target);
            assert_string_equal(ops_out(lab), "\"H1\"");
        }
    }
    target[1] = '6';
    ops_fails(lab, TB_E_ELEMENT_NOT_FOUND, TB_OP_EVALUATE, "{'script':'1','target':'%s'}", target);
}

static void statements_give_the_value_of_the_last_one(void **state)
{
    static const struct {
        const char *script;
        const char *value;
    } rows[] = {
        {"const r = await fetch(`/data.json`); (await r.json()).x", "7"},
        {"const r = await fetch(`/data.json`); r.json()", "{\"x\":7}"},
        {"let a = 2; a = a + 1; Promise.resolve({a})", "{\"a\":3}"},
        {"1; document.querySelector(`h1`)", "\"<h1>Welcome</h1>\""},
        {"var f = () => 5; f", "\"() => 5\""},
        {"let n = 10n; n", "\"10n\""},
        {"const u = undefined; u", "null"},
        {"await Promise.resolve(4)", "4"},
        {"if (true) 8; else 9", "8"},
        {"// first\\nconst z = 3\\nz * 2", "6"},
        {"return 3", "3"},
        {"const x = await 1; return x + 1", "2"},
        {"{a: 1}", "{\"a\":1}"},
        {"() => document.title", "\"Home\""},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_ok(lab, TB_OP_EVALUATE, "{'script':'%s'}", rows[i].script);
        if (strcmp(ops_out(lab), rows[i].value) != 0) {
            fail_msg("%s: %s", rows[i].script, ops_out(lab));
        }
        assert_string_equal(ops_text(lab, "title"), "Home");
    }
}

static void nodes_are_shown_by_their_markup(void **state)
{
    static const struct {
        const char *script;
        const char *value;
    } rows[] = {
        {"document.querySelector(`h1`)", "\"<h1>Welcome</h1>\""},
        {"document.querySelector(`h1`).firstChild", "\"Welcome\""},
        {"document.querySelectorAll(`h1, a`)",
         "[\"<h1>Welcome</h1>\",\"<a href=\\\"/two\\\">Two</a>\"]"},
        {"[...document.links, 5]", "[\"<a href=\\\"/two\\\">Two</a>\",5]"},
        {"document.getElementsByTagName(`b`)", "[]"},
        {"return document.querySelector(`h1`)", "\"<h1>Welcome</h1>\""},
        {"var list = document.links; list", "[\"<a href=\\\"/two\\\">Two</a>\"]"},
        {"[1, null, {a: [2]}]", "[1,null,{\"a\":[2]}]"},
        {"({length: 2, item: 3})", "{\"length\":2,\"item\":3}"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_ok(lab, TB_OP_EVALUATE, "{'script':'%s'}", rows[i].script);
        if (strcmp(ops_out(lab), rows[i].value) != 0) {
            fail_msg("%s: %s", rows[i].script, ops_out(lab));
        }
    }
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'el => el','target':'h1'}");
    assert_string_equal(ops_out(lab), "\"<h1>Welcome</h1>\"");
    ops_eval(lab, "document.body.innerHTML = `<p>long</p>`.repeat(150)");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'document.body'}");
    assert_true(tb_str_starts(tb_str_of(ops_out(lab)), TB_STR("\"<body><p>long</p><p>")));
    assert_non_null(strstr(ops_out(lab), "… (cut, 1663 characters)\""));
    ops_eval(lab, "document.body.innerHTML = `x` + `\xf0\x9f\x98\x80`.repeat(300)"); /* pairs */
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'document.body'}");
    assert_non_null(strstr(ops_out(lab), "\xf0\x9f\x98\x80… (cut"));
    ops_eval(lab, "document.body.innerHTML = `<p>long</p>`.repeat(150)");
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'document.querySelectorAll(`p`)'}");
    assert_non_null(strstr(ops_out(lab), "\"<p>long</p>\",\"… and 50 more\"]"));
}

static void what_is_thrown_is_told_in_quotes(void **state)
{
    static const struct {
        const char *script;
        const char *words;
    } rows[] = {
        {"Promise.reject({code: 5, why: `x`})", "its promise was rejected: \"{code: 5, why: x}\""},
        {"throw {a: 1}", "\"{a: 1}\" (line 1)"},
        {"Promise.reject(`no`)", "its promise was rejected: \"no\""},
        {"Promise.reject()", "its promise was rejected: \"undefined\""},
        {"throw null", "\"null\" (line 1)"},
        {"throw new Error(`a\\\" b\\\\nc`)", "\"Error: a\\\" b\\nc\" (line 1)"},
        {"const a = 1; a(", "\"SyntaxError: "},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_fails(lab, TB_E_SCRIPT, TB_OP_EVALUATE, "{'script':'%s'}", rows[i].script);
        if (!tb_str_starts(tb_str_of(lab->result.message), tb_str_of(rows[i].words))) {
            fail_msg("%s: %s", rows[i].script, lab->result.message);
        }
    }
}

/* The page works for longer than the call may wait, and ends what it began. */
static void a_call_that_cannot_wait_leaves_the_page_its_work(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {
        {TB_OP_SNAPSHOT, "{}"},
        {TB_OP_EVALUATE, "{'script':'document.title'}"},
        {TB_OP_EXTRACT, "{'target':'h1'}"},
        {TB_OP_CLICK, "{'target':'h1'}"},
    };
    struct ops_lab *lab = *state;
    size_t late = 0;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        lab->visits.len = 0;
        ops_eval(lab,
                 "document.title = `Home`, setTimeout(() => { const ask = new XMLHttpRequest();"
                 "ask.open(`GET`, `/busy`, false); ask.send(); work(1500);"
                 "document.title = `Done` })");
        OPS_WAIT(lab, visits(lab, "/busy"));
        ops_begin(lab, rows[i].kind, 100, rows[i].args);
        late += ops_end(lab) == TB_E_TIMEOUT;
        assert_string_equal(ops_eval(lab, "document.title"), "\"Done\"");
    }
    assert_true(late > 1); /* on a busy machine one may come when the work is over */
}

static void a_loop_of_the_callers_is_stopped(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_begin(lab, TB_OP_EVALUATE, 200, "{'script':'for (;;);'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    assert_string_equal(ops_eval(lab, "1"), "1");
    ops_begin(lab, TB_OP_EVALUATE, 300, "{'script':'e => { for (;;); }','target':'h1'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    assert_string_equal(ops_eval(lab, "2"), "2");
    /* What comes after a wait is like the page's own work; leaving the page ends it. */
    ops_begin(lab, TB_OP_EVALUATE, 200, "{'script':'await 1; for (;;);'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    ops_goto(lab, "/two");
    assert_string_equal(ops_eval(lab, "3"), "3");
}

/* A script that waits behind the page's own work is cancelled, and so is one that loops. */
static void what_is_cancelled_is_the_callers_script(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_eval(lab, "function busy(ms) { ask(`/busy`); work(ms);"
                  "document.title = document.querySelector(`h1`).textContent = `Done` };"
                  "function ask(url) { const x = new XMLHttpRequest(); x.open(`GET`, url, false);"
                  "x.send() }");
    for (int i = 0; i < 2; i++) {
        lab->visits.len = 0;
        ops_eval(lab, "document.title = `Home`, setTimeout(busy, 50, 1500)");
        OPS_WAIT(lab, visits(lab, "/busy"));
        ops_begin(lab, TB_OP_EVALUATE, OPS_MS,
                  i ? "{'script':'e => 1','target':'h1'}" : "{'script':'1'}");
        tb_loop_turn(lab->loop, false);
        lab->op.cancel(&lab->op);
        assert_int_equal(ops_end(lab), TB_E_CANCELLED);
        assert_string_equal(ops_eval(lab, "document.title"), "\"Done\"");
    }
    for (int i = 0; i < 2; i++) {
        lab->visits.len = 0;
        ops_begin(lab, TB_OP_EVALUATE, INT64_C(10) * OPS_MS,
                  i ? "{'script':'e => { ask(`/spin`); for (;;); }','target':'h1'}"
                    : "{'script':'ask(`/spin`); for (;;);'}");
        OPS_WAIT(lab, visits(lab, "/spin"));
        lab->op.cancel(&lab->op);
        assert_int_equal(ops_end(lab), TB_E_CANCELLED);
        assert_string_equal(ops_eval(lab, "1"), "1");
    }
    /* One that only awaits is left to itself at its deadline. */
    ops_begin(
        lab, TB_OP_EVALUATE, 200,
        "{'script':'e => new Promise(() => { e.textContent = ``; setTimeout(busy, 1500, 700) })',"
        "'target':'h1'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    ops_ok(lab, TB_OP_WAIT, "{'text':'Done'}");
}

/* All of it, and not much more. */
static void a_wait_uses_the_time_it_was_given(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {
        {TB_OP_WAIT, "{'target':'#none'}"},
        {TB_OP_CLICK, "{'target':'#none'}"},
        {TB_OP_WAIT, "{'time_ms':60000}"},
        {TB_OP_EVALUATE, "{'script':'new Promise(() => 0)'}"},
        {TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/held'}"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char args[128];
        snprintf(args, sizeof(args), rows[i].args, lab->port);
        int64_t began_ms = tb_loop_now_ms(lab->loop);
        ops_begin(lab, rows[i].kind, 300, args);
        struct tb_timer timer;
        bool late = false;
        tb_timer_init(&timer, lab->loop, ops_late, &late);
        tb_timer_start(&timer, 300); /* as core does */
        while (!late && !lab->dones) {
            tb_loop_turn(lab->loop, true);
        }
        tb_timer_fini(&timer);
        if (!lab->dones) {
            lab->op.cancel(&lab->op);
        }
        assert_true(ops_end(lab) < 0);
        int64_t took_ms = tb_loop_now_ms(lab->loop) - began_ms;
        if (took_ms < 300 || took_ms > 1600) {
            fail_msg("%s %s: %lld ms", tb_op_name(rows[i].kind), args, (long long)took_ms);
        }
    }
}

static void the_viewport_of_the_start_stays(void **state)
{
    struct ops_lab *lab = *state;
    TB_AUTO(tb_json_free)
    struct cJSON *start = tb_json_parse(TB_STR("{\"viewport\":{\"width\":500,\"height\":400}}"));
    ops_close(state);
    lab->start = start;
    ops_open(state);
    lab->start = NULL;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EMULATE, "{'color_scheme':'dark'}");
    ops_ok(lab, TB_OP_TABS, "{'action':'new'}");
    assert_string_equal(ops_eval(lab, "innerWidth"), "500");
    ops_ok(lab, TB_OP_EMULATE, "{'viewport':{'width':700,'height':300}}");
    assert_string_equal(ops_eval(lab, "innerWidth"), "700");
    ops_ok(lab, TB_OP_EMULATE, "{'reset':true}");
    assert_string_equal(ops_eval(lab, "[innerWidth, innerHeight]"), "[500,400]");
}

/* Whatever the moment, it is done or told as something to try again. */
static void storage_of_a_page_that_navigates_is_read(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (int i = 0; i < 20; i++) {
        ops_eval(lab, "setTimeout(() => location.reload()); localStorage.a = `b`");
        ops_ok(lab, TB_OP_STORAGE, "{'key':'a'}");
        assert_string_equal(ops_text(lab, "items"), "{\"a\":\"b\"}");
        ops_eval(lab, "setTimeout(() => location.reload()); 1");
        int code = ops_run(lab, TB_OP_STORAGE, "{'action':'set','key':'a','value':'c'}");
        assert_true(code == 0 || code == TB_E_ELEMENT_STALE);
    }
}

static void a_page_with_dialogs_can_be_left(void **state)
{
    static const struct {
        enum tb_op_kind kind;
        const char *args;
    } rows[] = {
        {TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/two'}"},
        {TB_OP_NAVIGATE, "{'to':'reload'}"},
        {TB_OP_NAVIGATE, "{'to':'back'}"},
        {TB_OP_TABS, "{'action':'close'}"},
        {TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/two'}"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        for (int endless = 0; endless < 2; endless++) {
            char args[128];
            snprintf(args, sizeof(args), rows[i].args, lab->port);
            ops_goto(lab, "/trap");
            ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", endless ? "#b" : "#once");
            assert_non_null(strstr(ops_text(lab, "dialog"), endless ? "again" : "sure?"));
            ops_ok(lab, rows[i].kind, "%s", args);
            assert_non_null(strstr(ops_text(lab, "dialogs_answered"), endless ? "again" : "sure?"));
            assert_string_equal(ops_eval(lab, "6 * 7"), "42");
        }
    }
    /* What the new page asks is its own. */
    ops_goto(lab, "/trap");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#once'}");
    assert_non_null(strstr(ops_text(lab, "dialog"), "sure?"));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    assert_string_equal(ops_text(lab, "title"), "true");
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_reload_that_leads_to_no_page_is_told),
        OPS_TEST(the_status_of_an_error_page_that_an_act_led_to_is_told),
        OPS_TEST(a_step_back_that_leads_to_no_page_is_told),
        OPS_TEST(a_script_runs_once_whatever_it_fails_with),
        OPS_TEST(a_target_of_any_length_is_found_or_told),
        OPS_TEST(statements_give_the_value_of_the_last_one),
        OPS_TEST(nodes_are_shown_by_their_markup),
        OPS_TEST(what_is_thrown_is_told_in_quotes),
        OPS_TEST(a_call_that_cannot_wait_leaves_the_page_its_work),
        OPS_TEST(a_loop_of_the_callers_is_stopped),
        OPS_TEST(what_is_cancelled_is_the_callers_script),
        OPS_TEST(a_wait_uses_the_time_it_was_given),
        OPS_TEST(a_page_with_dialogs_can_be_left),
        OPS_TEST(the_viewport_of_the_start_stays),
        OPS_TEST(storage_of_a_page_that_navigates_is_read),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
