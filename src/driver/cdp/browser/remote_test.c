/* SPDX-License-Identifier: Apache-2.0 */
/* A browser that somebody else runs. */
#include "driver/cdp/browser/switches.h"
#include "io/tls.h"

#include "support/cdp_lab.h"
#include "support/cert.h"

static const struct lab_doc docs[] = {
    {"/", NULL, "<title>first</title>", 0},
    {"/other", NULL, "<title>other</title>", 0},
    {NULL, NULL, NULL, 0},
};

static void on_exit_of_browser(struct tb_launch *launch, void *user)
{
    (void)launch;
    (void)user;
}

struct address {
    int port;
    char target[128];
};

/* Where the browser listens: it writes the port and the path into its profile. */
static bool read_address(const struct tb_launch *launch, struct address *ret_address)
{
    char path[TB_PROFILE_PATH_SIZE + 32];
    snprintf(path, sizeof(path), "%s/DevToolsActivePort", tb_launch_profile(launch));
    FILE *in = fopen(path, "r");
    bool found = in && fscanf(in, "%d\n%127s", &ret_address->port, ret_address->target) == 2;
    if (in) {
        fclose(in);
    }
    return found;
}

static void tick(struct tb_timer *timer, void *user)
{
    (void)user;
    tb_timer_start(timer, 10);
}

static struct tb_launch *run_browser(struct lab *lab, struct address *ret_address)
{
    char port[] = "--remote-debugging-port=0";
    char *more[] = {port};
    struct tb_config config = {.browser_args = {.items = more, .count = 1},
                               .browser_no_sandbox = lab->config.browser_no_sandbox};
    struct tb_timer timer;
    const char **args = tb_cdp_switches_new(&config, false, false);
    struct tb_launch_spec spec = {
        .path = tb_cdp_browser_find("", true), .args = args, .profile_switch = "--user-data-dir="};
    struct tb_launch *launch =
        tb_launch_new(lab->fleet->launcher, &spec, on_exit_of_browser, NULL, NULL);
    tb_free(args);
    assert_non_null(launch);
    tb_timer_init(&timer, lab->loop, tick, NULL); /* a file is nothing that a loop hears of */
    tb_timer_start(&timer, 10);
    LAB_WAIT(lab, read_address(launch, ret_address));
    tb_timer_fini(&timer);
    return launch;
}

static void sessions_live_in_a_browser_that_somebody_else_runs(void **state)
{
    struct lab lab;
    struct lab_session a;
    struct lab_session b;
    struct lab_answer answer;
    struct address address;
    char args[256];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    struct tb_launch *launch = run_browser(&lab, &address);
    snprintf(args, sizeof(args), "{\"endpoint\":\"ws://127.0.0.1:%d%s\"}", address.port,
             address.target);
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
    LAB_WAIT(&lab, b.lost == 1);
    lab_close(&b);
    lab_fini(&lab);
}

/* Detached, the tab outlives both its session and our connection; closed, it does not. */
static void a_tab_that_is_left_behind_stays_in_the_browser(void **state)
{
    struct lab lab;
    struct lab_session left;
    struct lab_session closed;
    struct lab_session later;
    struct lab_answer answer;
    struct address address;
    char args[256];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_set(&lab, "browser.linger_ms", "0");
    struct tb_launch *launch = run_browser(&lab, &address);
    snprintf(args, sizeof(args), "{\"endpoint\":\"ws://127.0.0.1:%d%s\"}", address.port,
             address.target);
    lab_start(&lab, &left, "default", args);
    lab_start(&lab, &closed, "default", args);
    LAB_WAIT(&lab, left.opened && closed.opened);
    lab_goto(&left, "127.0.0.1", "/");
    lab_goto(&closed, "127.0.0.1", "/other");
    assert_true(tb_cdp_session_detach(left.session));
    lab_close(&left);
    lab_close(&closed);
    LAB_WAIT(&lab, tb_list_empty(&lab.fleet->browsers));

    lab_start(&lab, &later, "default", args);
    LAB_WAIT(&lab, later.opened);
    memset(&answer, 0, sizeof(answer));
    tb_cdp_session_send(later.session, NULL, "Target.getTargets", (struct tb_str){NULL, 0},
                        lab_deadline(&lab), lab_on_reply, &answer);
    LAB_WAIT(&lab, answer.done);
    assert_non_null(strstr(answer.value, "\"title\":\"first\""));
    assert_null(strstr(answer.value, "\"title\":\"other\""));
    lab_close(&later);
    tb_launch_free(launch);
    lab_fini(&lab);
}

static void a_browser_of_our_own_cannot_be_left(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    lab_open(&lab, &session);
    assert_false(tb_cdp_session_detach(session.session));
    lab_close(&session);
    lab_fini(&lab);
}

/* Takes TLS off and passes everything on to the browser, both ways. */
struct relay {
    struct lab *lab;
    const struct address *address;
    struct tb_stream *out; /* to us */
    struct tb_stream *in;  /* to the browser */
};

static void pass_on(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct relay *relay = user;
    struct tb_stream *to = stream == relay->out ? relay->in : relay->out;
    if (to) {
        assert_int_equal(tb_stream_write(to, bytes), 0);
    }
}

static void pass_end(struct tb_stream *stream, int status, void *user)
{
    struct relay *relay = user;
    (void)status;
    tb_stream_finish(stream == relay->out ? relay->in : relay->out);
}

static const struct tb_stream_ops relay_ops = {.on_read = pass_on, .on_end = pass_end};

static void relay_connected(struct tb_stream *stream, int status, void *user)
{
    struct relay *relay = user;
    assert_int_equal(status, 0);
    tb_stream_set_send_max(stream, 64 << 20);
    tb_stream_start(stream, &relay_ops, relay);
}

static void relay_accept(struct tb_stream *stream, void *user)
{
    struct relay *relay = user;
    assert_null(relay->out);
    relay->out = stream;
    relay->in = tb_stream_connect_tcp(relay->lab->loop, "127.0.0.1", (uint16_t)relay->address->port,
                                      relay_connected, relay);
    tb_stream_set_send_max(stream, 64 << 20);
    tb_stream_start(stream, &relay_ops, relay);
}

static void a_browser_behind_tls_is_driven(void **state)
{
    struct lab lab;
    struct lab_session session;
    struct lab_answer answer;
    struct address address;
    struct test_cert files;
    struct relay relay = {.lab = &lab, .address = &address};
    char args[256];
    (void)state;
    LAB_NEEDS_BROWSER();
    lab_init(&lab, docs);
    test_cert_make(&files);
    lab_set(&lab, "browser.remote_ca", files.cert);
    struct tb_tls *tls = tb_tls_new(files.cert, files.key, NULL);
    struct tb_launch *launch = run_browser(&lab, &address);
    struct tb_listener *listener =
        tb_listener_new_tcp(lab.loop, "127.0.0.1", 0, tls, relay_accept, &relay, NULL);
    snprintf(args, sizeof(args), "{\"endpoint\":\"wss://localhost:%d%s\"}",
             tb_listener_port(listener), address.target);
    lab_start(&lab, &session, "default", args);
    LAB_WAIT(&lab, session.opened);
    assert_string_equal(session.err.text, "");
    lab_goto(&session, "127.0.0.1", "/");
    lab_call(&session, &answer, "describe", "");
    assert_non_null(strstr(answer.value, "first"));
    lab_close(&session);
    tb_stream_free(relay.in);
    tb_stream_free(relay.out);
    tb_listener_free(listener);
    tb_tls_free(tls);
    tb_launch_free(launch);
    test_cert_remove(&files);
    lab_fini(&lab);
}

static void an_endpoint_where_nobody_listens_is_said(void **state)
{
    struct lab lab;
    struct lab_session session;
    (void)state;
    lab_init(&lab, docs);
    lab_start(&lab, &session, "default", "{\"endpoint\":\"ws://127.0.0.1:1/secret?token=secret\"}");
    LAB_WAIT(&lab, session.opened);
    assert_null(session.session);
    assert_int_equal(session.err.code, TB_E_ENDPOINT);
    assert_non_null(
        strstr(session.err.text, "cannot connect to ws://127.0.0.1:1: Connection refused"));
    assert_null(strstr(session.err.text, "secret")); /* what opens the browser to anybody */
    lab_fini(&lab);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_live_in_a_browser_that_somebody_else_runs),
        cmocka_unit_test(a_tab_that_is_left_behind_stays_in_the_browser),
        cmocka_unit_test(a_browser_of_our_own_cannot_be_left),
        cmocka_unit_test(a_browser_behind_tls_is_driven),
        cmocka_unit_test(an_endpoint_where_nobody_listens_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
