/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/browser.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "driver/cdp/browser/helpers.h"

#include "support/cdp_lab.h"

static const struct lab_doc docs[] = {
    {"/", NULL, "<title>first</title><p>hello", 0},
    {"/cookie", NULL, "<script>document.cookie = 'owner=' + location.hash.slice(1)</script>", 0},
    {NULL, NULL, NULL, 0},
};

static struct tb_cdp_browser *browser_of(struct lab_session *session)
{
    assert_non_null(session->session->browser);
    return session->session->browser;
}

static void a_page_function_is_called_in_a_new_session(void **state)
{
    struct lab lab;
    struct lab_session session;
    struct lab_answer answer;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    lab_goto(&session, "127.0.0.1", "/");
    lab_call(&session, &answer, "describe", "");
    assert_int_equal(answer.code, 0);
    assert_non_null(strstr(answer.value, "\"title\":\"first\""));
    lab_eval(&session, &answer, "[innerWidth, innerHeight].join()");
    assert_non_null(strstr(answer.value, "\"1280,720\""));
    lab_close(&session);
    lab_fini(&lab);
}

static void the_page_cannot_see_our_functions(void **state)
{
    struct lab lab;
    struct lab_session session;
    struct lab_answer answer;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    lab_goto(&session, "127.0.0.1", "/");
    lab_eval(&session, &answer, "typeof tabard");
    assert_non_null(strstr(answer.value, "\"undefined\""));
    lab_close(&session);
    lab_fini(&lab);
}

static void the_wishes_of_a_session_are_heard(void **state)
{
    static const struct {
        const char *args;
        const char *size; /* of the viewport, as a part of JSON; NULL: it is refused */
        int code;
    } rows[] = {
        {"{\"viewport\":{\"width\":800,\"height\":600}}", "\"800,600\"", 0},
        {"{\"viewport\":\"390x844\"}", "\"390,844\"", 0},
        {"{\"viewport\":\"wide\"}", NULL, TB_E_PARAMS},
        {"{\"viewport\":{\"width\":0,\"height\":600}}", NULL, TB_E_PARAMS},
        {"{\"endpoint\":\"http://x\"}", NULL, TB_E_PARAMS},
        {"{\"engine\":\"gecko\"}", NULL, TB_E_PARAMS},
        {"{\"engine\":\"shell\",\"headless\":false}", NULL, TB_E_PARAMS},
    };
    struct lab lab;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct lab_session session;
        struct lab_answer answer;
        lab_start(&lab, &session, "default", rows[i].args);
        LAB_WAIT(&lab, session.opened);
        assert_int_equal(session.err.code, rows[i].code);
        assert_int_equal(session.session == NULL, rows[i].size == NULL);
        if (rows[i].size) {
            lab_eval(&session, &answer, "[innerWidth, innerHeight].join()");
            assert_non_null(strstr(answer.value, rows[i].size));
            lab_close(&session);
        }
    }
    lab_fini(&lab);
}

static void renderers_run_in_the_sandbox_as_another_user(void **state)
{
    struct lab lab;
    struct lab_session session;
    pid_t pids[16];
    char text[4096];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    lab_goto(&session, "127.0.0.1", "/");
    pid_t leader = tb_launch_pid(browser_of(&session)->launch);
    size_t count = lab_group(leader, "--type=renderer", pids, TB_COUNT(pids));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        lab_read_proc(pids[i], "status", text, sizeof(text));
        assert_non_null(strstr(text, "\nSeccomp:\t2"));
        assert_non_null(strstr(text, "\nNoNewPrivs:\t1"));
        assert_null(strstr(text, "\nUid:\t0\t"));
    }
    lab_close(&session);
    lab_fini(&lab);
}

static void two_sessions_share_a_process_and_no_cookies(void **state)
{
    struct lab lab;
    struct lab_session a;
    struct lab_session b;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &a);
    lab_open(&lab, &b);
    assert_ptr_equal(browser_of(&a), browser_of(&b));
    lab_goto(&a, "127.0.0.1", "/cookie#a");
    lab_goto(&b, "127.0.0.1", "/cookie#b");
    tb_buf_clear(&lab.cookies);
    lab_goto(&a, "127.0.0.1", "/");
    assert_non_null(memmem(lab.cookies.data, lab.cookies.len, "owner=a", 7));
    assert_null(memmem(lab.cookies.data, lab.cookies.len, "owner=b", 7));
    lab_close(&a);
    lab_close(&b);
    lab_fini(&lab);
}

static void two_tenants_never_share_a_process(void **state)
{
    struct lab lab;
    struct lab_session a;
    struct lab_session b;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_start(&lab, &a, "tenant-a", NULL);
    lab_start(&lab, &b, "tenant-b", NULL);
    LAB_WAIT(&lab, a.opened && b.opened);
    assert_non_null(a.session);
    assert_non_null(b.session);
    assert_int_not_equal(tb_launch_pid(browser_of(&a)->launch),
                         tb_launch_pid(browser_of(&b)->launch));
    lab_close(&a);
    lab_close(&b);
    lab_fini(&lab);
}

/* A context that nobody has yet and whose tab is ready. */
static struct tb_cdp_context *spare_of(struct tb_cdp_browser *browser)
{
    LIST_FOREACH(link, &browser->contexts) {
        struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        if (context->ready && !tb_cdp_context_session(context)) {
            return context;
        }
    }
    return NULL;
}

static void the_second_session_finds_a_context_that_is_ready(void **state)
{
    struct lab lab;
    struct lab_session a;
    struct lab_session b;
    struct lab_answer answer;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &a);
    LAB_WAIT(&lab, spare_of(browser_of(&a)));
    lab_start(&lab, &b, "default", NULL);
    assert_true(b.opened); /* at once */
    assert_non_null(b.session);
    lab_call(&b, &answer, "echo", "1");
    assert_string_equal(answer.value, "[1]");
    LAB_WAIT(&lab, spare_of(browser_of(&a))); /* and there is a new one */
    lab_close(&a);
    lab_close(&b);
    lab_fini(&lab);
}

static size_t count_spares(const struct tb_cdp_browser *browser)
{
    size_t count = 0;
    LIST_FOREACH(link, &browser->contexts) {
        const struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        count += context->ready && !tb_cdp_context_session(context) ? 1 : 0;
    }
    return count;
}

static void as_many_contexts_are_ready_as_sessions_came_at_once(void **state)
{
    struct lab lab;
    struct lab_session sessions[3];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    for (size_t i = 0; i < TB_COUNT(sessions); i++) {
        lab_start(&lab, &sessions[i], "default", NULL);
    }
    LAB_WAIT(&lab, sessions[0].opened && sessions[1].opened && sessions[2].opened);
    struct tb_cdp_browser *browser = browser_of(&sessions[0]);
    LAB_WAIT(&lab, count_spares(browser) == TB_COUNT(sessions));
    for (size_t i = 0; i < TB_COUNT(sessions); i++) {
        lab_close(&sessions[i]);
        lab_start(&lab, &sessions[i], "default", NULL);
        assert_true(sessions[i].opened); /* at once */
    }
    for (size_t i = 0; i < TB_COUNT(sessions); i++) {
        lab_close(&sessions[i]);
    }
    lab_fini(&lab);
}

static bool has_spare_but(struct tb_cdp_browser *browser, const char *id)
{
    const struct tb_cdp_context *spare = spare_of(browser);
    return spare && strcmp(spare->id, id) != 0;
}

static void a_browser_may_be_started_before_anybody_asks(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    tb_cdp_fleet_free(lab.fleet);
    lab_set(&lab, "browser.prestart", "true");
    lab.fleet = tb_cdp_fleet_new(&lab.core, "/proc/self/exe");
    assert_false(tb_list_empty(&lab.fleet->browsers));
    struct tb_cdp_browser *browser =
        TB_CONTAINER(lab.fleet->browsers.next, struct tb_cdp_browser, link);
    LAB_WAIT(&lab, spare_of(browser));
    lab_start(&lab, &session, "default", NULL);
    assert_true(session.opened);
    assert_ptr_equal(browser_of(&session), browser);
    lab_close(&session);
    lab_fini(&lab);
}

static void a_spare_that_crashes_is_replaced(void **state)
{
    struct lab lab;
    struct lab_session a;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &a);
    LAB_WAIT(&lab, spare_of(browser_of(&a)));
    struct tb_cdp_browser *browser = browser_of(&a);
    struct tb_cdp_context *spare = spare_of(browser);
    if (!spare) {
        fail();
        return;
    }
    char id[TB_TARGET_ID_SIZE];
    snprintf(id, sizeof(id), "%s", spare->id);
    struct tb_cdp_page *page = TB_CONTAINER(spare->host.pages.next, struct tb_cdp_page, link);
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), "Page.crash", TB_STR(""));
    LAB_WAIT(&lab, has_spare_but(browser, id));
    lab_close(&a);
    lab_fini(&lab);
}

static void many_sessions_at_once_all_open(void **state)
{
    struct lab lab;
    struct lab_session sessions[6];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    for (size_t i = 0; i < TB_COUNT(sessions); i++) {
        lab_start(&lab, &sessions[i], "default", NULL);
    }
    for (size_t i = 0; i < TB_COUNT(sessions); i++) {
        LAB_WAIT(&lab, sessions[i].opened);
        assert_non_null(sessions[i].session);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(tb_cdp_session_context_id(sessions[i].session),
                                    tb_cdp_session_context_id(sessions[k].session));
        }
    }
    for (size_t i = 0; i < TB_COUNT(sessions); i++) {
        lab_close(&sessions[i]);
    }
    lab_fini(&lab);
}

static void a_killed_browser_is_noticed_at_once_and_replaced_at_the_next_need(void **state)
{
    struct lab lab;
    struct lab_session a;
    struct lab_session b;
    struct lab_answer answer;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &a);
    lab_open(&lab, &b);
    lab_begin_call(&a, &answer, "waitFor", "");
    kill(tb_launch_pid(browser_of(&a)->launch), SIGKILL);
    LAB_WAIT(&lab, answer.done && a.lost == 1 && b.lost == 1);
    assert_int_equal(answer.code, TB_E_BROWSER_CRASHED);
    assert_int_equal(a.err.code, TB_E_BROWSER_CRASHED);
    assert_null(tb_cdp_session_page(a.session));
    lab_close(&a);
    lab_close(&b);
    lab_open(&lab, &a);
    lab_goto(&a, "127.0.0.1", "/");
    lab_close(&a);
    lab_fini(&lab);
}

static void the_end_of_a_browser_is_told_even_if_that_of_a_helper_is_noticed_first(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    lab_goto(&session, "127.0.0.1", "/");
    struct tb_cdp_browser *browser = browser_of(&session);
    pid_t leader = tb_launch_pid(browser->launch);
    LAB_WAIT(&lab, browser->helpers);
    /* From now on the first end is the first to be noticed. */
    pid_t service = lab_network_service(lab.loop, browser);
    kill(leader, SIGSTOP); /* it would reap its service and start another */
    lab_kill_in_silence(service);
    lab_kill_in_silence(leader);
    LAB_WAIT(&lab, session.lost == 1);
    assert_string_equal(session.err.text, "the browser has ended unexpectedly");
    lab_close(&session);
    lab_fini(&lab);
}

static void a_frozen_browser_is_given_up(void **state)
{
    struct lab lab;
    struct lab_session session;
    struct lab_answer answer;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    pid_t leader = tb_launch_pid(browser_of(&session)->launch);
    kill(leader, SIGSTOP);
    lab_begin_call(&session, &answer, "echo", "1");
    LAB_WAIT(&lab, answer.done && session.lost == 1);
    assert_int_equal(answer.code, TB_E_BROWSER_CRASHED);
    LAB_WAIT(&lab, lab_group(leader, "", NULL, 0) == 0);
    lab_close(&session);
    lab_fini(&lab);
}

static void nothing_is_left_of_a_browser_that_nobody_uses(void **state)
{
    struct lab lab;
    struct lab_session session;
    char profile[TB_PROFILE_PATH_SIZE];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_set(&lab, "browser.linger_ms", "50");
    lab_open(&lab, &session);
    pid_t leader = tb_launch_pid(browser_of(&session)->launch);
    snprintf(profile, sizeof(profile), "%s", tb_launch_profile(browser_of(&session)->launch));
    assert_int_equal(access(profile, F_OK), 0);
    lab_close(&session);
    LAB_WAIT(&lab, lab_group(leader, "", NULL, 0) == 0 && access(profile, F_OK) < 0);
    assert_true(tb_list_empty(&lab.fleet->browsers));
    lab_fini(&lab);
}

static void stopping_the_driver_leaves_nothing_behind(void **state)
{
    struct lab lab;
    struct lab_session session;
    char profile[TB_PROFILE_PATH_SIZE];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    pid_t leader = tb_launch_pid(browser_of(&session)->launch);
    snprintf(profile, sizeof(profile), "%s", tb_launch_profile(browser_of(&session)->launch));
    tb_cdp_fleet_free(lab.fleet);
    lab.fleet = NULL;
    assert_int_equal(access(profile, F_OK), -1);
    LAB_WAIT(&lab, lab_group(leader, "", NULL, 0) == 0);
    lab_fini(&lab);
}

static void a_browser_that_does_not_start_is_tried_three_times(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    lab_init(&lab, docs);
    lab_set(&lab, "browser.path", "/bin/false");
    lab_start(&lab, &session, "default", NULL);
    LAB_WAIT(&lab, session.opened);
    assert_null(session.session);
    assert_int_equal(session.err.code, TB_E_BROWSER_START);
    assert_non_null(strstr(session.err.text, "3 attempts"));
    LAB_WAIT(&lab, tb_list_empty(&lab.fleet->browsers));
    lab_fini(&lab);
}

/* A program that is started instead of a browser: what it says on descriptor 4. */
static void start_program(struct lab *lab, struct lab_session *session, const char *script)
{
    char path[] = "/tmp/tabard-program-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "#!/bin/sh\n%s\nexec sleep 60\n", script) > 0);
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
    lab_set(lab, "browser.path", path);
    lab_start(lab, session, "default", NULL);
    LAB_WAIT(lab, session->opened);
    unlink(path);
}

static void a_program_that_is_no_browser_is_given_up_soon(void **state)
{
    static const struct {
        const char *script;
        const char *words;
        int64_t silence_ms; /* more than the test waits: it must be known without */
    } rows[] = {
        {"", "does not answer", 300},
        {"printf '{\"method\":\"x\",\"params\":{}}\\0' >&4", "does not answer", 300},
        {"printf 'hello\\0' >&4", "not a DevTools message", 60000},
        {"printf 'hello' >&4", "not a DevTools message", 60000},
        {"printf '{\"id\":1,\"result\":{\"prod' >&4", "did not finish it", 60000},
        {"while :; do printf '{%065536d' 0; done >&4", "not a DevTools message", 60000},
        {"while :; do printf '%065536d' 0; done >&4", "not a DevTools message", 60000},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct lab lab;
        struct lab_session session;
        lab_init(&lab, docs);
        lab.fleet->start_silence_ms = rows[i].silence_ms;
        start_program(&lab, &session, rows[i].script);
        assert_null(session.session);
        assert_int_equal(session.err.code, TB_E_BROWSER_START);
        assert_non_null(strstr(session.err.text, rows[i].words));
        assert_non_null(strstr(session.err.text, "1 attempt:")); /* it is not tried again */
        LAB_WAIT(&lab, tb_list_empty(&lab.fleet->browsers));
        lab_fini(&lab);
    }
}

static void a_window_without_a_display_is_refused_with_a_code_of_its_own(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    lab_init(&lab, docs);
    lab_start(&lab, &session, "default", "{\"headless\":false}");
    assert_true(session.opened);
    assert_int_equal(session.err.code, TB_E_NO_DISPLAY);
    lab_fini(&lab);
}

static void a_browser_that_is_not_there_is_said_so(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    lab_init(&lab, docs);
    lab_set(&lab, "browser.path", "/nowhere/chromium");
    lab_start(&lab, &session, "default", NULL);
    assert_true(session.opened);
    assert_int_equal(session.err.code, TB_E_BROWSER_START);
    assert_non_null(strstr(session.err.text, "browser.path"));
    lab_fini(&lab);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_function_is_called_in_a_new_session),
        cmocka_unit_test(the_page_cannot_see_our_functions),
        cmocka_unit_test(the_wishes_of_a_session_are_heard),
        cmocka_unit_test(renderers_run_in_the_sandbox_as_another_user),
        cmocka_unit_test(two_sessions_share_a_process_and_no_cookies),
        cmocka_unit_test(two_tenants_never_share_a_process),
        cmocka_unit_test(the_second_session_finds_a_context_that_is_ready),
        cmocka_unit_test(as_many_contexts_are_ready_as_sessions_came_at_once),
        cmocka_unit_test(a_browser_may_be_started_before_anybody_asks),
        cmocka_unit_test(a_spare_that_crashes_is_replaced),
        cmocka_unit_test(many_sessions_at_once_all_open),
        cmocka_unit_test(a_killed_browser_is_noticed_at_once_and_replaced_at_the_next_need),
        cmocka_unit_test(the_end_of_a_browser_is_told_even_if_that_of_a_helper_is_noticed_first),
        cmocka_unit_test(a_frozen_browser_is_given_up),
        cmocka_unit_test(nothing_is_left_of_a_browser_that_nobody_uses),
        cmocka_unit_test(stopping_the_driver_leaves_nothing_behind),
        cmocka_unit_test(a_browser_that_does_not_start_is_tried_three_times),
        cmocka_unit_test(a_program_that_is_no_browser_is_given_up_soon),
        cmocka_unit_test(a_window_without_a_display_is_refused_with_a_code_of_its_own),
        cmocka_unit_test(a_browser_that_is_not_there_is_said_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
