/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/remote.h"

#include <errno.h>

#include "support/cdp_lab.h"

static const struct lab_doc docs[] = {
    {"/", NULL, "<title>first</title>", 0},
    {NULL, NULL, NULL, 0},
};

struct dialled {
    bool done;
    struct tb_stream *stream;
    char host[64];
    char target[64];
    struct tb_err err;
};

static void on_remote(struct tb_stream *stream, struct tb_str host, struct tb_str target,
                      const struct tb_err *err, void *user)
{
    struct dialled *dialled = user;
    dialled->done = true;
    dialled->stream = stream;
    snprintf(dialled->host, sizeof(dialled->host), "%.*s", TB_STR_ARG(host));
    snprintf(dialled->target, sizeof(dialled->target), "%.*s", TB_STR_ARG(target));
    if (err) {
        dialled->err = *err;
    }
}

static void addresses_are_read_as_they_are_written(void **state)
{
    static const struct {
        const char *form; /* with %d for the site's port */
        bool good;
        const char *target;
    } rows[] = {
        {"ws://127.0.0.1:%d/devtools/browser/x", true, "/devtools/browser/x"},
        {"ws://127.0.0.1:%d", true, "/"},
        {"ws://localhost:%d/a?b", true, "/a?b"},
        {"wss://127.0.0.1:%d/", false, ""},
        {"http://127.0.0.1:%d/", false, ""},
        {"ws://127.0.0.1:0%d0000/", false, ""},
        {"ws://:%d/", false, ""},
        {"ws://127.0.0.1:/", false, ""},
        {"", false, ""},
    };
    struct lab lab;
    (void)state;
    lab_init(&lab, docs);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char endpoint[128];
        struct dialled dialled = {.done = false};
        snprintf(endpoint, sizeof(endpoint), rows[i].form, tb_listener_port(lab.listener));
        struct tb_remote *remote = tb_remote_new(lab.loop, endpoint, on_remote, &dialled);
        assert_false(dialled.done); /* later, always */
        LAB_WAIT(&lab, dialled.done);
        assert_int_equal(dialled.stream != NULL, rows[i].good);
        if (rows[i].good) {
            assert_string_equal(dialled.target, rows[i].target);
            tb_stream_free(dialled.stream);
        } else {
            assert_int_equal(dialled.err.code, TB_E_PARAMS);
        }
        tb_remote_free(remote);
    }
    lab_fini(&lab);
}

static void a_remote_that_is_freed_calls_nobody(void **state)
{
    struct lab lab;
    struct dialled dialled = {.done = false};
    (void)state;
    lab_init(&lab, docs);
    tb_remote_free(tb_remote_new(lab.loop, "ws://localhost:1/", on_remote, &dialled));
    tb_remote_free(tb_remote_new(lab.loop, "nonsense", on_remote, &dialled));
    for (int i = 0; i < 50; i++) {
        tb_loop_turn(lab.loop, false);
    }
    assert_false(dialled.done);
    lab_fini(&lab);
}

static void on_exit_of_browser(struct tb_launch *launch, void *user)
{
    (void)launch;
    (void)user;
}

/* Where the browser listens: it writes the port and the path into its profile. */
static bool read_endpoint(const struct tb_launch *launch, char *ret_endpoint, size_t size)
{
    char path[TB_PROFILE_PATH_SIZE + 32];
    char target[128];
    int port = 0;
    snprintf(path, sizeof(path), "%s/DevToolsActivePort", tb_launch_profile(launch));
    FILE *in = fopen(path, "r");
    bool found = in && fscanf(in, "%d\n%127s", &port, target) == 2;
    if (in) {
        fclose(in);
    }
    if (found) {
        snprintf(ret_endpoint, size, "{\"endpoint\":\"ws://127.0.0.1:%d%s\"}", port, target);
    }
    return found;
}

static void tick(struct tb_timer *timer, void *user)
{
    (void)user;
    tb_timer_start(timer, 10);
}

static void sessions_live_in_a_browser_that_somebody_else_runs(void **state)
{
    static const char *const more[] = {"--remote-debugging-port=0", NULL};
    struct lab lab;
    struct lab_session a;
    struct lab_session b;
    struct lab_answer answer;
    struct tb_timer timer;
    char args[256];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    struct tb_launch_spec spec = {
        .path = tb_browser_find("", true), .shell = true, .headless = true, .more = more};
    struct tb_launch *launch =
        tb_launch_new(lab.cdp->launcher, &spec, on_exit_of_browser, NULL, NULL);
    assert_non_null(launch);
    tb_timer_init(&timer, lab.loop, tick, NULL); /* a file is nothing that a loop hears of */
    tb_timer_start(&timer, 10);
    LAB_WAIT(&lab, read_endpoint(launch, args, sizeof(args)));
    tb_timer_fini(&timer);
    lab_start(&lab, &a, "default", args);
    lab_start(&lab, &b, "default", args);
    LAB_WAIT(&lab, a.opened && b.opened);
    assert_non_null(a.session);
    assert_non_null(b.session);
    assert_ptr_equal(a.session->browser, b.session->browser);
    lab_goto(&a, "127.0.0.1", "/");
    lab_call(&a, &answer, "describe", "");
    assert_non_null(strstr(answer.value, "first"));
    lab_close(&a);
    tb_launch_free(launch);
    LAB_WAIT_MS(&lab, 1000, b.lost == 1);
    lab_close(&b);
    lab_fini(&lab);
}

static void an_endpoint_where_nobody_listens_is_said(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    lab_init(&lab, docs);
    lab_start(&lab, &session, "default", "{\"endpoint\":\"ws://127.0.0.1:1/\"}");
    LAB_WAIT(&lab, session.opened);
    assert_null(session.session);
    assert_int_equal(session.err.code, TB_E_BROWSER_START);
    assert_non_null(strstr(session.err.text, "ws://127.0.0.1:1/"));
    lab_fini(&lab);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_as_they_are_written),
        cmocka_unit_test(a_remote_that_is_freed_calls_nobody),
        cmocka_unit_test(sessions_live_in_a_browser_that_somebody_else_runs),
        cmocka_unit_test(an_endpoint_where_nobody_listens_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
