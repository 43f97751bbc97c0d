/* SPDX-License-Identifier: Apache-2.0 */
/* What is left when the daemon is killed: nothing. This program plays the daemon itself when it is
 * started with "hold". */
#include <stdlib.h>

#include "driver/launch.h"
#include "io/process.h"

#include "support/cdp_lab.h"

static const struct lab_doc docs[] = {
    {"/", NULL, "<title>first</title>", 0},
    {NULL, NULL, NULL, 0},
};

/* Opens a session and says which browser it has. */
static int hold(void)
{
    struct lab lab;
    struct lab_session session;
    lab_init(&lab, docs);
    do { /* a start may fail on a busy machine */
        lab_start(&lab, &session, "default", NULL);
        while (!session.opened) {
            tb_loop_turn(lab.loop, true);
        }
    } while (!session.session);
    const struct tb_launch *launch = session.session->browser->launch;
    printf("%d %s\n", (int)tb_launch_pid(launch), tb_launch_profile(launch));
    fflush(stdout);
    while (tb_loop_turn(lab.loop, true)) {
    }
    return 1;
}

struct holder {
    struct lab lab;
    struct tb_process *process;
    struct tb_stream *out;
    struct tb_buf said;
    bool ended;
    pid_t browser;
    char profile[TB_PROFILE_PATH_SIZE];
};

static void on_holder_exit(struct tb_process *process, int64_t status, int signum, void *user)
{
    struct holder *holder = user;
    (void)process;
    (void)status;
    (void)signum;
    holder->ended = true;
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    tb_buf_append_str(&((struct holder *)user)->said, bytes);
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    (void)user;
}

static void holder_start(struct holder *holder)
{
    static const char *const args[] = {"test", "hold", NULL};
    static const struct tb_stream_ops ops = {.on_read = on_read, .on_end = on_end};
    struct tb_process_fd fds[] = {{.child_fd = STDOUT_FILENO, .inherit = -1}};
    struct tb_process_opts opts = {
        .file = "/proc/self/exe", .args = args, .fds = fds, .fd_count = TB_COUNT(fds)};
    memset(holder, 0, sizeof(*holder));
    lab_init(&holder->lab, docs);
    tb_buf_init(&holder->said, 4096);
    holder->process = tb_process_new(holder->lab.loop, &opts, on_holder_exit, holder, NULL);
    assert_non_null(holder->process);
    holder->out = fds[0].stream;
    tb_stream_start(holder->out, &ops, holder);
    LAB_WAIT(&holder->lab, holder->said.len && memchr(holder->said.data, '\n', holder->said.len));
    tb_buf_append_char(&holder->said, '\0');
    int pid;
    assert_int_equal(sscanf((const char *)holder->said.data, "%d %255s", &pid, holder->profile), 2);
    holder->browser = pid;
    assert_true(lab_group(holder->browser, "--type=renderer", NULL, 0) > 0);
}

static void holder_finish(struct holder *holder)
{
    tb_process_free(holder->process);
    tb_stream_free(holder->out);
    tb_buf_fini(&holder->said);
    lab_fini(&holder->lab);
}

static void kill_only(struct holder *holder)
{
    kill(tb_process_pid(holder->process), SIGKILL);
    LAB_WAIT(&holder->lab, holder->ended);
}

/* Turns the loop now and then until no process of the browser is left. */
static void expect_gone(struct holder *holder)
{
    bool late = false;
    struct tb_timer timer;
    tb_timer_init(&timer, holder->lab.loop, lab_late, &late);
    tb_timer_start(&timer, 2000);
    while (!late && lab_group(holder->browser, "", NULL, 0)) {
        tb_loop_turn(holder->lab.loop, false);
    }
    tb_timer_fini(&timer);
    assert_int_equal(lab_group(holder->browser, "", NULL, 0), 0);
}

static void expect_swept(struct holder *holder)
{
    bool late = false;
    struct tb_timer timer;
    tb_timer_init(&timer, holder->lab.loop, lab_late, &late);
    tb_timer_start(&timer, 5000);
    while (!late && access(holder->profile, F_OK) == 0) {
        tb_loop_turn(holder->lab.loop, true);
    }
    tb_timer_fini(&timer);
    assert_int_equal(access(holder->profile, F_OK), -1);
}

static void no_process_is_left_and_the_next_daemon_sweeps_the_profile(void **state)
{
    struct holder holder;
    (void)state;
    LAB_NEEDS_BROWSER();
    holder_start(&holder);
    kill_only(&holder);
    expect_gone(&holder);
    tb_cdp_fleet_free(holder.lab.fleet);
    holder.lab.fleet = tb_cdp_fleet_new(&holder.lab.core, "/proc/self/exe");
    expect_swept(&holder);
    holder_finish(&holder);
}

static void a_frozen_browser_dies_with_its_daemon_too(void **state)
{
    struct holder holder;
    (void)state;
    LAB_NEEDS_BROWSER();
    holder_start(&holder);
    kill(holder.browser, SIGSTOP);
    kill_only(&holder);
    expect_gone(&holder);
    tb_profile_remove(holder.profile);
    holder_finish(&holder);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    if (argc > 1 && strcmp(argv[1], "hold") == 0) {
        return hold();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_process_is_left_and_the_next_daemon_sweeps_the_profile),
        cmocka_unit_test(a_frozen_browser_dies_with_its_daemon_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
