/* SPDX-License-Identifier: Apache-2.0 */
/* Navigate, tabs, dialogs on load, and how operations end, with a real browser. */
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

/* The browser tells why only of what it was asked to open. */
static void going_back_to_what_cannot_be_loaded_says_how_to_learn_why(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:6000/'}");
    ops_goto(lab, "/two");
    ops_fails(lab, TB_E_NAVIGATION, TB_OP_NAVIGATE, "{'to':'back'}");
    assert_string_equal(lab->result.message,
                        "http://127.0.0.1:6000/ could not be loaded, and the tab shows an empty "
                        "error page; open that address by its url to learn why");
    ops_goto(lab, "/");
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
            tb_cdp_post(lab->session->browser->peer.conn,
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
        OPS_TEST(going_back_to_what_cannot_be_loaded_says_how_to_learn_why),
        OPS_TEST(a_timeout_says_how_far_it_got),
        OPS_TEST(a_dialog_on_load_is_seen_and_answered),
        OPS_TEST(tabs_are_listed_opened_selected_and_closed),
        OPS_TEST(an_operation_can_be_cancelled_at_any_time),
        OPS_TEST(an_operation_ends_with_its_session),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
