/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cdp_lab.h"

static const struct lab_doc docs[] = {
    {"/", NULL,
     "<title>links</title><style>* { display: block; height: 20px; margin: 0 }</style>"
     "<a id=link href=/plain>a</a><a id=fragment href=#x>a</a><a id=empty href=/empty>a</a>"
     "<a id=script href='javascript:void 0'>a</a><a id=mail href=mailto:a@example.org>a</a>"
     "<a id=file href=/file download=x>a</a><a id=dead href=http://127.0.0.1:1/>a</a>"
     "<button id=push onclick=\"history.pushState({}, '', '/pushed')\">b</button>"
     "<button id=set onclick=\"location.href = '/plain'\">b</button>"
     "<button id=nothing onclick=\"this.textContent = 'clicked'\">b</button>"
     "<form action=/plain><button id=submit>b</button></form>"
     "<form action=/plain method=post><button id=post>b</button></form>"
     "<button id=reload onclick='location.reload()'>b</button>"
     "<a id=redirect href=/hop>a</a>"
     "<a id=gone href=/missing>a</a>"
     "<iframe name=in src=/inner style='width: 200px; height: 60px'></iframe>"
     "<a id=inside href=/plain target=in>a</a>"
     "<a id=begins href=/begins>a</a><a id=begun href=/begun>a</a>",
     0},
    {"/plain", NULL, "<title>plain</title>there", 0},
    {"/inner", NULL, "<a id=link href=/plain>a</a>", 0},
    {"/empty", NULL, "", 204},
    {"/file", "application/octet-stream", "bytes", 0},
    {"/begins", NULL, "<title>begins</title><script>location = '/file'</script>", 0},
    {"/begun", NULL,
     "<title>begun</title><script>history.replaceState({}, '', '/begun#x');"
     "location = '/empty'</script>",
     0},
    {"/hop", NULL, "<meta http-equiv=refresh content='0;url=/plain'>", 0},
    {NULL, NULL, NULL, 0},
};

static int open_session(void **state)
{
    return lab_setup_open(state, docs, NULL, NULL);
}

/* Where a page function says that an element is. */
static void point(struct lab_session *session, const char *css, double *ret_x, double *ret_y)
{
    struct lab_answer answer;
    char args[64];
    snprintf(args, sizeof(args), "\"%s\"", css);
    lab_call(session, &answer, "point", args);
    assert_int_equal(sscanf(answer.value, "{\"x\":%lf,\"y\":%lf}", ret_x, ret_y), 2);
}

static void click_and_settle(struct lab_session *session, const char *css,
                             struct lab_answer *answer)
{
    double x;
    double y;
    point(session, css, &x, &y);
    uint64_t mark = tb_cdp_page_navigation_mark(tb_cdp_session_page(session->session));
    lab_click(session, x, y, answer);
    assert_int_equal(answer->code, 0);
    lab_settle(session, mark, "load", answer);
}

static void clicks_settle_exactly_when_what_they_began_is_over(void **state)
{
    static const struct {
        const char *css;
        bool navigated;
        const char *path; /* of the tab afterwards; it must be there at once */
        int code;
    } rows[] = {
        {"#link", true, "/plain", 0},    {"#fragment", true, "/#x", 0},
        {"#empty", false, "/", 0},       {"#script", false, "/", 0},
        {"#mail", false, "/", 0},        {"#file", false, "/", 0},
        {"#push", true, "/pushed", 0},   {"#set", true, "/plain", 0},
        {"#nothing", false, "/", 0},     {"#submit", true, "/plain?", 0},
        {"#post", true, "/plain", 0},    {"#reload", true, "/", 0},
        {"#gone", true, "/missing", 0},  {"#dead", true, NULL, TB_E_NAVIGATION},
        {"#inside", true, "/", 0},       {"#begins", true, "/begins", 0},
        {"#begun", true, "/begun#x", 0},
    };
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_session *session = &setup->session;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < TB_COUNT(rows); i++) {
            struct lab_answer answer;
            lab_goto(session, "127.0.0.1", "/");
            click_and_settle(session, rows[i].css, &answer);
            if (answer.code != rows[i].code || answer.navigated != rows[i].navigated) {
                fail_msg("%s: %d %s %d", rows[i].css, answer.code, answer.words, answer.navigated);
            }
            struct tb_str url = tb_cdp_page_url(tb_cdp_session_page(session->session));
            if (rows[i].path) {
                assert_string_equal(url.ptr + strlen(setup->lab.base), rows[i].path);
                lab_eval(session, &answer, "location.href");
                assert_non_null(strstr(answer.value, url.ptr));
            }
        }
    }
}

static void a_link_inside_a_frame_is_waited_for(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_session *session = &setup->session;
    struct lab_answer answer;
    lab_goto(session, "127.0.0.1", "/");
    click_and_settle(session, "iframe", &answer); /* its link stands at the top left */
    double x;
    double y;
    point(session, "iframe", &x, &y);
    uint64_t mark = tb_cdp_page_navigation_mark(tb_cdp_session_page(session->session));
    lab_click(session, x - 88, y - 14, &answer);
    lab_settle(session, mark, "load", &answer);
    assert_true(answer.navigated);
    lab_eval(session, &answer, "document.querySelector('iframe').contentDocument.title");
    assert_non_null(strstr(answer.value, "plain"));
}

static void a_page_that_never_finishes_ends_the_wait_by_its_deadline(void **state)
{
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_session *session = &setup->session;
    struct lab_answer sent;
    struct lab_answer answer;
    char params[128];
    lab_goto(session, "127.0.0.1", "/");
    struct tb_cdp_page *page = tb_cdp_session_page(session->session);
    uint64_t mark = tb_cdp_page_navigation_mark(page);
    snprintf(params, sizeof(params), "{\"url\":\"%s/held\"}", setup->lab.base);
    lab_begin(session, &sent, "Page.navigate", params);
    LAB_WAIT(&setup->lab, setup->lab.held);
    memset(&answer, 0, sizeof(answer));
    tb_cdp_page_settle(page, mark, "load", tb_loop_now_ms(setup->lab.loop) + 300, lab_on_settled,
                       &answer);
    LAB_WAIT(&setup->lab, answer.done);
    assert_int_equal(answer.code, TB_E_TIMEOUT);
    assert_true(answer.navigated);
    /* And the tab is free for another. */
    tb_cdp_session_forget(session->session, &sent);
    lab_goto(session, "127.0.0.1", "/plain");
}

static void stages_of_loading_come_in_their_order(void **state)
{
    static const char *const stages[] = {"commit", "domcontentloaded", "load", "networkidle"};
    LAB_NEEDS_BROWSER();
    struct lab_setup *setup = *state;
    struct lab_session *session = &setup->session;
    struct tb_cdp_page *page = tb_cdp_session_page(session->session);
    struct lab_answer sent;
    struct lab_answer answers[TB_COUNT(stages)];
    char params[128];
    uint64_t mark = tb_cdp_page_navigation_mark(page);
    snprintf(params, sizeof(params), "{\"url\":\"%s/plain\"}", setup->lab.base);
    lab_begin(session, &sent, "Page.navigate", params);
    LAB_WAIT(&setup->lab, sent.done);
    memset(answers, 0, sizeof(answers));
    for (size_t i = 0; i < TB_COUNT(stages); i++) {
        tb_cdp_page_settle(page, mark, stages[i], lab_deadline(&setup->lab), lab_on_settled,
                           &answers[i]);
    }
    for (size_t i = 0; i < TB_COUNT(stages); i++) {
        LAB_WAIT(&setup->lab, answers[i].done);
        assert_int_equal(answers[i].code, 0);
        assert_true(answers[i].navigated);
        assert_true(i == 0 || answers[i - 1].done);
    }
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clicks_settle_exactly_when_what_they_began_is_over),
        cmocka_unit_test(a_link_inside_a_frame_is_waited_for),
        cmocka_unit_test(a_page_that_never_finishes_ends_the_wait_by_its_deadline),
        cmocka_unit_test(stages_of_loading_come_in_their_order),
    };
    return cmocka_run_group_tests(tests, open_session, lab_setup_close);
}
