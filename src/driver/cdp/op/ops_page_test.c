/* SPDX-License-Identifier: Apache-2.0 */
/* Screenshots, PDF, emulation, console, network, cookies, storage, login state, downloads, with a
 * real browser. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "driver/cdp/browser/sites.h"
#include "driver/cdp/op/work.h"

#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Page</title><body style='margin:0;background:#fff'>"
             "<div id=box style='width:200px;height:100px;background:#f00'></div>"
             "<div id=empty style='width:0;height:0'></div>"
             "<div style='height:4000px'></div><div id=low style='width:50px;height:50px;"
             "background:#00f'></div>"},
    {.path = "/log",
     .body = "<title>Log</title><script>console.log('plain', 1, {a: 1});"
             "console.warn('careful'); console.error('broken'); console.debug('d');"
             "for (let i = 0; i < 3; i++) console.log('again');"
             "setTimeout(() => { throw new Error('uncaught') })</script>"},
    {.path = "/net",
     .body = "<title>Net</title><script>Promise.all(["
             "fetch('/data.json').then(r => r.text()), fetch('/missing'),"
             "fetch('/data.json?post', {method: 'POST', body: 'a=b'})])"
             ".then(() => document.title = 'loaded')</script>"},
    {.path = "/data.json", .body = "{\"x\":\"\xc3\xa4\"}", .type = "application/json"},
    {.path = "/cookie",
     .body = "<title>Cookie</title>",
     .header = "Set-Cookie",
     .value = "sid=abc; HttpOnly; Path=/; Max-Age=3600"},
    {.path = "/files", .body = "<title>Files</title><a id=a href=/file download>one</a>"},
    {.path = "/file",
     .body = "hello file",
     .type = "application/octet-stream",
     .header = "Content-Disposition",
     .value = "attachment; filename=\"../a b.bin\""},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void check_picture(struct ops_lab *lab, const char *type, const char *magic, int width,
                          int height)
{
    TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(32 << 20);
    assert_string_equal(lab->result.image_type, type);
    assert_int_equal(tb_base64_decode(tb_buf_str(&lab->result.image), &bytes), 0);
    assert_int_equal(memcmp(bytes.data, magic, strlen(magic)), 0);
    assert_int_equal(ops_int(lab, "bytes"), bytes.len);
    assert_int_equal(ops_int(lab, "width"), width);
    assert_int_equal(ops_int(lab, "height"), height);
    assert_string_equal(ops_text(lab, "title"), "Page");
}

static void pictures_have_the_size_and_form_that_was_asked_for(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_SCREENSHOT, "{}");
    check_picture(lab, "image/jpeg", "\xff\xd8\xff", 1280, 720);
    assert_string_equal(ops_text(lab, "scale"), "1");
    ops_ok(lab, TB_OP_SCREENSHOT, "{'format':'png'}");
    check_picture(lab, "image/png", "\x89PNG", 1280, 720);
    ops_ok(lab, TB_OP_SCREENSHOT, "{'format':'webp','quality':50}");
    check_picture(lab, "image/webp", "RIFF", 1280, 720);
    ops_ok(lab, TB_OP_SCREENSHOT, "{'max_px':640}");
    check_picture(lab, "image/jpeg", "\xff\xd8\xff", 640, 360);
    assert_string_equal(ops_text(lab, "scale"), "0.5");
    ops_ok(lab, TB_OP_SCREENSHOT, "{'target':'#box','format':'png'}");
    check_picture(lab, "image/png", "\x89PNG", 200, 100);
    ops_ok(lab, TB_OP_SCREENSHOT, "{'target':'#low','format':'png'}");
    check_picture(lab, "image/png", "\x89PNG", 50, 50);
    ops_ok(lab, TB_OP_SCREENSHOT, "{'full_page':true}");
    assert_int_equal(ops_int(lab, "height"), 1568);
    ops_ok(lab, TB_OP_SCREENSHOT, "{'full_page':true,'max_px':0,'format':'png'}");
    check_picture(lab, "image/png", "\x89PNG", 1280, 4150);
    ops_begin(lab, TB_OP_SCREENSHOT, 1500, "{'target':'#empty'}");
    assert_int_equal(ops_end(lab), TB_E_ELEMENT_NOT_READY);
    assert_string_equal(ops_eval(lab, "innerWidth"), "1280");
}

static void a_page_becomes_a_pdf_in_the_sessions_directory(void **state)
{
    struct ops_lab *lab = *state;
    struct stat info;
    char path[512];
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_PDF, "{'paper':'Letter','landscape':true}");
    assert_string_equal(ops_text(lab, "file"), "page-1.pdf");
    snprintf(path, sizeof(path), "%s", ops_text(lab, "path"));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, ops_int(lab, "bytes"));
    ops_ok(lab, TB_OP_PDF, "{'pages':'1'}");
    assert_string_equal(ops_text(lab, "file"), "page-2.pdf");
    ops_fails(lab, TB_E_PARAMS, TB_OP_PDF, "{'pages':'x-y'}");
    for (int i = 3; i < 1000; i++) {
        snprintf(strrchr(path, '/'), 32, "/page-%d.pdf", i);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
    }
    ops_fails(lab, TB_E_LIMIT, TB_OP_PDF, "{}"); /* and none is replaced */
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 0);
    ops_close(state);
    assert_int_equal(stat(path, &info), -1);
    ops_open(state);
}

static void a_session_pretends_to_be_something_else(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_EMULATE,
           "{'viewport':{'width':500,'height':400,'scale':2},"
           "'color_scheme':'dark','timezone':'Asia/Tokyo','locale':'de-DE'}");
    assert_string_equal(ops_text(lab, "timezone"), "Asia/Tokyo");
    assert_string_equal(
        ops_eval(lab, "[innerWidth, innerHeight, devicePixelRatio, matchMedia(`(prefers-color-"
                      "scheme: dark)`).matches, Intl.DateTimeFormat().resolvedOptions().timeZone,"
                      "(1.5).toLocaleString()]"),
        "[500,400,2,true,\"Asia/Tokyo\",\"1,5\"]");
    ops_ok(lab, TB_OP_SCREENSHOT, "{}");
    check_picture(lab, "image/jpeg", "\xff\xd8\xff", 1000, 800);
    assert_string_equal(ops_text(lab, "scale"), "2");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/'}", lab->port);
    assert_string_equal(ops_eval(lab, "innerWidth"), "500");
    ops_ok(lab, TB_OP_EMULATE, "{'geolocation':{'latitude':48,'longitude':11}}");
    assert_string_equal(ops_eval(lab, "new Promise(r => navigator.geolocation.getCurrentPosition("
                                      "p => r(p.coords.latitude), e => r(e.message)))"),
                        "48");
    ops_ok(lab, TB_OP_EMULATE, "{'offline':true}");
    ops_fails(lab, TB_E_CANNOT_OPEN, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d/'}", lab->port);
    ops_ok(lab, TB_OP_EMULATE, "{'reset':true}");
    ops_goto(lab, "/");
    assert_string_equal(ops_eval(lab, "innerWidth"), "1280");
    ops_ok(lab, TB_OP_EMULATE, "{'device':'Pixel 8'}");
    assert_non_null(strstr(ops_eval(lab, "navigator.userAgent"), "Android"));
    assert_string_equal(ops_eval(lab, "navigator.maxTouchPoints > 0"), "true");
    ops_ok(lab, TB_OP_EMULATE, "{'device':'list'}");
    assert_non_null(strstr(ops_text(lab, "devices"), "iPhone 15"));
    ops_fails(lab, TB_E_PARAMS, TB_OP_EMULATE, "{'device':'Nokia 3310'}");
    assert_non_null(strstr(lab->result.message, "Pixel 8"));
    ops_fails(lab, TB_E_PARAMS, TB_OP_EMULATE, "{'timezone':'Mars/Olympus'}");
}

static void what_pages_log_is_kept(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_CONSOLE, "{}");
    assert_int_equal(ops_int(lab, "total"), 0);
    ops_goto(lab, "/log");
    ops_ok(lab, TB_OP_WAIT, "{'time_ms':50}");
    ops_ok(lab, TB_OP_CONSOLE, "{}");
    assert_int_equal(ops_int(lab, "total"), 5);
    assert_non_null(strstr(ops_text(lab, "messages"), "{\"level\":\"info\",\"text\":\"plain 1 "));
    assert_non_null(strstr(ops_text(lab, "messages"), "\"count\":3"));
    ops_ok(lab, TB_OP_CONSOLE, "{'level':'error','find':'uncaught'}");
    assert_int_equal(ops_int(lab, "total"), 1);
    ops_ok(lab, TB_OP_CONSOLE, "{'level':'debug','limit':1,'clear':true}");
    assert_int_equal(ops_int(lab, "total"), 6);
    ops_ok(lab, TB_OP_CONSOLE, "{'level':'debug'}");
    assert_int_equal(ops_int(lab, "total"), 0);
}

static void requests_are_told_with_their_bodies(void **state)
{
    struct ops_lab *lab = *state;
    ops_ok(lab, TB_OP_NETWORK, "{}");
    assert_string_equal(ops_text(lab, "begins"), "true");
    ops_goto(lab, "/net");
    ops_ok(lab, TB_OP_WAIT, "{'target':'xpath=//title[.=\\'loaded\\']','state':'attached'}");
    ops_ok(lab, TB_OP_NETWORK, "{}");
    assert_int_equal(ops_int(lab, "total"), 4);
    assert_null(tb_json_get(lab->result.data, "begins"));
    ops_ok(lab, TB_OP_NETWORK, "{'failed':true}");
    assert_int_equal(ops_int(lab, "total"), 1);
    assert_non_null(strstr(ops_text(lab, "requests"), "\"status\":404"));
    ops_ok(lab, TB_OP_NETWORK, "{'type':'document'}");
    assert_int_equal(ops_int(lab, "total"), 1);
    ops_ok(lab, TB_OP_NETWORK, "{'id':'r2'}");
    assert_string_equal(ops_out(lab), "{\"x\":\"\xc3\xa4\"}");
    assert_non_null(strstr(ops_text(lab, "request"), "data.json"));
    ops_ok(lab, TB_OP_NETWORK, "{'id':'r4'}");
    ops_fails(lab, TB_E_NOT_FOUND, TB_OP_NETWORK, "{'id':'r99'}");
    ops_fails(lab, TB_E_NOT_FOUND, TB_OP_NETWORK, "{'id':'zz'}");
}

static void cookies_are_listed_set_and_deleted(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cookie");
    ops_ok(lab, TB_OP_COOKIES, "{}");
    assert_non_null(strstr(ops_text(lab, "cookies"), "\"name\":\"sid\",\"value\":\"abc\""));
    assert_non_null(strstr(ops_text(lab, "cookies"), "\"http_only\":true"));
    ops_ok(lab, TB_OP_COOKIES, "{'action':'set','name':'a','value':'b','same_site':'Lax'}");
    assert_int_equal(ops_int(lab, "changed"), 1);
    assert_string_equal(ops_eval(lab, "document.cookie"), "\"a=b\"");
    ops_ok(lab, TB_OP_COOKIES, "{'action':'delete','name':'sid'}");
    assert_int_equal(ops_int(lab, "changed"), 1);
    ops_ok(lab, TB_OP_COOKIES, "{'action':'set','name':'c','value':'d','domain':'example.com'}");
    ops_ok(lab, TB_OP_COOKIES, "{'domain':'example.com'}");
    assert_non_null(strstr(ops_text(lab, "cookies"), "\"name\":\"c\""));
    ops_ok(lab, TB_OP_COOKIES, "{'action':'clear'}");
    assert_int_equal(ops_int(lab, "changed"), 2);
    ops_ok(lab, TB_OP_COOKIES, "{}");
    assert_string_equal(ops_text(lab, "cookies"), "[]");
    ops_fails(lab, TB_E_PARAMS, TB_OP_COOKIES, "{'action':'set','name':'a'}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_COOKIES, "{'action':'delete'}");
}

static void storage_is_read_and_written(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_STORAGE, "{'action':'set','key':'k','value':'v \xc3\xa4'}");
    assert_int_equal(ops_int(lab, "changed"), 1);
    assert_string_equal(ops_eval(lab, "localStorage.k"), "\"v \xc3\xa4\"");
    ops_ok(lab, TB_OP_STORAGE, "{}");
    assert_string_equal(ops_text(lab, "items"), "{\"k\":\"v \xc3\xa4\"}");
    ops_ok(lab, TB_OP_STORAGE, "{'area':'session'}");
    assert_string_equal(ops_text(lab, "items"), "{}");
    ops_ok(lab, TB_OP_STORAGE, "{'action':'remove','key':'k'}");
    assert_int_equal(ops_int(lab, "changed"), 1);
    ops_ok(lab, TB_OP_STORAGE, "{'action':'clear'}");
    assert_int_equal(ops_int(lab, "changed"), 0);
    ops_fails(lab, TB_E_PARAMS, TB_OP_STORAGE, "{'action':'set','key':'k'}");
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'about:blank'}");
    ops_fails(lab, TB_E_NOT_POSSIBLE, TB_OP_STORAGE, "{}");
}

static void a_login_state_goes_from_one_session_to_another(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cookie");
    ops_eval(lab, "localStorage.token = 123");
    ops_ok(lab, TB_OP_STATE, "{'action':'save','name':'me'}");
    assert_int_equal(ops_int(lab, "cookies"), 1);
    assert_int_equal(ops_int(lab, "origins"), 1);
    ops_close(state);
    ops_open(state);
    ops_fails(lab, TB_E_STATE_NOT_FOUND, TB_OP_STATE, "{'action':'load','name':'nobody'}");
    assert_string_equal(lab->result.message, "no state is saved as \"nobody\"; saved are: me");
    ops_fails(lab, TB_E_PARAMS, TB_OP_STATE, "{'action':'load','name':'../me'}");
    ops_ok(lab, TB_OP_STATE, "{'action':'load','name':'me'}");
    assert_int_equal(ops_int(lab, "origins"), 1);
    assert_int_equal(tb_cdp_session_page_count(lab->session), 1);
    ops_goto(lab, "/");
    assert_string_equal(ops_eval(lab, "localStorage.token"), "\"123\"");
    ops_ok(lab, TB_OP_COOKIES, "{}");
    assert_non_null(strstr(ops_text(lab, "cookies"), "\"value\":\"abc\""));
}

/* One has no room left, and one cannot be opened. */
static void only_origins_that_were_set_are_counted(void **state)
{
    struct ops_lab *lab = *state;
    static const struct tb_str items = TB_STR("\"[[\\\"a\\\",\\\"b\\\"]]\"");
    char origin[64];
    snprintf(origin, sizeof(origin), "http://127.0.0.1:%d", lab->port);
    tb_cdp_sites_put(&lab->session->sites, tb_str_of(origin), items);
    tb_cdp_sites_put(&lab->session->sites, TB_STR("http://[bad"), items);
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://localhost:%d/'}", lab->port);
    ops_eval(lab, "localStorage.big = `x`.repeat(3000000), 0");
    ops_ok(lab, TB_OP_STATE, "{'action':'save','name':'more'}");
    assert_int_equal(ops_int(lab, "origins"), 3);
    ops_eval(lab, "localStorage.clear(), localStorage.other = `y`.repeat(4000000), 0");
    ops_ok(lab, TB_OP_STATE, "{'action':'load','name':'more'}");
    assert_int_equal(ops_int(lab, "origins"), 1);
    assert_string_equal(ops_eval(lab, "localStorage.length"), "1");
    ops_goto(lab, "/");
    assert_string_equal(ops_eval(lab, "localStorage.a"), "\"b\"");
}

/* Not even a tab that answers all requests by itself. */
static void a_login_state_that_is_cancelled_leaves_nothing_behind(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cookie");
    ops_eval(lab, "localStorage.token = 123");
    ops_ok(lab, TB_OP_STATE, "{'action':'save','name':'me'}");
    const struct tb_cdp_page *home = tb_cdp_session_page(lab->session);
    ops_begin(lab, TB_OP_STATE, OPS_MS, "{'action':'load','name':'me'}");
    struct tb_cdp_work *work = lab->op.driver_state;
    OPS_WAIT(lab, tb_cdp_work_page(work) != home);
    lab->op.cancel(&lab->op);
    assert_int_equal(ops_end(lab), TB_E_CANCELLED);
    assert_ptr_equal(tb_cdp_session_page(lab->session), home);
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1);
    ops_goto(lab, "/");
}

static void cancel_early(struct ops_lab *lab, enum tb_op_kind kind, const char *args, int turns)
{
    const struct tb_cdp_page *home = tb_cdp_session_page(lab->session);
    ops_begin(lab, kind, OPS_MS, args);
    for (int turn = 0; turn < turns && tb_cdp_session_page_count(lab->session) == 1; turn++) {
        tb_loop_turn(lab->loop, true);
    }
    assert_ptr_equal(tb_cdp_session_page(lab->session), home);
    lab->op.cancel(&lab->op);
    assert_int_equal(ops_end(lab), TB_E_CANCELLED);
    /* What it has asked for comes before this. */
    ops_ok(lab, TB_OP_WAIT, "{'time_ms':300}");
    assert_ptr_equal(tb_cdp_session_page(lab->session), home);
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1);
}

/* The browser makes it all the same. */
static void a_tab_that_nobody_waits_for_any_more_is_closed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/cookie");
    ops_eval(lab, "localStorage.token = 123");
    ops_ok(lab, TB_OP_STATE, "{'action':'save','name':'me'}");
    for (int turns = 0; turns < 6; turns++) {
        cancel_early(lab, TB_OP_STATE, "{'action':'load','name':'me'}", turns);
        cancel_early(lab, TB_OP_TABS, "{'action':'new'}", turns);
    }
    assert_string_equal(ops_eval(lab, "document.visibilityState"), "\"visible\"");
    ops_ok(lab, TB_OP_STATE, "{'action':'load','name':'me'}");
    assert_int_equal(tb_cdp_session_page_count(lab->session), 1);
}

static void a_tab_that_is_wanted_is_told_from_one_that_is_not(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    const struct tb_cdp_page *home = tb_cdp_session_page(lab->session);
    ops_begin(lab, TB_OP_TABS, OPS_MS, "{'action':'new'}");
    lab->op.cancel(&lab->op);
    assert_int_equal(ops_end(lab), TB_E_CANCELLED);
    ops_ok(lab, TB_OP_TABS, "{'action':'new'}");
    const struct tb_cdp_page *wanted = tb_cdp_session_page(lab->session);
    assert_ptr_not_equal(wanted, home);
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 2);
    ops_ok(lab, TB_OP_WAIT, "{'time_ms':300}");
    assert_ptr_equal(tb_cdp_session_page(lab->session), wanted);
    assert_int_equal(tb_cdp_session_page_count(lab->session), 2);
}

static void a_tab_that_comes_too_late_is_closed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    const struct tb_cdp_page *home = tb_cdp_session_page(lab->session);
    ops_begin(lab, TB_OP_TABS, 1, "{'action':'new'}");
    assert_int_equal(ops_end(lab), TB_E_TIMEOUT);
    ops_ok(lab, TB_OP_WAIT, "{'time_ms':300}");
    assert_ptr_equal(tb_cdp_session_page(lab->session), home);
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1);
}

/* The disk's fault is not told as one of ours. */
static void a_state_that_cannot_be_written_is_not_stored(void **state)
{
    struct ops_lab *lab = *state;
    char path[160];
    ops_ok(lab, TB_OP_STATE, "{'action':'save','name':'me'}");
    snprintf(path, sizeof(path), "%s/logins/default/taken.sealed", lab->state_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    ops_fails(lab, TB_E_STORE, TB_OP_STATE, "{'action':'save','name':'taken'}");
    assert_non_null(strstr(lab->result.message, "cannot write the state to disk: "));
}

static void downloads_are_kept_under_safe_names(void **state)
{
    struct ops_lab *lab = *state;
    struct stat info;
    ops_goto(lab, "/files");
    ops_ok(lab, TB_OP_DOWNLOADS, "{}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#a'}");
    ops_ok(lab, TB_OP_DOWNLOADS, "{'wait':true}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#a'}");
    ops_ok(lab, TB_OP_DOWNLOADS, "{'wait':true}");
    const struct cJSON *list = tb_json_get(lab->result.data, "downloads");
    int done = 0;
    JSON_ARRAY_FOREACH(item, list) {
        struct tb_str state_word = {NULL, 0};
        struct tb_str path = {NULL, 0};
        tb_json_str(tb_json_get(item, "state"), &state_word);
        if (tb_str_eq_cstr(state_word, "done")) {
            done++;
            assert_true(tb_json_str(tb_json_get(item, "path"), &path));
            assert_int_equal(stat(path.ptr, &info), 0);
            assert_int_equal(info.st_size, 10);
        }
    }
    if (done != 2) {
        fail_msg("%s", ops_text(lab, "downloads"));
    }
    assert_non_null(strstr(ops_text(lab, "downloads"), "\"file\":\"_a b (2).bin\""));
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(pictures_have_the_size_and_form_that_was_asked_for),
        OPS_TEST(a_page_becomes_a_pdf_in_the_sessions_directory),
        OPS_TEST(a_session_pretends_to_be_something_else),
        OPS_TEST(what_pages_log_is_kept),
        OPS_TEST(requests_are_told_with_their_bodies),
        OPS_TEST(cookies_are_listed_set_and_deleted),
        OPS_TEST(storage_is_read_and_written),
        OPS_TEST(a_login_state_goes_from_one_session_to_another),
        OPS_TEST(only_origins_that_were_set_are_counted),
        OPS_TEST(a_login_state_that_is_cancelled_leaves_nothing_behind),
        OPS_TEST(a_tab_that_nobody_waits_for_any_more_is_closed),
        OPS_TEST(a_tab_that_is_wanted_is_told_from_one_that_is_not),
        OPS_TEST(a_tab_that_comes_too_late_is_closed),
        OPS_TEST(a_state_that_cannot_be_written_is_not_stored),
        OPS_TEST(downloads_are_kept_under_safe_names),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
