/* SPDX-License-Identifier: Apache-2.0 */
#include "io/exec_guard.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "io/process.h"
#include "io/testing.h"

/* This program is its own guard: main hands over when it was started as one. */

struct child {
    struct tb_process *process;
    struct test_owner out;
    bool ended;
    int64_t status;
};

static void on_exit_of_child(struct tb_process *process, int64_t status, int signum, void *user)
{
    struct child *child = user;
    (void)process;
    (void)signum;
    child->ended = true;
    child->status = status;
}

/* Starts this program with these arguments; what it prints is kept. */
static void start(struct tb_loop *loop, struct child *child, const char *const *args)
{
    struct tb_process_fd fds[] = {{.child_fd = STDOUT_FILENO, .inherit = -1}};
    struct tb_process_opts opts = {
        .file = "/proc/self/exe", .args = args, .fds = fds, .fd_count = TB_COUNT(fds)};
    memset(child, 0, sizeof(*child));
    child->process = tb_process_new(loop, &opts, on_exit_of_child, child, NULL);
    assert_non_null(child->process);
    test_owner_start(&child->out, fds[0].stream);
}

static void finish(struct child *child)
{
    tb_process_free(child->process);
    test_owner_fini(&child->out);
}

static bool said(const struct child *child, const char *text)
{
    return child->out.got.len &&
           memmem(child->out.got.data, child->out.got.len, text, strlen(text));
}

static void only_the_hidden_word_makes_a_guard(void **state)
{
    char words[][16] = {"tabard", "__exec-guard", "serve", "1", "0", "/bin/true"};
    char *const good[] = {words[0], words[1], words[3], words[4], words[5], words[5], NULL};
    char *const other[] = {words[0], words[2], words[3], words[4], words[5], words[5], NULL};
    (void)state;
    assert_true(tb_exec_guard_wanted(6, good));
    assert_false(tb_exec_guard_wanted(5, good));
    assert_false(tb_exec_guard_wanted(1, good));
    assert_false(tb_exec_guard_wanted(6, other));
}

static void the_program_runs_with_less_rights_and_dies_first_when_memory_is_short(void **state)
{
    const char *args[TB_EXEC_GUARD_ARGS + 5] = {NULL};
    char pid_text[TB_EXEC_GUARD_PID_SIZE];
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct child child;
    (void)state;
    tb_exec_guard_args("guard", "/bin/cat", true, pid_text, args);
    args[TB_EXEC_GUARD_ARGS] = "cat";
    args[TB_EXEC_GUARD_ARGS + 1] = "/proc/self/status";
    args[TB_EXEC_GUARD_ARGS + 2] = "/proc/self/oom_score_adj";
    start(loop, &child, args);
    WAIT_UNTIL(loop, child.ended && child.out.ends);
    assert_int_equal(child.status, 0);
    assert_true(said(&child, "Name:\tcat\n"));
    assert_true(said(&child, "NoNewPrivs:\t1\n"));
    /* Signals 32 and 33 are the C library's own; whoever started us may have left them ignored. */
    assert_true(said(&child, "SigIgn:\t0000000000000000\n") ||
                said(&child, "SigIgn:\t0000000180000000\n"));
    assert_true(said(&child, "SigBlk:\t0000000000000000\n"));
    assert_true(said(&child, "\n300\n"));
    finish(&child);
    tb_loop_free(loop);
}

static void a_guard_whose_parent_is_gone_runs_nothing(void **state)
{
    const char *const args[] = {"guard",     "__exec-guard", "1",   "0",
                                "/bin/echo", "echo",         "ran", NULL};
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct child child;
    (void)state;
    start(loop, &child, args);
    WAIT_UNTIL(loop, child.ended && child.out.ends);
    assert_int_equal(child.status, 126);
    assert_false(said(&child, "ran"));
    finish(&child);
    tb_loop_free(loop);
}

static void a_program_that_is_not_there_is_a_failure(void **state)
{
    const char *args[TB_EXEC_GUARD_ARGS + 2] = {NULL};
    char pid_text[TB_EXEC_GUARD_PID_SIZE];
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct child child;
    (void)state;
    tb_exec_guard_args("guard", "/nowhere", false, pid_text, args);
    args[TB_EXEC_GUARD_ARGS] = "nowhere";
    start(loop, &child, args);
    WAIT_UNTIL(loop, child.ended && child.out.ends);
    assert_int_equal(child.status, 126);
    finish(&child);
    tb_loop_free(loop);
}

/* The part of the parent that is killed: it starts a guarded child that has its output and says
 * when it runs. */
static int hold(void)
{
    const char *args[TB_EXEC_GUARD_ARGS + 4] = {NULL};
    char pid_text[TB_EXEC_GUARD_PID_SIZE];
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct child child = {.ended = false};
    tb_exec_guard_args("guard", "/bin/sh", true, pid_text, args);
    args[TB_EXEC_GUARD_ARGS] = "sh";
    args[TB_EXEC_GUARD_ARGS + 1] = "-c";
    args[TB_EXEC_GUARD_ARGS + 2] = "echo runs; exec sleep 1000";
    struct tb_process_fd fds[] = {{.child_fd = STDOUT_FILENO, .inherit = STDOUT_FILENO}};
    struct tb_process_opts opts = {
        .file = "/proc/self/exe", .args = args, .fds = fds, .fd_count = TB_COUNT(fds)};
    child.process = tb_process_new(loop, &opts, on_exit_of_child, &child, NULL);
    while (!child.ended) {
        tb_loop_turn(loop, true);
    }
    return 1;
}

/* Parent and child have the same pipe: it ends when both are gone. */
static void a_killed_parent_takes_the_child_along(void **state)
{
    static const char *const args[] = {"test", "hold", NULL};
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct child child;
    (void)state;
    start(loop, &child, args);
    WAIT_UNTIL(loop, said(&child, "runs\n"));
    assert_int_equal(child.out.ends, 0);
    kill(tb_process_pid(child.process), SIGKILL);
    WAIT_UNTIL(loop, child.ended && child.out.ends);
    finish(&child);
    tb_loop_free(loop);
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
        cmocka_unit_test(only_the_hidden_word_makes_a_guard),
        cmocka_unit_test(the_program_runs_with_less_rights_and_dies_first_when_memory_is_short),
        cmocka_unit_test(a_guard_whose_parent_is_gone_runs_nothing),
        cmocka_unit_test(a_program_that_is_not_there_is_a_failure),
        cmocka_unit_test(a_killed_parent_takes_the_child_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
